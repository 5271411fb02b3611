//! Simplification of formulas by rewriting, while nodes are made.
//!
//! Papers: Somenzi, Bloem 2000, "Efficient Büchi automata from LTL formulae"; Etessami, Holzmann 2000, "Optimizing Büchi
//! automata"; Babiak, Křetínský, Řehák, Strejček 2012, "LTL to Büchi automata translation: fast and more deterministic"
//! (formulas that may be suspended). Every rule replaces a formula by one that is true of the same words and is smaller,
//! or has fewer temporal operators, or has them further outside. The rules for "or" and "release" are those for "and"
//! and "until", read in the dual.

use std::collections::HashMap;

use crate::formula::Formula;
use crate::shared::{Id, Node, Shared};

/// A simplified formula is not given back as a tree larger than this and larger than what it was made from.
const LARGEST_TREE: usize = 10_000;

/// Conjunctions with more parts than this are not searched for implications between their parts.
const MANY_PARTS: usize = 64;

impl Formula {
    /// A formula that is true of the same words and, where the rules know one, simpler; in negation normal form. The
    /// formula itself if the simpler one would be a larger tree (`<->` below `<->`).
    pub fn simplified(&self) -> Formula {
        self.shared_form(true).unwrap_or_else(|| self.clone())
    }

    /// Negations only in front of atoms, and no `->`, `<->` or weak until. `None` if the tree would be very large, which
    /// takes nested `<->`.
    pub fn negation_normal_form(&self) -> Option<Formula> {
        self.shared_form(false)
    }

    fn shared_form(&self, simplifying: bool) -> Option<Formula> {
        let mut shared = Shared::new(simplifying);
        let id = shared.add(self);
        let size = shared.tree_size(id, &mut HashMap::new());
        (size <= LARGEST_TREE.max(self.size())).then(|| shared.formula(id))
    }
}

impl Shared {
    pub fn next(&mut self, a: Id) -> Id {
        let constant = a == Shared::TRUE || a == Shared::FALSE;
        if constant || (self.simplifying && self.is_suspendable(a)) {
            return a;
        }
        self.intern(Node::Next(a))
    }

    pub fn or(&mut self, parts: Vec<Id>) -> Id {
        let duals = self.negate_all(&parts);
        let dual = self.and(duals);
        self.negate(dual)
    }

    pub fn release(&mut self, a: Id, b: Id) -> Id {
        let (not_a, not_b) = (self.negate(a), self.negate(b));
        let dual = self.until(not_a, not_b);
        self.negate(dual)
    }

    fn eventually(&mut self, a: Id) -> Id {
        self.until(Shared::TRUE, a)
    }

