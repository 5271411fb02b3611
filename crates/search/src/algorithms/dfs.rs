//! **Depth-first search.** Follows one path as far as it leads, then the last alternative.
//!
//! Paper: Tarjan 1972, "Depth-first search and linear graph algorithms"; in model checking Holzmann 1991, "Design and
//! Validation of Computer Protocols".
//!
//! Claims: complete; not optimal: traces are as long as the detours before the error.
//!
//! Cost: each reachable state is expanded once. The stack holds each alternative on the way: up to one entry for each
//! transition.
//!
//! Fails: when a wrong turn at the beginning leads into a large part without errors; when traces must be short.
//!
//! Example: in the cycle `a → b → c → a` with a chord `a → c`, the order is `a b c`, and `c` is reached by two steps.

use crate::configuration::BlindSearch;
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "dfs",
    summary: "deepest state first, successors in the order of the model",
    cite: "Tarjan 1972; Holzmann 1991",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |_, _| Ok(Box::new(BlindSearch::depth_first("dfs"))),
};
