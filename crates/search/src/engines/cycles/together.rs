//! Search for an accepting strongly connected component by several threads, for any number of conditions.
//!
//! Each worker walks through the graph depth-first, in an order of its own. What all of them know of the components lies in
//! [sets](Sets) that they share: where a worker closes a cycle on its own path, the sets of all states on it become one,
//! with the marks of the steps between them, and so they are for everybody. A set with all marks has an accepting cycle. A
//! worker in a set takes on any state of it that is not done, whoever has found it; when all are done, the set is a whole
//! component, which nobody enters any more. (Bloemen, Laarman, van de Pol 2016, "Multi-core on-the-fly SCC decomposition";
//! Bloemen, Duret-Lutz, van de Pol 2017 for several conditions: UFSCC.)
//!
//! **Why nothing is lost.** A state is done when each of its steps leads to a closed component or stays inside the state's set:
//! the worker has been where the step leads and come back because that set was closed, or because it had become the set that
//! it came from. If all states of a set are done, no step leads from it to an open one, so it is a component; and each step
//! inside it was followed by the worker that has finished the state it comes from, who has added its marks: when it closed a
//! cycle, or on its way back. Sets are closed under the lock under which they are united.
//!
//! A worker that goes back to a set on its path leaves the states that are not done to its own earlier self: so a worker that
//! is alone expands each state once. Where several come to the same state at the same time, each expands it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use bughound_kernel::{Marks, OutOfMemory, Random, StateId, StateStore, StopReason, TransitionSystem, delays};

use crate::driver::Snapshot;
use crate::engines::crew::{self, Held};
use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::components::extract;
use crate::engines::cycles::expander::Expander;
use crate::engines::cycles::sets::{Arrival, MOST_WORKERS, Sets};
use crate::engines::cycles::space::Known;
use crate::engines::cycles::walk::{Event, Frame, Steps, Walk};
use crate::engines::cycles::{Space, Violation};
use crate::engines::ending::Halt;
use crate::engines::meter::{Gauged, Meter};
use crate::goals::Goals;
use crate::result::Statistics;

/// What ends the search.
#[derive(Clone, Copy, Debug)]
enum End {
    Limit(Halt),
    /// A state that is an error by itself, and the state that leads there.
    Error(StateId, Option<StateId>),
    /// The set of this state has an accepting cycle.
    Cycle(StateId),
}

/// What all workers know.
struct Common<'c> {
    system: &'c dyn TransitionSystem,
    goals: &'c Goals,
    known: &'c Known,
    initial: &'c [StateId],
    sets: Sets,
    end: Mutex<Option<End>>,
    /// Some worker has been everywhere.
    is_done: AtomicBool,
}

impl Common<'_> {
    /// The first reason is the one that counts; but what was found is found under every limit.
    fn end(&self, end: End) {
        let mut known = self.end.lock().unwrap_or_else(PoisonError::into_inner);
        match (*known, end) {
            (Some(End::Limit(_)), End::Error(..) | End::Cycle(_)) | (None, _) => *known = Some(end),
            _ => {}
        }
    }
}

/// What a worker has done.
struct Share {
    stats: Statistics,
    endless: bool,
    /// No state that it knows has this id or a higher one.
    ids: u32,
    errors: Vec<StateId>,
}

/// Looks for an accepting cycle or a state that is an error, with so many threads. `None`: there is no store that they can
/// share.
pub(super) fn components(space: &mut Space<'_, '_>, threads: usize) -> Option<Result<Option<Violation>, Halt>> {
    let threads = threads.min(MOST_WORKERS);
    let initial = match space.initial() {
        Ok(initial) => initial,
        Err(halt) => return Some(Err(halt)),
    };
    let own_memory = space.memory() - space.expander.store.memory();
    let store = &*space.expander.store;
    let stores: Vec<_> = (0..threads).map(|_| store.fork()).collect::<Option<_>>()?;
    let common = Common {
        system: space.task.system,
        goals: space.task.goals,
        known: &space.known,
        initial: &initial,
        sets: Sets::default(),
        end: Mutex::new(None),
        is_done: AtomicBool::new(false),
    };
    let memory = || Held { states: store.memory(), beside: own_memory + common.sets.memory() };
    let end = |reason: Option<StopReason>| {
        if let Some(reason) = reason {
            common.end(End::Limit(Halt::Limit(reason)));
        }
    };
    let shares = crew::together(stores, space.phase, space.driver, &memory, &end, |number, store, meter| {
        Worker::new(&common, number, store, meter).work()
    });
    let Common { sets, end, is_done, .. } = common;
    let end = end.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut ids = 0;
    for share in shares {
        space.stats.add_worker(&share.stats);
        space.endless |= share.endless;
        ids = ids.max(share.ids);
        share.errors.into_iter().for_each(|error| space.known.add_error(error));
    }
    space.inner_memory = sets.memory();
    // While they work, workers do not know of the last states of the others.
    let is_over_limit = space.driver.exceeds_states(space.expander.store.len() as u64);
    let end = end.or_else(|| is_over_limit.then_some(End::Limit(Halt::Limit(StopReason::States))));
    let is_done = is_done.into_inner() && !is_over_limit;
    Some(match end {
        // A worker may have come to the end all the same.
        Some(End::Limit(halt)) if !is_done => Err(halt),
        Some(End::Error(state, from)) => {
            let path = from.map(|from| sets.path_to(from)).unwrap_or_default();
            Ok(Some(Violation::State(path.into_iter().chain([state]).collect())))
        }
        Some(End::Cycle(state)) => {
            space.lift_limits(true);
            let lasso = extract(space, sets.path_to(state), sets.members(state, ids));
            space.lift_limits(false);
            lasso.map(|lasso| Some(Violation::Cycle(lasso)))
        }
        Some(End::Limit(_)) | None => Ok(None),
    })
}

