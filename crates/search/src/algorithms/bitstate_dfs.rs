//! **Bit-state depth-first search (supertrace).** Depth-first search that remembers a few bits of each state, several
//! times with different hash functions.
//!
//! Paper: Holzmann 1987, "On limits and possibilities of automated protocol analysis"; repeated runs: Holzmann
//! 1998, "An analysis of bitstate hashing".
//!
//! Claims: none. A state whose bits are set by others is taken for known, and what lies behind it may be missed. Errors
//! that it finds are errors.
//!
//! Cost: the array of bits, the path and its alternatives. A full array omits nearly everything; the statistics say how
//! full it was, and a run that fills less than a tenth omits about one state in 3000 (with three functions).
//!
//! Fails: when the path grows as long as the state space is large: then the path takes the memory.
//!
//! Example: `bitstate-dfs(mb=1024, runs=5)`.

use bughound_kernel::registry::{BuildError, Expression, Param, ParamKind};

use crate::algorithms::SEED;
use crate::algorithms::visited::{BITS, USUAL_FUNCTIONS, bit_array};
use crate::driver::Driver;
use crate::engines::{BitArray, DepthFirst, KEEPS_PATHS, OnError, Pass, Plan, Remember};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "bitstate-dfs",
    summary: "depth-first with a few bits for each state, repeated with other hash functions; proves nothing",
    cite: "Holzmann 1987; Holzmann 1998",
    params: &[
        BITS,
        Param {
            name: "mb",
            summary: "size of the bit array in megabytes, in place of bits",
            kind: ParamKind::Integer { default: None, min: 1, max: 1 << 23 },
        },
        Param {
            name: "functions",
            summary: "bits for each state",
            kind: ParamKind::Integer { default: Some(USUAL_FUNCTIONS), min: 1, max: 64 },
        },
        Param {
            name: "runs",
            summary: "how often the search is repeated, with other functions, until it finds an error",
            kind: ParamKind::Integer { default: Some(1), min: 1, max: 1_000_000 },
        },
        Param {
            name: "h",
            summary: "orders successors, the most promising first; `blind` leaves them in the order of the model",
            kind: ParamKind::Nested { what: "heuristic", default: "blind" },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Never, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let mut array = bit_array(args, cx.seed(args));
        match (args.is_given("bits"), args.integer("mb")) {
            (true, Some(_)) => return Err(BuildError::new("give either `bits` or `mb`, not both", 0..0)),
            (false, Some(megabytes)) => array.bits = megabytes << 23,
            (_, None) => {}
        }
        let is_guided = args.is_given("h") || cx.heuristic.is_some();
        let heuristic = is_guided.then(|| cx.heuristic(args));
        Ok(Box::new(Supertrace { array, runs: args.integer("runs").unwrap_or(1), heuristic }))
    },
};

#[derive(Clone, Debug)]
struct Supertrace {
    array: BitArray,
    runs: u64,
    heuristic: Option<Expression>,
}

impl Search for Supertrace {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(KEEPS_PATHS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let plan = Plan {
            phase: "bitstate-dfs",
            remember: Remember::Bits(self.array),
            by_estimate: self.heuristic.is_some(),
            on_error: OnError::Take,
        };
        let mut search = DepthFirst::new(task, plan, self.heuristic.as_ref(), driver)?;
        for _ in 0..self.runs {
            if matches!(search.pass(None, driver), Pass::Found | Pass::Stopped) {
                break;
            }
        }
        Ok(search.finish(driver))
    }
}
