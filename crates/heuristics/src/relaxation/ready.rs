//! What terms wait for with the facts of the state, kept from one state to the next.
//!
//! A term that waits for nothing is applicable. Applicable ones are marked bit by bit, in the order in which a search that
//! takes the facts of the state one after the other, the largest first, would fire them: by the smallest of their
//! preconditions, then by number. So the one that is first to give a fact does not depend on the states before.

use bughound_finite::domains::Fact;

use super::countdown::{Countdown, bits};
use super::graph::{Graph, TermId};
use super::reading::Change;

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
    pub fn new(graph: &Graph) -> Ready {
        let words = graph.order.len().div_ceil(64);
        let preconditions = (0..graph.order.len() as TermId).map(|term| graph.preconditions.of(term).len());
        Ready { missing: Countdown::new(preconditions), applicable: vec![0; words], words: vec![0; words.div_ceil(64)] }
    }

    pub fn missing(&self) -> &Countdown {
        &self.missing
    }

    /// A fact comes or goes.
    pub fn change(&mut self, graph: &Graph, fact: Fact, change: Change) {
        for block in graph.waiting.of(fact) {
            match change {
                Change::Comes => self.missing.comes(*block).each().for_each(|term| self.mark(graph, term)),
                Change::Goes => self.missing.goes(*block).each().for_each(|term| self.unmark(graph, term)),
            }
        }
    }

    fn mark(&mut self, graph: &Graph, term: TermId) {
        let place = graph.places[term as usize] as usize;
        self.applicable[place / 64] |= 1 << (place % 64);
        self.words[place / 4096] |= 1 << (place / 64 % 64);
    }

    fn unmark(&mut self, graph: &Graph, term: TermId) {
        let place = graph.places[term as usize] as usize;
        self.applicable[place / 64] &= !(1 << (place % 64));
        if self.applicable[place / 64] == 0 {
            self.words[place / 4096] &= !(1 << (place / 64 % 64));
        }
    }

    /// All applicable terms, in their order.
    #[inline]
    pub fn each_applicable(&self, graph: &Graph, mut found: impl FnMut(TermId)) {
        for (at, words) in self.words.iter().enumerate() {
            for word in bits(*words).map(|bit| at * 64 + bit) {
                bits(self.applicable[word]).for_each(|bit| found(graph.order[word * 64 + bit]));
            }
        }
    }

    pub fn memory(&self) -> u64 {
        let marks = self.applicable.len() + self.words.len();
        self.missing.memory() + (marks * size_of::<u64>()) as u64
    }
}
