//! Replay of a whole path.

use std::fmt;

use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState, Reference, ReplayError as StepError};
use bughound_ir::source::Span;
use bughound_kernel::Move;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::chance::Chance;
use crate::changes::{Change, ValueOf, changes, surplus, values};
use crate::claim::Claim;
use crate::explain::{Reason, cycle, explain, no_initial_state};
use crate::lasso::{Lasso, LassoShape, Violated, confirm, confirm_prefix};
use crate::naming;
use crate::never::ClaimWatch;
use crate::timing::{Timekeeper, Times, Timing};
use crate::word::Word;

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// The file, as it was named.
    pub file: String,
    /// The line, from 1; 0 where it is not known.
    pub line: u32,
}

impl Place {
    pub fn of(network: &Network, span: Span) -> Place {
        Place { file: network.sources.path(span).display().to_string(), line: network.sources.line(span) }
    }
}

/// A process that takes part in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub pid: usize,
    /// Such as `P(1)`.
    pub process: String,
    pub source: Place,
    /// Where the code of the statement was called, outermost first, in languages that paste code.
    pub calls: Vec<Place>,
    /// The statement.
    pub text: String,
    /// The locations before and after it, in languages that name them.
    pub route: Option<(String, String)>,
}

/// One micro step as it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// Who moved: one process, or the sender of a rendezvous followed by its receiver.
    pub participants: Vec<Participant>,
    /// In models with probabilities: how likely what was drawn is.
    pub chance: Option<Chance>,
    pub changes: Vec<Change>,
    /// Processes that started and ended, such as `P(1)`.
    pub started: Vec<String>,
    pub ended: Vec<String>,
    pub printed: Vec<String>,
    /// The next step is part of the same uninterrupted chain.
    pub keeps_control: bool,
    /// What went wrong in the step.
    pub failures: Vec<String>,
    pub weight: u64,
}

impl TraceStep {
    /// How likely it was, unless a statement says so or nothing was drawn.
    pub fn chance_in_words(&self) -> Option<String> {
        let chance = self.chance.as_ref()?;
        let is_said = self.participants.iter().any(|who| chance.is_plain(&who.text));
        (!is_said).then(|| chance.to_string())
    }
}

/// A path that was executed and ends as claimed.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// Everything in the initial state.
    pub initial: Vec<ValueOf>,
    pub steps: Vec<TraceStep>,
    /// Number of the steps.
    pub length: u64,
    /// Sum of the weights of the steps: the length, unless the model gives costs.
    pub cost: u64,
    /// The model gives costs.
    pub has_costs: bool,
    pub reason: Reason,
    /// Where the loop is, if the run goes on for ever.
    pub lasso: Option<LassoShape>,
    /// When the steps happen, in a timed model.
    pub timing: Option<Timing>,
    pub moves: Vec<Move>,
    /// The main file of the model, for short references to lines.
    pub main_file: String,
}

