//! Typed states with dense numbers: every state is kept once, as it is, and found again by its hash and its equality.

use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use append_only_vec::AppendOnlyVec;
use bughound_kernel::OutOfMemory;

use crate::field_hasher::FieldHasher;
use crate::id_table::{IdTable, Vacancy};

/// Numbers are keys of states, which are positive `i32`s.
const MOST: u32 = i32::MAX as u32;

/// A set of values that are numbered in the order of their arrival, for several threads.
///
/// Reading takes no lock and gives a plain reference. Adding locks the table from hashes to numbers. Values are compared
/// exactly: no fingerprint stands for any of them.
pub struct Interner<T> {
    values: AppendOnlyVec<T>,
    table: Mutex<Table>,
}

struct Table {
    numbers: IdTable,
    len: u32,
    /// Bytes of the values, and what they say that they hold besides.
    bytes: u64,
    budget: u64,
}

/// Values on their way into a set, and the numbers that they get. Many at once cost less than one by one: what has to be
/// looked up for all of them is read from memory side by side.
pub struct Batch<T> {
    /// Known values stay here: only new ones are worth a move.
    values: Vec<Option<T>>,
    hashes: Vec<u64>,
    numbers: Vec<u32>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Batch { values: Vec::new(), hashes: Vec::new(), numbers: Vec::new() }
    }
}

impl<T: Hash> Batch<T> {
    #[inline]
    pub fn push(&mut self, value: T) {
        self.hashes.push(hash_of(&value));
        self.values.push(Some(value));
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.hashes.clear();
        self.numbers.clear();
    }

    /// The numbers of the values, in their order, as far as there was room for them.
    pub fn numbers(&self) -> &[u32] {
        &self.numbers
    }
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
        Interner { values: AppendOnlyVec::new(), table: Mutex::new(table) }
    }

    /// Refuses to grow beyond so many bytes.
    pub fn with_budget(self, bytes: u64) -> Self {
        let mut table = self.lock();
        table.budget = bytes;
        table.numbers.set_budget(bytes);
        drop(table);
        self
    }

    /// The number of a value. `held` tells how many bytes the value holds besides its own size; it is asked about new ones.
    pub fn intern(&self, value: T, held: impl FnOnce(&T) -> u64) -> Result<u32, OutOfMemory> {
        let hash = hash_of(&value);
        let mut table = self.lock();
        table.numbers.reserve_first()?;
        match table.numbers.find(hash, |number| *self.get(number) == value) {
            Ok(number) => Ok(number),
            Err(vacancy) => self.add(&mut table, vacancy, value, held),
        }
    }

    /// The numbers of all values of a batch, which has no values afterwards.
    pub fn intern_all(&self, batch: &mut Batch<T>, held: impl Fn(&T) -> u64) -> Result<(), OutOfMemory> {
        let Batch { values, hashes, numbers } = batch;
        numbers.clear();
        let numbered = self.number_all(values, hashes, numbers, held);
        values.clear();
        hashes.clear();
        numbered
    }

    #[inline]
    fn number_all(
        &self,
        values: &mut [Option<T>],
        hashes: &[u64],
        numbers: &mut Vec<u32>,
        held: impl Fn(&T) -> u64,
    ) -> Result<(), OutOfMemory> {
        let mut table = self.lock();
        table.numbers.reserve_first()?;
        table.numbers.await_all(hashes);
        for (place, hash) in values.iter_mut().zip(hashes) {
            let Some(value) = place else { continue };
            let number = match table.numbers.find(*hash, |number| *self.get(number) == *value) {
                Ok(number) => number,
                Err(vacancy) => {
                    let Some(value) = place.take() else { continue };
                    self.add(&mut table, vacancy, value, &held)?
                }
            };
            numbers.push(number);
        }
        Ok(())
    }

    /// Known values are found even if there is no room for others.
    fn add(
        &self,
        table: &mut Table,
        vacancy: Vacancy,
        value: T,
        held: impl FnOnce(&T) -> u64,
    ) -> Result<u32, OutOfMemory> {
        let room = table.budget.saturating_sub(table.bytes);
        table.numbers.set_budget(room);
        let vacancy = table.numbers.reserve_for(vacancy)?;
        let bytes = size_of::<T>() as u64 + held(&value);
        if table.len >= MOST || bytes + table.numbers.memory() > room {
            return Err(OutOfMemory);
        }
        if table.len.is_power_of_two() {
            // The list of values ends the program if there is no memory. It doubles soon: is there room for that?
            Vec::<T>::new().try_reserve_exact(2 * table.len as usize).map_err(|_| OutOfMemory)?;
        }
        let number = self.values.push(value) as u32;
        table.numbers.occupy(vacancy, number);
        table.len += 1;
        table.bytes += bytes;
        Ok(number)
    }

    /// The value with a number that [`intern`](Self::intern) gave.
    #[inline]
    pub fn get(&self, number: u32) -> &T {
        &self.values[number as usize]
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        let table = self.lock();
        table.bytes + table.numbers.memory()
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
        assert!(n > 2000 && set.memory() <= 1 << 20, "{n} values, {} bytes", set.memory());
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
