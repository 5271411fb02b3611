//! **Beam-stack search.** A beam search that comes back for what it has dropped: of each layer only the k best states are
//! held, and a stack remembers from which f on states were left out.
//!
//! Paper: Zhou, Hansen 2005, "Beam-stack search: integrating backtracking with beam search".
//!
//! Claims: anytime: the first error comes as soon as that of a beam search, and better ones follow. Complete and optimal when it
//! ends, whatever the heuristic: one that is not admissible has no say in f (`engines/beam_stack.rs` has the argument; on
//! directed graphs it needs that states of the stack are not taken again). At a limit, the best error so far is reported.
//!
//! Cost: memory for k states in each layer of one beam. What was dropped is made anew for each interval of f, and what is
//! reached in several intervals is expanded in each of them: exponential in the worst case. Where memory runs out the
//! search begins again with half the width, below the cost of the best error so far.
//!
//! By default k follows from `--max-memory`: as many states as would fit if there were 64 layers; 1000 without such a limit.
//!
//! Fails: when the beam is narrow and there is no error: to prove that, every path may have to be followed.
//!
//! Example: `beam-stack(h=hmax, k=500)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::ADMISSIBLE_HEURISTIC;
use crate::driver::Driver;
use crate::engines::{FORGETS, beam_stack};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "beam-stack",
    summary: "the k best states of each layer, then those that were dropped; better and better errors, the best at the end",
    cite: "Zhou, Hansen 2005",
    params: &[
        ADMISSIBLE_HEURISTIC,
        Param {
            name: "k",
            summary: "how many states of a layer are held; by default what the memory is good for",
            kind: ParamKind::Integer { default: None, min: 1, max: u32::MAX as u64 },
        },
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let width = args.integer("k").map(|k| k as usize);
        Ok(Box::new(BeamStack { heuristic: cx.heuristic(args), width }))
    },
};

#[derive(Clone, Debug)]
struct BeamStack {
    heuristic: Expression,
    width: Option<usize>,
}

impl Search for BeamStack {
    fn takes_every_step(&self) -> Option<&'static str> {
        Some(FORGETS)
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        beam_stack(task, "beam-stack", &self.heuristic, self.width, driver)
    }
}
