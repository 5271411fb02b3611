//! The explored part of a system: states with numbers, and the steps between them.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use bughound_kernel::{Growing, Marks, Move, Outcome, Region, StateBuf, StateId, StopReason, StopSignal};

use crate::driver::{Driver, Snapshot};
use crate::engines::cycles::Violation;
use crate::engines::cycles::arcs::{Arc, Palette};
use crate::engines::cycles::expander::{Expander, number_of};
use crate::engines::cycles::lasso::Distances;
use crate::engines::ending::Halt;
use crate::engines::meter::Unlimited;
use crate::goals::{Place, PropertyIndex};
use crate::result::{SearchError, Statistics, Witness};
use crate::search::Task;

pub(super) struct Space<'t, 'd> {
    pub(super) task: Task<'t>,
    pub(super) expander: Expander<'t>,
    pub(super) driver: &'t mut Driver<'d>,
    pub(super) phase: &'static str,
    budget: Option<u64>,
    unlimited: bool,
    threads: usize,
    pub(super) stats: Statistics,
    pub(super) known: Known,
    required: Marks,
    regions: Regions,
    pub(super) endless: bool,
    /// Memory of the search besides this.
    pub(super) side_memory: u64,
    /// Memory of a search inside it.
    pub(super) inner_memory: u64,
    pub(super) depth: u64,
    current: StateBuf,
}

/// What is known of the states.
#[derive(Default)]
pub(super) struct Known {
    /// By state: was it expanded before?
    expanded: Growing<AtomicBool>,
    /// By state: is it near enough to the start? Nothing if there is no bound on that.
    near: Option<Vec<bool>>,
    /// States that are errors by themselves, sorted.
    errors: Vec<StateId>,
}

impl Known {
    /// A state was expanded. Is it the first time?
    pub(super) fn expand(&self, id: StateId) -> Result<bool, Halt> {
        let row = self.expanded.reserve(id.0).map_err(|_| Halt::Limit(StopReason::Memory))?;
        Ok(!row[0].swap(true, Ordering::Relaxed))
    }

    /// Is this state an error by itself?
    pub(super) fn is_error(&self, id: StateId) -> bool {
        self.errors.binary_search(&id).is_ok()
    }

    pub(super) fn add_error(&mut self, id: StateId) {
        if let Err(place) = self.errors.binary_search(&id) {
            self.errors.insert(place, id);
        }
    }

