//! Why nothing moves: for each process of a deadlock where it stands and what it is waiting for.

use bughound_ir::edge::{Alternative, Condition, Edge, Sync};
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::reference::{RefState, Reference};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::explain::Reason;
use crate::expression::Viewpoint;
use crate::naming;
use crate::replay::Place;

/// A statement that a process would execute if it could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Wait {
    /// The statement.
    pub text: String,
    /// Where it is.
    pub source: Place,
    /// Why it cannot.
    pub why: String,
}

/// A process that cannot do what it wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BlockedProcess {
    /// Its number.
    pub pid: usize,
    /// Its name, such as `P(1)`.
    pub process: String,
    /// Where it stands.
    pub source: Place,
    /// It may rest here: it is at an end state.
    pub may_rest: bool,
    /// What it would do if it could.
    pub waits: Vec<Wait>,
}

/// The reason for a deadlock.
pub fn explain(reference: Reference<'_>, state: &RefState) -> Reason {
    let state = &state.ordinary();
    let blocked: Vec<BlockedProcess> =
        (0..state.processes.len()).map(|pid| describe(Viewpoint { reference, state, own: Some(pid) }, pid)).collect();
    let stuck = blocked.iter().filter(|b| !b.may_rest).count();
    let headline = format!("deadlock: {stuck} of {} processes cannot go on", blocked.len());
    let headline = if blocked.len() == 1 { "deadlock: the only process cannot go on".into() } else { headline };
    Reason { headline, blocked, ..Reason::default() }
}

pub(super) fn describe(view: Viewpoint<'_>, pid: usize) -> BlockedProcess {
    let network = view.reference.network();
    let process = &view.state.processes[pid];
    let location = network.location(process.location);
    let provided = network.template(process.template).provided.as_ref();
    let not_provided = provided.filter(|clause| view.truth(clause) == Ok(false));
    let mut waits = Vec::new();
    for id in &location.edges {
        let edge = network.edge(*id);
        let why = match not_provided {
            Some(clause) => Some(format!(
                "the provided clause `{}` is false{}",
                view.text(clause),
                view.values_in_parentheses(clause)
            )),
            None => why_not(view, edge),
        };
        if let Some(why) = why {
            let wait = Wait { text: edge.text.clone(), source: Place::of(network, edge.span), why };
            if !waits.contains(&wait) {
                waits.push(wait);
            }
        }
    }
    BlockedProcess {
        pid,
        process: naming::process_name(network, process.template, pid),
        source: Place::of(network, location.span),
        may_rest: location.flags.end,
        waits,
    }
}

/// Why an edge is not executable; `None` for an `else`, which only waits for the others.
pub(super) fn why_not(view: Viewpoint<'_>, edge: &Edge) -> Option<String> {
    match edge.condition {
        Condition::Else => return None,
        Condition::Youngest => {
            let own = view.own.unwrap_or(0);
            let network = view.reference.network();
            let younger: Vec<String> =
                (own + 1..view.state.processes.len()).map(|pid| naming::process_in(network, view.state, pid)).collect();
            if !younger.is_empty() {
                return Some(format!("waits for younger processes to end ({})", list(&younger)));
            }
        }
        Condition::None => {}
    }
    if let Some(why) = false_guard(view, &edge.guards) {
        return Some(why);
    }
    if let Some(why) = false_clock_guard(view, edge) {
        return Some(why);
    }
    if edge.sync != Sync::None {
        return Some(no_communication(view, &edge.sync));
    }
    if view.reference.clocks().is_some() && !edge.clock_guards.is_empty() {
        return Some("an invariant is in its way".into());
    }
    if let Some(id) = edge.program {
        let entry = view.reference.network().program(id).nodes.first();
        let reasons: Vec<String> =
            entry.into_iter().flat_map(|node| &node.alternatives).filter_map(|a| no_entry(view, a)).collect();
        return Some(if reasons.is_empty() {
            "its first statement is not executable".into()
        } else {
            reasons.join("; ")
        });
    }
    Some("it is not executable".into())
}

