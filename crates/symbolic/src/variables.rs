//! States as rows of bits: which bits of the diagrams a slot has, and which value each row stands for.
//!
//! A key can end early, where the processes that exist end. The slots that are missing then have the code 0; the first slot of
//! each part that can be missing has a code more than it has values, so that who is missing can be told from who is there.

use std::ops::Range;

use bughound_kernel::{Dependencies, Layout};

/// The bits of one slot.
#[derive(Clone, Copy, Debug)]
struct Bits {
    first: u32,
    width: u32,
    lo: i64,
    values: u64,
    /// It tells whether its part of the key is there.
    guards: bool,
}

/// Which bits stand for which slots.
#[derive(Debug)]
pub(crate) struct Variables {
    slots: Vec<Bits>,
    /// The parts at the end of keys, in order.
    parts: Vec<Range<u32>>,
    /// Slots from here on are not represented.
    limit: u32,
    slot_of_bit: Vec<u32>,
    bits: u32,
}

/// The codes of all slots of a state.
pub(crate) type Codes = Vec<u64>;

impl Variables {
    /// `order`: all slots, from the top of the diagrams to the bottom. Only so many parts can be there.
    pub fn new(layout: &Layout, dependencies: &Dependencies, order: &[u32], parts: usize) -> Variables {
        let none = Bits { first: 0, width: 0, lo: 0, values: 0, guards: false };
        let mut slots = vec![none; layout.slots.len()];
        let limit = dependencies.parts.get(parts).map_or(layout.slots.len() as u32, |part| part.start);
        let parts: Vec<Range<u32>> = dependencies.parts.iter().take(parts).cloned().collect();
        let (mut next, mut slot_of_bit) = (0, Vec::new());
        for slot in order.iter().filter(|slot| **slot < limit) {
            let at = *slot as usize;
            let domain = layout.slots[at];
            let guards = parts.iter().any(|part| part.start == *slot);
            let values = (i64::from(domain.hi) - i64::from(domain.lo)) as u64 + 1;
            let largest = values - 1 + u64::from(guards);
            let width = 64 - largest.leading_zeros();
            slots[at] = Bits { first: next, width, lo: domain.lo.into(), values, guards };
            slot_of_bit.extend(std::iter::repeat_n(*slot, width as usize));
            next += width;
        }
        Variables { slots, parts, limit, slot_of_bit, bits: next }
    }

    /// Of a whole state.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// How many slots are represented: the first ones.
    pub fn slots(&self) -> u32 {
        self.limit
    }

    /// The slots of the parts that come to be there, or cease to be, between these states.
    pub fn come_and_go(&self, from: &Codes, to: &Codes) -> impl Iterator<Item = u32> {
        let missing = |codes: &Codes, part: &Range<u32>| codes[part.start as usize] == 0;
        let changed = self.parts.iter().filter(move |part| missing(from, part) != missing(to, part));
        changed.cloned().flatten()
    }

    /// The bits of a slot, the most significant one first.
    pub fn of(&self, slot: u32) -> std::ops::Range<u32> {
        let bits = &self.slots[slot as usize];
        bits.first..bits.first + bits.width
    }

    /// The code of a value; `None` if it is none of the slot's.
    pub fn code(&self, slot: u32, value: Option<i32>) -> Option<u64> {
        let bits = &self.slots[slot as usize];
        let Some(value) = value else { return Some(0) };
        let code = u64::try_from(i64::from(value) - bits.lo).ok().filter(|code| *code < bits.values)?;
        Some(code + u64::from(bits.guards))
    }

    /// The bits of a code, the most significant one first.
    pub fn bits_of(&self, slot: u32, code: u64) -> impl Iterator<Item = bool> + use<> {
        let width = self.slots[slot as usize].width;
        (0..width).rev().map(move |at| code >> at & 1 == 1)
    }

    /// A bit of a state.
    pub fn bit(&self, codes: &Codes, bit: u32) -> bool {
        let slot = self.slot_of_bit[bit as usize];
        let Bits { first, width, .. } = self.slots[slot as usize];
        codes[slot as usize] >> (first + width - 1 - bit) & 1 == 1
    }

    /// The codes of a key that is not too long; the slot whose value it cannot have if there is one.
    pub fn encode(&self, key: &[i32], codes: &mut Codes) -> Result<(), u32> {
        codes.clear();
        for slot in 0..self.slots() {
            codes.push(self.code(slot, key.get(slot as usize).copied()).ok_or(slot)?);
        }
        Ok(())
    }

    /// The key of a row of bits.
    pub fn decode(&self, row: &[bool]) -> Vec<i32> {
        let code = |slot: usize| {
            let bits = &self.slots[slot];
            let own = row[bits.first as usize..][..bits.width as usize].iter();
            own.fold(0_u64, |code, bit| code << 1 | u64::from(*bit))
        };
        let missing = self.parts.iter().map(|part| part.start as usize).find(|first| code(*first) == 0);
        let end = missing.unwrap_or(self.limit as usize);
        let value = |slot: usize| {
            let Bits { lo, guards, .. } = self.slots[slot];
            (lo + (code(slot) - u64::from(guards)) as i64) as i32
        };
        (0..end).map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Slot;

    #[test]
    fn keys_of_every_length_come_back() {
        let slots = vec![Slot::new(0, 2), Slot::new(-3, 4), Slot::new(3, 3), Slot::new(1, 2), Slot::new(4, 6)];
        let layout = Layout::new(slots);
        let dependencies = Dependencies { parts: vec![2..4, 4..5], ..Dependencies::default() };
        let variables = Variables::new(&layout, &dependencies, &[4, 0, 3, 1, 2], 2);
        assert_eq!(variables.bits(), 2 + 2 + 1 + 3 + 1);
        let mut codes = Codes::new();
        for key in [&[0, -3][..], &[1, 4, 3, 1], &[1, 0, 3, 2], &[2, 1, 3, 2, 4], &[2, 1, 3, 1, 6]] {
            variables.encode(key, &mut codes).unwrap();
            let mut row = vec![false; variables.bits() as usize];
            for slot in 0..variables.slots() {
                for (bit, value) in variables.of(slot).zip(variables.bits_of(slot, codes[slot as usize])) {
                    row[bit as usize] = value;
                }
            }
            assert_eq!(variables.decode(&row), key);
        }
        assert_eq!(variables.encode(&[3, 0], &mut codes), Err(0));
    }
}
