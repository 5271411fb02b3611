//! Steps in words: what a choice would do, what a step did.

use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState};
use bughound_trace::{Participant, Place, TraceStep, describe};

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
    let chance = step.chance_in_words().map_or(String::new(), |chance| format!("   {chance}"));
    let fails = if step.failures.is_empty() { "" } else { "   (fails)" };
    format!("{}{chance}{fails}", who(network, &step))
}

/// A step that was taken on one line: who did what, and what changed.
pub fn step_text(network: &Network, step: &TraceStep) -> String {
    let mut notes: Vec<String> = Vec::new();
    notes.extend(step.chance_in_words());
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
