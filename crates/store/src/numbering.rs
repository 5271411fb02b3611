//! Sequences of words, each with a number: a hash set that threads fill together. The core of the stores.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::{Lookup, OutOfMemory, StateId, delays};

use crate::packed_states::{PackedStates, Writer};
use crate::shared_table::{Found, SharedTable};

/// New sequences that a thread counts for itself before it tells the others.
const COUNTED_AT_ONCE: u64 = 32;

/// A handle on a set of sequences.
#[derive(Debug)]
pub(crate) struct Numbering {
    set: Arc<Set>,
    /// The newest table that this thread knows of.
    table: Arc<Counted>,
    writer: Writer,
    /// New sequences that the others do not know of.
    uncounted: u64,
    budget: u64,
    /// The table does not grow if all of it would take more than this.
    table_budget: u64,
}

/// What the handles share.
#[derive(Debug)]
struct Set {
    sequences: PackedStates,
    /// The table that counts; locked while it is exchanged for a larger one.
    newest: Mutex<Arc<Counted>>,
    /// Bytes of all tables that somebody still holds.
    tables: Arc<AtomicU64>,
    count: AtomicU64,
}

impl Set {
    fn memory(&self) -> u64 {
        self.sequences.memory() + self.tables.load(Ordering::Relaxed)
    }
}

/// A table whose bytes are counted for as long as some thread holds it.
#[derive(Debug)]
struct Counted {
    table: SharedTable,
    all: Arc<AtomicU64>,
}

impl Counted {
    fn new(table: SharedTable, all: &Arc<AtomicU64>) -> Arc<Self> {
        all.fetch_add(table.memory(), Ordering::Relaxed);
        Arc::new(Counted { table, all: Arc::clone(all) })
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.all.fetch_sub(self.table.memory(), Ordering::Relaxed);
    }
}

impl Deref for Counted {
    type Target = SharedTable;

