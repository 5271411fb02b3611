//! The reference semantics: slow, obvious, trusted.
//!
//! What a model means is written down here once more, independently of the fast engine and with no thought for speed:
//! every attempt works on a copy of a structured state. Traces are replayed with it, random tests compare the engine
//! with it. Promela's rules are those of SPIN's verifier.
//!
//! - `state`: the structured state and its key; `error`: what can go wrong, with stable numbers.
//! - `evaluate`: values of expressions; `enabled`: who may move at all; `protocol`: errors of message passing.
//! - `plan`: is an edge executable; `perform`: what it does.
//! - `steps`, `signals`, `joint`: micro steps; `macro_steps`: chains of them; `replay`: one given micro step.
//! - `clocks`: values of clocks, and what they allow: for timed models the rest of this module sees only what has nothing
//!   to do with time.
//!
//! A micro step that fails (an error in a guard, a field, an action) is a step like any other, without a state that
//! follows: after it `else` is not executable, and its state is not a deadlock.
//!
//! ```
//! use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
//! use bughound_ir::reference::Reference;
//!
//! let mut net = NetworkBuilder::new("one step");
//! let mut p = TemplateBuilder::new("p");
//! let (from, to) = (p.location("from"), p.location("to"));
//! p.edge(EdgeSpec::new(from, to));
//! let p = net.template(p, from);
//! net.start(p, vec![]);
//! let network = net.finish().unwrap();
//! let reference = Reference::new(&network).unwrap();
//! let steps = reference.micro_steps(&reference.initial().unwrap());
//! assert_eq!(steps.len(), 1);
//! assert!(reference.is_deadlock(steps[0].result.as_ref().unwrap()));
//! ```

mod clocks;
mod enabled;
pub mod error;
mod evaluate;
mod joint;
mod macro_steps;
mod perform;
mod plan;
pub mod print;
mod protocol;
mod replay;
mod signals;
pub mod state;
mod steps;

use std::fmt;

use bughound_kernel::Move;

use crate::expr::Expr;
use crate::network::Network;
use crate::types::ClockId;

pub use clocks::{ClockValues, Obstacle};
pub use error::{EvalError, FailureInfo};
pub use macro_steps::MacroStep;
pub use perform::{FIRST_NOTE, LONGEST_PROGRAM};
pub use replay::ReplayError;
pub use state::{Process, RefState, from_key, to_key};

/// The reference evaluator of a network.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'n> {
    network: &'n Network,
    /// The values of the clocks, if they are known.
    clocks: Option<&'n ClockValues>,
    /// The step that is looked for, if it is one: of all ways to accept a broadcast, only this one is gone.
    wanted: Option<&'n [Move]>,
}

/// A network that the reference evaluator does not understand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsupported {
    /// The model has clocks.
    Clocks,
    /// Some steps have priority over others.
    Ranks,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unsupported::Clocks => f.write_str("the reference evaluator does not know time: the model has clocks"),
            Unsupported::Ranks => f.write_str(
                "which steps have priority is known together with their times only: the model has priorities",
            ),
        }
    }
}

impl std::error::Error for Unsupported {}

/// One edge taken by one process, together with those that join it, and what became of it.
#[derive(Clone, Debug)]
pub struct MicroStep {
    /// After a failure: up to the move that failed.
    pub moves: Vec<Move>,
    /// The state that follows (with who has control in it), or the error that ended the step.
    pub result: Result<RefState, FailureInfo>,
    /// Failures after which the step went on, in order.
    pub soft_failures: Vec<FailureInfo>,
    /// Output, one entry for each `printf`.
    pub printed: Vec<String>,
    /// Weight of the edge of the first move: a rendezvous is one micro step.
    pub weight: u64,
    /// What the step pays at once, where the model has prices; 0 if it fails. While somebody has control: since he has.
    pub paid: u64,
    /// Which process pays what in this micro step alone, in order; nothing if it fails.
    pub payments: Vec<(usize, u64)>,
    /// Clocks that were set, in order, each to the value that its expression had just then. A later one of the same
    /// clock counts.
    pub resets: Vec<(ClockId, i32)>,
}

