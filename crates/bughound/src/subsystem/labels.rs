//! What stands in and at the states and steps of a picture, and in their tool tips.

use bughound_trace::svg::shortened;
use bughound_trace::{Chance, Filter};

use crate::chances::{Counterexample, ShownEdge};
use crate::numbers::{count, figure};

/// Lines in a state, and characters of a line.
const LINES: usize = 3;
const LONGEST: usize = 18;
/// Exact numbers with more characters are rounded.
const LONGEST_NUMBER: usize = 7;

/// For each state the values that tell most about it: all that differ between states if these are few, or else those that are
/// others than in the state that most of its probability comes from.
pub(super) fn state_labels(shown: &Counterexample, filter: &Filter) -> Vec<Vec<String>> {
    let telling = shown.telling_variables(filter);
    let parents = parents(shown);
    let label = |at: usize| -> Vec<String> {
        let state = &shown.states[at];
        let line = |name: &str, value: &str| shortened(&format!("{name}={value}"), LONGEST);
        let values = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| line(name, state.value(name).unwrap_or_default())).collect()
        };
        let all = match parents[at] {
            Some(parent) if telling.len() > LINES => {
                let changes = state.changes(&shown.states[parent], filter);
                changes.map(|(name, _, value)| line(name, value)).collect()
            }
            _ => values(&telling),
        };
        match all.len() {
            0 => vec!["–".into()],
            many if many > LINES => {
                let more = format!("and {} more", many - LINES + 1);
                all.into_iter().take(LINES - 1).chain([more]).collect()
            }
            _ => all,
        }
    };
    (0..shown.states.len()).map(label).collect()
}

/// For each state the one before it from which most of its probability comes; nothing for the initial one.
fn parents(shown: &Counterexample) -> Vec<Option<usize>> {
    let mut best: Vec<Option<&ShownEdge>> = vec![None; shown.states.len()];
    for edge in shown.edges.iter().filter(|edge| edge.from < edge.to) {
        let known = &mut best[edge.to];
        if known.is_none_or(|known| known.flow < edge.flow) {
            *known = Some(edge);
        }
    }
    best.into_iter().map(|edge| edge.map(|edge| edge.from)).collect()
}

/// Everything about a state, line by line.
pub(super) fn state_tip(shown: &Counterexample, at: usize, filter: &Filter) -> Vec<String> {
    let state = &shown.states[at];
    let role = match (at, state.is_end) {
        (0, _) => ", the initial one",
        (_, true) => ", the end of paths",
        _ if state.is_beyond => ", where the goal is avoided for ever",
        _ => "",
    };
    let mut lines = vec![format!("state {}{role}", count(at as u64))];
    let admitted = state.values.iter().filter(|(name, _)| filter.admits(name));
    lines.extend(admitted.map(|(name, value)| format!("{name} = {value}")));
    if !state.is_beyond {
        lines.push(format!("expected visits {}", figure(state.visits)));
        lines.push(format!("probability of getting to an end from here {}", figure(state.chance)));
    }
    lines.extend(state.choice.iter().map(|choice| format!("the scheduler takes {choice}")));
    lines
}

/// Everything about a step, line by line.
pub(super) fn edge_tip(shown: &Counterexample, edge: &ShownEdge) -> Vec<String> {
    let mut lines = vec![Chance { number: edge.exact.clone(), is_rate: false }.to_string()];
    lines.extend(edge.rate.iter().map(|rate| format!("rate {}", figure(*rate))));
    match shown.states[edge.from].is_end || shown.states[edge.from].is_beyond {
        true => lines.push("beyond the ends of paths".into()),
        false => lines.push(format!("expected to be taken {} times", figure(edge.flow))),
    }
    for command in edge.commands.iter().map(|command| &shown.commands[*command]) {
        let place = command.line.map_or(String::new(), |line| format!(" line {line}"));
        lines.push(format!("{}{place}: {}", command.module, command.text));
    }
    lines
}

/// The probability at a step; nothing where there is no other.
pub(super) fn edge_label(edge: &ShownEdge) -> String {
    let exact = edge.exact.to_string();
    match edge.probability {
        1.0 => String::new(),
        // One third is no decimal number; one tenth is.
        rounded if exact.len() <= LONGEST_NUMBER && figure(rounded).parse() != Ok(rounded) => exact,
        rounded => figure(rounded),
    }
}
