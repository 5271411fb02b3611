//! Shortest lassos of the model: the search over all runs of a claim at once, beside all lassos tried one by one.

use std::ops::ControlFlow;

use crate::support::{Edge, Graph, Target, node};
use bughound_kernel::*;
use bughound_layers::AllRuns;
use bughound_search::engines::Tighten;
use bughound_search::*;
use bughound_store::Stores;

/// A claim over the labels of nodes: by location and label, where it can go.
struct TableClaim {
    next: Vec<Vec<Locations>>,
    accepting: Locations,
    label_of: Vec<usize>,
}

impl ClaimReader for TableClaim {
    fn places(&self) -> usize {
        self.next.len()
    }

    fn first_location(&self) -> i32 {
        0
    }

    fn start(&self) -> usize {
        0
    }

    fn is_accepting(&self, place: usize) -> bool {
        self.accepting >> place & 1 == 1
    }

    fn is_end(&self, _place: usize) -> bool {
        false
    }

    fn moves(&self, from: usize, state: State<'_>, found: &mut dyn FnMut(usize) -> ControlFlow<()>) -> ControlFlow<()> {
        let reached = self.next[from][self.label_of[node(state)]];
        (0..self.places()).filter(|place| reached >> place & 1 == 1).try_for_each(found)
    }
}

const LABELS: usize = 3;
/// Lassos that cost more are not tried.
const MOST: u64 = 7;

fn random_claim(random: &mut Random, nodes: usize) -> TableClaim {
    let locations = 1 + random.below(4);
    let row = |random: &mut Random| {
        let mut set = || (0..locations).filter(|_| random.below(3) == 0).fold(0, |all, place| all | 1 << place);
        (0..LABELS).map(|_| set()).collect()
    };
    TableClaim {
        next: (0..locations).map(|_| row(random)).collect(),
        accepting: (0..locations).filter(|_| random.below(2) == 0).fold(0, |all, place| all | 1 << place),
        label_of: (0..nodes).map(|_| random.below(LABELS)).collect(),
    }
}

/// Does the claim accept the run that goes along `path` and then repeats it from `head` on? The last node of the path is
/// the head again.
fn accepts(claim: &TableClaim, path: &[usize], head: usize) -> bool {
    let around = path.len() - 1 - head;
    let next_position = |position: usize| if position + 1 == head + around { head } else { position + 1 };
    let locations = claim.next.len();
    let places = locations * (head + around);
    let place = |location: usize, position: usize| position * locations + location;
    // The claim is at a place after it has read the node at the position.
    let successors = |from: usize| -> Vec<usize> {
        let (location, position) = (from % locations, next_position(from / locations));
        let set = claim.next[location][claim.label_of[path[position]]];
        (0..locations).filter(|to| set >> to & 1 == 1).map(|to| place(to, position)).collect()
    };
    let reach = |from: Vec<usize>| {
        let (mut seen, mut open) = (vec![false; places], from);
        while let Some(at) = open.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(successors(at));
            }
        }
        seen
    };
    let first = claim.next[0][claim.label_of[path[0]]];
    let starts = (0..locations).filter(|to| first >> to & 1 == 1).map(|to| place(to, 0)).collect();
    let reached = reach(starts);
    (0..places).any(|at| {
        let accepting = claim.accepting >> (at % locations) & 1 == 1;
        reached[at] && accepting && reach(successors(at))[at]
    })
}

/// The least cost of a lasso that the claim accepts, among those up to [`MOST`].
fn cheapest(graph: &Graph, claim: &TableClaim) -> Option<u64> {
    let mut best = None;
    let mut open: Vec<(Vec<usize>, u64)> = vec![(vec![0], 0)];
    while let Some((path, cost)) = open.pop() {
        let last = path[path.len() - 1];
        let mut consider = |path: &[usize], head: usize| {
            if best.is_none_or(|best| cost < best) && accepts(claim, path, head) {
                best = Some(cost);
            }
        };
        for head in (0..path.len() - 1).filter(|head| path[*head] == last) {
            consider(&path, head);
        }
        let out: Vec<&Edge> = graph.edges.iter().filter(|edge| edge.from == last).collect();
        if out.is_empty() {
            // The run rests: the last node again and again, at no cost.
            let resting = [&path[..], &[last]].concat();
            consider(&resting, path.len() - 1);
        }
        for edge in out {
            let Target::Node(to) = edge.to else { continue };
            if cost + edge.weight <= MOST {
                open.push(([&path[..], &[to]].concat(), cost + edge.weight));
            }
        }
    }
    best
}

#[test]
fn no_lasso_of_the_model_is_shorter() {
    let (mut found, mut none, mut with_choice) = (0, 0, 0);
    for seed in 0..3000_u64 {
        let mut random = Random::new(seed);
        let nodes = 2 + random.below(5);
        let edges = (0..nodes + random.below(nodes + 2)).map(|_| Edge {
            from: random.below(nodes),
            weight: 1 + random.below(2) as u64,
            to: Target::Node(random.below(nodes)),
        });
        let mut edges: Vec<Edge> = edges.collect();
        // The highest node exists, whatever was drawn.
        edges.push(Edge { from: 0, weight: 1, to: Target::Node(nodes - 1) });
        let graph = Graph::new(edges);
        let claim = random_claim(&mut random, nodes);
        let truth = cheapest(&graph, &claim);
        let runs = AllRuns::new(&graph, &claim, true).unwrap();
        let stores = Stores::new(&runs);
        let goals = Goals { cycle: Some(0), ..Goals::none() };
        let (system, stop) = (&runs, StopPolicy::FirstError);
        let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
        let search = Tighten { name: "test", known: MOST + 1, effort: None };
        let result = search.start(task, Controls::default()).unwrap();
        let length = result.witnesses.first().map(|witness| witness.length);
        assert_eq!(length, truth, "seed {seed}");
        match &result.witnesses[..] {
            [witness] => {
                assert!(witness.proven_shortest, "seed {seed}");
                let head = witness.loop_start.unwrap();
                let steps: Vec<usize> =
                    witness.path.iter().filter_map(|moves| Some(moves.first()?.edge as usize)).collect();
                let mut path = vec![0];
                for edge in steps {
                    assert_eq!(graph.edges[edge].from, path[path.len() - 1], "seed {seed}");
                    let Target::Node(to) = graph.edges[edge].to else { panic!() };
                    path.push(to);
                }
                if head >= path.len() - 1 {
                    path.push(path[path.len() - 1]);
                }
                assert_eq!(path[head.min(path.len() - 2)], path[path.len() - 1], "seed {seed}: the loop is closed");
                with_choice += u32::from(claim.next.len() > 1);
                found += 1;
            }
            _ => {
                assert_eq!(result.incomplete_because, [Incompleteness::DepthBound(MOST)], "seed {seed}");
                none += 1;
            }
        }
    }
    assert!(found > 500 && none > 500 && with_choice > 200, "{found} {none} {with_choice}");
}
