//! Depth-first search below a bound on costs: the second loop.
//!
//! `best_first` with a stack visits states in depth-first order, but it keeps every state and it does not know when a
//! state is done. This engine keeps the path and the alternatives beside it, nothing else, and leaves a state when all
//! its successors are done. What is remembered of other states is a choice ([`Remember`]).
//!
//! A search is a series of *passes*, each below its own bound (Edelkamp, Schuppan, Bošnački, Wijs, Fehnker, Aljazzar
//! 2008, Fig. 3: cost-bounded search). A pass tells the least cost that it cut off: no error that it did not find is
//! cheaper. Witnesses are kept from pass to pass, so a limit in the last one loses nothing.
//!
//! **The bound** is one on f = g + h if the heuristic is admissible; otherwise on the cost g alone, and the heuristic
//! only orders successors. So no bound ever hides an error that lies within it.
//!
//! **Duplicates.** A state first met close to the bound and never entered again would hide the errors behind it.
//! [`Remember::Exact`] therefore keeps the least cost at which each state was entered, and enters it again below that.

mod bits;
mod exact;
mod path_only;
mod run;
mod stack;
mod visited;

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{OutOfMemory, StopReason};

use crate::driver::Driver;
use crate::engines::OnError;
use crate::engines::ending::{Halt, Losses};
use crate::result::{SearchError, SearchResult, Statistics};
use crate::search::Task;

use crate::engines::errors::Errors;
use crate::engines::guide::Guide;
use bits::Bits;
use exact::Exact;
use path_only::PathOnly;
use run::Run;
use visited::Visited;

/// Why searches with this engine leave no steps out: a step may be postponed only if it is known to be taken elsewhere.
pub const KEEPS_PATHS: &str = "the search follows single paths, and does not know what is still to be expanded";

/// What is remembered of the states seen, besides those on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remember {
    /// All of them, with the least cost at which they were entered.
    Exact,
    /// A few bits of each: some states are taken for known ones, and costs are not compared.
    Bits(BitArray),
    /// None: each path without cycles is followed.
    Path,
}

/// The size and the hash functions of an array of bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitArray {
    pub bits: u64,
    pub functions: u32,
    /// Each pass has functions of its own, all made from this.
    pub seed: u64,
}

/// How the passes of a search are run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Shown in progress reports.
    pub phase: &'static str,
    pub remember: Remember,
    /// Successors with small estimates first; otherwise in the order of the model.
    pub by_estimate: bool,
    pub on_error: OnError,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// All errors that were asked for are found; with [`OnError::Improve`], the cheapest ones.
    Found,
    /// A limit ended it.
    Stopped,
    /// Everything within the bound was searched; the least f beyond it is this.
    Cut(u64),
    /// Nothing was cut off that a larger bound could bring back.
    Exhausted,
}

/// A depth-first search in passes. All of them share the heuristic, the witnesses and the statistics.
pub struct DepthFirst<'t> {
    task: Task<'t>,
    plan: Plan,
    guide: Guide<'t>,
    /// Made by the first pass: the memory for it may be missing, and that is a verdict.
    visited: Option<Box<dyn Visited + 't>>,
    errors: Errors,
    stats: Statistics,
    losses: Losses,
    /// No error without a witness costs less, nor one that is cheaper than a witness where those are wanted.
    floor: u64,
    reached: u64,
}

impl<'t> DepthFirst<'t> {
    pub fn new(
        task: Task<'t>,
        plan: Plan,
        heuristic: Option<&Expression>,
        driver: &mut Driver<'_>,
    ) -> Result<Self, SearchError> {
        if plan.remember == Remember::Exact && task.system.merges_covers() {
            // What is entered would be more than what was met and tested.
            let message = "this search cannot merge zones; bfs, dfs, greedy and their kind can";
            return Err(SearchError::Build(BuildError::new(message, 0..0)));
        }
        if plan.remember == Remember::Exact {
            task.reads_closed_states()?;
        }
        let heuristic = heuristic.map(|expression| task.heuristic(expression, None, driver)).transpose()?;
        Ok(DepthFirst {
            task,
            plan,
            guide: Guide::new(heuristic),
            visited: None,
            errors: Errors::new(&task, plan.on_error),
            stats: Statistics::default(),
            losses: Losses::default(),
            floor: 0,
            reached: 0,
        })
    }

