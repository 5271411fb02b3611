//! The search for accepting cycles: a run that leads to a cycle whose steps together carry all marks that the system
//! requires is a counterexample, a *lasso*.
//!
//! `space::Space` numbers the states and computes the steps between them; `walk::Walk` is a depth-first
//! walk over it, which the nested searches and the search for components share. `entry` runs at
//! the regions of the claim in which there can be accepting cycles before it looks for one. What they find is made short
//! by `lasso::improve` and proven shortest by `shortest`.
//!
//! **Several threads** look for components (`together`); the other ways, and what is done with a lasso, are for one. Which
//! lasso is found then differs from run to run, but not whether there is one, nor what is proven of its length.

mod algebra;
mod arcs;
mod compact;
mod components;
mod dial;
mod entry;
mod expander;
mod lasso;
mod loops;
mod nested;
mod sets;
mod shortest;
mod space;
mod together;
mod walk;

use std::time::Duration;

use bughound_kernel::StateId;
use bughound_kernel::registry::Expression;

use crate::driver::Driver;
use crate::engines::ending::{Halt, Losses};
use crate::evaluators::Weights;
use crate::result::{SearchError, SearchResult};
use crate::search::{Search, Task};

use lasso::{Lasso, improve};
use shortest::shortest;
use space::Space;

/// What a search for cycles has found.
#[derive(Clone, Debug)]
enum Violation {
    /// A path to a state that is an error by itself: the claim is at its end.
    State(Vec<StateId>),
    Cycle(Lasso),
}

/// How a cycle is looked for.
#[derive(Clone, Debug)]
pub enum Way {
    Nested {
        /// Regions of the claim tell where an inner search is needed, and how far it goes.
        by_region: bool,
    },
    Components,
    Entry {
        heuristic: Expression,
        weights: Weights,
        /// The heuristic for the way back to an entrance; `None`: there is no such search.
        inner: Option<Expression>,
    },
}

/// What is done with the lasso that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Take,
    /// Its stem and its loop are made short.
    Improve,
    /// Shorter ones are looked for until it is proven that there are none, or as long as the effort lasts.
    Shorten(Effort),
}

/// How many states may be generated, and how many places looked at, to make a lasso short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    AsMuchAsItTakes,
    Fixed(u64),
    /// A fixed number and a tenth of the states generated so far, and some seconds at most: an error that is known does not
    /// wait for long.
    InProportion,
}

impl Effort {
    /// After so many generated states, for a lasso. `None`: no limit.
    pub fn after(self, generated: u64) -> Option<u64> {
        self.beyond(BASE_EFFORT, generated)
    }

    /// The same with another number to begin with.
    pub fn beyond(self, base: u64, generated: u64) -> Option<u64> {
        match self {
            Effort::AsMuchAsItTakes => None,
            Effort::Fixed(effort) => Some(effort),
            Effort::InProportion => Some(base.saturating_add(generated / HUNT_SHARE)),
        }
    }

    /// The time that it may take whatever the states.
    pub fn longest(self) -> Option<Duration> {
        (self == Effort::InProportion).then_some(LONGEST_SHORTENING)
    }
}

/// Shortening may generate so many states, and this part of those of the hunt. No clock: the same run gives the same
/// result on every machine, unless it is so slow that the time is up before.
const BASE_EFFORT: u64 = 1_000_000;
const HUNT_SHARE: u64 = 10;
const LONGEST_SHORTENING: Duration = Duration::from_secs(5);

/// A search for accepting cycles.
pub struct CycleSearch {
    pub name: &'static str,
    /// Tried one after the other, each until it has generated so many states.
    pub ways: Vec<(Way, Option<u64>)>,
    pub finish: Finish,
    /// For tasks that are not about cycles.
    pub for_states: Box<dyn Search>,
}

impl Search for CycleSearch {
    fn can_be_saved(&self) -> bool {
        self.for_states.can_be_saved()
    }

