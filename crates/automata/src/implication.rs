//! Which formulas imply which, as far as their shape tells.
//!
//! Papers: Somenzi, Bloem 2000, "Efficient Büchi automata from LTL formulae"; Etessami, Holzmann 2000, "Optimizing Büchi
//! automata" (formulas that are eventual or universal by shape).

use crate::shared::{Id, Node, Shared};

impl Shared {
    /// `a` implies `b`. "No" may also mean: cannot tell.
    pub fn implies(&mut self, a: Id, b: Id) -> bool {
        if a == b || a == Shared::FALSE || b == Shared::TRUE {
            return true;
        }
        if a == Shared::TRUE || b == Shared::FALSE {
            return false;
        }
        if let Some(known) = self.implications.get(&(a, b)) {
            return *known;
        }
        if self.effort == 0 {
            return false;
        }
        self.effort -= 1;
        // Questions that lead back to themselves are answered with "no": proofs are finite.
        self.implications.insert((a, b), false);
        let answer = self.implies_by_shape(a, b);
        self.implications.insert((a, b), answer);
        answer
    }

    fn implies_by_shape(&mut self, a: Id, b: Id) -> bool {
        let (left, right) = (self.node(a).clone(), self.node(b).clone());
        // Rules that do not lose anything come first and decide.
        match (&left, &right) {
            (Node::Or(parts), _) => return parts.iter().all(|p| self.implies(*p, b)),
            (_, Node::And(parts)) => return parts.iter().all(|p| self.implies(a, *p)),
            (Node::Literal { .. }, Node::Literal { .. }) => return false,
            _ => {}
        }
        let (a_facts, b_facts) = (self.facts(a), self.facts(b));
        // From the shape of what is implied.
        let by_right = match &right {
            Node::Or(parts) => parts.iter().any(|p| self.implies(a, *p)),
            Node::Until(_, y) => self.implies(a, *y),
            Node::Release(x, y) => {
                let now = self.implies(a, *y);
                now && (a_facts.universal || self.implies(a, *x))
            }
            Node::Next(y) => a_facts.universal && self.implies(a, *y),
            _ => false,
        };
        if by_right {
            return true;
        }
        // From the shape of what implies.
        let by_left = match &left {
            Node::And(parts) => parts.iter().any(|p| self.implies(*p, b)),
            Node::Release(_, y) => self.implies(*y, b),
            Node::Until(x, y) => {
                let then = self.implies(*y, b);
                then && (b_facts.eventual || self.implies(*x, b))
            }
            Node::Next(x) => b_facts.eventual && self.implies(*x, b),
            _ => false,
        };
        if by_left {
            return true;
        }
        // The same operator on both sides.
        match (left, right) {
            (Node::Next(x), Node::Next(y)) => self.implies(x, y),
            (Node::Until(x, y), Node::Until(u, v)) | (Node::Release(x, y), Node::Release(u, v)) => {
                self.implies(x, u) && self.implies(y, v)
            }
            // Up to the point where the second operand of the until holds, so does that of the release; there, both do.
            (Node::Until(x, y), Node::Release(u, v)) => self.implies(x, v) && self.implies(y, v) && self.implies(y, u),
            _ => false,
        }
    }

    /// `a` and `b` cannot hold together.
    pub fn excludes(&mut self, a: Id, b: Id) -> bool {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        self.implies(a, not_b) || self.implies(b, not_a)
    }
}
