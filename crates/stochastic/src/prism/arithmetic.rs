//! Exact values of operators on constants.

use bughound_ir::chance::Number;
use bughound_ir::real::{logarithm, root};
use dashu_int::IBig;

use crate::tree::{Binary, Type, Unary};

/// Fractions with more bits than this are not computed: constants defined by one another could grow without end.
const MAX_BITS: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i32),
    Real(Number),
}

impl Value {
    pub fn ty(&self) -> Type {
        match self {
            Value::Bool(_) => Type::Bool,
            Value::Int(_) => Type::Int,
            Value::Real(_) => Type::Real,
        }
    }

    /// As a fraction, if it is a number.
    pub fn number(&self) -> Option<Number> {
        match self {
            Value::Bool(_) => None,
            Value::Int(value) => Some(Number::from(*value)),
            Value::Real(value) => Some(value.clone()),
        }
    }
}

/// Why there is no value.
pub type NoValue = &'static str;

const OVERFLOW: NoValue = "the result does not fit into 32 bits";
const NO_OPERATOR: NoValue = "this operator does not apply to these values";
const TOO_LONG: NoValue = "the exact result is too long";

fn bits(number: &Number) -> usize {
    use dashu_int::ops::BitTest;
    number.numerator().bit_len() + number.denominator().bit_len()
}

fn real(number: Number) -> Result<Value, NoValue> {
    if bits(&number) > MAX_BITS { Err(TOO_LONG) } else { Ok(Value::Real(number)) }
}

fn whole(number: IBig) -> Result<Value, NoValue> {
    i32::try_from(&number).map(Value::Int).map_err(|_| OVERFLOW)
}

fn checked(value: Option<i32>) -> Result<Value, NoValue> {
    value.map(Value::Int).ok_or(OVERFLOW)
}

pub fn unary(op: Unary, operand: &Value) -> Result<Value, NoValue> {
    match (op, operand) {
        (Unary::Not, Value::Bool(value)) => Ok(Value::Bool(!value)),
        (Unary::Minus, Value::Int(value)) => checked(value.checked_neg()),
        (Unary::Minus, Value::Real(value)) => Ok(Value::Real(-value.clone())),
        (Unary::Floor | Unary::Ceil | Unary::Round, Value::Int(value)) => Ok(Value::Int(*value)),
        (Unary::Floor, Value::Real(value)) => whole(value.floor()),
        (Unary::Ceil, Value::Real(value)) => whole(value.ceil()),
        (Unary::Round, Value::Real(value)) => {
            whole((value.clone() + Number::from_parts(IBig::from(1), 2u8.into())).floor())
        }
        _ => Err(NO_OPERATOR),
    }
}

/// Of both operands; what short-circuits is somebody else's business.
pub fn binary(op: Binary, left: &Value, right: &Value) -> Result<Value, NoValue> {
    match (left, right) {
        (Value::Bool(a), Value::Bool(b)) => bools(op, *a, *b),
        (Value::Int(a), Value::Int(b)) => ints(op, *a, *b),
        _ => match (left.number(), right.number()) {
            (Some(a), Some(b)) => reals(op, &a, &b),
            _ => Err(NO_OPERATOR),
        },
    }
}

fn bools(op: Binary, a: bool, b: bool) -> Result<Value, NoValue> {
    Ok(Value::Bool(match op {
        Binary::And => a && b,
        Binary::Or => a || b,
        Binary::Implies => !a || b,
        Binary::Iff | Binary::Equal => a == b,
        Binary::NotEqual => a != b,
        _ => return Err(NO_OPERATOR),
    }))
}

fn ints(op: Binary, a: i32, b: i32) -> Result<Value, NoValue> {
    match op {
        Binary::Add => checked(a.checked_add(b)),
        Binary::Subtract => checked(a.checked_sub(b)),
        Binary::Multiply => checked(a.checked_mul(b)),
        Binary::Modulo if b <= 0 => Err("the second operand of `mod` has to be positive"),
        Binary::Modulo => checked(a.checked_rem_euclid(b)),
        Binary::Power => match u32::try_from(b) {
            Ok(exponent) => checked(a.checked_pow(exponent)),
            Err(_) => Err("an int to the power of a negative int is no int (write `2.0` instead of `2`)"),
        },
        Binary::Min => Ok(Value::Int(a.min(b))),
        Binary::Max => Ok(Value::Int(a.max(b))),
        _ => reals(op, &Number::from(a), &Number::from(b)),
    }
}

