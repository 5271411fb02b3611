//! Packed states that will be inserted soon: announced together, their places in tables are fetched side by side.

/// States that are announced before they are inserted, at most.
pub(crate) const MOST: usize = 8;

/// A queue of packed states with their hashes.
#[derive(Debug)]
pub(crate) struct Ahead {
    words: Box<[u32]>,
    /// Words from one state to the next.
    stride: usize,
    lengths: [usize; MOST],
    hashes: [u64; MOST],
    first: usize,
    count: usize,
}

impl Ahead {
    /// For states of up to so many words.
    pub(crate) fn new(stride: usize) -> Self {
        let words = vec![0; stride * MOST].into();
        Ahead { words, stride, lengths: [0; MOST], hashes: [0; MOST], first: 0, count: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(crate) fn is_full(&self) -> bool {
        self.count == MOST
    }

    /// Adds a state; the queue is not full.
    #[inline]
    pub(crate) fn push(&mut self, state: &[u32], hash: u64) {
        let at = (self.first + self.count) % MOST;
        self.words[at * self.stride..][..state.len()].copy_from_slice(state);
        (self.lengths[at], self.hashes[at]) = (state.len(), hash);
        self.count += 1;
    }

    /// Removes the first state, which stays readable until the next one is added. The queue is not empty.
    #[inline]
    pub(crate) fn take(&mut self) -> Taken {
        let at = self.first;
        self.first = (at + 1) % MOST;
        self.count -= 1;
        Taken { at, hash: self.hashes[at] }
    }

    #[inline]
    pub(crate) fn packed(&self, taken: Taken) -> &[u32] {
        &self.words[taken.at * self.stride..][..self.lengths[taken.at]]
    }

    /// The hashes of all states in the queue.
    pub(crate) fn hashes(&self) -> impl Iterator<Item = u64> + '_ {
        (0..self.count).map(|n| self.hashes[(self.first + n) % MOST])
    }
}

/// A state that was taken from the queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Taken {
    at: usize,
    pub(crate) hash: u64,
}
