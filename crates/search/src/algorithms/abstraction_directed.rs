//! **Abstraction-directed search.** One abstraction for both questions: is there an error, and where?
//!
//! The abstraction of a model is made and searched. If no error can be reached there, none can be reached in the model: that is a
//! proof, and no state of the model was looked at. Otherwise the distances in the abstraction guide A* through the model, for some
//! states. If it gets lost, the abstraction is made finer, and so on: abstraction and search get eight times as much each round,
//! and the last round ends when the search does.
//!
//! Paper: Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar 2008, "Survey on directed model checking", figure 1. The
//! abstraction is refined where its paths fail (`cartesian`: Seipp, Helmert 2018, after Clarke, Grumberg, Jha, Lu, Veith 2003), or
//! is another one that has a limit on its states.
//!
//! Claims: complete. The trace is proven shortest if the heuristic is admissible, as all are that have such a limit.
//!
//! Cost: what the rounds before the last have done is done again; together that is less than a fifth of the last round.
//!
//! Fails: where no abstraction of bearable size separates errors from the initial state; then it is A* with a late start.
//!
//! Example: `abstraction-directed`; `abstraction-directed(h=pdb)`.

use bughound_kernel::registry::expression::{Argument, Value};
use bughound_kernel::registry::{BuildError, Expression, Param, ParamKind};

use crate::configuration::GuidedSearch;
use crate::driver::Driver;
use crate::engines::Revisit;
use crate::evaluators::Weights;
use crate::open_lists::{TieBreak, Ties};
use crate::phases::Phases;
use crate::registry::{Claims, CycleSupport, Entry, Promise};
use crate::result::{Incompleteness, SearchError, SearchResult};
use crate::search::{Search, Task};

/// Abstract states of the first round, and states of the model that may be generated in it.
const FIRST: (u64, u64) = (200, 2_000);
/// What a round has more than the one before.
const FACTOR: u64 = 8;
/// There is no finer abstraction than one of so many states. It guides the last round.
const LARGEST: u64 = 1_000_000;
/// The parameter of heuristics that limits their abstraction.
const SIZE: &str = "states";

pub(super) const ENTRY: Entry = Entry {
    name: "abstraction-directed",
    summary: "proves by an abstraction that there is no error, or is guided by it, and refines it where both fail",
    cite: "Edelkamp et al. 2008",
    params: &[Param {
        name: "h",
        summary: "the abstraction: a heuristic with the parameter `states`, which is set for each round",
        kind: ParamKind::Nested { what: "heuristic", default: "cartesian" },
    }],
    claims: Claims { complete: Promise::Always, optimal: Promise::Depends("with an admissible heuristic") },
    cycles: CycleSupport::ByRecording,
    build: |cx, args| {
        let heuristic = cx.heuristic(args);
        match heuristic.arguments.iter().find(|argument| argument.key.as_deref() == Some(SIZE)) {
            Some(given) => Err(BuildError::new(
                format!("`{SIZE}` grows from round to round: it cannot be given here"),
                given.key_at.clone(),
            )),
            None => Ok(Box::new(AbstractionDirected { heuristic })),
        }
    },
};

#[derive(Clone, Debug)]
struct AbstractionDirected {
    heuristic: Expression,
}

impl AbstractionDirected {
    /// The abstraction with so many states.
    fn of_size(&self, states: u64) -> Expression {
        let mut heuristic = self.heuristic.clone();
        let value = Value::Integer(states.into());
        heuristic.arguments.push(Argument { key: Some(SIZE.into()), value, at: 0..0, key_at: 0..0 });
        heuristic
    }
}

impl Search for AbstractionDirected {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn uses_threads(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut phases = Phases::default();
        let (mut size, mut budget) = FIRST;
        loop {
            let is_last = size >= LARGEST;
            let heuristic = self.of_size(size.min(LARGEST));
            let round = GuidedSearch {
                name: "abstraction-directed",
                heuristic: heuristic.clone(),
                weights: Weights::ASTAR,
                ties: Ties { low_h: true, rest: TieBreak::Lifo },
                revisit: Revisit::Cheaper,
                depth: None,
                budget: (!is_last).then_some(budget),
            };
            let result = phases.add_turn(format!("astar(h={heuristic})"), round.run(task, driver)?);
            let is_lost = result.incomplete_because.contains(&Incompleteness::Budget);
            if is_last || !is_lost || result.stop_reason.is_some() || task.is_satisfied_by(&result) {
                return Ok(result);
            }
            (size, budget) = (size.saturating_mul(FACTOR), budget.saturating_mul(FACTOR));
        }
    }
}
