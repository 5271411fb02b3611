//! An open-addressing table from hashes to numbers that several threads fill without locks.
//!
//! A table of 2^k places holds 64-bit entries: the upper bits of the hash, and below them the number plus one. The place of an
//! entry is given by the upper k bits of its hash, so that growing is one sequential pass over the entries: no stored state
//! is read and no hash computed again. The hash bits below the upper k tell nearly all different states apart without looking
//! at them.
//!
//! An entry is written once, by exchanging it for an empty place, and never changes again. Whoever loses the race for a place
//! looks at what is there now: it may be the very state. What an entry stands for is written before the exchange, and read
//! after the entry was seen.
//!
//! **Growing.** Who finds the table too full freezes it: every empty place gets a mark, so that nobody can enter anything there
//! any more. Then nothing in it changes, and all of it is copied. A thread that still has the old table either finds what it
//! looks for there, or meets the mark and takes the new one. Nobody waits for threads that do something else.
//!
//! (Laarman, van de Pol, Weber 2010, "Boosting multi-core reachability performance with shared hash tables": open addressing,
//! part of the hash in the entry, one exchange for each new state. There the table has a fixed size.)

use std::sync::atomic::{AtomicU64, Ordering};

use bughound_kernel::OutOfMemory;

use crate::huge_pages;
use crate::prefetch::prefetch;

const EMPTY: u64 = 0;
/// An empty place in which nothing may be entered any more. Entries have a number plus one in their lower bits, never 0.
const FROZEN: u64 = 1 << 63;
const SMALLEST_BITS: u32 = 10;
/// Numbers have 32 bits; a larger table would have no use.
const MOST_BITS: u32 = 32;
/// Threads take numbers from blocks of their own, so some numbers are larger than the count of entries: there is room for
/// numbers up to four times the places.
const SPARE_BITS: u32 = 2;

/// A place in the table: a word that threads exchange. Tests have others than those of the standard library.
pub(crate) trait Place {
    /// What is read afterwards is at least as new as the entry.
    fn see(&self) -> u64;
    /// Exchanges `EMPTY` for an entry; what is there if it is something else.
    fn enter(&self, entry: u64) -> Result<(), u64>;
    /// Puts an entry where nobody else looks or writes.
    fn put(&self, entry: u64);
    fn set(&mut self, entry: u64);
}

impl Place for AtomicU64 {
    #[inline]
    fn see(&self) -> u64 {
        self.load(Ordering::Acquire)
    }

    #[inline]
    fn enter(&self, entry: u64) -> Result<(), u64> {
        self.compare_exchange(EMPTY, entry, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
    }

    #[inline]
    fn put(&self, entry: u64) {
        self.store(entry, Ordering::Release);
    }

    fn set(&mut self, entry: u64) {
        *self.get_mut() = entry;
    }
}

#[derive(Debug)]
pub(crate) struct SharedTable<P = AtomicU64> {
    places: Box<[P]>,
    bits: u32,
    /// The bits of an entry that hold a number.
    number_mask: u64,
}

/// Who may change a table at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Company {
    /// One thread. It need not exchange words: before one is locked, the processor waits until all that was written before is in
    /// the cache.
    Alone,
    Others,
}

/// What looking for a hash came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Number(u32),
    /// It is not there, and belongs here.
    Vacancy(usize),
    /// It is not here: there is a newer table.
    Frozen,
    /// It is not there, and there is no place for it.
    Full,
}

fn number_mask(bits: u32) -> u64 {
    (1 << (bits + SPARE_BITS).min(MOST_BITS)) - 1
}

impl SharedTable {
    /// A table without places: it is full.
    pub(crate) fn new() -> Self {
        SharedTable { places: Box::default(), bits: 0, number_mask: number_mask(0) }
    }

    fn of_bits(bits: u32) -> Result<Self, OutOfMemory> {
        let mut places = bytemuck::allocation::try_zeroed_slice_box(1 << bits).map_err(|()| OutOfMemory)?;
        huge_pages::ask_for(&mut places);
        Ok(SharedTable { places, bits, number_mask: number_mask(bits) })
    }

