//! A minimal perfect hash function: numbers the states of a set 0, 1, 2 and so on, in about 3.1 bits for each.
//!
//! Paper: Limasset, Rizk, Chikhi, Peterlongo 2017, "Fast and scalable minimal perfect hashing for massive key sets" (BBHash).
//!
//! A level is a row of bits, one and a half for each key. Every key has a place there; where a single key has its place, the bit
//! is set, and the others go on to the next level. The number of a key is the number of set bits before its own. It is asked
//! about keys of the set only: others get some number, or none. The search that asks has to see to that.
//!
//! Keys are hashes that come in order, as states lie on disk. So they can be taken some ten thousand at a time, and no more of
//! them has to be in memory than that. Two states may have the same hash (of 200 million states, once in a thousand times): then
//! these states are kept as they are, and numbered after all others.
//!
//! Cost: two reads of memory for a number, on average; time to build: about three passes over keys that lie in the cache.

use crate::trouble::{Trouble, reserve};

/// Bits for each key of a level, times ten. More bits: fewer levels to look at.
const BITS_FOR_TEN: usize = 15;
/// A part has about as many keys.
const KEYS_OF_PART: u64 = 1 << 15;
/// Keys that have no place of their own on any of so many levels are listed.
const LEVELS: usize = 20;

/// Bits are in blocks as large as a line of the cache: the number of set bits before the block, then bits.
const BLOCK: usize = 8;
const COUNT_BITS: usize = 32;
const BITS_OF_BLOCK: usize = BLOCK * 64 - COUNT_BITS;

/// What a number is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'a> {
    pub hash: u64,
    /// What has the hash. Of the same words.
    pub words: &'a [u32],
}

#[derive(Debug)]
pub struct PerfectHash {
    parts: Vec<Part>,
    /// The first bits of a hash say which part it is in.
    shift: u32,
    len: u64,
    /// Keys whose hashes others have, too, with their numbers, by hash.
    twins: Vec<(u64, Box<[u32]>, u64)>,
}

#[derive(Debug, Default)]
struct Part {
    /// How many keys are in the parts before.
    before: u64,
    blocks: Vec<[u64; BLOCK]>,
    /// By level: its first block; then their number.
    levels: [u32; LEVELS + 1],
    /// Hashes without a place, in order, and how many have one.
    rest: Vec<u64>,
    placed: u32,
}

