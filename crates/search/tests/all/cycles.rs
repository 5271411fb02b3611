//! The searches for accepting cycles keep their promises: against brute force on random graphs with marks.

use crate::support::cycle_runs::*;
use crate::support::marked::*;
use bughound_kernel::{HeuristicClaims, Limits, Random, State};
use bughound_layers::OneCondition;
use bughound_search::registry::CycleSupport;
use bughound_search::{Entry, Incompleteness, Promise, algorithms};

/// Every search that knows cycles as it is listed, and some with other parameters.
fn searches() -> Vec<(&'static str, Entry)> {
    let others = [
        "nested-dfs(improve=false)",
        "improved-nested-dfs(improve=false)",
        "scc(improve=false)",
        "astar-dfs(improve=false)",
        "astar-dfs(w=0)",
        "astar-dfs(w=3.5, inner=blind)",
        "auto(effort=0)",
        "auto(effort=5)",
        "auto(effort=60)",
    ];
    let listed = algorithms::ALL.iter().filter(|entry| entry.cycles != CycleSupport::ByRecording);
    let with_entry = |text: &'static str| (text, *algorithms::find(text.split('(').next().unwrap()).unwrap());
    listed.map(|entry| entry.name).chain(others).map(with_entry).collect()
}

#[derive(Default, Debug)]
struct Tally {
    lassos: u32,
    errors: u32,
    safe: u32,
    proven: u32,
}

fn compare(context: &str, graph: &MarkedGraph, estimates: &Estimates, tally: &mut Tally) {
    let truth = graph.least_violation();
    assert_eq!(truth.is_some(), graph.has_accepting_cycle() || graph.least_error().is_some(), "{context}");
    let mut lengths = Vec::new();
    for (text, entry) in searches() {
        let counting = OneCondition::new(graph);
        // A search that knows one condition of states only is helped where there is something else.
        let counts =
            entry.cycles == CycleSupport::OneCondition && !(graph.required.len() == 1 && graph.has_marks_of_states());
        let result = if counts {
            run_cycles(text, &counting, estimates, Limits::default())
        } else {
            run_cycles(text, graph, estimates, Limits::default())
        };
        let context = format!("{text}, {context}: {result:?}");
        assert_eq!(entry.claims.complete, Promise::Always, "{context}");
        assert_eq!(result.witnesses.len(), usize::from(truth.is_some()), "{context}");
        assert_eq!(result.complete, truth.is_none(), "{context}");
        assert_eq!(result.complete, result.incomplete_because.is_empty(), "{context}");
        let Some(witness) = result.witnesses.first() else {
            tally.safe += 1;
            continue;
        };
        assert_eq!(result.incomplete_because, [Incompleteness::StoppedAtError], "{context}");
        assert_eq!((witness.property, witness.failure), (PROPERTY, None), "{context}");
        let start = State::discrete(&witness.start.key[usize::from(counts)..]);
        graph.check_witness(start, &witness.path, witness.loop_start, witness.length);
        assert!(Some(witness.length) >= truth, "{context}");
        if witness.proven_shortest {
            assert_eq!(Some(witness.length), truth, "{context}");
            tally.proven += 1;
        }
        assert!(witness.proven_shortest || entry.claims.optimal != Promise::Always, "{context}");
        *(if witness.loop_start.is_some() { &mut tally.lassos } else { &mut tally.errors }) += 1;
        lengths.push((text, witness.length));
    }
    let length = |name: &str| lengths.iter().find(|(text, _)| *text == name).map(|(_, length)| *length);
    for name in ["nested-dfs", "improved-nested-dfs", "scc", "astar-dfs"] {
        assert!(length(name) <= length(&format!("{name}(improve=false)")), "{name}, {context}: {lengths:?}");
    }
}

fn compare_all(kind: &str, graphs: impl Fn(u64) -> MarkedGraph) {
    let claims = [HeuristicClaims::NONE, HeuristicClaims::SAFE];
    let mut tally = Tally::default();
    for seed in 0..1000 {
        let graph = graphs(seed);
        let estimates = random_estimates(&mut Random::new(seed), &graph, claims[seed as usize % 2]);
        compare(&format!("{kind}, seed {seed}"), &graph, &estimates, &mut tally);
    }
    let Tally { lassos, errors, safe, proven } = tally;
    assert!(lassos > 2000 && errors > 500 && safe > 2000 && proven > 500, "{kind}: {tally:?}");
}

#[test]
fn several_conditions_on_steps() {
    compare_all("marks on edges", random_marked);
}

#[test]
fn one_condition_of_states() {
    compare_all("marks of states", random_by_state);
}

#[test]
fn products_with_claims_whose_components_are_known() {
    compare_all("products", |seed| random_product(seed, 0));
}

#[test]
fn products_with_more_conditions() {
    compare_all("products with fairness", |seed| random_product(seed, 1 + seed as usize % 3));
}
