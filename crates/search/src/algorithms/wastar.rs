//! **Weighted A\*.** f = g + w·h with w > 1 trusts the heuristic more than A* does; or f = α·g + (1 − α)·h.
//!
//! Paper: Pohl 1970, "Heuristic search viewed as path finding in a graph"; the α form: Edelkamp, Lluch Lafuente, Leue
//! 2001 (α = 0 is greedy search, α = 0.5 is A*, α = 1 is breadth-first search).
//!
//! Claims: complete. Optimal only if w ≤ 1 (α ≥ 0.5) and the heuristic is admissible; otherwise errors are at most w
//! times as long as a shortest one if the heuristic is admissible.
//!
//! Cost: between greedy search and A*.
//!
//! Fails: as greedy search, when the heuristic misleads and w is large.
//!
//! Example: `wastar(h=formula, w=5)`; `wastar(alpha=0.2)` is the same as w = 4.

use bughound_kernel::registry::{BuildError, Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::configuration::GuidedSearch;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::open_lists::Ties;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "wastar",
    summary: "A* that trusts its heuristic more (or less): f = g + w·h, or f = α·g + (1 − α)·h",
    cite: "Pohl 1970; Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[
        HEURISTIC,
        Param {
            name: "w",
            summary: "weight of the estimate",
            kind: ParamKind::Decimal { default: 5.0, min: 0.0, max: 1_000_000.0 },
        },
        Param {
            name: "alpha",
            summary: "share of the cost, in place of w",
            kind: ParamKind::Decimal { default: 0.5, min: 0.0, max: 1.0 },
        },
        Ties::LOW_H_FIRST,
        SEED,
    ],
    claims: Claims {
        complete: Promise::Always,
        optimal: Promise::Depends("with an admissible heuristic and w up to 1 (alpha from 0.5)"),
    },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let weights = match (args.is_given("w"), args.is_given("alpha")) {
            (true, true) => return Err(BuildError::new("give either `w` or `alpha`, not both", 0..0)),
            (_, true) => Weights::by_share(args.decimal("alpha").unwrap_or(0.5)),
            (_, false) => Weights::by_factor(args.decimal("w").unwrap_or(5.0)),
        };
        Ok(Box::new(GuidedSearch {
            name: "wastar",
            heuristic: cx.heuristic(args),
            weights,
            ties: Ties::from_args(args, cx.seed),
            revisit: Revisit::Cheaper,
            depth: None,
            budget: None,
        }))
    },
};
