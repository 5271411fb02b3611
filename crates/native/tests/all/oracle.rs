//! Every search on random graphs: verdicts and proven lengths against brute force.

use bughound_kernel::Random;
use bughound_native::{Answer, Checker, Estimate, HeuristicClaims, PropertyKind, RustModel, Verdict, check_estimates};
use bughound_search::{Promise, algorithms};

use crate::graphs::{Graph, node};

/// Every search by its name (two with smaller parameters: they would go on for long where there is nothing to find), and
/// some with others.
fn searches() -> Vec<String> {
    let small = |name: &str| match name {
        "random-walk" => "random-walk(walks=20, steps=50)".to_string(),
        "bitstate-dfs" => "bitstate-dfs(bits=4096)".to_string(),
        name => name.to_string(),
    };
    let others = [
        "astar(h=blind)",
        "greedy(h=estimate, ties=low-h)",
        "auto(shortest=true)",
        "auto(effort=0)",
        "wastar(w=3)",
        "icb(blocked=free)",
        "icb(by=interference)",
        "idastar(visited=bitstate, bits=4096)",
        "iterative-deepening(visited=bitstate, bits=64)",
        "trail-directed(first=dfs)",
        "beam(k=2)",
        "depth-bounded-dfs(depth=4)",
        "guided(second=estimate)",
    ];
    algorithms::ALL.iter().map(|entry| small(entry.name)).chain(others.map(String::from)).collect()
}

/// Estimates that keep a claim, and no more than that.
fn estimates(random: &mut Random, distances: &[Option<u64>], claims: HeuristicClaims) -> Vec<Estimate> {
    let estimate = |distance: &Option<u64>| match distance {
        Some(distance) if claims.consistent => Estimate::Finite(distance / 2),
        Some(distance) if claims.admissible => Estimate::Finite(random.below(*distance as usize + 1) as u64),
        None if random.one_in(2) => Estimate::DeadEnd,
        None if claims.consistent => Estimate::Finite(1000),
        _ if !claims.admissible && random.one_in(4) => Estimate::DeadEnd,
        _ => Estimate::Finite(random.below(20) as u64),
    };
    distances.iter().map(estimate).collect()
}

/// How often something was seen: a test that sees nothing proves nothing.
#[derive(Debug, Default)]
struct Seen {
    found: u32,
    proven_absent: u32,
    proven_shortest: u32,
    undecided: u32,
}

fn judge(graph: &Graph, answer: &Answer<Graph>, truth: Option<u64>, context: &str, seen: &mut Seen) {
    let is_question = answer.kind == PropertyKind::Sometimes;
    let (there, absent) =
        if is_question { (Verdict::Satisfied, Verdict::Violated) } else { (Verdict::Violated, Verdict::Holds) };
    let Some(trace) = &answer.trace else {
        assert_ne!(answer.verdict, there, "{context}");
        if answer.verdict == absent {
            assert_eq!(truth, None, "proof of what is not so: {context}");
            seen.proven_absent += 1;
        } else {
            assert!(!answer.incomplete_because.is_empty(), "{context}");
            seen.undecided += 1;
        }
        return;
    };
    assert_eq!(answer.verdict, there, "{context}");
    seen.found += 1;
    let truth = truth.unwrap_or_else(|| panic!("a trace to what does not exist: {context}"));
    // The trace, followed on the graph itself.
    assert!(graph.initial.contains(&node(&trace.start)), "{context}");
    let mut cost = 0;
    let mut at = node(&trace.start);
    for step in &trace.steps {
        let crate::graphs::Take::Edge(number) = step.action else { panic!("an impossible action: {context}") };
        let edge = graph.edges[number];
        assert_eq!((edge.from, edge.to), (at, node(&step.state)), "{context}");
        (at, cost) = (edge.to, cost + edge.cost);
    }
    assert_eq!(cost, trace.cost, "{context}");
    assert!(cost >= truth, "{context}");
    if trace.proven_shortest {
        assert_eq!(cost, truth, "not the shortest: {context}");
        seen.proven_shortest += 1;
    }
}

