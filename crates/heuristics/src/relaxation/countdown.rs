//! Counters for many rules at once: what each of them still waits for.
//!
//! The counters of 64 rules lie side by side, bit by bit: a word with the lowest bits of all 64, one with the next, and so
//! on. So all rules in a word that wait for a fact are told of it with a few operations on words, without a look at each of
//! them; what comes out are the rules that wait for nothing any more. A fact's rules have neighbouring numbers as a rule,
//! since a step becomes several rules one after the other.
//!
//! A counter holds one less than what is missing. The last one that is missing then makes it fall below 0: the borrow out
//! of the highest bit is the set of rules that have become complete, and no comparison is needed.

#![allow(unsafe_code)] // counters are looked at where the time goes, see `propagation`

use super::rules::RuleId;

/// Some of the 64 rules of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    pub rules: u64,
    pub word: u32,
}

impl Block {
    #[inline]
    pub fn of_rule(rule: RuleId) -> Block {
        Block { rules: 1 << (rule % 64), word: rule / 64 }
    }

    /// The first rule of the word.
    #[inline]
    fn first(self) -> RuleId {
        self.word * 64
    }

    /// Its rules, ascending.
    #[inline]
    pub fn each(self) -> impl Iterator<Item = RuleId> {
        bits(self.rules).map(move |bit| self.first() + bit as RuleId)
    }
}

/// For every fact some rules.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    starts: Vec<u32>,
    blocks: Vec<Block>,
}

impl Blocks {
    /// The rules whose lists contain the fact; every fact below `facts` is at most once in a list.
    pub fn inverse<'l>(lists: impl Iterator<Item = &'l [u32]> + Clone, facts: usize) -> Blocks {
        // By fact: the word of its last rule so far, and how many words there were.
        let mut last = vec![u32::MAX; facts];
        let mut starts = vec![0u32; facts + 1];
        let entries =
            || lists.clone().enumerate().flat_map(|(at, list)| list.iter().map(move |fact| (at as RuleId, *fact)));
        for (rule, fact) in entries() {
            let fact = fact as usize;
            if last[fact] != rule / 64 {
                last[fact] = rule / 64;
                starts[fact + 1] += 1;
            }
        }
        for at in 0..facts {
            starts[at + 1] += starts[at];
        }
        // By fact: how far its blocks are filled.
        let mut ends = starts.clone();
        let mut blocks = vec![Block { rules: 0, word: 0 }; starts[facts] as usize];
        for (rule, fact) in entries() {
            let end = &mut ends[fact as usize];
            let Block { rules, word } = Block::of_rule(rule);
            if *end == starts[fact as usize] || blocks[*end as usize - 1].word != word {
                blocks[*end as usize].word = word;
                *end += 1;
            }
            blocks[*end as usize - 1].rules |= rules;
        }
        Blocks { starts, blocks }
    }

    #[inline]
    pub fn of(&self, fact: u32) -> &[Block] {
        &self.blocks[self.starts[fact as usize] as usize..self.starts[fact as usize + 1] as usize]
    }

    /// The same without a test whether there is such a fact.
    ///
    /// # Safety
    /// `fact` is less than the number of facts.
    #[inline]
    pub unsafe fn of_unchecked(&self, fact: u32) -> &[Block] {
        debug_assert!((fact as usize) + 1 < self.starts.len());
        // SAFETY: there is such a fact, and its blocks lie between its start and that of the next, as `inverse` counted them.
        unsafe {
            let start = *self.starts.get_unchecked(fact as usize) as usize;
            let end = *self.starts.get_unchecked(fact as usize + 1) as usize;
            self.blocks.get_unchecked(start..end)
        }
    }

    pub fn memory(&self) -> usize {
        self.starts.len() * size_of::<u32>() + self.blocks.len() * size_of::<Block>()
    }
}

/// A counter for each rule.
#[derive(Clone, Debug)]
pub struct Countdown {
    /// Bits of a counter.
    bits: usize,
    /// By word of rules: its bits, the lowest first.
    words: Vec<u64>,
}

impl Countdown {
    /// Every rule misses so many.
    pub fn new(missing: impl Iterator<Item = usize> + Clone) -> Countdown {
        let most = missing.clone().max().unwrap_or(0);
        let bits = (usize::BITS - most.leading_zeros()) as usize;
        let words = bits * missing.clone().count().div_ceil(64);
        let mut all = Countdown { bits, words: vec![0; words] };
        for (rule, missing) in missing.enumerate() {
            let start = missing.wrapping_sub(1);
            for bit in (0..bits).filter(|bit| start >> bit & 1 == 1) {
                all.words[rule / 64 * bits + bit] |= 1 << (rule % 64);
            }
        }
        all
    }

    #[inline]
    fn counters(&mut self, word: u32) -> &mut [u64] {
        let start = word as usize * self.bits;
        &mut self.words[start..start + self.bits]
    }

    /// Something comes that these rules wait for; the rules that miss nothing any more.
    #[inline]
    pub fn comes(&mut self, block: Block) -> Block {
        assert!((block.word as usize) < self.len());
        // SAFETY: this was just tested.
        unsafe { self.comes_unchecked(block) }
    }

