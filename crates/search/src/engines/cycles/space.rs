//! The explored part of a system: states with numbers, and the steps between them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use bughound_kernel::{
    Explorer, LeftOut, Lookup, Marks, Move, OutOfMemory, Outcome, Region, State, StateBuf, StateId, StateStore,
    StopReason, StopSignal,
};

use crate::driver::{Driver, Snapshot};
use crate::engines::cycles::Violation;
use crate::engines::cycles::arcs::{Arc, Palette};
use crate::engines::cycles::lasso::Distances;
use crate::engines::ending::Halt;
use crate::goals::{Place, PropertyIndex};
use crate::result::{SearchError, Statistics, Witness};
use crate::search::Task;

pub(super) struct Space<'t, 'd> {
    pub(super) task: Task<'t>,
    store: Box<dyn StateStore + 't>,
    explorer: Box<dyn Explorer + 't>,
    /// The explorer that emits a state is busy; errors are recognised by another one.
    probe: Box<dyn Explorer + 't>,
    pub(super) driver: &'t mut Driver<'d>,
    phase: &'static str,
    budget: Option<u64>,
    unlimited: bool,
    pub(super) stats: Statistics,
    /// By state: was it expanded before?
    expanded: Vec<bool>,
    /// States that are errors by themselves.
    errors: Vec<StateId>,
    required: Marks,
    regions: Regions,
    pub(super) endless: bool,
    /// By state: is it near enough to the start? Nothing if there is no bound on that.
    near: Option<Vec<bool>>,
    /// Memory of the search besides this.
    pub(super) side_memory: u64,
    /// Memory of a search inside it.
    pub(super) inner_memory: u64,
    pub(super) depth: u64,
    current: StateBuf,
}

