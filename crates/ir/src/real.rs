//! Expressions over exact fractions: probabilities, rates, rewards, and what compares or rounds them.
//!
//! Values of states are integers; a fraction never becomes part of a state. So an expression over fractions is a tree of its own
//! with integer expressions at its leaves ([`Real`]), and what brings it back to an integer is [`Exact`]. Generic in the leaves:
//! the engine has compiled ones. What has no exact value (most logarithms, roots) is the fraction that the nearest `f64` is, as
//! everywhere in the field; everything else is exact. Whoever promises exact answers asks [`rounding`] whether that happened.

use std::cell::Cell;

use dashu_int::IBig;
use dashu_ratio::RBig;

use crate::chance::Number;
use crate::expr::{BinaryOp, Expr};
use crate::reference::error::EvalError;

/// Powers with larger exponents are not computed: their fractions would fill the memory.
const MAX_EXPONENT: i64 = 1 << 16;

/// An expression whose value is a fraction.
#[derive(Clone, Debug, PartialEq)]
pub enum Real<E = Expr> {
    Const(Number),
    Whole(E),
    Minus(Box<Real<E>>),
    Binary(RealOp, Box<Real<E>>, Box<Real<E>>),
    /// Only the branch that is chosen is evaluated.
    Conditional(E, Box<Real<E>>, Box<Real<E>>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RealOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// Of whole numbers; the result is at least 0 and less than the divisor, which has to be positive.
    Modulo,
    Power,
    /// Of whole numbers; the exponent must not be negative.
    WholePower,
    /// To the base on the right.
    Logarithm,
    Min,
    Max,
}

/// An integer that is computed in fractions.
#[derive(Clone, Debug, PartialEq)]
pub enum Exact<E = Expr> {
    /// 1 if two fractions compare so (one of the six comparisons), 0 if not.
    Compare(BinaryOp, Real<E>, Real<E>),
    Round(Rounding, Real<E>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    Down,
    Up,
    /// Halves upwards.
    Nearest,
}

impl<E> Real<E> {
    pub fn one() -> Real<E> {
        Real::Const(RBig::ONE)
    }

    pub fn fraction(numerator: i64, denominator: u64) -> Real<E> {
        Real::Const(RBig::from_parts(numerator.into(), denominator.into()))
    }

    pub fn binary(op: RealOp, left: Real<E>, right: Real<E>) -> Real<E> {
        Real::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn as_const(&self) -> Option<&Number> {
        if let Real::Const(number) = self { Some(number) } else { None }
    }

    /// The same over other leaves.
    pub fn map<F>(&self, leaf: &mut dyn FnMut(&E) -> F) -> Real<F> {
        let mut boxed = |part: &Real<E>| Box::new(part.map(leaf));
        match self {
            Real::Const(number) => Real::Const(number.clone()),
            Real::Whole(e) => Real::Whole(leaf(e)),
            Real::Minus(part) => Real::Minus(boxed(part)),
            Real::Binary(op, left, right) => Real::Binary(*op, boxed(left), boxed(right)),
            Real::Conditional(test, then, otherwise) => {
                let test = leaf(test);
                Real::Conditional(test, Box::new(then.map(leaf)), Box::new(otherwise.map(leaf)))
            }
        }
    }

    /// Calls `visit` with every leaf.
    pub fn leaves<'r>(&'r self, visit: &mut dyn FnMut(&'r E)) {
        match self {
            Real::Const(_) => {}
            Real::Whole(e) => visit(e),
            Real::Minus(part) => part.leaves(visit),
            Real::Binary(_, left, right) => {
                left.leaves(visit);
                right.leaves(visit);
            }
            Real::Conditional(test, then, otherwise) => {
                visit(test);
                then.leaves(visit);
                otherwise.leaves(visit);
            }
        }
    }

    /// Its value, if `leaf` gives those of its leaves.
    pub fn value(&self, leaf: &mut dyn FnMut(&E) -> Result<i32, EvalError>) -> Result<Number, EvalError> {
        Ok(match self {
            Real::Const(number) => number.clone(),
            Real::Whole(e) => leaf(e)?.into(),
            Real::Minus(part) => -part.value(leaf)?,
            Real::Binary(op, left, right) => op.apply(left.value(leaf)?, right.value(leaf)?)?,
            Real::Conditional(test, then, otherwise) => match leaf(test)? {
                0 => otherwise.value(leaf)?,
                _ => then.value(leaf)?,
            },
        })
    }
}

impl<E> Exact<E> {
    pub fn map<F>(&self, leaf: &mut dyn FnMut(&E) -> F) -> Exact<F> {
        match self {
            Exact::Compare(op, left, right) => Exact::Compare(*op, left.map(leaf), right.map(leaf)),
            Exact::Round(rounding, value) => Exact::Round(*rounding, value.map(leaf)),
        }
    }

