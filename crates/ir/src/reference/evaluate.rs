//! Values of expressions in a state.

use crate::expr::{BinaryOp, ChannelQuery, Expr, Pattern, Place, Scope, apply_binary, apply_unary};
use crate::network::Network;
use crate::reference::clocks::{ClockValues, clock_bound};
use crate::reference::enabled::enabled;
use crate::reference::error::EvalError;
use crate::reference::protocol::{channel_overflow, unspecified_reception};
use crate::reference::state::{Queue, RefState};
use crate::types::Channel;

/// A state as somebody sees it who evaluates an expression.
#[derive(Clone)]
pub(crate) struct View<'a> {
    pub network: &'a Network,
    pub state: &'a RefState,
    /// The process that evaluates; `None` in properties and in the initialisers of globals.
    pub own: Option<usize>,
    /// The value of `timeout`.
    pub timeout: bool,
    /// Processes whose executability is just being asked for.
    pub asking: Vec<usize>,
    /// The values of the clocks, if they are known.
    pub clocks: Option<&'a ClockValues>,
    /// The value of `deadlock` in a timed model, if it was asked for.
    pub stuck: Option<bool>,
}

/// Where a place lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Global(usize),
    Local {
        pid: usize,
        slot: usize,
    },
    /// In a process that does not exist or is of another template.
    Nowhere,
}

