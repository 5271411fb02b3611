//! States that have come in, or were found by the worker that owns them: stored, and opened if they are new or reached at less cost.

use bughound_kernel::{Changes, Explorer, Lookup, MOST_EXPECTED, OutOfMemory, State, StateBuf, StateId, StopReason};
use bughound_search::evaluators::{Arrival, Priority, Rank};
use bughound_search::open_lists::Divisible;

use super::{Agenda, Worker};
use crate::beam::Beam;
use crate::moment::Moment;
use crate::nodes::Address;
use crate::owner::KeySum;
use crate::parcel::{Kind, Sent};
use crate::share::Sighting;

/// A way on which a state was reached.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub parent: Option<Address>,
    pub cost: u64,
    /// When it came in, or would have if it had been sent.
    pub moment: Moment,
}

impl<O: Divisible<P::Key>, P: Priority> Worker<'_, O, P> {
    /// Everybody opens the initial states that are its own.
    pub(super) fn open_initial_states(&mut self, explorer: &mut dyn Explorer) {
        let mut initial: Vec<StateBuf> = Vec::new();
        explorer.initial(&mut |state| initial.push(state.into()));
        for state in initial.iter().map(StateBuf::as_state) {
            if self.owners.of(KeySum::of(state.key)) == self.port.index {
                let way = Way { parent: None, cost: 0, moment: Moment::default() };
                self.arrive(state, None, way);
            }
        }
        self.advance();
    }

    /// Opens all parcels. How many states were in them.
    pub(super) fn open_what_has_come_in(&mut self) -> u64 {
        let mut opened = 0;
        let mut state = StateBuf::default();
        while let Some((moment, parcel)) = self.port.receive() {
            if self.work.board.is_over() {
                break;
            }
            self.share.counts.bytes_in += parcel.words.len() as u64 * 4;
            opened += 1;
            if parcel.kind == Kind::Tally {
                if let Agenda::Beam(beam) = &mut self.agenda {
                    beam.tallied(moment, parcel.from as usize, &parcel.words);
                }
                continue;
            }
            let mut at = 0;
            while let Some((sent, next)) = self.courier.read(&parcel.words, at) {
                at = next;
                opened += 1;
                self.share.counts.received += 1;
                let parent = Address { worker: parcel.from, id: StateId(sent.parent) };
                let way = Way { parent: Some(parent), cost: sent.cost, moment };
                if !self.expect(&sent, way) {
                    self.insert_all_expected();
                    self.courier.unpack(&sent, &mut state);
                    self.arrive(state.as_state(), None, way);
                }
            }
            self.insert_all_expected();
        }
        opened
    }

    /// If nothing depends on a state that has come in, it is inserted some states later: so long, the processor fetches what it
    /// will be compared with. False: it cannot wait.
    fn expect(&mut self, sent: &Sent<'_>, way: Way) -> bool {
        let can_wait = sent.cover.is_empty() && !self.tests_early() && self.priority.key_by_cost(way.cost).is_some();
        let is_expected = can_wait && self.store.expect_packed(sent.packed);
        if is_expected {
            self.expected.push_back(way);
            if self.expected.len() == MOST_EXPECTED {
                self.insert_expected();
            }
        }
        is_expected
    }

    fn insert_all_expected(&mut self) {
        while self.insert_expected() {}
    }

    fn insert_expected(&mut self) -> bool {
        let Some(way) = self.expected.pop_front() else { return false };
        let inserted = match self.store.insert_expected() {
            Some(Ok(lookup)) => self.admitted(lookup, way),
            Some(Err(OutOfMemory)) => Err(OutOfMemory),
            None => return false,
        };
        let opened = inserted.and_then(|id| match (id, self.priority.key_by_cost(way.cost)) {
            (Some((id, _)), Some(key)) => self.open_at(id, key, way),
            _ => Ok(()),
        });
        if let Err(OutOfMemory) = opened {
            self.stop(StopReason::Memory);
        }
        true
    }

    /// A state that this worker owns was reached.
    pub(super) fn arrive(&mut self, state: State<'_>, changes: Option<&Changes<'_>>, way: Way) {
        if let Err(OutOfMemory) = self.admit(state, changes, way) {
            self.stop(StopReason::Memory);
        }
    }

    fn admit(&mut self, state: State<'_>, changes: Option<&Changes<'_>>, way: Way) -> Result<(), OutOfMemory> {
        let lookup = match changes {
            Some(changes) => self.store.insert_beside(state, changes, way.cost, &mut self.displaced)?,
            None => self.store.insert(state, way.cost, &mut self.displaced)?,
        };
        self.forget_displaced(way.cost);
        let Some((id, fresh)) = self.admitted(lookup, way)? else { return Ok(()) };
        if fresh && self.tests_early() {
            self.test_invariants(id, state, way.cost);
        }
        self.open(id, state, way)
    }

    /// The state was compared with all that this worker owns. If it is to be opened: its number, and whether it counts for the first
    /// time.
    fn admitted(&mut self, lookup: Lookup, way: Way) -> Result<Option<(StateId, bool)>, OutOfMemory> {
        let beyond = self.work.bound.is_some_and(|bound| way.cost > bound);
        let (id, fresh) = match lookup {
            Lookup::Covered(_) => {
                self.share.counts.duplicates += 1;
                return Ok(None);
            }
            Lookup::New(id) => {
                self.nodes.reach(id, way.parent, way.cost)?;
                (id, true)
            }
            Lookup::Known(id) => {
                self.share.counts.duplicates += 1;
                let was_beyond = self.nodes.is_beyond(id);
                if self.nodes.cost(id) <= way.cost || beyond {
                    return Ok(None);
                }
                self.nodes.reach(id, way.parent, way.cost)?;
                self.share.numbers.reopened += u64::from(self.nodes.was_expanded(id));
                (id, was_beyond)
            }
        };
        if beyond {
            self.nodes.set_beyond(id, true);
            self.share.beyond += 1;
            return Ok(None);
        }
        if self.nodes.is_beyond(id) {
            self.nodes.set_beyond(id, false);
            self.share.beyond -= 1;
        }
        if fresh {
            if !self.work.board.admits_another() {
                self.stop(StopReason::States);
                return Ok(None);
            }
            self.share.counts.stored += 1;
        }
        Ok(Some((id, fresh)))
    }

    fn open(&mut self, id: StateId, state: State<'_>, way: Way) -> Result<(), OutOfMemory> {
        let arrival = Arrival { id, state, cost: way.cost, from: None, moves: &[] };
        let key = match self.priority.rank(&arrival) {
            Rank::Open(key) => key,
            Rank::Prune => {
                self.share.numbers.dead_ends += 1;
                self.share.doubts.pruned = true;
                return Ok(());
            }
            Rank::Beyond => {
                self.share.doubts.beyond = true;
                return Ok(());
            }
        };
        self.open_at(id, key, way)
    }

    fn open_at(&mut self, id: StateId, key: P::Key, way: Way) -> Result<(), OutOfMemory> {
        self.nodes.open(id);
        let moment = match &mut self.agenda {
            Agenda::InLayers(open) | Agenda::AtOnce(open) => {
                let moment = Moment { cost: self.priority.error_floor(key), round: 0 };
                open.push(key, id)?;
                moment
            }
            Agenda::Beam(beam) => {
                let moment = Beam::moment(way.cost, way.moment);
                // In a layer all have the same cost: those with less still to go are better.
                beam.push(moment, self.priority.estimate_in(key).unwrap_or(0), id);
                moment
            }
        };
        if !self.rests {
            self.port.hold(moment.max(way.moment));
        }
        Ok(())
    }

    /// The new state does all that the displaced ones could do: those still open need no expansion, unless they can do it at
    /// less cost.
    fn forget_displaced(&mut self, cost: u64) {
        for id in std::mem::take(&mut self.displaced) {
            if self.nodes.cost(id) >= cost {
                self.nodes.close(id);
            }
            if self.nodes.is_beyond(id) {
                self.share.beyond -= 1;
            } else {
                self.share.numbers.displaced += 1;
                self.share.counts.stored -= 1;
                self.work.board.one_less();
            }
        }
    }

    pub(super) fn tests_early(&self) -> bool {
        self.priority.takes_errors_at_once() && !self.work.system.merges_covers()
    }

    pub(super) fn test_invariants(&mut self, id: StateId, state: State<'_>, cost: u64) {
        let goals = self.work.goals;
        for goal in &goals.invariants {
            if self.probe.holds(goal.atom, state) != goal.expected && !goals.is_known(goal.property, None, state) {
                let at = Address { worker: self.port.index as u32, id };
                self.sight(Sighting { property: goal.property, at, failure: None, cost, settled: false });
            }
        }
    }
}
