//! What a step does to clocks and costs, as a list of operations.

use bughound_dbm::priced::Operation;
use bughound_dbm::{Constraint, Zone};
use bughound_kernel::Move;

use super::zones::inside;
use super::{CostError, PricedSystem};
use crate::discrete::DiscreteExplorer;
use crate::timed::constraints::DifferenceBound;
use crate::timed::may_wait;

impl PricedSystem {
    /// What the guards of the moves from a state demand.
    pub(super) fn guards(&self, key: &[i32], moves: &[Move]) -> Operation {
        let machine = self.timed.machine();
        let mut found = Vec::new();
        for m in moves {
            for guard in self.timed.clockwork.guards(m.edge) {
                // One without value is in nobody's way: the discrete engine has seen that the step fails.
                if let Some(bounds) = guard.bounds(machine, machine.context(key, m.process as usize, false)) {
                    note(&mut found, bounds);
                }
            }
        }
        Operation::Require(found)
    }

    /// What is left to priorities: to be in this part of a zone.
    pub(super) fn part(zone: Zone<'_>) -> Operation {
        Operation::Require(inside(zone))
    }

    /// The clocks that the moves set, in order.
    pub(super) fn resets(&self, key: &[i32], moves: &[Move], operations: &mut Vec<Operation>) {
        let mut set = |clock, value| operations.push(Operation::Reset { clock, value });
        self.timed.clockwork.resets(self.timed.machine(), key, moves, &mut set);
    }

    /// Enters a state and stays there for as long as one may. False: nobody can enter it.
    pub(super) fn settle(
        &self,
        probe: &mut DiscreteExplorer<'_>,
        key: &[i32],
        operations: &mut Vec<Operation>,
    ) -> Result<bool, CostError> {
        let Some(invariant) = self.invariant(key) else { return Ok(false) };
        if !invariant.is_empty() {
            operations.push(Operation::Require(invariant.clone()));
        }
        self.merge_inactive(key, operations);
        if may_wait(&self.timed, probe, key) {
            operations.push(Operation::Delay(self.prices.rate(&self.timed, key)?));
            if !invariant.is_empty() {
                operations.push(Operation::Require(invariant));
            }
        }
        Ok(true)
    }

    /// The invariants of a state; nothing if one of them has no value: nobody satisfies it.
    fn invariant(&self, key: &[i32]) -> Option<Vec<Constraint>> {
        let machine = self.timed.machine();
        let mut found = Vec::new();
        for (pid, location) in self.timed.locations(key) {
            for constraint in self.timed.clockwork.invariant(location) {
                note(&mut found, constraint.bounds(machine, machine.context(key, pid, false))?);
            }
        }
        Some(found)
    }

    /// A clock that will be set before it is compared again tells nothing apart: it takes the value of one that matters.
    fn merge_inactive(&self, key: &[i32], operations: &mut Vec<Operation>) {
        self.timed.bounds.with(key, |largest| {
            let inactive: Vec<usize> = largest.inactive().collect();
            let active = (1..self.timed.dimension).find(|clock| !inactive.contains(clock));
            operations.extend(inactive.into_iter().map(|clock| match active {
                Some(from) => Operation::Copy { to: clock, from },
                None => Operation::Reset { clock, value: 0 },
            }));
        });
    }
}

fn note(found: &mut Vec<Constraint>, (bounds, count): ([DifferenceBound; 2], usize)) {
    found.extend(bounds[..count].iter().map(|(i, j, bound)| Constraint::new(*i, *j, *bound)));
}