    pub fn leaves<'r>(&'r self, visit: &mut dyn FnMut(&'r E)) {
        match self {
            Exact::Compare(_, left, right) => {
                left.leaves(visit);
                right.leaves(visit);
            }
            Exact::Round(_, value) => value.leaves(visit),
        }
    }

    pub fn value(&self, leaf: &mut dyn FnMut(&E) -> Result<i32, EvalError>) -> Result<i32, EvalError> {
        match self {
            Exact::Compare(op, left, right) => {
                let (left, right) = (left.value(leaf)?, right.value(leaf)?);
                Ok(match op {
                    BinaryOp::Less => left < right,
                    BinaryOp::LessEqual => left <= right,
                    BinaryOp::Greater => left > right,
                    BinaryOp::GreaterEqual => left >= right,
                    BinaryOp::Equal => left == right,
                    BinaryOp::NotEqual => left != right,
                    _ => return Err(EvalError::NoNumber),
                } as i32)
            }
            Exact::Round(rounding, value) => {
                let value = value.value(leaf)?;
                let whole: IBig = match rounding {
                    Rounding::Down => value.floor(),
                    Rounding::Up => value.ceil(),
                    Rounding::Nearest => (value + RBig::from_parts(1.into(), 2_u8.into())).floor(),
                };
                whole.try_into().map_err(|_| EvalError::OutOfRange)
            }
        }
    }
}

impl RealOp {
    pub fn apply(self, left: Number, right: Number) -> Result<Number, EvalError> {
        Ok(match self {
            RealOp::Add => left + right,
            RealOp::Subtract => left - right,
            RealOp::Multiply => left * right,
            RealOp::Divide if right.is_zero() => return Err(EvalError::DivisionByZero),
            RealOp::Divide => left / right,
            RealOp::Modulo if right.is_zero() => return Err(EvalError::DivisionByZero),
            RealOp::Modulo if right < Number::ZERO => return Err(EvalError::NegativeModulus),
            RealOp::Modulo => &left - (&left / &right).floor() * right,
            RealOp::Min => left.min(right),
            RealOp::Max => left.max(right),
            RealOp::WholePower if right < Number::ZERO => return Err(EvalError::NegativeExponent),
            RealOp::Power | RealOp::WholePower => power(left, &right)?,
            RealOp::Logarithm => logarithm(&left, &right).ok_or(EvalError::NoNumber)?,
        })
    }
}

thread_local! {
    /// Was a number without an exact value rounded? A flag beside all values, because constants are folded long before anybody
    /// knows what depends on them.
    static ROUNDED: Cell<bool> = const { Cell::new(false) };
}

/// Does something, and tells whether a number was rounded meanwhile (by this thread).
pub fn rounding<T>(act: impl FnOnce() -> T) -> (T, bool) {
    let before = ROUNDED.replace(false);
    let result = act();
    let rounded = ROUNDED.get();
    ROUNDED.set(before || rounded);
    (result, rounded)
}

/// The fraction that a float is which stands for a number without an exact value.
pub fn rounded(value: f64) -> Option<Number> {
    ROUNDED.set(true);
    Number::try_from(value).ok()
}

/// A power whose exponent is no whole number: exact if it is a root that is a fraction, otherwise rounded.
pub fn root(base: &Number, exponent: &Number) -> Option<Number> {
    let near = as_f64(base).powf(as_f64(exponent));
    let small = |number: &IBig| i64::try_from(number).ok().filter(|number| number.abs() <= 64);
    let (above, below) = (small(exponent.numerator()), small(&exponent.denominator().clone().into()));
    if let (Some(above), Some(below)) = (above, below)
        && *base > Number::ZERO
        && near > 0.0
        && let Ok(float) = Number::try_from(near)
    {
        // A root that is a fraction is a simple one, and the float is next to it.
        let error = &float * Number::from_parts(1.into(), 10_000_000_000_000_u64.into());
        let simplest = Number::simplest_in(&float - &error, float + error);
        if simplest.pow(below as isize) == base.pow(above as isize) {
            return Some(simplest);
        }
    }
    rounded(near)
}

fn power(base: Number, exponent: &Number) -> Result<Number, EvalError> {
    if !exponent.is_int() {
        return root(&base, exponent).ok_or(EvalError::NoNumber);
    }
    let exponent: i64 = exponent.numerator().clone().try_into().map_err(|_| EvalError::NoNumber)?;
    if base.is_zero() && exponent < 0 {
        return Err(EvalError::DivisionByZero);
    }
    if base.is_zero() || base.is_one() {
        return Ok(if exponent == 0 { Number::ONE } else { base });
    }
    if exponent.abs() > MAX_EXPONENT {
        return Err(EvalError::NoNumber);
    }
    Ok(base.pow(exponent as isize))
}

/// The logarithm to a base, if there is one. log(1000, 10) is 3 and not the float next to it, wherever it is computed.
pub fn logarithm(value: &Number, base: &Number) -> Option<Number> {
    if *value <= Number::ZERO || *base <= Number::ZERO || base.is_one() {
        return None;
    }
    let guess = as_f64(value).ln() / as_f64(base).ln();
    // Larger ones would need more digits than a guess has.
    if guess.abs() < 1e4 {
        let whole = Number::from(guess.round() as i64);
        if power(base.clone(), &whole).as_ref() == Ok(value) {
            return Some(whole);
        }
    }
    rounded(guess)
}

fn as_f64(number: &Number) -> f64 {
    number.to_f64().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn r(numerator: i64, denominator: u64) -> Number {
        RBig::from_parts(numerator.into(), denominator.into())
    }

    #[test]
    fn operators_are_exact() {
        let apply = |op: RealOp, a: Number, b: Number| op.apply(a, b);
        assert_eq!(apply(RealOp::Divide, r(1, 1), r(3, 1)), Ok(r(1, 3)));
        assert_eq!(apply(RealOp::Divide, r(1, 1), r(0, 1)), Err(EvalError::DivisionByZero));
        assert_eq!(apply(RealOp::Modulo, r(-1, 1), r(3, 1)), Ok(r(2, 1)));
        assert_eq!(apply(RealOp::Modulo, r(7, 1), r(0, 1)), Err(EvalError::DivisionByZero));
        assert_eq!(apply(RealOp::Modulo, r(7, 1), r(-3, 1)), Err(EvalError::NegativeModulus));
        assert_eq!(apply(RealOp::WholePower, r(2, 1), r(10, 1)), Ok(r(1024, 1)));
        assert_eq!(apply(RealOp::WholePower, r(2, 1), r(-1, 1)), Err(EvalError::NegativeExponent));
        assert_eq!(apply(RealOp::WholePower, r(1, 1), r(-1, 1)), Err(EvalError::NegativeExponent));
        assert_eq!(apply(RealOp::Power, r(2, 3), r(-2, 1)), Ok(r(9, 4)));
        assert_eq!(apply(RealOp::Power, r(4, 1), r(1, 2)), Ok(r(2, 1)));
        assert_eq!(apply(RealOp::Power, r(0, 1), r(-1, 1)), Err(EvalError::DivisionByZero));
        assert_eq!(apply(RealOp::Power, r(-1, 1), r(1, 2)), Err(EvalError::NoNumber));
        assert_eq!(apply(RealOp::Power, r(2, 1), r(1 << 40, 1)), Err(EvalError::NoNumber));
        assert_eq!(apply(RealOp::Power, r(1, 1), r(1 << 40, 1)), Ok(r(1, 1)));
        assert_eq!(apply(RealOp::Logarithm, r(8, 1), r(2, 1)), Ok(r(3, 1)));
        assert_eq!(apply(RealOp::Logarithm, r(1000, 1), r(10, 1)), Ok(r(3, 1)));
        assert_eq!(apply(RealOp::Logarithm, r(1, 243), r(3, 1)), Ok(r(-5, 1)));
        assert_eq!(apply(RealOp::Logarithm, r(-8, 1), r(2, 1)), Err(EvalError::NoNumber));
        assert_eq!(apply(RealOp::Logarithm, r(8, 1), r(1, 1)), Err(EvalError::NoNumber));
        assert_eq!(apply(RealOp::Max, r(1, 3), r(1, 2)), Ok(r(1, 2)));
    }

    #[test]
    fn what_is_rounded_is_told() {
        let apply = |op: RealOp, a: Number, b: Number| rounding(|| op.apply(a, b));
        assert!(apply(RealOp::Power, r(1, 2), r(1, 2)).1);
        assert!(apply(RealOp::Logarithm, r(10, 1), r(2, 1)).1);
        assert_eq!(apply(RealOp::Power, r(9, 4), r(1, 2)), (Ok(r(3, 2)), false));
        assert_eq!(apply(RealOp::Power, r(1, 1000), r(1, 3)), (Ok(r(1, 10)), false));
        assert_eq!(apply(RealOp::Power, r(8, 1), r(-2, 3)), (Ok(r(1, 4)), false));
        assert_eq!(apply(RealOp::Logarithm, r(1000, 1), r(10, 1)), (Ok(r(3, 1)), false));
        // An outer observer is told as well.
        assert!(rounding(|| rounding(|| RealOp::Power.apply(r(1, 2), r(1, 2)))).1);
    }

    #[test]
    fn rounding_goes_to_whole_numbers_that_fit() {
        let round = |rounding, number: Number| Exact::<()>::Round(rounding, Real::Const(number)).value(&mut |()| Ok(0));
        assert_eq!(round(Rounding::Down, r(-1, 2)), Ok(-1));
        assert_eq!(round(Rounding::Up, r(-1, 2)), Ok(0));
        assert_eq!(round(Rounding::Nearest, r(-1, 2)), Ok(0));
        assert_eq!(round(Rounding::Nearest, r(5, 2)), Ok(3));
        assert_eq!(round(Rounding::Nearest, r(1 << 40, 1)), Err(EvalError::OutOfRange));
    }

    #[test]
    fn only_the_chosen_branch_is_evaluated() {
        let failing = Box::new(Real::binary(RealOp::Divide, Real::one(), Real::fraction(0, 1)));
        let either = Real::Conditional(1, Box::new(Real::Whole(7)), failing);
        assert_eq!(either.value(&mut |leaf| Ok(*leaf)), Ok(r(7, 1)));
        let less = Exact::Compare(BinaryOp::Less, either.clone(), Real::fraction(15, 2));
        assert_eq!(less.value(&mut |leaf| Ok(*leaf)), Ok(1));
        let mut leaves = Vec::new();
        less.leaves(&mut |leaf| leaves.push(*leaf));
        assert_eq!(leaves, [1, 7]);
    }
}
