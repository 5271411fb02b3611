//! Random models: no estimate is above the least cost from its state, and A* finds what Dijkstra's search finds.

use bughound_kernel::Estimate;
use bughound_semantics::timed::priced::Pricing;

use super::model::random;
use super::{Problem, cost};

/// What was compared.
#[derive(Debug, Default)]
struct Seen {
    models: u64,
    too_large: u64,
    reached: u64,
    states: u64,
    /// States with an estimate above 0, with one that is the least cost, and dead ends.
    informed: u64,
    exact: u64,
    dead_ends: u64,
    /// States that searches expand without and with the bound.
    blind: u64,
    guided: u64,
}

const MOST_STATES: u64 = 20_000;

fn compare(seeds: std::ops::Range<u64>) -> Seen {
    let mut seen = Seen::default();
    for seed in seeds {
        for pricing in [Pricing::Automatic, Pricing::General] {
            let (network, goal) = random(seed);
            let problem = Problem::new(network, goal, pricing);
            seen.models += 1;
            let Some(truth) = problem.search("dijkstra", None, MOST_STATES) else {
                seen.too_large += 1;
                continue;
            };
            seen.reached += u64::from(cost(&truth).is_some());
            let found = problem.search("astar(h=least-cost)", None, MOST_STATES);
            let found = found.unwrap_or_else(|| panic!("model {seed}, {pricing:?}: the bound makes it larger"));
            assert_eq!(cost(&found), cost(&truth), "model {seed}, {pricing:?}");
            let proven = found.witnesses.first().is_none_or(|witness| witness.proven_shortest);
            assert!(proven, "model {seed}, {pricing:?}: a bound that proves nothing");
            (seen.blind, seen.guided) = (seen.blind + truth.stats.expanded, seen.guided + found.stats.expanded);
            let states = problem.states(seed, 3, 6);
            for (state, estimate) in states.iter().zip(problem.estimates("least-cost", &states)) {
                let Some(truth) = problem.search("dijkstra", Some(state), MOST_STATES) else { continue };
                let truth = cost(&truth);
                seen.states += 1;
                match estimate {
                    Estimate::DeadEnd => {
                        assert_eq!(truth, None, "model {seed}, {pricing:?}: no dead end: {state:?}");
                        seen.dead_ends += 1;
                    }
                    Estimate::Finite(estimate) => {
                        let fits = truth.is_none_or(|truth| estimate <= truth);
                        assert!(fits, "model {seed}, {pricing:?}: {estimate} > {truth:?}: {state:?}");
                        seen.informed += u64::from(estimate > 0);
                        seen.exact += u64::from(Some(estimate) == truth && estimate > 0);
                    }
                }
            }
        }
    }
    seen
}

#[test]
fn no_estimate_is_above_the_least_cost() {
    let seen = compare(0..150);
    // That the models attack what the bounds look at.
    assert!(seen.informed * 5 > seen.states && seen.exact > 100 && seen.dead_ends > 20, "{seen:?}");
    assert!(seen.guided < seen.blind, "{seen:?}");
}

/// As many as one likes: `FIRST=0 LAST=5000 cargo test ... -- --ignored --nocapture`.
#[test]
#[ignore = "takes long"]
fn no_estimate_is_above_the_least_cost_in_many_models() {
    let number = |name: &str, default| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default);
    println!("{:?}", compare(number("FIRST", 0)..number("LAST", 2000)));
}
