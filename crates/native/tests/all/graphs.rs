//! Random graphs as models written in Rust, and the obvious algorithm on them.

use bughound_kernel::Random;
use bughound_native::{Estimate, HeuristicClaims, Property, RustModel};

/// States are what a model would have: several fields, one of them on the heap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    row: u8,
    column: u8,
    name: String,
}

const COLUMNS: usize = 5;

pub fn place(node: usize) -> Place {
    Place { row: (node / COLUMNS) as u8, column: (node % COLUMNS) as u8, name: format!("n{node}") }
}

pub fn node(place: &Place) -> usize {
    usize::from(place.row) * COLUMNS + usize::from(place.column)
}

/// An action: an edge by its place in the list, or one that is offered but never possible.
#[derive(Clone, Debug, PartialEq)]
pub enum Take {
    Edge(usize),
    Never,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub to: usize,
    pub cost: u64,
}

pub struct Graph {
    pub nodes: usize,
    pub edges: Vec<Edge>,
    pub initial: Vec<usize>,
    pub ends: Vec<usize>,
    /// Nodes that violate `always` and fulfil `sometimes`.
    pub marked: Vec<usize>,
    /// By node, for `always`.
    pub estimates: Option<(Vec<Estimate>, HeuristicClaims)>,
}

impl Graph {
    pub fn random(random: &mut Random) -> Graph {
        let nodes = 3 + random.below(25);
        let (degree, dearest) = (1 + random.below(3), random.below(4));
        let edges = (0..nodes * degree).map(|_| {
            let (from, to) = (random.below(nodes), random.below(nodes));
            Edge { from, to, cost: random.below(dearest + 1) as u64 }
        });
        let edges = edges.collect();
        let some = |random: &mut Random, most: usize| (0..random.below(most)).map(|_| random.below(nodes)).collect();
        let initial = vec![0, random.below(nodes)];
        Graph { nodes, edges, initial, ends: some(random, 6), marked: some(random, 4), estimates: None }
    }

    fn is_stuck(&self, node: usize) -> bool {
        self.edges.iter().all(|edge| edge.from != node) && !self.ends.contains(&node)
    }

    pub fn stuck(&self) -> Vec<usize> {
        (0..self.nodes).filter(|node| self.is_stuck(*node)).collect()
    }

    /// By node: the cost of the cheapest way to one of the targets. Relaxes all edges until nothing changes.
    pub fn distances(&self, targets: &[usize]) -> Vec<Option<u64>> {
        let mut distances = vec![None; self.nodes];
        for target in targets {
            distances[*target] = Some(0);
        }
        for _ in 0..self.nodes {
            for edge in &self.edges {
                if let Some(through) = distances[edge.to].map(|rest| rest + edge.cost) {
                    let known = distances[edge.from];
                    distances[edge.from] = Some(known.map_or(through, |known: u64| known.min(through)));
                }
            }
        }
        distances
    }

    /// The cost of the cheapest way from an initial node.
    pub fn distance(&self, targets: &[usize]) -> Option<u64> {
        let distances = self.distances(targets);
        self.initial.iter().filter_map(|node| distances[*node]).min()
    }
}

impl RustModel for Graph {
    type State = Place;
    type Action = Take;

    fn initial_states(&self) -> Vec<Place> {
        self.initial.iter().map(|node| place(*node)).collect()
    }

    fn actions(&self, state: &Place, actions: &mut Vec<Take>) {
        let from = node(state);
        actions.push(Take::Never);
        let edges = self.edges.iter().enumerate().filter(|(_, edge)| edge.from == from);
        actions.extend(edges.map(|(number, _)| Take::Edge(number)));
        actions.push(Take::Never);
    }

    fn next_state(&self, _: &Place, action: &Take) -> Option<Place> {
        match action {
            Take::Edge(number) => Some(place(self.edges[*number].to)),
            Take::Never => None,
        }
    }

    fn cost(&self, _: &Place, action: &Take) -> u64 {
        match action {
            Take::Edge(number) => self.edges[*number].cost,
            Take::Never => 1000,
        }
    }

    fn may_end(&self, state: &Place) -> bool {
        self.ends.contains(&node(state))
    }

    fn actor(&self, _: &Place, action: &Take) -> u16 {
        if let Take::Edge(number) = action { *number as u16 % 3 } else { 0 }
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let always = Property::always("always", |graph: &Graph, state| !graph.marked.contains(&node(state)));
        let estimate = |graph: &Graph, state: &Place| {
            graph.estimates.as_ref().map_or(Estimate::ZERO, |(values, _)| values[node(state)])
        };
        let always = match self.estimates.as_ref().map(|(_, claims)| *claims) {
            None => always,
            Some(HeuristicClaims::CONSISTENT) => always.consistent_estimate(estimate),
            Some(HeuristicClaims::ADMISSIBLE) => always.admissible_estimate(estimate),
            Some(_) => always.estimate(estimate),
        };
        vec![
            Property::no_deadlock("no deadlock"),
            always,
            Property::sometimes("sometimes", |graph: &Graph, state| graph.marked.contains(&node(state))),
            Property::always("everywhere", |_, _| true),
            Property::sometimes("nowhere", |_, _| false),
        ]
    }
}
