//! Expanding a state: each successor goes to its owner.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, LeftOut, Move, Outcome, State, StateBuf, StateId, Step};
use bughound_search::evaluators::Priority;
use bughound_search::open_lists::Divisible;

use super::arrivals::Way;
use super::{FULL, Worker};
use crate::departing::Departure;
use crate::moment::Moment;
use crate::nodes::{Address, Visit};
use crate::owner::KeySum;
use crate::parcel::{Courier, Sent};
use crate::share::Sighting;

/// A state under way.
struct Origin<'s> {
    id: StateId,
    state: State<'s>,
    sum: KeySum,
    cost: u64,
    visit: Visit,
    /// When what is sent now arrives.
    arrival: Moment,
}

impl<O: Divisible<P::Key>, P: Priority> Worker<'_, O, P> {
    /// Expands a state if it is still to be expanded. How many successors it has.
    pub(super) fn visit(&mut self, explorer: &mut dyn Explorer, id: StateId, current: &mut StateBuf) -> u64 {
        let Some(visit) = self.nodes.take(id) else { return 0 };
        let cost = self.nodes.cost(id);
        self.store.read(id, current);
        let state = current.as_state();
        if !self.tests_early() {
            self.test_invariants(id, state, cost);
            if self.work.board.is_over() {
                return 0;
            }
        }
        let held = self.port.held().unwrap_or_default();
        let arrival = Moment { round: held.round + 1, ..held };
        let origin = Origin { id, state, sum: KeySum::of(state.key), cost, visit, arrival };
        self.share.numbers.expanded += 1;
        self.share.numbers.depth = self.share.numbers.depth.max(cost);
        let before = self.share.numbers.generated;
        let signal = self.work.board.signal.clone();
        let part = self.work.part;
        let expansion = explorer.part(state, part, &mut |step| {
            if signal.is_raised() {
                return ControlFlow::Break(());
            }
            self.follow(&origin, step);
            ControlFlow::Continue(())
        });
        // What a search that is over finds does not count.
        if signal.is_raised() {
            return self.share.numbers.generated - before;
        }
        self.share.doubts.endless |= expansion.cut;
        if expansion.left_out != LeftOut::Nothing {
            self.share.numbers.reduced += u64::from(visit == Visit::First);
            self.share.doubts.left_out = true;
        }
        if expansion.deadlock {
            self.share.numbers.deadlocks += u64::from(visit == Visit::First);
            let goals = self.work.goals;
            if let Some(property) = goals.deadlock.filter(|property| !goals.is_known(*property, None, state)) {
                let at = Address { worker: self.port.index as u32, id };
                self.sight(Sighting { property, at, failure: None, cost, settled: false });
            }
        }
        self.share.numbers.generated - before
    }

    fn follow(&mut self, origin: &Origin<'_>, step: &Step<'_>) {
        self.observe(step.moves);
        let cost = origin.cost.saturating_add(step.weight);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.share.numbers.generated += 1;
                self.share.numbers.transitions += u64::from(origin.visit == Visit::First);
                return self.hand_on(origin, step, state, cost);
            }
            Outcome::Failure(failure) => failure,
        };
        if origin.visit == Visit::First {
            self.share.numbers.count_failure(failure.kind);
        }
        let goals = self.work.goals;
        let is_new = |property: &usize| !goals.is_known(*property, Some(failure), origin.state);
        let Some(property) = goals.failure(failure.kind).filter(is_new) else { return };
        if self.work.bound.is_some_and(|bound| cost > bound) {
            if !self.share.missed.contains(&property) {
                self.share.missed.push(property);
            }
            return;
        }
        let at = Address { worker: self.port.index as u32, id: origin.id };
        self.sight(Sighting { property, at, failure: Some(failure), cost, settled: false });
    }

    /// Gives a successor to its owner.
    fn hand_on(&mut self, origin: &Origin<'_>, step: &Step<'_>, state: State<'_>, cost: u64) {
        let sum = origin.sum.after(origin.state.key, step, state.key);
        let owner = self.owners.of(sum);
        if owner == self.port.index {
            let parent = Some(Address { worker: owner as u32, id: origin.id });
            return self.arrive(state, step.changes.as_ref(), Way { parent, cost, moment: origin.arrival });
        }
        let packed = self.courier.pack(state.key);
        let hash = sum.mixed();
        self.sent.fetch(hash);
        let departure = Departure { owner, hash, parent: origin.id.0, cost, ..Departure::default() };
        self.departing.add(departure, packed, state.cover);
        if self.departing.is_full() {
            self.let_one_depart();
        }
    }

    /// The first state that is to be sent joins others on the way to its owner, unless it was sent lately. False if there is none.
    pub(super) fn let_one_depart(&mut self) -> bool {
        let Some((Departure { owner, hash, parent, cost, .. }, packed, cover)) = self.departing.take() else {
            return false;
        };
        if self.sent.is_known(hash, packed, cover, cost) {
            self.share.counts.spared += 1;
            return true;
        }
        self.share.counts.sent += 1;
        Courier::write(&Sent { parent, cost, packed, cover }, &mut self.outgoing[owner]);
        if self.outgoing[owner].len() >= FULL {
            self.send_to(owner);
        }
        true
    }

    fn observe(&mut self, moves: &[Move]) {
        let edges = &mut self.share.edges;
        for Move { edge, .. } in moves {
            let at = *edge as usize / 64;
            if at >= edges.len() {
                edges.resize(at + 1, 0);
            }
            edges[at] |= 1 << (edge % 64);
        }
    }
}