impl<'n> Reference<'n> {
    /// Of a model without clocks and priorities.
    pub fn new(network: &'n Network) -> Result<Self, Unsupported> {
        match (network.clocks.is_empty(), &network.ranks) {
            (false, _) => Err(Unsupported::Clocks),
            (true, Some(_)) => Err(Unsupported::Ranks),
            (true, None) => Ok(Reference::discrete(network)),
        }
    }

    /// Of any model, as if time did not matter: neither clock guards nor invariants are looked at, and setting a clock
    /// changes no state. All steps that a timed model can make are among those found, but not all of those found are
    /// possible: [`Reference::at`] and the questions about clocks tell which.
    pub fn discrete(network: &'n Network) -> Self {
        Reference { network, clocks: None, wanted: None }
    }

    /// The same evaluator at a point in time: it knows the truth of clock constraints in properties, and what a deadlock
    /// is in a timed model. Steps are found as before.
    pub fn at<'c>(self, clocks: &'c ClockValues) -> Reference<'c>
    where
        'n: 'c,
    {
        Reference { clocks: Some(clocks), ..self }
    }

    /// The values of the clocks, if they are known.
    pub fn clocks(&self) -> Option<&'n ClockValues> {
        self.clocks
    }

    pub fn network(&self) -> &'n Network {
        self.network
    }

    /// The initial state: the globals are initialised, then the processes are created in order.
    pub fn initial(&self) -> Result<RefState, EvalError> {
        let mut performer = perform::Performer::new(self.network, RefState::empty(self.network), false);
        if let Some(monitor) = &self.network.monitor {
            performer.state.globals[monitor.slot as usize] = monitor.initial as i32;
        }
        performer.initialise(&self.network.initialisers, None)?;
        for start in &self.network.start {
            performer.create(start.template, &start.arguments, start.priority as i32)?;
        }
        Ok(self.settled(&performer.state))
    }

    /// Nothing is executable, processes exist, and not all of them (or not the monitor) may rest where they are. Where
    /// the values of clocks are known: nothing is, now or after any delay that the invariants allow.
    pub fn is_deadlock(&self, state: &RefState) -> bool {
        if let Some(clocks) = self.clocks {
            return self.is_stuck(state, clocks);
        }
        let may_rest = |p: &Process| self.network.location(p.location).flags.end;
        let watched = self.network.monitor.as_ref();
        let unfinished = watched.is_some_and(|m| !m.may_rest[state.globals[m.slot as usize] as usize]);
        let stuck = !state.processes.iter().all(may_rest) || (unfinished && !state.processes.is_empty());
        stuck && self.micro_steps(state).is_empty()
    }

    /// The truth of a property in a state, seen by no process in particular.
    pub fn holds(&self, state: &RefState, property: &Expr) -> Result<bool, EvalError> {
        self.value(state, None, property).map(|value| value != 0)
    }

    /// The value of an expression in a state as process `own` (or nobody in particular) sees it.
    pub fn value(&self, state: &RefState, own: Option<usize>, expr: &Expr) -> Result<i32, EvalError> {
        let asks_timeout = expr.any(|e| matches!(e, Expr::Timeout));
        let timeout = asks_timeout && self.steps_of_all(&state.ordinary(), false).is_empty();
        let asks_deadlock = self.clocks.filter(|_| expr.any(|e| matches!(e, Expr::Deadlock)));
        let stuck = asks_deadlock.map(|clocks| self.is_stuck(state, clocks));
        evaluate::View { clocks: self.clocks, stuck, ..evaluate::View::new(self.network, state, own, timeout) }
            .eval(expr)
    }
}

#[cfg(test)]
mod tests;
