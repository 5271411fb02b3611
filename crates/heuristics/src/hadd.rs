//! **h^add.** The sum of the costs of all facts that an error needs, if facts never go away.
//!
//! As [`hmax`](crate::hmax), but preconditions are taken to be independent: the cost of a step is its own plus the sum of the
//! costs of its preconditions.
//!
//! Paper: Bonet, Geffner, "Planning as heuristic search", Artificial Intelligence 129 (2001).
//!
//! Claims: safe. Not admissible: what serves several purposes counts several times.
//!
//! Cost: as `hmax`, and a little more, because costs spread further apart.
//!
//! Fails where facts share their way: then it estimates far too much, and `hff` is better.
//!
//! Example: `greedy(h=hadd)`.

use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State};

use crate::cost::{Combine, to_estimate};
use crate::registry::Entry;
use crate::relaxation::Detail;
use crate::relaxation::problem::Problem;
use crate::relaxation::propagation::Propagation;

pub(super) const ENTRY: Entry = Entry {
    name: "hadd",
    summary: "sum of the costs of all facts that an error needs, if facts never go away",
    cite: "Bonet, Geffner 2001",
    params: &[],
    claims: "safe",
    build: |cx, _| {
        let problem = Problem::new(cx, Detail::VALUES);
        Ok(Box::new(Sums { propagation: Propagation::new(&problem.rules, Combine::Sum), problem }))
    },
};

struct Sums {
    problem: Problem,
    propagation: Propagation,
}

impl Heuristic for Sums {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, state: State<'_>) -> Estimate {
        to_estimate(self.propagation.run(&self.problem, state))
    }

    fn memory(&self) -> u64 {
        self.problem.memory() + self.propagation.memory()
    }
}
