//! Local distances: how much it costs a single process, at least, to get from one location to another.
//!
//! For each process number there is a graph: the locations of all templates that can occupy the number, and a node for
//! "there is no such process". Its edges are those of the templates, guards ignored; the end of a process leads to
//! absence, and its creation from there to an initial location. Numbers that the same templates can occupy share a graph,
//! so 255 philosophers need one.
//!
//! Distances are lower bounds: a process moves at most once in a micro step. Who takes part in a hand-shake that another
//! starts pays the other's weight, so such an edge costs the least of its own and the weights of all edges that can start
//! one. To be created costs at least the cheapest edge that starts a process of the template.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_ir::analysis::{actions_of, edges_of};
use bughound_ir::edge::Action;
use bughound_ir::network::{LocationId, Network, TemplateId};

use bughound_finite::cost::{Cost, INFINITE, move_weights, plus};

/// A location of a class, or [`ABSENT`].
pub type Node = usize;

/// There is no such process.
pub const ABSENT: Node = 0;

/// Process numbers that the same templates can occupy.
pub struct Class {
    pub templates: Vec<TemplateId>,
    /// The largest process number of the class.
    pub last_pid: usize,
    /// The location that is node 1.
    first: u32,
    onward: Vec<Vec<(Node, Cost)>>,
    backward: Vec<Vec<(Node, Cost)>>,
}

impl Class {
    pub fn node(&self, location: LocationId) -> Node {
        (location.0 + 1).saturating_sub(self.first) as Node
    }

    /// Is this a location of the class?
    pub fn has(&self, network: &Network, location: LocationId) -> bool {
        self.templates.contains(&network.location(location).template)
    }

    /// The distances from a node to all nodes.
    pub fn from(&self, node: Node) -> Vec<Cost> {
        shortest(&self.onward, node)
    }

    /// The distances from all nodes to a node.
    pub fn to(&self, node: Node) -> Vec<Cost> {
        shortest(&self.backward, node)
    }

    pub fn nodes(&self) -> usize {
        self.onward.len()
    }
}

pub struct LocalDistances {
    pub classes: Vec<Class>,
    /// By process number.
    pub class_of: Vec<usize>,
}

impl LocalDistances {
    pub fn new(network: &Network) -> LocalDistances {
        let weights = move_weights(network);
        let creation = creation_weights(network, &weights);
        let mut classes: Vec<Class> = Vec::new();
        let mut class_of = Vec::new();
        for (pid, frame) in network.frames.processes.iter().enumerate() {
            let class = classes.iter().position(|class| class.templates == frame.templates).unwrap_or_else(|| {
                classes.push(graph(network, &frame.templates, &weights, &creation));
                classes.len() - 1
            });
            classes[class].last_pid = pid;
            class_of.push(class);
        }
        LocalDistances { classes, class_of }
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        let edges = |class: &Class| class.onward.iter().map(|edges| 2 * edges.len() + 6).sum::<usize>();
        self.classes.iter().map(|class| edges(class) * size_of::<(Node, Cost)>()).sum::<usize>() as u64
    }
}

fn creation_weights(network: &Network, weights: &[Cost]) -> Vec<Cost> {
    let mut creation = vec![INFINITE; network.templates.len()];
    for (edge, weight) in network.edges.iter().zip(weights) {
        for action in actions_of(network, edge) {
            if let Action::Run { template, .. } = action {
                let least = &mut creation[template.0 as usize];
                *least = (*least).min(*weight);
            }
        }
    }
    creation
}

fn graph(network: &Network, templates: &[TemplateId], weights: &[Cost], creation: &[Cost]) -> Class {
    let locations = || templates.iter().flat_map(|t| &network.template(*t).locations);
    let first = locations().map(|l| l.0).min().unwrap_or(1);
    let last = locations().map(|l| l.0).max().unwrap_or(0);
    let nodes = (last + 2).saturating_sub(first) as usize;
    let (onward, backward) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    let mut class = Class { templates: templates.to_vec(), last_pid: 0, first, onward, backward };
    let mut add = |from: Node, to: Node, weight: Cost| {
        class.onward[from].push((to, weight));
        class.backward[to].push((from, weight));
    };
    let node = |location: LocationId| (location.0 + 1 - first) as Node;
    for template in templates {
        if creation[template.0 as usize] < INFINITE {
            add(ABSENT, node(network.template(*template).initial), creation[template.0 as usize]);
        }
        for (id, edge) in edges_of(network, *template) {
            let weight = weights[id.0 as usize];
            if actions_of(network, edge).any(|action| matches!(action, Action::End)) {
                add(node(edge.from), ABSENT, weight);
            }
            for destination in &edge.destinations {
                if !destination.actions.iter().any(|action| matches!(action, Action::End)) {
                    add(node(edge.from), node(destination.to), weight);
                }
            }
        }
    }
    class
}

fn shortest(edges: &[Vec<(Node, Cost)>], from: Node) -> Vec<Cost> {
    let mut best = vec![INFINITE; edges.len()];
    let mut open = BinaryHeap::from([Reverse((0, from))]);
    while let Some(Reverse((cost, node))) = open.pop() {
        if best[node] <= cost {
            continue;
        }
        best[node] = cost;
        open.extend(edges[node].iter().map(|(next, weight)| Reverse((plus(cost, *weight), *next))));
    }
    best
}

#[cfg(test)]
mod tests {
    use bughound_ir::edge::Sync;

    use super::*;
    use crate::testing::system;

    #[test]
    fn processes_are_created_move_and_vanish() {
        let system = system(
            "byte x; proctype P() { x = 1; A: x = 2; do :: x = 3 :: x == 3 -> break od }
             init { run P(); run P(); B: x = 0 }",
        );
        let network = system.network();
        let distances = LocalDistances::new(network);
        assert_eq!(distances.class_of[1], distances.class_of[2]);
        let class = &distances.classes[distances.class_of[1]];
        let at = |label: &str| {
            let found = network.locations.iter().position(|l| l.labels.iter().any(|other| other == label));
            LocationId(found.unwrap() as u32)
        };
        let to = class.to(class.node(at("A")));
        let initial = class.node(network.template(class.templates[0]).initial);
        // run, x = 1; back from A: x = 2, the break, the end, run, x = 1.
        assert_eq!((to[ABSENT], to[initial], to[class.node(at("A"))]), (2, 1, 0));
        assert_eq!(class.from(class.node(at("A")))[ABSENT], 3);
        let init = &distances.classes[distances.class_of[0]];
        let here = init.node(network.template(init.templates[0]).initial);
        assert_eq!((init.to(init.node(at("B")))[here], init.to(init.node(at("B")))[ABSENT]), (2, INFINITE));
    }

    #[test]
    fn who_is_met_pays_what_the_other_pays() {
        let system = system(
            "chan r = [0] of { bit }; active proctype P() { r!1; r!1 }
             active proctype Q() { r?1; d_step { r?1; printf(\"met\") }; L: true }",
        );
        let mut network = system.network().clone();
        for edge in &mut network.edges {
            edge.weight = if matches!(edge.sync, Sync::Send { .. }) { 2 } else { 9 };
        }
        let distances = LocalDistances::new(&network);
        let class = &distances.classes[distances.class_of[1]];
        let label = network.locations.iter().position(|l| l.labels.iter().any(|l| l == "L")).unwrap();
        let start = class.node(network.template(class.templates[0]).initial);
        assert_eq!(class.to(class.node(LocationId(label as u32)))[start], 4);
    }
}