#[test]
fn every_search_agrees_with_brute_force() {
    let searches = searches();
    let kinds =
        [None, Some(HeuristicClaims::NONE), Some(HeuristicClaims::ADMISSIBLE), Some(HeuristicClaims::CONSISTENT)];
    let mut seen = Seen::default();
    for seed in 0..160 {
        let mut random = Random::new(seed);
        let mut graph = Graph::random(&mut random);
        let to_marked = graph.distances(&graph.marked);
        let claims = kinds[seed as usize % 4];
        graph.estimates = claims.map(|claims| (estimates(&mut random, &to_marked, claims), claims));
        let marked = graph.distance(&graph.marked);
        let truths = [graph.distance(&graph.stuck()), marked, marked, None, None];
        let brute = check_estimates(&graph, 100).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(brute.to.iter().map(|(_, distance)| *distance).eq(truths), "seed {seed}: {brute:?}");
        for text in &searches {
            let report = Checker::new(&graph).search(text).seed(seed).check();
            let report = report.unwrap_or_else(|error| panic!("{text}, seed {seed}: {error}"));
            let entry = algorithms::find(text.split('(').next().unwrap()).unwrap();
            for ((answer, truth), property) in report.answers.iter().zip(truths).zip(graph.properties()) {
                let context = format!("{text}, seed {seed}, {}: {} (truth: {truth:?})", answer.property, answer);
                judge(&graph, answer, truth, &context, &mut seen);
                let claims = property.claims().unwrap_or(HeuristicClaims::CONSISTENT);
                let keeps = |promise: Promise| promise.holds_with(claims) == Some(true);
                if keeps(entry.claims.complete) {
                    let undecided = matches!(answer.verdict, Verdict::Inconclusive | Verdict::Limit);
                    assert!(!undecided && answer.trace.is_some() == truth.is_some(), "{context}");
                }
                if keeps(entry.claims.optimal) {
                    assert!(answer.trace.iter().all(|trace| trace.proven_shortest), "{context}");
                }
            }
        }
    }
    assert!(seen.found > 5000 && seen.proven_absent > 5000, "{seen:?}");
    assert!(seen.proven_shortest > 3000 && seen.undecided > 500, "{seen:?}");
}

#[test]
fn exploring_counts_every_state_once() {
    for seed in 0..50 {
        let graph = Graph::random(&mut Random::new(seed));
        let states = check_estimates(&graph, 100).unwrap().states;
        for search in ["bfs", "dfs", "auto"] {
            let statistics = Checker::new(&graph).search(search).explore().unwrap();
            assert_eq!(
                (statistics.stored, statistics.expanded),
                (states as u64, states as u64),
                "{search}, seed {seed}"
            );
        }
    }
}

#[test]
fn the_first_error_ends_the_check_and_an_example_does_not() {
    let mut graph = Graph::random(&mut Random::new(1));
    graph.edges =
        vec![crate::graphs::Edge { from: 0, to: 1, cost: 1 }, crate::graphs::Edge { from: 1, to: 2, cost: 1 }];
    (graph.initial, graph.marked, graph.ends) = (vec![0], vec![1], vec![]);
    let verdicts =
        |report: bughound_native::Report<Graph>| report.answers.iter().map(|answer| answer.verdict).collect::<Vec<_>>();
    use Verdict::*;
    let all = Checker::new(&graph).search("bfs").check().unwrap();
    assert_eq!(all.verdict(), Violated);
    assert_eq!(verdicts(all), [Violated, Violated, Satisfied, Holds, Violated]);
    let first = Checker::new(&graph).search("bfs").first_error().check().unwrap();
    assert_eq!(verdicts(first), [Inconclusive, Violated, Inconclusive, Inconclusive, Inconclusive]);
    // Without errors, questions are asked as well, and the answer to one does not end the search for the other.
    (graph.marked, graph.ends) = (vec![], vec![2]);
    let first = Checker::new(&graph).search("bfs").first_error().check().unwrap();
    assert_eq!(verdicts(first), [Holds, Holds, Violated, Holds, Violated]);
}
