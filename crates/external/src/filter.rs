//! What was expanded, by some bits of each hash: who is not here was not expanded; who is here probably was.
//!
//! A table with one small number for each state, in memory, open addressing with linear probing (the place is told by the first bits
//! of the hash, the number by the last). Rows come in the order of their hashes, so the table is walked from one end to
//! the other. It grows by being made again from the runs of what was expanded; where it may not grow any more, it is of no use.

use crate::trouble::{Trouble, reserve};

/// Bytes of a number.
const BYTES: usize = 3;
/// The table is full when so many hundredths of it are.
const FULL: usize = 85;
const LEAST: usize = 1 << 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It was certainly not there; now it is.
    Absent,
    /// It was there, or something that looks like it.
    Present,
    /// Nobody knows: there is no room for it.
    Full,
}

#[derive(Debug)]
pub struct Filter {
    numbers: Vec<[u8; BYTES]>,
    used: usize,
    mask: u32,
    /// Everything that was expanded is here.
    is_complete: bool,
    /// Bytes that it may have.
    most: u64,
}

impl Filter {
    /// Numbers have so many bits, up to 24.
    pub fn new(most: u64, bits: u32) -> Self {
        let mask = (1 << bits.clamp(1, 8 * BYTES as u32)) - 1;
        Filter { numbers: Vec::new(), used: 0, mask, is_complete: false, most }
    }

    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    pub fn memory(&self) -> u64 {
        (self.numbers.capacity() * BYTES) as u64
    }

    /// Room for so many states and as many again, twice; false if there is none.
    fn grow(&mut self, states: u64) -> Result<bool, Trouble> {
        let most = (self.most / BYTES as u64) as usize;
        let least = states as usize * 100 / FULL + 1;
        let wanted = (least * 4).max(LEAST).min(most);
        if wanted <= least {
            return Ok(false);
        }
        self.numbers = Vec::new();
        reserve(&mut self.numbers, wanted)?;
        self.numbers.resize(wanted, [0; BYTES]);
        self.used = 0;
        Ok(true)
    }

    /// Makes it again from the hashes of all that was expanded, with room for more. It is complete afterwards, if there is room.
    pub fn rebuild<E: From<Trouble>>(
        &mut self,
        states: u64,
        all: impl FnOnce(&mut dyn FnMut(u64)) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.grow(states)? {
            (self.numbers, self.used, self.most) = (Vec::new(), 0, 0);
            return Ok(());
        }
        let mut fits = true;
        all(&mut |hash| fits &= self.insert(hash) != Presence::Full)?;
        self.is_complete = fits;
        Ok(())
    }

    /// May it still grow?
    pub fn is_hopeless(&self) -> bool {
        self.most == 0
    }

    #[inline]
    pub fn insert(&mut self, hash: u64) -> Presence {
        let places = self.numbers.len();
        if places == 0 {
            self.is_complete = false;
            return Presence::Full;
        }
        let number = (hash as u32 & self.mask).max(1).to_le_bytes();
        let number = [number[0], number[1], number[2]];
        let mut at = ((u128::from(hash) * places as u128) >> 64) as usize;
        loop {
            let known = self.numbers[at];
            if known == number {
                return Presence::Present;
            }
            if known == [0; BYTES] {
                break;
            }
            at = if at + 1 == places { 0 } else { at + 1 };
        }
        if self.used * 100 >= places * FULL {
            self.is_complete = false;
            return Presence::Full;
        }
        self.numbers[at] = number;
        self.used += 1;
        Presence::Absent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;
    use std::collections::HashSet;

    #[test]
    fn nothing_that_was_inserted_is_absent() {
        for (bits, seed) in [(24, 1), (6, 2), (1, 3)] {
            let mut random = Random::new(seed);
            let (mut filter, mut known) = (Filter::new(1 << 20, bits), HashSet::new());
            let mut confused = 0;
            filter.rebuild::<Trouble>(0, |_| Ok(())).unwrap();
            for _ in 0..50_000 {
                let hash = random.draw() >> 40 << 40 | random.draw() & 0xffff;
                let was_known = known.contains(&hash);
                match filter.insert(hash) {
                    Presence::Absent => assert!(!was_known),
                    Presence::Present => confused += u32::from(!was_known),
                    Presence::Full => {
                        assert!(!filter.is_complete());
                        let all: Vec<u64> = known.iter().copied().collect();
                        filter
                            .rebuild::<Trouble>(all.len() as u64, |add| {
                                all.iter().for_each(|hash| add(*hash));
                                Ok(())
                            })
                            .unwrap();
                        if filter.is_hopeless() {
                            break;
                        }
                        assert!(filter.is_complete());
                        filter.insert(hash);
                    }
                }
                known.insert(hash);
            }
            assert!(if bits == 24 { confused < 10 } else { confused > 10 }, "{bits}: {confused}");
        }
    }
}
