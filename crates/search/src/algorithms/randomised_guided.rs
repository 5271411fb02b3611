//! **Randomised guided search.** Greedy searches with random tie-breaking, each given up after some states and begun anew.
//!
//! Paper: Gomes, Selman, Kautz 1998, "Boosting combinatorial search through randomization"; Luby, Sinclair, Zuckerman
//! 1993 (the sequence of budgets 1 1 2 1 1 2 4 …); in directed model checking: Rungta, Mercer 2007.
//!
//! Claims: complete, because budgets grow without bound: sooner or later one suffices for the whole state space. Not
//! optimal.
//!
//! Cost: the expected time of a heavy-tailed search becomes finite; a proof of absence costs several times a plain
//! search.
//!
//! Fails: when every run needs more than the budgets tried so far.
//!
//! Example: `randomised-guided(h=formula, budget=1000, seed=3)`.

use bughound_kernel::registry::{Expression, Param, ParamKind};

use crate::algorithms::{HEURISTIC, SEED};
use crate::configuration::GuidedSearch;
use crate::driver::Driver;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::open_lists::{TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};
use bughound_kernel::Random;

pub(super) const ENTRY: Entry = Entry {
    name: "randomised-guided",
    summary: "greedy searches with random ties, restarted now and then",
    cite: "Gomes, Selman, Kautz 1998; Luby, Sinclair, Zuckerman 1993; Rungta, Mercer 2007",
    params: &[
        HEURISTIC,
        Param {
            name: "budget",
            summary: "states that the first run may generate; later ones may generate multiples of it",
            kind: ParamKind::Integer { default: Some(1000), min: 1, max: u64::MAX },
        },
        SEED,
    ],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(RandomisedGuided {
            heuristic: cx.heuristic(args),
            budget: args.integer("budget").unwrap_or(1000),
            seed: cx.seed(args),
        }))
    },
};

struct RandomisedGuided {
    heuristic: Expression,
    budget: u64,
    seed: u64,
}

impl Search for RandomisedGuided {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let mut random = Random::new(self.seed);
        for run in 1.. {
            let search = GuidedSearch {
                name: "randomised-guided",
                heuristic: self.heuristic.clone(),
                weights: Weights::GREEDY,
                ties: Ties { low_h: false, rest: TieBreak::Random(Random::new(random.draw())) },
                revisit: Revisit::CheaperUntilExpanded,
                depth: None,
                budget: Some(self.budget.saturating_mul(luby(run))),
            };
            let result = phases.add(search.run(task, driver)?);
            let spent = result.incomplete_because.contains(&Incompleteness::Budget);
            if task.is_satisfied_by(&result) || result.stop_reason.is_some() || !spent {
                return Ok(result);
            }
        }
        unreachable!("budgets grow without bound, and state spaces that fit into memory end")
    }
}

/// The n-th number of the sequence 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 …
fn luby(n: u64) -> u64 {
    // The first 2^k - 1 numbers end with 2^(k-1); what follows repeats them.
    let k = 64 - n.leading_zeros();
    if n == (1 << k) - 1 { 1 << (k - 1) } else { luby(n - ((1 << (k - 1)) - 1)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_follow_the_sequence() {
        let first: Vec<u64> = (1..=15).map(luby).collect();
        assert_eq!(first, [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]);
    }
}
