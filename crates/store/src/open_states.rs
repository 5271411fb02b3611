//! States that wait to be expanded, packed: kept when they are opened, forgotten when they are taken.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use bughound_kernel::OutOfMemory;
use foldhash::fast::FixedState;

#[derive(Debug, Default)]
pub(crate) struct OpenStates {
    by_id: HashMap<u32, Open, FixedState>,
    /// Bytes of all words.
    pub(crate) words: u64,
}

#[derive(Debug)]
struct Open {
    words: Box<[u32]>,
    /// How often it is held.
    times: u32,
}

/// An entry of the map, with the byte that says what is in its place.
const ENTRY: u64 = size_of::<(u32, Open)>() as u64 + 1;
/// Allocators give out multiples of this.
const GRAIN: u64 = 16;

fn bytes_of(words: &[u32]) -> u64 {
    (size_of_val(words) as u64).next_multiple_of(GRAIN)
}

impl OpenStates {
    pub(crate) fn memory(&self) -> u64 {
        // The map is at most seven eighths full.
        self.by_id.capacity() as u64 / 7 * 8 * ENTRY + self.words
    }

    pub(crate) fn get(&self, id: u32) -> &[u32] {
        self.by_id.get(&id).map_or(&[], |open| &open.words)
    }

    /// Keeps a state, once more, if that takes no more than `room` bytes.
    pub(crate) fn hold(&mut self, id: u32, words: &[u32], room: u64) -> Result<(), OutOfMemory> {
        if let Some(open) = self.by_id.get_mut(&id) {
            open.times += 1;
            return Ok(());
        }
        let (len, capacity) = (self.by_id.len() as u64, self.by_id.capacity() as u64);
        // A map that grows is there twice for a moment.
        let growth = if len == capacity { 2 * (capacity + 1) / 7 * 8 * ENTRY } else { 0 };
        if bytes_of(words) + growth > room {
            return Err(OutOfMemory);
        }
        self.by_id.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.by_id.insert(id, Open { words: words.into(), times: 1 });
        self.words += bytes_of(words);
        Ok(())
    }

    /// Forgets a state that was held as often as it was let go.
    pub(crate) fn let_go(&mut self, id: u32) {
        if let Entry::Occupied(mut open) = self.by_id.entry(id) {
            open.get_mut().times -= 1;
            if open.get().times == 0 {
                self.words -= bytes_of(&open.remove().words);
            }
        }
    }
}