    fn deref(&self) -> &SharedTable {
        &self.table
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Novelty {
    New,
    Known,
}

impl Novelty {
    #[inline]
    pub(crate) fn lookup(self, id: StateId) -> Lookup {
        match self {
            Novelty::New => Lookup::New(id),
            Novelty::Known => Lookup::Known(id),
        }
    }
}

impl Numbering {
    /// `max_words`: the longest sequence.
    pub(crate) fn new(max_words: usize) -> Self {
        Self::of(PackedStates::new(max_words))
    }

    /// The same with so few numbers, or hardly more.
    pub(crate) fn limited(max_words: usize, most: u32) -> Self {
        Self::of(PackedStates::limited(max_words, most))
    }

    fn of(sequences: PackedStates) -> Self {
        let tables = Arc::default();
        let table = Counted::new(SharedTable::new(), &tables);
        let newest = Mutex::new(Arc::clone(&table));
        let set = Set { sequences, newest, tables, count: AtomicU64::new(0) };
        Numbering {
            set: Arc::new(set),
            table,
            writer: Writer::default(),
            uncounted: 0,
            budget: u64::MAX,
            table_budget: u64::MAX,
        }
    }

    /// A handle for another thread.
    pub(crate) fn fork(&self) -> Self {
        let (set, table) = (Arc::clone(&self.set), Arc::clone(&self.table));
        let Numbering { budget, table_budget, .. } = *self;
        Numbering { set, table, writer: Writer::default(), uncounted: 0, budget, table_budget }
    }

    /// Refuses to grow beyond `bytes`, *before* the memory is taken. Limits that are checked now and then come too late
    /// for a hash table that doubles.
    pub(crate) fn set_budget(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    /// Rather fills its table to the brim than to take more than `bytes` for a larger one.
    pub(crate) fn set_table_budget(&mut self, bytes: u64) {
        self.table_budget = bytes;
    }

    /// Numbers that this handle has taken and not used so far.
    pub(crate) fn unused(&self) -> Range<u32> {
        self.writer.unused()
    }

    /// All numbers are below this.
    pub(crate) fn end(&self) -> u32 {
        self.set.sequences.end()
    }

    pub(crate) fn count(&self) -> u64 {
        self.set.count.load(Ordering::Relaxed) + self.uncounted
    }

    pub(crate) fn memory(&self) -> u64 {
        self.set.memory()
    }

    /// The words of a sequence. `length` tells from the first one how many there are.
    #[inline]
    pub(crate) fn words(&self, number: u32, length: impl Fn(u32) -> usize) -> &[u32] {
        self.set.sequences.words(number, length)
    }

    /// A sequence with this hash will be looked for in a moment: has its place in the table fetched.
    #[inline]
    pub(crate) fn prefetch_place(&self, hash: u64) {
        self.table.prefetch(hash);
    }

    /// The same for what it will be compared with, when the place was fetched.
    #[inline]
    pub(crate) fn prefetch_words(&self, hash: u64) {
        if let Some(number) = self.table.first_with(hash) {
            self.set.sequences.prefetch(number);
        }
    }

    /// The number of a sequence with this hash, and whether it is new.
    #[inline]
    pub(crate) fn number(&mut self, hash: u64, words: &[u32]) -> Result<(u32, Novelty), OutOfMemory> {
        match self.look(hash, words, self.table.home(hash)) {
            Found::Number(number) => Ok((number, Novelty::Known)),
            found => self.add(hash, words, found),
        }
    }

    #[inline]
    fn look(&self, hash: u64, words: &[u32], from: usize) -> Found {
        self.table.find(hash, from, |number| self.set.sequences.is(number, words))
    }

    /// Adds what was not found; or finds it after all, if another thread was faster.
    fn add(&mut self, hash: u64, words: &[u32], mut found: Found) -> Result<(u32, Novelty), OutOfMemory> {
        loop {
            let from = match found {
                Found::Number(number) => return Ok((number, Novelty::Known)),
                Found::Full => {
                    self.grow()?;
                    None
                }
                Found::Frozen => {
                    self.table = Arc::clone(&self.set.newest.lock().unwrap_or_else(PoisonError::into_inner));
                    None
                }
                Found::Vacancy(_) if self.table.is_crowded(self.count()) && self.has_grown()? => None,
                Found::Vacancy(vacancy) => {
                    let Numbering { set, writer, budget, .. } = self;
                    let room = || budget.saturating_sub(set.memory());
                    let number = set.sequences.write(writer, words, room)?;
                    delays::here();
                    if !self.table.has_room_for(number) {
                        self.grow()?;
                        None
                    } else if self.table.enter(vacancy, hash, number) {
                        self.writer.keep();
                        self.uncounted += 1;
                        if self.uncounted == COUNTED_AT_ONCE {
                            self.tell_count();
                        }
                        return Ok((number, Novelty::New));
                    } else {
                        // Somebody was faster: perhaps with this very sequence.
                        Some(vacancy)
                    }
                }
            };
            found = self.look(hash, words, from.unwrap_or_else(|| self.table.home(hash)));
        }
    }

    /// Has the crowded table given way to a larger one? If the memory for that is missing, it is used until it is full.
    #[cold]
    fn has_grown(&mut self) -> Result<bool, OutOfMemory> {
        match self.grow() {
            Err(OutOfMemory) if !self.table.is_full(self.count()) => Ok(false),
            grown => grown.map(|()| true),
        }
    }

    /// Exchanges the table for a larger one, unless another thread has done so.
    #[cold]
    fn grow(&mut self) -> Result<(), OutOfMemory> {
        let mut newest = self.set.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&newest, &self.table) {
            // What a table that grows takes includes itself; others that threads still hold come on top.
            let others = self.set.tables.load(Ordering::Relaxed).saturating_sub(newest.memory());
            let taken = self.set.sequences.memory() + others;
            *newest =
                Counted::new(newest.grow(self.budget.min(self.table_budget).saturating_sub(taken))?, &self.set.tables);
        }
        self.table = Arc::clone(&newest);
        Ok(())
    }

    /// Has the others know of all sequences that this handle has added.
    pub(crate) fn tell_count(&mut self) {
        self.set.count.fetch_add(std::mem::take(&mut self.uncounted), Ordering::Relaxed);
    }
}

impl Drop for Numbering {
    fn drop(&mut self) {
        self.tell_count();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_handle_knows_what_all_of_it_takes() {
        let first = Numbering::new(1);
        let mut other = first.fork();
        for number in 0..10_000_u32 {
            let hash = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert_eq!(other.number(hash, &[number]).map(|(_, novelty)| novelty), Ok(Novelty::New));
        }
        // At least 8 bytes for an entry of the table and 4 for the word.
        assert!(first.memory() >= 10_000 * 12 && first.memory() == other.memory(), "{}", first.memory());
    }
}
