//! Formulas of linear temporal logic over numbered atoms.
//!
//! What an atom means is the business of the front end: here it is a number. Formulas are plain trees, easy to build and
//! to take apart; the translation works on a shared form of its own (see `shared.rs`), so that no operator here can
//! make it exponentially larger before the real work starts.

use std::fmt;

/// A formula of linear temporal logic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    True,
    False,
    /// The atom with this number.
    Atom(u32),
    Not(Box<Formula>),
    /// All of them; true if there are none.
    And(Vec<Formula>),
    /// One of them; false if there are none.
    Or(Vec<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Equivalent(Box<Formula>, Box<Formula>),
    /// In the next state.
    Next(Box<Formula>),
    /// Now or in some later state.
    Eventually(Box<Formula>),
    /// Now and in all later states.
    Always(Box<Formula>),
    /// The second happens, and the first holds until then.
    Until(Box<Formula>, Box<Formula>),
    /// The second holds up to and including the state where the first holds; for ever if that never happens.
    Release(Box<Formula>, Box<Formula>),
    /// Like until, but the second need not happen if the first holds for ever.
    WeakUntil(Box<Formula>, Box<Formula>),
}

impl Formula {
    pub fn atom(number: u32) -> Formula {
        Formula::Atom(number)
    }

    pub fn negated(self) -> Formula {
        Formula::Not(Box::new(self))
    }

    pub fn and(self, other: Formula) -> Formula {
        Formula::And(vec![self, other])
    }

    pub fn or(self, other: Formula) -> Formula {
        Formula::Or(vec![self, other])
    }

    pub fn implies(self, other: Formula) -> Formula {
        Formula::Implies(Box::new(self), Box::new(other))
    }

    pub fn equivalent(self, other: Formula) -> Formula {
        Formula::Equivalent(Box::new(self), Box::new(other))
    }

    /// In the next state.
    pub fn next(self) -> Formula {
        Formula::Next(Box::new(self))
    }

    pub fn eventually(self) -> Formula {
        Formula::Eventually(Box::new(self))
    }

    pub fn always(self) -> Formula {
        Formula::Always(Box::new(self))
    }

    pub fn until(self, other: Formula) -> Formula {
        Formula::Until(Box::new(self), Box::new(other))
    }

    pub fn release(self, other: Formula) -> Formula {
        Formula::Release(Box::new(self), Box::new(other))
    }

    pub fn weak_until(self, other: Formula) -> Formula {
        Formula::WeakUntil(Box::new(self), Box::new(other))
    }

    /// The direct subformulas.
    pub fn children(&self) -> Vec<&Formula> {
        match self {
            Formula::True | Formula::False | Formula::Atom(_) => Vec::new(),
            Formula::Not(a) | Formula::Next(a) | Formula::Eventually(a) | Formula::Always(a) => vec![a],
            Formula::And(parts) | Formula::Or(parts) => parts.iter().collect(),
            Formula::Implies(a, b)
            | Formula::Equivalent(a, b)
            | Formula::Until(a, b)
            | Formula::Release(a, b)
            | Formula::WeakUntil(a, b) => vec![a, b],
        }
    }

    /// All subformulas, the formula itself first.
    fn subformulas(&self) -> impl Iterator<Item = &Formula> {
        let mut open = vec![self];
        std::iter::from_fn(move || {
            let formula = open.pop()?;
            open.extend(formula.children());
            Some(formula)
        })
    }

    /// Number of operators, atoms and constants.
    pub fn size(&self) -> usize {
        self.subformulas().count()
    }

    /// One more than the largest atom that occurs; 0 without atoms.
    pub fn atoms(&self) -> usize {
        let used = self.subformulas().map(|f| if let Formula::Atom(a) = f { *a as usize + 1 } else { 0 });
        used.max().unwrap_or(0)
    }

    /// Whether the operator "next" occurs. Without it a formula cannot count repetitions of a state, which partial order
    /// reduction and statement merging need.
    pub fn has_next(&self) -> bool {
        self.subformulas().any(|f| matches!(f, Formula::Next(_)))
    }

