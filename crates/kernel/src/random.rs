//! The one random generator (Steele, Lea, Flood 2014: SplitMix64). Searches, simulations and random tests must repeat
//! exactly from their seed, on every machine and with every version of every library.

/// Numbers that look random and depend on the seed only.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The seed of a generator that goes on as this one does from here.
    pub fn rest(&self) -> u64 {
        self.0
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 if that is 0. The bias is far below what anybody could notice.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.draw()) * bound as u128) >> 64) as usize
    }

    /// True once in `n` times, on average.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, of which there must be some.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// A number from 0 up to 1, which it never is. 53 bits are what fits between them.
    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of these places, each as likely as its weight among all of them; `None` if no weight is positive.
    pub fn weighted(&mut self, weights: &[f64]) -> Option<usize> {
        let drawn = self.unit() * weights.iter().sum::<f64>();
        let mut passed = 0.0;
        let ends = weights.iter().map(|weight| {
            passed += weight;
            passed
        });
        // Sums are rounded: what is left over belongs to the last one that is possible.
        let found = ends.enumerate().find(|(_, end)| drawn < *end).map(|(place, _)| place);
        found.or(weights.iter().rposition(|weight| *weight > 0.0))
    }

    /// How long it takes until something happens that happens so often per unit of time.
    pub fn waiting_time(&mut self, rate: f64) -> f64 {
        // 1 - 0 has a logarithm, 0 has none.
        -(1.0 - self.unit()).ln() / rate
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_published_sequence() {
        let mut random = Random::new(1_234_567);
        assert_eq!(random.draw(), 6_457_827_717_110_365_317);
        assert_eq!(random.draw(), 3_203_168_211_198_807_973);
    }

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
        let (mut random, items) = (Random::new(2), ['a', 'b']);
        let picked: Vec<char> = (0..60).map(|_| *random.pick(&items)).collect();
        assert!(items.iter().all(|item| picked.contains(item)));
        assert!((10..35).contains(&(0..60).filter(|_| random.one_in(3)).count()));
    }

    #[test]
    fn weights_are_frequencies_and_rates_are_inverse_means() {
        let mut random = Random::new(5);
        let mut seen = [0u32; 4];
        for _ in 0..10_000 {
            seen[random.weighted(&[1.0, 0.0, 2.0, 5.0]).unwrap()] += 1;
        }
        // Four standard deviations are 132, 173 and 194.
        assert!(seen[1] == 0 && seen[0].abs_diff(1250) < 132 && seen[2].abs_diff(2500) < 173, "{seen:?}");
        assert!(seen[3].abs_diff(6250) < 194, "{seen:?}");
        assert_eq!((random.weighted(&[]), random.weighted(&[0.0, 0.0])), (None, None));
        assert!((0..1000).map(|_| random.unit()).all(|drawn| (0.0..1.0).contains(&drawn)));
        let mean = (0..10_000).map(|_| random.waiting_time(4.0)).sum::<f64>() / 10_000.0;
        // The standard deviation of the mean is 0.25 / 100.
        assert!((mean - 0.25).abs() < 0.01, "{mean}");
    }

    #[test]
    fn shuffling_permutes() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
