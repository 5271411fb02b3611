//! States that were sent not long ago: to send them again would tell their owner nothing.
//!
//! A table with one place for each hash (a direct-mapped cache). States are compared word by word and with their cost, so a state
//! is left out only if its owner was sent the same one at no higher cost: whatever is forgotten is sent again, and nothing is lost.
//!
//! Cost: a comparison for each state; a few megabytes, however large the search is.

use bughound_store::prefetch;

/// The table may take so many bytes: what lies near the processor.
const MOST_BYTES: usize = 2 << 20;

#[derive(Debug)]
pub struct SentStates {
    /// A row: how many words the key and the cover have, with some bits of the hash; the cost; these words. Its length is a power of
    /// two, so that most rows lie in one line of the cache.
    rows: Vec<u32>,
    row: usize,
    places: usize,
}

const HEADER: usize = 2;
/// The words of the key and of the cover are told by so many bits each.
const LENGTH_BITS: u32 = 8;

impl SentStates {
    /// For states of so many words. Without owners elsewhere there is nothing to remember.
    pub fn new(most_words: usize, owners: usize) -> Self {
        let row = (most_words + HEADER).next_power_of_two();
        let places = MOST_BYTES / (row * 4);
        let is_useful = owners > 1 && places > 0 && most_words < 1 << LENGTH_BITS;
        let places = if is_useful { 1 << places.ilog2() } else { 0 };
        SentStates { rows: vec![0; places * row], row, places }
    }

    /// The row of a state will be looked at soon.
    #[inline]
    pub fn fetch(&self, hash: u64) {
        if let Some(first) = self.rows.get((hash as usize & self.places.wrapping_sub(1)) * self.row) {
            prefetch(first);
        }
    }

    /// Notes that a state is sent; true if it need not be. `hash` is one of its key.
    #[inline]
    pub fn is_known(&mut self, hash: u64, packed: &[u32], cover: &[i32], cost: u64) -> bool {
        let Ok(cost) = u32::try_from(cost) else { return false };
        if self.places == 0 {
            return false;
        }
        let at = (hash as usize & (self.places - 1)) * self.row;
        let [tag, known, words @ ..] = &mut self.rows[at..at + self.row] else { return false };
        let lengths = (packed.len() as u32) << LENGTH_BITS | cover.len() as u32;
        let now = (hash >> u32::BITS) as u32 & u32::MAX << (2 * LENGTH_BITS) | lengths;
        let cover: &[u32] = bytemuck::cast_slice(cover);
        let all = || packed.iter().chain(cover);
        // Rows are short: to call a function takes longer than to compare them.
        if *tag == now && words.iter().zip(all()).all(|(known, word)| known == word) {
            if *known <= cost {
                return true;
            }
            *known = cost;
            return false;
        }
        (*tag, *known) = (now, cost);
        words.iter_mut().zip(all()).for_each(|(place, word)| *place = *word);
        false
    }

    pub fn memory(&self) -> u64 {
        self.rows.capacity() as u64 * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;
    use std::collections::HashMap;

    /// Hashes that collide all the time: whatever is left out was sent before at no higher cost.
    #[test]
    fn only_what_was_sent_is_left_out() {
        let mut random = Random::new(7);
        let mut cache = SentStates::new(3, 2);
        let mut sent: HashMap<(Vec<u32>, Vec<i32>), u64> = HashMap::new();
        let (mut spared, mut resent) = (0, 0);
        for _ in 0..50_000 {
            let packed: Vec<u32> = (0..1 + random.below(2)).map(|_| random.below(6) as u32).collect();
            let cover: Vec<i32> = (0..random.below(2)).map(|_| random.below(3) as i32).collect();
            let (cost, hash) = (random.below(9) as u64, u64::from(packed[0] % 3));
            let before = sent.get(&(packed.clone(), cover.clone())).copied();
            if cache.is_known(hash, &packed, &cover, cost) {
                assert!(before.is_some_and(|before| before <= cost), "{packed:?} {cover:?}");
                spared += 1;
            } else {
                resent += u32::from(before.is_some_and(|before| before <= cost));
                let least = before.map_or(cost, |before| before.min(cost));
                sent.insert((packed, cover), least);
            }
        }
        assert!(spared > 1_000 && resent > 1_000, "{spared} {resent}");
        assert!(!SentStates::new(3, 1).is_known(0, &[1], &[], 0) && SentStates::new(3, 1).memory() == 0);
    }
}
