//! Semi-external search against brute force on random graphs with marks: is there an accepting cycle?

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_external::budget::Budget;
use bughound_external::{Medium, SemiExternal, Space};
use bughound_kernel::*;
use bughound_layers::OneCondition;
use bughound_search::*;
use bughound_store::Stores;

use crate::support::cycle_runs::goals;
use crate::support::marked::*;
use crate::trials::{Shelf, budget};

fn run(
    system: &dyn TransitionSystem,
    goals: &Goals,
    budget: Budget,
    medium: Box<dyn Medium>,
    controls: Controls<'_>,
) -> Result<SearchResult, SearchError> {
    let stores = Stores::new(system);
    let task = Task { system, goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &NoHeuristics };
    let space = Space::new(medium, None);
    let search = SemiExternal { name: "semi-external-dfs", budget: Some(budget) };
    let result = search.run_in(&space, task, &mut Driver::new(controls));
    assert_eq!(space.traffic().used, 0, "files are left");
    result
}

#[derive(Debug, Default)]
struct Tally {
    lassos: u32,
    errors: u32,
    safe: u32,
    long: u32,
}

/// The search on a graph, with one condition, if there are several.
fn compare(graph: &MarkedGraph, random: &mut Random, context: &str, tally: &mut Tally) {
    let counting = OneCondition::new(graph);
    let counts = graph.required.len() != 1;
    let system: &dyn TransitionSystem = if counts { &counting } else { graph };
    let shelf = Shelf::default();
    let result = run(system, &goals(), budget(random), Box::new(shelf.clone()), Controls::default()).unwrap();
    assert_eq!(shelf.files(), 0);
    let context = format!("{context}: {result:?}");
    let truth = graph.least_violation();
    assert_eq!(result.witnesses.len(), usize::from(truth.is_some()), "{context}");
    assert_eq!(result.complete, truth.is_none(), "{context}");
    let Some(witness) = result.witnesses.first() else {
        tally.safe += 1;
        return;
    };
    assert!(!witness.proven_shortest && truth.is_some_and(|truth| witness.length >= truth), "{context}");
    assert!(result.at_least == 0, "{context}");
    let start = State::discrete(&witness.start.key[usize::from(counts)..]);
    graph.check_witness(start, &witness.path, witness.loop_start, witness.length);
    match witness.loop_start {
        // Errors in states are found before any lasso.
        None => {
            assert_eq!(Some(witness.length), graph.least_error(), "{context}");
            tally.errors += 1;
        }
        Some(at) => {
            assert_eq!(graph.least_error(), None, "{context}");
            let edges = witness.path[..at].iter().map(|moves| &graph.edges[moves[0].edge as usize]);
            let head = graph.edges[witness.path[at][0].edge as usize].from;
            let stem: u64 = edges.map(|edge| edge.weight).sum();
            assert!(counts || Some(stem) == graph.distances()[head], "{context}: the stem is a shortest one");
            tally.lassos += 1;
            tally.long += u32::from(witness.path.len() - at > 5);
        }
    }
}

#[test]
fn accepting_cycles_are_found_exactly_where_there_are_some() {
    let mut tally = Tally::default();
    for seed in 0..3_000 {
        let mut random = Random::new(seed);
        let graph = match seed % 4 {
            0 => random_marked(seed),
            1 => random_by_state(seed),
            _ => random_product(seed, seed as usize % 3),
        };
        compare(&graph, &mut random, &format!("seed {seed}"), &mut tally);
    }
    assert!(tally.lassos > 500 && tally.errors > 200 && tally.safe > 500, "{tally:?}");
}

/// Sparse graphs with few marks: long paths, so that the stack goes to disk, and components that are left many times.
fn sparse(seed: u64) -> MarkedGraph {
    let mut random = Random::new(seed);
    let nodes = 50 + random.below(400);
    let near = 1 + random.below(30);
    let mut edges = Vec::new();
    for from in 0..nodes {
        for _ in 0..1 + random.below(3) {
            // Mostly onwards; seldom back, so that there are components of several sizes.
            let to =
                if random.below(8) == 0 { from.saturating_sub(random.below(near)) } else { from + 1 + random.below(3) };
            let marks = if random.below(12) == 0 { Marks::ACCEPT } else { Marks::NONE };
            edges.push(MarkedEdge { from, to: Some(to % nodes), weight: random.below(3) as u64, marks });
        }
    }
    // Without the way back to the beginning, what is accepted lies in the components only.
    let closed = random.below(3) == 0;
    edges.retain(|edge| closed || edge.to.is_some_and(|to| to + near >= edge.from));
    let wanted = random.below(3);
    if wanted > 0 {
        // Marks on steps that lie on no cycle, or on few.
        let mut graph = MarkedGraph::new(nodes, edges.clone(), Marks::ACCEPT);
        let on_cycle = {
            for edge in &mut graph.edges {
                edge.marks = Marks::ACCEPT;
            }
            graph.on_accepting_cycles()
        };
        for edge in &mut edges {
            let inside = on_cycle[edge.from] && edge.to.is_some_and(|to| on_cycle[to]);
            if inside && random.below(40) > 0 {
                edge.marks = Marks::NONE;
            }
        }
    }
    MarkedGraph::new(nodes, edges, Marks::ACCEPT)
}

