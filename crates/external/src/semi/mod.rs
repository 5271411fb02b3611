//! Semi-external search: states lie on disk, a few bits of each in memory.
//!
//! When an external search has seen all states, their rows are gone through once more, and a perfect hash
//! function (`perfect_hash.rs`) numbers them. From then on a set of states is a row of bits. The second search goes along the steps of
//! the system and needs no state from disk: each state that it meets has a number, and all it wants to know of a state are
//! two bits (`colours.rs`). Its stack (`stack.rs`) may be as high as there are states; most of it is on disk.

mod colours;
mod lasso;
mod nested;
mod perfect_hash;
mod stack;

use std::sync::Arc;

use bughound_kernel::Part;
use bughound_kernel::registry::BuildError;
use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::{
    Driver, Goals, PropertyIndex, Search, SearchError, SearchResult, Snapshot, Statistics, StopPolicy, Task,
};

use self::colours::Colours;
use self::nested::Nested;
use self::perfect_hash::{Builder, Key, PerfectHash};
use crate::budget::Budget;
use crate::engine::{self, Engine};
use crate::merge::{Group, Merge};
use crate::search::{self, External};
use crate::space::Space;
use crate::trouble::Trouble;

const CLOCKS: &str = "semi-external search compares states exactly, and states with clocks stand for each other; nested-dfs, \
    scc and shortest-lasso know clocks";
const BOUND: &str =
    "semi-external search needs all states, and knows no bound on the depth; nested-dfs, scc and shortest-lasso do";
const EVERY_STEP: &str =
    "what was left out for a state would have to be remembered for each, and it remembers a few bits only";

/// Words of a stack in memory.
const CHUNK: usize = 1 << 18;
/// The clock is looked at once for so many states.
const SELDOM: u64 = 1 << 16;

/// A nested depth-first search over all states, which an external search enumerates before.
#[derive(Clone, Debug)]
pub struct SemiExternal {
    pub name: &'static str,
    /// How memory is divided while states are enumerated, if not by its limit.
    pub budget: Option<Budget>,
}

impl Search for SemiExternal {
    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        self.run_in(&search::space(driver), task, driver)
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some(EVERY_STEP)
    }
}

impl SemiExternal {
    /// Runs the search with files wherever one likes.
    pub fn run_in(
        &self,
        space: &Arc<Space>,
        task: Task<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        let Some(property) = task.goals.cycle else {
            return External { name: self.name, heuristic: None, budget: self.budget }.run_in(space, task, driver);
        };
        let refused = [(CLOCKS, task.system.layout().cover_len > 0), (BOUND, driver.max_depth().is_some())];
        if let Some((why, _)) = refused.into_iter().find(|(_, is_so)| *is_so) {
            return Err(BuildError::new(why, 0..0).into());
        }
        let goals = Goals { cycle: None, ..task.goals.clone() };
        let enumeration = Task { goals: &goals, stop: StopPolicy::FirstError, ..task };
        let (mut result, mut engine) =
            engine::explore(self.name, enumeration, Part::All, None, self.budget, space, driver)?;
        if !result.complete {
            // What was found is a shortest violation in finitely many steps; of cycles nothing is known.
            result.witnesses.iter_mut().for_each(|witness| witness.proven_shortest = false);
            result.at_least = 0;
            return Ok(result);
        }
        let mut second = Second { name: self.name, task, property, stats: result.stats, losses: Losses::default() };
        let witnesses = second.look(&mut engine, space).unwrap_or_else(|trouble| {
            second.losses.halt = Some(Halt::Limit(trouble.reason()));
            Ok(Vec::new())
        })?;
        second.stats.peak_memory = engine.driver.peak_memory(engine.memory());
        let duplicates = second.stats.disk.map_or(0, |disk| disk.duplicates);
        second.stats.disk = Some(space.traffic().with_duplicates(duplicates));
        second.stats.elapsed = engine.driver.elapsed();
        Ok(second.losses.result(witnesses, second.stats))
    }
}

/// The search over states that are known to be all.
struct Second<'a> {
    name: &'static str,
    task: Task<'a>,
    property: PropertyIndex,
    stats: Statistics,
    losses: Losses,
}

impl Second<'_> {
    #[allow(clippy::type_complexity)]
    fn look(
        &mut self,
        engine: &mut Engine<'_, '_, '_>,
        space: &Arc<Space>,
    ) -> Result<Result<Vec<bughound_search::Witness>, SearchError>, Trouble> {
        let shape = Arc::clone(&engine.ground.shape);
        // With little memory, in tests, less of the stack is there.
        let chunk = CHUNK.min(engine.ground.sizes.chunk);
        self.make_room(engine)?;
        let states = self.number_states(engine)?;
        let beside = engine.memory();
        let mut nested = Nested::new(
            (self.task, self.name),
            (&shape, &states),
            (space, chunk),
            (std::mem::take(&mut self.stats), beside),
            engine.driver,
        )?;
        let found = nested.search();
        self.losses.endless = nested.endless;
        self.stats = std::mem::take(&mut nested.stats);
        let found = match found? {
            Ok(found) => found,
            Err(halt) => {
                self.losses.halt = Some(halt);
                None
            }
        };
        let Some(found) = found else { return Ok(Ok(Vec::new())) };
        drop(nested);
        drop(states);
        self.losses.halt = Some(Halt::Error);
        let witness = lasso::witness(&found, self.task, self.property, engine)?;
        Ok(witness.map(|witness| vec![witness]).ok_or(SearchError::PathLost { property: self.property }))
    }

    /// Is there memory for all of it?
    fn make_room(&mut self, engine: &mut Engine<'_, '_, '_>) -> Result<(), Trouble> {
        engine.release();
        let states = self.stats.stored;
        let needed = PerfectHash::estimate(states) + Colours::bytes(states) + (CHUNK * 4 * 4) as u64;
        let limit = engine.driver.limits().memory;
        let room = |engine: &Engine<'_, '_, '_>| {
            limit.is_none_or(|limit| engine.memory() + engine.driver.uncounted() + needed <= limit)
        };
        if !room(engine) {
            let ground = engine.ground.clone();
            for levels in engine.closed.values_mut() {
                levels.write_out(&ground, &mut engine.patience)?;
            }
        }
        if room(engine) { Ok(()) } else { Err(Trouble::Memory) }
    }

    fn number_states(&mut self, engine: &mut Engine<'_, '_, '_>) -> Result<PerfectHash, Trouble> {
        let ground = engine.ground.clone();
        let runs: Vec<_> = engine.closed.values().flat_map(|levels| levels.runs()).cloned().collect();
        let mut merge = Merge::new(&runs, None, &ground.shape, ground.sizes)?;
        let mut builder = Builder::new(self.stats.stored)?;
        let (mut group, mut count) = (Group::default(), 0_u64);
        while merge.next(&mut group, &ground.shape)? {
            engine.patience.check()?;
            let row = group.row(0);
            builder.push(Key { hash: row.hash, words: row.key() })?;
            count += 1;
            if count.is_multiple_of(SELDOM) && engine.driver.is_due(SELDOM) {
                let memory = engine.memory() + builder.memory() + merge.memory();
                let now = Snapshot {
                    phase: self.name,
                    stored: self.stats.stored,
                    expanded: count,
                    memory,
                    ..Snapshot::default()
                };
                if let Some(reason) = engine.driver.check(now) {
                    return Err(Trouble::Stopped(reason));
                }
            }
        }
        let states = builder.finish()?;
        if states.len() == self.stats.stored { Ok(states) } else { Err(Trouble::Corrupt) }
    }
}
