//! **Iterative broadening.** Beam searches with growing width, until one finds an error or loses nothing.
//!
//! Paper: Ginsberg, Harvey 1992, "Iterative broadening"; Edelkamp et al. 2008 (k-beam made complete again).
//!
//! Claims: complete: the last beam is as wide as the widest level. Not optimal.
//!
//! Cost: with doubled widths, about twice the work of the last round.
//!
//! Fails: when the heuristic tells nothing; then it is breadth-first search, several times over.
//!
//! Example: `iterative-broadening(h=formula, k=10)` tries widths 10, 20, 40, …

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::{HEURISTIC, width};
use crate::configuration::BeamSearch;
use crate::driver::Driver;
use crate::evaluators::Weights;
use crate::open_lists::{BeamShape, Levels, Rest};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "iterative-broadening",
    summary: "beam searches with growing width",
    cite: "Ginsberg, Harvey 1992; Edelkamp et al. 2008",
    params: &[
        HEURISTIC,
        width(10),
        Param {
            name: "factor",
            summary: "how much wider each round is",
            kind: ParamKind::Integer { default: Some(2), min: 2, max: 1000 },
        },
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(IterativeBroadening {
            heuristic: cx.heuristic(args),
            width: args.integer("k").unwrap_or(10),
            factor: args.integer("factor").unwrap_or(2),
        }))
    },
};

struct IterativeBroadening {
    heuristic: Expression,
    width: u64,
    factor: u64,
}

impl Search for IterativeBroadening {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let mut width = self.width;
        loop {
            let shape = BeamShape {
                width: usize::try_from(width).unwrap_or(usize::MAX),
                flexible: false,
                levels: Levels::Steps,
                rest: Rest::Dropped,
                per_state: None,
            };
            let round = BeamSearch::new("iterative-broadening", self.heuristic.clone(), Weights::GREEDY, shape);
            let result = phases.add(round.run(task, driver)?);
            let lost = result.incomplete_because.contains(&Incompleteness::LossyOpenList);
            let enough = task.is_satisfied_by(&result) || result.stop_reason.is_some();
            if enough || !lost || width == u64::MAX {
                return Ok(result);
            }
            width = width.saturating_mul(self.factor);
        }
    }
}