#[test]
fn long_paths_and_many_components() {
    let mut tally = Tally::default();
    for seed in 0..600 {
        compare(&sparse(seed), &mut Random::new(seed), &format!("seed {seed}"), &mut tally);
    }
    assert!(tally.lassos > 100 && tally.safe > 50 && tally.long > 50, "{tally:?}");
}

/// Fails at its n-th operation, by an error, by a lost byte or by a changed bit, and from then on, or once.
struct Flaky {
    shelf: Shelf,
    left: AtomicU64,
    how: u64,
}

impl Flaky {
    fn is_time(&self) -> bool {
        self.left.fetch_sub(1, Ordering::Relaxed) == 1
    }
}

impl Medium for Flaky {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
        if !self.is_time() {
            return self.shelf.append(file, bytes);
        }
        match self.how % 4 {
            0 => Err(io::ErrorKind::StorageFull.into()),
            1 => Err(io::Error::other("broken")),
            2 => self.shelf.append(file, &bytes[..bytes.len() - 1]),
            _ => {
                let mut changed = bytes.to_vec();
                let at = self.how as usize / 4 % (changed.len() * 8);
                changed[at / 8] ^= 1 << (at % 8);
                self.shelf.append(file, &changed)
            }
        }
    }

    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
        self.shelf.read(file, at, into)?;
        if self.is_time() {
            match self.how % 2 {
                0 => return Err(io::Error::other("unreadable")),
                _ => into[self.how as usize / 4 % into.len()] ^= 0x10,
            }
        }
        Ok(())
    }

    fn remove(&self, file: u64) -> io::Result<()> {
        self.shelf.remove(file)
    }
}

#[test]
fn a_disk_that_fails_is_a_verdict() {
    let (mut failed, mut answered) = (0, 0);
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let graph = sparse(seed % 50);
        let shelf = Shelf::default();
        let soon = if random.one_in(2) { 40 } else { 400 };
        let left = AtomicU64::new(1 + random.below(soon) as u64);
        let flaky = Flaky { shelf: shelf.clone(), left, how: random.draw() >> 8 };
        let sizes = bughound_external::run::Sizes { in_memory: 0, chunk: 100 + random.below(1_000) };
        let budget = Budget { batches: 3_000, runs: 0, hashes: 500, bits: 8, worth: 1, sizes };
        let result = run(&graph, &goals(), budget, Box::new(flaky), Controls::default()).unwrap();
        assert_eq!(shelf.files(), 0, "seed {seed}");
        let truth = graph.least_violation();
        let context = format!("seed {seed}: {result:?}, truth {truth:?}");
        match result.stop_reason {
            Some(StopReason::DiskSpace | StopReason::DiskFailure) => {
                assert!(!result.complete && result.witnesses.is_empty(), "{context}");
                failed += 1;
            }
            None => {
                assert_eq!(result.witnesses.len(), usize::from(truth.is_some()), "{context}");
                assert_eq!(result.complete, truth.is_none(), "{context}");
                answered += 1;
            }
            Some(_) => panic!("{context}"),
        }
    }
    assert!(failed > 300 && answered > 100, "{failed} {answered}");
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let graph = sparse(1);
    let limits = Limits { depth: Some(10), ..Limits::default() };
    let refused = run(
        &graph,
        &goals(),
        budget(&mut Random::new(1)),
        Box::new(Shelf::default()),
        Controls { limits, ..Controls::default() },
    );
    let Err(SearchError::Build(error)) = refused else { panic!("{refused:?}") };
    assert!(error.to_string().contains("bound on the depth"), "{error}");
}

/// Limits end both parts of it, and nothing is promised then.
#[test]
fn limits_are_verdicts() {
    let mut reached = 0;
    for seed in 0..300 {
        let graph = sparse(seed);
        let mut random = Random::new(seed);
        let (stop, limits) =
            (StopSignal::default(), Limits { states: Some(1 + random.below(60) as u64), ..Limits::default() });
        let controls = Controls { limits, stop, ..Controls::default() };
        let result = run(&graph, &goals(), budget(&mut random), Box::new(Shelf::default()), controls).unwrap();
        if result.stop_reason == Some(StopReason::States) {
            assert!(!result.complete && result.at_least == 0, "seed {seed}: {result:?}");
            reached += 1;
        }
        // As much memory as the states need, and not what comes after them.
        let limits = Limits { memory: Some(1 << 12), ..Limits::default() };
        let controls = Controls { limits, ..Controls::default() };
        let result = run(&graph, &goals(), budget(&mut random), Box::new(Shelf::default()), controls).unwrap();
        assert_eq!(result.stop_reason, Some(StopReason::Memory), "seed {seed}: {result:?}");
    }
    assert!(reached > 200, "{reached}");
}

/// Somebody counts the steps that both searches take: each state is expanded three times at most, but for those that the
/// enumeration has to expand again because another one looked as if it was known.
#[test]
fn no_state_is_expanded_more_than_three_times() {
    for seed in 0..200 {
        let graph = sparse(seed);
        let result =
            run(&graph, &goals(), budget(&mut Random::new(seed)), Box::new(Shelf::default()), Controls::default());
        let stats = result.unwrap().stats;
        assert!(stats.expanded <= 3 * stats.stored + stats.reopened, "seed {seed}: {stats:?}");
    }
}