struct Worker<'w, 'c, 'g, 'o> {
    common: &'w Common<'c>,
    number: usize,
    steps: OwnSteps<'w, 'g, 'o>,
    walk: Walk,
    /// For each state of the path: the state of its set whose steps are being followed.
    at: Vec<StateId>,
    /// Places on the path: the sets of these states are different, as far as this worker has seen; those of the others
    /// belong to the one before them.
    roots: Vec<usize>,
    /// What numbers of marks mean, as far as this worker knows.
    marks: Vec<Marks>,
}

/// The steps that a worker sees, in its own order.
struct OwnSteps<'w, 'g, 'o> {
    expander: Expander<'w>,
    known: &'w Known,
    meter: Gauged<'g, 'o>,
    random: Option<Random>,
    required: Marks,
    share: Share,
}

impl Steps for OwnSteps<'_, '_, '_> {
    fn arcs(&mut self, id: StateId, out: &mut Vec<Arc>) -> Result<(), Halt> {
        let first = out.len();
        let stats = &mut self.share.stats;
        let expansion = self.expander.expand(id, self.known, &mut self.meter, stats, out)?;
        self.share.endless |= expansion.cut;
        self.known.drop_far(out, first);
        if let Some(random) = &mut self.random {
            // The ways of workers part as soon as there is a choice.
            for at in (first + 1..out.len()).rev() {
                out.swap(at, first + random.below(at + 1 - first));
            }
        }
        Ok(())
    }

    fn note_depth(&mut self, depth: u64) {
        self.share.stats.depth = self.share.stats.depth.max(depth);
    }

    fn required(&self) -> Marks {
        self.required
    }
}

impl<'w, 'c, 'g, 'o> Worker<'w, 'c, 'g, 'o> {
    fn new(common: &'w Common<'c>, number: usize, store: Box<dyn StateStore + 'w>, meter: Gauged<'g, 'o>) -> Self {
        let expander = Expander::new(common.system, common.goals, store, meter.signal());
        let share = Share { stats: Statistics::default(), endless: false, ids: 0, errors: Vec::new() };
        // The first one takes the steps in the order of the model.
        let random = (number > 0).then(|| Random::new(number as u64));
        let required = common.system.required();
        let steps = OwnSteps { expander, known: common.known, meter, random, required, share };
        Worker { common, number, steps, walk: Walk::default(), at: vec![], roots: vec![], marks: vec![] }
    }

    fn work(mut self) -> Share {
        match self.run() {
            Ok(()) => self.common.is_done.store(true, Ordering::SeqCst),
            // Whoever ended the search has said why.
            Err(End::Limit(Halt::Limit(StopReason::Interrupted))) if self.steps.meter.stopped().is_some() => {}
            Err(end) => self.common.end(end),
        }
        self.steps.share.errors = self.steps.expander.errors;
        self.steps.share
    }

    fn run(&mut self) -> Result<(), End> {
        for &start in self.common.initial {
            if self.common.known.is_error(start) {
                return Err(End::Error(start, None));
            }
            self.follow(Arc { to: start, weight: 0, marks: Marks::NONE }, None)?;
            while let Some(event) = self.walk.next() {
                match event {
                    Event::Arc(arc) => self.follow(arc, self.at.last().copied())?,
                    Event::Leave(frame) => self.leave(frame)?,
                }
            }
        }
        Ok(())
    }

