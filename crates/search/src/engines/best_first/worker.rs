//! The loop of one worker.

mod errors;
mod overflow;
mod saving;
mod telling;

pub(super) use overflow::{BeforeHandingOver, Overflow};
use saving::Saving;

use std::ops::ControlFlow;

use bughound_kernel::{
    Expansion, Explorer, LeftOut, Lookup, OutOfMemory, Outcome, Part, State, StateBuf, StateId, StateStore, Step,
    StopReason, delays,
};

use super::Revisit;
use super::expected_states::ExpectedStates;
use super::frontier::{Frontier, Next};
use super::share::Share;
use super::shared::{Shared, raise};
use crate::engines::OnError;
use crate::engines::ending::Halt;
use crate::engines::hunt::Sighting;
use crate::engines::meter::Meter;
use crate::evaluators::{Arrival, Origin, Priority, Rank};
use crate::goals::PropertyIndex;
use crate::node_table::{Reached, Taken, Visit};

pub(super) struct Worker<'s, 'r, F, P: Priority, M> {
    shared: &'s Shared<'r, P::Key>,
    store: &'s mut dyn StateStore,
    frontier: F,
    priority: P,
    meter: M,
    probe: Box<dyn Explorer + 'r>,
    share: Share,
    displaced: Vec<StateId>,
    /// States that the store [expects](StateStore::expect).
    expected: ExpectedStates,
    /// The state under way, and where its steps lead, if some of its steps may be postponed.
    expanded: Option<StateId>,
    successors: Vec<StateId>,
    /// What all states reached from now on cost at least, without the step that leads to them.
    taken_cost: u64,
    /// The least that a step has cost so far.
    least_step: u64,
    /// Properties with a witness, as far as this worker knows.
    witnesses: Vec<PropertyIndex>,
    is_over: bool,
    /// It goes on after errors.
    improves: bool,
    /// If it is saved: the step that is being made.
    saving: Option<Saving<P::Key>>,
    /// States that there was no room for, if somebody else goes on with them.
    overflow: Vec<Overflow>,
}

/// What has become of a worker that has begun alone.
pub(super) enum Begun<F, P> {
    AndEnded(Share),
    /// What it has done so far, apart from what its open list and its evaluator count themselves.
    GoesOn(Share, F, P),
}

impl<'s, 'r, F: Frontier<P::Key>, P: Priority, M: Meter> Worker<'s, 'r, F, P, M> {
    pub(super) fn new(
        shared: &'s Shared<'r, P::Key>,
        store: &'s mut dyn StateStore,
        frontier: F,
        priority: P,
        meter: M,
    ) -> Self {
        // What becomes of a state must not matter before its turn comes.
        let tests_states = shared.tests_early && !shared.goals.invariants.is_empty();
        let can_wait = !tests_states && shared.most_states.is_none() && !shared.hands_over;
        let expected = ExpectedStates::new(can_wait && priority.key_by_cost(0).is_some());
        let saving = meter.saves().then(Saving::default);
        Worker {
            shared,
            store,
            expected,
            frontier,
            priority,
            meter,
            // The explorer that emits a state is busy; errors seen at generation need another one.
            probe: shared.system.explorer(),
            share: Share::default(),
            displaced: Vec::new(),
            expanded: None,
            successors: Vec::new(),
            taken_cost: 0,
            least_step: u64::MAX,
            witnesses: Vec::new(),
            is_over: false,
            improves: shared.setup.on_error == OnError::Improve,
            saving,
            overflow: Vec::new(),
        }
    }

    /// Opens the initial states, before it works.
    pub(super) fn start(&mut self, explorer: &mut dyn Explorer) {
        explorer.initial(&mut |state| {
            if !self.is_over {
                let _ = self.arrive(None, 0, state, None);
            }
        });
        self.end_expansion();
    }

    /// Expands states until there are none, or the search is over.
    pub(super) fn work(mut self) -> Share {
        let mut explorer = self.shared.system.explorer();
        explorer.heed(self.meter.signal());
        self.run(&mut *explorer, u64::MAX);
        self.leave()
    }

