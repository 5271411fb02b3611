//! **Semi-external depth-first search** for accepting cycles. All states are enumerated from disk first; then a nested depth-first
//! search knows them by a number and two bits each.
//!
//! Paper: Edelkamp, Sanders, Šimeček 2008, "Semi-external LTL model checking"; the inner walks: Courcoubetis, Vardi, Wolper,
//! Yannakakis 1992, "Memory-efficient algorithms for the verification of temporal properties"; the numbers: Limasset, Rizk, Chikhi,
//! Peterlongo 2017, "Fast and scalable minimal perfect hashing for massive key sets".
//!
//! Claims: complete. Not optimal: the stem is a shortest one, the loop is what the walk met. A violation in finitely many steps
//! is found on the way, before any cycle.
//!
//! Cost: time of `external-bfs`, then each state is expanded once or twice more. About five and a half bits of memory for each
//! state during the second part, whatever its size; the stack lies on disk.
//!
//! Fails: when the disk is full. Where the first cycle is near, all states are enumerated nevertheless: `nested-dfs` or `scc` find it
//! sooner, as long as there is memory. Clocks, a bound on the depth and reductions are refused: the states that lie on disk must
//! be exactly those that steps lead to.
//!
//! Example: `--search semi-external-dfs --max-memory 1G --disk DIR --ltl '[]<> p'` is for a billion states.

use bughound_search::registry::{Claims, CycleSupport};
use bughound_search::{Entry, Promise};

use crate::semi::SemiExternal;

pub(super) const ENTRY: Entry = Entry {
    name: "semi-external-dfs",
    summary: "for cycles: all states from disk, then a nested depth-first search with five bits for each in memory",
    cite: "Edelkamp, Sanders, Šimeček 2008",
    params: &[],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::OneCondition,
    build: |_, _| Ok(Box::new(SemiExternal { name: "semi-external-dfs", budget: None })),
};
