//! **h^L.** Layers until an error is possible if variables collect values instead of changing them.
//!
//! Layer 0 is the state. Every layer adds what all steps possible in the layer before can bring: locations, values, messages.
//! Guards are tested condition by condition, each on any of the values collected. The estimate is the number of the first
//! layer with an error, steps weighed by their costs; if the layers stop growing before, the state is a dead end. Clocks
//! count for nothing. `relaxation/` says how a model is relaxed.
//!
//! Paper: Kupferschmid, Hoffmann, Dierks, Behrmann, "Adapting an AI planning heuristic for directed model checking", SPIN
//! 2006. There, counting up or down makes all values beyond possible in the same layer (`increments=shortcut`); by default
//! every value has its own layer, which is exact where something has to be counted.
//!
//! Claims: consistent: after a step, nothing is possible that was not possible one layer later before.
//!
//! Cost: at most one look at every precondition of every step of the model, for each state. Deadlocks: always 0.
//!
//! Fails where the same thing has to be done many times, and where the order of messages or large numbers decide.
//!
//! Example: `astar(h=hl)` for the case studies of the paper; a chain of hand-shakes of n processes: exactly n.

use bughound_kernel::registry::{Args, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State};

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::registry::Entry;
use crate::relaxation::Detail;
use crate::relaxation::problem::Problem;
use crate::relaxation::propagation::Propagation;

pub(super) const ENTRY: Entry = Entry {
    name: "hl",
    summary: "layers until an error is possible if variables collect values instead of changing them",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: &[INCREMENTS],
    claims: "consistent",
    build: |cx, args| Ok(Box::new(Layers::new(cx, detail_of(args)))),
};

pub(super) const INCREMENTS: Param = Param {
    name: "increments",
    summary: "counting gets to the next value in a step, or to all values beyond",
    kind: ParamKind::Choice { options: &["step", "shortcut"] },
};

/// Guards condition by condition, as in the paper.
pub(super) fn detail_of(args: &Args) -> Detail {
    Detail { shortcut: args.choice(INCREMENTS.name) == Some("shortcut"), together: false }
}

/// The cost of the goal as a maximum over preconditions.
pub(super) struct Layers {
    problem: Problem,
    propagation: Propagation,
}

impl Layers {
    pub(super) fn new(cx: &BuildCx<'_>, detail: Detail) -> Layers {
        let problem = Problem::new(cx, detail);
        Layers { propagation: Propagation::new(&problem.rules, Combine::Max), problem }
    }
}

impl Heuristic for Layers {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn estimate(&mut self, state: State<'_>) -> Estimate {
        to_estimate(self.propagation.run(&self.problem, state))
    }

    fn memory(&self) -> u64 {
        self.problem.memory() + self.propagation.memory()
    }
}
