//! Beam-stack search: the loop of `algorithms/beam_stack.rs`.
//!
//! The *stack* holds the layers of one beam: what the layer above leads to in one step. A layer takes states whose *rank*
//! (f, then a number made of the state) lies in the interval of the layer above it. Where more states come than the beam is
//! wide, the worst are dropped, and the interval ends with the first of them. When nothing is left below a layer, its
//! interval moves on, to where it ended; when there is nothing more to move on to, the layer goes.
//!
//! **Why nothing is lost.** The intervals of a layer follow each other without a gap, so each step of each of its states has its
//! turn before the layer goes. A state that is in the stack at no higher cost is not taken again: all that lies behind it
//! will have its turn there, at no higher cost. Take a cheapest error and a way to it with the fewest steps: a state of the way
//! that is not taken for this reason stands for the same way, with fewer steps to go; so the argument ends at the error.
//!
//! **Why it ends.** In the stack, a state stands again below itself only at less cost, so the stack is of finite depth; ranks
//! grow, and there are finitely many.

use std::ops::ControlFlow;

use bughound_kernel::registry::Expression;
use bughound_kernel::{Explorer, OutOfMemory, Outcome, State, StateBuf, Step, StopReason};

use crate::driver::Driver;
use crate::engines::ending::Halt;
use crate::engines::expansion::{Follower, expand};
use crate::engines::improving::{Improving, Worth};
use crate::engines::pool::{Place, Pool};
use crate::result::{SearchError, SearchResult};
use crate::search::Task;

/// f, and a number of the state to tell those with the same f apart.
type Rank = (u64, u64);

/// What was known of a state before it was reached at less cost, farther down the stack.
#[derive(Clone, Copy, Debug, Default)]
struct Standing {
    cost: u64,
    layer: u32,
    index: u32,
    estimate: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    place: Place,
    /// In the layer above.
    parent: u32,
    cost: u64,
    rank: Rank,
    before: Option<Standing>,
}

#[derive(Debug, Default)]
struct Layer {
    entries: Vec<Entry>,
    /// What it leads to is taken from this rank on,
    from: Rank,
    /// up to this one; `None`: to the end.
    to: Option<Rank>,
}

/// How a search with a beam of some width has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Everything of interest was searched.
    Whole,
    /// There is no room for a beam of this width.
    Full(StopReason),
    Halted(Halt),
}

pub(super) struct BeamStack<'b, 't, 'd, 'a> {
    common: &'b mut Improving<'t, 'd, 'a>,
    width: usize,
    pool: Pool<'t>,
    /// By place.
    standings: Vec<Standing>,
    stack: Vec<Layer>,
    /// The layer that is made.
    next: Vec<Entry>,
    /// The entry under way, in the last layer of the stack.
    parent: u32,
    full: Option<StopReason>,
}

impl<'b, 't, 'd, 'a> BeamStack<'b, 't, 'd, 'a> {
    pub(super) fn new(common: &'b mut Improving<'t, 'd, 'a>, width: usize) -> Self {
        let pool = Pool::new(common.task.system);
        let (standings, stack, next) = (Vec::new(), Vec::new(), Vec::new());
        BeamStack { common, width: width.max(1), pool, standings, stack, next, parent: 0, full: None }
    }

    /// Searches everything of interest.
    pub(super) fn search(mut self) -> Ended {
        let flow = self.search_all();
        let memory = self.memory();
        let stats = &mut self.common.stats;
        stats.stored = stats.stored.max(self.pool.places() as u64);
        stats.peak_memory = stats.peak_memory.max(memory);
        match (flow, self.full) {
            (ControlFlow::Continue(()), _) => Ended::Whole,
            (ControlFlow::Break(_), Some(reason)) => Ended::Full(reason),
            (ControlFlow::Break(halt), None) => Ended::Halted(halt),
        }
    }

    fn search_all(&mut self) -> ControlFlow<Halt> {
        let mut explorer = self.common.task.system.explorer();
        let explorer = &mut *explorer;
        explorer.heed(self.common.driver.stop_signal());
        let mut flow = ControlFlow::Continue(());
        explorer.initial(&mut |state| {
            if flow.is_continue() {
                flow = self.arrive(0, state);
            }
        });
        flow?;
        // All of them are held, however many they are.
        let entries = std::mem::take(&mut self.next);
        self.stack.push(Layer { entries, ..Layer::default() });
        while !self.stack.is_empty() {
            self.expand_last(explorer)?;
            self.cut(self.width);
            if !self.next.is_empty() {
                let entries = std::mem::take(&mut self.next);
                self.stack.push(Layer { entries, ..Layer::default() });
                continue;
            }
            while let Some(last) = self.stack.last_mut() {
                if let Some(to) = last.to.take().filter(|to| self.common.is_of_interest(to.0)) {
                    last.from = to;
                    break;
                }
                let gone = self.stack.pop().unwrap_or_default();
                gone.entries.into_iter().rev().for_each(|entry| self.remove(entry));
            }
        }
        ControlFlow::Continue(())
    }

