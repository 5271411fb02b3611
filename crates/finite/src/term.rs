//! Values as functions of the variables before a step, and conditions on them.
//!
//! A step executes symbolically: what its last assignment reads may have been written by its first. Terms are what comes out:
//! expressions over the finite-domain variables of the state before the step. Whatever is not understood is `Unknown`: it
//! may have any value, and a condition on it may hold at any time.

use bughound_ir::expr::{BinaryOp, UnaryOp, apply_binary, apply_unary};
use bughound_ir::types::ValueType;

use crate::domains::Member;

/// Number of a finite-domain variable.
pub type Variable = u32;

/// What a term depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Symbol {
    /// The value of a variable.
    Variable(Variable),
    /// A value that was found in a collection.
    Member(Member),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Const(i32),
    Variable(Variable),
    Member(Member),
    Unary(UnaryOp, Box<Term>),
    Binary(BinaryOp, Box<Term>, Box<Term>),
    If(Box<Term>, Box<Term>, Box<Term>),
    /// One of the elements; no value if the index is out of range.
    Element {
        index: Box<Term>,
        elements: Vec<Term>,
    },
    /// As it is stored in a slot of this type.
    Converted(ValueType, Box<Term>),
    /// Does it have a value other than 0?
    Holds(Box<Term>),
    /// A truth value of which it is known when it can be true, but not when it can be false.
    Possible(Box<Term>),
    Unknown,
}

/// Terms with more parts are not followed: what an assignment reads was put together from what others read before it, and
/// would grow without bounds.
const MOST_PARTS: usize = 1000;

/// Conditions with more parts are not taken apart to the end: a choice that depends on a choice doubles them.
const MOST_CONDITIONS: usize = 10_000;

impl Term {
    /// Unknown, if it has too many parts.
    pub fn bounded(self) -> Term {
        if self.fits(&mut { MOST_PARTS }) { self } else { Term::Unknown }
    }

    /// Has it no more parts than are left?
    fn fits(&self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        self.parts().into_iter().all(|part| part.fits(left))
    }

    pub fn unary(op: UnaryOp, operand: Term) -> Term {
        match operand {
            Term::Const(value) => Term::Const(apply_unary(op, value)),
            operand => Term::Unary(op, Box::new(operand)),
        }
    }

