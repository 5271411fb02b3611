//! Over- and under-approximations of random models: hulls of zones miss nothing, bits of zones invent nothing.

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::expr::{BinaryOp, Expr};
use bughound_ir::network::Network;
use bughound_ir::types::{ClockId, Relation};
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Random};
use bughound_search::{
    BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::timed::{Abstraction, Extrapolation, Inclusion, TimedSystem};
use bughound_store::Stores;

use super::{clock, reset};

/// Two processes of five locations that set and compare two clocks, and the question whether both can be at their ends.
fn model(seed: u64) -> (Network, Expr) {
    let random = &mut Random::new(seed);
    let mut net = NetworkBuilder::new("random");
    let clocks: [ClockId; 2] = ["x", "y"].map(|name| net.clock(name));
    let mut ends = Vec::new();
    for process in 0..2 {
        let mut p = TemplateBuilder::new(format!("p{process}"));
        let locations: Vec<_> = (0..5).map(|n| p.location(format!("l{n}"))).collect();
        for location in &locations {
            if random.below(3) == 0 {
                let invariant = clock(clocks[random.below(2)], Relation::LessEqual, random.below(5) as i32);
                p.location_mut(*location).invariant.push(invariant);
            }
        }
        for _ in 0..11 {
            let mut edge = EdgeSpec::new(locations[random.below(5)], locations[random.below(5)]);
            for _ in 0..random.below(3) {
                let relations = [Relation::LessEqual, Relation::Equal, Relation::GreaterEqual, Relation::Less];
                let relation = relations[random.below(relations.len())];
                edge = edge.clock_guard(clock(clocks[random.below(2)], relation, random.below(5) as i32));
            }
            if random.below(2) == 0 {
                edge = edge.action(reset(clocks[random.below(2)]));
            }
            p.edge(edge);
        }
        ends.push(Expr::At { pid: Box::new(Expr::Const(process)), location: net.next_location(locations[4]) });
        let p = net.template(p, locations[0]);
        net.start(p, vec![]);
    }
    let [first, second] = [ends[0].clone(), ends[1].clone()];
    (net.finish().unwrap(), Expr::binary(BinaryOp::And, first, second))
}

fn run(system: &TimedSystem, search: &str, goals: &Goals) -> SearchResult {
    let stores = Stores::new(system);
    let task = Task { system, goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &NoHeuristics };
    let search = algorithms::build(&expression::parse(search).unwrap(), &BuildCx::default()).unwrap();
    search.start(task, Controls::default()).unwrap()
}

const BITS: &str = "bitstate-dfs(bits=1048576)";

#[test]
fn hulls_miss_nothing_and_bits_invent_nothing() {
    let (mut possible, mut impossible, mut spurious, mut realised) = (0, 0, 0, 0);
    for seed in 0..400 {
        let (network, error) = model(seed);
        let atoms = std::slice::from_ref(&error);
        let invariants = vec![InvariantGoal { property: 0, atom: AtomId(0), expected: false }];
        let states = Goals { invariants, ..Goals::none() };
        let deadlock = Goals { deadlock: Some(0), ..Goals::none() };
        let questions =
            [(Abstraction::REACHABILITY, &states, &error), (Abstraction::DEADLOCK, &deadlock, &Expr::Deadlock)];
        for (abstraction, goals, last) in questions {
            let system = TimedSystem::new(network.clone(), atoms, abstraction).unwrap();
            let exact = run(&system, "bfs", goals);
            let exists = !exact.witnesses.is_empty();
            *(if exists { &mut possible } else { &mut impossible }) += 1;
            let bits = run(&system, BITS, goals);
            assert_eq!((!bits.witnesses.is_empty(), bits.complete), (exists, false), "model {seed}");
            let inclusion = if seed % 5 == 0 { Inclusion::Equal } else { abstraction.inclusion };
            let hull = Abstraction { hull: true, inclusion, extrapolation: Extrapolation::MaximalPlus, ..abstraction };
            let hull = if seed % 2 == 0 { hull } else { Abstraction { hull: true, ..abstraction } };
            let system = TimedSystem::new(network.clone(), atoms, hull).unwrap();
            for search in ["bfs", "dfs", "largest-first"] {
                let found = run(&system, search, goals);
                match found.witnesses.first() {
                    None => assert!(found.complete && !exists, "model {seed} by {search}"),
                    Some(witness) if system.schedule(&witness.path, Some(last)).is_some() => {
                        realised += 1;
                        assert!(exists, "model {seed} by {search}");
                    }
                    Some(_) => spurious += 1,
                }
            }
        }
    }
    let counts = [possible, impossible, spurious, realised];
    assert!(counts.iter().all(|count| *count >= 10), "{counts:?}");
}