/// Where a key is on a level of so many blocks.
#[inline]
fn place(hash: u64, level: usize, blocks: u32) -> usize {
    // The first bits are the same in all of a part.
    let mixed = (hash ^ (level as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let bits = u64::from(blocks) * BITS_OF_BLOCK as u64;
    ((u128::from(mixed ^ mixed >> 29) * u128::from(bits)) >> 64) as usize
}

/// The block, and the word and bit in it.
#[inline]
fn split(place: usize) -> (usize, usize, u64) {
    let bit = place % BITS_OF_BLOCK + COUNT_BITS;
    (place / BITS_OF_BLOCK, bit / 64, 1 << (bit % 64))
}

impl Part {
    /// `keys` are in order, and different. They are used up.
    fn build(keys: &mut Vec<u64>, before: u64, scratch: &mut Vec<[u64; BLOCK]>) -> Result<Self, Trouble> {
        let mut part = Part { before, ..Part::default() };
        for level in 0..LEVELS {
            let first = part.blocks.len();
            part.levels[level] = first as u32;
            if keys.is_empty() {
                continue;
            }
            let blocks = (keys.len() * BITS_FOR_TEN / 10).div_ceil(BITS_OF_BLOCK);
            reserve(&mut part.blocks, blocks)?;
            part.blocks.resize(first + blocks, [0; BLOCK]);
            scratch.clear();
            reserve(scratch, blocks)?;
            scratch.resize(blocks, [0; BLOCK]);
            let (once, twice) = (&mut part.blocks[first..], &mut *scratch);
            for key in &*keys {
                let (block, word, bit) = split(place(*key, level, blocks as u32));
                twice[block][word] |= once[block][word] & bit;
                once[block][word] |= bit;
            }
            for (once, twice) in once.iter_mut().zip(&*twice) {
                for (once, twice) in once.iter_mut().zip(twice) {
                    *once &= !twice;
                }
            }
            keys.retain(|key| {
                let (block, word, bit) = split(place(*key, level, blocks as u32));
                once[block][word] & bit == 0
            });
        }
        part.levels[LEVELS] = part.blocks.len() as u32;
        let mut set = 0;
        for block in &mut part.blocks {
            let here: u32 = block.iter().map(|word| word.count_ones()).sum();
            block[0] |= u64::from(set);
            set += here;
        }
        part.placed = set;
        part.blocks.shrink_to_fit();
        reserve(&mut part.rest, keys.len())?;
        part.rest.append(keys);
        Ok(part)
    }

    fn len(&self) -> u64 {
        u64::from(self.placed) + self.rest.len() as u64
    }

    #[inline]
    fn number(&self, hash: u64) -> Option<u64> {
        for (level, range) in self.levels.windows(2).enumerate() {
            let blocks = range[1] - range[0];
            if blocks == 0 {
                continue;
            }
            let (block, word, bit) = split(place(hash, level, blocks));
            let block = &self.blocks[range[0] as usize + block];
            if block[word] & bit != 0 {
                let count = block[0] as u32;
                let whole: u32 = block[..word].iter().map(|word| word.count_ones()).sum();
                // The count itself lies in the first word.
                let before = whole + (block[word] & (bit - 1)).count_ones() - count.count_ones();
                return Some(u64::from(count + before));
            }
        }
        self.rest.binary_search(&hash).ok().map(|at| u64::from(self.placed) + at as u64)
    }

    fn memory(&self) -> u64 {
        (size_of::<Part>() + self.blocks.capacity() * BLOCK * 8 + self.rest.capacity() * 8) as u64
    }
}

impl PerfectHash {
    /// How many keys there are; their numbers are less.
    pub fn len(&self) -> u64 {
        self.len
    }

    pub fn memory(&self) -> u64 {
        let twins: usize = self.twins.iter().map(|(_, words, _)| words.len() * 4 + 32).sum();
        self.parts.iter().map(Part::memory).sum::<u64>() + twins as u64
    }

    /// About how many bytes it takes for so many keys.
    pub fn estimate(keys: u64) -> u64 {
        // Some more than what is measured.
        keys / 5 * 2 + (size_of::<Part>() as u64 + 64) * (keys / KEYS_OF_PART * 2 + 1)
    }

    /// The number of a key of the set. `None`: it is certainly none of them.
    #[inline]
    pub fn number(&self, key: Key<'_>) -> Option<u64> {
        if !self.twins.is_empty() {
            let first = self.twins.partition_point(|(hash, ..)| *hash < key.hash);
            let mut same = self.twins[first..].iter().take_while(|(hash, ..)| *hash == key.hash).peekable();
            if same.peek().is_some() {
                return same.find(|(_, words, _)| **words == *key.words).map(|(.., number)| *number);
            }
        }
        let part = &self.parts[key.hash.checked_shr(self.shift).unwrap_or(0) as usize];
        Some(part.before + part.number(key.hash)?)
    }
}

/// Takes keys in the order of their hashes, each once.
#[derive(Debug)]
pub struct Builder {
    built: PerfectHash,
    keys: Vec<u64>,
    last: Option<(u64, Vec<u32>)>,
    scratch: Vec<[u64; BLOCK]>,
}

impl Builder {
    /// For about so many keys.
    pub fn new(keys: u64) -> Result<Self, Trouble> {
        let bits = (keys / KEYS_OF_PART).checked_ilog2().map_or(0, |bits| bits + 1);
        let mut parts = Vec::new();
        reserve(&mut parts, 1 << bits)?;
        let built = PerfectHash { parts, shift: u64::BITS - bits, len: 0, twins: Vec::new() };
        Ok(Builder { built, keys: Vec::new(), last: None, scratch: Vec::new() })
    }

    pub fn memory(&self) -> u64 {
        self.built.memory() + (self.keys.capacity() * 8 + self.scratch.capacity() * BLOCK * 8) as u64
    }

    /// The next key.
    ///
    /// # Panics
    ///
    /// If keys come in another order.
    pub fn push(&mut self, key: Key<'_>) -> Result<(), Trouble> {
        match &mut self.last {
            Some((hash, words)) if *hash == key.hash => {
                let is_first = self.built.twins.last().is_none_or(|(other, ..)| other != hash);
                if is_first {
                    self.keys.pop();
                    self.built.twins.push((*hash, words.as_slice().into(), 0));
                }
                self.built.twins.push((*hash, key.words.into(), 0));
                return Ok(());
            }
            Some((hash, words)) => {
                assert!(*hash < key.hash, "keys come in order");
                *hash = key.hash;
                words.clear();
                words.extend_from_slice(key.words);
            }
            None => self.last = Some((key.hash, key.words.to_vec())),
        }
        self.end_parts(key.hash.checked_shr(self.built.shift).unwrap_or(0) as usize)?;
        reserve(&mut self.keys, 1)?;
        self.keys.push(key.hash);
        Ok(())
    }

    /// Builds all parts before this one.
    fn end_parts(&mut self, part: usize) -> Result<(), Trouble> {
        while self.built.parts.len() < part {
            let built = Part::build(&mut self.keys, self.built.len, &mut self.scratch)?;
            self.built.len += built.len();
            reserve(&mut self.built.parts, 1)?;
            self.built.parts.push(built);
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<PerfectHash, Trouble> {
        let parts = 1_usize << (u64::BITS - self.built.shift);
        self.end_parts(parts)?;
        for (.., number) in &mut self.built.twins {
            *number = self.built.len;
            self.built.len += 1;
        }
        Ok(self.built)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    fn built(keys: &[(u64, [u32; 1])]) -> PerfectHash {
        let mut builder = Builder::new(keys.len() as u64).unwrap();
        for (hash, words) in keys {
            builder.push(Key { hash: *hash, words }).unwrap();
        }
        builder.finish().unwrap()
    }

    /// All numbers, each once.
    fn is_perfect(keys: &[(u64, [u32; 1])]) -> PerfectHash {
        let hash = built(keys);
        assert_eq!(hash.len(), keys.len() as u64);
        let mut seen = vec![false; keys.len()];
        for (key, words) in keys {
            let number = hash.number(Key { hash: *key, words }).unwrap();
            assert!(!std::mem::replace(&mut seen[number as usize], true), "{key}: {number}");
        }
        hash
    }

    fn random_keys(random: &mut Random, keys: usize, mask: u64) -> Vec<(u64, [u32; 1])> {
        let mut keys: Vec<_> = (0..keys).map(|at| (random.draw() & mask, [at as u32])).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn every_number_is_given_once() {
        let mut random = Random::new(1);
        for size in [0, 1, 2, 3, 100, 479, 480, 481, 5_000, 40_000, 200_000] {
            is_perfect(&random_keys(&mut random, size, u64::MAX));
        }
    }

    #[test]
    fn equal_and_crowded_hashes_are_told_apart() {
        let mut random = Random::new(2);
        for mask in [0, 1, 0xff, 0xffff, 0xffff << 48, 0x7fff << 40 | 0xf] {
            is_perfect(&random_keys(&mut random, 3_000, mask));
        }
    }

    #[test]
    fn it_takes_about_three_bits_a_key() {
        let keys = random_keys(&mut Random::new(3), 1_000_000, u64::MAX);
        let hash = is_perfect(&keys);
        let bits = hash.memory() as f64 * 8.0 / keys.len() as f64;
        assert!((2.9..3.3).contains(&bits), "{bits} bits");
        assert!(hash.memory() <= PerfectHash::estimate(keys.len() as u64));
        // Of what is not in the set, some is recognised, and nothing is out of range.
        let others = random_keys(&mut Random::new(4), 100_000, u64::MAX);
        let numbers = others.iter().map(|(hash_of, words)| hash.number(Key { hash: *hash_of, words }));
        assert!(numbers.flatten().all(|number| number < hash.len()));
    }
}