    pub fn binary(op: BinaryOp, left: Term, right: Term) -> Term {
        if let (Term::Const(a), Term::Const(b)) = (&left, &right)
            && let Some(value) = apply_binary(op, *a, *b)
        {
            return Term::Const(value);
        }
        Term::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn equals(left: Term, right: Term) -> Term {
        Term::binary(BinaryOp::Equal, left, right)
    }

    pub fn choice(condition: Term, then: Term, otherwise: Term) -> Term {
        match condition {
            Term::Const(0) => otherwise,
            Term::Const(_) => then,
            condition => Term::If(Box::new(condition), Box::new(then), Box::new(otherwise)),
        }
    }

    /// As it is stored; conversions go inwards, so that cases stay outside.
    pub fn converted(ty: ValueType, term: Term) -> Term {
        match term {
            Term::Unknown => Term::Unknown,
            Term::Const(value) if ty.convert(value).is_some() => Term::Const(ty.convert(value).unwrap_or(value)),
            Term::If(condition, then, otherwise) => {
                let (then, otherwise) = (Term::converted(ty, *then), Term::converted(ty, *otherwise));
                Term::If(condition, Box::new(then), Box::new(otherwise))
            }
            term => Term::Converted(ty, Box::new(term)),
        }
    }

    /// The value if symbols have these values; `None` without one. Not for terms with unknown parts.
    pub fn value(&self, of: &dyn Fn(Symbol) -> i32) -> Option<i32> {
        match self {
            Term::Const(value) => Some(*value),
            Term::Variable(variable) => Some(of(Symbol::Variable(*variable))),
            Term::Member(member) => Some(of(Symbol::Member(*member))),
            Term::Unary(op, operand) => Some(apply_unary(*op, operand.value(of)?)),
            Term::Binary(BinaryOp::And, a, b) => match a.value(of)? {
                0 => Some(0),
                _ => Some((b.value(of)? != 0).into()),
            },
            Term::Binary(BinaryOp::Or, a, b) => match a.value(of)? {
                0 => Some((b.value(of)? != 0).into()),
                _ => Some(1),
            },
            Term::Binary(op, a, b) => apply_binary(*op, a.value(of)?, b.value(of)?),
            Term::If(condition, then, otherwise) => match condition.value(of)? {
                0 => otherwise.value(of),
                _ => then.value(of),
            },
            Term::Element { index, elements } => {
                usize::try_from(index.value(of)?).ok().and_then(|at| elements.get(at))?.value(of)
            }
            Term::Converted(ty, term) => ty.convert(term.value(of)?),
            Term::Holds(term) => Some(term.value(of).is_some_and(|value| value != 0).into()),
            Term::Possible(_) | Term::Unknown => None,
        }
    }

    fn parts(&self) -> Vec<&Term> {
        match self {
            Term::Const(_) | Term::Variable(_) | Term::Member(_) | Term::Unknown => Vec::new(),
            Term::Unary(_, t) | Term::Converted(_, t) | Term::Holds(t) | Term::Possible(t) => vec![t],
            Term::Binary(_, a, b) => vec![a, b],
            Term::If(a, b, c) => vec![a, b, c],
            Term::Element { index, elements } => std::iter::once(&**index).chain(elements).collect(),
        }
    }

    /// Is it a function of symbols?
    pub fn is_known(&self) -> bool {
        !matches!(self, Term::Unknown | Term::Possible(_)) && self.parts().into_iter().all(Term::is_known)
    }

    /// Does it have a value whatever those of the symbols?
    fn is_total(&self) -> bool {
        match self {
            Term::Binary(BinaryOp::Divide | BinaryOp::Remainder, _, b) if !matches!(**b, Term::Const(1..)) => false,
            Term::Element { .. } | Term::Converted(ValueType::Range { .. }, _) | Term::Possible(_) | Term::Unknown => {
                false
            }
            Term::Holds(_) => true,
            other => other.parts().into_iter().all(Term::is_total),
        }
    }

    /// Its symbols, ascending.
    pub fn symbols(&self) -> Vec<Symbol> {
        let mut found = Vec::new();
        self.each_symbol(false, &mut |symbol, _| found.push(symbol));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same with the draws numbered as they come: terms that differ only in who drew are the same then.
    pub fn with_own_draws(&self) -> Term {
        let mut members = Vec::new();
        self.each_symbol(false, &mut |symbol, _| match symbol {
            Symbol::Member(member) if !members.contains(&member) => members.push(member),
            _ => {}
        });
        if members.is_empty() {
            return self.clone();
        }
        let number = |member: Member| members.iter().position(|other| *other == member);
        self.rewrite(&|symbol| match symbol {
            Symbol::Member(member) => number(member).map(|number| Term::Member(member.renumbered(number as u32))),
            Symbol::Variable(_) => None,
        })
    }

    /// The term with other terms for some symbols.
    pub fn rewrite(&self, of: &dyn Fn(Symbol) -> Option<Term>) -> Term {
        let inner = |term: &Term| term.rewrite(of);
        match self {
            Term::Const(_) | Term::Unknown => self.clone(),
            Term::Variable(variable) => of(Symbol::Variable(*variable)).unwrap_or_else(|| self.clone()),
            Term::Member(member) => of(Symbol::Member(*member)).unwrap_or_else(|| self.clone()),
            Term::Unary(op, operand) => Term::unary(*op, inner(operand)),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => match (op, inner(a)) {
                (BinaryOp::And, Term::Const(0)) => Term::Const(0),
                (BinaryOp::Or, Term::Const(value)) if value != 0 => Term::Const(1),
                (_, Term::Const(_)) => Term::binary(BinaryOp::NotEqual, inner(b), Term::Const(0)),
                (op, a) => Term::binary(*op, a, inner(b)),
            },
            Term::Binary(op, a, b) => Term::binary(*op, inner(a), inner(b)),
            Term::If(condition, then, otherwise) => match inner(condition) {
                Term::Const(0) => inner(otherwise),
                Term::Const(_) => inner(then),
                condition => Term::If(Box::new(condition), Box::new(inner(then)), Box::new(inner(otherwise))),
            },
            Term::Element { index, elements } => match inner(index) {
                Term::Const(at) if usize::try_from(at).is_ok_and(|at| at < elements.len()) => {
                    inner(&elements[at as usize])
                }
                // Out of range: no value, whatever the elements are.
                index @ Term::Const(_) => Term::Element { index: Box::new(index), elements: Vec::new() },
                index => Term::Element { index: Box::new(index), elements: elements.iter().map(inner).collect() },
            },
            Term::Converted(ty, term) => Term::converted(*ty, inner(term)),
            Term::Holds(term) => match inner(term) {
                Term::Const(value) => Term::Const((value != 0).into()),
                term => Term::Holds(Box::new(term)),
            },
            Term::Possible(term) => Term::Possible(Box::new(inner(term))),
        }
    }

    /// Calls `found` for each symbol, and whether it is one that chooses between other terms.
    pub fn each_symbol(&self, chooses: bool, found: &mut dyn FnMut(Symbol, bool)) {
        match self {
            Term::Variable(variable) => found(Symbol::Variable(*variable), chooses),
            Term::Member(member) => found(Symbol::Member(*member), chooses),
            Term::If(choice, then, otherwise) => {
                choice.each_symbol(true, found);
                then.each_symbol(chooses, found);
                otherwise.each_symbol(chooses, found);
            }
            Term::Element { index, elements } => {
                index.each_symbol(true, found);
                elements.iter().for_each(|element| element.each_symbol(chooses, found));
            }
            other => other.parts().into_iter().for_each(|part| part.each_symbol(chooses, found)),
        }
    }
}

/// When a term has a truth value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Always,
    Never,
    All(Vec<Condition>),
    Any(Vec<Condition>),
    /// The term has this truth value.
    Term(Term, bool),
}

impl Condition {
    /// Can the term have this truth value? Conjunctions and disjunctions come apart.
    pub fn of(term: &Term, wanted: bool) -> Condition {
        Condition::within(term, wanted, &mut { MOST_CONDITIONS })
    }