    /// Searches all paths with f up to `bound`, and up to the limit of the driver.
    pub fn pass(&mut self, bound: Option<u64>, driver: &mut Driver<'_>) -> Pass {
        let limit = driver.max_depth();
        let bound = bound.into_iter().chain(limit).min();
        let Ok(mut visited) = self.prepare() else {
            self.losses.halt = Some(Halt::Limit(StopReason::Memory));
            return Pass::Stopped;
        };
        let mut run = Run::new(self.task, self.plan, &mut *visited, &mut self.guide, &mut self.errors, driver);
        run.bound = bound;
        run.floor = self.floor;
        run.expanded_before = self.stats.expanded;
        let end = run.search();
        self.stats.add_phase(&end.stats);
        self.reached = end.stats.stored;
        let least_cut = visited.least_cut().into_iter().chain(self.errors.least_missed()).min();
        let lossy = visited.is_lossy();
        self.visited = Some(visited);
        let found = end.halt == Some(Halt::Error) || end.lowered_to.is_some();
        self.losses = Losses {
            halt: end.halt,
            bound: bound.filter(|_| least_cut.is_some() && !found),
            lossy_store: lossy,
            endless: self.losses.endless || end.endless,
            ..Losses::default()
        };
        if end.halt.is_none() && !lossy && !self.losses.endless {
            let searched = end.lowered_to.map(|bound| bound.saturating_add(1));
            self.floor = least_cut.into_iter().chain(searched).min().unwrap_or(u64::MAX);
            self.errors.prove(self.floor);
        }
        match (end.halt, least_cut) {
            (Some(Halt::Limit(_) | Halt::Budget), _) => Pass::Stopped,
            _ if found => Pass::Found,
            (_, Some(least)) if limit.is_none_or(|limit| least <= limit) => Pass::Cut(least),
            (_, Some(_)) => {
                // All that is left lies behind the limit of the driver.
                self.losses.bound = limit;
                Pass::Exhausted
            }
            (_, None) => Pass::Exhausted,
        }
    }

    /// The memory of visited states, empty.
    fn prepare(&mut self) -> Result<Box<dyn Visited + 't>, OutOfMemory> {
        if let Some(mut visited) = self.visited.take() {
            if !visited.restart() {
                self.guide.forget();
            }
            return Ok(visited);
        }
        Ok(match self.plan.remember {
            Remember::Exact => Box::new(Exact::new(&self.task)),
            Remember::Bits(array) => Box::new(Bits::new(&self.task, array)?),
            Remember::Path => Box::new(PathOnly::new(&self.task)),
        })
    }

    /// Distinct states met by the last pass, as far as they are remembered.
    pub fn reached(&self) -> u64 {
        self.reached
    }

    /// The length of the longest witness so far.
    pub fn longest_witness(&self) -> Option<u64> {
        self.errors.dearest()
    }

    /// No error cheaper than this is left to be found.
    pub fn floor(&self) -> u64 {
        self.floor
    }

    pub fn finish(mut self, driver: &Driver<'_>) -> SearchResult {
        // Later passes may have looked for a cheaper error in vain: what was asked for is found all the same.
        if self.errors.are_enough() {
            self.losses.found_what_was_asked_for();
        }
        (self.stats.evaluated, self.stats.evaluation_time) = self.guide.evaluations();
        self.stats.elapsed = driver.elapsed();
        self.losses.floor = self.floor;
        self.losses.result(self.errors.into_witnesses(), self.stats)
    }
}
