//! Paths by trying all walks, the most probable first: a queue of walks that are not finished, ordered by their exact products.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use bughound_markov::{RBig, StateSet};
use dashu_ratio::Relaxed;

/// A step: the choice, the state it leads to, its exact probability.
pub type Step = (usize, usize, RBig);

/// A model as walks see it: by state, its steps. Goals and lost states are left by none.
#[derive(Clone)]
pub struct Ground {
    pub steps: Vec<Vec<Step>>,
    pub goals: StateSet,
}

/// (from, choice, to) in the order in which they are taken.
pub type Walk = Vec<(usize, usize, usize)>;

pub struct Found {
    pub probability: RBig,
    pub length: usize,
}

struct Partial {
    /// Not reduced: the greatest common divisor of long products would take all the time.
    product: Relaxed,
    length: usize,
    state: usize,
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Partial {}

impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        self.product.cmp(&other.product).then(other.length.cmp(&self.length))
    }
}

impl PartialOrd for Partial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ground {
    /// From which states a goal can be reached.
    pub fn hopeful(&self) -> StateSet {
        let mut hopeful = self.goals.clone();
        loop {
            let mut grown = false;
            for (state, steps) in self.steps.iter().enumerate() {
                if !hopeful.contains(state) && steps.iter().any(|(_, to, _)| hopeful.contains(*to)) {
                    hopeful.insert(state);
                    grown = true;
                }
            }
            if !grown {
                return hopeful;
            }
        }
    }

    /// The first walks to a goal, shorter ones first among equally probable ones; at most `count`, and fewer if that takes more
    /// than `pops` walks. The flag: there are no others.
    pub fn best_walks(&self, from: usize, count: usize, pops: usize) -> (Vec<Found>, bool) {
        let hopeful = self.hopeful();
        let mut found = Vec::new();
        let mut queue = BinaryHeap::new();
        if hopeful.contains(from) {
            queue.push(Partial { product: Relaxed::ONE, length: 0, state: from });
        }
        for _ in 0..pops {
            let Some(Partial { product, length, state }) = queue.pop() else { return (found, true) };
            if self.goals.contains(state) {
                found.push(Found { probability: product.canonicalize(), length });
                if found.len() == count {
                    break;
                }
                continue;
            }
            for (_, to, probability) in self.steps[state].iter().filter(|(_, to, _)| hopeful.contains(*to)) {
                let product = &product * probability.clone().relax();
                queue.push(Partial { product, length: length + 1, state: *to });
            }
        }
        let is_all = queue.is_empty();
        (found, is_all)
    }

    /// The exact probability of a walk, if it is one from here to a goal that meets no goal before.
    pub fn probability(&self, from: usize, walk: &Walk) -> Option<RBig> {
        let (mut at, mut product) = (from, RBig::ONE);
        for (source, choice, target) in walk {
            if *source != at || self.goals.contains(at) {
                return None;
            }
            let (_, _, probability) = self.steps[at].iter().find(|(c, to, _)| (c, to) == (choice, target))?;
            product *= probability;
            at = *target;
        }
        self.goals.contains(at).then_some(product)
    }

    /// By state: the probability of the best walk from these states, by relaxing all steps until nothing changes.
    pub fn best_from(&self, sources: &[usize]) -> Vec<RBig> {
        let mut best = vec![RBig::ZERO; self.steps.len()];
        sources.iter().for_each(|&state| best[state] = RBig::ONE);
        loop {
            let mut grown = false;
            for (state, steps) in self.steps.iter().enumerate() {
                for (_, to, probability) in steps {
                    let through = &best[state] * probability;
                    if through > best[*to] {
                        best[*to] = through;
                        grown = true;
                    }
                }
            }
            if !grown {
                return best;
            }
        }
    }

    /// By state: the probability of the best walk to a goal.
    pub fn best_remaining(&self) -> Vec<RBig> {
        let mut best: Vec<RBig> = (0..self.steps.len())
            .map(|state| if self.goals.contains(state) { RBig::ONE } else { RBig::ZERO })
            .collect();
        loop {
            let mut grown = false;
            for (state, steps) in self.steps.iter().enumerate() {
                for (_, to, probability) in steps {
                    let through = &best[*to] * probability;
                    if through > best[state] {
                        best[state] = through;
                        grown = true;
                    }
                }
            }
            if !grown {
                return best;
            }
        }
    }
}

/// The natural logarithm of a positive fraction, however small.
pub fn ln(value: &RBig) -> f64 {
    // Whole bytes are near enough: the rest is within the range of a number.
    let bits = |number: &dashu_int::UBig| 8 * number.to_le_bytes().len();
    let (numerator, denominator) =
        (dashu_int::UBig::try_from(value.numerator().clone()).expect("it is positive"), value.denominator().clone());
    let shift = bits(&denominator) as i64 - bits(&numerator) as i64;
    let scaled = if shift >= 0 {
        RBig::from_parts((numerator << shift as usize).into(), denominator)
    } else {
        RBig::from_parts(numerator.into(), denominator << (-shift) as usize)
    };
    scaled.to_f64().value().ln() - shift as f64 * std::f64::consts::LN_2
}
