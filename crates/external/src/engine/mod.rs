//! The loop: take the bucket that comes first, drop what was expanded before, expand the rest, write it down.
//!
//! Buckets hold the states of one cost g and one estimate h (Edelkamp, Jabbar, Schrödl 2004, "External A*"). They are taken in the
//! order of f = g + h and, among equals, of g. The states of a bucket are sorted, so that duplicates lie beside each other, and
//! compared with everything that was expanded with the same estimate (an estimate is a function of the state; steps have weights
//! and lead anywhere, so a duplicate may have been expanded at any cost). What was expanded lies in runs, one after the other
//! by size ([`Levels`]): large layers go past all of it once; small ones look at the last layers and at the hashes of all others,
//! and are compared exactly later on (`suspects.rs`).
//!
//! **Why an error is a cheapest one.** As in a search in memory: with admissible estimates, some state on a cheapest way to an
//! error is in a bucket with f no more than its cost, at its least cost. Errors count when their turn comes. A state that turns
//! up below the cost at which it was expanded is expanded again.
//!
//! **Covers.** Of states with the same key, those are dropped that are covered by one of the same bucket, or by one that was expanded
//! at no higher cost.

mod expand;
pub(crate) mod path;
mod saving;
mod suspects;
pub(crate) mod sweep;
mod taking_over;

use std::collections::BTreeMap;

use bughound_kernel::{Explorer, Heuristic, HeuristicClaims, Keep, Part, StateBuf};
use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::engines::hunt::{Found, Hunt, Sighting};
use bughound_search::evaluators::Stopwatch;
use bughound_search::saving::Begin;
use bughound_search::{
    DiskUse, Driver, HalfDone, PropertyIndex, SearchError, SearchResult, Snapshot, Statistics, Task,
};

use std::sync::Arc;

use self::suspects::Suspects;
use crate::budget::Budget;
use crate::levels::{Ground, Levels};
use crate::open::Open;
use crate::patience::Patience;
use crate::row::{From, Shape};
use crate::space::{Space, Traffic};
use crate::trouble::Trouble;

use saving::Saving;

/// In place of f: no error can be reached from these states. They are counted at the end.
const DEAD: u64 = u64::MAX - 1;
/// In place of f: states beyond the bound on costs.
const BEYOND: u64 = u64::MAX;
/// In place of an estimate that says so without proof: these come last.
const HOPELESS: u64 = u32::MAX as u64 - 1;

/// A state that an error was met at, with what leads back from it.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub(crate) state: StateBuf,
    pub(crate) cost: u64,
    pub(crate) from: From,
}

/// How a search went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Course {
    Right,
    /// Two states had the same hash, and one of them was taken for known.
    Wrong,
}

pub struct Estimator<'r> {
    pub heuristic: Box<dyn Heuristic + 'r>,
    pub claims: HeuristicClaims,
    watch: Stopwatch,
}

impl<'r> Estimator<'r> {
    pub fn new(heuristic: Box<dyn Heuristic + 'r>) -> Self {
        Estimator { claims: heuristic.claims(), heuristic, watch: Stopwatch::default() }
    }
}

pub(crate) struct Engine<'r, 'd, 'c> {
    name: &'static str,
    task: Task<'r>,
    pub(crate) driver: &'d mut Driver<'c>,
    estimator: Option<Estimator<'r>>,
    part: Part,
    bound: Option<u64>,
    pub(crate) budget: Budget,
    pub(crate) ground: Ground,
    pub(crate) patience: Patience,
    open: Open,
    /// By estimate: what was expanded.
    pub(crate) closed: BTreeMap<u64, Levels>,
    /// What looks as if it was expanded.
    suspects: Suspects,
    hunt: Hunt<u64, Spot>,
    stats: Statistics,
    losses: Losses,
    /// Why the search is over.
    halt: Option<Halt>,
    /// No error costs less.
    floor: u64,
    best_estimate: Option<u64>,
    /// The bucket under way is compared later.
    waits: bool,
    /// Bytes of the sweep that is under way.
    sweeping: u64,
    /// If it may be saved.
    saving: Option<Saving>,
    /// A state as words.
    packed: Vec<u32>,
    current: StateBuf,
}

