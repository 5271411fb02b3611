//! Small models, lowered and run by the reference evaluator.

use std::collections::{HashSet, VecDeque};

use bughound_ir::network::Network;
use bughound_ir::reference::{RefState, Reference, to_key};
use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_uppaal::lower::{Lowered, lower};
use bughound_uppaal::{parse, parse_queries};

/// `line:column message (label)` for each diagnostic.
pub fn shown(sources: &SourceMap, diagnostics: &[Diagnostic]) -> Vec<String> {
    let show = |d: &Diagnostic| {
        let span = d.span.unwrap_or_default();
        let label = if d.label.is_empty() { String::new() } else { format!(" ({})", d.label) };
        format!("{}:{} {}{label}", sources.line(span), sources.column(span), d.message)
    };
    diagnostics.iter().map(show).collect()
}

/// What there is to say about a model.
pub fn messages(text: &str) -> Vec<String> {
    let mut sources = SourceMap::default();
    let result = parse(&mut sources, "model", text.as_bytes());
    let Some(model) = result.ast else {
        assert!(result.diagnostics.iter().any(Diagnostic::is_error));
        return shown(&sources, &result.diagnostics);
    };
    let lowered = lower(&model, &[], &sources);
    shown(&sources, &[result.diagnostics, lowered.diagnostics].concat())
}

/// A model with queries in lines.
pub fn lowered(text: &str, queries: &str) -> Lowered {
    let mut sources = SourceMap::default();
    let result = parse(&mut sources, "model.xta", text.as_bytes());
    let model = result.ast.unwrap_or_else(|| panic!("{:?}", shown(&sources, &result.diagnostics)));
    let (queries, _) = parse_queries(&mut sources, "model.q", queries.as_bytes());
    let lowered = lower(&model, &queries, &sources);
    assert!(lowered.network.is_some(), "{:?}", shown(&sources, &lowered.diagnostics));
    lowered
}

pub fn network(text: &str) -> Network {
    lowered(text, "").network.unwrap()
}

/// All states that can be reached, and the messages of steps that fail.
pub fn explore(network: &Network) -> (Vec<RefState>, HashSet<String>) {
    let reference = Reference::new(network).expect("a model without clocks");
    let mut seen = HashSet::new();
    let mut states = Vec::new();
    let mut failures = HashSet::new();
    let mut open = VecDeque::from([reference.initial().unwrap()]);
    while let Some(state) = open.pop_front() {
        if !seen.insert(to_key(network, &state)) {
            continue;
        }
        assert!(seen.len() < 20_000, "the test models are small");
        for step in reference.micro_steps(&state) {
            match step.result {
                Ok(next) => open.push_back(next),
                Err(failure) => drop(failures.insert(failure.message)),
            }
        }
        states.push(state);
    }
    (states, failures)
}

/// The values of a variable in the states that can be reached, sorted.
pub fn values(network: &Network, variable: &str) -> Vec<i32> {
    let slot = slot(network, variable);
    let (states, failures) = explore(network);
    assert!(failures.is_empty(), "{failures:?}");
    let mut values: Vec<i32> = states.iter().map(|state| state.globals[slot]).collect();
    values.sort_unstable();
    values.dedup();
    values
}

pub fn slot(network: &Network, variable: &str) -> usize {
    let elements = network.variables.iter().flat_map(|v| v.elements());
    let names: Vec<String> = network.variables.iter().map(|v| v.name.clone()).collect();
    let found = elements.into_iter().find(|(_, name)| name == variable);
    found.unwrap_or_else(|| panic!("no variable {variable} among {names:?}")).0 as usize
}

/// For each property of the network: its truth in the states that can be reached, (somewhere, everywhere).
pub fn truths(network: &Network) -> Vec<(bool, bool)> {
    let reference = Reference::new(network).unwrap();
    let (states, _) = explore(network);
    let conditions = network.properties.iter().map(|p| p.question.conditions()[0]);
    let truth = |e| {
        let truths: Vec<bool> = states.iter().map(|s| reference.holds(s, e).unwrap()).collect();
        (truths.contains(&true), !truths.contains(&false))
    };
    conditions.map(truth).collect()
}
