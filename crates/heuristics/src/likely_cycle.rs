//! **Distance to where cycles are likely**: how far the claim is from its accepting components, and how far each process is
//! from a part of its body that it can go round in.
//!
//! A state can lie on an accepting cycle only if every component that moves there lies in a cycle of its own. A process
//! that has not got to a loop of its body yet will not come back to where it is; so the search is directed to the exit of the
//! part without loops.
//!
//! Papers: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model checking", section on
//! liveness (likely strongly connected components).
//!
//! Claims: safe: there are no dead ends. Not admissible: a process may rest while others go round.
//!
//! Cost: one look-up for each process.
//!
//! Fails where all processes loop from the beginning: then it counts the claim alone.
//!
//! Example: `astar-dfs(h=likely-cycle)` on a model whose processes run through an initialisation first.

use std::collections::VecDeque;

use bughound_ir::edge::Condition;
use bughound_ir::network::{LocationId, Network};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::Probe;

use crate::context::BuildCx;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "likely-cycle",
    summary: "distance of the claim to its accepting components and of the processes to their loops; for cycles",
    cite: "Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008",
    params: &[],
    claims: "safe",
    build: |cx, _| Ok(Box::new(LikelyCycle::new(cx))),
};

struct LikelyCycle<'a> {
    probe: Probe<'a>,
    /// By location of a process: edges to the nearest location on a loop; 0 where there is none to get to.
    to_loop: Vec<u32>,
    /// By location of the claim: edges to an accepting component or its end; 0 where none can be reached.
    to_accepting: Vec<u32>,
}

impl<'a> LikelyCycle<'a> {
    fn new(cx: &BuildCx<'a, '_>) -> Self {
        let network = cx.system.network();
        let graph = Graph::new(network);
        let looping: Vec<usize> = (0..network.locations.len()).filter(|at| graph.is_on_a_loop(*at)).collect();
        let accepting: Vec<usize> = cx.targets.accepting.iter().map(|location| location.0 as usize).collect();
        LikelyCycle {
            probe: Probe::new(cx.system),
            to_loop: graph.distances_to(&looping),
            to_accepting: graph.distances_to(&accepting),
        }
    }
}

/// The control flow of all templates.
struct Graph {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

impl Graph {
    fn new(network: &Network) -> Graph {
        let locations = network.locations.len();
        let (mut successors, mut predecessors) = (vec![Vec::new(); locations], vec![Vec::new(); locations]);
        // The end of a process is no loop.
        for edge in network.edges.iter().filter(|edge| edge.condition != Condition::Youngest) {
            for destination in &edge.destinations {
                let (LocationId(from), LocationId(to)) = (edge.from, destination.to);
                if (from as usize) < locations && (to as usize) < locations {
                    successors[from as usize].push(to as usize);
                    predecessors[to as usize].push(from as usize);
                }
            }
        }
        Graph { successors, predecessors }
    }

    fn is_on_a_loop(&self, start: usize) -> bool {
        let mut seen = vec![false; self.successors.len()];
        let mut open = self.successors[start].clone();
        while let Some(at) = open.pop() {
            if at == start {
                return true;
            }
            if !std::mem::replace(&mut seen[at], true) {
                open.extend(&self.successors[at]);
            }
        }
        false
    }

    fn distances_to(&self, goals: &[usize]) -> Vec<u32> {
        let mut distance = vec![None; self.successors.len()];
        let mut open: VecDeque<usize> = goals.iter().copied().collect();
        for goal in goals {
            distance[*goal] = Some(0);
        }
        while let Some(at) = open.pop_front() {
            for &before in &self.predecessors[at] {
                if distance[before].is_none() {
                    distance[before] = distance[at].map(|steps: u32| steps + 1);
                    open.push_back(before);
                }
            }
        }
        distance.into_iter().map(Option::unwrap_or_default).collect()
    }
}

impl Heuristic for LikelyCycle<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let key = at.state.key;
        let distance = |table: &[u32], location: usize| u64::from(table.get(location).copied().unwrap_or(0));
        let claim = at.claim.map_or(0, |location| distance(&self.to_accepting, location as usize));
        let processes = (0..self.probe.process_count(key)).filter_map(|pid| self.probe.location(key, pid));
        Estimate::Finite(claim + processes.map(|location| distance(&self.to_loop, location.0 as usize)).sum::<u64>())
    }

    fn memory(&self) -> u64 {
        ((self.to_loop.len() + self.to_accepting.len()) * 4) as u64
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{along, system};
    use bughound_ir::targets::Targets;

    #[test]
    fn processes_are_directed_to_their_loops() {
        let system = system(
            "byte x; active proctype P() { x = 1; x = 2; do :: x = 3 :: x = 4 od }
             active proctype Q() { x = 5; x = 6 }",
        );
        // P, the second one to be asked, has two steps to its loop; Q has none, so it does not matter where it is.
        assert_eq!(along(&system, &Targets::default(), "likely-cycle", &[1, 1, 1]), [2, 1, 0, 0].map(Some));
    }
}
