//! Packing of keys: each slot takes as many bits as its domain needs, and no slot straddles a word.
//!
//! The first bits of the first word hold the number of slots of the key (keys may be shorter than the layout). A
//! packed key therefore says itself how long it is: two packed keys are equal exactly if the keys are, and one can
//! never be the beginning of the other.

use std::ops::Range;

use bughound_kernel::Layout;

/// Where a slot lies. One entry for every slot, constants included: a loop without exceptions is faster than a shorter
/// one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    lo: i32,
    mask: u32,
    /// All ones if the slot shares its word with the slot before it, 0 if it begins a word.
    keep: u32,
    word: u32,
    /// 2^shift. Shifting by a number known only at run time takes three instructions on x86-64, multiplying one.
    scale: u32,
    /// 2^(32-shift): a product with it has the field at bit 32.
    unscale: u64,
}

/// Turns keys of one layout into words and back.
#[derive(Clone, Debug)]
pub struct Packer {
    fields: Box<[Field]>,
    /// Words of a key, by its number of slots.
    words: Box<[u32]>,
    /// By word: its first slot.
    first_slots: Box<[u32]>,
    length_mask: u32,
}

impl Packer {
    pub fn new(layout: &Layout) -> Self {
        let slots = layout.slots.len();
        // `slots + 1` different lengths.
        let length_bits = u64::BITS - (slots as u64).leading_zeros();
        assert!(length_bits <= u32::BITS, "a key of more than 2^32 slots");
        let mut words = Vec::with_capacity(slots + 1);
        words.push(1);
        let (mut word, mut used) = (0_u32, length_bits);
        let fields = layout.slots.iter().map(|slot| {
            let bits = slot.bits();
            let begins = used + bits > u32::BITS;
            if begins {
                word += 1;
                used = 0;
            }
            // A constant after a full word would have to be shifted by 32.
            let shift = if bits == 0 { 0 } else { used };
            used += bits;
            words.push(word + 1);
            let keep = if begins { 0 } else { u32::MAX };
            Field {
                lo: slot.lo,
                mask: low_bits(bits),
                keep,
                word,
                scale: 1 << shift,
                unscale: 1 << (u32::BITS - shift),
            }
        });
        let fields: Box<[Field]> = fields.collect();
        let mut first_slots = Vec::new();
        for (slot, field) in fields.iter().enumerate() {
            first_slots.resize(first_slots.len().max(field.word as usize + 1), slot as u32);
        }
        let first_slots = first_slots.into();
        Packer { fields, first_slots, words: words.into(), length_mask: low_bits(length_bits) }
    }

    /// By slot.
    #[inline]
    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Words of the longest key.
    pub fn max_words(&self) -> usize {
        self.words[self.words.len() - 1] as usize
    }

    /// Packs `key` into the front of `into` (at least [`max_words`](Self::max_words) long) and returns how many words
    /// it takes.
    ///
    /// # Panics
    ///
    /// If a value does not fit its slot or there are more values than slots: two states would become one, and the
    /// search would silently lose a part of the state space.
    #[inline]
    pub fn pack(&self, key: &[i32], into: &mut [u32]) -> usize {
        assert!(key.len() <= self.fields.len(), "a key is longer than its layout");
        let mut word = key.len() as u32;
        let mut outside = 0;
        into[0] = word;
        // Without branches: each slot rewrites its whole word, the last writer has all of it.
        for (value, field) in key.iter().zip(&self.fields) {
            let offset = value.wrapping_sub(field.lo) as u32;
            outside |= offset & !field.mask;
            word = (word & field.keep) | offset.wrapping_mul(field.scale);
            into[field.word as usize] = word;
        }
        assert!(outside == 0, "a value lies outside the declared domain of its slot: {key:?}");
        self.words[key.len()] as usize
    }

    /// The inverse of [`pack`](Self::pack). `words` may be longer than the packed key.
    #[inline]
    pub fn unpack(&self, words: &[u32], key: &mut Vec<i32>) {
        let fields = &self.fields[..self.slots_of(words)];
        // Nearly always, it is as long already.
        key.resize(fields.len(), 0);
        for (value, field) in key.iter_mut().zip(fields) {
            *value = field.value_in(words[field.word as usize]);
        }
    }

