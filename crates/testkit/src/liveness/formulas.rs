//! Random formulas of linear temporal logic, in Promela's words.

use std::fmt;

use bughound_ir::expr::{BinaryOp, Expr};

use crate::random_promela::Rng;

/// A formula over numbered atoms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ltl {
    True,
    Atom(usize),
    Not(Box<Ltl>),
    Next(Box<Ltl>),
    Eventually(Box<Ltl>),
    Always(Box<Ltl>),
    And(Box<Ltl>, Box<Ltl>),
    Or(Box<Ltl>, Box<Ltl>),
    Implies(Box<Ltl>, Box<Ltl>),
    Equivalent(Box<Ltl>, Box<Ltl>),
    Until(Box<Ltl>, Box<Ltl>),
    WeakUntil(Box<Ltl>, Box<Ltl>),
    Release(Box<Ltl>, Box<Ltl>),
}

use Ltl::*;

fn boxed(a: Ltl) -> Box<Ltl> {
    Box::new(a)
}

impl Ltl {
    pub fn negated(self) -> Ltl {
        Not(boxed(self))
    }

    pub fn eventually(self) -> Ltl {
        Eventually(boxed(self))
    }

    pub fn always(self) -> Ltl {
        Always(boxed(self))
    }

    /// The parts directly below.
    pub fn parts(&self) -> Vec<&Ltl> {
        match self {
            True | Atom(_) => Vec::new(),
            Not(a) | Next(a) | Eventually(a) | Always(a) => vec![a],
            And(a, b) | Or(a, b) | Implies(a, b) | Equivalent(a, b) | Until(a, b) | WeakUntil(a, b) | Release(a, b) => {
                vec![a, b]
            }
        }
    }

    /// Is some part (or the whole) like this?
    pub fn any(&self, test: &dyn Fn(&Ltl) -> bool) -> bool {
        test(self) || self.parts().into_iter().any(|part| part.any(test))
    }

    /// Is it a condition on single states, made of atoms with `!`, `&&` and `||`? Those are operators of expressions, too.
    fn is_plain(&self) -> bool {
        let plain = |part: &Ltl| matches!(part, True | Atom(_) | Not(_) | And(..) | Or(..));
        plain(self) && self.parts().into_iter().all(Ltl::is_plain)
    }

    /// The formula over atoms that are as large as possible, as it is read: `!`, `&&` and `||` between conditions on
    /// states belong to the condition. That makes a difference where a condition has no value.
    pub fn over_large_atoms(&self, atoms: &[Expr], large: &mut Vec<Expr>) -> Ltl {
        if self.is_plain() {
            let condition = self.expression(atoms);
            // Equal conditions are one: even without a value they cannot differ.
            let known = large.iter().position(|other| *other == condition);
            return Atom(known.unwrap_or_else(|| {
                large.push(condition);
                large.len() - 1
            }));
        }
        let mut part = |part: &Ltl| boxed(part.over_large_atoms(atoms, large));
        match self {
            True | Atom(_) => self.clone(),
            Not(a) => Not(part(a)),
            Next(a) => Next(part(a)),
            Eventually(a) => Eventually(part(a)),
            Always(a) => Always(part(a)),
            And(a, b) => And(part(a), part(b)),
            Or(a, b) => Or(part(a), part(b)),
            Implies(a, b) => Implies(part(a), part(b)),
            Equivalent(a, b) => Equivalent(part(a), part(b)),
            Until(a, b) => Until(part(a), part(b)),
            WeakUntil(a, b) => WeakUntil(part(a), part(b)),
            Release(a, b) => Release(part(a), part(b)),
        }
    }

    /// A plain formula as an expression.
    fn expression(&self, atoms: &[Expr]) -> Expr {
        match self {
            Atom(n) => atoms[*n].clone(),
            Not(a) => a.expression(atoms).not(),
            And(a, b) => Expr::binary(BinaryOp::And, a.expression(atoms), b.expression(atoms)),
            Or(a, b) => Expr::binary(BinaryOp::Or, a.expression(atoms), b.expression(atoms)),
            _ => Expr::truth(true),
        }
    }

    /// In parentheses throughout, with the texts of the atoms.
    pub fn text<'a>(&'a self, atoms: &'a [String]) -> impl fmt::Display + 'a {
        Text { formula: self, atoms }
    }
}

