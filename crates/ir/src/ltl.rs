//! Formulas of linear temporal logic: what must be true of every infinite run.
//!
//! A formula is about the sequence of states that a run shows: the initial state, then the state after each step in which
//! nobody keeps control. A run that comes to rest shows its last state for ever.

use crate::expr::Expr;

/// A formula over conditions on states.
#[derive(Clone, Debug, PartialEq)]
pub enum Formula {
    /// True in the present state. A condition that has no value there counts as false.
    Atom(Expr),
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    /// In the next state.
    Next(Box<Formula>),
    /// Now or later.
    Eventually(Box<Formula>),
    /// Now and for ever.
    Always(Box<Formula>),
    /// The right side comes, and up to then the left side holds.
    Until(Box<Formula>, Box<Formula>),
    /// As `Until`, but the right side may never come: then the left side holds for ever.
    WeakUntil(Box<Formula>, Box<Formula>),
    /// The right side holds up to and including the state in which the left side does; for ever if it never does.
    Release(Box<Formula>, Box<Formula>),
}

impl Formula {
    pub fn negated(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    /// The parts directly below, from left to right.
    pub fn parts(&self) -> Vec<&Formula> {
        match self {
            Formula::Atom(_) => Vec::new(),
            Formula::Not(a) | Formula::Next(a) | Formula::Eventually(a) | Formula::Always(a) => vec![a],
            Formula::And(a, b)
            | Formula::Or(a, b)
            | Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::WeakUntil(a, b)
            | Formula::Release(a, b) => vec![a, b],
        }
    }

    /// Does it speak of the next state? Otherwise it cannot tell whether a state is repeated.
    pub fn has_next(&self) -> bool {
        matches!(self, Formula::Next(_)) || self.parts().into_iter().any(Formula::has_next)
    }

    /// The conditions on states in it, from left to right, each once.
    pub fn atoms(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        self.collect_atoms(&mut found);
        found
    }

    fn collect_atoms<'f>(&'f self, found: &mut Vec<&'f Expr>) {
        if let Formula::Atom(condition) = self
            && !found.contains(&condition)
        {
            found.push(condition);
        }
        self.parts().into_iter().for_each(|part| part.collect_atoms(found));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_come_in_order_and_once() {
        let atom = |value| Box::new(Formula::Atom(Expr::Const(value)));
        let until = Formula::Until(atom(1), atom(2));
        let formula = Formula::Implies(Box::new(until), Box::new(Formula::Next(atom(1)))).negated();
        assert_eq!(formula.atoms(), [&Expr::Const(1), &Expr::Const(2)]);
    }
}