/// Searches from the initial states of the system.
pub fn run<'r>(
    name: &'static str,
    task: Task<'r>,
    estimator: Option<Estimator<'r>>,
    budget: Option<Budget>,
    space: &Arc<Space>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let begin = driver.begin_run(&task, &format!("{name}, on disk"));
    if let Begin::AtTheEnd(result) = begin {
        return Ok(*result);
    }
    let budget = budget.unwrap_or_else(|| Budget::of(driver, beside(&task, &estimator)));
    let mut engine = Engine::new(name, task, estimator, budget, space, driver);
    engine.begin_saving();
    let result = match begin {
        Begin::From(resumed) => engine.go_on(&resumed)?,
        _ => engine.work(|engine, explorer| engine.start(explorer))?,
    };
    driver.end_run(&result);
    Ok(result)
}

/// The same for some of the steps, with all that was expanded, for whoever goes on with it.
pub(crate) fn explore<'r, 'd, 'c>(
    name: &'static str,
    task: Task<'r>,
    part: Part,
    estimator: Option<Estimator<'r>>,
    budget: Option<Budget>,
    space: &Arc<Space>,
    driver: &'d mut Driver<'c>,
) -> Result<(SearchResult, Engine<'r, 'd, 'c>), SearchError> {
    let budget = budget.unwrap_or_else(|| Budget::of(driver, beside(&task, &estimator)));
    let mut engine = Engine::new(name, task, estimator, budget, space, driver);
    engine.part = part;
    let result = engine.work(|engine, explorer| engine.start(explorer))?;
    Ok((result, engine))
}

/// Goes on with a search that has used its memory.
pub fn go_on<'r>(
    task: Task<'r>,
    mut half: HalfDone<'r>,
    budget: Option<Budget>,
    space: &Arc<Space>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let estimator = half.heuristic.take().map(Estimator::new);
    let beside = beside(&task, &estimator);
    let little = budget.unwrap_or_else(|| Budget::while_taking_over(driver.limits().memory));
    let mut engine = Engine::new(half.name, task, estimator, little, space, driver);
    engine.stats = std::mem::take(&mut half.stats);
    (engine.losses.endless, engine.losses.left_out, engine.floor) = (half.endless, half.left_out, half.floor);
    (engine.part, engine.bound) = (half.part, half.bound);
    engine.begin_saving();
    if let Some(resumed) = half.resumed {
        engine.divide_memory(budget, beside);
        return engine.go_on(&resumed);
    }
    engine.work(|engine, _| {
        let taken = engine.take_over(half);
        if taken.is_err() {
            // What was expanded is known, whether there was room for it on the disk or not.
            let expanded = engine.stats.expanded.saturating_sub(engine.stats.reopened);
            engine.stats.stored = engine.stats.stored.max(expanded);
        }
        let errors = taken?;
        engine.hunt = errors.at_costs(|known| engine.spot(known));
        engine.divide_memory(budget, beside);
        Ok(())
    })
}

fn beside(task: &Task<'_>, estimator: &Option<Estimator<'_>>) -> u64 {
    task.system.memory() + estimator.as_ref().map_or(0, |own| own.heuristic.memory())
}

impl<'r, 'd, 'c> Engine<'r, 'd, 'c> {
    fn new(
        name: &'static str,
        task: Task<'r>,
        estimator: Option<Estimator<'r>>,
        budget: Budget,
        space: &Arc<Space>,
        driver: &'d mut Driver<'c>,
    ) -> Self {
        let shape = Shape::new(task.system.layout());
        Engine {
            name,
            part: Part::Reduced(Keep::Shortest),
            bound: driver.max_depth(),
            patience: Patience::of(driver),
            hunt: Hunt::new(&task),
            packed: vec![0; shape.longest()],
            ground: Ground { space: Arc::clone(space), shape: Arc::new(shape), sizes: budget.sizes },
            budget,
            task,
            driver,
            estimator,
            open: Open::default(),
            closed: BTreeMap::new(),
            suspects: Suspects::default(),
            stats: Statistics::default(),
            losses: Losses::default(),
            halt: None,
            floor: 0,
            best_estimate: None,
            waits: false,
            sweeping: 0,
            saving: None,
            current: StateBuf::default(),
        }
    }
}

