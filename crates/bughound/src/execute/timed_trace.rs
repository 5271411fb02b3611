//! Counterexamples of timed models: the earliest times of the steps of a path, and its replay.
//!
//! A cycle of zones says that an infinite run exists, not which one: the clocks may have other values at each turn. Here the
//! loop is gone through until they are back where they were, as far as it matters.

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::Move;
use bughound_search::Witness;
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::{Claim, ReplayError, Times, Trace, equivalent, micro_steps, replay_timed};

use super::confirm::claim;
use super::states::error_condition;
use crate::check::PropertyReport;
use crate::run::RunError;
use bughound_ir::question::{Property, Question};

/// A path whose steps have no times: none in the model, only in zones that have more points than can be reached.
pub(crate) struct NoTimes;

/// Finds times for the steps of a witness and replays it with an evaluator that knows no zones. A witness that does not
/// replay is a bug, never a result; so is one without times, unless zones are `approximate`.
pub(crate) fn add(
    system: &TimedSystem,
    asked: &Property,
    witness: &Witness,
    approximate: bool,
    entry: &mut PropertyReport,
) -> Result<Result<(), NoTimes>, RunError> {
    let last = match asked.question {
        _ if witness.failure.is_some() => None,
        Question::Deadlock => Some(Expr::Deadlock),
        _ => error_condition(&asked.question),
    };
    add_ending(system, asked, witness, last, approximate, entry)
}

