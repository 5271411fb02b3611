//! Why an infinite run violates a formula or a claim: what is true in its loop, and who moves there.

use bughound_ir::ltl::Formula;
use bughound_ir::network::LocationId;

use super::{BlockedProcess, Reason, blocked, completed};
use crate::expression::Viewpoint;
use crate::lasso::{Confirmed, InLoop, Lasso, Lost, Violated};
use crate::naming;
use crate::never::Match;
use crate::replay::Place;
use crate::word::Word;

/// How often a condition is true in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InCycle {
    Always,
    Never,
    /// In so many of the states that the loop shows.
    Sometimes {
        states: usize,
        of: usize,
    },
}

/// A condition of the formula along the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionInRun {
    pub text: String,
    pub in_loop: InCycle,
    /// Steps before the state from which on it is so (always or never) for ever.
    pub since: usize,
}

/// What there is to say about a loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CycleFacts {
    pub conditions: Vec<ConditionInRun>,
    /// Processes that move in the loop.
    pub moving: Vec<String>,
    /// Processes that do not move, and why they could not in some state of the loop.
    pub idle: Vec<BlockedProcess>,
    /// Processes that could move all the time, but never do.
    pub starved: Vec<String>,
}

/// The reason for a lasso that was confirmed.
pub fn explain(lasso: &Lasso<'_>, confirmed: &Confirmed<'_>, timed: bool) -> Reason {
    let Confirmed { word, back, .. } = confirmed;
    let (reference, network) = (word.reference(), word.reference().network());
    let Some(state) = word.states().last() else { return Reason::default() };
    let view = Viewpoint { reference, state, own: None };
    let rests = confirmed.shape.loop_length == 0;
    let mut reason = match (lasso.of, confirmed.matched) {
        (Violated::Formula { formula } | Violated::Nothing { formula }, _) => {
            let truth = if matches!(lasso.of, Violated::Nothing { .. }) { "true" } else { "false" };
            let how = if rests { "the run that comes to rest here" } else { "the run that repeats this loop" };
            Reason { headline: format!("`{}` is {truth} of {how}", view.formula(formula)), ..Reason::default() }
        }
        (Violated::Never(claim), Some(Match::Completed(completion))) => completed(view, claim, completion),
        (Violated::Never(claim), Some(Match::Accepted(location))) => {
            let name = network.template(claim).name.trim_matches(':');
            let headline = match rests {
                true => format!("the claim `{name}` can stay at {} for ever", place_of(view, location)),
                false => format!("the claim `{name}` comes through {} again and again", place_of(view, location)),
            };
            let source = Some(Place::of(network, network.location(location).span));
            Reason { headline, source, ..Reason::default() }
        }
        (Violated::Never(_), None) => Reason::default(),
    };
    let mut facts = CycleFacts::default();
    if let Violated::Formula { formula } | Violated::Nothing { formula } = lasso.of {
        facts.conditions = conditions(view, formula, word, *back);
    }
    if rests && !timed {
        reason.blocked = blocked::explain(reference, state).blocked;
    }
    let name = |process: &InLoop| naming::process_in(network, state, process.pid);
    let named = |wanted: &dyn Fn(&InLoop) -> bool| confirmed.processes.iter().filter(|p| wanted(p)).map(name).collect();
    facts.moving = named(&|process| process.moves);
    facts.starved = named(&InLoop::is_starved);
    for process in confirmed.processes.iter().filter(|p| !p.moves) {
        if let Some(at) = process.blocked_at {
            let there = Viewpoint { reference, state: &word.states()[at], own: Some(process.pid) };
            facts.idle.push(blocked::describe(there, process.pid));
        }
    }
    reason.cycle = Some(facts);
    reason
}

/// The reason for a path after which the formula cannot come true, or has no value.
pub fn explain_prefix(formula: &Formula, word: &Word<'_>, lost: &Lost<'_>) -> Reason {
    let Some(state) = word.states().last() else { return Reason::default() };
    let view = Viewpoint { reference: word.reference(), state, own: None };
    if let Lost::Undefined(condition, error) = lost {
        return super::undefined(view, &format!("`{}`", view.formula(formula)), condition, *error);
    }
    let headline = format!("`{}` is false of every run that begins like this", view.formula(formula));
    let values = formula.atoms().into_iter().map(|atom| super::FalsePart {
        text: view.text(atom),
        is_true: view.truth(atom).unwrap_or(false),
        values: view.values(atom),
    });
    Reason { headline, parts: values.collect(), ..Reason::default() }
}

/// `accept_all`, or `line 4` if it has no label.
fn place_of(view: Viewpoint<'_>, location: LocationId) -> String {
    let network = view.reference.network();
    let location = network.location(location);
    match location.labels.first() {
        Some(label) => format!("`{label}`"),
        None => format!("line {}", network.sources.line(location.span)),
    }
}

fn conditions(view: Viewpoint<'_>, formula: &Formula, word: &Word<'_>, back: usize) -> Vec<ConditionInRun> {
    let of = word.states().len() - back;
    let describe = |condition| {
        let truths: Vec<bool> = (0..word.states().len()).map(|at| word.truth(condition, at)).collect();
        let states = truths[back..].iter().filter(|t| **t).count();
        let in_loop = match states {
            0 => InCycle::Never,
            _ if states == of => InCycle::Always,
            _ => InCycle::Sometimes { states, of },
        };
        let same = truths.iter().rev().take_while(|t| **t == (states > 0)).count();
        let since = word.steps_before(truths.len() - same.max(1));
        ConditionInRun { text: view.text(condition), in_loop, since }
    };
    formula.atoms().into_iter().map(describe).collect()
}
