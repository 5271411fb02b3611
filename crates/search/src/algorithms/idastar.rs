//! **IDA\*.** Iterative deepening A*: depth-first search below a bound on f = g + h, again and again; the next bound is
//! the least f that was cut off.
//!
//! Paper: Korf 1985, "Depth-first iterative-deepening: an optimal admissible tree search"; in model checking, also with
//! bit-state hashing: Edelkamp, Lluch Lafuente, Leue 2001, "Directed explicit model checking with HSF-SPIN".
//!
//! Claims: complete and optimal with `visited=exact` and `visited=none`, whatever the heuristic: one that is not
//! admissible has no say in the bound and only orders successors. With `visited=bitstate` nothing is promised. There a
//! state may be cut off and entered later, so the bound could rise for long without reaching anything new; when a pass
//! reaches no more states than the one before, the last pass has no bound.
//!
//! Cost: one pass for each value of f up to the optimum. With `visited=none` the memory is that of one path and its
//! alternatives, and each path without cycles is followed: exponential in the length, unless the state space is a tree.
//!
//! Fails: when f takes many values, each of which brings few new states (see `refined-threshold`).
//!
//! Example: `idastar(h=formula)`; `idastar(visited=bitstate, bits=1073741824)` in 128 MB.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::visited::{BITS, VISITED, remember};
use crate::algorithms::{ADMISSIBLE_HEURISTIC, SEED};
use crate::driver::Driver;
use crate::engines::{DepthFirst, KEEPS_PATHS, OnError, Pass, Plan, Remember};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "idastar",
    summary: "depth-first below a bound on cost plus estimate that rises from pass to pass; shortest errors",
    cite: "Korf 1985; Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[
        ADMISSIBLE_HEURISTIC,
        VISITED,
        Param {
            name: "order",
            summary: "which successor is entered first: the one with the smallest estimate, or the first of the model",
            kind: ParamKind::Choice { options: &["estimate", "model"] },
        },
        BITS,
        SEED,
    ],
    claims: CLAIMS,
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(Deepening {
            name: "idastar",
            heuristic: Some(cx.heuristic(args)),
            remember: remember(args, cx.seed(args)),
            by_estimate: args.choice("order") == Some("estimate"),
        }))
    },
};

pub(super) const CLAIMS: Claims = Claims {
    complete: Promise::Depends("unless visited=bitstate"),
    optimal: Promise::Depends("unless visited=bitstate"),
};

/// Passes with rising bounds.
#[derive(Clone, Debug)]
pub(super) struct Deepening {
    pub name: &'static str,
    pub heuristic: Option<Expression>,
    pub remember: Remember,
    pub by_estimate: bool,
}

impl Search for Deepening {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(KEEPS_PATHS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let Deepening { name: phase, remember, by_estimate, .. } = *self;
        let plan = Plan { phase, remember, by_estimate, on_error: OnError::Take };
        let mut search = DepthFirst::new(task, plan, self.heuristic.as_ref(), driver)?;
        let mut bound = Some(0);
        let mut reached = 0;
        while let Pass::Cut(least) = search.pass(bound, driver) {
            let is_stuck = search.reached() <= reached && reached > 0;
            reached = search.reached();
            bound = if is_stuck && matches!(remember, Remember::Bits(_)) { None } else { Some(least) };
        }
        Ok(search.finish(driver))
    }
}
