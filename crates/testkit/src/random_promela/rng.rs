//! A small deterministic pseudo random number generator (splitmix64).
//!
//! The generated programs must be the same on every machine and for every version of the tool chain, so the
//! generator does not depend on an external crate whose stream might change.

/// A splitmix64 stream.
#[derive(Debug, Clone)]
pub struct Rng {
    state: u64,
}

impl Rng {
    /// A stream that depends on `seed` only.
    pub fn new(seed: u64) -> Self {
        let mut rng = Rng { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d };
        rng.next_u64();
        rng
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..n`; `n` must not be zero.
    pub fn below(&mut self, n: usize) -> usize {
        assert!(n > 0, "empty range");
        // The bias of the modulo is far below anything that matters here.
        (self.next_u64() % n as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of the cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One element of a non-empty slice.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One element of a list with weights; weight 0 excludes it. At least one weight must be positive.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let total: usize = items.iter().map(|(w, _)| w).sum();
        let mut at = self.below(total);
        for &(weight, item) in items {
            if at < weight {
                return item;
            }
            at -= weight;
        }
        unreachable!("weights add up")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_same_stream() {
        let (mut a, mut b, mut c) = (Rng::new(7), Rng::new(7), Rng::new(8));
        let xs: Vec<u64> = (0..20).map(|_| a.next_u64()).collect();
        assert_eq!(xs, (0..20).map(|_| b.next_u64()).collect::<Vec<_>>());
        assert_ne!(xs, (0..20).map(|_| c.next_u64()).collect::<Vec<_>>());
    }

    #[test]
    fn ranges_and_weights_are_respected() {
        let mut rng = Rng::new(1);
        let mut seen = [0; 4];
        for _ in 0..400 {
            seen[rng.range(1, 3)] += 1;
            assert_eq!(rng.weighted(&[(0, 'a'), (3, 'b'), (0, 'c')]), 'b');
        }
        assert_eq!(seen[0], 0);
        assert!(seen[1..].iter().all(|&n| n > 50));
    }
}
