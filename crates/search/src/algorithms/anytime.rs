//! **Anytime search for cheapest errors.** A narrow beam finds something soon; wider ones find something better; A* in between
//! tells what nothing can be cheaper than. So at every moment there is a cost that is known and one that is proven, until they
//! meet. For schedules, where the first one found is seldom a good one and the last one is far away.
//!
//! A round is a beam that goes on after errors, below their cost ([`OnError::Improve`]), and an A* below the best cost so far that
//! may generate as many states as the beam did. Each beam is four times as wide as the one before. A beam that loses nothing has
//! the proof, too: so the rounds end.
//!
//! Paper: Zhang 1998, "Complete anytime beam search"; Hansen, Zhou 2007, "Anytime heuristic search".
//!
//! Claims: complete. Optimal with an admissible heuristic, and in the end with any other. At a limit, the result has the best
//! error so far and the bound that was proven.
//!
//! Cost: about three times that of the last round.
//!
//! Fails: to be better than A* where the heuristic is nearly exact: then A* needs no help.
//!
//! Example: `anytime(h=least-cost, k=100)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::{ADMISSIBLE_HEURISTIC, width};
use crate::configuration::{BeamSearch, GuidedSearch};
use crate::driver::Driver;
use crate::engines::{OnError, Revisit};
use crate::evaluators::Weights;
use crate::goals::StopPolicy;
use crate::open_lists::{BeamShape, Levels, Rest, TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};

/// How beams rank. Bounds are often the same for all states of a level: then those are better that have cost less so far.
/// Measured on job shops (la01 to la05, `docs/scheduling.md`): 3 to 2 found the best schedules; equal weights, 2 to 1 and less
/// for costs than for estimates found worse ones.
const WARY: Weights = Weights { cost: 3, estimate: 2 };

const BEAM: &str = "anytime: beam";
const PROOF: &str = "anytime: A*";

pub(super) const ENTRY: Entry = Entry {
    name: "anytime",
    summary: "something soon, then something better, until it is proven to be the best: for cheapest schedules",
    cite: "Zhang 1998; Hansen, Zhou 2007",
    params: &[
        ADMISSIBLE_HEURISTIC,
        width(20),
        Param {
            name: "factor",
            summary: "how much wider each beam is than the one before",
            kind: ParamKind::Integer { default: Some(4), min: 2, max: 1000 },
        },
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Always },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(Anytime {
            heuristic: cx.heuristic(args),
            width: args.integer("k").unwrap_or(20),
            factor: args.integer("factor").unwrap_or(4),
        }))
    },
};

struct Anytime {
    heuristic: Expression,
    width: u64,
    factor: u64,
}

impl Anytime {
    fn beam(&self, width: u64, depth: Option<u64>) -> BeamSearch {
        let shape = BeamShape {
            width: usize::try_from(width).unwrap_or(usize::MAX),
            flexible: false,
            levels: Levels::Steps,
            rest: Rest::Dropped,
            per_state: None,
        };
        let search = BeamSearch::new(BEAM, self.heuristic.clone(), WARY, shape);
        BeamSearch { depth, on_error: OnError::Improve, ..search }
    }

    fn proof(&self, depth: Option<u64>, budget: u64) -> GuidedSearch {
        GuidedSearch {
            name: PROOF,
            heuristic: self.heuristic.clone(),
            weights: Weights::ASTAR,
            ties: Ties { low_h: true, rest: TieBreak::Lifo },
            revisit: Revisit::Cheaper,
            depth,
            budget: Some(budget),
        }
    }

    /// Beams and proofs in turn, until one of them gets to the end.
    fn rounds(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let mut width = self.width;
        let mut below = None;
        // What the first state promises is known at once.
        let look = phases.add(self.proof(None, 1).run(task, driver)?);
        if !goes_on(&look) {
            return Ok(look);
        }
        driver.know_at_least(look.at_least);
        loop {
            let mut generated = 0;
            for improves in [true, false] {
                let beam = self.beam(width, below);
                let proof = self.proof(below, generated);
                let part: &dyn Search = if improves { &beam } else { &proof };
                let result = part.run(task, driver)?;
                generated = result.stats.generated;
                let goes_on = goes_on(&result);
                let result = phases.add(result);
                let best = result.witnesses.iter().map(|witness| witness.length).min();
                driver.know(best);
                driver.know_at_least(result.at_least);
                below = best.and_then(|best| best.checked_sub(1));
                if !goes_on || best.is_some_and(|best| best <= result.at_least) {
                    return Ok(result);
                }
            }
            width = width.saturating_mul(self.factor);
        }
    }
}

/// Can more be found with more effort?
fn goes_on(part: &SearchResult) -> bool {
    let found = part.witnesses.iter().any(|witness| !witness.proven_shortest);
    let lost = [Incompleteness::LossyOpenList, Incompleteness::Budget];
    part.stop_reason.is_none() && (found || part.incomplete_because.iter().any(|reason| lost.contains(reason)))
}

impl Search for Anytime {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        self.beam(self.width, None).takes_every_step()
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let properties = task.goals.properties().len();
        if properties == 0
            || properties > 1 && task.stop != StopPolicy::FirstError
            || task.stop == StopPolicy::Exhaustive
        {
            // Several costs are no single number that could be improved.
            return GuidedSearch { depth: None, budget: None, ..self.proof(None, 0) }.run(task, driver);
        }
        let result = self.rounds(task, driver);
        driver.know(None);
        let mut result = result?;
        // Rounds may have found errors of several properties; the cheapest one was asked for.
        let best = result.witnesses.iter().map(|witness| witness.length).min();
        result.witnesses.retain(|witness| Some(witness.length) == best);
        result.witnesses.truncate(1);
        for witness in &mut result.witnesses {
            witness.proven_shortest |= witness.length <= result.at_least;
        }
        if !result.witnesses.is_empty() && result.stop_reason.is_none() {
            // That nothing cheaper is left is no statement about errors at the same cost.
            (result.complete, result.saw_everything) = (false, false);
            result.incomplete_because = vec![Incompleteness::StoppedAtError];
        }
        Ok(result)
    }
}