    pub fn and(&mut self, parts: Vec<Id>) -> Id {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(part) {
                Node::And(inner) => flat.extend_from_slice(inner),
                _ => flat.push(part),
            }
        }
        flat.retain(|p| *p != Shared::TRUE);
        flat.sort_unstable();
        flat.dedup();
        if flat.contains(&Shared::FALSE) || flat.iter().any(|p| self.has_dual_in(*p, &flat)) {
            return Shared::FALSE;
        }
        if self.simplifying
            && (2..=MANY_PARTS).contains(&flat.len())
            && let Some(simpler) = self.simpler_parts(&flat)
        {
            return self.and(simpler);
        }
        match flat.as_slice() {
            [] => Shared::TRUE,
            [only] => *only,
            _ => self.intern(Node::And(flat)),
        }
    }

    fn has_dual_in(&self, part: Id, sorted: &[Id]) -> bool {
        self.known_dual(part).is_some_and(|dual| sorted.binary_search(&dual).is_ok())
    }

    /// Other parts whose conjunction is the same, if a rule applies.
    fn simpler_parts(&mut self, parts: &[Id]) -> Option<Vec<Id>> {
        for (i, a) in parts.iter().enumerate() {
            for (j, b) in parts.iter().enumerate() {
                if i == j {
                    continue;
                }
                if i < j && self.excludes(*a, *b) {
                    return Some(vec![Shared::FALSE]);
                }
                if self.implies(*a, *b) {
                    return Some(without(parts, &[j]));
                }
                if let Some(narrower) = self.narrower(*a, *b) {
                    return Some(replaced(parts, &[j], narrower));
                }
                if i < j
                    && let Some(both) = self.joined(*a, *b)
                {
                    return Some(replaced(parts, &[i, j], both));
                }
            }
        }
        None
    }

    /// What is left to say with `part` where `known` holds, if that is less.
    fn narrower(&mut self, known: Id, part: Id) -> Option<Id> {
        match self.node(part).clone() {
            // Some cases cannot happen, and need not be listed.
            Node::Or(options) => {
                let left: Vec<Id> = options.iter().copied().filter(|o| !self.excludes(known, *o)).collect();
                (left.len() < options.len()).then(|| self.or(left))
            }
            // The first operand holds anyway, now and for ever.
            Node::Until(a, b) if a != Shared::TRUE && self.facts(known).universal && self.implies(known, a) => {
                Some(self.eventually(b))
            }
            _ => None,
        }
    }

    /// One formula for the conjunction of two, with one temporal operator in place of two.
    fn joined(&mut self, a: Id, b: Id) -> Option<Id> {
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::Next(x), Node::Next(y)) => {
                let both = self.and(vec![x, y]);
                Some(self.next(both))
            }
            (Node::Release(x, y), Node::Release(u, v)) if x == u => {
                let both = self.and(vec![y, v]);
                Some(self.release(x, both))
            }
            (Node::Until(x, y), Node::Until(u, v)) if y == v => {
                let both = self.and(vec![x, u]);
                Some(self.until(both, y))
            }
            // Always from some point on: so are both.
            (Node::Until(Shared::TRUE, y), Node::Until(Shared::TRUE, v)) => {
                let (inner, other) = (self.always_of(y)?, self.always_of(v)?);
                let both = self.and(vec![inner, other]);
                let always = self.release(Shared::FALSE, both);
                Some(self.eventually(always))
            }
            // Now and always from the next state on.
            (_, Node::Next(x)) if self.always_of(x) == Some(a) => Some(x),
            (Node::Next(x), _) if self.always_of(x) == Some(b) => Some(x),
            _ => None,
        }
    }

    fn always_of(&self, id: Id) -> Option<Id> {
        if let Node::Release(Shared::FALSE, inner) = self.node(id) { Some(*inner) } else { None }
    }

    pub fn until(&mut self, a: Id, b: Id) -> Id {
        if b == Shared::TRUE || b == Shared::FALSE || a == Shared::FALSE {
            return b;
        }
        if self.simplifying
            && let Some(simpler) = self.simpler_until(a, b)
        {
            return simpler;
        }
        self.intern(Node::Until(a, b))
    }

    fn simpler_until(&mut self, a: Id, b: Id) -> Option<Id> {
        if self.facts(b).eventual || self.implies(a, b) {
            return Some(b);
        }
        if a != Shared::TRUE {
            let not_a = self.negate(a);
            if self.implies(not_a, b) {
                return Some(self.eventually(b));
            }
        }
        match (self.node(a).clone(), self.node(b).clone()) {
            (Node::True, Node::Until(_, y)) => return Some(self.eventually(y)),
            (Node::True, Node::Next(y)) => {
                let later = self.eventually(y);
                return Some(self.next(later));
            }
            (Node::Next(x), Node::Next(y)) => {
                let inner = self.until(x, y);
                return Some(self.next(inner));
            }
            (_, Node::Until(x, _)) if self.implies(a, x) => return Some(b),
            (Node::Until(_, y), _) if y == b => return Some(a),
            // What already does the job of the second operand is not needed in the first.
            (Node::Or(parts), _) => {
                let left: Vec<Id> = parts.iter().copied().filter(|p| !self.implies(*p, b)).collect();
                if left.len() < parts.len() {
                    let a = self.or(left);
                    return Some(self.until(a, b));
                }
            }
            // Before the second operand holds, what holds wherever it does not need not be said.
            (Node::And(parts), _) => {
                let mut left = Vec::new();
                for part in &parts {
                    let missing = self.negate(*part);
                    if !self.implies(missing, b) {
                        left.push(*part);
                    }
                }
                if left.len() < parts.len() {
                    let a = self.and(left);
                    return Some(self.until(a, b));
                }
            }
            _ => {}
        }
        match self.node(b).clone() {
            Node::Or(parts) => {
                let (eventual, rest): (Vec<Id>, Vec<Id>) = parts.into_iter().partition(|p| self.facts(*p).eventual);
                self.taken_out(a, eventual, rest, false)
            }
            Node::And(parts) => {
                let (constant, rest): (Vec<Id>, Vec<Id>) = parts.into_iter().partition(|p| self.is_suspendable(*p));
                self.taken_out(a, constant, rest, true)
            }
            _ => None,
        }
    }

    /// `a U (outside op rest)` as `outside op (a U rest)`.
    fn taken_out(&mut self, a: Id, outside: Vec<Id>, rest: Vec<Id>, conjunction: bool) -> Option<Id> {
        if outside.is_empty() {
            return None;
        }
        let inner = if conjunction { self.and(rest) } else { self.or(rest) };
        let until = self.until(a, inner);
        let mut parts = outside;
        parts.push(until);
        Some(if conjunction { self.and(parts) } else { self.or(parts) })
    }
}

