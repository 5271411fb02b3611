//! What heuristics see of a state with costs.
//!
//! They are built for the network and know nothing of the way in which an engine keeps costs. So a state is shown to them
//! with a cover of its own form: first the zone of the clocks of the model, as in models without costs, then the hints of
//! the model, then how the costs of the points of the zone differ.

use bughound_dbm::Zone;

/// A cover as heuristics see it.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'c> {
    words: &'c [i32],
    dimension: usize,
}

const HINTS: usize = 2;
const GENERAL: i32 = 0;
const UNIFORM: i32 = 1;
/// Instead of a bound that is none.
const NONE: i32 = i32::MAX;

/// How the costs of the points of a zone differ.
#[derive(Clone, Copy, Debug)]
pub enum Costs<'c> {
    /// The cost grows with time alone: it is that of the earliest point, and this many units of time are different.
    Uniform(Lateness<'c>),
    /// It is an affine function of the clocks.
    General(Function<'c>),
}

/// For each clock, by how much it can be ahead of the time since the earliest point of the zone.
#[derive(Clone, Copy, Debug)]
pub struct Lateness<'c> {
    earliest: i32,
    ahead: &'c [i32],
}

impl Lateness<'_> {
    /// The largest difference of a clock (1 is the first one) and the time that has passed since the earliest point.
    pub fn ahead(&self, clock: usize) -> Option<i64> {
        let ahead = self.ahead[clock - 1];
        (ahead != NONE).then(|| i64::from(ahead) + i64::from(self.earliest))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Function<'c> {
    numbers: &'c [i32],
}

impl Function<'_> {
    fn number(&self, index: usize) -> i64 {
        i64::from(self.numbers[2 * index + 1]) << 32 | i64::from(self.numbers[2 * index] as u32)
    }

    /// The cost at the lowest corner of the zone, less the least cost.
    pub fn corner_above_least(&self) -> i64 {
        self.number(0)
    }

    /// By how much the cost grows with a clock; 1 is the first one.
    pub fn coefficient(&self, clock: usize) -> i64 {
        self.number(clock)
    }
}

impl<'c> Sight<'c> {
    /// Of a model with so many clocks; nothing if the cover has another length.
    pub fn new(cover: &'c [i32], clocks: usize) -> Option<Sight<'c>> {
        let dimension = clocks + 1;
        (cover.len() == length(dimension)).then_some(Sight { words: cover, dimension })
    }

    /// The values of the clocks.
    pub fn zone(&self) -> Zone<'c> {
        Zone::new(&self.words[..self.dimension * self.dimension], self.dimension)
    }

    fn rest(&self) -> &'c [i32] {
        &self.words[self.dimension * self.dimension..]
    }

    /// What the model says that remains to be paid; 0 if it says nothing.
    pub fn remaining(&self) -> i32 {
        self.rest()[0]
    }

    /// The place of the state in the order of the model; 0 if there is none.
    pub fn heur(&self) -> i32 {
        self.rest()[1]
    }

    pub fn costs(&self) -> Costs<'c> {
        let rest = &self.rest()[HINTS..];
        let numbers = &rest[1..];
        if rest[0] == UNIFORM {
            Costs::Uniform(Lateness { earliest: numbers[0], ahead: &numbers[1..] })
        } else {
            Costs::General(Function { numbers })
        }
    }
}

fn length(dimension: usize) -> usize {
    dimension * dimension + HINTS + 1 + 2 * dimension
}

/// Writes down what is to be seen. First the matrix of the clocks, then the hints, then one of the ways to see costs.
pub(super) struct Sketch<'w> {
    words: &'w mut Vec<i32>,
    dimension: usize,
}

impl<'w> Sketch<'w> {
    pub fn new(words: &'w mut Vec<i32>, dimension: usize, remaining: i32, heur: i32) -> Self {
        words.clear();
        words.resize(dimension * dimension, 0);
        words.extend([remaining, heur]);
        Sketch { words, dimension }
    }

    /// The zone of the clocks: the first ones of a zone that may have more.
    pub fn clocks(&mut self, zone: Zone<'_>) {
        let n = self.dimension;
        for (row, words) in self.words[..n * n].chunks_exact_mut(n).enumerate() {
            words.copy_from_slice(&zone.words()[row * zone.dimension()..][..n]);
        }
    }

    /// The clock for all time is the last one of this zone.
    pub fn uniform(self, zone: Zone<'_>) {
        let time = self.dimension;
        self.words.extend([UNIFORM, -zone.bound(0, time).constant().unwrap_or(0)]);
        self.words.extend((1..time).map(|clock| zone.bound(clock, time).constant().unwrap_or(NONE)));
        self.words.resize(length(self.dimension), 0);
    }

    pub fn general(self, corner_above_least: i64, coefficients: &[i64]) {
        self.words.push(GENERAL);
        for number in std::iter::once(&corner_above_least).chain(&coefficients[1..]) {
            self.words.extend([*number as i32, (*number >> 32) as i32]);
        }
        self.words.resize(length(self.dimension), 0);
    }
}
