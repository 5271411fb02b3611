//! Heuristics that look at processes and conditions, on random programs with every feature of the language in turn, with
//! costs of all sorts and for many conditions at a time; what they take from the engine; and published numbers.
//!
//! `HEURISTIC_SEEDS=from..to` tries other seeds.

mod clocks;
mod collections;
mod philosophers;
mod symbolic_patterns;

use std::ops::Range;

use bughound_ir::network::Network;
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::StateBuf;
use bughound_semantics::{DiscreteSystem, Probe};
use bughound_testkit::distances::Graph;
use bughound_testkit::heuristic_claims::{
    Kind, Program, Report, check_program, claims, expressions, invariants, program,
};
use bughound_testkit::random_promela::{Features, Rng};
use bughound_testkit::{conditions, seeds};

/// Larger state spaces are left out.
const MOST_STATES: usize = 1500;

/// Checked with all their arguments.
const HEURISTICS: [&str; 7] = ["blind", "active-processes", "auto", "formula", "deadlock-formula", "d-l", "d-u"];

/// Every switch of the language alone, and none.
fn features() -> Vec<Features> {
    Features::SWITCHES.iter().map(|(_, feature)| *feature).chain([Features::CORE]).collect()
}

/// The numbers of the programs to be checked.
fn numbers() -> Range<u64> {
    let seeds = std::env::var("HEURISTIC_SEEDS").unwrap_or_else(|_| "0..6".into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    let first_of = |seed: &str| seed.parse::<u64>().expect("a number") * features().len() as u64;
    first_of(from)..first_of(to)
}

/// The program with this number: each seed with all features in turn.
fn numbered(number: u64) -> Program {
    let features = features();
    let (seed, at) = (number / features.len() as u64, number % features.len() as u64);
    let mut program = program(seed, features[at as usize]).unwrap();
    let mut rng = Rng::new(seed);
    match seed % 4 {
        1 => program.weigh(&[0, 1, 5], &mut rng),
        3 => program.weigh(&[2, 3, 7], &mut rng),
        _ => {}
    }
    program
}

#[test]
fn the_processes_that_move_are_active() {
    let check = |number| {
        let Program { source, network, .. } = numbered(number);
        let system = DiscreteSystem::new(network, &[]);
        let Some(graph) = Graph::explore(&system, MOST_STATES) else { return 0 };
        let mut probe = Probe::new(&system);
        for (state, movers) in graph.states.iter().zip(&graph.movers) {
            let active = probe.active(&state.key).to_vec();
            let moving: Vec<bool> = (0..active.len()).map(|process| movers.contains(&(process as u16))).collect();
            assert_eq!(active, moving, "state {:?} of\n{source}", state.key);
        }
        graph.states.len()
    };
    let mut checked = 0;
    seeds::in_parallel(numbers(), check, |_, states| checked += states);
    assert!(checked > 1000, "{checked}");
}

#[test]
fn estimates_keep_what_the_claims_promise() {
    let mut heuristics = expressions();
    heuristics.retain(|text| text.split('(').next().is_some_and(|name| HEURISTICS.contains(&name)));
    let mut total = Report::default();
    seeds::in_parallel(
        numbers(),
        |number| {
            let program = numbered(number);
            let report = check_program(&program, kinds, MOST_STATES, &heuristics, &mut Rng::new(number));
            assert!(report.violations.is_empty(), "{}\n{}", report.violations.join("\n"), program.source);
            report
        },
        |_, report| total.merge(report),
    );
    println!("{:#?}", total.coverage);
    for name in HEURISTICS {
        let left_out = total.counted(&format!("heuristic {name}: not for this error"));
        assert!(left_out == 0 || name.starts_with("d-"), "{name} cannot be built");
    }
    // The test is worth something only if it meets estimates that could be too large.
    for (what, least) in
        [("estimates", 100_000), ("estimates: admissible, two or more", 1000), ("estimates: safe dead ends", 1000)]
    {
        assert!(total.counted(what) > least, "{what}: {}", total.counted(what));
    }
}

/// Many conditions, some of them together with other errors; claims with and without failures.
fn kinds(network: &Network, _: &[StateBuf], rng: &mut Rng) -> Vec<Kind> {
    let conditions: Vec<ErrorCondition> = (0..6).map(|_| conditions::random(network, rng)).collect();
    let mixture = Targets {
        deadlock: rng.chance(50),
        failures: rng.chance(50),
        conditions: conditions[..2].to_vec(),
        ..Targets::default()
    };
    let mut kinds = vec![("deadlock", Targets::deadlock()), ("failure", Targets::failures()), ("mixture", mixture)];
    kinds.extend(conditions.into_iter().map(|c| ("formula", Targets::condition(c.condition, c.wanted))));
    kinds.extend(invariants(network));
    for (_, targets) in claims(network) {
        kinds.push(("claim or failure", Targets { failures: true, ..targets.clone() }));
        kinds.push(("claim", targets));
    }
    kinds
}