    /// Among cycles, the layer below the claim leaves steps out, not the search.
    fn takes_every_step(&self) -> Option<&'static str> {
        self.for_states.takes_every_step()
    }

    fn uses_threads(&self) -> bool {
        self.for_states.uses_threads()
    }

    fn shares_cycles(&self) -> bool {
        self.ways.iter().any(|(way, budget)| matches!(way, Way::Components) && budget.is_none())
    }

    fn tightens(&self) -> Option<Effort> {
        match self.finish {
            Finish::Shorten(effort) => Some(effort),
            Finish::Take | Finish::Improve => None,
        }
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let Some(property) = task.goals.cycle else { return self.for_states.run(task, driver) };
        task.reads_closed_states()?;
        let threads = if self.shares_cycles() { driver.threads() } else { 1 };
        let mut space = Space::new(task, self.name, threads, driver);
        let bound = space.driver.max_depth();
        let (searched, is_cut) = match bound.map_or(Ok(false), |bound| space.stay_within(bound)) {
            Ok(is_cut) => (self.look(&mut space)?, is_cut),
            Err(halt) => (Err(halt), true),
        };
        let mut losses = Losses { endless: space.endless, lossy_store: space.is_lossy(), ..Losses::default() };
        losses.bound = bound.filter(|_| is_cut);
        let found = searched.unwrap_or_else(|halt| {
            losses.halt = Some(halt);
            None
        });
        let mut witnesses = Vec::new();
        let found = found.map(|violation| {
            let longest = self.tightens().and_then(Effort::longest);
            let cap = space.driver.cap(longest);
            let (violation, proven) = self.finish(&mut space, violation);
            let was_cut = space.driver.uncap(cap);
            space.driver.know(None);
            space.stats.shortening_cut = longest.filter(|_| was_cut && !proven);
            (violation, proven)
        });
        let found = match (found, bound) {
            // All its states are near enough, but it goes a long way round.
            (Some((violation, proven)), Some(bound)) if is_longer(&mut space, &violation, bound) => {
                losses.bound = Some(bound);
                if proven { None } else { within(&mut space, bound, &mut losses) }
            }
            (found, _) => found,
        };
        if let Some((violation, proven)) = found {
            losses.halt = Some(Halt::Error);
            let mut witness = space.witness(&violation, property)?;
            witness.proven_shortest = proven && !space.endless;
            witnesses.push(witness);
        }
        Ok(losses.result(witnesses, space.statistics()))
    }
}

/// Looks for lassos of the model that are shorter than a known violation, in a system that follows all runs of the claim at
/// once. Without a witness, the result is proof if all it says against completeness is this bound.
#[derive(Clone, Copy, Debug)]
pub struct Tighten {
    pub name: &'static str,
    /// The cost of the violation that is known.
    pub known: u64,
    pub effort: Option<u64>,
}

impl Search for Tighten {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let mut losses = Losses::default();
        let (Some(property), Some(bound)) = (task.goals.cycle, self.known.checked_sub(1)) else {
            return Ok(losses.result(Vec::new(), Default::default()));
        };
        task.reads_closed_states()?;
        let mut space = Space::new(task, self.name, 1, driver);
        space.allow(self.effort);
        let shortest = shortest(&mut space, self.known, self.effort);
        losses.endless = space.endless;
        losses.bound = Some(bound);
        if shortest.halt.is_some() {
            losses.halt = Some(Halt::Budget);
        }
        let mut witnesses = Vec::new();
        if let Some((violation, _)) = shortest.found {
            losses.halt = Some(Halt::Error);
            let mut witness = space.witness(&violation, property)?;
            witness.proven_shortest = shortest.halt.is_none() && !space.endless;
            witnesses.push(witness);
        }
        Ok(losses.result(witnesses, space.statistics()))
    }
}