/// Why a path could not be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    Unsupported(String),
    /// The initial values cannot be computed.
    NoInitialState(String),
    /// The step with this number (from 1) is not possible.
    Step {
        number: usize,
        error: String,
    },
    /// The path goes on after a step that ends the run.
    BehindFailure {
        number: usize,
    },
    /// The times of the run are wrong, other than that of a single step.
    Time {
        error: String,
    },
    /// What is said to be a loop is none, or not such a one.
    NotALoop {
        why: &'static str,
    },
    /// The path exists but does not end as claimed.
    NotAsClaimed {
        claimed: &'static str,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Unsupported(why) => write!(f, "the trace cannot be replayed: {why}"),
            ReplayError::NoInitialState(why) => write!(f, "there is no initial state: {why}"),
            ReplayError::Step { number, error } => write!(f, "step {number} of the trace is not possible: {error}"),
            ReplayError::BehindFailure { number } => {
                write!(f, "step {number} of the trace ends the run, but others follow")
            }
            ReplayError::Time { error } => write!(f, "the times of the trace are wrong: {error}"),
            ReplayError::NotALoop { why } => write!(f, "the loop of the trace is wrong: {why}"),
            ReplayError::NotAsClaimed { claimed } => write!(f, "the trace does not end in {claimed}"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// Cuts a list of moves into micro steps: each begins with a move that does not join another.
pub fn micro_steps(moves: &[Move]) -> Vec<&[Move]> {
    let mut steps = Vec::new();
    let mut rest = moves;
    while !rest.is_empty() {
        let len = 1 + rest[1..].iter().take_while(|m| m.joins).count();
        let (step, behind) = rest.split_at(len);
        steps.push(step);
        rest = behind;
    }
    steps
}

/// Executes a path from the initial state and checks that it ends as claimed.
pub fn replay(network: &Network, moves: &[Move], claim: &Claim<'_>) -> Result<Trace, ReplayError> {
    let reference = Reference::new(network).map_err(|error| ReplayError::Unsupported(error.to_string()))?;
    run(reference, moves, None, claim)
}

/// Executes a path of a timed model, with each step at its time, and checks that it ends as claimed: that guards,
/// invariants and urgency allow each step and each delay, and that the claim is true of the clocks at the end.
pub fn replay_timed(network: &Network, moves: &[Move], times: &Times, claim: &Claim<'_>) -> Result<Trace, ReplayError> {
    let watched = matches!(claim, Claim::Lasso(Lasso { of: Violated::Never(_), .. }) | Claim::Never(_));
    if watched || matches!(claim, Claim::Prefix { .. }) {
        return Err(ReplayError::Unsupported("claims cannot be followed in time".into()));
    }
    run(Reference::discrete(network), moves, Some(times), claim)
}

fn run(
    reference: Reference<'_>,
    moves: &[Move],
    times: Option<&Times>,
    claim: &Claim<'_>,
) -> Result<Trace, ReplayError> {
    let network = reference.network();
    let main_file = network.name.clone();
    let has_costs = network.has_costs();
    let mut state = match (reference.initial(), claim) {
        (Ok(_), Claim::NoInitialState) => return Err(ReplayError::NotAsClaimed { claimed: claim.describe() }),
        (Ok(state), _) => state,
        (Err(error), Claim::NoInitialState) => {
            let reason = no_initial_state(error);
            let (initial, steps, moves, lasso, timing) = (vec![], vec![], vec![], None, None);
            let (length, cost) = (0, 0);
            return Ok(Trace { initial, steps, length, cost, has_costs, reason, lasso, timing, moves, main_file });
        }
        (Err(error), _) => return Err(ReplayError::NoInitialState(error.to_string())),
    };
    let initial = values(network, &state);
    let mut watch = match claim {
        Claim::Never(template) => Some(ClaimWatch::new(reference, *template)),
        _ => None,
    };
    if let Some(watch) = &mut watch {
        watch.see(&state);
    }
    let mut word = Word::new(reference);
    let keeps_states = matches!(claim, Claim::Lasso(_) | Claim::Prefix { .. });
    if keeps_states {
        word.see(0, &state);
    }
    let mut steps: Vec<TraceStep> = Vec::new();
    let mut last: Option<MicroStep> = None;
    let path = micro_steps(moves);
    let mut keeper = match times {
        Some(times) => Some(Timekeeper::start(reference, times, path.len(), &state)?),
        None => None,
    };
    for (at, step) in path.iter().enumerate() {
        if last.as_ref().is_some_and(|last| last.result.is_err()) {
            return Err(ReplayError::BehindFailure { number: at });
        }
        let failed = |error: StepError| ReplayError::Step { number: at + 1, error: error.to_string() };
        let done = reference.apply(&state, step).map_err(failed)?;
        let mut shown = describe(network, &state, &done);
        if let Some(keeper) = &mut keeper {
            keeper.step(&state, &done, &mut shown)?;
        }
        if let Ok(next) = &done.result {
            state = next.clone();
            // The process in control loses it when it is blocked.
            shown.keeps_control = at + 1 < path.len() && reference.visible(&state).is_none();
            if let Some(watch) = &mut watch
                && let Some(visible) = reference.visible(&state)
            {
                watch.see(&visible);
            }
            if keeps_states {
                word.see(at + 1, &state);
            }
        }
        steps.push(shown);
        last = Some(done);
    }
    if let Some(watch) = &mut watch
        && reference.is_at_rest(&state)
    {
        watch.see_for_ever(&state);
    }
    let (timing, clocks) = match keeper {
        Some(keeper) => keeper.finish(&state).map(|(timing, clocks)| (Some(timing), Some(clocks)))?,
        None => (None, None),
    };
    let at_end = clocks.as_ref().map_or(reference, |clocks| reference.at(clocks));
    let not_as_claimed = Err(ReplayError::NotAsClaimed { claimed: claim.describe() });
    let goes_on = last.as_ref().is_none_or(|step| step.result.is_ok());
    let (reason, lasso) = match claim {
        Claim::Lasso(_) | Claim::Prefix { .. } if !goes_on => return not_as_claimed,
        Claim::Lasso(lasso) => {
            let confirmed = confirm(lasso, &path, word, &state, timing.as_ref())?;
            (cycle::explain(lasso, &confirmed, clocks.is_some()), Some(confirmed.shape))
        }
        Claim::Prefix { formula } => {
            let Some(lost) = confirm_prefix(formula, &word, &state) else { return not_as_claimed };
            (cycle::explain_prefix(formula, &word, &lost), None)
        }
        _ => {
            if !claim.is_true(at_end, last.as_ref(), &state, watch.as_ref()) {
                return not_as_claimed;
            }
            (explain(at_end, last.as_ref(), &state, claim, watch.as_ref()), None)
        }
    };
    let length = steps.len() as u64;
    let cost = steps.iter().map(|step| step.weight).sum();
    let moves = moves.to_vec();
    Ok(Trace { initial, steps, length, cost, has_costs, reason, lasso, timing, moves, main_file })
}

/// A micro step as traces show it.
pub fn describe(network: &Network, before: &RefState, step: &MicroStep) -> TraceStep {
    let destination = |m: &Move| {
        let to = network.edge(EdgeId(m.edge)).destinations.get(usize::from(m.destination))?.to;
        naming::location(network, to)
    };
    let participant = |m: &Move| {
        let edge = network.edge(EdgeId(m.edge));
        Participant {
            pid: m.process as usize,
            process: naming::process_in(network, before, m.process as usize),
            source: Place::of(network, edge.span),
            calls: edge.calls.iter().map(|call| Place::of(network, *call)).collect(),
            text: edge.text_of(m.destination),
            route: naming::location(network, edge.from).zip(destination(m)),
        }
    };
    let after = step.result.as_ref().ok();
    let name = |(template, pid)| naming::process_name(network, template, pid);
    let started = after.map(|after| surplus(after, before)).unwrap_or_default();
    let ended = after.map(|after| surplus(before, after)).unwrap_or_default();
    TraceStep {
        participants: step.moves.iter().map(participant).collect(),
        chance: Chance::of(network, before, &step.moves),
        changes: after.map(|after| changes(network, before, after)).unwrap_or_default(),
        started: started.into_iter().map(name).collect(),
        ended: ended.into_iter().map(name).collect(),
        printed: step.printed.clone(),
        keeps_control: false,
        failures: step.soft_failures.iter().chain(step.result.as_ref().err()).map(|f| f.message.clone()).collect(),
        weight: step.weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Wanted, network, trace};

    const MODEL: &str = "byte x; chan r = [0] of { byte };
        active proctype P() { r!1; x = 2; false } active proctype Q() { byte y; r?y }";

    #[test]
    fn moves_are_cut_at_those_that_do_not_join() {
        let m = |process, joins| Move { process, edge: 0, destination: 0, joins };
        let moves = [m(0, false), m(1, true), m(2, true), m(0, false)];
        assert_eq!(micro_steps(&moves).iter().map(|s| s.len()).collect::<Vec<_>>(), [3, 1]);
        assert!(micro_steps(&[]).is_empty());
        assert_eq!(micro_steps(&[m(0, true)]).len(), 1);
    }

    #[test]
    fn a_rendezvous_has_two_participants() {
        let found = trace(&network(MODEL), Wanted::Deadlock);
        let who: Vec<_> = found.steps[0].participants.iter().map(|p| (p.process.as_str(), p.text.as_str())).collect();
        assert_eq!(who, [("P(0)", "r!1"), ("Q(1)", "r?y")]);
        let change = Change { name: "Q(1):y".into(), old: Some("0".into()), new: Some("1".into()) };
        assert_eq!(found.steps[0].changes, [change]);
    }

    #[test]
    fn traces_that_are_not_true_are_refused() {
        let net = network(MODEL);
        let moves = trace(&net, Wanted::Deadlock).moves;
        let error = |moves: &[Move], claim: Claim<'_>| replay(&net, moves, &claim).unwrap_err();
        assert_eq!(error(&moves[..2], Claim::Deadlock), ReplayError::NotAsClaimed { claimed: "a deadlock" });
        let mut wrong = moves.clone();
        wrong[0].edge = 9999;
        assert!(matches!(error(&wrong, Claim::Deadlock), ReplayError::Step { number: 1, .. }));
        wrong[0].process = 77;
        assert!(matches!(error(&wrong, Claim::Deadlock), ReplayError::Step { number: 1, .. }));
        let condition = bughound_ir::expr::Expr::truth(true);
        let claim = Claim::Condition { condition: &condition, expected: true };
        assert!(matches!(error(&moves, claim), ReplayError::NotAsClaimed { .. }));
        assert!(matches!(error(&[], Claim::NoInitialState), ReplayError::NotAsClaimed { .. }));
    }

    #[test]
    fn nothing_follows_a_failing_step() {
        let net = network("int x; active [2] proctype P() { x = 1 / x }");
        let found = trace(&net, Wanted::Failure);
        let other = Move { process: 0, ..found.moves[0] };
        let twice = [found.moves[0], other];
        assert!(matches!(replay(&net, &twice, &Claim::Deadlock), Err(ReplayError::BehindFailure { number: 1 })));
    }
}
