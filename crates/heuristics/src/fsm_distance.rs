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

use bughound_finite::cost::{Cost, INFINITE};
use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};
use bughound_semantics::Probe;

use crate::distances::{ABSENT, Class, LocalDistances, Node};
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
        let goal = cx.require_goal_state("fsm-distance")?.state.key;
        let probe = Probe::new(cx.system);
        let distances = LocalDistances::new(cx.system.network());
        let to_goal = |pid: usize| {
            let class = &distances.classes[distances.class_of[pid]];
            penalised(class.to(node(&probe, class, goal, pid)))
        };
        let tables = (0..distances.class_of.len()).map(to_goal).collect();
        let largest = args.choice("combine") == Some("max");
        Ok(Box::new(FsmDistance { probe, distances, tables, largest }))
    },
};

struct FsmDistance<'a> {
    probe: Probe<'a>,
    distances: LocalDistances,
    /// By process number and node.
    tables: Vec<Vec<Cost>>,
    largest: bool,
}

impl Heuristic for FsmDistance<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let key = at.state.key;
        let distances = self.tables.iter().enumerate().map(|(pid, table)| {
            let class = &self.distances.classes[self.distances.class_of[pid]];
            u64::from(table[node(&self.probe, class, key, pid)])
        });
        Estimate::Finite(if self.largest { distances.max().unwrap_or(0) } else { distances.sum() })
    }

    fn memory(&self) -> u64 {
        let tables = self.tables.iter().map(|table| size_of_val(&table[..])).sum::<usize>();
        tables as u64 + self.distances.memory()
    }
}

/// Where a process is in a state.
fn node(probe: &Probe<'_>, class: &Class, key: &[i32], pid: usize) -> Node {
    probe.location(key, pid).map_or(ABSENT, |location| class.node(location))
}

/// Nodes from which there is no way count as one more than the farthest.
fn penalised(mut distances: Vec<Cost>) -> Vec<Cost> {
    let far = distances.iter().filter(|cost| **cost != INFINITE).max().map_or(0, |largest| largest + 1);
    for cost in distances.iter_mut().filter(|cost| **cost == INFINITE) {
        *cost = far;
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::BuildCx;
    use crate::testing::{initial, path, system};
    use bughound_ir::targets::Targets;
    use bughound_kernel::registry::expression;
    use bughound_kernel::{State, StateBuf};

    #[test]
    fn every_process_counts_its_way() {
        let system = system("active [2] proctype P() { byte x; x = 1; (x == 1); x = 2; (x == 2) }");
        let goal = StateBuf::from(State::discrete(path(&system, &[0, 0]).last().unwrap()));
        let targets = Targets::deadlock();
        let cx = BuildCx {
            system: &system,
            targets: &targets,
            goal_state: Some(goal.as_state().into()),
            read_expression: &|_| Err("none here".to_string()),
            watch: &bughound_kernel::Unwatched,
        };
        let mut built = crate::build(&expression::parse("fsm-distance").unwrap(), &cx).unwrap();
        assert_eq!(built.estimate(goal.as_state().into()), Estimate::Finite(0));
        // Two steps of one process lead from the start to the goal.
        assert_eq!(built.estimate(State::discrete(&initial(&system)).into()), Estimate::Finite(2));
    }

    #[test]
    fn nodes_without_a_way_are_a_little_farther_than_all_others() {
        assert_eq!(penalised(vec![0, 3, INFINITE, 1]), [0, 3, 4, 1]);
    }
}
