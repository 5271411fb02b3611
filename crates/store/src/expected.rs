//! States that will be inserted in a moment.
//!
//! To look for a state in a large table is to wait for memory twice: for its place in the table, and for the state that is there.
//! So a state is packed and hashed when it is found, its place is fetched; when some more were found, the state there is fetched;
//! and when it is its turn, all of it is in the cache.

use bughound_kernel::MOST_EXPECTED;

/// Packed states with their hashes, first come, first served.
#[derive(Debug)]
pub(crate) struct Expected {
    /// Room for the words of one state.
    row: usize,
    words: Box<[u32]>,
    /// Of each row: the hash of its state and how many words it has.
    heads: [(u64, usize); MOST_EXPECTED],
    /// All that ever were taken out, and that ever came in.
    taken: usize,
    added: usize,
}

impl Expected {
    pub(crate) fn new(max_words: usize) -> Self {
        let words = vec![0; max_words * MOST_EXPECTED].into();
        Expected { row: max_words, words, heads: [(0, 0); MOST_EXPECTED], taken: 0, added: 0 }
    }

    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.added - self.taken < MOST_EXPECTED
    }

    /// Adds what `pack` writes; it tells the hash and the number of words.
    #[inline]
    pub(crate) fn add(&mut self, pack: impl FnOnce(&mut [u32]) -> (u64, usize)) -> u64 {
        let at = self.added % MOST_EXPECTED;
        let head = pack(&mut self.words[at * self.row..(at + 1) * self.row]);
        self.heads[at] = head;
        self.added += 1;
        head.0
    }

    /// The hash of the one that came in so long ago, if it is still there.
    #[inline]
    pub(crate) fn before(&self, others: usize) -> Option<u64> {
        let at = self.added.wrapping_sub(others + 1);
        (at.wrapping_sub(self.taken) < MOST_EXPECTED).then(|| self.heads[at % MOST_EXPECTED].0)
    }

    /// The one that came in first, with its hash.
    #[inline]
    pub(crate) fn first(&self) -> Option<(u64, &[u32])> {
        if self.taken == self.added {
            return None;
        }
        let at = self.taken % MOST_EXPECTED;
        let (hash, length) = self.heads[at];
        Some((hash, &self.words[at * self.row..][..length]))
    }

    #[inline]
    pub(crate) fn take_first(&mut self) {
        self.taken += 1;
    }
}
