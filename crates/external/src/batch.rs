//! States of one bucket that were generated and wait in memory, in no order.
//!
//! They lie in parts by the first bits of their hashes, so that sorting, and walking through what is sorted, touches a little
//! memory at a time. What was added lately is found again at once and not added twice; other duplicates vanish in sorting.

use crate::row::{From, Row, Shape};
use crate::trouble::{Trouble, reserve};

const PART_BITS: u32 = 5;
const PARTS: usize = 1 << PART_BITS;
/// Slots of the table of what was added lately: as much as a fast cache holds.
const MOST_RECENT: usize = 1 << 16;
const LEAST_RECENT: usize = 1 << 6;
/// The bits of a hash by which a state of that table is told from others, before it is looked at.
const HALF: u64 = (u32::MAX as u64) << 32;

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    at: u32,
}

#[derive(Debug, Default)]
struct Part {
    /// Where a state came from, then its words.
    words: Vec<u32>,
    entries: Vec<Entry>,
}

#[derive(Debug)]
pub struct Batch {
    parts: Box<[Part]>,
    /// By hash: half of the hash and the place of a state in its part plus one; 0 for none.
    recent: Vec<u64>,
    rows: usize,
    memory: u64,
    lead: Lead,
}

/// What lies before the words of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Lead {
    /// Where it came from.
    #[default]
    Origin = 1,
    /// The same, and its cost in two words.
    OriginAndCost = 3,
}

impl Default for Batch {
    fn default() -> Self {
        let parts = (0..PARTS).map(|_| Part::default()).collect();
        Batch { parts, recent: Vec::new(), rows: 0, memory: (PARTS * size_of::<Part>()) as u64, lead: Lead::Origin }
    }
}

impl Part {
    fn memory(&self) -> u64 {
        (self.words.capacity() * size_of::<u32>() + self.entries.capacity() * size_of::<Entry>()) as u64
    }

    #[inline]
    fn row(&self, entry: Entry, cost: u64, lead: Lead, shape: &Shape) -> Row<'_> {
        let before = &self.words[entry.at as usize..];
        let from = From::from_code(before[0]).unwrap_or(From::NOWHERE);
        let cost = match lead {
            Lead::Origin => cost,
            Lead::OriginAndCost => u64::from(before[1]) | u64::from(before[2]) << 32,
        };
        let words = &before[lead as usize..];
        let (key, all) = shape.lengths(words);
        Row { hash: entry.hash, cost, from, words: &words[..all], key }
    }

    /// In order, each once.
    fn sort(&mut self, lead: Lead, shape: &Shape) {
        let mut entries = std::mem::take(&mut self.entries);
        entries.sort_unstable_by_key(|entry| entry.hash);
        let words = |entry: &Entry| self.row(*entry, 0, lead, shape).words;
        for same in entries.chunk_by_mut(|a, b| a.hash == b.hash) {
            if same.len() > 1 {
                same.sort_unstable_by(|a, b| words(a).cmp(words(b)));
            }
        }
        entries.dedup_by(|a, b| a.hash == b.hash && words(a) == words(b));
        self.entries = entries;
    }
}

impl Batch {
    /// One whose states have costs of their own. Each state is pushed once.
    pub fn with_costs() -> Self {
        Batch { lead: Lead::OriginAndCost, ..Batch::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn memory(&self) -> u64 {
        self.memory
    }

    /// Adds a state unless it was added lately. True if it was added.
    #[inline]
    pub fn push(&mut self, hash: u64, from: From, words: &[u32], shape: &Shape) -> Result<bool, Trouble> {
        let part = &mut self.parts[(hash >> (u64::BITS - PART_BITS)) as usize];
        if self.rows >= self.recent.len() && self.recent.len() < MOST_RECENT {
            let before = self.recent.len();
            let wanted = (before * 4).clamp(LEAST_RECENT, MOST_RECENT);
            self.recent.clear();
            reserve(&mut self.recent, wanted)?;
            self.recent.resize(wanted, 0);
            self.memory += ((wanted - before) * size_of::<u64>()) as u64;
        }
        let slot = (hash >> 8) as usize & (self.recent.len() - 1);
        let known = self.recent[slot];
        let half = hash & HALF;
        if known & HALF == half && known as u32 != 0 {
            let at = known as u32 as usize;
            // Whatever lies there in this part is compared.
            if part.words.get(at..at + words.len()) == Some(words) && shape.lengths(words).1 == words.len() {
                return Ok(false);
            }
        }
        let at = u32::try_from(part.words.len()).map_err(|_| Trouble::Memory)?;
        let before = part.memory();
        reserve(&mut part.words, words.len() + 1)?;
        part.words.push(from.code());
        part.words.extend_from_slice(words);
        reserve(&mut part.entries, 1)?;
        part.entries.push(Entry { hash, at });
        self.memory += part.memory() - before;
        self.recent[slot] = half | u64::from(at.wrapping_add(1));
        self.rows += 1;
        Ok(true)
    }

    /// Adds a state with its cost, to a batch [with costs](Self::with_costs).
    pub fn push_at_cost(&mut self, row: &Row<'_>) -> Result<(), Trouble> {
        let part = &mut self.parts[(row.hash >> (u64::BITS - PART_BITS)) as usize];
        let at = u32::try_from(part.words.len()).map_err(|_| Trouble::Memory)?;
        let before = part.memory();
        reserve(&mut part.words, row.words.len() + Lead::OriginAndCost as usize)?;
        part.words.extend_from_slice(&[row.from.code(), row.cost as u32, (row.cost >> 32) as u32]);
        part.words.extend_from_slice(row.words);
        reserve(&mut part.entries, 1)?;
        part.entries.push(Entry { hash: row.hash, at });
        self.memory += part.memory() - before;
        self.rows += 1;
        Ok(())
    }

    /// What is in it, in order; all have this cost.
    pub fn sorted(mut self, cost: u64, shape: &Shape) -> Sorted {
        self.recent = Vec::new();
        let mut sorted = Sorted { parts: self.parts, part: 0, at: 0, cost, lead: self.lead, is_sorted: false };
        sorted.settle(shape);
        sorted
    }
}

/// A batch in order. It stands at a row, or at the end; parts are sorted when their turn comes, and gone when it is over.
#[derive(Debug)]
pub struct Sorted {
    parts: Box<[Part]>,
    part: usize,
    at: usize,
    cost: u64,
    lead: Lead,
    is_sorted: bool,
}

impl Sorted {
    #[inline]
    pub fn row(&self, shape: &Shape) -> Option<Row<'_>> {
        let part = self.parts.get(self.part)?;
        Some(part.row(*part.entries.get(self.at)?, self.cost, self.lead, shape))
    }

    #[inline]
    pub fn step(&mut self, shape: &Shape) {
        self.at += 1;
        if self.parts.get(self.part).is_some_and(|part| self.at >= part.entries.len()) {
            self.settle(shape);
        }
    }

    fn settle(&mut self, shape: &Shape) {
        while let Some(part) = self.parts.get_mut(self.part) {
            if !self.is_sorted {
                part.sort(self.lead, shape);
                self.is_sorted = true;
            }
            if self.at < part.entries.len() {
                return;
            }
            *part = Part::default();
            (self.part, self.at, self.is_sorted) = (self.part + 1, 0, false);
        }
    }

    pub fn memory(&self) -> u64 {
        self.parts.iter().map(Part::memory).sum()
    }
}