/// A clock guard that is false now; in a deadlock it stays so for as long as time can pass.
fn false_clock_guard(view: Viewpoint<'_>, edge: &Edge) -> Option<String> {
    view.reference.clocks()?;
    let guards = edge.clock_guards.iter().map(|guard| Expr::Clock(Box::new(guard.clone())));
    let guard = guards.into_iter().find(|guard| view.truth(guard) != Ok(true))?;
    Some(format!("`{}` is false and stays so{}", view.text(&guard), view.values_in_parentheses(&guard)))
}

fn no_entry(view: Viewpoint<'_>, alternative: &Alternative) -> Option<String> {
    if alternative.condition == Condition::Else {
        return None;
    }
    let guard = false_guard(view, &alternative.guards);
    guard.or_else(|| (alternative.sync != Sync::None).then(|| no_communication(view, &alternative.sync)))
}

fn list(names: &[String]) -> String {
    const MANY: usize = 4;
    if names.len() <= MANY {
        return names.join(", ");
    }
    format!("{} and {} more", names[..MANY - 1].join(", "), names.len() + 1 - MANY)
}

fn false_guard(view: Viewpoint<'_>, guards: &[Expr]) -> Option<String> {
    let guard = guards.iter().find(|guard| view.truth(guard) != Ok(true))?;
    if *guard == Expr::Timeout {
        return Some("timeout does not help: no process could go on".into());
    }
    let mut conjuncts = Vec::new();
    false_conjuncts(view, guard, &mut conjuncts);
    let texts: Vec<String> = conjuncts
        .into_iter()
        .map(|part| match view.truth(part) {
            Err(error) => format!("`{}` cannot be evaluated: {error}", view.text(part)),
            Ok(_) => match part {
                Expr::Const(_) => "it is never executable".into(),
                _ => format!("`{}` is false{}", view.text(part), view.values_in_parentheses(part)),
            },
        })
        .collect();
    Some(texts.join(", "))
}

fn false_conjuncts<'e>(view: Viewpoint<'_>, guard: &'e Expr, out: &mut Vec<&'e Expr>) {
    match guard {
        Expr::Binary(BinaryOp::And, left, right) => {
            for side in [left, right] {
                if view.truth(side) != Ok(true) {
                    false_conjuncts(view, side, out);
                }
            }
        }
        other => out.push(other),
    }
}

fn no_communication(view: Viewpoint<'_>, sync: &Sync) -> String {
    let (channel, receives) = match sync {
        Sync::None => return "it is not executable".into(),
        Sync::Send { channel, .. } => (channel, None),
        Sync::Receive { channel, anywhere, .. } => (channel, Some(*anywhere)),
        Sync::Emit { .. } => return "no partner for the synchronisation".into(),
        Sync::Accept { .. } => return "nobody starts the synchronisation".into(),
        Sync::Join { .. } => return "another process does not take part in the synchronisation".into(),
    };
    let network = view.reference.network();
    let name = view.channel_text(channel);
    let Some((declared, queue)) = view.value(channel).and_then(|n| naming::channel(network, view.state, n)) else {
        return format!("{name} is no channel");
    };
    if declared.capacity == 0 {
        return match receives {
            None => format!("no partner for the rendezvous on {name}: nobody receives"),
            Some(_) => format!("no partner for the rendezvous on {name}: nobody sends"),
        };
    }
    match (receives, queue.front()) {
        (None, _) => format!("channel {name} is full ({} of {})", queue.len(), declared.capacity),
        (Some(_), None) => format!("no message in {name}"),
        (Some(false), Some(oldest)) => {
            let message = naming::message(network, view.state, declared, oldest);
            format!("the oldest message in {name}, {message}, does not match")
        }
        (Some(true), Some(_)) => {
            let contents = naming::messages(network, view.state, declared, queue);
            format!("no message in {name} matches: {contents}")
        }
    }
}
