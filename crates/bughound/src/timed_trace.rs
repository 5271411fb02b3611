//! Counterexamples of timed models: the earliest times of the steps of a path, and its replay.
//!
//! A cycle of zones says that an infinite run exists, not which one: the clocks may have other values at each turn. Here the
//! loop is gone through until they are back where they were, as far as it matters.

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::Move;
use bughound_search::Witness;
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::{Claim, ReplayError, Times, Timing, Trace, equivalent, micro_steps, replay_timed};

use crate::check::{PropertyReport, claim};
use crate::check_timed::error_condition;
use crate::properties::{Asked, Question};
use crate::run::RunError;

/// Finds times for the steps of a witness and replays it with an evaluator that knows no zones. A witness without times, or
/// one that does not replay, is a bug, never a result.
pub(crate) fn add(
    system: &TimedSystem,
    asked: &Asked,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let bug = |why: String| {
        RunError::Internal(format!("the error found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let last = match asked.question {
        _ if witness.failure.is_some() => None,
        Question::Deadlock => Some(Expr::Deadlock),
        _ => error_condition(&asked.question),
    };
    let schedule = system.schedule(&witness.path, last.as_ref());
    let schedule = schedule.ok_or_else(|| bug("its steps have no times".into()))?;
    let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end));
    let times = times.ok_or_else(|| bug("the times of its steps are no numbers".into()))?;
    let claim = claim(asked, witness.failure, None, false);
    let trace = replay_timed(system.discrete().network(), &witness.path.concat(), &times, &claim);
    let trace = trace.map_err(|error| bug(error.to_string()))?;
    if trace.cost != witness.length {
        return Err(bug(format!("its cost is {}, not {}", trace.cost, witness.length)));
    }
    entry.trace = Some(trace);
    entry.failure = witness.failure;
    entry.proven_shortest = witness.proven_shortest;
    Ok(())
}

/// So many turns of a loop are tried to see the clocks come back.
const MOST_TURNS: usize = 32;

/// The same for a run that goes on for ever, or rests.
pub(crate) fn add_run(
    system: &TimedSystem,
    asked: &Asked,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let bug = |why: &str| {
        RunError::Internal(format!("the run found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let stem = witness.loop_start.ok_or_else(|| bug("it has no loop"))?;
    let (stem, turn) = witness.path.split_at(stem);
    // What rests has a step without moves.
    let turn: Vec<Vec<Move>> = turn.iter().filter(|moves| !moves.is_empty()).cloned().collect();
    let mut runs = Runs { system, asked, stem, turn: &turn, error: None };
    let found = if turn.is_empty() { runs.at_rest() } else { runs.closed() };
    let Some((trace, loop_start)) = found else {
        let why = runs.error.map_or_else(|| "its steps have no times".into(), |error| error.to_string());
        return Err(bug(&why));
    };
    if !turn.is_empty() && !runs.comes_back(&trace, loop_start) {
        entry.reason = Some(format!("the clocks have other values at each of the first {MOST_TURNS} turns of the loop"));
    }
    entry.trace = Some(trace);
    entry.cycle = Some(loop_start);
    Ok(())
}

/// Times for a path that leads to rest or to a loop.
struct Runs<'a> {
    system: &'a TimedSystem,
    asked: &'a Asked,
    stem: &'a [Vec<Move>],
    /// One turn of the loop.
    turn: &'a [Vec<Move>],
    /// Why the last attempt failed.
    error: Option<ReplayError>,
}

impl Runs<'_> {
    /// A run that ends with a state in which it may stay for ever: the trace, and where its loop begins.
    fn at_rest(&mut self) -> Option<(Trace, usize)> {
        // Where time may pass for ever any point will do; elsewhere it must be one in which nothing can happen.
        let schedules = [None, Some(Expr::Deadlock)].map(|last| self.system.schedule(self.stem, last.as_ref()));
        let loop_start = micro_steps(&self.stem.concat()).len();
        schedules.into_iter().flatten().find_map(|schedule| {
            let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end))?;
            Some((self.replay(self.stem, &times, loop_start, &[])?, loop_start))
        })
    }

    /// The loop, as often as it takes until the clocks are where they were.
    fn closed(&mut self) -> Option<(Trace, usize)> {
        let constants = self.system.constants_after(self.stem)?;
        let irrelevant = vec![None; constants.len()];
        let (before, each) = (micro_steps(&self.stem.concat()).len(), micro_steps(&self.turn.concat()).len());
        let mut first = None;
        let mut turns = 1;
        while turns <= MOST_TURNS {
            let path = self.unrolled(turns);
            let schedule = self.system.schedule(&path, None)?;
            let times = Times::over(schedule.denominator, &schedule.times, None)?;
            let trace = self.replay(&path, &times, before, &irrelevant)?;
            let timing = trace.timing.as_ref()?;
            let head = |turn: usize| timing.clocks_after(before + turn * each);
            let same = |start: &usize, end: usize| equivalent(&head(*start), &head(end), &constants);
            let back = (1..=turns).find_map(|end| Some(((0..end).rev().find(|start| same(start, end))?, end)));
            if let Some((start, end)) = back {
                let times = Times { steps: times.steps[..before + end * each].to_vec(), end: None };
                let loop_start = before + start * each;
                let trace = self.replay(&self.unrolled(end), &times, loop_start, &constants)?;
                return Some((trace, loop_start));
            }
            first.get_or_insert((trace, before));
            turns *= 2;
        }
        first
    }

    fn unrolled(&self, turns: usize) -> Vec<Vec<Move>> {
        let turns = std::iter::repeat_n(self.turn, turns).flatten();
        self.stem.iter().chain(turns).cloned().collect()
    }

    fn replay(
        &mut self,
        path: &[Vec<Move>],
        times: &Times,
        loop_start: usize,
        constants: &[Option<i32>],
    ) -> Option<Trace> {
        let mut claim = claim(self.asked, None, Some(loop_start), false);
        if let Claim::Lasso(lasso) = &mut claim {
            lasso.constants = constants;
        }
        let replayed = replay_timed(self.system.discrete().network(), &path.concat(), times, &claim);
        replayed.map_err(|error| self.error = Some(error)).ok()
    }

    fn comes_back(&self, trace: &Trace, loop_start: usize) -> bool {
        let constants = self.system.constants_after(self.stem).unwrap_or_default();
        let ends = |timing: &Timing| (timing.clocks_after(loop_start), timing.clocks_after(trace.steps.len()));
        trace.timing.as_ref().map(ends).is_some_and(|(start, end)| equivalent(&start, &end, &constants))
    }
}

/// What matters of the clocks in the loop of a path, for its replay.
pub(crate) fn constants(network: &Network, moves: &[Move], loop_start: usize) -> Option<Vec<Option<i32>>> {
    let system = TimedSystem::new(network.clone(), &[], Abstraction::RUNS).ok()?;
    let stem = micro_steps(moves).into_iter().take(loop_start);
    system.constants_after(&stem.map(<[Move]>::to_vec).collect::<Vec<_>>())
}
