//! An open-addressing table from hashes to dense numbers.
//!
//! A table of 2^k places holds 64-bit entries: the upper 64-k bits of the hash, and below them the number plus one. The
//! place of an entry is given by its upper k bits, so that growing is one sequential pass over the entries: no stored
//! state is read and no hash computed again. The hash bits below the upper k tell nearly all different states apart
//! without looking at them.

use std::hint::black_box;

use bughound_kernel::OutOfMemory;

const EMPTY: u64 = 0;
const SMALLEST_BITS: u32 = 10;

#[derive(Debug)]
pub(crate) struct IdTable {
    entries: Vec<u64>,
    bits: u32,
    len: usize,
    /// Growth beyond this many bytes is refused.
    budget: u64,
}

/// Where a number belongs that was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vacancy {
    place: usize,
    hash: u64,
}

impl IdTable {
    pub(crate) fn new() -> Self {
        IdTable { entries: Vec::new(), bits: 0, len: 0, budget: u64::MAX }
    }

    pub(crate) fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.entries.len() * size_of::<u64>()) as u64
    }

    /// Makes room for one more number. Grows at a load of 3/4, or, if the memory for that is missing, when 15/16 of the
    /// places are taken.
    pub(crate) fn reserve(&mut self) -> Result<(), OutOfMemory> {
        let places = self.entries.len();
        if self.len < places / 4 * 3 {
            return Ok(());
        }
        match self.grow() {
            Err(OutOfMemory) if self.len < places / 16 * 15 => Ok(()),
            grown => grown,
        }
    }

    /// Makes room in an empty table, so that numbers can be looked for.
    #[inline]
    pub(crate) fn reserve_first(&mut self) -> Result<(), OutOfMemory> {
        if self.entries.is_empty() { self.grow() } else { Ok(()) }
    }

    /// Makes room for one more number. Its vacancy may be elsewhere afterwards.
    pub(crate) fn reserve_for(&mut self, vacancy: Vacancy) -> Result<Vacancy, OutOfMemory> {
        let places = self.entries.len();
        self.reserve()?;
        if self.entries.len() == places {
            return Ok(vacancy);
        }
        Ok(self.find(vacancy.hash, |_| false).err().unwrap_or(vacancy))
    }

    /// Reads the places of many hashes, and decides nothing: what is not in the cache is fetched side by side, so that
    /// looking them up does not wait for one after the other.
    #[inline]
    pub(crate) fn await_all(&self, hashes: &[u64]) {
        black_box(hashes.iter().fold(0, |all, hash| all | self.entries[self.place(*hash)]));
    }

    #[inline]
    fn place(&self, hash: u64) -> usize {
        (hash >> (u64::BITS - self.bits)) as usize
    }

    /// The number with this hash for which `is_it` holds, or where to enter it. [`reserve`](Self::reserve) was called
    /// before.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        let number_bits = (1 << self.bits) - 1;
        let mut place = self.place(hash);
        loop {
            let entry = self.entries[place];
            if entry == EMPTY {
                return Err(Vacancy { place, hash });
            }
            let number = (entry & number_bits) as u32 - 1;
            if (entry ^ hash) & !number_bits == 0 && is_it(number) {
                return Ok(number);
            }
            place = (place + 1) & (self.entries.len() - 1);
        }
    }

    #[inline]
    pub(crate) fn occupy(&mut self, vacancy: Vacancy, number: u32) {
        let number_bits = (1_u64 << self.bits) - 1;
        debug_assert!(u64::from(number) < number_bits && self.entries[vacancy.place] == EMPTY);
        self.entries[vacancy.place] = (vacancy.hash & !number_bits) | (u64::from(number) + 1);
        self.len += 1;
    }

    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let bits = (self.bits + 1).max(SMALLEST_BITS);
        let places = 1_usize << bits;
        // Both tables exist while one is filled from the other.
        if self.memory() + (places * size_of::<u64>()) as u64 > self.budget {
            return Err(OutOfMemory);
        }
        let mut grown = Vec::new();
        grown.try_reserve_exact(places).map_err(|_| OutOfMemory)?;
        grown.resize(places, EMPTY);
        let (old_number, new_number) = ((1_u64 << self.bits) - 1, (1_u64 << bits) - 1);
        for &entry in self.entries.iter().filter(|&&entry| entry != EMPTY) {
            let mut place = (entry >> (u64::BITS - bits)) as usize;
            while grown[place] != EMPTY {
                place = (place + 1) & (places - 1);
            }
            grown[place] = (entry & !new_number) | (entry & old_number);
        }
        self.entries = grown;
        self.bits = bits;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(number: u32) -> u64 {
        u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[test]
    fn numbers_survive_growth() {
        let mut table = IdTable::new();
        for number in 0..100_000 {
            table.reserve().unwrap();
            let vacancy = table.find(spread(number), |other| other == number).unwrap_err();
            table.occupy(vacancy, number);
        }
        assert!((0..100_000).all(|number| table.find(spread(number), |other| other == number) == Ok(number)));
        assert!(table.find(spread(100_000), |other| other == 100_000).is_err());
    }

    #[test]
    fn equal_hashes_are_kept_apart_even_across_the_end() {
        let mut table = IdTable::new();
        for number in 0..2_000 {
            table.reserve().unwrap();
            let vacancy = table.find(u64::MAX, |other| other == number).unwrap_err();
            table.occupy(vacancy, number);
        }
        assert_eq!(table.find(u64::MAX, |other| other == 1_999), Ok(1_999));
    }

    #[test]
    fn a_budget_is_used_up_before_it_ends_the_search() {
        let mut table = IdTable::new();
        table.set_budget(8 << SMALLEST_BITS);
        let mut number = 0;
        while table.reserve().is_ok() {
            let vacancy = table.find(spread(number), |other| other == number).unwrap_err();
            table.occupy(vacancy, number);
            number += 1;
        }
        assert_eq!(number, (1 << SMALLEST_BITS) / 16 * 15);
    }
}
