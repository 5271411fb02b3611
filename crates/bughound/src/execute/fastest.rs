//! `--fastest`: from a run to the one that takes the least time.
//!
//! Runs that take less time than the best one known are looked for in the model with a clock for all time and a bound on
//! it, until there are none. The times of a path have no lower bound but whole numbers, reached or, where bounds are strict,
//! not: so the rounds end.

use std::sync::Arc;

use bughound_dbm::Bound;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::targets::Targets;
use bughound_ir::types::{Clock, ClockConstraint, ClockId, Relation, is_clock_constant};
use bughound_kernel::{AtomId, Move};
use bughound_search::{Goals, InvariantGoal, StopPolicy};
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::micro_steps;

use super::states::error_condition;
use super::{Execution, Hunt, timed_trace};
use crate::check::PropertyReport;
use crate::guide::without_clocks;
use crate::plan::mentions_deadlock;
use crate::run::{Hooks, RunError};

/// How fast the run of a trace is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fastest {
    /// There is no faster one.
    pub proven: bool,
    /// Runs along these steps take so long at least.
    pub time: i128,
    /// They all take longer, if ever so little.
    pub open: bool,
}

impl std::fmt::Display for Fastest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let proven = if self.proven { "fastest (proven)" } else { "fast (not proven fastest)" };
        let more = if self.open { "anything more than " } else { "" };
        write!(f, "{proven}: time {more}{}", self.time)
    }
}

impl Execution<'_> {
    /// Replaces the trace of a property by a fastest one. False: questions about deadlocks keep theirs, since a bound on
    /// time would be one itself.
    pub(crate) fn find_fastest(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<bool, RunError> {
        let asked = &self.plan.questions[property];
        let Some(error) = error_condition(&asked.question).filter(|error| !mentions_deadlock(error)) else {
            return Ok(false);
        };
        let bug = |why: &str| RunError::Internal(format!("looking for a fastest run for `{}`: {why}", asked.name));
        if entry.failure.is_some() {
            return Ok(true);
        }
        let network = &self.model.network;
        let system_of = |network: Arc<Network>, atoms: &[Expr]| {
            let system = TimedSystem::new(network, atoms, Abstraction::REACHABILITY);
            system.map_err(|why| bug(&why.to_string()))
        };
        let as_it_is = system_of(network.clone(), std::slice::from_ref(&error))?;
        let mut path: Vec<Vec<Move>> = match &entry.trace {
            Some(trace) => micro_steps(&trace.moves).into_iter().map(<[Move]>::to_vec).collect(),
            None => return Ok(true),
        };
        let mut within = None;
        loop {
            let least = as_it_is.least_time(&path, &error, within);
            let (time, open) = least.ok_or_else(|| bug("the steps have no times"))?;
            let mut fastest = Fastest { proven: true, time, open };
            if time <= 0 && !open {
                entry.fastest = Some(fastest);
                return Ok(true);
            }
            let Some(limit) = i32::try_from(time).ok().filter(|limit| is_clock_constant((*limit).into())) else {
                // No clock can be compared with so much time.
                entry.fastest = Some(Fastest { proven: false, ..fastest });
                return Ok(true);
            };
            let relation = if open { Relation::LessEqual } else { Relation::Less };
            within = Bound::checked(limit.into(), !open);
            let system = system_of(Arc::new(bounded(network, relation, limit)), std::slice::from_ref(&error))?;
            let goal = InvariantGoal { property, atom: AtomId(0), expected: false };
            let goals = Goals { invariants: vec![goal], ..Goals::none() };
            let target = without_clocks(&error);
            let hunt = Hunt {
                system: &system,
                known: system.discrete(),
                goals: &goals,
                stop: StopPolicy::FirstError,
                targets: Targets { conditions: vec![target], ..Targets::default() },
                strategy: &self.plan.search,
                recorded_as: None,
            };
            let (result, stats) = self.search(hunt, hooks, None)?;
            if let Some(sum) = &mut entry.stats {
                sum.add(&stats);
            }
            let Some(witness) = result.witnesses.first() else {
                fastest.proven = result.complete;
                entry.fastest = Some(fastest);
                return Ok(true);
            };
            if timed_trace::add(&as_it_is, asked, witness, false, entry)?.is_err() {
                return Err(bug("the steps have no times"));
            }
            // Shortest among the fast ones, perhaps not among all.
            entry.proven_shortest = false;
            path = witness.path.clone();
        }
    }
}

/// The model with a clock for all time and a bound on it.
fn bounded(network: &Network, relation: Relation, limit: i32) -> Network {
    let mut network = network.clone();
    let clock = ClockId(network.clocks.len() as u32);
    network.clocks.push(Clock { name: "time since the start".into() });
    let bound = ClockConstraint { left: clock, minus: None, relation, bound: Expr::Const(limit) };
    // One process that is always there is enough to stop time for all.
    let first = network.start.first().map(|start| start.template);
    for location in network.locations.iter_mut().filter(|location| Some(location.template) == first) {
        location.invariant.push(bound.clone());
    }
    network
}
