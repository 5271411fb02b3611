//! The shape of a key: how many slots and which values they can take.

/// One slot: a bounded integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    pub lo: i32,
    pub hi: i32,
}

impl Slot {
    pub fn new(lo: i32, hi: i32) -> Self {
        debug_assert!(lo <= hi);
        Slot { lo, hi }
    }

    /// Bits needed to tell its values apart; 0 for a constant.
    pub fn bits(self) -> u32 {
        let distinct = self.hi as i64 - self.lo as i64;
        64 - distinct.leading_zeros()
    }
}

/// The slots of a model's keys, in order. Stores pack keys by it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    pub slots: Vec<Slot>,
    /// Length of the cover, in words; 0 for untimed models.
    pub cover_len: usize,
}

impl Layout {
    pub fn new(slots: Vec<Slot>) -> Self {
        Layout { slots, cover_len: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_exact_for_every_width() {
        for (lo, hi, bits) in [(0, 0, 0), (0, 1, 1), (0, 255, 8), (-1, 254, 8), (0, 256, 9), (i32::MIN, i32::MAX, 32)] {
            assert_eq!(Slot::new(lo, hi).bits(), bits, "{lo}..={hi}");
        }
    }
}