    /// The same with so many parts at most; beyond them everything may hold.
    fn within(term: &Term, wanted: bool, left: &mut usize) -> Condition {
        if *left == 0 {
            return Condition::Always;
        }
        *left -= 1;
        match term {
            Term::Const(value) if (*value != 0) == wanted => Condition::Always,
            Term::Const(_) => Condition::Never,
            Term::Unary(UnaryOp::Not, operand) => Condition::within(operand, !wanted, left),
            Term::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
                let both = vec![Condition::within(a, wanted, left), Condition::within(b, wanted, left)];
                if (*op == BinaryOp::And) == wanted { Condition::All(both) } else { Condition::Any(both) }
            }
            Term::If(condition, then, otherwise) => {
                let mut case = |truth, e| {
                    let condition = Condition::within(condition, truth, left);
                    Condition::All(vec![condition, Condition::within(e, wanted, left)])
                };
                Condition::Any(vec![case(true, then), case(false, otherwise)])
            }
            Term::Possible(inner) if wanted => Condition::within(inner, true, left),
            Term::Holds(inner) if wanted => Condition::within(inner, true, left),
            Term::Holds(inner) => Condition::not_true(inner),
            term if term.is_known() => Condition::Term(term.clone(), wanted),
            _ => Condition::Always,
        }
    }

    /// Can the term be false or have no value?
    fn not_true(term: &Term) -> Condition {
        match term {
            term if term.is_total() => Condition::of(term, false),
            Term::Binary(BinaryOp::And, a, b) => Condition::Any(vec![Condition::not_true(a), Condition::not_true(b)]),
            Term::Binary(BinaryOp::Or, a, b) if a.is_total() => {
                Condition::All(vec![Condition::of(a, false), Condition::not_true(b)])
            }
            term if term.is_known() => Condition::Term(Term::Holds(Box::new(term.clone())), false),
            _ => Condition::Always,
        }
    }

    /// The condition with other terms for some symbols.
    pub fn rewrite(&self, of: &dyn Fn(Symbol) -> Option<Term>) -> Condition {
        match self {
            Condition::Always | Condition::Never => self.clone(),
            Condition::Term(term, wanted) => match Condition::of(&term.rewrite(of), *wanted) {
                Condition::Term(term, wanted) if term.symbols().is_empty() => Condition::truth(&term, wanted),
                condition => condition,
            },
            Condition::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.rewrite(of)).collect();
                if parts.contains(&Condition::Never) { Condition::Never } else { Condition::All(parts) }
            }
            Condition::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| part.rewrite(of)).collect();
                if parts.contains(&Condition::Always) { Condition::Always } else { Condition::Any(parts) }
            }
        }
    }

    /// Without symbols.
    fn truth(term: &Term, wanted: bool) -> Condition {
        match term.value(&|_| 0) {
            Some(value) if (value != 0) == wanted => Condition::Always,
            _ => Condition::Never,
        }
    }

    /// Does it hold if symbols have these values?
    pub fn holds(&self, of: &dyn Fn(Symbol) -> i32) -> bool {
        match self {
            Condition::Always => true,
            Condition::Never => false,
            Condition::Term(term, wanted) => term.value(of).is_some_and(|value| (value != 0) == *wanted),
            Condition::All(parts) => parts.iter().all(|part| part.holds(of)),
            Condition::Any(parts) => parts.iter().any(|part| part.holds(of)),
        }
    }

    /// Calls `found` for each symbol, and whether it is one that chooses between terms.
    pub fn each_symbol(&self, found: &mut dyn FnMut(Symbol, bool)) {
        match self {
            Condition::Always | Condition::Never => {}
            Condition::Term(term, _) => term.each_symbol(false, found),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|part| part.each_symbol(found)),
        }
    }
}

