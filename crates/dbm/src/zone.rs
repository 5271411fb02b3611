//! Zones to look at: a borrowed matrix of bounds.
//!
//! The word at row `i`, column `j` bounds the difference of clock `i` and clock `j`. Clock 0 is the reference, which is
//! always 0: column 0 holds the upper bounds of the clocks, row 0 their lower bounds with the sign turned. Clocks are
//! never negative. A matrix is *canonical* if no bound can be tightened without losing points; all operations expect that
//! and keep it, and most questions are then answered by a look at single words. An empty zone has no canonical form: it
//! is marked by its first word, the others mean nothing.

use crate::bound::{AT_MOST_ZERO, Bound, INFINITE, plus};
use crate::interval::Interval;
use crate::point::Point;

/// A zone in memory of somebody else, to be read.
#[derive(Clone, Copy)]
pub struct Zone<'a> {
    pub(crate) words: &'a [i32],
    pub(crate) dimension: usize,
}

/// How two zones are to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Equal,
    /// The first is a proper subset of the second.
    Subset,
    /// The second is a proper subset of the first.
    Superset,
    Different,
}

impl<'a> Zone<'a> {
    /// A view of `words`, row by row, as a zone over `dimension - 1` clocks and the reference.
    ///
    /// # Panics
    /// If there are not `dimension * dimension` words, or none.
    pub fn new(words: &'a [i32], dimension: usize) -> Self {
        assert!(dimension > 0 && words.len() == dimension * dimension, "a zone has the wrong number of words");
        Zone { words, dimension }
    }