    /// Of a key with so many slots, those that lie in a word.
    #[inline]
    pub(crate) fn slots_in(&self, word: usize, slots: usize) -> Range<usize> {
        let first = |word: usize| self.first_slots.get(word).map_or(slots, |first| slots.min(*first as usize));
        first(word)..first(word + 1)
    }

    /// Are these the words of a key? To check shorter ways to them.
    pub(crate) fn is_packed(&self, key: &[i32], words: &[u32]) -> bool {
        let mut expected = vec![0; self.max_words()];
        let used = self.pack(key, &mut expected);
        expected[..used] == *words
    }

    /// How many words the packed key at the front of `words` takes.
    #[inline]
    pub fn words_of(&self, words: &[u32]) -> usize {
        self.words[self.slots_of(words)] as usize
    }

    /// The same for words that may be no key: `None` if they cannot be one, or are not all of it.
    pub fn words_within(&self, words: &[u32]) -> Option<usize> {
        let slots = (words.first()? & self.length_mask) as usize;
        let used = *self.words.get(slots)? as usize;
        (used <= words.len()).then_some(used)
    }

    #[inline]
    pub(crate) fn slots_of(&self, words: &[u32]) -> usize {
        (words[0] & self.length_mask) as usize
    }
}

/// Packs keys one after the other, and of each only what differs from the one before: the successors of a state differ from each
/// other in a few slots.
#[derive(Clone, Debug)]
pub(crate) struct DeltaPacker {
    packer: Packer,
    /// The key that was packed last.
    key: Vec<i32>,
    words: Box<[u32]>,
}

/// So many slots are compared at a time: what fits a register.
const BLOCK: usize = 8;

impl Field {
    /// The value of the slot, from the word in which it lies.
    #[inline]
    pub(crate) fn value_in(&self, word: u32) -> i32 {
        let shifted = (u64::from(word) * self.unscale) >> u32::BITS;
        self.lo.wrapping_add((shifted as u32 & self.mask) as i32)
    }

    /// Puts another value of the slot into a packed key. Other than 0 if it lies outside the domain.
    #[inline]
    pub(crate) fn patch(&self, value: i32, words: &mut [u32]) -> u32 {
        let offset = value.wrapping_sub(self.lo) as u32;
        let word = &mut words[self.word as usize];
        *word = (*word & !self.mask.wrapping_mul(self.scale)) | (offset & self.mask).wrapping_mul(self.scale);
        offset & !self.mask
    }
}

impl DeltaPacker {
    pub(crate) fn new(layout: &Layout) -> Self {
        Self::of(Packer::new(layout))
    }

    pub(crate) fn of(packer: Packer) -> Self {
        let key = Vec::with_capacity(packer.fields.len());
        DeltaPacker { key, words: vec![0; packer.max_words()].into(), packer }
    }

    pub(crate) fn packer(&self) -> &Packer {
        &self.packer
    }

    /// As [`Packer::pack`].
    #[inline]
    pub(crate) fn pack(&mut self, key: &[i32]) -> &[u32] {
        if key.len() != self.key.len() || key.is_empty() {
            let used = self.packer.pack(key, &mut self.words);
            self.key.clear();
            self.key.extend_from_slice(key);
            return &self.words[..used];
        }
        let (new_blocks, new_rest) = key.as_chunks::<BLOCK>();
        let (old_blocks, old_rest) = self.key.as_chunks_mut::<BLOCK>();
        let (blocks, rest) = self.packer.fields.as_chunks::<BLOCK>();
        let mut outside = 0;
        for ((new, old), fields) in new_blocks.iter().zip(old_blocks).zip(blocks) {
            if new != old {
                let mut differ = 0_u32;
                for at in 0..BLOCK {
                    differ |= u32::from(new[at] != old[at]) << at;
                }
                while differ != 0 {
                    let at = differ.trailing_zeros() as usize % BLOCK;
                    outside |= fields[at].patch(new[at], &mut self.words);
                    differ &= differ - 1;
                }
                *old = *new;
            }
        }
        // A key may be shorter than the layout.
        let rest = blocks.get(new_blocks.len()).map_or(rest, |block| &block[..]);
        for ((new, old), field) in new_rest.iter().zip(old_rest).zip(rest) {
            if new != old {
                outside |= field.patch(*new, &mut self.words);
                *old = *new;
            }
        }
        assert!(outside == 0, "a value lies outside the declared domain of its slot: {key:?}");
        &self.words[..self.packer.words[key.len()] as usize]
    }
}