    /// A table twice as large. This one is frozen if others may have it, and all that is in it is there, too. An error if that
    /// takes more than `budget` bytes, for both; then nothing has happened.
    pub(crate) fn grow(&self, budget: u64, company: Company) -> Result<Self, OutOfMemory> {
        let bits = (self.bits + 1).max(SMALLEST_BITS);
        if bits > MOST_BITS || self.memory() + (size_of::<u64>() << bits) as u64 > budget {
            return Err(OutOfMemory);
        }
        let mut grown = SharedTable::of_bits(bits)?;
        self.move_to(&mut grown, company);
        Ok(grown)
    }
}

impl<P: Place> SharedTable<P> {
    pub(crate) fn memory(&self) -> u64 {
        size_of_val(&*self.places) as u64
    }

    /// Is it time to grow, with so many entries? At a load of 3/4.
    #[inline]
    pub(crate) fn is_crowded(&self, entries: u64) -> bool {
        entries >= self.places.len() as u64 / 4 * 3
    }

    /// Would more entries make it unbearably slow?
    pub(crate) fn is_full(&self, entries: u64) -> bool {
        entries >= self.places.len() as u64 / 16 * 15
    }

    /// Is there room for a number as large as this in an entry?
    #[inline]
    pub(crate) fn has_room_for(&self, number: u32) -> bool {
        u64::from(number) < self.number_mask
    }

    /// The place at which looking for a hash begins.
    #[inline]
    pub(crate) fn home(&self, hash: u64) -> usize {
        // In two steps: a table without places has no bits.
        ((hash >> 1) >> (u64::BITS - 1 - self.bits)) as usize
    }

    /// A hash will be looked for in a moment.
    #[inline]
    pub(crate) fn prefetch(&self, hash: u64) {
        if let Some(place) = self.places.get(self.home(hash)) {
            prefetch(place);
        }
    }

    /// The number at the place at which looking for a hash begins, if it may be the one.
    #[inline]
    pub(crate) fn first_with(&self, hash: u64) -> Option<u32> {
        let entry = self.places.get(self.home(hash))?.see();
        let is_likely = entry != EMPTY && entry != FROZEN && (entry ^ hash) & !self.number_mask == 0;
        is_likely.then(|| (entry & self.number_mask) as u32 - 1)
    }

    /// Looks for the number with this hash for which `is_it` holds, from a place on at which it may be.
    #[inline]
    pub(crate) fn find(&self, hash: u64, from: usize, mut is_it: impl FnMut(u32) -> bool) -> Found {
        let number_mask = self.number_mask;
        let mut place = from;
        while let Some(entry) = self.places.get(place) {
            let entry = entry.see();
            if entry == EMPTY {
                return Found::Vacancy(place);
            }
            if entry == FROZEN {
                return Found::Frozen;
            }
            let number = (entry & number_mask) as u32 - 1;
            if (entry ^ hash) & !number_mask == 0 && is_it(number) {
                return Found::Number(number);
            }
            place = (place + 1) & (self.places.len() - 1);
            if place == from {
                break;
            }
        }
        Found::Full
    }

    /// Enters a number at a vacancy. False if somebody was faster: then what is there now has to be looked at.
    #[inline]
    pub(crate) fn enter(&self, vacancy: usize, hash: u64, number: u32, company: Company) -> bool {
        let entry = (hash & !self.number_mask) | (u64::from(number) + 1);
        match company {
            Company::Alone => {
                self.places[vacancy].put(entry);
                true
            }
            Company::Others => self.places[vacancy].enter(entry).is_ok(),
        }
    }

    /// Copies all entries to a larger table that nobody has seen so far. Before, freezes this one if others may have it.
    fn move_to(&self, grown: &mut SharedTable<P>, company: Company) {
        for old in &self.places {
            let entry = match old.see() {
                EMPTY if company == Company::Alone => continue,
                EMPTY => match old.enter(FROZEN) {
                    Ok(()) => continue,
                    Err(entered) => entered,
                },
                entry => entry,
            };
            let mut place = (entry >> (u64::BITS - grown.bits)) as usize;
            while grown.places[place].see() != EMPTY {
                place = (place + 1) & (grown.places.len() - 1);
            }
            grown.places[place].set((entry & !grown.number_mask) | (entry & self.number_mask));
        }
    }
}

