//! Edge weights: the cheapest path is not the one with the fewest edges, and search by length finds it.

use crate::common;
use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::AtomId;
use bughound_kernel::registry::expression;
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_store::Stores;

/// Edges with weights, by the numbers of their ends; the goal is the last location.
const EDGES: [(usize, usize, u64); 8] =
    [(0, 5, 30), (0, 1, 4), (0, 2, 1), (2, 1, 2), (1, 3, 5), (2, 3, 9), (3, 4, 1), (4, 5, 3)];
const CHEAPEST: [u32; 5] = [2, 3, 4, 6, 7];

fn graph() -> (Network, Expr) {
    let mut net = NetworkBuilder::new("weighted graph");
    let mut p = TemplateBuilder::new("walker");
    let nodes: Vec<_> = (0..6).map(|n| p.location(format!("n{n}"))).collect();
    for (from, to, weight) in EDGES {
        p.edge(EdgeSpec::new(nodes[from], nodes[to]).weight(weight));
    }
    p.location_mut(nodes[5]).flags.end = true;
    let goal = Expr::At { pid: Box::new(Expr::Const(0)), location: net.next_location(nodes[5]) };
    let p = net.template(p, nodes[0]);
    net.start(p, vec![]);
    (net.finish().unwrap(), goal)
}

#[test]
fn the_cheapest_path_has_more_edges_than_the_shortest() {
    let (network, goal) = graph();
    assert_eq!(common::compare(&network, usize::MAX).unwrap().len(), 6);
    let system = DiscreteSystem::new(network, &[goal]);
    let goals =
        Goals { invariants: vec![InvariantGoal { property: 0, atom: AtomId(0), expected: false }], ..Goals::none() };
    let stores = Stores::new(&system);
    let stop = StopPolicy::FirstError;
    let task = Task { system: &system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
    let bfs = algorithms::build(&expression::parse("bfs").unwrap(), &BuildCx::default()).unwrap();
    let result = bfs.start(task, Controls::default()).unwrap();
    let witness = &result.witnesses[0];
    let edges: Vec<u32> = witness.path.iter().flatten().map(|m| m.edge).collect();
    assert_eq!((witness.length, &edges[..]), (12, &CHEAPEST[..]));
    assert!(witness.proven_shortest);
}
