//! Packing of keys beside another key: of each only what differs from it.
//!
//! A search reads a state, and inserts its successors. They differ from it in a few slots, and it differs from the state that was
//! read before it in a few words.

use bughound_kernel::Changes;

use crate::packing::Packer;

/// Packs keys beside the one that it has unpacked last.
#[derive(Clone, Debug)]
pub(crate) struct Repacker {
    packer: Packer,
    /// The key that was unpacked last, and its words.
    key: Vec<i32>,
    words: Vec<u32>,
    /// Where it was unpacked to.
    address: usize,
}

/// Up to so many words, it is faster to unpack all of them than to look at what differs.
const FEW_WORDS: usize = 8;

/// So many slots are compared at a time.
const BLOCK: usize = 8;

impl Repacker {
    pub(crate) fn of(packer: Packer) -> Self {
        Repacker { key: Vec::new(), words: Vec::new(), address: 0, packer }
    }

    pub(crate) fn packer(&self) -> &Packer {
        &self.packer
    }

    /// As [`Packer::pack`]. If the changes start from the key that was unpacked last, and from where it was unpacked to, nothing is
    /// compared.
    #[inline]
    pub(crate) fn pack(&self, key: &[i32], changes: Option<&Changes<'_>>, into: &mut [u32]) -> usize {
        match changes.filter(|changes| self.is_beside(key, changes)) {
            Some(changes) => patched(&self.packer, &self.words, key, changes.slots, into).len(),
            None => pack_beside(&self.packer, (&self.key, &self.words), key, into),
        }
    }

    /// Do the changes start from the key that was unpacked last?
    #[inline]
    fn is_beside(&self, key: &[i32], changes: &Changes<'_>) -> bool {
        let is_it = changes.from.as_ptr().addr() == self.address && changes.from.len() == self.key.len();
        debug_assert!(!is_it || changes.from == self.key, "a state was changed where it was read");
        is_it && key.len() == self.key.len() && !key.is_empty()
    }

    /// As [`Packer::unpack`], for exactly the words of a key.
    pub(crate) fn unpack(&mut self, words: &[u32], into: &mut Vec<i32>) {
        let packer = &self.packer;
        let alike = self.words.len() == words.len() && words.len() > FEW_WORDS;
        if alike && packer.slots_of(words) == self.key.len() {
            for (at, (known, word)) in self.words.iter_mut().zip(words).enumerate() {
                if known != word {
                    *known = *word;
                    let slots = packer.slots_in(at, self.key.len());
                    for (value, field) in self.key[slots.clone()].iter_mut().zip(&packer.fields()[slots]) {
                        *value = field.value_in(*word);
                    }
                }
            }
        } else {
            self.words.clear();
            self.words.extend_from_slice(words);
            packer.unpack(words, &mut self.key);
        }
        into.resize(self.key.len(), 0);
        into.copy_from_slice(&self.key);
        self.address = into.as_ptr().addr();
    }
}

/// As [`Packer::pack`], beside another key and its words.
fn pack_beside(packer: &Packer, (other, words): (&[i32], &[u32]), key: &[i32], into: &mut [u32]) -> usize {
    if key.len() != other.len() || key.is_empty() {
        return packer.pack(key, into);
    }
    let packed = &mut into[..words.len()];
    packed.copy_from_slice(words);
    let fields = &packer.fields()[..key.len()];
    let mut outside = 0;
    let (new_blocks, new_rest) = key.as_chunks::<BLOCK>();
    let (old_blocks, old_rest) = other.as_chunks::<BLOCK>();
    let (field_blocks, field_rest) = fields.as_chunks::<BLOCK>();
    for ((new, old), fields) in new_blocks.iter().zip(old_blocks).zip(field_blocks) {
        if new != old {
            for ((new, old), field) in new.iter().zip(old).zip(fields) {
                if new != old {
                    outside |= field.patch(*new, packed);
                }
            }
        }
    }
    for ((new, old), field) in new_rest.iter().zip(old_rest).zip(field_rest) {
        if new != old {
            outside |= field.patch(*new, packed);
        }
    }
    assert!(outside == 0, "a value lies outside the declared domain of its slot: {key:?}");
    words.len()
}

/// The words of a key that differs in some slots from one with these words.
#[inline]
fn patched<'p>(packer: &Packer, words: &[u32], key: &[i32], slots: &[u32], into: &'p mut [u32]) -> &'p [u32] {
    let packed = &mut into[..words.len()];
    packed.copy_from_slice(words);
    let fields = &packer.fields()[..key.len()];
    let mut outside = 0;
    for slot in slots {
        let slot = *slot as usize;
        outside |= fields[slot].patch(key[slot], packed);
    }
    assert!(outside == 0, "a value lies outside the declared domain of its slot: {key:?}");
    debug_assert!(packer.is_packed(key, packed), "a step has changed more than it says: {slots:?}");
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{Layout, Random, Slot};

    /// Successors of states, told with what differs and without, beside the state that was read and beside others.
    #[test]
    fn what_a_step_changes_is_enough() {
        let mut random = Random::new(11);
        let slots: Vec<Slot> = (0..40).map(|n| Slot::new(-(n % 3), [1, 200, 7, 70_000][n as usize % 4])).collect();
        let packer = Packer::new(&Layout::new(slots.clone()));
        let mut repacker = Repacker::of(packer.clone());
        let mut words = vec![0; packer.max_words()];
        let (mut parent, mut read) = (slots.iter().map(|slot| slot.hi).collect::<Vec<_>>(), Vec::new());
        for round in 0..2_000 {
            let used = packer.pack(&parent, &mut words);
            repacker.unpack(&words[..used], &mut read);
            assert_eq!(read, parent);
            let mut child = parent.clone();
            let mut changed = Vec::new();
            for _ in 0..random.below(6) {
                let at = random.below(child.len());
                child[at] = if random.one_in(2) { slots[at].lo } else { slots[at].hi };
                changed.push(at as u32);
            }
            let used = packer.pack(&child, &mut words);
            let elsewhere = read.clone();
            for from in [&read, &elsewhere, &child] {
                let changes = Changes { from, slots: &changed };
                for changes in [Some(&changes), None] {
                    let mut packed = vec![u32::MAX; packer.max_words()];
                    assert_eq!(repacker.pack(&child, changes, &mut packed), used);
                    assert_eq!(packed[..used], words[..used]);
                }
            }
            // As long as the layout, or shorter.
            match round % 7 {
                0 => child.truncate(20 + random.below(20)),
                _ => child.extend(slots[child.len()..].iter().map(|slot| slot.lo)),
            }
            parent = child;
        }
    }
}
