//! The one random generator (Steele, Lea, Flood 2014: SplitMix64). Searches, simulations and random tests must repeat
//! exactly from their seed, on every machine and with every version of every library.

/// Numbers that look random and depend on the seed only.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed)
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
    fn shuffling_permutes() {
        let mut items: Vec<usize> = (0..100).collect();
        Random::new(3).shuffle(&mut items);
        assert_ne!(items, (0..100).collect::<Vec<_>>());
        items.sort_unstable();
        assert_eq!(items, (0..100).collect::<Vec<_>>());
    }
}
