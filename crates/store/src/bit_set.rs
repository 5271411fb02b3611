//! Bit-state hashing: a state is a few bits in a large array (Holzmann 1987, "supertrace"; Bloom 1970).
//!
//! Two states may share their bits: then the second is taken for known. The share of such omissions grows with the fill
//! of the array; other hash functions omit other states, which is what repeated runs are for.

use std::hash::{BuildHasher, Hasher};

use bughound_kernel::{ApproximateSet, Layout, OutOfMemory, State};
use foldhash::quality::FixedState;

use crate::packing::Packer;

#[derive(Debug)]
pub struct BitSet {
    packer: Packer,
    packed: Box<[u32]>,
    words: Vec<u64>,
    /// Size of the array in bits, less one; the size is a power of two.
    mask: u64,
    set: u64,
    functions: u32,
    hashers: [FixedState; 2],
}

impl BitSet {
    /// An array of at most `bits` bits (the power of two below, at least 64).
    pub fn new(layout: &Layout, bits: u64, functions: u32, seed: u64) -> Result<Self, OutOfMemory> {
        let size = 1_u64 << bits.max(64).ilog2();
        let mut words = Vec::new();
        words.try_reserve_exact((size / 64) as usize).map_err(|_| OutOfMemory)?;
        words.resize((size / 64) as usize, 0);
        let packer = Packer::new(layout);
        let packed = vec![0; packer.max_words()].into();
        let hashers = hashers(seed);
        Ok(BitSet { packer, packed, words, mask: size - 1, set: 0, functions: functions.max(1), hashers })
    }
}

fn hashers(seed: u64) -> [FixedState; 2] {
    // Seeds of neighbouring runs differ in a few bits only; the hasher mixes them.
    [FixedState::with_seed(seed.wrapping_mul(2)), FixedState::with_seed(seed.wrapping_mul(2).wrapping_add(1))]
}

impl BitSet {
    /// The places of the bits of a state.
    fn places(&mut self, state: State<'_>) -> impl Iterator<Item = (usize, u64)> + use<> {
        let used = self.packer.pack(state.key, &mut self.packed);
        let bytes: &[u8] = bytemuck::cast_slice(&self.packed[..used]);
        let hash = |function: &FixedState| {
            let mut hasher = function.build_hasher();
            hasher.write(bytes);
            if !state.cover.is_empty() {
                hasher.write(bytemuck::cast_slice(state.cover));
            }
            hasher.finish()
        };
        // Further functions are sums of two (Kirsch, Mitzenmacher 2006).
        let [first, second] = [hash(&self.hashers[0]), hash(&self.hashers[1]) | 1];
        let mask = self.mask;
        (0..u64::from(self.functions)).map(move |n| {
            let bit = first.wrapping_add(n.wrapping_mul(second)) & mask;
            ((bit / 64) as usize, 1 << (bit % 64))
        })
    }
}

impl ApproximateSet for BitSet {
    fn insert(&mut self, state: State<'_>) -> bool {
        let mut is_new = false;
        for (word, mark) in self.places(state) {
            let word = &mut self.words[word];
            if *word & mark == 0 {
                *word |= mark;
                self.set += 1;
                is_new = true;
            }
        }
        is_new
    }

    fn contains(&mut self, state: State<'_>) -> bool {
        self.places(state).all(|(word, mark)| self.words[word] & mark != 0)
    }

    fn restart(&mut self, seed: u64) {
        self.words.fill(0);
        self.set = 0;
        self.hashers = hashers(seed);
    }

    fn fill(&self) -> f64 {
        self.set as f64 / (self.mask + 1) as f64
    }

    fn memory(&self) -> u64 {
        (self.words.capacity() * size_of::<u64>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Slot;

    fn layout() -> Layout {
        Layout::new(vec![Slot::new(0, 1 << 20)])
    }

    #[test]
    fn known_states_are_never_new() {
        let mut set = BitSet::new(&layout(), 1 << 16, 3, 7).unwrap();
        assert!(!set.contains(State::discrete(&[0])));
        for value in 0..1000 {
            set.insert(State::discrete(&[value]));
            assert!(set.contains(State::discrete(&[value])));
            assert!(!set.insert(State::discrete(&[value])));
        }
        assert!(set.fill() > 0.0 && set.fill() < 3000.0 / 65536.0 + 1e-9);
    }

    #[test]
    fn omissions_are_as_rare_as_the_theory_says_and_differ_by_seed() {
        let omitted = |seed| {
            let mut set = BitSet::new(&layout(), 1 << 14, 2, seed).unwrap();
            (0..2000).filter(|value| !set.insert(State::discrete(&[*value]))).collect::<Vec<_>>()
        };
        // The last of n states meets about (1 - e^(-2n/m))² set pairs of bits: 4.7 % for n = 2000, 1.9 % on average.
        let (first, second) = (omitted(1), omitted(2));
        assert!((10..80).contains(&first.len()), "{}", first.len());
        assert_ne!(first, second);
        let mut set = BitSet::new(&layout(), 1 << 14, 2, 1).unwrap();
        set.insert(State::discrete(&[1]));
        set.restart(2);
        assert_eq!(set.fill(), 0.0);
        assert!(set.insert(State::discrete(&[1])));
    }
}
