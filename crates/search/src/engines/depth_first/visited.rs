//! What a depth-first search remembers of states: the common interface, and a buffer for the states of the path.

use bughound_kernel::{OutOfMemory, State, StateBuf, StateId};

use crate::node_table::Visit;

/// A state that can be read back: a stored one, or one in the buffer of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kept(pub usize);

pub(super) trait Visited {
    /// Keeps a state that was reached; `None` if there is no point in entering it.
    fn meet(&mut self, state: State<'_>, cost: u64) -> Result<Option<Kept>, OutOfMemory>;

    fn read(&self, kept: Kept, into: &mut StateBuf);

    /// The id of the state, if it has one that is its own.
    fn id(&self, _kept: Kept) -> Option<StateId> {
        None
    }

    /// The state goes onto the path; `None` if there is no point in it any more.
    fn enter(&mut self, kept: Kept, cost: u64) -> Result<Option<Visit>, OutOfMemory>;

    /// All successors of the last state of the path are done; it leaves the path.
    fn leave(&mut self) {}

    /// The bound forbids to enter the state, by this value.
    fn note_cut(&mut self, kept: Kept, f: u64) -> Result<(), OutOfMemory>;

    /// The least value cut off, without those of states that were entered after all (as far as can be known).
    fn least_cut(&self) -> Option<u64>;

    /// What is kept so far; see `release`.
    fn mark(&self) -> usize {
        0
    }

    /// States kept after the mark are not read again.
    fn release(&mut self, _mark: usize) {}

    /// Distinct states entered that it remembers (or remembered at once).
    fn stored(&self) -> u64;

    fn displaced(&self) -> u64 {
        0
    }

    /// Bytes used.
    fn memory(&self) -> u64;

    /// So many bytes are held by others now.
    fn leave_room(&mut self, _bytes: u64) {}

    fn is_lossy(&self) -> bool;

    /// Share of an array of bits that is set.
    fn fill(&self) -> Option<f64> {
        None
    }

    /// Forgets everything, for another pass. True if ids keep their meaning.
    fn restart(&mut self) -> bool;
}

/// States one behind the other, dropped from the end: those beside the path.
#[derive(Debug, Default)]
pub(super) struct StateStack {
    words: Vec<i32>,
    /// By state: the end of its key and the end of its cover in `words`.
    ends: Vec<(usize, usize)>,
}

impl StateStack {
    pub(super) fn push(&mut self, state: State<'_>) -> Result<Kept, OutOfMemory> {
        self.words.try_reserve(state.key.len() + state.cover.len()).map_err(|_| OutOfMemory)?;
        self.ends.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.words.extend_from_slice(state.key);
        let key_end = self.words.len();
        self.words.extend_from_slice(state.cover);
        self.ends.push((key_end, self.words.len()));
        Ok(Kept(self.ends.len() - 1))
    }

    pub(super) fn get(&self, kept: Kept) -> State<'_> {
        let start = kept.0.checked_sub(1).map_or(0, |before| self.ends[before].1);
        let (key_end, end) = self.ends[kept.0];
        State { key: &self.words[start..key_end], cover: &self.words[key_end..end] }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.ends.truncate(len);
        self.words.truncate(self.ends.last().map_or(0, |last| last.1));
    }

    pub(super) fn memory(&self) -> u64 {
        (self.words.capacity() * size_of::<i32>() + self.ends.capacity() * size_of::<(usize, usize)>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_any_length_come_back_until_they_are_dropped() {
        let mut stack = StateStack::default();
        let states = [(&[1, 2][..], &[][..]), (&[], &[]), (&[3], &[4, 5])];
        let states = states.map(|(key, cover)| State { key, cover });
        let kept = states.map(|state| stack.push(state).unwrap());
        assert_eq!(kept.map(|kept| stack.get(kept)), states);
        stack.truncate(1);
        assert_eq!((stack.len(), stack.get(kept[0])), (1, states[0]));
        let again = stack.push(states[2]).unwrap();
        assert_eq!((again, stack.get(again)), (Kept(1), states[2]));
        stack.truncate(0);
        assert_eq!(stack.len(), 0);
    }
}
