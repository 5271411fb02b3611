//! The searches for accepting cycles keep their promises: against brute force on random graphs with marks.

use crate::support::cycle_runs::*;
use crate::support::marked::*;
use bughound_kernel::{HeuristicClaims, Marks, Random, State, delays};
use bughound_layers::OneCondition;
use bughound_search::registry::CycleSupport;
use bughound_search::{Controls, Entry, Incompleteness, Promise, algorithms};

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

fn compare(
    context: &str,
    searches: &[(&'static str, Entry)],
    graph: &MarkedGraph,
    estimates: &Estimates,
    threads: usize,
    tally: &mut Tally,
) {
    // Every other time they join when the first has done a part.
    let alone = if threads.is_multiple_of(2) { 15 } else { 0 };
    let controls = || Controls { threads, alone, ..Controls::default() };
    let truth = graph.least_violation();
    assert_eq!(truth.is_some(), graph.has_accepting_cycle() || graph.least_error().is_some(), "{context}");
    let mut lengths = Vec::new();
    for &(text, entry) in searches {
        let counting = OneCondition::new(graph);
        // A search that knows one condition of states only is helped where there is something else.
        let counts =
            entry.cycles == CycleSupport::OneCondition && !(graph.required.len() == 1 && graph.has_marks_of_states());
        let result = if counts {
            run_cycles_under(text, &counting, estimates, controls())
        } else {
            run_cycles_under(text, graph, estimates, controls())
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
    // Several threads may find another lasso each time.
    for name in ["nested-dfs", "improved-nested-dfs", "scc", "astar-dfs"].into_iter().filter(|_| threads == 1) {
        assert!(length(name) <= length(&format!("{name}(improve=false)")), "{name}, {context}: {lengths:?}");
    }
}

fn compare_all(kind: &str, graphs: impl Fn(u64) -> MarkedGraph) {
    let claims = [HeuristicClaims::NONE, HeuristicClaims::SAFE];
    let mut tally = Tally::default();
    for seed in 0..1000 {
        let graph = graphs(seed);
        let estimates = random_estimates(&mut Random::new(seed), &graph, claims[seed as usize % 2]);
        compare(&format!("{kind}, seed {seed}"), &searches(), &graph, &estimates, 1, &mut tally);
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

/// Several threads, which are delayed now and then where they race, find what one finds.
#[test]
fn several_threads_find_the_same() {
    let searches = searches().into_iter().filter(|(_, entry)| ["scc", "shortest-lasso", "auto"].contains(&entry.name));
    let searches: Vec<_> = searches.collect();
    let mut tally = Tally::default();
    delays::set(3);
    for seed in 0..400 {
        let graph = match seed % 4 {
            0 => random_marked(seed),
            1 => random_by_state(seed),
            2 => random_product(seed, seed as usize % 4),
            _ => large(seed),
        };
        let estimates = random_estimates(&mut Random::new(seed), &graph, HeuristicClaims::SAFE);
        let threads = 2 + seed as usize % 3;
        compare(&format!("{threads} threads, seed {seed}"), &searches, &graph, &estimates, threads, &mut tally);
    }
    delays::set(0);
    let Tally { lassos, errors, safe, proven } = tally;
    assert!(lassos > 300 && errors > 50 && safe > 300 && proven > 100, "{tally:?}");
}

/// Many components of several sizes, most of them with cycles that carry some of the marks: threads meet in them.
fn large(seed: u64) -> MarkedGraph {
    let mut random = Random::new(seed);
    let (components, conditions) = (3 + random.below(12), 1 + random.below(3));
    let required = (0..conditions as u16).fold(Marks::NONE, |all, number| all | Marks::process(number));
    let (mut edges, mut first) = (Vec::new(), 0);
    // Only one of them may have all marks.
    let whole = random.below(2 * components);
    for component in 0..components {
        let (size, missing) = (1 + random.below(12), random.below(conditions) as u16);
        for _ in 0..3 * size {
            let (from, to) = (first + random.below(size), first + random.below(size));
            let mark = Marks::process(random.below(conditions) as u16);
            let is_missing = component != whole && mark == Marks::process(missing);
            let marks = if random.below(4) > 0 || is_missing { Marks::NONE } else { mark };
            edges.push(MarkedEdge { from, to: Some(to), weight: 1, marks });
        }
        if component > 0 {
            edges.push(MarkedEdge { from: random.below(first), to: Some(first), weight: 1, marks: required });
        }
        first += size;
    }
    MarkedGraph::new(first, edges, required)
}

/// If there is nothing to find, everything is seen and counted once.
#[test]
fn several_threads_count_what_one_thread_counts() {
    let mut complete = 0;
    delays::set(5);
    for seed in 0..300 {
        let graph = if seed % 2 == 0 { large(seed) } else { random_marked(seed) };
        let estimates = random_estimates(&mut Random::new(seed), &graph, HeuristicClaims::SAFE);
        let run = |threads| {
            let controls = Controls { threads, ..Controls::default() };
            let result = run_cycles_under("scc", &graph, &estimates, controls);
            let stats = result.stats;
            (result.complete, result.saw_everything, [stats.stored, stats.transitions, stats.deadlocks])
        };
        let alone = run(1);
        if alone.0 {
            assert_eq!(run(2), alone, "seed {seed}");
            assert_eq!(run(4), alone, "seed {seed}");
            complete += 1;
        }
    }
    delays::set(0);
    assert!(complete > 100, "{complete}");
}