    /// Makes a layer of the steps of the last one.
    fn expand_last(&mut self, explorer: &mut dyn Explorer) -> ControlFlow<Halt> {
        let layer = self.stack.len() - 1;
        let mut current = StateBuf::default();
        for index in 0..self.stack[layer].entries.len() {
            let entry = self.stack[layer].entries[index];
            // A state that stands farther down at less cost is expanded there.
            if !self.common.is_of_interest(entry.rank.0) {
                continue;
            }
            self.parent = index as u32;
            self.pool.read(entry.place, &mut current);
            self.common.stats.expanded += 1;
            self.common.stats.depth = self.common.stats.depth.max(entry.cost);
            let before = self.common.stats.generated;
            let expansion = expand(explorer, current.as_state(), self)?;
            self.common.note_endless(expansion.cut);
            if expansion.deadlock {
                let (common, stack, pool) = (&mut *self.common, &self.stack, &self.pool);
                common.test_deadlock(entry.cost, || way(stack, pool, index as u32, None))?;
            }
            let work = 1 + self.common.stats.generated - before;
            if self.common.driver.is_due(work) {
                self.look_at_limits(entry.cost)?;
            }
        }
        ControlFlow::Continue(())
    }

    fn look_at_limits(&mut self, depth: u64) -> ControlFlow<Halt> {
        let memory = self.memory();
        let waiting = self.stack.iter().map(|layer| layer.entries.len()).sum();
        let snapshot = self.common.snapshot(self.pool.len(), waiting, depth, memory);
        let used = snapshot.memory + self.common.driver.uncounted();
        let is_scarce = self.common.driver.limits().memory.is_some_and(|limit| used > limit - limit / 8);
        match self.common.driver.check(snapshot) {
            // With a narrower beam there may be room.
            Some(StopReason::Memory) => self.fill(StopReason::Memory),
            Some(reason) => ControlFlow::Break(Halt::Limit(reason)),
            None if is_scarce => self.fill(StopReason::Memory),
            None => ControlFlow::Continue(()),
        }
    }

    fn fill(&mut self, reason: StopReason) -> ControlFlow<Halt> {
        self.full = Some(reason);
        ControlFlow::Break(Halt::Limit(reason))
    }

    fn arrive(&mut self, cost: u64, state: State<'_>) -> ControlFlow<Halt> {
        match self.admit(cost, state) {
            Ok(flow) => flow,
            Err(OutOfMemory) => self.fill(StopReason::Memory),
        }
    }

