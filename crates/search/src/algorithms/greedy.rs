//! **Greedy best-first search.** The state with the smallest estimate first, whatever it took to get there.
//!
//! Paper: Doran, Michie 1966; in model checking: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking
//! with HSF-SPIN" (best-first search); Yang, Dill 1998.
//!
//! Claims: complete (a dead end that is no proof is put behind all other states, not thrown away). Not optimal.
//!
//! Cost: one expansion and one estimate for each state. With a good heuristic few states are expanded at all.
//!
//! Fails: when the estimate leads into a large region without errors; the traces may be long.
//!
//! Example: `greedy(h=active-processes)` runs towards a deadlock by blocking one process after the other.

use bughound_kernel::registry::{Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::configuration::GuidedSearch;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::open_lists::Ties;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "greedy",
    summary: "the state that seems closest to an error first",
    cite: "Doran, Michie 1966; Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[
        HEURISTIC,
        Ties::RECENT_FIRST,
        Param {
            name: "reopen",
            summary: "expand a state again when it is reached at less cost: shorter traces, more work",
            kind: ParamKind::Flag { default: false },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let reopen = args.flag("reopen") == Some(true);
        Ok(Box::new(GuidedSearch {
            name: "greedy",
            heuristic: cx.heuristic(args),
            weights: Weights::GREEDY,
            ties: Ties::from_args(args, cx.seed),
            revisit: if reopen { Revisit::Cheaper } else { Revisit::CheaperUntilExpanded },
            depth: None,
            budget: None,
        }))
    },
};