fn reals(op: Binary, a: &Number, b: &Number) -> Result<Value, NoValue> {
    let comparison = |holds: bool| Ok(Value::Bool(holds));
    match op {
        Binary::Equal => comparison(a == b),
        Binary::NotEqual => comparison(a != b),
        Binary::Less => comparison(a < b),
        Binary::LessEqual => comparison(a <= b),
        Binary::Greater => comparison(a > b),
        Binary::GreaterEqual => comparison(a >= b),
        Binary::Add => real(a + b),
        Binary::Subtract => real(a - b),
        Binary::Multiply => real(a * b),
        Binary::Divide if b.is_zero() => Err("division by zero"),
        Binary::Divide => real(a / b),
        Binary::Power => power(a, b),
        Binary::Logarithm => logarithm(a, b).map(Value::Real).ok_or("there is no such logarithm"),
        Binary::Min => real(a.min(b).clone()),
        Binary::Max => real(a.max(b).clone()),
        _ => Err(NO_OPERATOR),
    }
}

fn power(base: &Number, exponent: &Number) -> Result<Value, NoValue> {
    if !exponent.is_int() {
        return root(base, exponent).map(Value::Real).ok_or("the result is not a number");
    }
    if base.is_zero() || base.is_one() {
        return match exponent < &Number::ZERO && base.is_zero() {
            true => Err("division by zero"),
            false if exponent.is_zero() => Ok(Value::Real(Number::ONE)),
            false => Ok(Value::Real(base.clone())),
        };
    }
    let exponent = isize::try_from(exponent.numerator()).map_err(|_| TOO_LONG)?;
    if exponent.unsigned_abs().saturating_mul(bits(base)) > MAX_BITS {
        return Err(TOO_LONG);
    }
    real(base.pow(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fraction(a: i32, b: u32) -> Value {
        Value::Real(Number::from_parts(IBig::from(a), b.into()))
    }

    #[test]
    fn ints_are_checked() {
        let int = |op, a, b| binary(op, &Value::Int(a), &Value::Int(b));
        assert_eq!(int(Binary::Add, i32::MAX, 1), Err(OVERFLOW));
        assert_eq!(int(Binary::Multiply, 65536, 65536), Err(OVERFLOW));
        assert_eq!(int(Binary::Modulo, -1, 3), Ok(Value::Int(2)));
        assert!(int(Binary::Modulo, 1, 0).is_err());
        assert_eq!(int(Binary::Power, 2, 10), Ok(Value::Int(1024)));
        assert!(int(Binary::Power, 2, -1).is_err());
        assert_eq!(int(Binary::Divide, 1, 3), Ok(fraction(1, 3)));
        assert_eq!(int(Binary::Divide, 1, 0), Err("division by zero"));
        assert_eq!(unary(Unary::Minus, &Value::Int(i32::MIN)), Err(OVERFLOW));
    }

    #[test]
    fn rounding_goes_up_at_halves() {
        assert_eq!(unary(Unary::Round, &fraction(5, 2)), Ok(Value::Int(3)));
        assert_eq!(unary(Unary::Round, &fraction(-5, 2)), Ok(Value::Int(-2)));
        assert_eq!(unary(Unary::Floor, &fraction(-5, 2)), Ok(Value::Int(-3)));
        assert_eq!(unary(Unary::Ceil, &fraction(-5, 2)), Ok(Value::Int(-2)));
    }

    #[test]
    fn powers_and_logarithms() {
        assert_eq!(binary(Binary::Power, &fraction(1, 2), &Value::Int(-2)), Ok(fraction(4, 1)));
        assert_eq!(binary(Binary::Logarithm, &Value::Int(8), &Value::Int(2)), Ok(fraction(3, 1)));
        assert_eq!(binary(Binary::Power, &fraction(1, 3), &Value::Int(i32::MAX)), Err(TOO_LONG));
        assert_eq!(binary(Binary::Power, &fraction(0, 1), &Value::Int(-1)), Err("division by zero"));
        assert_eq!(binary(Binary::Power, &fraction(4, 1), &fraction(1, 2)), Ok(fraction(2, 1)));
        assert!(binary(Binary::Logarithm, &Value::Int(-8), &Value::Int(2)).is_err());
    }
}
