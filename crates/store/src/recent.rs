//! What was met a moment ago.
//!
//! Where two processes can each make a step, both orders lead to the same state, and a search in the order of costs takes both ways
//! soon one after the other: a state that is met again was often met a moment ago. To look for it in a large table is to wait
//! for memory. So the numbers that were met last are kept by their hashes in a small table that stays in the processor's
//! cache: of all hashes with the same place, the last one.
//!
//! It only says which number it may be: two hashes may agree in all bits that are compared.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// 2^BITS places of 8 bytes: what fits the second cache of a processor, with room for other things. A quarter as many were as
/// good for all states of `petersonN` with N = 4, four times as many were worse.
const BITS: u32 = 14;
pub(crate) const BYTES: u64 = (size_of::<u64>() as u64) << BITS;
/// The part of an entry that holds a number plus one. Above it are the upper bits of the hash; the lower ones give the place.
const NUMBER: u64 = u32::MAX as u64;

/// Of one thread. Without places until it [begins](Recent::begin).
#[derive(Debug)]
pub(crate) struct Recent {
    places: Box<[u64]>,
    /// Where its bytes are counted.
    bytes: Arc<AtomicU64>,
}

fn place(hash: u64) -> usize {
    hash as usize & ((1 << BITS) - 1)
}

impl Recent {
    pub(crate) fn new(bytes: &Arc<AtomicU64>) -> Self {
        Recent { places: Box::default(), bytes: Arc::clone(bytes) }
    }

    /// From now on, it remembers; unless there is no memory for that.
    pub(crate) fn begin(&mut self) {
        if self.places.is_empty()
            && let Ok(places) = bytemuck::allocation::try_zeroed_slice_box(1 << BITS)
        {
            self.places = places;
            self.bytes.fetch_add(BYTES, Ordering::Relaxed);
        }
    }

    /// The number that was met last with such a hash.
    #[inline]
    pub(crate) fn get(&self, hash: u64) -> Option<u32> {
        let entry = *self.places.get(place(hash))?;
        (entry != 0 && (entry ^ hash) & !NUMBER == 0).then(|| (entry & NUMBER) as u32 - 1)
    }

    #[inline]
    pub(crate) fn put(&mut self, hash: u64, number: u32) {
        if let Some(entry) = self.places.get_mut(place(hash)) {
            *entry = (hash & !NUMBER) | (u64::from(number) + 1);
        }
    }
}

impl Drop for Recent {
    fn drop(&mut self) {
        self.bytes.fetch_sub(size_of_val(&*self.places) as u64, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;
    use std::collections::HashMap;

    #[test]
    fn what_it_says_was_the_last_number_with_this_hash() {
        let bytes = Arc::default();
        let mut recent = Recent::new(&bytes);
        recent.put(7, 1);
        assert_eq!((recent.get(7), bytes.load(Ordering::Relaxed)), (None, 0));
        recent.begin();
        recent.begin();
        assert_eq!((recent.get(7), recent.get(0), bytes.load(Ordering::Relaxed)), (None, None, BYTES));
        let (mut random, mut last, mut met) = (Random::new(3), HashMap::new(), 0);
        for number in 0..100_000 {
            // Few places, and different hashes for each.
            let hash = (random.below(9) as u64) << 32 | random.below(500) as u64;
            let said = recent.get(hash);
            assert!(said.is_none() || said == last.get(&hash).copied());
            met += u32::from(said.is_some());
            let number = number % 3 * (u32::MAX / 2 - 1);
            recent.put(hash, number);
            assert_eq!(recent.get(hash), Some(number));
            last.insert(hash, number);
        }
        assert!(met > 5_000 && met < 50_000, "{met}");
        drop(recent);
        assert_eq!(bytes.load(Ordering::Relaxed), 0);
    }
}