fn without(parts: &[Id], dropped: &[usize]) -> Vec<Id> {
    parts.iter().enumerate().filter(|(i, _)| !dropped.contains(i)).map(|(_, p)| *p).collect()
}

fn replaced(parts: &[Id], dropped: &[usize], new: Id) -> Vec<Id> {
    let mut kept = without(parts, dropped);
    kept.push(new);
    kept
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;
    use crate::shared::Shared;

    #[test]
    fn rules_find_the_simple_form() {
        for (text, simple) in [
            ("<><>p", "<>p"),
            ("[]<>[]<>p", "[]<>p"),
            ("<>[]<>p", "[]<>p"),
            ("[]<>X p", "[]<>p"),
            ("[]<>(q U p)", "[]<>p"),
            ("<>p || <>q", "<>(p || q)"),
            ("[]p && []q", "[](p && q)"),
            ("<>[]p && <>[]q", "<>[](p && q)"),
            ("[]<>p || []<>q", "[]<>(p || q)"),
            ("p U <>q", "<>q"),
            ("p U (p U q)", "p U q"),
            ("(p U q) U q", "p U q"),
            ("!q U q", "<>q"),
            ("q U q", "q"),
            ("p && (!p || q)", "p && q"),
            ("p && <>p", "p"),
            ("p && []p", "[]p"),
            ("p && X []p", "[]p"),
            ("p || X <>p", "<>p"),
            ("X p && X q", "X (p && q)"),
            ("<>(p && []<>q)", "<>p && []<>q"),
            ("[](p || <>[]q)", "[]p || <>[]q"),
            ("<>p && []!p", "false"),
            ("p U (q || <>r)", "<>r || (p U q)"),
            ("(p W q) && (p U q)", "p U q"),
            ("p <-> p", "true"),
            ("[]p && (p U q)", "[]p && <>q"),
            ("p W []<>q", "[]p || []<>q"),
        ] {
            // The same atoms in the same order, so that numbers agree.
            let order = "(true || p && q && r) && ";
            let formula = parse(&format!("{order}({text})")).unwrap().0;
            let expected = parse(&format!("{order}({simple})")).unwrap().0;
            let mut shared = Shared::new(true);
            let (found, wanted) = (shared.add(&formula), shared.add(&expected));
            assert_eq!(found, wanted, "{text} became {}", formula.simplified());
            let size = parse(simple).unwrap().0.size();
            assert!(formula.simplified().size() <= size, "{text} became {}", formula.simplified());
        }
    }

    #[test]
    fn nested_equivalence_stays_bounded() {
        let text =
            vec!["<>p"; 300].iter().enumerate().map(|(i, p)| format!("{p}{i}")).collect::<Vec<_>>().join(" <-> ");
        let formula = parse(&text).unwrap().0;
        assert!(formula.simplified().size() <= 20_000);
        assert!(formula.negation_normal_form().is_none());
    }
}