/// The same, with what is true at the end.
pub(crate) fn add_ending(
    system: &TimedSystem,
    asked: &Property,
    witness: &Witness,
    last: Option<Expr>,
    approximate: bool,
    entry: &mut PropertyReport,
) -> Result<Result<(), NoTimes>, RunError> {
    let bug = |why: String| {
        RunError::Internal(format!("the error found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let schedule = system.schedule(&witness.path, last.as_ref());
    if schedule.is_none() && approximate {
        return Ok(Err(NoTimes));
    }
    let schedule = schedule.ok_or_else(|| bug("its steps have no times".into()))?;
    let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end));
    let times = times.ok_or_else(|| bug("the times of its steps are no numbers".into()))?;
    let claim = claim(asked, witness.failure, None, false);
    let trace = replay_timed(system.discrete().network(), &witness.path.concat(), &times, &claim);
    let trace = trace.map_err(|error| bug(error.to_string()))?;
    if trace.cost != witness.length {
        return Err(bug(format!("its cost is {}, not {}", trace.cost, witness.length)));
    }
    // A step that fails has no zone behind it.
    let lasting = witness.path.len() - usize::from(witness.failure.is_some()).min(witness.path.len());
    entry.zones = zones(system, &witness.path[..lasting]);
    entry.trace = Some(trace.into());
    entry.failure = witness.failure;
    // A zone that grows late takes the place of one that was reached by fewer steps.
    entry.proven_shortest = witness.proven_shortest && !approximate;
    Ok(Ok(()))
}

/// The zones of a path, without anything forgotten.
fn zones(system: &TimedSystem, path: &[Vec<Move>]) -> Vec<String> {
    let exact = TimedSystem::new(system.discrete().network().clone(), &[], Abstraction::MEASURES).ok();
    exact.and_then(|system| system.zones_along(path)).unwrap_or_default()
}

/// So many loops of a path are tried.
const MOST_LOOPS: usize = 64;
/// So many turns of a loop are tried to see the clocks come back.
const MOST_TURNS: usize = 32;

/// The same for a run that goes on for ever, or rests. With `non_zeno`, its loop is one that takes time.
pub(crate) fn add_run(
    system: &TimedSystem,
    asked: &Property,
    witness: &Witness,
    non_zeno: bool,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let bug = |why: &str| {
        RunError::Internal(format!("the run found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let stem = witness.loop_start.ok_or_else(|| bug("it has no loop"))?;
    // What rests has a step without moves. Where it can rest it can do so for ever, whatever else is in the loop.
    let rest = witness.path.iter().position(Vec::is_empty);
    let path = witness.path[..rest.unwrap_or(witness.path.len())].to_vec();
    let whole = Some((stem, path.len())).filter(|(stem, end)| rest.is_none() && stem < end);
    // A shorter loop may be one that takes no time.
    let shorter = whole.filter(|_| !non_zeno).map_or_else(Vec::new, |_| loops(system, &path));
    // With a tick in each turn, two turns take one unit of time.
    let times = if non_zeno && whole.is_some() { vec![1, 2] } else { vec![1] };
    let last = (whole, *times.last().unwrap_or(&1));
    let mut error = None;
    for (part, times) in shorter.into_iter().map(|part| (Some(part), 1)).chain(times.into_iter().map(|n| (whole, n))) {
        let (stem, turn) = part.map_or((&path[..], &[][..]), |(stem, end)| (&path[..stem], &path[stem..end]));
        let turn = vec![turn; times].concat();
        let mut runs = Runs { system, asked, stem, turn: &turn, takes_time: non_zeno, error: None };
        let loop_start = micro_steps(&stem.concat()).len();
        let found = if turn.is_empty() { runs.at_rest(loop_start) } else { runs.first_turn(loop_start) };
        let comes_back = turn.is_empty() || (found.is_some() && runs.comes_back(loop_start));
        error = runs.error;
        let Some(trace) = found.filter(|_| comes_back || (part, times) == last) else { continue };
        if !comes_back {
            let turns = format!("the clocks have other values at each of the first {MOST_TURNS} turns of the loop");
            entry.reason = Some(turns);
        }
        entry.proven_shortest = trace.length == 0;
        entry.zones = zones(system, &[stem, &turn].concat());
        entry.zeno = is_zeno(system.discrete().network(), stem, &turn);
        entry.trace = Some(trace.into());
        entry.cycle = Some(loop_start);
        return Ok(());
    }
    Err(bug(&error.map_or_else(|| "its steps have no times".into(), |error| error.to_string())))
}

/// Does a loop take finite time however often it is gone through? Nothing if there is no loop, or if that is not known.
fn is_zeno(network: &Network, stem: &[Vec<Move>], turn: &[Vec<Move>]) -> Option<bool> {
    let system = TimedSystem::ticking(network, Abstraction::RUNS).ok().filter(|_| !turn.is_empty())?;
    system.can_diverge(stem, turn).map(|diverges| !diverges)
}

/// The steps before and up to the end of each loop that a path goes through but for the clocks, the earliest first. Zones
/// may come back later than points do: one of these may be a loop already.
fn loops(system: &TimedSystem, path: &[Vec<Move>]) -> Vec<(usize, usize)> {
    let Some(keys) = system.keys_along(path) else { return Vec::new() };
    let ends = (1..keys.len()).flat_map(|end| (0..end).rev().map(move |start| (start, end)));
    ends.filter(|(start, end)| keys[*start] == keys[*end]).take(MOST_LOOPS).collect()
}

/// Times for a path that leads to rest or to a loop.
struct Runs<'a> {
    system: &'a TimedSystem,
    asked: &'a Property,
    stem: &'a [Vec<Move>],
    /// One turn of the loop.
    turn: &'a [Vec<Move>],
    /// Each turn takes a unit of time at least.
    takes_time: bool,
    /// Why the last attempt failed.
    error: Option<ReplayError>,
}

impl Runs<'_> {
    /// A run that ends with a state in which it may stay for ever.
    fn at_rest(&mut self, loop_start: usize) -> Option<Trace> {
        // Where time may pass for ever any point will do; elsewhere it must be one in which nothing can happen.
        let schedules = [None, Some(Expr::Deadlock)].map(|last| self.system.schedule(self.stem, last.as_ref()));
        schedules.into_iter().flatten().find_map(|schedule| {
            let times = Times::over(schedule.denominator, &schedule.times, Some(schedule.end))?;
            self.replay(self.stem, &times, loop_start, &[])
        })
    }

    /// The loop, once.
    fn first_turn(&mut self, loop_start: usize) -> Option<Trace> {
        let (path, times) = self.turns(1)?;
        self.replay(&path, &times, loop_start, &self.irrelevant())
    }

    /// Can the loop be gone through so often that the clocks are where they were, as far as it matters? Then it can be gone
    /// through for ever.
    fn comes_back(&mut self, before: usize) -> bool {
        let each = micro_steps(&self.turn.concat()).len();
        let turns = std::iter::successors(Some(1), |turns| Some(turns * 2)).take_while(|turns| *turns <= MOST_TURNS);
        turns.into_iter().any(|turns| self.comes_back_within(turns, before, each).is_some())
    }

    fn comes_back_within(&mut self, turns: usize, before: usize, each: usize) -> Option<()> {
        let constants = self.system.constants_after(self.stem)?;
        let (path, times) = self.turns(turns)?;
        let trace = self.replay(&path, &times, before, &self.irrelevant())?;
        let timing = trace.timing.as_ref()?;
        let head = |turn: usize| timing.clocks_after(before + turn * each);
        let same = |start: &usize, end: usize| equivalent(&head(*start), &head(end), &constants);
        let (start, end) = (1..=turns).find_map(|end| Some(((0..end).find(|start| same(start, end))?, end)))?;
        let times = Times { steps: times.steps[..before + end * each].to_vec(), end: None };
        self.replay(&self.unrolled(end), &times, before + start * each, &constants).map(|_| ())
    }

    fn turns(&self, turns: usize) -> Option<(Vec<Vec<Move>>, Times)> {
        let path = self.unrolled(turns);
        let head = |turn: usize| self.stem.len() + turn * self.turn.len();
        let apart: Vec<(usize, usize)> =
            (0..turns).filter(|_| self.takes_time).map(|turn| (head(turn), head(turn + 1))).collect();
        let schedule = self.system.schedule_apart(&path, None, &apart)?;
        let times = Times::over(schedule.denominator, &schedule.times, None)?;
        Some((path, times))
    }

    /// Clocks of which nothing matters.
    fn irrelevant(&self) -> Vec<Option<i32>> {
        vec![None; self.system.discrete().network().clocks.len()]
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
}

/// Replays a run that was saved.
pub(crate) fn replay_run(
    network: &Network,
    asked: &Property,
    moves: &[Move],
    times: &Times,
    loop_start: usize,
) -> Result<Trace, ReplayError> {
    let error = |error: &str| ReplayError::Time { error: error.into() };
    let system = TimedSystem::new(network.clone(), &[], Abstraction::RUNS).map_err(|why| error(&why.to_string()))?;
    let steps: Vec<Vec<Move>> = micro_steps(moves).into_iter().map(<[Move]>::to_vec).collect();
    if loop_start > steps.len() {
        return Err(error("the loop begins past the end"));
    }
    let (stem, turn) = steps.split_at(loop_start);
    let mut runs = Runs { system: &system, asked, stem, turn, takes_time: false, error: None };
    if !turn.is_empty()
        && !runs.comes_back(loop_start)
        && let Some(error) = runs.error.take()
    {
        return Err(error);
    }
    let failed = error("the steps have no times");
    runs.replay(&steps, times, loop_start, &runs.irrelevant()).ok_or(runs.error.unwrap_or(failed))
}