    pub fn words(self) -> &'a [i32] {
        self.words
    }

    /// The number of clocks and one more, for the reference.
    pub fn dimension(self) -> usize {
        self.dimension
    }

    #[inline]
    pub(crate) fn word(self, i: usize, j: usize) -> i32 {
        debug_assert!(i < self.dimension && j < self.dimension);
        self.words[i * self.dimension + j]
    }

    pub(crate) fn row(self, i: usize) -> &'a [i32] {
        &self.words[i * self.dimension..][..self.dimension]
    }

    /// The bound on clock `i` − clock `j`.
    pub fn bound(self, i: usize, j: usize) -> Bound {
        Bound::from_word(self.word(i, j))
    }

    pub fn is_empty(self) -> bool {
        self.words[0] < AT_MOST_ZERO
    }

    /// Is there a point in the zone with clock `i` − clock `j` within `bound`?
    pub fn satisfies(self, i: usize, j: usize, bound: Bound) -> bool {
        self.check();
        !self.is_empty() && (bound.is_infinite() || plus(bound.word(), self.word(j, i)) >= AT_MOST_ZERO)
    }

    /// Is clock `i` − clock `j` within `bound` at all points of the zone?
    pub fn implies(self, i: usize, j: usize, bound: Bound) -> bool {
        self.check();
        self.is_empty() || self.word(i, j) <= bound.word()
    }

    /// Is every point of this zone in the other one?
    pub fn is_subset(self, other: Zone<'_>) -> bool {
        debug_assert!(self.dimension == other.dimension);
        self.check();
        // Without a branch per word, which would keep the loop from working on several words at a time.
        let within = |a: &[i32], b: &[i32]| a.iter().zip(b).fold(true, |all, (a, b)| all & (a <= b));
        self.is_empty()
            || (!other.is_empty() && self.words.chunks(16).zip(other.words.chunks(16)).all(|(a, b)| within(a, b)))
    }

    /// How this zone is to the other one.
    pub fn relation(self, other: Zone<'_>) -> Relation {
        match (self.is_subset(other), other.is_subset(self)) {
            (true, true) => Relation::Equal,
            (true, false) => Relation::Subset,
            (false, true) => Relation::Superset,
            (false, false) => Relation::Different,
        }
    }

    /// Have the zones the same points?
    pub fn same(self, other: Zone<'_>) -> bool {
        debug_assert!(self.dimension == other.dimension);
        if self.is_empty() { other.is_empty() } else { self.words == other.words }
    }

    /// The values that a clock has in the zone, which must not be empty.
    pub fn clock_bounds(self, clock: usize) -> Interval {
        debug_assert!(!self.is_empty());
        self.check();
        let (lower, upper) = (self.bound(0, clock), self.bound(clock, 0));
        Interval {
            lower: -i128::from(lower.constant().expect("clocks are not negative")),
            lower_open: lower.is_strict(),
            upper: upper.constant().map(i128::from),
            upper_open: upper.is_strict(),
        }
    }

    /// Is the point in the zone?
    pub fn contains(self, point: &Point) -> bool {
        debug_assert!(self.dimension == point.dimension());
        let unit = point.denominator();
        let within = |i: usize, j: usize| match self.bound(i, j) {
            Bound::INFINITY => true,
            bound => {
                let (difference, limit) = (point.scaled(i) - point.scaled(j), i128::from(bound.word() >> 1) * unit);
                difference < limit || (difference == limit && !bound.is_strict())
            }
        };
        !self.is_empty() && (0..self.dimension).all(|i| (0..self.dimension).all(|j| within(i, j)))
    }

    /// The delays after which a point is in the zone, in units of the point's denominator; nothing if it never is.
    pub fn entry(self, point: &Point) -> Option<Interval> {
        debug_assert!(self.dimension == point.dimension());
        if self.is_empty() {
            return None;
        }
        let unit = point.denominator();
        let scaled = |bound: Bound| bound.constant().map(|constant| i128::from(constant) * unit);
        let mut delays = Interval { lower: 0, lower_open: false, upper: None, upper_open: true };
        for i in 1..self.dimension {
            let lower = self.bound(0, i);
            if let Some(limit) = scaled(lower) {
                delays.at_least(-limit - point.scaled(i), lower.is_strict());
            }
            let upper = self.bound(i, 0);
            if let Some(limit) = scaled(upper) {
                delays.at_most(limit - point.scaled(i), upper.is_strict());
            }
            for j in 1..self.dimension {
                // Time does not change differences.
                let (bound, difference) = (self.bound(i, j), point.scaled(i) - point.scaled(j));
                if scaled(bound).is_some_and(|limit| difference > limit || (difference == limit && bound.is_strict())) {
                    return None;
                }
            }
        }
        (!delays.is_empty()).then_some(delays)
    }

    /// A number that grows with the zone: first the pairs of clocks whose difference has no bound, then the sum of the
    /// bounds, of which those beyond `limit` count as `limit`.
    pub fn size(self, limit: i32) -> u64 {
        if self.is_empty() {
            return 0;
        }
        let limit = i64::from(limit.clamp(0, crate::MAX_CONSTANT));
        let all_finite = (self.words.len() as i64).saturating_mul(4 * limit + 4);
        let count = |word: &i32| match *word {
            INFINITE => all_finite,
            word => i64::from(word).clamp(-2 * limit - 2, 2 * limit + 2) + 2 * limit + 2,
        };
        self.words.iter().map(count).fold(0, i64::saturating_add) as u64
    }

    /// The largest constant of a finite bound, without its sign: says how far the zone is from
    /// [`MAX_CONSTANT`](crate::MAX_CONSTANT), where bounds begin to be weakened.
    pub fn magnitude(self) -> i32 {
        let finite = self.words.iter().filter(|word| **word != INFINITE);
        finite.map(|word| (word >> 1).abs()).max().unwrap_or(0)
    }

    /// Can no bound be tightened by way of a third clock? Takes cubic time: for tests and assertions.
    pub fn is_canonical(self) -> bool {
        let n = self.dimension;
        let tight = |i: usize, j: usize, k: usize| {
            let (to, from) = (self.word(i, k), self.word(k, j));
            to == INFINITE || plus(to, from) >= self.word(i, j)
        };
        let proper = (0..n).all(|i| self.word(i, i) == AT_MOST_ZERO && self.word(0, i) <= AT_MOST_ZERO);
        proper && (0..n).all(|i| (0..n).all(|j| (0..n).all(|k| tight(i, j, k))))
    }

    /// What all operations rely on; only looked at in debug builds. Where sums may have left the range of constants,
    /// bounds can be weaker than they should be.
    #[inline]
    pub(crate) fn check(self) {
        debug_assert!(
            self.is_empty() || self.magnitude() >= crate::MAX_CONSTANT / 4 || self.is_canonical(),
            "a zone is not canonical"
        );
    }
}
