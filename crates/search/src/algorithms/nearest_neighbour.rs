//! **Nearest neighbour.** One path: always the step that costs least, and no way back. A quick first schedule, of unknown
//! quality. Among equals it draws, and it begins again as often as it was told to, for something cheaper.
//!
//! Paper: Rosenkrantz, Stearns, Lewis 1977, "An analysis of several heuristics for the traveling salesman problem"; for
//! state spaces: Edelkamp et al. 2008, "Survey on directed model checking" (nearest neighbour).
//!
//! Claims: neither complete nor optimal. A path without alternatives is all there is, and the result says so.
//!
//! Cost: one expansion for each step of a path.
//!
//! Fails: when the cheapest step leads to where nothing goes on, or makes all later ones costly.
//!
//! Example: `nearest-neighbour(restarts=100, seed=7)`.

use bughound_kernel::Random;
use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::SEED;
use crate::configuration::BeamSearch;
use crate::driver::Driver;
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{BeamShape, Levels, Rest};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "nearest-neighbour",
    summary: "one path, always the cheapest step; again and again, with other choices among equals",
    cite: "Rosenkrantz, Stearns, Lewis 1977; Edelkamp et al. 2008",
    params: &[
        Param {
            name: "restarts",
            summary: "how often it begins",
            kind: ParamKind::Integer { default: Some(10), min: 1, max: 1_000_000_000 },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Depends("if there is nothing to choose"), optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let restarts = args.integer("restarts").unwrap_or(10);
        Ok(Box::new(NearestNeighbour { restarts, seed: args.integer("seed").unwrap_or(cx.seed) }))
    },
};

struct NearestNeighbour {
    restarts: u64,
    seed: u64,
}

impl Search for NearestNeighbour {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let shape =
            BeamShape { width: 1, flexible: false, levels: Levels::Steps, rest: Rest::Dropped, per_state: None };
        let weights = Weights { cost: 1, estimate: 0 };
        let mut random = Random::new(self.seed);
        let mut phases = Phases::default();
        let mut left = self.restarts;
        loop {
            let search = BeamSearch::new("nearest-neighbour", Expression::named("blind"), weights, shape);
            let result = BeamSearch { seed: Some(random.draw()), ..search }.run(task, driver)?;
            left -= 1;
            // Where there was nothing to choose, nothing else will be found.
            let is_over = result.stop_reason.is_some() || result.complete || left == 0;
            let mut result = phases.add(result);
            if is_over {
                if task.stop == StopPolicy::FirstError {
                    // Rounds may have found errors of several properties; one was asked for.
                    result.witnesses.sort_by_key(|witness| witness.length);
                    result.witnesses.truncate(1);
                }
                return Ok(result);
            }
        }
    }
}