impl CycleSearch {
    /// Tries one way after the other.
    fn look(&self, space: &mut Space<'_, '_>) -> Result<Result<Option<Violation>, Halt>, SearchError> {
        let mut searched = Ok(None);
        for (way, budget) in &self.ways {
            space.allow(*budget);
            searched = space.look(way)?;
            if !matches!(searched, Err(Halt::Budget)) {
                break;
            }
        }
        Ok(searched)
    }

    /// The violation to be reported, and whether there is none that is shorter.
    fn finish(&self, space: &mut Space<'_, '_>, found: Violation) -> (Violation, bool) {
        let effort = match self.finish {
            Finish::Take => return (found, false),
            // What is shortest among some of the steps need not be shortest.
            Finish::Shorten(_) if !space.task.system.takes_all_steps() => return (found, false),
            Finish::Improve => Effort::InProportion,
            Finish::Shorten(effort) => effort,
        };
        let effort = effort.after(space.generated());
        space.allow(effort);
        let improved = match found {
            Violation::Cycle(lasso) => Violation::Cycle(improve(space, lasso)),
            state => state,
        };
        if self.finish == Finish::Improve {
            return (improved, false);
        }
        space.lift_limits(true);
        let length = length(space, &improved);
        space.lift_limits(false);
        let Ok(length) = length else { return (improved, false) };
        space.driver.know(Some(length));
        let shortest = shortest(space, length, effort);
        (shortest.found.map_or(improved, |(violation, _)| violation), shortest.halt.is_none())
    }
}

/// A violation that is not longer than this, and whether it is a shortest one.
fn within(space: &mut Space<'_, '_>, bound: u64, losses: &mut Losses) -> Option<(Violation, bool)> {
    space.allow(None);
    let shortest = shortest(space, bound.saturating_add(1), None);
    losses.halt = shortest.halt;
    shortest.found.map(|(violation, _)| (violation, shortest.halt.is_none()))
}

/// Is a violation longer than it may be?
fn is_longer(space: &mut Space<'_, '_>, violation: &Violation, bound: u64) -> bool {
    space.lift_limits(true);
    let length = length(space, violation);
    space.lift_limits(false);
    length.is_ok_and(|length| length > bound)
}

/// The cost of a violation.
fn length(space: &mut Space<'_, '_>, violation: &Violation) -> Result<u64, Halt> {
    let (stem, cycle) = match violation {
        Violation::State(path) => (path, 0),
        Violation::Cycle(lasso) => (&lasso.stem, lasso.loop_cost()),
    };
    let mut length: u64 = cycle;
    let mut arcs = Vec::new();
    for pair in stem.windows(2) {
        arcs.clear();
        space.arcs(pair[0], &mut arcs)?;
        let least = arcs.iter().filter(|arc| arc.to == pair[1]).map(|arc| arc.weight).min();
        length = length.saturating_add(least.unwrap_or(0));
    }
    Ok(length)
}

impl<'t> Space<'t, '_> {
    /// Looks for components with one thread as long as it is to be alone.
    fn components_alone(&mut self) -> Result<Option<Violation>, Halt> {
        let alone = self.driver.alone().checked_sub(self.generated()).filter(|left| *left > 0).ok_or(Halt::Budget)?;
        self.allow(Some(alone));
        let found = components::components(self);
        self.allow(None);
        found
    }

    fn look(&mut self, way: &Way) -> Result<Result<Option<Violation>, Halt>, SearchError> {
        Ok(match way {
            Way::Nested { by_region } => nested::nested(self, *by_region),
            Way::Components => match self.threads() {
                1 => components::components(self),
                threads => match self.components_alone() {
                    Err(Halt::Budget) => {
                        together::components(self, threads).unwrap_or_else(|| components::components(self))
                    }
                    ended => ended,
                },
            },
            Way::Entry { heuristic, weights, inner } => {
                let task = self.task;
                let mut heuristic = task.heuristic(heuristic, None, self.driver)?;
                entry::entry(self, &mut *heuristic, *weights, inner.as_ref())
            }
        })
    }
}