    /// Takes a state into the layer that is made, if it belongs there.
    fn admit(&mut self, cost: u64, state: State<'_>) -> Result<ControlFlow<Halt>, OutOfMemory> {
        let layer = self.stack.len() as u32;
        let (place, fresh) = self.pool.insert(state)?;
        let known = (!fresh).then(|| self.standings[place as usize]);
        if known.is_some_and(|known| known.cost <= cost) {
            return Ok(ControlFlow::Continue(()));
        }
        let worth = self.common.worth(state, cost, known.map(|known| known.estimate));
        let tie = self.pool.hash(place);
        let is_in_turn = |rank: Rank| match self.stack.last() {
            Some(above) => rank >= above.from && above.to.is_none_or(|to| rank < to),
            None => true,
        };
        let Some(Worth { estimate, f }) = worth.filter(|worth| is_in_turn((worth.f, tie))) else {
            if fresh {
                self.pool.remove(place);
            }
            return Ok(ControlFlow::Continue(()));
        };
        let rank = (f, tie);
        let parent = self.parent;
        let same = known.filter(|known| known.layer == layer);
        self.next.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.standings.try_reserve(1).map_err(|_| OutOfMemory)?;
        let index = match same {
            Some(known) => {
                let entry = &mut self.next[known.index as usize];
                (entry.cost, entry.rank, entry.parent) = (cost, rank, parent);
                known.index
            }
            None => {
                self.next.push(Entry { place, parent, cost, rank, before: known });
                self.next.len() as u32 - 1
            }
        };
        let standing = Standing { cost, layer, index, estimate };
        match self.standings.get_mut(place as usize) {
            Some(old) => *old = standing,
            None => self.standings.push(standing),
        }
        let (common, stack, pool) = (&mut *self.common, &self.stack, &self.pool);
        if let ControlFlow::Break(halt) = common.test(state, cost, || way(stack, pool, parent, Some(place))) {
            return Ok(ControlFlow::Break(halt));
        }
        if self.next.len() > self.width.saturating_mul(2) && layer > 0 {
            self.cut(self.width);
        }
        if self.common.driver.exceeds_states(self.pool.len() as u64) {
            return Ok(self.fill(StopReason::States));
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Keeps the best of the layer that is made: so many.
    fn cut(&mut self, width: usize) {
        if self.next.len() <= width {
            return;
        }
        self.next.sort_by_key(|entry| entry.rank);
        // Who has the rank of the first one dropped would not have a turn of its own.
        let first = self.next[width].rank;
        let keep = self.next.partition_point(|entry| entry.rank < first);
        // States with the same rank that fill a beam by themselves: the numbers made of them are all the same.
        if keep == 0 {
            return;
        }
        for entry in self.next.split_off(keep) {
            self.remove(entry);
        }
        for (index, entry) in self.next.iter().enumerate() {
            self.standings[entry.place as usize].index = index as u32;
        }
        if let Some(above) = self.stack.last_mut() {
            above.to = Some(first);
        }
    }

    fn remove(&mut self, entry: Entry) {
        match entry.before {
            Some(before) => self.standings[entry.place as usize] = before,
            None => self.pool.remove(entry.place),
        }
    }

    fn memory(&self) -> u64 {
        let entries = self.stack.iter().map(|layer| layer.entries.capacity()).sum::<usize>() + self.next.capacity();
        let standings = self.standings.capacity() * size_of::<Standing>();
        self.pool.memory() + (entries * size_of::<Entry>() + standings) as u64
    }
}

/// Bytes that a state of the beam takes.
pub(super) fn bytes_per_state(pool: &Pool<'_>) -> u64 {
    pool.bytes_per_state() + (size_of::<Entry>() + size_of::<Standing>()) as u64
}

/// The states on the way to an entry of the last layer, and one beyond it.
fn way(stack: &[Layer], pool: &Pool<'_>, last: u32, beyond: Option<Place>) -> Vec<StateBuf> {
    let mut places: Vec<Place> = beyond.into_iter().collect();
    let mut at = last;
    for layer in stack.iter().rev() {
        let entry = layer.entries[at as usize];
        places.push(entry.place);
        at = entry.parent;
    }
    let read = |place: Place| {
        let mut state = StateBuf::default();
        pool.read(place, &mut state);
        state
    };
    places.into_iter().rev().map(read).collect()
}

impl Follower for BeamStack<'_, '_, '_, '_> {
    fn stopped(&self) -> Option<StopReason> {
        self.common.driver.stopped()
    }

    fn follow(&mut self, step: &Step<'_>) -> ControlFlow<Halt> {
        self.common.observe(step);
        let layer = &self.stack[self.stack.len() - 1];
        let cost = layer.entries[self.parent as usize].cost.saturating_add(step.weight);
        match step.outcome {
            Outcome::State(state) => self.arrive(cost, state),
            Outcome::Failure(failure) => {
                let (common, stack, pool, parent) = (&mut *self.common, &self.stack, &self.pool, self.parent);
                common.test_failure(failure, cost, || way(stack, pool, parent, None))
            }
        }
    }
}

/// Without a limit on memory.
const WIDTH: usize = 1000;
/// Where memory is limited, as many layers as this are expected.
const LAYERS: u64 = 64;

/// Searches with a beam of this width, or of one that fits the memory; with half of it where that is too much.
pub fn beam_stack(
    task: Task<'_>,
    phase: &'static str,
    heuristic: &Expression,
    width: Option<usize>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError> {
    let mut common = Improving::new(task, phase, heuristic, driver)?;
    let memory = common.driver.limits().memory;
    let by_memory = memory.map(|memory| (memory / bytes_per_state(&Pool::new(task.system)) / LAYERS).max(1));
    let mut width = width.or(by_memory.map(|width| usize::try_from(width).unwrap_or(usize::MAX))).unwrap_or(WIDTH);
    loop {
        match BeamStack::new(&mut common, width).search() {
            Ended::Whole => return common.finish(None, u64::MAX),
            Ended::Halted(halt) => return common.finish(Some(halt), if halt == Halt::Error { u64::MAX } else { 0 }),
            Ended::Full(_) if width > 1 => width /= 2,
            Ended::Full(reason) => return common.finish(Some(Halt::Limit(reason)), 0),
        }
    }
}