    /// The same without a test whether there is such a word.
    ///
    /// # Safety
    /// The word of the block is less than the number of words.
    #[inline]
    pub unsafe fn comes_unchecked(&mut self, block: Block) -> Block {
        debug_assert!((block.word as usize) < self.len());
        let start = block.word as usize * self.bits;
        // SAFETY: every word has so many bits.
        let counters = unsafe { self.words.get_unchecked_mut(start..start + self.bits) };
        // Nearly all counters have so few bits, and no loop is fastest.
        let rules = match counters {
            [a, b] => borrow(borrow(block.rules, a), b),
            [a, b, c] => borrow(borrow(borrow(block.rules, a), b), c),
            [a, b, c, d] => borrow(borrow(borrow(borrow(block.rules, a), b), c), d),
            counters => counters.iter_mut().fold(block.rules, borrow),
        };
        Block { rules, ..block }
    }

    /// Something goes that these rules need; the rules that missed nothing before.
    #[inline]
    pub fn goes(&mut self, block: Block) -> Block {
        let mut carry = block.rules;
        for bits in self.counters(block.word) {
            let before = *bits;
            *bits = before ^ carry;
            carry &= before;
        }
        Block { rules: carry, ..block }
    }

    /// From now on the rule is not among those that miss nothing any more, whatever comes. Nothing may go: it counts down
    /// from the largest number, and nobody misses so many.
    pub fn exclude(&mut self, rule: RuleId) {
        let Block { rules, word } = Block::of_rule(rule);
        self.counters(word).iter_mut().for_each(|bits| *bits |= rules);
    }

    /// For tests: does the rule miss nothing?
    #[cfg(test)]
    pub fn is_complete(&self, rule: RuleId) -> bool {
        let start = rule as usize / 64 * self.bits;
        self.words[start..start + self.bits].iter().all(|bits| bits >> (rule % 64) & 1 == 1)
    }

    /// Everything as it is there.
    pub fn copy(&mut self, from: &Countdown) {
        self.words.copy_from_slice(&from.words);
    }

    /// One word as it is there.
    #[inline]
    pub fn copy_word(&mut self, from: &Countdown, word: u32) {
        let start = word as usize * self.bits;
        self.words[start..start + self.bits].copy_from_slice(&from.words[start..start + self.bits]);
    }

    /// How many words of rules there are.
    pub fn len(&self) -> usize {
        self.words.len() / self.bits.max(1)
    }

    pub fn memory(&self) -> u64 {
        (self.words.len() * size_of::<u64>()) as u64
    }
}

/// One less at the places of these bits; the places where there was nothing to take it from.
#[inline]
fn borrow(places: u64, bits: &mut u64) -> u64 {
    let before = std::mem::replace(bits, *bits ^ places);
    places & !before
}

/// The places of the bits that are set.
#[inline]
pub fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_fall_and_rise_as_numbers_do() {
        // Rules with 1 to 20 preconditions in three words, told in blocks of all kinds.
        let missing: Vec<usize> = (0..150).map(|rule| 1 + rule * 7 % 20).collect();
        let mut counters = Countdown::new(missing.iter().copied());
        let mut plain: Vec<i64> = missing.iter().map(|missing| *missing as i64).collect();
        let mut seed = 1u64;
        for _ in 0..5000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (word, comes) = ((seed >> 33) as usize % 3, seed >> 40 & 1 == 0);
            let fits =
                |rule: usize| rule < 150 && if comes { plain[rule] > 0 } else { plain[rule] < missing[rule] as i64 };
            let chosen = (0..64).filter(|bit| fits(word * 64 + bit) && seed.rotate_left(*bit as u32 * 5) & 1 == 1);
            let rules = chosen.fold(0u64, |rules, bit| rules | 1 << bit);
            let block = Block { rules, word: word as u32 };
            let found: Vec<_> = if comes { counters.comes(block) } else { counters.goes(block) }.each().collect();
            let mut expected = Vec::new();
            for rule in block.each() {
                let counter = &mut plain[rule as usize];
                let before = *counter;
                *counter += if comes { -1 } else { 1 };
                expected.extend((if comes { *counter } else { before } == 0).then_some(rule));
            }
            assert_eq!(found, expected);
            assert!((0..150).all(|rule| counters.is_complete(rule) == (plain[rule as usize] == 0)));
        }
    }

    #[test]
    fn an_excluded_rule_never_becomes_complete() {
        for missing in 1..20 {
            let mut counters = Countdown::new(std::iter::repeat_n(missing, 3));
            counters.exclude(1);
            let found: Vec<Vec<_>> =
                (0..missing).map(|_| counters.comes(Block { rules: 7, word: 0 }).each().collect()).collect();
            assert!(found[..missing - 1].iter().all(Vec::is_empty));
            assert_eq!(found[missing - 1], [0, 2]);
        }
    }

    #[test]
    fn every_fact_has_the_rules_whose_lists_contain_it() {
        let lists: Vec<Vec<u32>> =
            (0..200).map(|rule| (0..5).filter(|fact| rule % (fact + 2) == 0).collect()).collect();
        let blocks = Blocks::inverse(lists.iter().map(|list| &list[..]), 6);
        for fact in 0..6 {
            let found: Vec<u32> = blocks.of(fact).iter().flat_map(|block| block.each()).collect();
            let expected: Vec<u32> = (0..200).filter(|rule| lists[*rule as usize].contains(&fact)).collect();
            assert_eq!(found, expected);
        }
    }
}
