//! Stores on demand.

use std::time::Instant;

use bughound_kernel::{
    ApproximateSet, OutOfMemory, State, StateBuf, StateStore, StopSignal, StoreSource, TransitionSystem,
};

use crate::bit_set::BitSet;
use crate::compact::CompactStore;
use crate::covering::CoveringStore;
use crate::exact::ExactStore;
use crate::handing_over::{Course, HandingOver};
use crate::heed::Heed;
use crate::merging::MergingStore;
use crate::registry::StoreKind;
use crate::sharded::{Sharded, parts_for};
use crate::tree::TreeStore;

/// Makes the stores that fit a system, each within a budget.
#[derive(Clone, Copy)]
pub struct Stores<'s> {
    system: &'s dyn TransitionSystem,
    kind: StoreKind,
    budget: Option<u64>,
    hash_bits: u32,
    most_states: Option<u32>,
    stop: Option<&'s StopSignal>,
    until: Option<Instant>,
}

impl<'s> Stores<'s> {
    pub fn new(system: &'s dyn TransitionSystem) -> Self {
        Stores {
            system,
            kind: StoreKind::default(),
            budget: None,
            hash_bits: u64::BITS,
            most_states: None,
            stop: None,
            until: None,
        }
    }

    /// Keeps states without covers this way.
    pub fn of_kind(mut self, kind: StoreKind) -> Self {
        self.kind = kind;
        self
    }

    /// No store grows beyond so many bytes.
    pub fn with_budget(mut self, bytes: Option<u64>) -> Self {
        self.budget = bytes;
        self
    }

    /// Where a store hands over to another one, it ends that early at this signal and this time.
    pub fn heeding(mut self, stop: &'s StopSignal, until: Option<Instant>) -> Self {
        (self.stop, self.until) = (Some(stop), until);
        self
    }

    /// Compact stores keep so few bits of each state that they confuse states: to see what comes of it.
    pub fn with_hash_bits(mut self, bits: u32) -> Self {
        self.hash_bits = bits;
        self
    }

    /// Stores without covers have numbers for so few states, or hardly more, that they run out of them: to see what comes of it.
    pub fn with_most_states(mut self, most: u32) -> Self {
        self.most_states = Some(most);
        self
    }
}

impl Stores<'_> {
    fn course(&self, threads: usize, budget: u64) -> Course {
        Course {
            layout: self.system.layout().clone(),
            budget,
            threads,
            lossy: self.kind == StoreKind::AutoLossy,
            heed: Heed { stop: self.stop.cloned().unwrap_or_default(), until: self.until },
        }
    }

    /// A part of a store that has so many.
    fn compact(&self, parts: usize) -> CompactStore {
        let store = CompactStore::new(self.system.layout()).with_hash_bits(self.hash_bits);
        match self.most_states {
            Some(most) => store.with_most_states(most / parts as u32),
            None => store,
        }
    }

    /// The same.
    fn tree(&self, parts: usize) -> TreeStore {
        let store = TreeStore::new(self.system.layout());
        match self.most_states {
            Some(most) => store.with_most_states(most / parts as u32),
            None => store,
        }
    }

    fn exact(&self) -> ExactStore {
        let store = ExactStore::new(self.system.layout());
        match self.most_states {
            Some(most) => store.with_most_states(most),
            None => store,
        }
    }
}

impl StoreSource for Stores<'_> {
    fn forgets(&self) -> bool {
        self.kind.forgets() && self.system.layout().cover_len == 0
    }

    fn new_store(&self) -> Box<dyn StateStore + '_> {
        let layout = self.system.layout();
        let budget = self.budget.unwrap_or(u64::MAX);
        if layout.cover_len == 0 {
            match self.kind {
                StoreKind::Tree if TreeStore::fits(layout) => Box::new(self.tree(1).with_budget(budget)),
                StoreKind::Compact => Box::new(self.compact(1).with_budget(budget)),
                StoreKind::Auto | StoreKind::AutoLossy if self.budget.is_some() => {
                    Box::new(HandingOver::alone(self.course(1, budget)))
                }
                StoreKind::Auto | StoreKind::AutoLossy | StoreKind::Exact | StoreKind::Tree => {
                    Box::new(self.exact().with_budget(budget))
                }
            }
        } else if self.system.merges_covers() {
            Box::new(MergingStore::new(self.system, budget))
        } else {
            let covers = |key: &[i32], large: &[i32], small: &[i32]| self.system.covers(key, large, small);
            Box::new(CoveringStore::new(layout, covers).with_budget(budget))
        }
    }

    fn new_shared_store(&self, threads: usize) -> Box<dyn StateStore + '_> {
        let layout = self.system.layout();
        let budget = self.budget.unwrap_or(u64::MAX);
        if layout.cover_len == 0 {
            return match self.kind {
                StoreKind::Tree if TreeStore::fits(layout) => {
                    Box::new(Sharded::new(threads, budget, || self.tree(parts_for(threads))))
                }
                StoreKind::Compact => Box::new(Sharded::new(threads, budget, || self.compact(parts_for(threads)))),
                StoreKind::Auto | StoreKind::AutoLossy if self.budget.is_some() => {
                    Box::new(HandingOver::shared(self.course(threads, budget)))
                }
                StoreKind::Auto | StoreKind::AutoLossy | StoreKind::Exact | StoreKind::Tree => {
                    Box::new(self.exact().with_budget(budget))
                }
            };
        }
        if self.system.merges_covers() {
            return Box::new(Sharded::new(threads, budget, || MergingStore::new(self.system, budget)));
        }
        self.new_store()
    }

    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory> {
        if self.budget.is_some_and(|budget| bits / 8 > budget) {
            return Err(OutOfMemory);
        }
        let set = BitSet::new(self.system.layout(), bits, functions, seed)?;
        if self.system.layout().cover_len == 0 {
            return Ok(Box::new(set));
        }
        Ok(Box::new(OfNormalCovers { system: self.system, set, normal: StateBuf::default() }))
    }
}

/// Bits of states whose covers are made equal where they may be: there could be infinitely many otherwise.
struct OfNormalCovers<'s> {
    system: &'s dyn TransitionSystem,
    set: BitSet,
    normal: StateBuf,
}

impl OfNormalCovers<'_> {
    fn normalise(&mut self, state: State<'_>) {
        self.normal.set(state);
        self.system.normalise_cover(state.key, &mut self.normal.cover);
    }
}

impl ApproximateSet for OfNormalCovers<'_> {
    fn insert(&mut self, state: State<'_>) -> bool {
        self.normalise(state);
        self.set.insert(self.normal.as_state())
    }

    fn contains(&mut self, state: State<'_>) -> bool {
        self.normalise(state);
        self.set.contains(self.normal.as_state())
    }

    fn restart(&mut self, seed: u64) {
        self.set.restart(seed);
    }

    fn fill(&self) -> f64 {
        self.set.fill()
    }

    fn memory(&self) -> u64 {
        self.set.memory()
    }
}
