//! The claims of all heuristics on random timed models, compared with true distances in the zone graph.

use bughound_testkit::heuristic_claims::{NEED_PRICES, Report, expressions};
use bughound_testkit::seeds;
use bughound_testkit::timed::claims::check_seed;

const MODELS: u64 = 200;
/// Larger zone graphs are left out.
const ZONES: usize = 400;

#[test]
fn no_heuristic_claims_too_much_where_time_passes() {
    let heuristics = expressions();
    let mut total = Report::default();
    seeds::in_parallel(
        0..MODELS,
        |seed| check_seed(seed, ZONES, &heuristics),
        |seed, mut report| {
            report.violations.iter_mut().for_each(|text| *text = format!("seed {seed}: {text}"));
            total.merge(report);
        },
    );
    println!("{:#?}", total.coverage);
    assert!(total.violations.is_empty(), "{}", total.violations.join("\n"));
    // The test must not pass because there was nothing to test.
    let count = |what: &str| total.counted(what);
    for (what, least) in [
        ("deadlock: with an error", 20),
        ("invariant: with an error", 20),
        ("reachability: with an error", 50),
        ("distances confirmed by regions", 300),
        ("estimates: admissible, two or more", 1000),
        ("estimates: safe dead ends", 1000),
    ] {
        assert!(count(what) >= least, "{what}: only {}", count(what));
    }
    // Whoever is on the list and can be built is covered; `expression` has nothing to read here.
    let tested = |name: &str| name != "expression" && !NEED_PRICES.contains(&name);
    for entry in bughound_heuristics::ALL.iter().filter(|entry| tested(entry.name)) {
        let zones = count(&format!("heuristic {}", entry.name));
        assert!(zones > 1000, "{}: only {zones} zones were estimated", entry.name);
    }
}
