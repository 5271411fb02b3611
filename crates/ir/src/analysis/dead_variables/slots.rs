//! Sets of slots that grow step by step.

/// A set of slot numbers, one bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct SlotBits(Vec<u64>);

impl SlotBits {
    pub fn contains(&self, slot: u32) -> bool {
        self.0.get(slot as usize / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// True if it is new.
    pub fn insert(&mut self, slot: u32) -> bool {
        let (word, bit) = (slot as usize / 64, 1 << (slot % 64));
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    pub fn remove(&mut self, slot: u32) {
        if let Some(word) = self.0.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// True if anything is new.
    pub fn add(&mut self, others: &SlotBits) -> bool {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        let mut new = false;
        for (word, other) in self.0.iter_mut().zip(&others.0) {
            new |= other & !*word != 0;
            *word |= other;
        }
        new
    }
}