/// A value that a term can have, and when.
pub struct Case {
    pub conditions: Vec<Condition>,
    pub value: Term,
}

/// More cases than this are not told apart.
const MOST_CASES: usize = 64;

/// The cases of a term, outermost choices first.
pub fn cases(term: &Term) -> Vec<Case> {
    let mut found = Vec::new();
    split(term, &mut Vec::new(), &mut found);
    if found.len() > MOST_CASES {
        return vec![Case { conditions: Vec::new(), value: Term::Unknown }];
    }
    found
}

fn split(term: &Term, conditions: &mut Vec<Condition>, found: &mut Vec<Case>) {
    let mut under = |condition: Condition, term: &Term, found: &mut Vec<Case>| {
        conditions.push(condition);
        split(term, conditions, found);
        conditions.pop();
    };
    match term {
        _ if found.len() > MOST_CASES => {}
        Term::If(condition, then, otherwise) => {
            under(Condition::of(condition, true), then, found);
            under(Condition::of(condition, false), otherwise, found);
        }
        Term::Element { index, elements } => {
            for (at, element) in elements.iter().enumerate() {
                let here = Term::equals((**index).clone(), Term::Const(at as i32));
                under(Condition::of(&here, true), element, found);
            }
        }
        term => found.push(Case { conditions: conditions.clone(), value: term.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `elements[x0] == 1`, the elements being x1 and something unknown.
    fn element_is_one() -> Condition {
        let elements = vec![Term::Variable(1), Term::Unknown, Term::Variable(2)];
        let element = Term::Element { index: Box::new(Term::Variable(0)), elements };
        Condition::Term(Term::equals(element, Term::Const(1)), true)
    }

    fn with_index(condition: &Condition, index: i32) -> Condition {
        condition.rewrite(&|symbol| (symbol == Symbol::Variable(0)).then_some(Term::Const(index)))
    }

    #[test]
    fn an_element_out_of_range_depends_on_nothing() {
        let condition = element_is_one();
        assert_eq!(with_index(&condition, 3), Condition::Never);
        assert_eq!(with_index(&condition, -1), Condition::Never);
        assert_eq!(with_index(&condition, 1), Condition::Always);
        assert_eq!(with_index(&condition, 2), Condition::Term(Term::equals(Term::Variable(2), Term::Const(1)), true));
        // Without a value it does not hold.
        let Condition::Term(term, _) = condition else { panic!("a term") };
        let fails = Condition::Term(Term::Holds(Box::new(term)), false);
        assert_eq!(with_index(&fails, 3), Condition::Always);
    }

    #[test]
    fn what_is_put_together_again_and_again_stays_small() {
        let (mut sum, mut choice) = (Term::Variable(0), Term::Variable(0));
        for _ in 0..200 {
            sum = Term::binary(BinaryOp::Add, sum.clone(), sum).bounded();
            choice = Term::choice(choice, Term::Variable(1), Term::Variable(2));
        }
        assert!(sum.fits(&mut { MOST_PARTS }) && !sum.is_known());
        // Taken apart to the end, it would have two conditions for each of the choices before.
        let mut found = 0;
        Condition::of(&choice, true).each_symbol(&mut |_, _| found += 1);
        assert!((200..=MOST_CONDITIONS).contains(&found), "{found}");
    }

    #[test]
    fn cases_are_told_apart_all_or_not_at_all() {
        let choices = |count: i32| {
            let first = Term::Const(0);
            (1..count).fold(first, |rest, n| Term::choice(Term::Variable(n as Variable), Term::Const(n), rest))
        };
        assert_eq!(cases(&choices(MOST_CASES as i32)).len(), MOST_CASES);
        for more in [1, 2, 50] {
            let found = cases(&choices(MOST_CASES as i32 + more));
            assert!(found.len() == 1 && found[0].value == Term::Unknown && found[0].conditions.is_empty(), "{more}");
        }
    }
}
