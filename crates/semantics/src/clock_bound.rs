//! The number that a clock is compared with: a constant, or computed in each state.

use bughound_ir::analysis::ranges::{Interval, by_types, can_fail};
use bughound_ir::expr::Expr;
use bughound_ir::reference::error::EvalError;
use bughound_ir::types::{UNBOUNDED, is_clock_constant};

use crate::code::{self, Code};
use crate::machine::{Context, Machine};

#[derive(Clone, Debug)]
pub enum ClockBound {
    /// There is none: the constraint always holds.
    Nothing,
    Constant(i32),
    Computed(Code),
    Choice(Box<(Code, ClockBound, ClockBound)>),
}

impl ClockBound {
    pub fn new(bound: &Expr) -> ClockBound {
        match bound {
            Expr::Const(UNBOUNDED) => ClockBound::Nothing,
            Expr::Const(value) => ClockBound::Constant(*value),
            Expr::Conditional(test, then, otherwise) => {
                ClockBound::Choice(Box::new((code::expr(test), ClockBound::new(then), ClockBound::new(otherwise))))
            }
            bound => ClockBound::Computed(code::expr(bound)),
        }
    }

    /// The same, if there may be states in which it is no number that clocks can be compared with.
    pub fn uncertain(bound: &Expr) -> Option<ClockBound> {
        fn is_certain(bound: &Expr) -> bool {
            match bound {
                Expr::Const(UNBOUNDED) => true,
                Expr::Conditional(test, then, otherwise) => {
                    !can_fail(test) && is_certain(then) && is_certain(otherwise)
                }
                bound => {
                    let Interval { lo, hi } = by_types(bound);
                    !can_fail(bound) && is_clock_constant(lo) && is_clock_constant(hi)
                }
            }
        }
        (!is_certain(bound)).then(|| ClockBound::new(bound))
    }

    /// `Ok(None)`: there is no bound.
    pub fn value(&self, machine: &Machine, cx: Context<'_>) -> Result<Option<i32>, EvalError> {
        let value = match self {
            ClockBound::Nothing => return Ok(None),
            ClockBound::Constant(value) => *value,
            ClockBound::Computed(code) => machine.eval(cx, code)?,
            ClockBound::Choice(parts) => {
                let (test, then, otherwise) = &**parts;
                return if machine.truth(cx, test)? { then } else { otherwise }.value(machine, cx);
            }
        };
        if is_clock_constant(value.into()) { Ok(Some(value)) } else { Err(EvalError::ClockOutOfRange) }
    }
}