    /// The same from the initial states on.
    pub(super) fn work_from_start(mut self) -> Share {
        self.begin(u64::MAX);
        self.save_at_end();
        self.leave()
    }

    /// The same until so many states were generated: then others can go on with what it has opened.
    pub(super) fn begin_alone(mut self, generated: u64) -> Begun<F, P> {
        self.begin(generated);
        if self.is_over || self.frontier.len() == 0 {
            return Begun::AndEnded(self.leave());
        }
        self.conclude();
        Begun::GoesOn(self.share, self.frontier, self.priority)
    }

    fn begin(&mut self, generated: u64) {
        let mut explorer = self.shared.system.explorer();
        explorer.heed(self.meter.signal());
        self.start(&mut *explorer);
        if !self.overflows() {
            self.run(&mut *explorer, generated);
        }
    }

    fn run(&mut self, explorer: &mut dyn Explorer, generated: u64) {
        let mut current = StateBuf::default();
        while !self.is_over && self.share.stats.generated < generated {
            if let Some((key, id)) = self.frontier.take() {
                self.visit(explorer, key, id, &mut current);
                continue;
            }
            // Others may wait for what this worker has found.
            let _ = self.insert_all_expected();
            if self.frontier.hand_in().is_err() {
                let _ = self.stop(Halt::Limit(StopReason::Memory));
            }
            if self.is_over {
                break;
            }
            self.store.rest();
            match self.frontier.next() {
                Next::Expand(key, id) => self.visit(explorer, key, id, &mut current),
                Next::Level(key) => {
                    self.settle(key);
                    self.frontier.begin_level(key);
                }
                Next::Over => break,
            }
        }
        let _ = self.insert_all_expected();
        self.store.rest();
    }

    fn leave(mut self) -> Share {
        if self.is_over {
            self.frontier.end();
        }
        self.share.evaluations = self.priority.evaluations();
        self.share.queues = self.frontier.accesses();
        self.share.memory = self.frontier.memory() + self.priority.memory();
        self.conclude();
        self.share
    }

    /// Notes what can be said of what it has done so far.
    fn conclude(&mut self) {
        self.share.proves_shortest = self.proves_shortest();
        self.share.prunes_safely = self.priority.prunes_safely();
        self.share.lost_entries = self.frontier.has_lost_entries();
    }

    /// Expands a state that is still to be expanded.
    #[inline]
    fn visit(&mut self, explorer: &mut dyn Explorer, key: P::Key, id: StateId, current: &mut StateBuf) {
        let Some(taken) = self.shared.nodes.take(id) else {
            // It is out of date, and was perhaps all that came before what is expected.
            return self.end_expansion();
        };
        if self.improves && self.priority.is_beaten(key) {
            return;
        }
        if self.shared.has_postponed() {
            self.settle(key);
            if self.is_over {
                return;
            }
        }
        if self.shared.is_spent() {
            let _ = self.stop(Halt::Budget);
            return;
        }
        self.visit_taken(explorer, key, id, taken, current);
    }

    /// The same with a state whose turn it is.
    #[inline]
    fn visit_taken(
        &mut self,
        explorer: &mut dyn Explorer,
        key: P::Key,
        id: StateId,
        taken: Taken,
        current: &mut StateBuf,
    ) {
        let floor = self.priority.cost_floor(key);
        if floor != self.taken_cost {
            self.taken_cost = floor;
            self.tell_floor();
        }
        self.share.floor = self.share.floor.max(self.priority.error_floor(key));
        self.store.take(id, current);
        let before = self.share.stats.generated;
        self.begin_step(key, id, taken);
        if self.expand(explorer, id, taken, current.as_state()).is_break() || self.end_step().is_break() {
            return;
        }
        if self.overflows() {
            return;
        }
        self.end_expansion();
        let generated = self.share.stats.generated - before;
        self.shared.spend(generated);
        if self.meter.is_due(1 + generated) {
            let now = self.snapshot(id);
            let own = now.memory.saturating_sub(self.store.memory());
            self.store.leave_room(self.meter.beside_states(own));
            match self.meter.check(now) {
                Some(reason) => {
                    let _ = self.stop(Halt::Limit(reason));
                }
                None => self.save_if_due(),
            }
        }
    }