impl<'r> Engine<'r, '_, '_> {
    /// Searches from what `begin` opens.
    fn work(
        &mut self,
        begin: impl FnOnce(&mut Self, &mut dyn Explorer) -> Result<(), Trouble>,
    ) -> Result<SearchResult, SearchError> {
        let mut explorer = self.task.system.explorer();
        explorer.heed(self.driver.stop_signal());
        let mut done = begin(self, &mut *explorer).and_then(|()| self.search(&mut *explorer));
        if done == Ok(Course::Wrong) {
            self.forget();
            done = self.start(&mut *explorer).and_then(|()| self.search(&mut *explorer));
        }
        if let Err(trouble) = &done {
            self.stop(Halt::Limit(trouble.reason()));
        }
        self.end_saving(done.is_ok());
        self.finish()
    }

    /// Goes back to the beginning, to compare everything at once.
    fn forget(&mut self) {
        (self.open, self.closed, self.suspects) = (Open::default(), BTreeMap::new(), Suspects::none());
        (self.stats, self.losses) = (Statistics::default(), Losses::default());
        (self.hunt, self.floor, self.best_estimate) = (Hunt::new(&self.task), 0, None);
    }

    fn search(&mut self, explorer: &mut dyn Explorer) -> Result<Course, Trouble> {
        while self.halt.is_none() {
            self.save_if_due()?;
            let place = self.open.least().filter(|place| place.f < DEAD);
            let next = place.map(|place| place.f);
            if let Some(place) = place.filter(|place| self.open.has_given_back(*place)) {
                // Whatever was met in it has no turn before it is over.
                self.sweep(place, explorer)?;
                continue;
            }
            let is_time = next.is_none() || self.hunt.is_ripe(next) || self.suspects.rows() > self.expanded_rows();
            if is_time && self.suspects.rows() > 0 {
                if !self.verify()? {
                    return Ok(Course::Wrong);
                }
                if self.halt.is_some() {
                    break;
                }
            }
            if self.hunt.settle(next, self.proves_shortest()).is_break() {
                self.stop(Halt::Error);
                break;
            }
            let Some(place) = place else { break };
            if self.suspects.rows() == 0 {
                self.floor = self.floor.max(place.f);
            }
            self.sweep(place, explorer)?;
        }
        if self.halt.is_none() {
            self.count_what_is_left()?;
        }
        Ok(Course::Right)
    }

    fn start(&mut self, explorer: &mut dyn Explorer) -> Result<(), Trouble> {
        let mut outcome = Ok(());
        explorer.initial(&mut |state| {
            if outcome.is_ok() {
                outcome = self.open_state(state, 0, From::NOWHERE);
            }
        });
        outcome
    }

    /// Now that nobody else needs it.
    fn divide_memory(&mut self, budget: Option<Budget>, beside: u64) {
        self.budget = budget.unwrap_or_else(|| Budget::of(self.driver, beside));
        self.ground.sizes = self.budget.sizes;
    }

    /// The first reason is the one that counts.
    fn stop(&mut self, halt: Halt) {
        self.halt.get_or_insert(halt);
    }

    fn claims(&self) -> HeuristicClaims {
        self.estimator.as_ref().map_or(HeuristicClaims::CONSISTENT, |own| own.claims)
    }

    /// Is an error whose turn it is a shortest one?
    fn proves_shortest(&self) -> bool {
        let claims = self.claims();
        claims.admissible && !self.task.system.merges_covers()
    }

    fn report(&mut self, property: PropertyIndex, at: Spot, cost: u64) {
        let proven = self.proves_shortest();
        let sighting = Sighting { property, at, failure: None, cost };
        if self.waits || self.suspects.rows() > 0 {
            self.hunt.postpone(cost, sighting);
        } else if self.hunt.report(sighting, proven).is_break() {
            self.stop(Halt::Error);
        }
    }

