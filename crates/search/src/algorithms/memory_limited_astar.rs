//! **Memory-limited A\*.** A* until memory is full; then the worst leaf is dropped for every state that comes, and its f is
//! noted at its parent, which makes it again when its turn has come.
//!
//! Paper: Russell 1992, "Efficient memory-bounded search methods" (SMA*); Chakrabarti, Ghose, Acharya, de Sarkar 1989, "Heuristic
//! search in restricted memory" (MA*). Here all steps of a state are taken at once, states are nodes of a tree of best known
//! ways as in A*, and what a parent notes is kept for each child, so that what is done is not done again.
//!
//! Claims: complete and optimal, whatever the heuristic (one that is not admissible has no say in f), if the way to the
//! error fits into memory; otherwise the result says that memory has run out, and what was proven up to there.
//!
//! Cost: that of A* as long as memory suffices, with more of it for each state. Afterwards what was dropped is made again: what
//! is expanded can grow exponentially.
//!
//! Fails: when memory is far from enough for a proof that there is no error: states that are done are forgotten, and done
//! again from elsewhere.
//!
//! Example: `memory-limited-astar(h=hmax)` with `--max-memory 100M`; `memory-limited-astar(states=5000)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::driver::Driver;
use crate::engines::{FORGETS, memory_limited};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "memory-limited-astar",
    summary: "A* that drops the worst states where memory is full, and makes them again when their turn has come",
    cite: "Russell 1992; Chakrabarti et al. 1989",
    params: &[
        ADMISSIBLE_HEURISTIC,
        Param {
            name: "states",
            summary: "how many states are held; by default as many as the limits of the run allow",
            kind: ParamKind::Integer { default: None, min: 1, max: u32::MAX as u64 },
        },
    ],
    claims: Claims { complete: Promise::Depends(ROOM), optimal: Promise::Depends(ROOM) },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let room = args.integer("states").map(|states| states as usize);
        Ok(Box::new(MemoryLimited { heuristic: cx.heuristic(args), room }))
    },
};

const ROOM: &str = "if the way to the error fits into memory";

#[derive(Clone, Debug)]
struct MemoryLimited {
    heuristic: Expression,
    room: Option<usize>,
}

impl Search for MemoryLimited {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(FORGETS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        memory_limited(task, "memory-limited-astar", &self.heuristic, self.room, driver)
    }
}
