//! What rules wait for with the facts of the state, kept from one state to the next.
//!
//! A rule that waits for nothing is applicable. Applicable rules are marked bit by bit, in the order in which a search that
//! takes the facts of the state one after the other, the largest first, would fire them: by the smallest of their
//! preconditions, then by number. So the rule that is first to give a fact does not depend on the states before.

use std::cmp::Reverse;

use bughound_finite::cost::Cost;

use super::reading::Change;
use super::rules::{RuleId, Rules};

/// What a rule waits for. Side by side, because both are looked at whenever a precondition comes: that is where the time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Preconditions.
    pub missing: u32,
    /// The cost of the rule, and the sum of those of the preconditions that are there if sums are asked for.
    pub cost: Cost,
}

pub struct Ready {
    /// By rule.
    pending: Vec<Pending>,
    /// By place in the order: the rule, and the other way round.
    order: Vec<RuleId>,
    places: Vec<u32>,
    /// By place: it is applicable.
    applicable: Vec<u64>,
    /// Which words of it are not 0.
    words: Vec<u64>,
}

impl Ready {
    /// Without any facts.
    pub fn new(rules: &Rules) -> Ready {
        let waits = |(missing, cost): (&u32, &Cost)| Pending { missing: *missing, cost: *cost };
        let mut order: Vec<RuleId> = (0..rules.costs.len() as RuleId).collect();
        let smallest = |rule: RuleId| rules.preconditions.of(rule).iter().min().copied();
        // It was in the order of the numbers before.
        order.sort_by_cached_key(|rule| Reverse(smallest(*rule)));
        let mut places = vec![0; order.len()];
        for (place, rule) in order.iter().enumerate() {
            places[*rule as usize] = place as u32;
        }
        let words = order.len().div_ceil(64);
        Ready {
            pending: rules.missing.iter().zip(&rules.costs).map(waits).collect(),
            order,
            places,
            applicable: vec![0; words],
            words: vec![0; words.div_ceil(64)],
        }
    }

    pub fn pending(&self) -> &[Pending] {
        &self.pending
    }

    /// A fact comes or goes that these rules wait for.
    pub fn change(&mut self, waiting: &[RuleId], change: Change) {
        for rule in waiting {
            let pending = &mut self.pending[*rule as usize];
            match change {
                Change::Comes => {
                    pending.missing -= 1;
                    if pending.missing == 0 {
                        self.mark(*rule);
                    }
                }
                Change::Goes => {
                    pending.missing += 1;
                    if pending.missing == 1 {
                        self.unmark(*rule);
                    }
                }
            }
        }
    }

    fn mark(&mut self, rule: RuleId) {
        let place = self.places[rule as usize] as usize;
        self.applicable[place / 64] |= 1 << (place % 64);
        self.words[place / 4096] |= 1 << (place / 64 % 64);
    }

    fn unmark(&mut self, rule: RuleId) {
        let place = self.places[rule as usize] as usize;
        self.applicable[place / 64] &= !(1 << (place % 64));
        if self.applicable[place / 64] == 0 {
            self.words[place / 4096] &= !(1 << (place / 64 % 64));
        }
    }

    /// All applicable rules, in their order.
    #[inline]
    pub fn each_applicable(&self, mut found: impl FnMut(RuleId)) {
        for (at, words) in self.words.iter().enumerate() {
            for word in bits(*words).map(|bit| at * 64 + bit) {
                bits(self.applicable[word]).for_each(|bit| found(self.order[word * 64 + bit]));
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let by_rule = size_of::<Pending>() + size_of::<RuleId>() + size_of::<u32>();
        (self.pending.len() * by_rule + (self.applicable.len() + self.words.len()) * size_of::<u64>()) as u64
    }
}

/// The places of the bits that are set.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}
