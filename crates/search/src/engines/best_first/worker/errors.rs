//! The errors that a worker meets: what becomes of them.

use std::ops::ControlFlow;

use bughound_kernel::{State, StateId};

use super::Worker;
use crate::engines::best_first::frontier::Frontier;
use crate::engines::ending::Halt;
use crate::engines::hunt::Sighting;
use crate::engines::meter::Meter;
use crate::evaluators::Priority;
use crate::goals::PropertyIndex;

impl<F: Frontier<P::Key>, P: Priority, M: Meter> Worker<'_, '_, F, P, M> {
    pub(super) fn test_invariants(&mut self, id: StateId, state: State<'_>) -> ControlFlow<()> {
        for goal in &self.shared.goals.invariants {
            if !self.has_witness(goal.property)
                && self.probe.holds(goal.atom, state) != goal.expected
                && !self.shared.goals.is_known(goal.property, None, state)
            {
                let cost = self.shared.nodes.cost(id);
                self.report(Sighting { property: goal.property, at: id, failure: None, cost })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Is there nothing more to be found of a property?
    pub(super) fn has_witness(&mut self, property: PropertyIndex) -> bool {
        if self.improves {
            return false;
        }
        if self.shared.found() != self.witnesses.len() {
            self.witnesses = self.shared.witnesses();
        }
        self.witnesses.contains(&property)
    }

    pub(super) fn report(&mut self, sighting: Sighting) -> ControlFlow<()> {
        if self.improves {
            if let Some(cost) = self.shared.improve(sighting) {
                self.priority.improve_below(cost);
                self.meter.know(cost);
            }
            return ControlFlow::Continue(());
        }
        let proven = self.proves_shortest();
        if self.shared.report(sighting, proven).is_break() { self.stop(Halt::Error) } else { ControlFlow::Continue(()) }
    }

    /// Reports what waited until there is nothing below this key.
    pub(super) fn settle(&mut self, key: P::Key) {
        if self.shared.settle(Some(key), self.proves_shortest()).is_break() {
            let _ = self.stop(Halt::Error);
        }
    }
}
