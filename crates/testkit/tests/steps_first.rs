//! Searches that look at steps before states, with the contexts of real programs: their verdicts on random programs and
//! conditions are those of breadth-first search.

use bughound::guide::{Guide, targets};
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Limits};
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, SearchError, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::DiscreteSystem;
use bughound_store::Stores;
use bughound_testkit::conditions;
use bughound_testkit::heuristic_claims::{features, program};
use bughound_testkit::random_promela::Rng;

const PROGRAMS: u64 = 60;
/// Larger programs are left out.
const STATES: u64 = 2000;

const SEARCHES: [&str; 8] = [
    "ce",
    "ce(order=bfs)",
    "ce(order=dfs)",
    "icb",
    "icb(by=interference, n=1, order=dfs)",
    "ut",
    "guided",
    "guided(deferred=true, seed=7)",
];

/// It leaves steps out where it may.
const PRUNING: [&str; 2] = ["ce(prune=true, order=bfs)", "ce(prune=true)"];

#[test]
fn verdicts_are_those_of_breadth_first_search() {
    let (mut violated, mut safe, mut pruned) = (0, 0, 0);
    for seed in 0..PROGRAMS {
        let Ok(program) = program(seed, features(seed)) else { continue };
        let mut rng = Rng::new(seed ^ 0x5e95);
        let error = conditions::random(&program.network, &mut rng);
        let atoms = [error.condition];
        let system = DiscreteSystem::new(program.network, &atoms);
        let invariant = InvariantGoal { property: 0, atom: AtomId(0), expected: !error.wanted };
        let goals = Goals { invariants: vec![invariant], ..Goals::none() };
        let read_expression = |_: &str| Err("none here".to_string());
        let guide = Guide { system: &system, targets: targets(&goals, &atoms), read_expression: &read_expression };
        let run = |search: &str| -> Result<SearchResult, SearchError> {
            let search = expression::parse(search).and_then(|e| algorithms::build(&e, &BuildCx::default()))?;
            let stores = Stores::new(&system);
            let stop = StopPolicy::FirstError;
            let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &guide };
            let limits = Limits { states: Some(STATES), ..Limits::default() };
            search.start(task, Controls { limits, ..Controls::default() })
        };
        let truth = run("bfs").unwrap();
        if truth.stop_reason.is_some() {
            continue;
        }
        let found = !truth.witnesses.is_empty();
        violated += u32::from(found);
        safe += u32::from(!found && truth.complete);
        for search in SEARCHES {
            let result = run(search).unwrap();
            // Other orders may need more states before the error.
            if result.stop_reason.is_none() {
                assert_eq!(!result.witnesses.is_empty(), found, "{search}, seed {seed}\n{}", program.source);
                assert_eq!(result.complete, truth.complete, "{search}, seed {seed}");
            }
        }
        for search in PRUNING {
            match run(search) {
                Ok(result) if result.stop_reason.is_none() => {
                    assert_eq!(!result.witnesses.is_empty(), found, "{search}, seed {seed}\n{}", program.source);
                    pruned += u32::from(result.stats.stored < truth.stats.stored);
                }
                Ok(_) => {}
                Err(error) => assert!(error.to_string().contains("`prune` would not be safe"), "{error}"),
            }
        }
    }
    println!("{violated} violated, {safe} safe, {pruned} with fewer states");
    assert!(violated > 20 && safe > 10 && pruned > 0, "{violated} {safe} {pruned}");
}
