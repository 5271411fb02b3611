//! **FSM distance.** How far the processes are, each by itself, from where they are in a known state.
//!
//! For each process number: the least cost of a path in the control-flow graph from its location to the one in the goal
//! state, guards ignored, ends and creations of processes included; then the sum over all processes, or with
//! `combine=max` the largest. A process that cannot get there counts as one more than the largest distance there is.
//!
//! Paper: Edelkamp, Leue, Lluch Lafuente 2004 (trail-directed search in HSF-SPIN).
//!
//! Claims: safe, because it never reports dead ends. Not admissible: there may be an error nearer than the goal state, and
//! `sum` counts hand-shakes, which move two processes in one step, twice.
//!
//! Cost: one look at a table for each process; the tables take one Dijkstra search for each process when it is built.
//!
//! Fails: where variables and channels, not locations, are what is missing; see `hamming`.
//!
//! Example: `trail-directed(h=fsm-distance)`; `sum(fsm-distance, hamming)` looks at both.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_ir::edge::Action;
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{Network, TemplateId};
use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State};

use crate::context::Targets;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "fsm-distance",
    summary: "local distances of all processes to their locations in the goal state",
    cite: "Edelkamp, Leue, Lluch Lafuente 2004",
    params: &[Param {
        name: "combine",
        summary: "how the distances of the processes are joined",
        kind: ParamKind::Choice { options: &["sum", "max"] },
    }],
    claims: "safe",
    build: |cx, args| {
        let goal = cx.targets.system_part(cx.require_goal_state("fsm-distance")?.as_state());
        let network = cx.system.network();
        let tables = (0..network.frames.processes.len())
            .map(|pid| distances_to(network, &network.frames.processes[pid].templates, place(network, goal.key, pid)))
            .collect();
        Ok(Box::new(FsmDistance {
            network,
            targets: cx.targets,
            tables,
            largest: args.choice("combine") == Some("max"),
        }))
    },
};

struct FsmDistance<'a> {
    network: &'a Network,
    targets: &'a Targets,
    /// By process number and place.
    tables: Vec<Vec<u64>>,
    largest: bool,
}

impl Heuristic for FsmDistance<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, state: State<'_>) -> Estimate {
        let key = self.targets.system_part(state).key;
        let distances = self.tables.iter().enumerate().map(|(pid, table)| table[place(self.network, key, pid)]);
        Estimate::Finite(if self.largest {
            distances.max().unwrap_or(0)
        } else {
            distances.fold(0, u64::saturating_add)
        })
    }

    fn memory(&self) -> u64 {
        self.tables.iter().map(|table| 8 * table.len() as u64).sum()
    }
}

/// Where a process does not exist. Numbers of locations start at 1.
const ABSENT: usize = 0;

/// The number of the location of a process in a state, or [`ABSENT`].
fn place(network: &Network, key: &[i32], pid: usize) -> usize {
    if pid < key[PROCESS_COUNT] as usize {
        key[(network.frames.processes[pid].base + LOCATION) as usize] as usize
    } else {
        ABSENT
    }
}

/// The costs of the cheapest ways to `goal` for a process of one of the templates, by the place that it starts from.
fn distances_to(network: &Network, templates: &[TemplateId], goal: usize) -> Vec<u64> {
    let mut backwards: Vec<Vec<(usize, u64)>> = vec![Vec::new(); network.locations.len().max(goal + 1)];
    for template in templates {
        let template = network.template(*template);
        // Somebody has to start it.
        backwards[template.initial.0 as usize].push((ABSENT, network.least_weight()));
        for location in &template.locations {
            for edge in network.location(*location).edges.iter().map(|id| network.edge(*id)) {
                for destination in &edge.destinations {
                    let ends = destination.actions.contains(&Action::End);
                    let to = if ends { ABSENT } else { destination.to.0 as usize };
                    backwards[to].push((location.0 as usize, edge.weight));
                }
            }
        }
    }
    let mut distances: Vec<Option<u64>> = vec![None; backwards.len()];
    let mut open = BinaryHeap::from([Reverse((0, goal))]);
    while let Some(Reverse((distance, at))) = open.pop() {
        if distances[at].is_none() {
            distances[at] = Some(distance);
            open.extend(backwards[at].iter().map(|(from, weight)| Reverse((distance.saturating_add(*weight), *from))));
        }
    }
    let far = distances.iter().flatten().max().map_or(0, |largest| largest.saturating_add(1));
    distances.into_iter().map(|distance| distance.unwrap_or(far)).collect()
}

#[cfg(test)]
mod tests {
    use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};

    use super::*;

    #[test]
    fn distances_follow_the_edges_and_pass_through_absence() {
        let mut net = NetworkBuilder::new("line");
        let mut p = TemplateBuilder::new("p");
        let [a, b, c] = ["a", "b", "c"].map(|name| p.location(name));
        p.edge(EdgeSpec::new(a, b).weight(3));
        p.edge(EdgeSpec::new(a, b).weight(2));
        p.edge(EdgeSpec::new(b, c));
        p.edge(EdgeSpec::new(c, c).action(Action::End));
        let p = net.template(p, a);
        net.start(p, vec![]);
        let network = net.finish().unwrap();
        let number = |at: usize| network.template(p).locations[at].0 as usize;
        let to_c = distances_to(&network, &[p], number(2));
        // From a: 2 + 1. A new process starts at a.
        assert_eq!([to_c[number(0)], to_c[number(1)], to_c[number(2)], to_c[ABSENT]], [3, 1, 0, 4]);
        let to_b = distances_to(&network, &[p], number(1));
        // From c: end, start, 2.
        assert_eq!([to_b[number(0)], to_b[number(1)], to_b[number(2)]], [2, 0, 4]);
    }
}