/// All orders in which threads can come between each other, and all values that they may see, by `loom`.
#[cfg(test)]
mod tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    impl Place for AtomicU64 {
        fn see(&self) -> u64 {
            self.load(Ordering::Acquire)
        }

        fn enter(&self, entry: u64) -> Result<(), u64> {
            self.compare_exchange(EMPTY, entry, Ordering::AcqRel, Ordering::Acquire).map(|_| ())
        }

        fn put(&self, entry: u64) {
            self.store(entry, Ordering::Release);
        }

        fn set(&mut self, entry: u64) {
            self.with_mut(|place| *place = entry);
        }
    }

    /// A table and the values that its numbers stand for; 0 is none.
    struct Set {
        table: SharedTable<AtomicU64>,
        values: Vec<AtomicU32>,
    }

    fn table(bits: u32) -> SharedTable<AtomicU64> {
        let places = (0..1 << bits).map(|_| AtomicU64::new(EMPTY)).collect();
        SharedTable { places, bits, number_mask: number_mask(bits) }
    }

    impl Set {
        fn new(bits: u32) -> Self {
            Set { table: table(bits), values: (0..4).map(|_| AtomicU32::new(0)).collect() }
        }

        /// As stores insert: what the number stands for is written before it is entered. Every value has the same hash.
        fn insert(&self, value: u32, number: u32) -> Found {
            self.values[number as usize].store(value, Ordering::Relaxed);
            let hash = 3 << 62;
            let mut from = self.table.home(hash);
            loop {
                let is_it = |known: u32| {
                    let known = self.values[known as usize].load(Ordering::Relaxed);
                    assert_ne!(known, 0, "an entry was seen before what it stands for");
                    known == value
                };
                match self.table.find(hash, from, is_it) {
                    Found::Vacancy(place) if self.table.enter(place, hash, number, Company::Others) => {
                        return Found::Number(number);
                    }
                    Found::Vacancy(place) => from = place,
                    found => return found,
                }
            }
        }
    }

    #[test]
    fn two_threads_agree_on_equal_values_and_keep_others_apart() {
        for values in [[7, 7], [7, 8]] {
            loom::model(move || {
                let set = Arc::new(Set::new(2));
                let other = Arc::clone(&set);
                let thread = loom::thread::spawn(move || other.insert(values[1], 1));
                let (here, there) = (set.insert(values[0], 0), thread.join().unwrap());
                assert_eq!(here == there, values[0] == values[1], "{here:?}, {there:?}");
            });
        }
    }

    #[test]
    fn what_is_entered_while_the_table_grows_is_in_the_new_one_or_nowhere() {
        loom::model(|| {
            let set = Arc::new(Set::new(1));
            let other = Arc::clone(&set);
            let thread = loom::thread::spawn(move || other.insert(7, 1));
            let mut grown = table(2);
            set.table.move_to(&mut grown, Company::Others);
            let there = thread.join().unwrap();
            let hash = 3 << 62;
            let is_seven = |number: u32| set.values[number as usize].load(Ordering::Relaxed) == 7;
            match there {
                Found::Number(1) => assert_eq!(grown.find(hash, grown.home(hash), is_seven), Found::Number(1)),
                Found::Frozen => assert!(matches!(grown.find(hash, grown.home(hash), is_seven), Found::Vacancy(_))),
                found => panic!("{found:?}"),
            }
        });
    }

    /// Without company, the same is there as with it.
    #[test]
    fn who_is_alone_finds_what_it_has_entered() {
        loom::model(|| {
            let (table, mut grown) = (table(2), self::table(3));
            let find =
                |table: &SharedTable<AtomicU64>, hash, number| table.find(hash, table.home(hash), |n| n == number);
            for (number, hash) in (0..3).zip([3 << 62, 3 << 62, 1 << 62]) {
                let Found::Vacancy(place) = find(&table, hash, number) else { panic!("{number} was there") };
                assert!(table.enter(place, hash, number, Company::Alone));
                assert_eq!(find(&table, hash, number), Found::Number(number));
            }
            table.move_to(&mut grown, Company::Alone);
            for (number, hash) in (0..3).zip([3 << 62, 3 << 62, 1 << 62]) {
                assert_eq!(find(&grown, hash, number), Found::Number(number));
            }
            assert!(matches!(find(&table, 0, 9), Found::Vacancy(_)));
        });
    }
}
