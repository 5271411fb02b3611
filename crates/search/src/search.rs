//! What a named search is to its user: something that can be run on a task.

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Contexts, Heuristic, Ration, StateBuf, StoreSource, TransitionSystem, Watch};

use crate::driver::{Controls, Driver};
use crate::engines::Effort;
use crate::goals::{Goals, StopPolicy};
use crate::result::{SearchError, SearchResult};

const READS_CLOSED_STATES: &str = "this search looks at states again that the store has forgotten by then; with bfs, dfs, greedy, \
    astar and their kind it need not, nor with --store exact, tree or auto";

/// What is to be searched for, and where.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    pub system: &'a dyn TransitionSystem,
    pub goals: &'a Goals,
    pub stop: StopPolicy,
    pub stores: &'a dyn StoreSource,
    pub heuristics: &'a dyn HeuristicSource,
}

impl<'a> Task<'a> {
    /// Builds a heuristic, within the limits of the run.
    pub fn heuristic(
        &self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        driver: &mut Driver<'_>,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        driver.prepare(expression, |watch| self.heuristics.build(expression, goal, watch))
    }

    /// The same for so many units of work at most; `None` if they do not suffice.
    pub(crate) fn cheap_heuristic(
        &self,
        expression: &Expression,
        units: u64,
        driver: &mut Driver<'_>,
    ) -> Result<Option<Box<dyn Heuristic + 'a>>, BuildError> {
        driver.prepare(expression, |watch| {
            let ration = Ration::new(watch, units);
            let built = self.heuristics.build(expression, None, &ration)?;
            Ok((ration.left() > 0).then_some(built))
        })
    }

    /// For searches that read states which they have expanded: not every store can give them back.
    pub fn reads_closed_states(&self) -> Result<(), BuildError> {
        match self.stores.forgets() {
            true => Err(BuildError::new(READS_CLOSED_STATES, 0..0)),
            false => Ok(()),
        }
    }

    /// Is a result with these witnesses all that was asked for?
    pub fn is_satisfied_by(&self, result: &SearchResult) -> bool {
        match self.stop {
            StopPolicy::FirstError => !result.witnesses.is_empty(),
            StopPolicy::EveryProperty => {
                !result.witnesses.is_empty() && result.witnesses.len() == self.goals.properties().len()
            }
            StopPolicy::Exhaustive => false,
        }
    }
}

/// Builds heuristics for the system and the goals of a task. Searches know them by name only.
pub trait HeuristicSource {
    /// The heuristic that an expression describes; one that estimates the distance to `goal` if it is given. `watch` is
    /// told how the building goes on, and may end it: the heuristic is coarser then.
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError>;

    /// Which steps can profit from which; `None` if nothing is known about them. `exact`: steps without connection are
    /// certain not to need each other; an error if that cannot be told.
    fn contexts<'a>(&'a self, exact: bool) -> Result<Option<Box<dyn Contexts + 'a>>, BuildError> {
        if exact {
            return Err(BuildError::new("nothing is known about the steps of this system", 0..0));
        }
        Ok(None)
    }
}

/// For searches that need no heuristic.
pub struct NoHeuristics;

impl HeuristicSource for NoHeuristics {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        _goal: Option<&'a StateBuf>,
        _watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        Err(BuildError::new("there are no heuristics here", expression.at.clone()))
    }
}

/// A search, ready to run on any task.
pub trait Search {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError>;

    /// How much effort it is worth to make a lasso of a product one of the model; `None`: the search does not ask for
    /// shortest ones.
    fn tightens(&self) -> Option<Effort> {
        None
    }

    /// Why it takes every step of a state, whatever could be left out; `None` if it leaves out what need not be taken.
    fn takes_every_step(&self) -> Option<&'static str> {
        None
    }

    /// The same for searches for infinite runs: why no layer below the claim may leave steps out.
    fn takes_every_run(&self) -> Option<&'static str> {
        None
    }

    /// Can several threads share its work, where errors are states or steps?
    fn uses_threads(&self) -> bool {
        false
    }

    /// Can several threads share its work, where errors are infinite runs?
    fn shares_cycles(&self) -> bool {
        false
    }

    /// Can it be saved while it is under way, where errors are states or steps, so that another process goes on with it?
    fn can_be_saved(&self) -> bool {
        false
    }

    /// How another process goes on with it, if it cannot be [saved](Self::can_be_saved) because there is no need to.
    fn saves_itself(&self) -> Option<&'static str> {
        None
    }

    /// Does it begin with the steps that hints of the user allow ([`Goals::hints`])?
    fn takes_hints(&self) -> bool {
        false
    }

    /// Runs the search on its own.
    fn start(&self, task: Task<'_>, controls: Controls<'_>) -> Result<SearchResult, SearchError> {
        let mut driver = Driver::new(controls);
        if let Some(result) = driver.begin_call(&task) {
            return Ok(result);
        }
        let mut result = self.run(task, &mut driver)?;
        result.stats.preparation = driver.preparation();
        driver.end_call(&result);
        Ok(result)
    }
}