    /// Leaves out the steps, from this place on, that lead too far away.
    pub(super) fn drop_far(&self, out: &mut Vec<Arc>, first: usize) {
        let Some(near) = &self.near else { return };
        let mut kept = first;
        for at in first..out.len() {
            if near.get(out[at].to.index()).is_some_and(|is_near| *is_near) {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    fn memory(&self) -> u64 {
        self.expanded.memory() + self.near.as_ref().map_or(0, Vec::capacity) as u64
    }
}

impl<'t, 'd> Space<'t, 'd> {
    /// `threads`: so many threads may look through it at a time.
    pub(super) fn new(task: Task<'t>, phase: &'static str, threads: usize, driver: &'t mut Driver<'d>) -> Self {
        let store = if threads > 1 { task.stores.new_shared_store(threads) } else { task.stores.new_store() };
        Space {
            task,
            expander: Expander::new(task.system, task.goals, store, driver.stop_signal()),
            driver,
            phase,
            budget: None,
            unlimited: false,
            threads,
            stats: Statistics::default(),
            known: Known::default(),
            required: task.system.required(),
            regions: Regions::default(),
            endless: false,
            side_memory: 0,
            inner_memory: 0,
            depth: 0,
            current: StateBuf::default(),
        }
    }

    /// From now on so many states may be generated.
    pub(super) fn allow(&mut self, budget: Option<u64>) {
        self.budget = budget.map(|budget| self.stats.generated.saturating_add(budget));
    }

    /// No limit ends what follows: something is found, and only has to be written down.
    pub(super) fn lift_limits(&mut self, lifted: bool) {
        self.unlimited = lifted;
        let stop = if lifted { StopSignal::default() } else { self.driver.stop_signal().clone() };
        self.expander.explorer.heed(&stop);
    }

    /// How many threads may look through it. A budget is counted by one.
    pub(super) fn threads(&self) -> usize {
        if self.budget.is_some() { 1 } else { self.threads }
    }

    /// The store may take different states for the same.
    pub(super) fn is_lossy(&self) -> bool {
        self.expander.store.is_lossy()
    }

    pub(super) fn generated(&self) -> u64 {
        self.stats.generated
    }

    pub(super) fn len(&self) -> usize {
        self.expander.store.len()
    }

    /// Is this state an error by itself?
    pub(super) fn is_error(&self, id: StateId) -> bool {
        self.known.is_error(id)
    }

    pub(super) fn read(&self, id: StateId, into: &mut StateBuf) {
        self.expander.store.read(id, into);
    }

    /// The marks of an accepting cycle.
    pub(super) fn required(&self) -> Marks {
        self.required
    }

    pub(super) fn region(&mut self, id: StateId) -> Region {
        if let Some(known) = self.regions.get(id) {
            return known;
        }
        self.expander.store.read(id, &mut self.current);
        let region = self.task.system.region(self.current.as_state());
        self.regions.put(id, region);
        region
    }

    pub(super) fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        let mut keys: Vec<StateBuf> = Vec::new();
        self.expander.explorer.initial(&mut |state| keys.push(state.into()));
        let mut ids = Vec::new();
        for key in keys {
            ids.push(self.expander.number(key.as_state())?);
        }
        self.learn_errors();
        let mut seen = HashSet::new();
        ids.retain(|id| seen.insert(*id));
        self.check_limits(0)?;
        Ok(ids)
    }

    fn learn_errors(&mut self) {
        for id in self.expander.errors.drain(..) {
            self.known.add_error(id);
        }
    }

    /// From now on no state counts that is further from the start than this. True: there are such states.
    pub(super) fn stay_within(&mut self, bound: u64) -> Result<bool, Halt> {
        let mut tree = Distances::default();
        for id in self.initial()? {
            tree.reach(id, 0, None);
        }
        let (mut near, mut arcs) = (Vec::new(), Vec::new());
        let mut is_cut = false;
        while let Some((cost, id)) = tree.next() {
            if cost > bound {
                is_cut = true;
                break;
            }
            self.note_depth(cost);
            near.resize(near.len().max(id.index() + 1), false);
            near[id.index()] = true;
            arcs.clear();
            self.arcs(id, &mut arcs)?;
            for arc in &arcs {
                tree.reach(arc.to, cost.saturating_add(arc.weight), Some(id));
            }
            self.side_memory = tree.memory() + near.capacity() as u64;
        }
        self.known.near = Some(near);
        self.side_memory = 0;
        Ok(is_cut)
    }

    /// Appends the steps from a state. The states they lead to are stored.
    pub(super) fn arcs(&mut self, id: StateId, out: &mut Vec<Arc>) -> Result<(), Halt> {
        let first = out.len();
        let (expander, stats) = (&mut self.expander, &mut self.stats);
        let expanded = match self.unlimited {
            true => expander.expand(id, &self.known, &mut Unlimited::new(&mut self.driver), stats, out),
            false => expander.expand(id, &self.known, &mut self.driver, stats, out),
        };
        self.learn_errors();
        self.endless |= expanded?.cut;
        let work = 1 + (out.len() - first) as u64;
        self.known.drop_far(out, first);
        self.check_limits(work)
    }

    /// Tells whether to stop.
    pub(super) fn check_limits(&mut self, work: u64) -> Result<(), Halt> {
        if self.unlimited {
            return Ok(());
        }
        if self.driver.exceeds_states(self.expander.store.len() as u64) {
            return Err(Halt::Limit(StopReason::States));
        }
        if self.budget.is_some_and(|budget| self.stats.generated >= budget) {
            return Err(Halt::Budget);
        }
        if self.driver.is_due(work) {
            let beside = self.memory().saturating_sub(self.expander.store.memory()) + self.driver.uncounted();
            self.expander.store.leave_room(beside);
            let now = Snapshot {
                disk: None,
                network: None,
                phase: self.phase,
                preparing: None,
                stored: self.expander.store.len() as u64,
                expanded: self.stats.expanded,
                frontier: 0,
                depth: self.depth,
                best_estimate: None,
                at_least: 0,
                memory: self.memory(),
            };
            return self.driver.check(now).map_or(Ok(()), |reason| Err(Halt::Limit(reason)));
        }
        Ok(())
    }

    pub(super) fn memory(&self) -> u64 {
        let tables = self.known.memory() + self.regions.memory();
        self.expander.store.memory() + self.task.system.memory() + tables + self.side_memory + self.inner_memory
    }

    pub(super) fn note_depth(&mut self, depth: u64) {
        self.depth = depth;
        self.stats.depth = self.stats.depth.max(depth);
    }

    /// A heuristic was called.
    pub(super) fn note_evaluation(&mut self) {
        self.stats.evaluated += 1;
    }

    pub(super) fn statistics(&mut self) -> Statistics {
        let memory = self.memory();
        self.stats.stored = self.driver.counted_states(self.expander.store.len() as u64);
        self.stats.peak_memory = self.driver.peak_memory(memory);
        self.stats.elapsed = self.driver.elapsed();
        self.stats.clone()
    }

    /// A violation with its steps.
    pub(super) fn witness(&mut self, found: &Violation, property: PropertyIndex) -> Result<Witness, SearchError> {
        let (stem, cycle) = match found {
            Violation::State(path) => (path, None),
            Violation::Cycle(lasso) => (&lasso.stem, Some(&lasso.cycle)),
        };
        self.lift_limits(true);
        let lost = || SearchError::PathLost { property };
        let mut start = StateBuf::default();
        self.expander.store.read(*stem.first().ok_or_else(lost)?, &mut start);
        let mut path = Vec::new();
        let mut length = 0_u64;
        for pair in stem.windows(2) {
            let (moves, weight) = self.step_between(pair[0], |arc| arc.to == pair[1]).ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
        }
        let loop_start = cycle.map(|_| path.len());
        let mut at = *stem.last().ok_or_else(lost)?;
        for arc in cycle.into_iter().flatten() {
            // Arcs know only the marks that are required; a step may carry others.
            let wanted = |other: Arc| other.to == arc.to && other.marks.include(arc.marks);
            let (moves, weight) = self.step_between(at, wanted).ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
            at = arc.to;
        }
        let place = Place::new();
        Ok(Witness { property, start, path, failure: None, place, length, proven_shortest: false, loop_start })
    }

    /// The cheapest step from a state that is wanted.
    fn step_between(&mut self, from: StateId, wanted: impl Fn(Arc) -> bool) -> Option<(Vec<Move>, u64)> {
        self.expander.store.read(from, &mut self.current);
        let Expander { store, explorer, .. } = &mut self.expander;
        let mut best: Option<(Vec<Move>, u64)> = None;
        explorer.successors(self.current.as_state(), &mut |step| {
            if let Outcome::State(state) = step.outcome
                && best.as_ref().is_none_or(|(_, least)| step.weight < *least)
                && let Ok(lookup) = store.insert(state, 0, &mut Vec::new())
                && wanted(Arc { to: number_of(lookup), weight: step.weight, marks: step.marks })
            {
                best = Some((step.moves.to_vec(), step.weight));
            }
            ControlFlow::Continue(())
        });
        best
    }
}

/// The regions of states, as far as somebody has asked for them.
#[derive(Default)]
struct Regions {
    kinds: Palette<Region>,
    /// By state: the number of its kind, plus 1.
    by_state: Vec<u16>,
}

impl Regions {
    #[inline]
    fn get(&self, id: StateId) -> Option<Region> {
        let kind = self.by_state.get(id.index())?.checked_sub(1)?;
        Some(self.kinds.value(kind.into()))
    }

    fn put(&mut self, id: StateId, region: Region) {
        if self.by_state.len() <= id.index() {
            self.by_state.resize(id.index() + 1, 0);
        }
        // A claim with more components than that is asked each time.
        if let Ok(kind) = u16::try_from(self.kinds.number(region) + 1) {
            self.by_state[id.index()] = kind;
        }
    }

    fn memory(&self) -> u64 {
        self.by_state.capacity() as u64 * 2 + self.kinds.memory()
    }
}