    /// Follows a step of a state.
    fn follow(&mut self, arc: Arc, from: Option<StateId>) -> Result<(), End> {
        self.steps.share.ids = self.steps.share.ids.max(arc.to.0 + 1);
        let arrival = self.common.sets.arrive(self.number, arc.to, from);
        match arrival.map_err(|OutOfMemory| End::Limit(Halt::Limit(StopReason::Memory)))? {
            Arrival::Closed => Ok(()),
            Arrival::First if self.common.known.is_error(arc.to) => Err(End::Error(arc.to, from)),
            Arrival::First => self.enter(arc),
            Arrival::Again => self.close(arc),
        }
    }

    fn enter(&mut self, arc: Arc) -> Result<(), End> {
        self.roots.push(self.walk.len());
        self.at.push(arc.to);
        let expanded = self.walk.enter(&mut self.steps, arc).map(|_| ());
        self.look_around(arc.to, expanded)
    }

    /// After an expansion: is one of the new states an error, and is there a reason to stop?
    fn look_around(&mut self, state: StateId, expanded: Result<(), Halt>) -> Result<(), End> {
        // Nobody else will recognise it, so it counts even if the expansion was cut short.
        if let Some(&error) = self.steps.expander.errors.first() {
            return Err(End::Error(error, Some(state)));
        }
        expanded.map_err(End::Limit)?;
        if !self.steps.meter.is_due(1 + self.walk.last_expansion() as u64) {
            return Ok(());
        }
        let beside = self.steps.meter.beside_states(0);
        self.steps.expander.store.leave_room(beside);
        let now = Snapshot {
            expanded: self.steps.share.stats.expanded,
            stored: if self.number == 0 { self.steps.expander.store.len() as u64 } else { 0 },
            depth: self.walk.len() as u64,
            memory: self.walk.memory(),
            ..Snapshot::default()
        };
        self.steps.meter.check(now).map_or(Ok(()), |reason| Err(End::Limit(Halt::Limit(reason))))
    }

    /// A step leads to a set on the path: all between there and the end of the path is one.
    fn close(&mut self, arc: Arc) -> Result<(), End> {
        let (sets, here) = (&self.common.sets, self.last());
        let mut marks = arc.marks;
        if sets.are_one(here, arc.to) {
            let known = self.known_marks(here);
            if known.include(marks) && !(known | marks).include(self.steps.required) {
                return Ok(());
            }
            return self.add(&[here], marks);
        }
        let mut united = vec![here, arc.to];
        // Sets that others have united in the meantime are looked at as if they were apart: that does no harm.
        while let Some(&place) = self.roots.last()
            && place > 0
            && !sets.are_one(self.walk.arc_to(place).to, arc.to)
        {
            marks |= self.walk.arc_to(place).marks;
            self.roots.pop();
            united.extend(self.roots.last().map(|before| self.walk.arc_to(*before).to));
        }
        debug_assert!(self.roots.last().is_some_and(|place| sets.are_one(self.walk.arc_to(*place).to, arc.to)));
        self.add(&united, marks)
    }

    fn add(&mut self, united: &[StateId], marks: Marks) -> Result<(), End> {
        let all = self.common.sets.unite(united.iter().copied(), marks);
        if all.include(self.steps.required) { Err(End::Cycle(united[0])) } else { Ok(()) }
    }

    /// Marks of the set of a state; some may be missing.
    fn known_marks(&mut self, of: StateId) -> Marks {
        let number = self.common.sets.number_of_marks(of) as usize;
        if self.marks.len() <= number {
            self.common.sets.learn_marks(&mut self.marks);
        }
        self.marks[number]
    }

    fn last(&self) -> StateId {
        self.walk.last().unwrap_or(StateId(0))
    }

    /// All steps of a state were followed.
    fn leave(&mut self, frame: Frame) -> Result<(), End> {
        let (sets, place) = (&self.common.sets, self.walk.len());
        let (Some(&done), before) = (self.at.last(), self.walk.last()) else { return Ok(()) };
        delays::here();
        let goes_back = before.is_some_and(|before| sets.are_one(before, frame.state()));
        if let Some(next) = sets.finish(done, !goes_back) {
            self.at[place] = next;
            let expanded = self.walk.go_on(&mut self.steps, frame, next);
            return self.look_around(next, expanded);
        }
        self.at.pop();
        if self.roots.last() == Some(&place) {
            self.roots.pop();
            if let Some(before) = before.filter(|_| goes_back) {
                // Somebody else has made it one with the set before it: the step between them lies inside.
                let marks = self.walk.unpack(frame).marks;
                return self.add(&[before, frame.state()], marks);
            }
        }
        Ok(())
    }
}