    /// Whether the formula speaks about one state only.
    pub fn is_propositional(&self) -> bool {
        self.subformulas().all(|f| {
            matches!(
                f,
                Formula::True
                    | Formula::False
                    | Formula::Atom(_)
                    | Formula::Not(_)
                    | Formula::And(_)
                    | Formula::Or(_)
                    | Formula::Implies(..)
                    | Formula::Equivalent(..)
            )
        })
    }

    /// The formula in the syntax of SPIN, with atoms named by `name`. Names that are not words should come in
    /// parentheses.
    pub fn display<'a, N>(&'a self, name: N) -> impl fmt::Display + use<'a, N>
    where
        N: Fn(u32) -> String,
    {
        Displayed { formula: self, name }
    }

    /// Text with the given names; atoms without a name are shown as `a0`, `a1`, …
    pub fn text(&self, names: &[String]) -> String {
        self.display(|atom| names.get(atom as usize).cloned().unwrap_or_else(|| format!("a{atom}"))).to_string()
    }
}

/// Atoms are shown as `a0`, `a1`, …
impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.display(|atom| format!("a{atom}")))
    }
}

struct Displayed<'a, N> {
    formula: &'a Formula,
    name: N,
}

impl<N: Fn(u32) -> String> Displayed<'_, N> {
    /// Operands get parentheses unless they are single words or begin with an operator of one operand: nobody has to
    /// know which operator binds more.
    fn operand(&self, formula: &Formula, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Formula::And(parts) | Formula::Or(parts) = formula
            && let [only] = parts.as_slice()
        {
            return self.operand(only, f);
        }
        if formula.children().len() < 2 {
            self.whole(formula, f)
        } else {
            write!(f, "(")?;
            self.whole(formula, f)?;
            write!(f, ")")
        }
    }

    fn binary(&self, a: &Formula, operator: &str, b: &Formula, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.operand(a, f)?;
        write!(f, " {operator} ")?;
        self.operand(b, f)
    }

    fn list(&self, parts: &[Formula], operator: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = parts {
            return self.whole(only, f);
        }
        for (i, part) in parts.iter().enumerate() {
            if i > 0 {
                write!(f, " {operator} ")?;
            }
            self.operand(part, f)?;
        }
        Ok(())
    }

    fn whole(&self, formula: &Formula, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match formula {
            Formula::True => write!(f, "true"),
            Formula::False => write!(f, "false"),
            Formula::Atom(atom) => write!(f, "{}", (self.name)(*atom)),
            Formula::And(parts) if parts.is_empty() => write!(f, "true"),
            Formula::Or(parts) if parts.is_empty() => write!(f, "false"),
            Formula::And(parts) => self.list(parts, "&&", f),
            Formula::Or(parts) => self.list(parts, "||", f),
            Formula::Not(a) => {
                write!(f, "!")?;
                self.operand(a, f)
            }
            Formula::Next(a) => {
                write!(f, "X ")?;
                self.operand(a, f)
            }
            Formula::Eventually(a) => {
                write!(f, "<>")?;
                self.operand(a, f)
            }
            Formula::Always(a) => {
                write!(f, "[]")?;
                self.operand(a, f)
            }
            Formula::Implies(a, b) => self.binary(a, "->", b, f),
            Formula::Equivalent(a, b) => self.binary(a, "<->", b, f),
            Formula::Until(a, b) => self.binary(a, "U", b, f),
            Formula::Release(a, b) => self.binary(a, "V", b, f),
            Formula::WeakUntil(a, b) => self.binary(a, "W", b, f),
        }
    }
}

impl<N: Fn(u32) -> String> fmt::Display for Displayed<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.whole(self.formula, f)
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;

    #[test]
    fn text_can_be_read_again() {
        for text in ["[](p -> <>q)", "!p U (q && r && !s)", "X X p V (p <-> q)", "(p W q) || true", "!(p U q) U r"] {
            let (formula, names) = parse(text).unwrap();
            assert_eq!(parse(&formula.text(&names)).unwrap(), (formula, names), "{text}");
        }
    }

    #[test]
    fn next_is_found() {
        assert!(parse("[](p -> <>X q)").unwrap().0.has_next());
        assert!(!parse("[](p -> <>q)").unwrap().0.has_next());
    }
}
