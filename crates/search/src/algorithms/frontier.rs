//! **Frontier search.** Breadth-first search by costs that holds the last layers only, and a net of relays across all paths.
//!
//! Paper: Korf, Zhang, Thayer, Hohwald 2005, "Frontier search"; with locality, for directed graphs: Zhou, Hansen 2006,
//! "Breadth-first heuristic search"; in model checking: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on
//! directed model checking" (Fig. 4). Paths by relays: Zhou, Hansen 2004.
//!
//! Claims: complete and optimal. Too small a locality makes it expand states again, and nothing else; relays, which stay
//! for good, make sure that it ends (`engines/layered/mod.rs` has the argument). `stored` is the most states that were held
//! at once.
//!
//! Cost: each state is expanded once if no step leads farther back than the locality; in the worst case some times, and as
//! many states are held as breadth-first search holds. The path takes a search of its own between any two relays.
//!
//! Fails: when nearly all states lie in a few layers, or most steps lead far back.
//!
//! Example: `frontier`; `frontier(locality=8)` holds eight layers from the beginning.

use bughound_kernel::registry::{Param, ParamKind};

use crate::driver::Driver;
use crate::engines::{FORGETS, Layered, Locality};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "frontier",
    summary: "shortest paths first, holding the last layers only; shortest errors in little memory",
    cite: "Korf, Zhang, Thayer, Hohwald 2005; Zhou, Hansen 2006; Edelkamp et al. 2008",
    params: &[LOCALITY],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |_, args| Ok(Box::new(Frontier { locality: locality(args) })),
};

/// For searches that hold a few layers.
pub(super) const LOCALITY: Param = Param {
    name: "locality",
    summary: "how many layers are held at first; too few cost time, never truth",
    kind: ParamKind::Integer { default: Some(2), min: 1, max: u32::MAX as u64 },
};

pub(super) fn locality(args: &bughound_kernel::registry::Args) -> Locality {
    Locality(args.integer("locality").unwrap_or(2) as usize)
}

#[derive(Clone, Debug)]
struct Frontier {
    locality: Locality,
}

impl Search for Frontier {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(FORGETS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut search = Layered::new(task, "frontier", self.locality, None, driver)?;
        search.pass(None, driver)?;
        Ok(search.finish(driver))
    }
}