impl<'t, 'd> Space<'t, 'd> {
    pub(super) fn new(task: Task<'t>, phase: &'static str, driver: &'t mut Driver<'d>) -> Self {
        let mut explorer = task.system.explorer();
        explorer.heed(driver.stop_signal());
        Space {
            task,
            store: task.stores.new_store(),
            explorer,
            probe: task.system.explorer(),
            driver,
            phase,
            budget: None,
            unlimited: false,
            stats: Statistics::default(),
            expanded: Vec::new(),
            errors: Vec::new(),
            required: task.system.required(),
            regions: Regions::default(),
            endless: false,
            near: None,
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
        self.explorer.heed(&stop);
    }

    /// The store may take different states for the same.
    pub(super) fn is_lossy(&self) -> bool {
        self.store.is_lossy()
    }

    pub(super) fn generated(&self) -> u64 {
        self.stats.generated
    }

    pub(super) fn len(&self) -> usize {
        self.store.len()
    }

    /// Is this state an error by itself?
    pub(super) fn is_error(&self, id: StateId) -> bool {
        self.errors.binary_search(&id).is_ok()
    }

    pub(super) fn read(&self, id: StateId, into: &mut StateBuf) {
        self.store.read(id, into);
    }

    /// The marks of an accepting cycle.
    pub(super) fn required(&self) -> Marks {
        self.required
    }

    pub(super) fn region(&mut self, id: StateId) -> Region {
        if let Some(known) = self.regions.get(id) {
            return known;
        }
        self.store.read(id, &mut self.current);
        let region = self.task.system.region(self.current.as_state());
        self.regions.put(id, region);
        region
    }

    pub(super) fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        let mut keys: Vec<StateBuf> = Vec::new();
        self.explorer.initial(&mut |state| keys.push(state.into()));
        let mut ids = Vec::new();
        for key in keys {
            ids.push(number(&mut *self.store, &mut *self.probe, &self.task, &mut self.errors, key.as_state())?);
        }
        let mut seen = HashSet::new();
        ids.retain(|id| seen.insert(*id));
        self.check_limits(0)?;
        Ok(ids)
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
            near.resize(self.len(), false);
            near[id.index()] = true;
            arcs.clear();
            self.arcs(id, &mut arcs)?;
            for arc in &arcs {
                tree.reach(arc.to, cost.saturating_add(arc.weight), Some(id));
            }
            self.side_memory = tree.memory() + near.capacity() as u64;
        }
        self.near = Some(near);
        self.side_memory = 0;
        Ok(is_cut)
    }

    /// Leaves out the steps, from this place on, that lead too far away.
    fn drop_far(&self, out: &mut Vec<Arc>, first: usize) {
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

    /// Appends the steps from a state. The states they lead to are stored.
    pub(super) fn arcs(&mut self, id: StateId, out: &mut Vec<Arc>) -> Result<(), Halt> {
        let first = out.len();
        self.store.read(id, &mut self.current);
        if self.expanded.len() <= id.index() {
            self.expanded.resize(id.index() + 1, false);
        }
        let is_new = !std::mem::replace(&mut self.expanded[id.index()], true);
        self.stats.expanded += 1;
        let mut halt = None;
        let (store, probe, task, errors) = (&mut *self.store, &mut *self.probe, &self.task, &mut self.errors);
        let (stats, driver) = (&mut self.stats, &mut *self.driver);
        let (required, unlimited) = (self.required, self.unlimited);
        let expansion = self.explorer.successors(self.current.as_state(), &mut |step| {
            if let Some(reason) = driver.stopped().filter(|_| !unlimited) {
                halt = Some(Halt::Limit(reason));
                return ControlFlow::Break(());
            }
            if let Some(observer) = &mut driver.observer {
                observer.step(step.moves);
            }
            let state = match step.outcome {
                Outcome::State(state) => state,
                Outcome::Failure(failure) => {
                    if is_new {
                        stats.count_failure(failure.kind);
                    }
                    return ControlFlow::Continue(());
                }
            };
            stats.generated += 1;
            stats.transitions += u64::from(is_new);
            match number(store, probe, task, errors, state) {
                // Checked at each new state, so that the limit is exact.
                Ok(_) if !unlimited && driver.exceeds_states(store.len() as u64) => {
                    halt = Some(Halt::Limit(StopReason::States));
                }
                Ok(to) => out.push(Arc { to, weight: step.weight, marks: step.marks & required }),
                Err(reason) => halt = Some(reason),
            }
            if halt.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(reason) = self.driver.stopped().filter(|_| !unlimited) {
            halt = Some(Halt::Limit(reason));
        }
        self.endless |= expansion.cut && halt.is_none();
        if let Some(halt) = halt {
            return Err(halt);
        }
        self.stats.deadlocks += u64::from(is_new && expansion.deadlock);
        self.stats.reduced += u64::from(is_new && expansion.left_out != LeftOut::Nothing);
        let work = 1 + (out.len() - first) as u64;
        self.drop_far(out, first);
        self.check_limits(work)
    }

    /// Tells whether to stop.
    pub(super) fn check_limits(&mut self, work: u64) -> Result<(), Halt> {
        if self.unlimited {
            return Ok(());
        }
        if self.driver.exceeds_states(self.store.len() as u64) {
            return Err(Halt::Limit(StopReason::States));
        }
        if self.budget.is_some_and(|budget| self.stats.generated >= budget) {
            return Err(Halt::Budget);
        }
        if self.driver.is_due(work) {
            let beside = self.memory().saturating_sub(self.store.memory()) + self.driver.uncounted();
            self.store.leave_room(beside);
            let now = Snapshot {
                phase: self.phase,
                preparing: None,
                stored: self.store.len() as u64,
                expanded: self.stats.expanded,
                frontier: 0,
                depth: self.depth,
                best_estimate: None,
                memory: self.memory(),
            };
            return self.driver.check(now).map_or(Ok(()), |reason| Err(Halt::Limit(reason)));
        }
        Ok(())
    }

    fn memory(&self) -> u64 {
        let near = self.near.as_ref().map_or(0, Vec::capacity);
        let tables = (self.expanded.capacity() + near) as u64 + self.regions.memory();
        self.store.memory() + self.task.system.memory() + tables + self.side_memory + self.inner_memory
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
        self.stats.stored = self.driver.counted_states(self.store.len() as u64);
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
        self.store.read(*stem.first().ok_or_else(lost)?, &mut start);
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
        self.store.read(from, &mut self.current);
        let (store, probe, task, errors) = (&mut *self.store, &mut *self.probe, &self.task, &mut self.errors);
        let mut best: Option<(Vec<Move>, u64)> = None;
        self.explorer.successors(self.current.as_state(), &mut |step| {
            if let Outcome::State(state) = step.outcome
                && best.as_ref().is_none_or(|(_, least)| step.weight < *least)
                && let Ok(to) = number(store, probe, task, errors, state)
                && wanted(Arc { to, weight: step.weight, marks: step.marks })
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

fn number(
    store: &mut dyn StateStore,
    probe: &mut dyn Explorer,
    task: &Task<'_>,
    errors: &mut Vec<StateId>,
    state: State<'_>,
) -> Result<StateId, Halt> {
    // Cycles are cycles of states: nothing may be dropped in favour of a larger one.
    let mut displaced = Vec::new();
    match store.insert(state, 0, &mut displaced) {
        Ok(Lookup::New(id)) => {
            if task.goals.invariants.iter().any(|goal| probe.holds(goal.atom, state) != goal.expected) {
                errors.push(id);
            }
            Ok(id)
        }
        Ok(Lookup::Known(id) | Lookup::Covered(id)) => Ok(id),
        Err(OutOfMemory) => Err(Halt::Limit(StopReason::Memory)),
    }
}
