//! One state: is it an error, and where do its steps lead?

use std::ops::ControlFlow;

use bughound_kernel::{Estimate, Explorer, LeftOut, Outcome, State, StateBuf, Step};
use bughound_search::engines::ending::Halt;
use bughound_search::engines::hunt::Sighting;

use super::sweep::Visit;
use super::{BEYOND, DEAD, Engine, HOPELESS, Spot};
use crate::open::Place;
use crate::row::{From, Row, hash};
use crate::trouble::Trouble;

/// A state whose steps are followed.
#[derive(Clone, Copy)]
struct Origin<'a> {
    state: State<'a>,
    cost: u64,
    /// What leads back from the state.
    from: From,
    /// What leads back to it.
    itself: From,
    visit: Visit,
}

impl Origin<'_> {
    fn spot(&self) -> Spot {
        Spot { state: StateBuf::from(self.state), cost: self.cost, from: self.from }
    }
}

impl Engine<'_, '_, '_> {
    /// True if all of its steps were taken.
    pub(super) fn expand(&mut self, row: &Row<'_>, visit: Visit, explorer: &mut dyn Explorer) -> Result<bool, Trouble> {
        let mut buffer = std::mem::take(&mut self.current);
        self.ground.shape.unpack(row, &mut buffer);
        let origin =
            Origin { state: buffer.as_state(), cost: row.cost, from: row.from, itself: From::state(row.hash), visit };
        let expanded = self.expand_state(origin, explorer);
        self.current = buffer;
        expanded
    }

    fn expand_state(&mut self, origin: Origin<'_>, explorer: &mut dyn Explorer) -> Result<bool, Trouble> {
        let is_first = origin.visit == Visit::First;
        // An error that was met before at a higher cost may still wait for its turn.
        self.test_invariants(&origin, explorer);
        if self.halt.is_some() {
            return Ok(false);
        }
        self.stats.reopened += u64::from(!is_first);
        self.stats.expanded += 1;
        self.stats.depth = self.stats.depth.max(origin.cost);
        let before = self.stats.generated;
        let mut outcome = Ok(());
        let expansion = explorer.part(origin.state, self.part, &mut |step| {
            if let Some(reason) = self.driver.stopped() {
                self.stop(Halt::Limit(reason));
                return ControlFlow::Break(());
            }
            outcome = self.follow(&origin, step);
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        outcome?;
        if let Some(reason) = self.driver.stopped() {
            self.stop(Halt::Limit(reason));
        }
        if self.halt.is_some() {
            return Ok(false);
        }
        self.losses.endless |= expansion.cut;
        if expansion.left_out != LeftOut::Nothing {
            self.stats.reduced += u64::from(is_first);
            self.losses.left_out = true;
        }
        if expansion.deadlock {
            self.stats.deadlocks += u64::from(is_first);
            let goals = self.task.goals;
            if let Some(property) = goals.deadlock.filter(|property| !goals.is_known(*property, None, origin.state)) {
                // That it has no successors is the test for this error; a state that is an error is not expanded.
                let is_new = is_first && !self.hunt.has_witness(property) && !self.hunt.awaits(property);
                self.stats.expanded -= u64::from(is_new);
                self.report(property, origin.spot(), origin.cost);
            }
        }
        self.check(1 + self.stats.generated - before);
        Ok(true)
    }

    fn test_invariants(&mut self, origin: &Origin<'_>, explorer: &mut dyn Explorer) {
        let goals = self.task.goals;
        for goal in &goals.invariants {
            if !self.hunt.has_witness(goal.property)
                && explorer.holds(goal.atom, origin.state) != goal.expected
                && !goals.is_known(goal.property, None, origin.state)
            {
                self.report(goal.property, origin.spot(), origin.cost);
                if self.halt.is_some() {
                    return;
                }
            }
        }
    }

    fn follow(&mut self, origin: &Origin<'_>, step: &Step<'_>) -> Result<(), Trouble> {
        self.driver.observe(step.moves);
        let is_first = origin.visit == Visit::First;
        let cost = origin.cost.saturating_add(step.weight);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.stats.generated += 1;
                self.stats.transitions += u64::from(is_first);
                return self.open_state(state, cost, origin.itself);
            }
            Outcome::Failure(failure) => failure,
        };
        if is_first {
            self.stats.count_failure(failure.kind);
        }
        let goals = self.task.goals;
        let is_new = |property: &usize| !goals.is_known(*property, Some(failure), origin.state);
        let Some(property) = goals.failure(failure.kind).filter(is_new) else { return Ok(()) };
        if self.bound.is_some_and(|bound| cost > bound) {
            self.hunt.note_beyond_bound(property);
        } else if !self.hunt.has_witness(property) {
            self.hunt.postpone(cost, Sighting { property, at: origin.spot(), failure: Some(failure), cost });
        }
        Ok(())
    }

    pub(super) fn estimate(&mut self, state: State<'_>) -> u64 {
        match &mut self.estimator {
            None => 0,
            Some(own) => match own.watch.estimate(&mut *own.heuristic, state) {
                Estimate::Finite(value) => value.min(HOPELESS - 1),
                Estimate::DeadEnd => HOPELESS,
            },
        }
    }

    /// The bucket of a state.
    pub(super) fn place(&self, cost: u64, estimate: u64) -> Place {
        let claims = self.claims();
        let f = cost.saturating_add(estimate).min(DEAD - 1);
        // What every error behind it costs at least.
        let least = if claims.admissible { f } else { cost };
        match self.bound {
            Some(bound) if cost > bound => Place { f: BEYOND, cost: bound.saturating_add(1), estimate },
            _ if estimate == HOPELESS && claims.safe => Place { f: DEAD, cost: 0, estimate },
            Some(bound) if least > bound => Place { f: BEYOND, cost: bound.saturating_add(1), estimate },
            _ => Place { f, cost, estimate },
        }
    }

    /// Puts a state into its bucket.
    pub(super) fn open_state(&mut self, state: State<'_>, cost: u64, from: From) -> Result<(), Trouble> {
        let estimate = self.estimate(state);
        let place = self.place(cost, estimate);
        if place.f < DEAD {
            self.best_estimate = Some(self.best_estimate.map_or(estimate, |best| best.min(estimate)));
        }
        let (key, all) = self.ground.shape.pack(state, &mut self.packed);
        let hash = hash(&self.packed[..key]);
        self.open.push(place, hash, from, &self.packed[..all], &self.ground)?;
        Ok(())
    }
}