struct Text<'a> {
    formula: &'a Ltl,
    atoms: &'a [String],
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |formula| Text { formula, atoms: self.atoms };
        match self.formula {
            True => f.write_str("true"),
            Atom(n) => write!(f, "({})", self.atoms[*n]),
            Not(a) => write!(f, "!({})", text(a)),
            Next(a) => write!(f, "X ({})", text(a)),
            Eventually(a) => write!(f, "<> ({})", text(a)),
            Always(a) => write!(f, "[] ({})", text(a)),
            And(a, b) => write!(f, "({} && {})", text(a), text(b)),
            Or(a, b) => write!(f, "({} || {})", text(a), text(b)),
            Implies(a, b) => write!(f, "({} -> {})", text(a), text(b)),
            Equivalent(a, b) => write!(f, "({} <-> {})", text(a), text(b)),
            Until(a, b) => write!(f, "({} U {})", text(a), text(b)),
            WeakUntil(a, b) => write!(f, "({} W {})", text(a), text(b)),
            Release(a, b) => write!(f, "({} V {})", text(a), text(b)),
        }
    }
}

/// What formulas may contain.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The number of atoms to choose from; at least one.
    pub atoms: usize,
    pub next: bool,
}

/// A random formula with 1 to 10 operators, or one of the forms that people write.
pub fn random(rng: &mut Rng, shape: Shape) -> Ltl {
    if rng.chance(40) {
        return usual(rng, shape);
    }
    let size = rng.range(1, 10);
    of_size(rng, shape, size)
}

fn atom(rng: &mut Rng, shape: Shape) -> Ltl {
    Atom(rng.below(shape.atoms))
}

fn of_size(rng: &mut Rng, shape: Shape, size: usize) -> Ltl {
    if size == 0 {
        return if rng.chance(2) { True } else { atom(rng, shape) };
    }
    let next = if shape.next { 2 } else { 0 };
    let kind =
        rng.weighted(&[(4, 0), (next, 1), (4, 2), (4, 3), (3, 4), (4, 5), (3, 6), (2, 7), (4, 8), (3, 9), (3, 10)]);
    if kind < 4 {
        let part = boxed(of_size(rng, shape, size - 1));
        return match kind {
            0 => Not(part),
            1 => Next(part),
            2 => Eventually(part),
            _ => Always(part),
        };
    }
    let left = rng.below(size);
    let (a, b) = (boxed(of_size(rng, shape, left)), boxed(of_size(rng, shape, size - 1 - left)));
    match kind {
        4 => And(a, b),
        5 => Or(a, b),
        6 => Implies(a, b),
        7 => Equivalent(a, b),
        8 => Until(a, b),
        9 => WeakUntil(a, b),
        _ => Release(a, b),
    }
}

/// Response, precedence, recurrence, persistence and the like, over small conditions.
fn usual(rng: &mut Rng, shape: Shape) -> Ltl {
    let part = |rng: &mut Rng| boxed(literal(rng, shape));
    let (p, q, r) = (part(rng), part(rng), part(rng));
    match rng.below(12) {
        0 => Implies(p, boxed(q.eventually())).always(),
        1 => p.eventually().always(),
        2 => p.always().eventually(),
        3 => p.eventually(),
        4 => Until(p, q),
        5 => WeakUntil(p, q),
        6 => Implies(p, boxed(WeakUntil(q, r))).always(),
        7 => Implies(boxed(p.eventually().always()), boxed(q.eventually().always())),
        8 => Implies(boxed(And(p, boxed(r.clone().negated()))), boxed(Until(q, r))).always(),
        9 => Or(boxed(p.always().eventually()), boxed(q.eventually().always())),
        10 => And(boxed(p.eventually().always()), boxed(q.eventually().always())),
        _ => Release(p, q),
    }
}

fn literal(rng: &mut Rng, shape: Shape) -> Ltl {
    match rng.below(8) {
        0..5 => atom(rng, shape),
        5 | 6 => atom(rng, shape).negated(),
        _ => Or(boxed(atom(rng, shape)), boxed(atom(rng, shape))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_occurs_and_has_a_text() {
        let mut rng = Rng::new(1);
        let atoms: Vec<String> = ["x == 1", "y"].map(String::from).to_vec();
        let all: Vec<Ltl> = (0..500).map(|_| random(&mut rng, Shape { atoms: 2, next: true })).collect();
        let text: String = all.iter().map(|f| f.text(&atoms).to_string()).collect();
        for sign in ["X", "<>", "[]", "!", "&&", "||", "->", "<->", " U ", " W ", " V ", "(x == 1)", "true"] {
            assert!(text.contains(sign), "{sign}");
        }
        let without = (0..200).map(|_| random(&mut rng, Shape { atoms: 1, next: false }));
        assert!(without.into_iter().all(|f| !f.any(&|part| matches!(part, Next(_)))));
    }
}
