//! The value of one expression in many states.

use bughound_ir::expr::Expr;
use bughound_kernel::State;

use crate::code::{self, Code};
use crate::discrete::DiscreteSystem;
use crate::machine::Machine;

/// An expression that belongs to no process, compiled for a system.
pub struct Valuation<'s> {
    machine: &'s Machine,
    code: Code,
}

impl<'s> Valuation<'s> {
    pub fn new(system: &'s DiscreteSystem, expression: &Expr) -> Self {
        Valuation { machine: system.machine(), code: code::expr(expression) }
    }

    /// `None` where it has no value: a division by zero, an index out of range.
    pub fn value(&self, state: State<'_>) -> Option<i32> {
        self.machine.eval(self.machine.outside(state.key), &self.code).ok()
    }
}
