//! Distances that were found by sets of states, against those of abstractions whose states were listed: for the same pattern they
//! are the same numbers, in every state of random programs and for every kind of error.

use bughound_heuristics::{BuildCx, build, diagnose};
use bughound_ir::expr::Expr;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::expression::parse;
use bughound_kernel::{Estimate, TransitionSystem, Unwatched};
use bughound_layers::ClaimProduct;
use bughound_semantics::{Claim, DiscreteSystem};
use bughound_testkit::distances::Graph;
use bughound_testkit::heuristic_claims::{kinds, program, weights};
use bughound_testkit::random_promela::Rng;
use bughound_testkit::seeds;

/// Larger state spaces are left out, and larger abstractions.
const MOST_STATES: usize = 300;

const CHOICES: [&str; 4] = ["everything", "russian-doll", "cone, depth=0", "cone, depth=2"];

#[derive(Clone, Copy, Debug, Default)]
struct Found {
    compared: usize,
    far: usize,
    dead_ends: usize,
    beyond: usize,
}

/// Compares patterns that are chosen in all these ways for one kind of error. Each is named, so that both have the same one, and
/// has room: what does not fit loses parts, in one way or the other.
fn compare(
    system: &DiscreteSystem,
    walked: &dyn TransitionSystem,
    graph: &Graph,
    targets: &Targets,
    found: &mut Found,
) {
    let none = |_: &str| Err("none here".to_string());
    let cx = BuildCx { system, targets, goal_state: None, read_expression: &none, watch: &Unwatched };
    for choice in CHOICES {
        let chosen = parse(&format!("pdb({choice}, states=3000)")).unwrap();
        let Some(pattern) = diagnose(&cx, &chosen).unwrap().patterns.into_iter().next() else { continue };
        // Those are kept in any case, or have no name.
        let has_name = |name: &&String| {
            !name.starts_with("who is") && !name.starts_with("the claim") && !name.starts_with("slot ")
        };
        let names: Vec<String> = pattern.kept.iter().filter(has_name).cloned().collect();
        let names = names.join(", ");
        let build = |rest: &str| {
            let text = parse(&format!("pdb(pattern=\"{names}\", {rest})")).unwrap();
            walked.guided(build(&text, &cx).unwrap())
        };
        let [mut listed, mut sets, mut near] =
            ["states=48000", "symbolic, nodes=50000", "symbolic, layers=1, nodes=50000"].map(build);
        assert_eq!(listed.claims(), sets.claims());
        for state in &graph.states {
            let [a, b, c] = [&mut listed, &mut sets, &mut near].map(|h| h.estimate(state.as_state().into()));
            assert_eq!(a, b, "{choice}: {names} for {targets:?} at {:?}", state.key);
            // Exact up to its last layer, then no more than the truth.
            match (a, c) {
                (Estimate::Finite(true_one), Estimate::Finite(near)) => {
                    assert!(near == true_one || 1 < near && near < true_one, "{near} instead of {true_one}");
                    found.beyond += usize::from(near < true_one);
                }
                (Estimate::DeadEnd, Estimate::Finite(near)) => assert!(near > 1),
                (_, Estimate::DeadEnd) => assert_eq!(a, c),
            }
            found.compared += 1;
            found.far += usize::from(a.finite().is_some_and(|estimate| estimate > 2));
            found.dead_ends += usize::from(a == Estimate::DeadEnd);
        }
    }
}

fn check(seed: u64) -> Found {
    let mut found = Found::default();
    let mut rng = Rng::new(seed);
    let mut program = program(seed, bughound_testkit::heuristic_claims::features(seed)).unwrap();
    program.weigh(weights(seed), &mut rng);
    if seed % 5 == 4 {
        program.weigh(&[0, 1, 5], &mut rng);
    }
    let network = &program.network;
    let Some(graph) = Graph::explore(&DiscreteSystem::new(network.clone(), &[]), MOST_STATES) else { return found };
    let kinds = kinds(network, &graph.states, &mut rng);
    let conditions = kinds.iter().flat_map(|(_, targets)| &targets.conditions);
    let atoms: Vec<Expr> = conditions.map(|condition| condition.condition.clone()).collect();
    let system = DiscreteSystem::new(network.clone(), &atoms);
    for (_, targets) in &kinds {
        match targets.claim {
            None => compare(&system, &system, &graph, targets, &mut found),
            Some(claim) => {
                let reads = Claim::new(&system, claim);
                let product = ClaimProduct::new(&system, &reads);
                if let Some(graph) = Graph::explore(&product, MOST_STATES) {
                    compare(&system, &product, &graph, targets, &mut found);
                }
            }
        }
    }
    found
}

#[test]
#[ignore = "takes minutes: patterns of some programs have many operators"]
fn sets_and_lists_say_the_same() {
    let mut total = Found::default();
    seeds::in_parallel(0..10, check, |_, found| {
        total.compared += found.compared;
        total.far += found.far;
        total.dead_ends += found.dead_ends;
        total.beyond += found.beyond;
    });
    println!("{total:?}");
    assert!(total.compared > 5_000 && total.far > 100 && total.dead_ends > 100 && total.beyond > 100, "{total:?}");
}
