//! **Priority beam search.** Of the successors of each state only the α best take part in the first l levels, and one
//! afterwards.
//!
//! Paper: Valente, Alves 2005 (priority beam search in scheduling); for state spaces: Wijs, Lisser 2007, "Distributed
//! extended beam search for quantitative model checking".
//!
//! The priority of a step is the estimate of the state it leads to. The beam is at most α^l states wide.
//!
//! Claims: neither complete nor optimal.
//!
//! Cost: at most α^l expansions for each level.
//!
//! Fails: when the way to the error begins with a step that looks bad.
//!
//! Example: `priority-beam(h=formula, alpha=3, first=4)`: at most 81 states at a time.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::{HEURISTIC, IMPROVE, on_error};
use crate::configuration::BeamSearch;
use crate::evaluators::Weights;
use crate::open_lists::{BeamShape, Levels, PerState, Rest};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "priority-beam",
    summary: "only the best successors of each state",
    cite: "Valente, Alves 2005; Wijs, Lisser 2007",
    params: &[
        HEURISTIC,
        Param {
            name: "alpha",
            summary: "successors kept of each state in the first levels",
            kind: ParamKind::Integer { default: Some(3), min: 1, max: u32::MAX as u64 },
        },
        Param {
            name: "first",
            summary: "how many levels are the first",
            kind: ParamKind::Integer { default: Some(6), min: 0, max: u64::MAX },
        },
        IMPROVE,
    ],
    claims: Claims { complete: Promise::Depends("if nothing is left out"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let first = args.integer("alpha").unwrap_or(3) as usize;
        let per_state = PerState { first, levels: args.integer("first").unwrap_or(6) };
        let shape = BeamShape {
            width: usize::MAX,
            flexible: false,
            levels: Levels::Steps,
            rest: Rest::Dropped,
            per_state: Some(per_state),
        };
        let search = BeamSearch::new("priority-beam", cx.heuristic(args), Weights::GREEDY, shape);
        Ok(Box::new(BeamSearch { on_error: on_error(args), ..search }))
    },
};
