//! The errors that a search has found that goes on after errors or comes back in passes, and which others would still be of use.

use crate::engines::OnError;
use crate::goals::{PropertyIndex, StopPolicy};
use crate::result::Witness;
use crate::search::Task;

pub(super) struct Errors {
    policy: StopPolicy,
    on_error: OnError,
    properties: usize,
    found: Vec<Witness>,
    /// The cheapest failing step behind the bound, for each property.
    missed: Vec<(PropertyIndex, u64)>,
}

impl Errors {
    pub(super) fn new(task: &Task<'_>, on_error: OnError) -> Self {
        let properties = task.goals.properties().len();
        Errors { policy: task.stop, on_error, properties, found: Vec::new(), missed: Vec::new() }
    }

    /// Would an error at this cost change the result?
    ///
    /// If one error is enough, a second one counts if it is cheaper: a later pass may have looked for just that.
    pub(super) fn want(&self, property: PropertyIndex, cost: u64) -> bool {
        match self.policy {
            StopPolicy::FirstError => self.found.first().is_none_or(|known| cost < known.length),
            StopPolicy::EveryProperty | StopPolicy::Exhaustive => {
                let known = self.found.iter().find(|known| known.property == property);
                known.is_none_or(|known| self.on_error == OnError::Improve && cost < known.length)
            }
        }
    }

    pub(super) fn take(&mut self, witness: Witness) {
        let replaces_all = self.policy == StopPolicy::FirstError;
        self.found.retain(|known| !replaces_all && known.property != witness.property);
        self.found.push(witness);
    }

    /// Is everything found that was asked for?
    pub(super) fn are_enough(&self) -> bool {
        self.policy.is_satisfied(self.found.len(), self.properties)
    }

    pub(super) fn dearest(&self) -> Option<u64> {
        self.found.iter().map(|known| known.length).max()
    }

    pub(super) fn note_missed(&mut self, property: PropertyIndex, cost: u64) {
        match self.missed.iter_mut().find(|(other, _)| *other == property) {
            Some((_, least)) => *least = cost.min(*least),
            None => self.missed.push((property, cost)),
        }
    }

    pub(super) fn forget_missed(&mut self) {
        self.missed.clear();
    }

    /// The cost of the cheapest error behind the bound that would be of use.
    pub(super) fn least_missed(&self) -> Option<u64> {
        self.missed.iter().filter(|(property, cost)| self.want(*property, *cost)).map(|(_, cost)| *cost).min()
    }

    /// A pass has looked for all errors of use below `floor`.
    pub(super) fn prove(&mut self, floor: u64) {
        if self.policy == StopPolicy::FirstError || self.on_error == OnError::Improve {
            for known in &mut self.found {
                known.proven_shortest |= known.length <= floor;
            }
        }
    }

    pub(super) fn into_witnesses(self) -> Vec<Witness> {
        self.found
    }
}
