//! **Merge and shrink.** Exact distances in a product of all variables, coarsened wherever it becomes too large.
//!
//! Every variable of the network is a small transition system, and so is "an error has been reached". Two of them are
//! replaced by their product, again and again; where a product gets too large, states are merged: bisimilar ones first,
//! which loses nothing, then those farthest from the error. In between, labels of steps that no other part of the model
//! can tell apart become one, and states that cannot be reached, or lead to no error, are left out. The estimate is the
//! distance in the last product, found by a few look-ups in tables; a state that was left out there is a dead end. What
//! to merge first is tried out (`trial.rs`): with a good order, little or nothing is lost.
//!
//! Papers: Dräger, Finkbeiner, Podelski, "Directed model checking with distance-preserving abstractions", SPIN 2006;
//! Helmert, Haslum, Hoffmann, Nissim, "Merge-and-shrink abstraction", JACM 61 (2014); Sievers, Wehrle, Helmert,
//! "Generalized label reduction for merge-and-shrink heuristics", AAAI 2014.
//!
//! Claims: consistent: distances in an abstraction.
//!
//! Cost: a table look-up for each variable. Before the search, products of at most `states` states, and a bounded amount
//! of work: some 500 looks at a state or transition for each of them. Deadlocks where there are clocks or
//! priorities: always 0.
//!
//! Fails where clocks decide, or the contents of channels, which no variable holds; where the distance depends on many
//! variables at once that are hardly bisimilar, what is merged is arbitrary. Of more than 100 variables, those farthest
//! from the error do not count.
//!
//! Example: `astar(h=merge-and-shrink)`; `merge-and-shrink(states=1000000)` where time and memory are plentiful.

mod bisimulation;
mod cascade;
mod encoding;
mod goal_distances;
mod labels;
mod product;
mod prune;
mod shrink;
mod strategy;
mod system;
#[cfg(test)]
mod tests;
mod trial;

use std::sync::Arc;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::task::Task;
use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

use crate::context::BuildCx;
use crate::cost::to_estimate;
use crate::registry::Entry;
use cascade::Cascade;
use encoding::{GOAL, encode};
use goal_distances::goal_distances;
use product::Limits;
use strategy::Order;
use system::{DEAD, UNSEEN};

pub(super) const ENTRY: Entry = Entry {
    name: "merge-and-shrink",
    summary: "distances in a product of all variables, coarsened far from the error to fit a limit",
    cite: "Dräger, Finkbeiner, Podelski 2006; Helmert, Haslum, Hoffmann, Nissim 2014; Sievers, Wehrle, Helmert 2014",
    params: &[STATES, MERGE],
    claims: "consistent",
    build: |cx, args| {
        let states = args.integer(STATES.name).unwrap_or(1) as usize;
        let order = if args.choice(MERGE.name) == Some("nearest") { Order::Nearest } else { Order::Trial };
        Ok(Box::new(MergeAndShrink::new(cx, order, Limits::for_states(states))))
    },
};

const STATES: Param = Param {
    name: "states",
    summary: "the most states of a product",
    kind: ParamKind::Integer { default: Some(100_000), min: 4, max: 10_000_000 },
};

const MERGE: Param = Param {
    name: "merge",
    summary: "what is merged first: what small products show to belong together, or what decides next to the error",
    kind: ParamKind::Choice { options: &["trial", "nearest"] },
};

/// Copies share what was built.
#[derive(Clone)]
struct MergeAndShrink {
    /// Without its operators.
    task: Arc<Task>,
    cascade: Cascade,
    /// By state of the goal factor.
    distances: Arc<Vec<Cost>>,
}

impl MergeAndShrink {
    fn new(cx: &BuildCx<'_, '_>, order: Order, limits: Limits) -> MergeAndShrink {
        let mut task = Task::new(cx.system, cx.targets, cx.watch);
        let mut system = encode(&task);
        task.operators = Default::default();
        task.errors = Vec::new();
        strategy::run(&mut system, order, limits, cx.watch);
        let costs = system.costs(GOAL);
        let (root, distances) = match system.factor(GOAL) {
            Some(goal) => (goal.node, goal_distances(goal, &costs)),
            None => (0, Vec::new()),
        };
        system.cascade.keep(root);
        MergeAndShrink { task: Arc::new(task), cascade: system.cascade, distances: Arc::new(distances) }
    }
}

impl Heuristic for MergeAndShrink {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        if self.task.hopeless || !self.cascade.look_up(&self.task, at) {
            return Estimate::ZERO;
        }
        to_estimate(match self.cascade.found() {
            DEAD => INFINITE,
            // Cannot be, unless the task leaves something out.
            UNSEEN => 0,
            found => self.distances[found as usize],
        })
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(self.clone()))
    }

    fn memory(&self) -> u64 {
        self.task.memory() + self.cascade.memory() + (self.distances.len() * size_of::<Cost>()) as u64
    }
}
