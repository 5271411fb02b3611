//! The claims of the heuristics on random programs: estimates beside true distances in the whole state space.

mod conditions;
mod philosophers;
mod space;

use bughound_heuristics::{BuildCx, ErrorCondition, Targets};
use bughound_ir::network::{Network, PropertyKind};
use bughound_kernel::registry::expression;
use bughound_kernel::{Estimate, State};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::{ClaimProduct, DiscreteSystem, Probe};
use bughound_testkit::differential::network;
use bughound_testkit::random_promela::{Features, Rng, generate};

use space::Space;

/// Larger state spaces are left out.
const MOST_STATES: usize = 1500;

const HEURISTICS: &[&str] = &[
    "blind",
    "active-processes",
    "auto",
    "auto(admissible=true)",
    "formula",
    "formula(combine=max)",
    "deadlock-formula",
    "deadlock-formula(combine=max)",
    "deadlock-formula(danger=inferred)",
    "deadlock-formula(combine=max, danger=inferred)",
    "d-l",
    "d-u",
];

/// Programs with every switch in turn; `HEURISTIC_SEEDS=from..to` tries other seeds.
fn programs() -> impl Iterator<Item = (String, Network)> {
    let seeds = std::env::var("HEURISTIC_SEEDS").unwrap_or_else(|_| "0..6".into());
    let (from, to) = seeds.split_once("..").expect("from..to");
    let seeds = from.parse::<u64>().unwrap()..to.parse().unwrap();
    seeds.flat_map(|seed| {
        let switches = Features::SWITCHES.iter().map(|(_, feature)| *feature).chain([Features::CORE]);
        switches.filter_map(move |features| {
            let source = generate(seed, &features);
            let merge = seed % 3 != 0;
            let lossy_sends = features.has(Features::LOSSY);
            let options = LowerOptions { merge, lossy_sends, ..LowerOptions::default() };
            let mut network = network(&source, options).ok()?;
            if seed % 2 == 1 {
                // Promela's steps all weigh 1; other languages have costs.
                let mut rng = Rng::new(seed);
                network
                    .edges
                    .iter_mut()
                    .for_each(|edge| edge.weight = *rng.pick(if seed % 4 == 1 { &[0, 1, 5] } else { &[2, 3, 7] }));
            }
            Some((source.clone(), network))
        })
    })
}

#[test]
fn the_processes_that_move_are_active() {
    let mut checked = 0;
    for (source, network) in programs() {
        let system = DiscreteSystem::new(network, &[]);
        let Some(space) = Space::explore(&system, MOST_STATES) else { continue };
        let mut probe = Probe::new(&system);
        for (at, key) in space.states.iter().enumerate() {
            let active = probe.active(key).to_vec();
            assert_eq!(active, space.movers(at, active.len()), "state {key:?} of\n{source}");
            checked += 1;
        }
    }
    assert!(checked > 1000, "{checked}");
}

#[test]
fn estimates_keep_what_the_claims_promise() {
    let mut seen = Seen::default();
    for (number, (source, network)) in programs().enumerate() {
        let mut rng = Rng::new(number as u64);
        let mut conditions: Vec<ErrorCondition> = (0..6).map(|_| conditions::random(&network, &mut rng)).collect();
        for property in &network.properties {
            if let PropertyKind::Invariant(condition) = &property.kind {
                conditions.push(ErrorCondition { condition: condition.clone(), wanted: false });
            }
        }
        let claims = network.properties.iter().filter_map(|p| match p.kind {
            PropertyKind::Never(template) => Some(template),
            _ => None,
        });
        let claim = claims.into_iter().next();
        let atoms: Vec<_> = conditions.iter().map(|c| c.condition.clone()).collect();
        let system = DiscreteSystem::new(network, &atoms);
        if let Some(space) = Space::explore(&system, MOST_STATES) {
            let mut all: Vec<Targets> = vec![Targets::deadlock(), Targets::failures()];
            all.extend(conditions.iter().map(|c| Targets::condition(c.condition.clone(), c.wanted)));
            all.push(Targets {
                deadlock: rng.chance(50),
                failures: rng.chance(50),
                conditions: conditions[..2].to_vec(),
                claim: None,
            });
            for targets in &all {
                let distances = space.distances(targets, &conditions);
                check(&system, &space, targets, &distances, &source, &mut seen);
            }
        }
        if let Some(claim) = claim {
            let product = ClaimProduct::new(&system, claim);
            if let Some(space) = Space::explore(&product, MOST_STATES) {
                for failures in [false, true] {
                    let targets = Targets { failures, claim: Some(claim), ..Targets::default() };
                    let distances = space.distances(&targets, &[]);
                    check(&system, &space, &targets, &distances, &source, &mut seen);
                }
            }
        }
    }
    println!("{seen:?}");
    // The test is worth something only if it meets estimates that could be too large.
    assert!(seen.estimates > 100_000 && seen.bounds > 1000 && seen.dead_ends > 1000, "{seen:?}");
}

/// What the test has met.
#[derive(Debug, Default)]
struct Seen {
    estimates: u64,
    /// Admissible estimates of two or more.
    bounds: u64,
    /// Safe dead ends.
    dead_ends: u64,
}

/// Compares all heuristics with the distances.
fn check(
    system: &DiscreteSystem,
    space: &Space<'_>,
    targets: &Targets,
    distances: &[Option<u64>],
    source: &str,
    seen: &mut Seen,
) {
    for text in HEURISTICS {
        let read_expression = |_: &str| Err("none here".to_string());
        let cx = BuildCx { system, targets, goal_state: None, read_expression: &read_expression };
        let Ok(mut heuristic) = bughound_heuristics::build(&expression::parse(text).unwrap(), &cx) else {
            assert!(text.starts_with("d-"), "{text} cannot be built");
            continue;
        };
        let claims = heuristic.claims();
        let estimates: Vec<Estimate> =
            space.states.iter().map(|key| heuristic.estimate(State::discrete(key))).collect();
        for (at, key) in space.states.iter().enumerate() {
            let say = |what: &str| {
                let (h, distance) = (estimates[at], distances[at]);
                format!("{text} {what}: {h:?}, distance {distance:?}, state {key:?}, {targets:?}\n{source}")
            };
            let estimate = estimates[at].finite();
            if claims.safe || claims.admissible {
                assert!(estimate.is_some() || distances[at].is_none(), "{}", say("is not safe"));
            }
            if claims.admissible {
                let fits = distances[at].is_none_or(|distance| estimate.is_some_and(|h| h <= distance));
                assert!(fits, "{}", say("is not admissible"));
            }
            if claims.consistent {
                for step in &space.steps[at] {
                    let next = step.to.map(|to| estimates[to].finite());
                    let fits = match (estimate, next) {
                        (Some(h), Some(Some(next))) => h <= next + step.weight,
                        (None, Some(Some(_))) => false,
                        _ => true,
                    };
                    assert!(fits, "{}", say(&format!("is not consistent ({next:?} after {})", step.weight)));
                }
            }
            seen.estimates += 1;
            seen.bounds += u64::from(claims.admissible && estimate.is_some_and(|h| h > 1));
            seen.dead_ends += u64::from(claims.safe && estimate.is_none());
        }
    }
}
