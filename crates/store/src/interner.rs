//! Typed states with dense numbers: every state is kept once, as it is, and found again by its hash and its equality.

use std::hash::{Hash, Hasher};
use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bughound_kernel::OutOfMemory;

use crate::field_hasher::FieldHasher;
use crate::id_table::IdTable;

/// Chunks grow with the number of values: there are so many of one length, then so many of twice that length. So a chunk is
/// never large beside what there is already, and its list is short.
const CHUNKS_OF_A_LENGTH: u32 = 16;
const SMALLEST: u32 = 64;
/// The first chunks stand where numbers from here on have their leading bit.
const OFFSET: u32 = CHUNKS_OF_A_LENGTH * SMALLEST;
/// Numbers are keys of states, which are positive `i32`s.
const MOST: u32 = i32::MAX as u32;
const CHUNKS: usize = ((u32::BITS - OFFSET.ilog2()) * CHUNKS_OF_A_LENGTH) as usize;

type Chunk<T> = Box<[OnceLock<T>]>;

/// A set of values that are numbered in the order of their arrival, for several threads.
///
/// Reading takes no lock and gives a plain reference. Adding locks the table from hashes to numbers. Values are compared
/// exactly: no fingerprint stands for any of them.
pub struct Interner<T> {
    chunks: Box<[OnceLock<Chunk<T>>]>,
    table: Mutex<Table>,
}

struct Table {
    numbers: IdTable,
    len: u32,
    /// Bytes of the chunks, and what the values say that they hold besides.
    bytes: u64,
    budget: u64,
}

/// Values on their way into a set, and the numbers that they get. Many at once cost less than one by one: what has to be
/// looked up for all of them is read from memory side by side.
pub struct Batch<T> {
    values: Vec<T>,
    hashes: Vec<u64>,
    numbers: Vec<u32>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Batch { values: Vec::new(), hashes: Vec::new(), numbers: Vec::new() }
    }
}

impl<T> Batch<T> {
    #[inline]
    pub fn push(&mut self, value: T) {
        self.values.push(value);
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.numbers.clear();
    }

    /// The numbers of the values, in their order, as far as there was room for them.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }
}

/// In place of a number: no value with this hash is known.
const NONE: u32 = u32::MAX;

/// The chunk of a number, its place there, and the length of the chunk.
#[inline]
fn place(number: u32) -> (usize, usize, u32) {
    let shifted = number + OFFSET;
    let length_bits = shifted.ilog2() - CHUNKS_OF_A_LENGTH.ilog2();
    let lengths_before = length_bits - SMALLEST.ilog2();
    // The leading bit counts for one row of chunks that there is not.
    let chunk = lengths_before * CHUNKS_OF_A_LENGTH + (shifted >> length_bits) - CHUNKS_OF_A_LENGTH;
    let length = 1 << length_bits;
    (chunk as usize, (shifted & (length - 1)) as usize, length)
}

#[inline]
fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = FieldHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

impl<T: Eq + Hash> Interner<T> {
    pub fn new() -> Self {
        let table = Table { numbers: IdTable::new(), len: 0, bytes: 0, budget: u64::MAX };
        Interner {
            chunks: (0..CHUNKS).map(|_| OnceLock::new()).collect(),
            table: Mutex::new(table),
        }
    }

    /// Refuses to grow beyond so many bytes.
    pub fn with_budget(self, bytes: u64) -> Self {
        self.lock().budget = bytes;
        self
    }

    /// The number of a value. `held` tells how many bytes the value holds besides its own size; it is asked about new ones.
    pub fn intern(&self, value: T, held: impl FnOnce(&T) -> u64) -> Result<u32, OutOfMemory> {
        let hash = hash_of(&value);
        self.insert(&mut self.lock(), hash, value, held)
    }

    /// The numbers of all values of a batch, which has no values afterwards.
    pub fn intern_all(&self, batch: &mut Batch<T>, held: impl Fn(&T) -> u64) -> Result<(), OutOfMemory> {
        let Batch { values, hashes, numbers } = batch;
        hashes.clear();
        hashes.extend(values.iter().map(hash_of));
        numbers.clear();
        let mut table = self.lock();
        if table.len == 0 {
            numbers.resize(hashes.len(), NONE);
        } else {
            // Nearly always, what has the same hash is the same value.
            table.numbers.await_all(hashes);
            numbers.extend(hashes.iter().map(|hash| table.numbers.find(*hash, |_| true).unwrap_or(NONE)));
            self.await_all(numbers);
        }
        // Known values are compared where they are: only new ones are worth a move.
        for (value, number) in values.iter().zip(&mut *numbers) {
            if *number != NONE && self.get(*number) != value {
                *number = NONE;
            }
        }
        for (at, (value, hash)) in values.drain(..).zip(&*hashes).enumerate() {
            if numbers[at] == NONE {
                match self.insert(&mut table, *hash, value, &held) {
                    Ok(number) => numbers[at] = number,
                    Err(full) => {
                        numbers.truncate(at);
                        return Err(full);
                    }
                }
            }
        }
        Ok(())
    }

