//! Draws for random programs, on top of the generator of the kernel.

use bughound_kernel::Random;

/// A stream of draws that depends on its seed only.
#[derive(Debug, Clone)]
pub struct Rng {
    random: Random,
}

impl Rng {
    /// A stream that depends on `seed` only.
    pub fn new(seed: u64) -> Self {
        // Seeds that are numbered one by one give streams that have nothing to do with each other.
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        random.draw();
        Rng { random }
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.random.draw()
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
