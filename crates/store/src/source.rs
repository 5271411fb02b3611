//! Stores on demand.

use bughound_kernel::{ApproximateSet, OutOfMemory, StateStore, StoreSource, TransitionSystem};

use crate::bit_set::BitSet;
use crate::covering::CoveringStore;
use crate::exact::ExactStore;

/// Makes the stores that fit a system, each within a budget.
#[derive(Clone, Copy)]
pub struct Stores<'s> {
    system: &'s dyn TransitionSystem,
    budget: Option<u64>,
}

impl<'s> Stores<'s> {
    pub fn new(system: &'s dyn TransitionSystem) -> Self {
        Stores { system, budget: None }
    }

    /// No store grows beyond so many bytes.
    pub fn with_budget(mut self, bytes: Option<u64>) -> Self {
        self.budget = bytes;
        self
    }
}

impl StoreSource for Stores<'_> {
    fn new_store(&self) -> Box<dyn StateStore + '_> {
        let layout = self.system.layout();
        let budget = self.budget.unwrap_or(u64::MAX);
        if layout.cover_len == 0 {
            Box::new(ExactStore::new(layout).with_budget(budget))
        } else {
            let covers = |key: &[i32], large: &[i32], small: &[i32]| self.system.covers(key, large, small);
            Box::new(CoveringStore::new(layout, covers).with_budget(budget))
        }
    }

    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory> {
        if self.budget.is_some_and(|budget| bits / 8 > budget) {
            return Err(OutOfMemory);
        }
        Ok(Box::new(BitSet::new(self.system.layout(), bits, functions, seed)?))
    }
}