fn low_bits(count: u32) -> u32 {
    u32::MAX.checked_shr(u32::BITS - count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repacking::Repacker;
    use bughound_kernel::Slot;

    fn packer(domains: &[(i32, i32)]) -> Packer {
        Packer::new(&Layout::new(domains.iter().map(|&(lo, hi)| Slot::new(lo, hi)).collect()))
    }

    fn round_trip(packer: &Packer, key: &[i32]) -> Vec<u32> {
        let mut words = vec![0xdead_beef; packer.max_words()];
        let used = packer.pack(key, &mut words);
        let mut back = Vec::new();
        packer.unpack(&words, &mut back);
        assert_eq!(back, key);
        assert_eq!(packer.words_of(&words), used);
        words.truncate(used);
        words
    }

    #[test]
    fn bytes_share_words() {
        // 4 bits of length and 8 bytes: three words, because no byte straddles two.
        let packer = packer(&[(0, 255); 8]);
        assert_eq!(packer.max_words(), 3);
        assert_eq!(round_trip(&packer, &[1, 2, 3, 4, 5, 6, 7, 255]).len(), 3);
        assert_eq!(round_trip(&packer, &[1, 2, 3]).len(), 1);
    }

    #[test]
    fn extremes_survive() {
        let packer = packer(&[(i32::MIN, i32::MAX), (7, 7), (-3, -1), (i32::MIN, i32::MAX), (0, 0)]);
        round_trip(&packer, &[i32::MIN, 7, -3, i32::MAX, 0]);
        round_trip(&packer, &[i32::MAX, 7, -1, i32::MIN, 0]);
        round_trip(&packer, &[-1, 7]);
        round_trip(&packer, &[]);
    }

    #[test]
    fn constants_take_nothing_but_lengths_are_told_apart() {
        let packer = packer(&[(4, 4); 10]);
        assert_eq!(packer.max_words(), 1);
        let packed: Vec<_> = (0..=10).map(|len| round_trip(&packer, &vec![4; len])).collect();
        assert!((1..packed.len()).all(|i| packed[i] != packed[i - 1]));
    }

    #[test]
    fn a_constant_behind_a_full_word() {
        let packer = packer(&[(0, (1 << 30) - 1), (5, 5), (0, 1)]);
        assert_eq!(round_trip(&packer, &[(1 << 30) - 1, 5, 1]).len(), 2);
    }

    #[test]
    fn what_differs_from_the_last_key_is_enough() {
        let mut random = bughound_kernel::Random::new(5);
        let slots: Vec<Slot> = (0..70)
            .map(|n| match n % 5 {
                0 => Slot::new(0, 255),
                1 => Slot::new(-4, 3),
                2 => Slot::new(7, 7),
                3 => Slot::new(i32::MIN, i32::MAX),
                _ => Slot::new(0, 1),
            })
            .collect();
        let layout = Layout::new(slots.clone());
        let (plain, mut delta) = (Packer::new(&layout), DeltaPacker::new(&layout));
        let mut key: Vec<i32> = slots.iter().map(|slot| slot.lo).collect();
        let mut words = vec![0; plain.max_words()];
        let (mut beside, mut unpacked) = (Repacker::of(plain.clone()), Vec::new());
        for _ in 0..5_000 {
            if random.one_in(20) {
                key.truncate(random.below(slots.len() + 1));
                let len = key.len();
                key.extend(slots[len..].iter().take(random.below(slots.len() - len + 1)).map(|slot| slot.hi));
            }
            for _ in 0..random.below(4) {
                if !key.is_empty() {
                    let at = random.below(key.len());
                    key[at] = if random.one_in(2) { slots[at].lo } else { slots[at].hi };
                }
            }
            let used = plain.pack(&key, &mut words);
            assert_eq!(delta.pack(&key), &words[..used]);
            let mut packed = vec![u32::MAX; plain.max_words()];
            assert_eq!(beside.pack(&key, None, &mut packed), used);
            assert_eq!(packed[..used], words[..used]);
            // Now and then: keys that are packed differ from it more and more.
            if random.one_in(3) {
                beside.unpack(&words[..used], &mut unpacked);
                assert_eq!(unpacked, key);
            }
        }
    }

    #[test]
    #[should_panic(expected = "outside the declared domain")]
    fn a_value_outside_its_domain_is_refused() {
        packer(&[(0, 3), (0, 3)]).pack(&[1, 4], &mut [0]);
    }
}
