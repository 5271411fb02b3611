//! Steps in words: what a choice would do, what a step did.

use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState};
use bughound_kernel::Move;
use bughound_trace::{Participant, Place, TraceStep, changes, process_in, process_name, surplus};

/// A step as traces show it.
pub fn describe(network: &Network, before: &RefState, step: &MicroStep) -> TraceStep {
    let participant = |m: &Move| {
        let edge = network.edge(EdgeId(m.edge));
        Participant {
            pid: m.process as usize,
            process: process_in(network, before, m.process as usize),
            source: Place::of(network, edge.span),
            text: edge.text.clone(),
        }
    };
    let after = step.result.as_ref().ok();
    let names = |processes: Option<Vec<_>>| {
        let name = |(template, pid)| process_name(network, template, pid);
        processes.unwrap_or_default().into_iter().map(name).collect()
    };
    TraceStep {
        participants: step.moves.iter().map(participant).collect(),
        changes: after.map(|after| changes(network, before, after)).unwrap_or_default(),
        started: names(after.map(|after| surplus(after, before))),
        ended: names(after.map(|after| surplus(before, after))),
        printed: step.printed.clone(),
        keeps_control: false,
        failures: step.soft_failures.iter().chain(step.result.as_ref().err()).map(|f| f.message.clone()).collect(),
        weight: step.weight,
    }
}

/// `line 4`, or `other.pml:4` in another file than the main one.
fn place(network: &Network, place: &Place) -> String {
    match place.line {
        0 => String::new(),
        line if place.file == network.name => format!("line {line}"),
        line => format!("{}:{line}", place.file),
    }
}

fn who(network: &Network, step: &TraceStep) -> String {
    let one = |p: &Participant| match place(network, &p.source) {
        at if at.is_empty() => format!("{}  {}", p.process, p.text),
        at => format!("{}  {at}  {}", p.process, p.text),
    };
    step.participants.iter().map(one).collect::<Vec<_>>().join("  with  ")
}

/// A choice on one line: who would do what, and whether it would fail.
pub fn choice_text(network: &Network, state: &RefState, choice: &MicroStep) -> String {
    let step = describe(network, state, choice);
    let fails = if step.failures.is_empty() { "" } else { "   (fails)" };
    format!("{}{fails}", who(network, &step))
}

/// A step that was taken on one line: who did what, and what changed.
pub fn step_text(network: &Network, step: &TraceStep) -> String {
    let mut notes: Vec<String> = Vec::new();
    for change in step.changes.iter().filter(|c| c.is_news()) {
        let new = change.new.as_deref().unwrap_or_default();
        notes.push(match &change.old {
            Some(old) => format!("{}: {old} → {new}", change.name),
            None => format!("{} = {new}", change.name),
        });
    }
    notes.extend(step.started.iter().map(|name| format!("{name} starts")));
    notes.extend(step.ended.iter().map(|name| format!("{name} ends")));
    let notes = notes.join(", ");
    if notes.is_empty() { who(network, step) } else { format!("{}   {notes}", who(network, step)) }
}
