//! Sequences of words, each with a number: a hash set that threads fill together. The core of the stores.

use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering, fence};
use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::{Lookup, OutOfMemory, StateId, delays};

use crate::packed_states::{PackedStates, Writer};
use crate::recent::{self, Recent};
use crate::shared_table::{Company, Found, SharedTable};

/// New sequences that a thread counts for itself before it tells the others.
const COUNTED_AT_ONCE: u64 = 32;

/// Bytes of a table that no cache of a processor holds: not its places, or not on which pages they lie.
const LARGE_TABLE: u64 = 1 << 22;

/// A handle on a set of sequences.
#[derive(Debug)]
pub(crate) struct Numbering {
    set: Arc<Set>,
    /// The newest table that this thread knows of.
    table: Arc<Counted>,
    writer: Writer,
    /// What this thread has met a moment ago, once the table is so large that looking there is to wait.
    recent: Recent,
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
    /// Bytes of all tables that somebody still holds, small and large.
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
        let recent = Recent::new(&tables);
        let newest = Mutex::new(Arc::clone(&table));
        let set = Set { sequences, newest, tables, count: AtomicU64::new(0) };
        Numbering {
            set: Arc::new(set),
            table,
            writer: Writer::default(),
            recent,
            uncounted: 0,
            budget: u64::MAX,
            table_budget: u64::MAX,
        }
    }

    /// A handle for another thread.
    pub(crate) fn fork(&self) -> Self {
        let (set, table) = (Arc::clone(&self.set), Arc::clone(&self.table));
        let Numbering { budget, table_budget, .. } = *self;
        let (writer, recent) = (Writer::default(), Recent::new(&self.set.tables));
        let mut other = Numbering { set, table, writer, recent, uncounted: 0, budget, table_budget };
        other.remember();
        other
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
        if self.recent.get(hash).is_none() {
            self.table.prefetch(hash);
        }
    }

    /// The same for what it will be compared with, when the place was fetched.
    #[inline]
    pub(crate) fn prefetch_words(&self, hash: u64) {
        if self.recent.get(hash).is_none()
            && let Some(number) = self.table.first_with(hash)
        {
            self.set.sequences.prefetch(number);
        }
    }

    /// The number of a sequence with this hash, and whether it is new.
    #[inline]
    pub(crate) fn number(&mut self, hash: u64, words: &[u32]) -> Result<(u32, Novelty), OutOfMemory> {
        if let Some(number) = self.recent.get(hash)
            && self.set.sequences.is(number, words)
        {
            return Ok((number, Novelty::Known));
        }
        let found = match self.look(hash, words, self.table.home(hash)) {
            Found::Number(number) => (number, Novelty::Known),
            found => self.add(hash, words, found)?,
        };
        self.recent.put(hash, found.0);
        Ok(found)
    }

    #[inline]
    fn look(&self, hash: u64, words: &[u32], from: usize) -> Found {
        self.table.find(hash, from, |number| self.set.sequences.is(number, words))
    }

    /// Adds what was not found; or finds it after all, if another thread was faster.
    fn add(&mut self, hash: u64, words: &[u32], mut found: Found) -> Result<(u32, Novelty), OutOfMemory> {
        let company = self.company();
        loop {
            let from = match found {
                Found::Number(number) => return Ok((number, Novelty::Known)),
                Found::Full => {
                    self.grow()?;
                    None
                }
                Found::Frozen => {
                    self.table = Arc::clone(&self.set.newest.lock().unwrap_or_else(PoisonError::into_inner));
                    self.remember();
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
                    } else if self.table.enter(vacancy, hash, number, company) {
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

    /// Remembers what it meets from now on if the table is too large for the caches, and there is room for that.
    fn remember(&mut self) {
        if self.table.memory() >= LARGE_TABLE && self.budget.saturating_sub(self.memory()) >= recent::BYTES {
            self.recent.begin();
        }
    }

    /// Are there other handles? If not, none comes while this one is at work: they are made from handles.
    #[inline]
    fn company(&self) -> Company {
        if Arc::strong_count(&self.set) > 1 {
            return Company::Others;
        }
        // All that was done with handles that were dropped.
        fence(Ordering::Acquire);
        Company::Alone
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
        let company = self.company();
        let mut newest = self.set.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&newest, &self.table) {
            // What a table that grows takes includes itself; others that threads still hold come on top.
            let others = self.set.tables.load(Ordering::Relaxed).saturating_sub(newest.memory());
            let taken = self.set.sequences.memory() + others;
            let room = self.budget.min(self.table_budget).saturating_sub(taken);
            *newest = Counted::new(newest.grow(room, company)?, &self.set.tables);
        }
        self.table = Arc::clone(&newest);
        drop(newest);
        self.remember();
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

    /// As many sequences as make the table large.
    fn large() -> Numbering {
        let mut numbering = Numbering::new(1);
        for number in 0..LARGE_TABLE as u32 / 8 {
            let hash = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            assert_eq!(numbering.number(hash, &[number]), Ok((number, Novelty::New)));
        }
        assert!(numbering.table.memory() >= LARGE_TABLE);
        numbering
    }

    #[test]
    fn sequences_with_one_hash_are_told_apart_also_if_they_were_met_a_moment_ago() {
        let (mut numbering, hash) = (large(), 3 << 40);
        for round in 0..3 {
            for word in [u32::MAX - 1, u32::MAX - 2, u32::MAX - 1, u32::MAX - 3] {
                let (number, novelty) = numbering.number(hash, &[word]).unwrap();
                assert_eq!(numbering.number(hash, &[word]), Ok((number, Novelty::Known)));
                assert_eq!(numbering.words(number, |_| 1), [word]);
                assert!(round == 0 || novelty == Novelty::Known);
                assert_eq!(numbering.recent.get(hash), Some(number));
            }
        }
        assert_eq!(numbering.count(), LARGE_TABLE / 8 + 3);
        // It counts what each handle remembers.
        let before = numbering.memory();
        let other = numbering.fork();
        assert_eq!(numbering.memory(), before + recent::BYTES);
        drop(other);
        assert_eq!(numbering.memory(), before);
    }

    /// A handle that is alone, then has company, then is alone again, while the table grows.
    #[test]
    fn handles_come_and_go() {
        let mut first = Numbering::new(1);
        let hash = |word: u32| u64::from(word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut known = std::collections::HashMap::new();
        for round in 0..8_u32 {
            let words = round * 2_000..round * 2_000 + 4_000;
            assert_eq!(first.company(), Company::Alone);
            if round % 2 == 1 {
                let handles = [first.fork(), first.fork()];
                assert_eq!(first.company(), Company::Others);
                std::thread::scope(|scope| {
                    for mut handle in handles {
                        let words = words.clone();
                        scope.spawn(move || {
                            delays::set(100);
                            words.for_each(|word| assert!(handle.number(hash(word), &[word]).is_ok()));
                        });
                    }
                });
            }
            for word in words {
                let (number, novelty) = first.number(hash(word), &[word]).unwrap();
                let is_new = round % 2 == 0 && !known.contains_key(&word);
                assert_eq!(novelty == Novelty::New, is_new, "{word} in round {round}");
                assert_eq!(*known.entry(word).or_insert(number), number);
                assert_eq!(first.words(number, |_| 1), [word]);
            }
        }
        assert_eq!(first.count(), known.len() as u64);
    }
}