    /// Looks at the clock and at the memory, if it is time.
    fn check(&mut self, work: u64) {
        if !self.driver.is_due(work) {
            return;
        }
        let now = self.snapshot();
        if let Some(reason) = self.driver.check(now) {
            self.stop(Halt::Limit(reason));
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        let estimator = self.estimator.as_ref().map_or(0, |own| own.heuristic.memory());
        let closed: u64 = self.closed.values().map(Levels::memory).sum();
        let states = self.open.batches() + self.open.runs_memory() + closed + self.suspects.memory();
        states + self.sweeping + estimator + self.task.system.memory()
    }

    /// Gives memory back that only the search itself needs, when it is over.
    pub(crate) fn release(&mut self) {
        self.suspects = Suspects::none();
    }

    fn disk_use(&self) -> DiskUse {
        let Traffic { used, peak, written, read, files } = self.ground.space.traffic();
        let kept = self.stats.stored + self.stats.reopened + self.open.rows();
        let duplicates = self.stats.generated.saturating_sub(kept);
        DiskUse { used, peak, written, read, files, duplicates }
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            phase: self.name,
            preparing: None,
            stored: self.stats.stored,
            expanded: self.stats.expanded,
            frontier: self.open.rows(),
            depth: self.stats.depth,
            best_estimate: self.best_estimate,
            at_least: if self.proves_shortest() { self.floor } else { 0 },
            memory: self.memory(),
            disk: Some(self.disk_use()),
            ..Snapshot::default()
        }
    }

    /// What becomes of a state that nobody will expand.
    fn count_what_is_left(&mut self) -> Result<(), Trouble> {
        while let Some(place) = self.open.least().filter(|_| self.halt.is_none()) {
            let most = self.budget.batches;
            let Some(bucket) = self.open.take(place, most, &self.ground, &mut self.patience)? else { break };
            if place.f == BEYOND && self.losses.bound.is_some() {
                continue;
            }
            let distinct = self.count_new(place, bucket)?;
            if place.f == DEAD {
                self.stats.dead_ends += distinct;
                self.stats.stored += distinct;
            } else if distinct > 0 {
                self.losses.bound = self.bound;
            }
        }
        Ok(())
    }

    /// An error that waited for its turn is an error all the same when a limit ends the search.
    fn settle_the_rest(&mut self) {
        if self.hunt.stops_at_first() && self.hunt.has_found_any() {
            return;
        }
        let proven = self.halt.is_none() && self.suspects.rows() == 0 && self.proves_shortest();
        let enough = self.hunt.settle(None, proven).is_break();
        if enough && self.hunt.stops_at_first() {
            self.stop(Halt::Error);
        }
    }

    fn finish(&mut self) -> Result<SearchResult, SearchError> {
        self.settle_the_rest();
        self.losses.halt = self.halt;
        if self.hunt.missed_beyond_bound() {
            self.losses.bound = self.bound;
        }
        self.losses.floor = if self.proves_shortest() && !self.losses.endless { self.floor } else { 0 };
        let mut witnesses = Vec::new();
        for Found { sighting, proven_shortest } in self.hunt.take_found() {
            match self.expanded().witness(self.task, &sighting, proven_shortest) {
                Ok(Some(witness)) => witnesses.push(witness),
                Ok(None) => return Err(SearchError::PathLost { property: sighting.property }),
                // It was found, but the way to it cannot be told.
                Err(trouble) => self.losses.halt = Some(Halt::Limit(trouble.reason())),
            }
        }
        if let Some(Estimator { watch, .. }) = &self.estimator {
            (self.stats.evaluated, self.stats.evaluation_time) = watch.read();
        }
        self.stats.peak_memory = self.driver.peak_memory(self.memory());
        self.stats.disk = Some(self.disk_use());
        self.stats.elapsed = self.driver.elapsed();
        Ok(self.losses.result(witnesses, self.stats.clone()))
    }
}
