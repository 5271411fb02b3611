//! What rules wait for with the facts of the state, kept from one state to the next.
//!
//! A rule that waits for nothing is applicable. Applicable rules are marked bit by bit, in the order in which a search that
//! takes the facts of the state one after the other, the largest first, would fire them: by the smallest of their
//! preconditions, then by number. So the rule that is first to give a fact does not depend on the states before.

use bughound_finite::domains::Fact;

use super::countdown::{Countdown, bits};
use super::reading::Change;
use super::rules::{RuleId, Rules};

#[derive(Clone)]
pub struct Ready {
    missing: Countdown,
    /// By place: it is applicable.
    applicable: Vec<u64>,
    /// Which words of it are not 0.
    words: Vec<u64>,
}

impl Ready {
    /// Without any facts.
    pub fn new(rules: &Rules) -> Ready {
        let words = rules.order.len().div_ceil(64);
        let preconditions = (0..rules.order.len() as RuleId).map(|rule| rules.preconditions.of(rule).len());
        Ready { missing: Countdown::new(preconditions), applicable: vec![0; words], words: vec![0; words.div_ceil(64)] }
    }

    pub fn missing(&self) -> &Countdown {
        &self.missing
    }

    /// A fact comes or goes.
    pub fn change(&mut self, rules: &Rules, fact: Fact, change: Change) {
        for block in rules.waiting.of(fact) {
            match change {
                Change::Comes => self.missing.comes(*block).each().for_each(|rule| self.mark(rules, rule)),
                Change::Goes => self.missing.goes(*block).each().for_each(|rule| self.unmark(rules, rule)),
            }
        }
    }

    fn mark(&mut self, rules: &Rules, rule: RuleId) {
        let place = rules.places[rule as usize] as usize;
        self.applicable[place / 64] |= 1 << (place % 64);
        self.words[place / 4096] |= 1 << (place / 64 % 64);
    }

    fn unmark(&mut self, rules: &Rules, rule: RuleId) {
        let place = rules.places[rule as usize] as usize;
        self.applicable[place / 64] &= !(1 << (place % 64));
        if self.applicable[place / 64] == 0 {
            self.words[place / 4096] &= !(1 << (place / 64 % 64));
        }
    }

    /// All applicable rules, in their order.
    #[inline]
    pub fn each_applicable(&self, rules: &Rules, mut found: impl FnMut(RuleId)) {
        for (at, words) in self.words.iter().enumerate() {
            for word in bits(*words).map(|bit| at * 64 + bit) {
                bits(self.applicable[word]).for_each(|bit| found(rules.order[word * 64 + bit]));
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let marks = self.applicable.len() + self.words.len();
        self.missing.memory() + (marks * size_of::<u64>()) as u64
    }
}