    fn insert(&self, table: &mut Table, hash: u64, value: T, held: impl FnOnce(&T) -> u64) -> Result<u32, OutOfMemory> {
        let room = table.budget.saturating_sub(table.bytes);
        table.numbers.set_budget(room);
        let has_room = table.numbers.reserve();
        if table.len == 0 {
            has_room?;
        }
        // Known values are found even if there is no room for others.
        let vacancy = match table.numbers.find(hash, |number| *self.get(number) == value) {
            Ok(number) => return Ok(number),
            Err(vacancy) => vacancy,
        };
        has_room?;
        let number = table.len;
        let (chunk, at, length) = place(number);
        let mut bytes = held(&value);
        if at == 0 {
            bytes += u64::from(length) * size_of::<OnceLock<T>>() as u64;
        }
        if number >= MOST || bytes + table.numbers.memory() > room {
            return Err(OutOfMemory);
        }
        if at == 0 {
            let mut fresh = Vec::new();
            fresh.try_reserve_exact(length as usize).map_err(|_| OutOfMemory)?;
            fresh.resize_with(length as usize, OnceLock::new);
            let _ = self.chunks[chunk].set(fresh.into());
        }
        let _ = self.chunk(chunk)[at].set(value);
        table.numbers.occupy(vacancy, number);
        table.len += 1;
        table.bytes += bytes;
        Ok(number)
    }

    /// The value with a number that [`intern`](Self::intern) gave.
    #[inline]
    pub fn get(&self, number: u32) -> &T {
        let (chunk, at, _) = place(number);
        self.chunk(chunk)[at].get().expect("numbers are given to values only")
    }

    /// Reads a word of each value, and decides nothing: what is not in the cache is fetched side by side.
    #[inline]
    fn await_all(&self, numbers: &[u32]) {
        let is_there = |number: u32| {
            let (chunk, at, _) = place(if number == NONE { 0 } else { number });
            self.chunk(chunk)[at].get().is_some()
        };
        black_box(numbers.iter().fold(true, |all, number| all & is_there(*number)));
    }

    #[inline]
    fn chunk(&self, chunk: usize) -> &[OnceLock<T>] {
        self.chunks[chunk].get().map_or(&[], |chunk| chunk)
    }

    pub fn len(&self) -> usize {
        self.lock().len as usize
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        let table = self.lock();
        table.bytes + table.numbers.memory() + size_of_val(&*self.chunks) as u64
    }

    /// A comparison that panicked has changed nothing in the table.
    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Eq + Hash> Default for Interner<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_a_place_of_its_own() {
        let (mut chunk, mut at, mut length) = place(0);
        assert_eq!((chunk, at, length), (0, 0, SMALLEST));
        for number in 1..1 << 20 {
            let next = place(number);
            let expected = if at + 1 < length as usize { (chunk, at + 1, length) } else { (chunk + 1, 0, next.2) };
            assert_eq!(next, expected, "{number}");
            (chunk, at, length) = next;
        }
        assert!(place(MOST).0 < CHUNKS);
    }

    #[test]
    fn values_are_numbered_once_and_found_again() {
        let set = Interner::new();
        let word = |n: u32| format!("{}", n % 70_000);
        let numbers: Vec<u32> = (0..200_000).map(|n| set.intern(word(n), |_| 0).unwrap()).collect();
        assert!(numbers.iter().enumerate().all(|(n, number)| *number == n as u32 % 70_000));
        assert!((0..70_000).all(|n| *set.get(n) == word(n)));
        assert_eq!(set.len(), 70_000);
    }

    /// All values have the same hash: only comparing them tells them apart.
    #[test]
    fn equal_hashes_confuse_nothing() {
        #[derive(PartialEq, Eq)]
        struct Same(u32);
        impl Hash for Same {
            fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
        }
        let set = Interner::new();
        for round in 0..2 {
            assert!((0..2000).all(|n| set.intern(Same(n), |_| 0) == Ok(n)), "round {round}");
        }
    }

    #[test]
    fn a_budget_ends_growth_and_what_is_there_is_still_found() {
        let set = Interner::new().with_budget(1 << 20);
        let mut n = 0_u64;
        while set.intern(n, |_| 100).is_ok() {
            n += 1;
        }
        assert!(n > 2000 && set.memory() <= (1 << 20) + (CHUNKS * 32) as u64, "{n} values, {} bytes", set.memory());
        assert!((0..n).all(|known| set.intern(known, |_| 100) == Ok(known as u32)));
        assert_eq!(set.intern(n, |_| 100), Err(OutOfMemory));
        assert_eq!(Interner::new().with_budget(10).intern(1, |_| 0), Err(OutOfMemory));
    }

    #[test]
    fn a_batch_gives_the_numbers_that_its_values_get_one_by_one() {
        let (single, together) = (Interner::new(), Interner::new());
        let mut batch = Batch::default();
        for round in 0..3000_u64 {
            // Some values occur twice in a batch, some were there before.
            let values: Vec<u64> = (0..round % 7).map(|n| (round * 31 + n * n) % 1777).collect();
            let one_by_one: Vec<u32> = values.iter().map(|value| single.intern(*value, |_| 0).unwrap()).collect();
            values.iter().for_each(|value| batch.push(*value));
            together.intern_all(&mut batch, |_| 0).unwrap();
            assert_eq!(batch.numbers(), one_by_one);
        }
        assert_eq!(together.len(), 1777);
        let small = Interner::new().with_budget(50_000);
        (0..10_000).for_each(|value| batch.push(value));
        assert_eq!(small.intern_all(&mut batch, |_| 100), Err(OutOfMemory));
        assert!((100..1000).contains(&batch.numbers().len()), "{}", batch.numbers().len());
        assert!(batch.numbers().iter().enumerate().all(|(n, number)| n as u32 == *number));
    }

    #[test]
    fn threads_agree() {
        let set = Interner::new();
        let seen: Vec<Vec<u32>> = std::thread::scope(|scope| {
            let work = |_| scope.spawn(|| (0..20_000_u32).map(|n| set.intern(n / 2, |_| 0).unwrap()).collect());
            (0..3).map(work).collect::<Vec<_>>().into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(seen.iter().all(|numbers| *numbers == seen[0]));
        assert!(seen[0].iter().enumerate().all(|(n, number)| *set.get(*number) == n as u32 / 2));
    }
}
