//! **Trail-directed search.** A first search finds an error; then A* runs for the same error again, on shorter paths only,
//! with the distance to the state at the end of the trail as its heuristic.
//!
//! Paper: Edelkamp, Lluch Lafuente, Leue 2001, "Trail-directed model checking"; Edelkamp, Leue, Lluch Lafuente 2004
//! (Hamming and FSM distance).
//!
//! Claims: as complete as the first search. The trace is proven shortest if the last attempt, which finds nothing
//! shorter, ends within its budget: then no shorter path exists, whatever the heuristic.
//!
//! Cost: with a good heuristic little more than the length of the trail for each improvement; the proof is a bounded
//! exhaustive search.
//!
//! Fails: the state at the end of the trail may be far from the shortest error; the search then finds that one only
//! because it is complete.
//!
//! Example: `trail-directed(first=dfs, h=fsm-distance)`.

use std::ops::ControlFlow;

use bughound_kernel::registry::{Expression, Param, ParamKind};
use bughound_kernel::{Outcome, StateBuf, TransitionSystem};

use crate::algorithms;
use crate::driver::Driver;
use crate::engines::{Revisit, Setup, best_first};
use crate::evaluators::{Guided, Weights};
use crate::open_lists::{GuidedQueue, TieBreak, Ties};
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{SearchError, SearchResult, Witness};
use crate::search::{Search, Task};
use crate::shorten::shorten;
use crate::trail::Trail;

pub(super) const ENTRY: Entry = Entry {
    name: "trail-directed",
    summary: "finds an error, then shorter ways to the state in which it ended",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001 and 2004",
    params: &[
        Param {
            name: "first",
            summary: "the search that finds the error",
            kind: ParamKind::Nested { what: "search", default: "greedy" },
        },
        Param {
            name: "h",
            summary: "distance to the end of the trail",
            kind: ParamKind::Nested { what: "heuristic", default: "hamming" },
        },
        Param {
            name: "budget",
            summary: "states that each attempt may generate; without it they go on to the proof",
            kind: ParamKind::Integer { default: None, min: 1, max: u64::MAX },
        },
    ],
    claims: Claims {
        complete: Promise::Depends("if the first search is"),
        optimal: Promise::Depends("if the last attempt ends within its budget"),
    },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let first = args.nested("first").cloned().unwrap_or_else(|| Expression::named("greedy"));
        Ok(Box::new(TrailDirected {
            first: algorithms::build(&first, cx)?,
            heuristic: args.nested("h").cloned().unwrap_or_else(|| Expression::named("hamming")),
            budget: args.integer("budget"),
        }))
    },
};

/// The same search for an error that is known already.
pub(super) fn from_trail(trail: Trail, heuristic: Expression, budget: Option<u64>) -> Box<dyn Search> {
    Box::new(TrailDirected { first: Box::new(trail), heuristic, budget })
}

struct TrailDirected {
    first: Box<dyn Search>,
    heuristic: Expression,
    budget: Option<u64>,
}

impl Search for TrailDirected {
    fn can_be_saved(&self) -> bool {
        self.first.can_be_saved()
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        self.first.takes_every_step()
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut result = self.first.run(task, driver)?;
        if result.stop_reason.is_some() {
            return Ok(result);
        }
        let found: Vec<_> = result.witnesses.iter().map(|witness| witness.property).collect();
        for property in found {
            shorten(task, &mut result, property, driver, &mut |bound, witness| {
                let goal = end_of(task.system, witness);
                Box::new(TowardsEnd { heuristic: self.heuristic.clone(), goal, bound, budget: self.budget })
            })?;
        }
        Ok(result)
    }
}

/// A* below a bound, towards a known state.
struct TowardsEnd {
    heuristic: Expression,
    goal: StateBuf,
    bound: u64,
    budget: Option<u64>,
}

impl Search for TowardsEnd {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let heuristic = task.heuristic(&self.heuristic, Some(&self.goal), driver)?;
        // Errors elsewhere count as well, so the estimate is no bound on anything: it only orders.
        let guided = Guided::new(heuristic, Weights::ASTAR).only_ordering();
        let setup =
            Setup { depth: Some(self.bound), budget: self.budget, ..Setup::new("trail-directed", Revisit::Cheaper) };
        let ties = Ties { low_h: true, rest: TieBreak::Fifo };
        best_first(task, setup, GuidedQueue::new(ties), guided, driver)
    }
}

/// The state at the end of a witness; before the failing step if there is one.
pub(crate) fn end_of(system: &dyn TransitionSystem, witness: &Witness) -> StateBuf {
    let mut explorer = system.explorer();
    let mut here = witness.start.clone();
    let steps = witness.path.len() - usize::from(witness.failure.is_some());
    for moves in &witness.path[..steps] {
        let mut next = None;
        explorer.successors(here.as_state(), &mut |step| match step.outcome {
            Outcome::State(state) if step.moves == moves => {
                next = Some(StateBuf::from(state));
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
        match next {
            Some(next) => here = next,
            // A goal that is a little off is still a direction.
            None => break,
        }
    }
    here
}
