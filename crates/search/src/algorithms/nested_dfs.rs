//! **Nested depth-first search.** A depth-first walk over all states; when it leaves an accepting state, a second walk looks
//! for a way back to the path.
//!
//! Paper: Courcoubetis, Vardi, Wolper, Yannakakis 1992, "Memory-efficient algorithms for the verification of temporal
//! properties"; Holzmann, Peled, Yannakakis 1996, "On nested depth first search" (the test against the path).
//!
//! Claims: complete; not optimal: lassos are as long as the detours of the walk, unless they are improved afterwards.
//!
//! Cost: each state is expanded once or twice, and the depth of the walk is the length of the path. Weak fairness multiplies
//! the states by the number of processes.
//!
//! Fails: where the first cycle lies behind a large part without any.
//!
//! Example: `nested-dfs(improve=false)` reports what the walk met, as SPIN does.

use bughound_kernel::registry::{Args, Param, ParamKind};

use crate::configuration::BlindSearch;
use crate::engines::{CycleSearch, Finish, Way};
use crate::registry::{Claims, CycleSupport, Entry, Promise};

pub(super) const ENTRY: Entry = Entry {
    name: "nested-dfs",
    summary: "for cycles: depth-first search, and another one from each accepting state",
    cite: "Courcoubetis, Vardi, Wolper, Yannakakis 1992; Holzmann, Peled, Yannakakis 1996",
    params: &[IMPROVE],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::OneCondition,
    build: |_, args| {
        Ok(Box::new(CycleSearch {
            name: "nested-dfs",
            ways: vec![(Way::Nested { by_region: false }, None)],
            finish: finish(args),
            for_states: Box::new(BlindSearch::depth_first("nested-dfs")),
        }))
    },
};

pub(super) const IMPROVE: Param = Param {
    name: "improve",
    summary: "make the stem and the loop of what is found short",
    kind: ParamKind::Flag { default: true },
};

pub(super) fn finish(args: &Args) -> Finish {
    if args.flag("improve").unwrap_or(true) { Finish::Improve } else { Finish::Take }
}
