//! A few bits of each state (Holzmann 1987, "supertrace").

use bughound_kernel::{ApproximateSet, OutOfMemory, Random, State, StateBuf};

use crate::engines::depth_first::BitArray;
use crate::engines::depth_first::visited::{Kept, StateStack, Visited};
use crate::node_table::Visit;
use crate::search::Task;

pub(super) struct Bits<'t> {
    set: Box<dyn ApproximateSet + 't>,
    /// The states of the path and beside it.
    states: StateStack,
    seeds: Random,
    stored: u64,
    least_cut: Option<u64>,
}

impl<'t> Bits<'t> {
    pub(super) fn new(task: &Task<'t>, array: BitArray) -> Result<Self, OutOfMemory> {
        let mut seeds = Random::new(array.seed);
        let set = task.stores.new_bit_set(array.bits, array.functions, seeds.draw())?;
        Ok(Bits { set, states: StateStack::default(), seeds, stored: 0, least_cut: None })
    }
}

impl Visited for Bits<'_> {
    fn meet(&mut self, state: State<'_>, _cost: u64) -> Result<Option<Kept>, OutOfMemory> {
        if self.set.contains(state) {
            return Ok(None);
        }
        self.states.push(state).map(Some)
    }

    fn read(&self, kept: Kept, into: &mut StateBuf) {
        into.set(self.states.get(kept));
    }

    fn enter(&mut self, kept: Kept, _cost: u64) -> Result<Option<Visit>, OutOfMemory> {
        let is_new = self.set.insert(self.states.get(kept));
        self.stored += u64::from(is_new);
        Ok(is_new.then_some(Visit::First))
    }

    /// The state may be entered later on a cheaper path: there is no way to know.
    fn note_cut(&mut self, _kept: Kept, f: u64) -> Result<(), OutOfMemory> {
        self.least_cut = self.least_cut.into_iter().chain([f]).min();
        Ok(())
    }

    fn least_cut(&self) -> Option<u64> {
        self.least_cut
    }

    fn mark(&self) -> usize {
        self.states.len()
    }

    fn release(&mut self, mark: usize) {
        self.states.truncate(mark);
    }

    fn stored(&self) -> u64 {
        self.stored
    }

    fn memory(&self) -> u64 {
        self.set.memory() + self.states.memory()
    }

    fn is_lossy(&self) -> bool {
        true
    }

    fn fill(&self) -> Option<f64> {
        Some(self.set.fill())
    }

    /// Other functions omit other states.
    fn restart(&mut self) -> bool {
        self.set.restart(self.seeds.draw());
        self.states.truncate(0);
        (self.stored, self.least_cut) = (0, None);
        true
    }
}
