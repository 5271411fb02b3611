//! States as rows of words, in the order in which they lie in runs.
//!
//! A row is a packed key ([`Packer`]) with the cover behind it, if there is one. Rows are ordered by a hash of the key, then by
//! the key: whatever the states look like, they are spread evenly, so the place of a key in a run can be told from its hash, and
//! any range of hashes is a fair share of the work.

use std::cmp::Ordering;

use bughound_kernel::{Layout, State, StateBuf};
use bughound_store::Packer;

/// A state, and what is known of the path to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// Of the key.
    pub hash: u64,
    pub cost: u64,
    pub from: From,
    /// The key's words, then those of the cover.
    pub words: &'a [u32],
    /// How many of them are the key's.
    pub key: usize,
}

/// Where a state came from: an initial state came from nowhere, others from a state whose hash begins with these bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct From(u32);

const HINT_BITS: u32 = 16;
const NOWHERE: u32 = 1 << HINT_BITS;

impl From {
    pub const NOWHERE: From = From(NOWHERE);

    pub fn state(hash: u64) -> Self {
        From((hash >> (u64::BITS - HINT_BITS)) as u32)
    }

    /// The hashes that the state has which it came from; `None`: it is an initial one.
    pub fn hashes(self) -> Option<std::ops::RangeInclusive<u64>> {
        let shift = u64::BITS - HINT_BITS;
        let first = u64::from(self.0) << shift;
        (self.0 < NOWHERE).then(|| first..=first | ((1 << shift) - 1))
    }

    pub(crate) fn code(self) -> u32 {
        self.0
    }

    pub(crate) fn from_code(code: u32) -> Option<Self> {
        (code <= NOWHERE).then_some(From(code))
    }
}

impl<'a> Row<'a> {
    pub fn key(&self) -> &'a [u32] {
        &self.words[..self.key]
    }

    pub fn cover(&self) -> &'a [u32] {
        &self.words[self.key..]
    }

    pub fn order(&self) -> (u64, &'a [u32]) {
        (self.hash, self.key())
    }

    /// By key only.
    #[inline]
    pub fn compare(&self, other: &Row<'_>) -> Ordering {
        self.hash.cmp(&other.hash).then_with(|| self.key().cmp(other.key()))
    }
}

/// How the states of a system become rows.
#[derive(Clone, Debug)]
pub struct Shape {
    packer: Packer,
    cover_len: usize,
}

impl Shape {
    pub fn new(layout: &Layout) -> Self {
        Shape { packer: Packer::new(layout), cover_len: layout.cover_len }
    }

    pub fn has_covers(&self) -> bool {
        self.cover_len > 0
    }

    /// Words of the longest row.
    pub fn longest(&self) -> usize {
        self.packer.max_words() + self.cover_len
    }

    /// How many of the words of a row are its key's; `None` if they are no row.
    #[inline]
    pub fn key_words(&self, words: &[u32]) -> Option<usize> {
        let used = self.packer.words_within(words)?;
        (used + self.cover_len <= words.len()).then_some(used)
    }

    /// Words of the key, and of the whole row, at the front of words that were packed.
    #[inline]
    pub fn lengths(&self, words: &[u32]) -> (usize, usize) {
        let key = self.packer.words_of(words);
        (key, key + self.cover_len)
    }

    pub(crate) fn cover_len(&self) -> usize {
        self.cover_len
    }

    /// Writes a state as words; how many of them are the key's. `into` is as long as the [longest](Self::longest) row.
    #[inline]
    pub fn pack(&self, state: State<'_>, into: &mut [u32]) -> (usize, usize) {
        let key = self.packer.pack(state.key, into);
        let cover = &mut into[key..key + self.cover_len];
        for (word, value) in cover.iter_mut().zip(state.cover) {
            *word = *value as u32;
        }
        (key, key + self.cover_len)
    }

    pub fn unpack_key(&self, row: &Row<'_>, into: &mut Vec<i32>) {
        self.packer.unpack(row.words, into);
    }

    /// For a state without a cover.
    #[inline]
    pub fn unpack_words(&self, words: &[u32], into: &mut StateBuf) {
        self.packer.unpack(words, &mut into.key);
        into.cover.clear();
    }

    #[inline]
    pub fn unpack(&self, row: &Row<'_>, into: &mut StateBuf) {
        self.packer.unpack(row.words, &mut into.key);
        into.cover.clear();
        into.cover.extend(row.cover().iter().map(|word| *word as i32));
    }
}

/// The hash by which rows are ordered. Files may outlive a process: it must never change.
#[inline]
pub fn hash(key: &[u32]) -> u64 {
    const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
    const SECOND: u64 = 0xd6e8_feb8_6659_fd93;
    let fold = |a: u64, b: u64| {
        let product = u128::from(a) * u128::from(b);
        product as u64 ^ (product >> 64) as u64
    };
    let mut hash = FIRST ^ key.len() as u64;
    let (pairs, rest) = key.as_chunks::<2>();
    for [low, high] in pairs {
        let pair = u64::from(*low) | u64::from(*high) << 32;
        hash = fold(hash ^ pair, SECOND).rotate_left(23).wrapping_add(FIRST);
    }
    if let [last] = rest {
        hash = fold(hash ^ u64::from(*last), SECOND).rotate_left(23).wrapping_add(FIRST);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(SECOND);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(FIRST);
    hash ^ hash >> 32
}