impl<'a> View<'a> {
    pub fn new(network: &'a Network, state: &'a RefState, own: Option<usize>, timeout: bool) -> View<'a> {
        View { network, state, own, timeout, asking: Vec::new(), clocks: None, stuck: None }
    }

    /// The view of another process.
    pub fn of(&self, pid: usize) -> View<'a> {
        View { own: Some(pid), ..self.clone() }
    }

    pub fn truth(&self, expr: &Expr) -> Result<bool, EvalError> {
        Ok(self.eval(expr)? != 0)
    }

    pub fn eval(&self, expr: &Expr) -> Result<i32, EvalError> {
        match expr {
            Expr::Const(value) => Ok(*value),
            Expr::Read(place) => Ok(self.read(self.cell(place)?)),
            Expr::Unary(op, operand) => Ok(apply_unary(*op, self.eval(operand)?)),
            Expr::Binary(BinaryOp::And, left, right) => Ok((self.truth(left)? && self.truth(right)?) as i32),
            Expr::Binary(BinaryOp::Or, left, right) => Ok((self.truth(left)? || self.truth(right)?) as i32),
            Expr::Binary(op, left, right) => {
                let (left, right) = (self.eval(left)?, self.eval(right)?);
                apply_binary(*op, left, right).ok_or(EvalError::DivisionByZero)
            }
            Expr::Conditional(condition, then, otherwise) => {
                if self.truth(condition)? {
                    self.eval(then)
                } else {
                    self.eval(otherwise)
                }
            }
            Expr::Channel(query, number) => self.query(*query, self.eval(number)?),
            Expr::Poll { channel, anywhere, patterns } => {
                let (home, declaration) = self.state.find_channel(self.network, self.eval(channel)?)?;
                if declaration.capacity == 0 {
                    return Err(EvalError::PollRendezvous);
                }
                let found = self.find_message(self.state.queue(home), declaration, patterns, *anywhere)?;
                Ok(found.is_some() as i32)
            }
            Expr::OwnPid => Ok(self.own.map_or(0, |pid| pid as i32)),
            Expr::FirstOf(template) => {
                let first = self.state.processes.iter().position(|p| p.template == *template);
                Ok(first.map_or(-1, |pid| pid as i32))
            }
            Expr::ProcessCount => Ok(self.state.processes.len() as i32),
            Expr::LastProcess => Ok(self.state.last),
            Expr::Timeout => Ok(self.timeout as i32),
            Expr::At { pid, location } => {
                let process = self.state.process(self.eval(pid)?);
                Ok(process.is_some_and(|p| p.location == *location) as i32)
            }
            Expr::LocationNumber(pid) => {
                let process = self.state.process(self.eval(pid)?);
                Ok(process.map_or(0, |p| self.network.location(p.location).number as i32))
            }
            Expr::Enabled(pid) => Ok(enabled(self, self.eval(pid)?)? as i32),
            Expr::NonProgress => {
                let progress = |p: &crate::reference::state::Process| self.network.location(p.location).flags.progress;
                Ok(!self.state.processes.iter().any(progress) as i32)
            }
            Expr::AtAcceptLabel => {
                let accept = |p: &crate::reference::state::Process| self.network.location(p.location).flags.accept;
                Ok(self.state.processes.iter().any(accept) as i32)
            }
            Expr::UnspecifiedReception => Ok(unspecified_reception(self) as i32),
            Expr::ChannelOverflow => Ok(channel_overflow(self) as i32),
            Expr::Holds(e) => Ok(self.eval(e).is_ok_and(|value| value != 0) as i32),
            Expr::Exact(exact) => exact.value(&mut |leaf| self.eval(leaf)),
            Expr::Priority(pid) => Ok(self.state.process(self.eval(pid)?).map_or(0, |p| p.priority)),
            // Only who knows how time passes can tell.
            Expr::Clock(constraint) => {
                let clocks = self.clocks.ok_or(EvalError::ClockRead)?;
                Ok(clock_bound(self, &constraint.bound)?.is_none_or(|bound| clocks.satisfy(constraint, bound)) as i32)
            }
            Expr::Deadlock => self.stuck.map(i32::from).ok_or(EvalError::ClockRead),
        }
    }

    /// A rendezvous channel is empty and never full, as in SPIN.
    fn query(&self, query: ChannelQuery, number: i32) -> Result<i32, EvalError> {
        let (home, declaration) = self.state.find_channel(self.network, number)?;
        let length = self.state.queue(home).len();
        let full = length >= declaration.capacity.max(1) as usize;
        Ok(match query {
            ChannelQuery::Length => length as i32,
            ChannelQuery::Full => full as i32,
            ChannelQuery::Empty => (length == 0) as i32,
            ChannelQuery::NotFull => !full as i32,
            ChannelQuery::NotEmpty => (length != 0) as i32,
        })
    }

    /// Position of the message that a receive with these patterns takes.
    ///
    /// For the oldest message the patterns are evaluated one after the other up to the first that does not match; for a
    /// search `anywhere` all are evaluated before the first message is looked at. Nothing is evaluated for an empty
    /// queue.
    pub fn find_message(
        &self,
        queue: &Queue,
        declaration: &Channel,
        patterns: &[Pattern],
        anywhere: bool,
    ) -> Result<Option<usize>, EvalError> {
        let Some(oldest) = queue.front() else { return Ok(None) };
        if patterns.len() > declaration.fields.len() {
            return Err(EvalError::TooManyPatterns);
        }
        if anywhere {
            let mut wanted = Vec::new();
            for (field, pattern) in patterns.iter().enumerate() {
                if let Pattern::Match(expr) = pattern {
                    wanted.push((field, self.eval(expr)?));
                }
            }
            return Ok(queue.iter().position(|message| wanted.iter().all(|(field, value)| message[*field] == *value)));
        }
        for (value, pattern) in oldest.iter().zip(patterns) {
            if let Pattern::Match(expr) = pattern
                && self.eval(expr)? != *value
            {
                return Ok(None);
            }
        }
        Ok(Some(0))
    }

    /// Where a place lies. Of a process that does not exist no index is evaluated.
    pub fn cell(&self, place: &Place) -> Result<Cell, EvalError> {
        let owner = match &place.scope {
            Scope::Global => None,
            Scope::Own => Some(self.own.ok_or(EvalError::NoSuchProcess)?),
            Scope::Process { pid, template } => {
                let pid = self.eval(pid)?;
                match self.state.process(pid) {
                    Some(process) if process.template == *template => Some(pid as usize),
                    _ => return Ok(Cell::Nowhere),
                }
            }
        };
        let mut slot = place.slot as usize;
        for index in &place.indices {
            let value = self.eval(&index.value)?;
            if value < 0 || value as u32 >= index.len {
                return Err(EvalError::IndexOutOfRange);
            }
            slot += value as usize * index.stride as usize;
        }
        Ok(match owner {
            None => Cell::Global(slot),
            Some(pid) => Cell::Local { pid, slot },
        })
    }

    fn read(&self, cell: Cell) -> i32 {
        match cell {
            Cell::Global(slot) => self.state.globals[slot],
            Cell::Local { pid, slot } => self.state.processes[pid].variables[slot],
            Cell::Nowhere => 0,
        }
    }
}
