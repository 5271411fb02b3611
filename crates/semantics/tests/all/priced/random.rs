//! Random priced automata: the least cost is that of the oracle, by every search, however costs are kept.

use bughound_semantics::timed::priced::Pricing;

use super::cheapest;
use super::model::Model;

/// Searches that prove what they find.
const SEARCHES: [&str; 9] = [
    "dijkstra",
    "astar",
    "branch-and-bound",
    "anytime",
    "anytime(k=1, factor=2)",
    "beam(k=1000000, improve=true)",
    "beam(k=1000000, levels=cost, rank=h, improve=true)",
    "priority-beam(alpha=1000, first=1000, improve=true)",
    "dfs",
];

/// How many models had a run to the goal.
fn compare(seeds: std::ops::Range<u64>) -> usize {
    let mut reached = 0;
    for seed in seeds {
        let (strict, uniform) = (seed % 2 == 1, seed % 3 == 0);
        let model = Model::random(seed, strict, uniform);
        let (network, goal) = model.network();
        let expected = model.least_cost(false);
        if !strict {
            assert_eq!(model.least_cost(true), expected, "model {seed}: digitised time and corner points: {model:?}");
        }
        reached += usize::from(expected.is_some());
        for pricing in [Pricing::Automatic, Pricing::General] {
            for search in SEARCHES {
                for threads in if search == "dijkstra" { 1..3 } else { 1..2 } {
                    let found = cheapest(&network, &goal, search, pricing, threads);
                    let about = || format!("model {seed}, {pricing:?}, {search}, {threads} threads: {model:?}");
                    assert_eq!(found.error, None, "{}", about());
                    let at_least = found.result.at_least;
                    assert!(expected.is_none_or(|expected| at_least <= expected), "{at_least}: {}", about());
                    assert_eq!(
                        found.uniform.is_some(),
                        pricing == Pricing::Automatic && model.is_uniform(),
                        "{}",
                        about()
                    );
                    match expected {
                        None => assert!(found.cost().is_none() && found.result.complete, "{}", about()),
                        // It finds some run, and proves nothing about its cost.
                        Some(expected) if search == "dfs" => assert!(found.cost() >= Some(expected), "{}", about()),
                        Some(_) => {
                            assert_eq!(found.cost(), expected, "{}", about());
                            assert!(found.result.witnesses[0].proven_shortest, "{}", about());
                            assert_eq!(Some(at_least), expected, "{}", about());
                        }
                    }
                    let Some(realised) = &found.realised else { continue };
                    // A path can be gone through in several zones; a search that proves nothing may know a costlier one.
                    let range = at_least..=found.cost().unwrap_or(0);
                    assert!(range.contains(&(realised.cost as u64)), "{}: {}", realised.cost, about());
                    assert!(realised.attained || strict, "{}", about());
                }
            }
        }
    }
    reached
}

#[test]
fn the_least_cost_is_that_of_the_corner_points() {
    let reached = compare(0..300);
    assert!((60..250).contains(&reached), "{reached} of the models have a run to the goal");
}

/// As many as one likes: `FIRST=0 LAST=5000 cargo test ... -- --ignored`.
#[test]
#[ignore = "takes long"]
fn the_least_cost_is_that_of_the_corner_points_of_many_models() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    let (first, last) = (number("FIRST", 0), number("LAST", 5000));
    let reached = compare(first..last);
    println!("{} models, {reached} with a run to the goal: no differences", last - first);
}
