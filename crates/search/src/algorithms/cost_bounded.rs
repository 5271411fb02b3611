//! **Cost-bounded search.** One depth-first search below a bound on f = g + h that the user gives.
//!
//! Paper: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model checking" (Fig. 3);
//! "admissible depth-first search".
//!
//! Claims: finds an error if one lies within the bound, and says so if the bound cut nothing off. Not optimal.
//!
//! Cost: as depth-first search of the states with f within the bound. A state is expanded again when it is reached at
//! less cost.
//!
//! Fails: when the bound is too small for any error, or so large that the search is plain depth-first search.
//!
//! Example: `cost-bounded(bound=40, h=formula)` asks whether there is an error within 40 steps.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::algorithms::branch_and_bound::OnePass;
use crate::algorithms::visited::{VISITED_EXACTLY, remember};
use crate::engines::OnError;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "cost-bounded",
    summary: "depth-first below a given bound on cost plus estimate",
    cite: "Edelkamp et al. 2008",
    params: &[
        Param {
            name: "bound",
            summary: "the largest cost considered",
            kind: ParamKind::Integer { default: Some(10_000), min: 0, max: u64::MAX },
        },
        ADMISSIBLE_HEURISTIC,
        VISITED_EXACTLY,
    ],
    claims: Claims { complete: Promise::Depends("if no path costs more than the bound"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(OnePass {
            name: "cost-bounded",
            heuristic: cx.heuristic(args),
            remember: remember(args, 0),
            on_error: OnError::Take,
            bound: args.integer("bound"),
        }))
    },
};
