//! **Enforced hill climbing.** Breadth-first search from the best state so far until a better one is found, and again.
//!
//! With the distances of an abstraction this follows an abstract path and makes it concrete, step by step: where a step
//! needs something that the abstraction has forgotten, the breadth-first search finds the moves to be put in between. If all
//! that was forgotten can be set by moves of its own (safe variables), these searches are short.
//!
//! Paper: Hoffmann, Nebel 2001, "The FF planning system"; Wehrle, Helmert 2009 (safe abstraction: search in the
//! abstraction, then make its trace concrete). There, the search fails where no better state is found; here, the states left
//! behind are taken up again, the best first.
//!
//! Claims: complete; not optimal.
//!
//! Cost: small where a better state is always near; else as breadth-first search.
//!
//! Fails: where one has to get away from the error first.
//!
//! Example: `ehc(h=pdb(counterexamples))`; `ehc(h=hff)`.

use bughound_kernel::registry::Expression;

use crate::algorithms::{HEURISTIC, SEED};
use crate::driver::Driver;
use crate::engines::{Revisit, Setup, best_first};
use crate::evaluators::{Guided, Weights};
use crate::open_lists::{Enforced, Ties};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

pub(super) const ENTRY: Entry = Entry {
    name: "ehc",
    summary: "breadth-first around the best state so far, until there is a better one",
    cite: "Hoffmann, Nebel 2001; Wehrle, Helmert 2009",
    params: &[HEURISTIC, Ties::RECENT_FIRST, SEED],
    claims: Claims { complete: Promise::Always, optimal: Promise::Never },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        Ok(Box::new(HillClimbing { heuristic: cx.heuristic(args), ties: Ties::from_args(args, cx.seed) }))
    },
};

struct HillClimbing {
    heuristic: Expression,
    ties: Ties,
}

impl Search for HillClimbing {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let heuristic = task.heuristic(&self.heuristic, None, driver)?;
        let guided = Guided::new(heuristic, Weights::GREEDY).taking_errors_at_once();
        let setup = Setup::new("ehc", Revisit::CheaperUntilExpanded);
        best_first(task, setup, Enforced::new(self.ties.clone()), guided, driver)
    }
}
