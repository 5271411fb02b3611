//! Random numbers that are the same everywhere for the same seed (SplitMix64).

/// The seed unless the user gives one. Two simulations without `--seed` are the same.
pub const DEFAULT_SEED: u64 = 1;

#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0. The bias is far below what anybody could notice.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_occurs_and_seeds_differ() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..60).map(|_| random.below(3)).collect::<Vec<_>>()
        };
        assert!((0..3).all(|n| draw(7).contains(&n)) && draw(7).iter().all(|n| *n < 3));
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        assert_eq!(Random::new(1).below(0), 0);
    }
}
