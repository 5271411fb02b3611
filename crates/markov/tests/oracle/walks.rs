//! Paths by trying all walks, the most probable first: a queue of walks that are not finished, ordered by their exact products.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use bughound_markov::{RBig, StateSet};
use dashu_int::UBig;

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

/// A walk that is not finished. What counts is how often it takes steps of each probability: products of long walks are long.
struct Partial {
    /// The logarithm of the product, near enough to tell most walks apart.
    ln: f64,
    /// By probability.
    taken: Vec<u32>,
    length: usize,
    state: usize,
    table: Rc<Table>,
}

/// All different probabilities.
struct Table {
    probabilities: Vec<RBig>,
    ln: Vec<f64>,
}

impl Table {
    fn ln(&self, taken: &[u32]) -> f64 {
        self.ln.iter().zip(taken).map(|(ln, &times)| ln * f64::from(times)).sum()
    }

    /// The product, if a probability is taken so many times; not reduced before the end.
    fn product(&self, times: impl Fn(usize) -> u32) -> RBig {
        let (mut numerator, mut denominator) = (UBig::ONE, UBig::ONE);
        for (at, probability) in self.probabilities.iter().enumerate().filter(|(at, _)| times(*at) > 0) {
            numerator *= positive(probability).pow(times(at) as usize);
            denominator *= probability.denominator().pow(times(at) as usize);
        }
        RBig::from_parts(numerator.into(), denominator)
    }
}

fn positive(value: &RBig) -> UBig {
    UBig::try_from(value.numerator().clone()).expect("it is not negative")
}

impl PartialEq for Partial {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Partial {}

impl Ord for Partial {
    fn cmp(&self, other: &Self) -> Ordering {
        let shorter = other.length.cmp(&self.length);
        if (self.ln - other.ln).abs() > 1e-6 {
            return self.ln.total_cmp(&other.ln);
        }
        if self.taken == other.taken {
            return shorter;
        }
        // What both have in common makes no difference; whoever has nothing else is more probable.
        let extra = |own: &Partial, other: &Partial| {
            let mut steps = own.taken.iter().zip(&other.taken).zip(&own.table.probabilities);
            steps.any(|((own, other), probability)| own > other && *probability != RBig::ONE)
        };
        match (extra(self, other), extra(other, self)) {
            (false, false) => return shorter,
            (false, true) => return Ordering::Greater,
            (true, false) => return Ordering::Less,
            (true, true) => {}
        }
        let own = self.table.product(|at| self.taken[at].saturating_sub(other.taken[at]));
        let others = self.table.product(|at| other.taken[at].saturating_sub(self.taken[at]));
        own.cmp(&others).then(shorter)
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
        let mut probabilities: Vec<RBig> = self.steps.iter().flatten().map(|step| step.2.clone()).collect();
        probabilities.sort();
        probabilities.dedup();
        let place = |probability: &RBig| probabilities.binary_search(probability).expect("it is one of them");
        let table = Rc::new(Table { ln: probabilities.iter().map(ln).collect(), probabilities: probabilities.clone() });
        if hopeful.contains(from) {
            let taken = vec![0; probabilities.len()];
            queue.push(Partial { ln: 0.0, taken, length: 0, state: from, table: table.clone() });
        }
        for _ in 0..pops {
            let Some(Partial { taken, length, state, .. }) = queue.pop() else { return (found, true) };
            if self.goals.contains(state) {
                found.push(Found { probability: table.product(|at| taken[at]), length });
                if found.len() == count {
                    break;
                }
                continue;
            }
            for (_, to, probability) in self.steps[state].iter().filter(|(_, to, _)| hopeful.contains(*to)) {
                let mut taken = taken.clone();
                taken[place(probability)] += 1;
                let ln = table.ln(&taken);
                queue.push(Partial { ln, taken, length: length + 1, state: *to, table: table.clone() });
            }
        }
        let is_all = queue.is_empty();
        (found, is_all)
    }

    /// The probabilities of its steps, if this is a walk from here to a goal that meets no goal before.
    pub fn follow(&self, from: usize, walk: &Walk) -> Option<Vec<&RBig>> {
        let mut at = from;
        let mut probabilities = Vec::new();
        for (source, choice, target) in walk {
            if *source != at || self.goals.contains(at) {
                return None;
            }
            let (_, _, probability) = self.steps[at].iter().find(|(c, to, _)| (c, to) == (choice, target))?;
            probabilities.push(probability);
            at = *target;
        }
        self.goals.contains(at).then_some(probabilities)
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
    let bits = |number: &UBig| 8 * number.to_le_bytes().len();
    let (numerator, denominator) = (positive(value), value.denominator().clone());
    let shift = bits(&denominator) as i64 - bits(&numerator) as i64;
    let scaled = if shift >= 0 {
        RBig::from_parts((numerator << shift as usize).into(), denominator)
    } else {
        RBig::from_parts(numerator.into(), denominator << (-shift) as usize)
    };
    scaled.to_f64().value().ln() - shift as f64 * std::f64::consts::LN_2
}