    fn expand(&mut self, explorer: &mut dyn Explorer, id: StateId, taken: Taken, from: State<'_>) -> ControlFlow<()> {
        let shared = self.shared;
        delays::here();
        // Should its cost have fallen since, the state is open again.
        let Taken { visit, cost, is_whole } = taken;
        if visit == Visit::First && !shared.tests_early {
            self.test_invariants(id, from)?;
        }
        self.share.stats.expanded += 1;
        self.share.stats.depth = self.share.stats.depth.max(cost);
        let part = if is_whole { Part::All } else { shared.part };
        self.expanded = Some(id);
        self.successors.clear();
        let expansion = self.take_part(explorer, id, taken, from, part)?;
        if expansion.left_out != LeftOut::Nothing {
            self.share.stats.reduced += u64::from(visit == Visit::First);
        }
        if expansion.left_out == LeftOut::Safely {
            raise(&shared.losses.left_out);
        }
        if expansion.left_out == LeftOut::Postponed && visit == Visit::First {
            raise(&shared.losses.postponed);
            self.insert_all_expected()?;
            delays::here();
            match shared.leads_on(id, &self.successors) {
                Ok(true) => {}
                Ok(false) => {
                    shared.nodes.set_whole(id);
                    self.share.stats.reduced -= 1;
                    self.take_part(explorer, id, taken, from, Part::Rest)?;
                }
                Err(OutOfMemory) => return self.stop(Halt::Limit(StopReason::Memory)),
            }
        }
        if expansion.deadlock && (visit == Visit::First || self.improves) {
            self.share.stats.deadlocks += u64::from(visit == Visit::First);
            let goals = shared.goals;
            if let Some(property) = goals.deadlock.filter(|property| !goals.is_known(*property, None, from)) {
                // That it has no successors is the test for this error; a state that is an error is not expanded.
                self.share.stats.expanded -= u64::from(visit == Visit::First && !self.has_witness(property));
                self.report(Sighting { property, at: id, failure: None, cost })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Follows a part of the steps of a state.
    fn take_part(
        &mut self,
        explorer: &mut dyn Explorer,
        id: StateId,
        Taken { visit, cost, .. }: Taken,
        from: State<'_>,
        part: Part,
    ) -> ControlFlow<(), Expansion> {
        let mut flow = ControlFlow::Continue(());
        let expansion = explorer.part(from, part, &mut |step| {
            flow = match self.meter.stopped() {
                Some(reason) => self.stop(Halt::Limit(reason)),
                None => self.follow(Origin { id, state: from }, cost, visit, step),
            };
            flow
        });
        if flow.is_break() {
            return ControlFlow::Break(());
        }
        if let Some(reason) = self.meter.stopped() {
            let _ = self.stop(Halt::Limit(reason));
            return ControlFlow::Break(());
        }
        if expansion.cut {
            raise(&self.shared.losses.endless);
        }
        ControlFlow::Continue(expansion)
    }

    #[inline]
    fn follow(&mut self, from: Origin<'_>, from_cost: u64, visit: Visit, step: &Step<'_>) -> ControlFlow<()> {
        self.meter.observe(step.moves);
        let cost = self.shared.setup.costs.extend(from_cost, step);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.share.stats.generated += 1;
                self.share.stats.transitions += u64::from(visit == Visit::First);
                let step_cost = cost.saturating_sub(from_cost);
                if step_cost < self.least_step {
                    self.least_step = step_cost;
                    self.tell_floor();
                }
                if self.expected.is_possible && self.store.expect(state, step.changes.as_ref()) {
                    return match self.expected.add(from.id, cost) {
                        true => self.insert_expected(),
                        false => ControlFlow::Continue(()),
                    };
                }
                // Each in its turn.
                self.insert_all_expected()?;
                return self.arrive(Some(from), cost, state, Some(step));
            }
            Outcome::Failure(failure) => failure,
        };
        if visit == Visit::First {
            self.share.stats.count_failure(failure.kind);
        }
        let goals = self.shared.goals;
        let is_new = |property: &PropertyIndex| !goals.is_known(*property, Some(failure), from.state);
        let Some(property) = goals.failure(failure.kind).filter(is_new) else { return ControlFlow::Continue(()) };
        let sighting = Sighting { property, at: from.id, failure: Some(failure), cost };
        if self.shared.is_beyond(cost) {
            self.shared.hunt().note_beyond_bound(property);
        } else if self.shared.tests_early {
            self.report(sighting)?;
        } else if !self.has_witness(property) {
            self.shared.postpone(self.priority.rank_error(cost), sighting);
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn arrive(
        &mut self,
        from: Option<Origin<'_>>,
        cost: u64,
        state: State<'_>,
        step: Option<&Step<'_>>,
    ) -> ControlFlow<()> {
        self.admit(from, cost, state, step).unwrap_or_else(|OutOfMemory| self.has_no_room(from, cost, state))
    }

    /// Stores a state and opens it if it is new or reached on a better path.
    fn admit(
        &mut self,
        from: Option<Origin<'_>>,
        cost: u64,
        state: State<'_>,
        step: Option<&Step<'_>>,
    ) -> Result<ControlFlow<()>, OutOfMemory> {
        let shared = self.shared;
        let parent = from.map(|origin| origin.id);
        // A larger cover that is dearer may replace a smaller one where shortest paths do not matter.
        let counted = if shared.revisit == Revisit::Cheaper { cost } else { 0 };
        shared.nodes.announce(cost);
        let lookup = match step.and_then(|step| step.changes.as_ref()) {
            Some(changes) => self.store.insert_beside(state, changes, counted, &mut self.displaced)?,
            None => self.store.insert(state, counted, &mut self.displaced)?,
        };
        if !self.displaced.is_empty() {
            self.forget_displaced(cost);
        }
        let (id, fresh) = match self.link(lookup, parent, cost)? {
            ControlFlow::Continue(Some(linked)) => linked,
            ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
            ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
        };
        // Who improves errors wants to know what they cost now.
        if (fresh || self.improves) && shared.tests_early && self.test_invariants(id, state).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let moves = step.map_or(&[][..], |step| step.moves);
        match self.priority.rank(&Arrival { id, state, cost, from, moves }) {
            Rank::Open(key) => {
                delays::here();
                self.store.hold(id, state)?;
                if shared.nodes.open(id) {
                    // It is taken once, however often it was opened.
                    self.store.let_go(id);
                }
                self.frontier.push(key, id).inspect_err(|_| self.breaks())?;
            }
            Rank::Prune => {
                self.share.stats.dead_ends += 1;
                raise(&shared.losses.pruned);
            }
            Rank::Beyond => raise(&shared.losses.cut_by_estimate),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Notes the path to a state that was stored. If the state is to be opened: which one it is, and whether that is for the first
    /// time.
    #[inline]
    fn link(
        &mut self,
        lookup: Lookup,
        parent: Option<StateId>,
        cost: u64,
    ) -> Result<ControlFlow<(), Option<(StateId, bool)>>, OutOfMemory> {
        let shared = self.shared;
        delays::here();
        let (id, reached) = match lookup {
            Lookup::Covered(_) => return Ok(ControlFlow::Continue(None)),
            Lookup::New(id) => (id, shared.nodes.enter(id, parent, cost)?),
            Lookup::Known(id) => (id, Reached::NoBetter),
        };
        if shared.part != Part::All && parent == self.expanded {
            self.successors.push(id);
        }
        // Only a known state can be reached on a better path, or one whose node somebody else was faster to make.
        let reached = match reached {
            Reached::First => Reached::First,
            _ if shared.revisit == Revisit::Cheaper && shared.is_beyond(cost) => Reached::NoBetter,
            _ => shared.nodes.reach(id, parent, cost, shared.revisit.relink())?,
        };
        let fresh = match reached {
            Reached::First => {
                if shared.is_beyond(cost) {
                    self.share.entered += 1;
                    self.share.beyond = self.share.beyond.wrapping_add(1);
                    return Ok(ControlFlow::Continue(None));
                }
                // The state that is one too many is neither counted nor opened.
                if shared.exceeds_states() {
                    let _ = self.stop(Halt::Limit(StopReason::States));
                    return Ok(ControlFlow::Break(()));
                }
                self.share.entered += 1;
                true
            }
            // It keeps its place in the open list.
            Reached::Better { .. } if shared.revisit == Revisit::CheaperUntilExpanded => {
                return Ok(ControlFlow::Continue(None));
            }
            Reached::Better { cost: before, closed } => {
                self.share.stats.reopened += u64::from(closed);
                let was_beyond = shared.is_beyond(before);
                if was_beyond {
                    if shared.exceeds_states() {
                        let _ = self.stop(Halt::Limit(StopReason::States));
                        return Ok(ControlFlow::Break(()));
                    }
                    self.share.beyond = self.share.beyond.wrapping_sub(1);
                }
                was_beyond
            }
            Reached::NoBetter => return Ok(ControlFlow::Continue(None)),
        };
        Ok(ControlFlow::Continue(Some((id, fresh))))
    }

    /// Inserts the state that was expected first, and opens it if it is new or reached on a better path.
    fn insert_expected(&mut self) -> ControlFlow<()> {
        self.try_insert_expected().unwrap_or_else(|OutOfMemory| {
            // The store may still expect the state that it had no room for: it would be taken for the next one.
            self.expected.forget();
            self.stop(Halt::Limit(StopReason::Memory))
        })
    }

    fn try_insert_expected(&mut self) -> Result<ControlFlow<()>, OutOfMemory> {
        let Some((parent, cost)) = self.expected.take() else { return Ok(ControlFlow::Continue(())) };
        self.shared.nodes.announce(cost);
        let lookup = self.store.insert_expected().ok_or(OutOfMemory)??;
        let id = match self.link(lookup, Some(parent), cost)? {
            ControlFlow::Continue(Some((id, _))) => id,
            ControlFlow::Continue(None) => return Ok(ControlFlow::Continue(())),
            ControlFlow::Break(()) => return Ok(ControlFlow::Break(())),
        };
        if let Some(key) = self.priority.key_by_cost(cost) {
            delays::here();
            self.shared.nodes.open(id);
            self.frontier.push(key, id).inspect_err(|_| self.breaks())?;
        }
        Ok(ControlFlow::Continue(()))
    }

    #[inline]
    fn insert_all_expected(&mut self) -> ControlFlow<()> {
        while self.expected.least_cost().is_some() {
            self.insert_expected()?;
        }
        ControlFlow::Continue(())
    }

    /// What is expected may wait only for something that comes before it.
    fn end_expansion(&mut self) {
        if let Some(cost) = self.expected.least_cost()
            && self.priority.key_by_cost(cost).is_none_or(|key| !self.frontier.can_wait(key))
            && self.insert_all_expected().is_break()
        {
            return;
        }
        if self.frontier.end_of_expansion().is_err() {
            let _ = self.stop(Halt::Limit(StopReason::Memory));
        }
    }

    /// Steps that weigh less may still come; the store can live with that.
    fn tell_floor(&mut self) {
        self.store.set_floor(self.taken_cost.saturating_add(self.least_step));
    }

    /// The new state does all that the displaced ones could do: those still open need no expansion, unless they can do it
    /// at less cost and that matters.
    fn forget_displaced(&mut self, cost: u64) {
        let nodes = &self.shared.nodes;
        for id in self.displaced.drain(..) {
            // Who has stored it is about to make its node, unless the search is over.
            while !nodes.is_present(id) && self.meter.stopped().is_none() {
                std::thread::yield_now();
            }
            if self.shared.revisit != Revisit::Cheaper || nodes.cost(id) >= cost {
                nodes.close(id);
            }
            if self.shared.is_beyond(nodes.cost(id)) {
                // It never counted as stored.
                self.share.beyond = self.share.beyond.wrapping_sub(1);
            } else {
                self.share.stats.displaced += 1;
                self.shared.one_less();
            }
        }
    }

    fn stop(&mut self, halt: Halt) -> ControlFlow<()> {
        self.shared.halt(halt);
        self.is_over = true;
        ControlFlow::Break(())
    }
}
