//! Zones to work on: the operations of the symbolic semantics of timed automata, after Bengtsson and Yi, "Timed Automata:
//! Semantics, Algorithms and Tools" (2004).
//!
//! Operations work in place, allocate nothing, expect a canonical zone and leave one. Those that can take points away say
//! whether any are left; an empty zone stays empty.

use crate::bound::{AT_MOST_ZERO, Bound, INFINITE, plus};
use crate::zone::Zone;

/// A zone in memory of somebody else, to be changed.
pub struct ZoneMut<'a> {
    pub(crate) words: &'a mut [i32],
    pub(crate) dimension: usize,
}

impl<'a> ZoneMut<'a> {
    /// A view of `words`, row by row, as a zone over `dimension - 1` clocks and the reference.
    ///
    /// # Panics
    /// If there are not `dimension * dimension` words, or none.
    pub fn new(words: &'a mut [i32], dimension: usize) -> Self {
        assert!(dimension > 0 && words.len() == dimension * dimension, "a zone has the wrong number of words");
        ZoneMut { words, dimension }
    }

    pub fn as_zone(&self) -> Zone<'_> {
        Zone { words: self.words, dimension: self.dimension }
    }

    pub fn is_empty(&self) -> bool {
        self.as_zone().is_empty()
    }

    /// Marks the zone as empty. Always false, as a last word of operations that find this out.
    pub fn make_empty(&mut self) -> bool {
        self.words[0] = Bound::ZERO_LT.word();
        false
    }

    /// Becomes a copy of `zone`.
    pub fn assign(&mut self, zone: Zone<'_>) {
        self.words.copy_from_slice(zone.words());
    }

    /// Sets a single bound. The zone need not be canonical afterwards: [`close`](Self::close) it.
    pub fn set_bound(&mut self, i: usize, j: usize, bound: Bound) {
        self.words[i * self.dimension + j] = bound.word();
    }

    /// All clocks are 0.
    pub fn zero(&mut self) {
        self.words.fill(AT_MOST_ZERO);
    }

    /// All values of all clocks.
    pub fn universal(&mut self) {
        self.words.fill(INFINITE);
        self.words[..self.dimension].fill(AT_MOST_ZERO);
        self.restore_diagonal();
    }

    pub(crate) fn restore_diagonal(&mut self) {
        self.words.iter_mut().step_by(self.dimension + 1).for_each(|word| *word = AT_MOST_ZERO);
    }

    /// Keeps the points that are in the other zone, too. False: there are none.
    pub fn intersect(&mut self, other: Zone<'_>) -> bool {
        let n = self.dimension;
        debug_assert!(n == other.dimension());
        if self.is_empty() || other.is_empty() {
            return self.make_empty();
        }
        other.check();
        let tighter = self.words.iter().zip(other.words()).filter(|(mine, theirs)| theirs < mine).count();
        if tighter >= n {
            self.words.iter_mut().zip(other.words()).for_each(|(mine, theirs)| *mine = (*mine).min(*theirs));
            return self.close();
        }
        // Few of them: one by one is cheaper than to begin anew.
        tighter == 0 || (0..n).all(|i| (0..n).all(|j| self.tighten(i, j, other.bound(i, j))))
    }

    /// The smallest zone around this one and the other.
    pub fn hull(&mut self, other: Zone<'_>) {
        debug_assert!(self.dimension == other.dimension());
        if self.is_empty() {
            self.assign(other);
        } else if !other.is_empty() {
            // No bound can be tightened: each is reached in one of the two zones.
            self.words.iter_mut().zip(other.words()).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        }
        self.as_zone().check();
    }

    /// Lets time pass: the points reached from the zone by waiting.
    pub fn up(&mut self) {
        self.as_zone().check();
        if !self.is_empty() {
            let n = self.dimension;
            self.words.iter_mut().step_by(n).skip(1).for_each(|word| *word = INFINITE);
        }
        self.as_zone().check();
    }

    /// The points from which the zone is reached by waiting.
    pub fn down(&mut self) {
        self.as_zone().check();
        if !self.is_empty() {
            let n = self.dimension;
            let (first, others) = self.words.split_at_mut(n);
            // Back until the clock is 0, unless a clock that is ahead of it in this way stops it: row by row, the
            // smallest bound of each column. Those of the diagonal are <= 0; upper bounds, in column 0, are not less.
            first.fill(AT_MOST_ZERO);
            for row in others.chunks_exact(n) {
                first.iter_mut().zip(row).for_each(|(lower, word)| *lower = (*lower).min(*word));
            }
        }
        self.as_zone().check();
    }

    /// `clock := value`
    pub fn reset(&mut self, clock: usize, value: i32) {
        let n = self.dimension;
        debug_assert!(0 < clock && clock < n && value >= 0);
        self.as_zone().check();
        if self.is_empty() {
            return;
        }
        let (ahead, behind) = (Bound::at_most(value).word(), Bound::at_most(-value).word());
        for j in 0..n {
            self.words[clock * n + j] = plus(ahead, self.words[j]);
            self.words[j * n + clock] = plus(behind, self.words[j * n]);
        }
        self.words[clock * n + clock] = AT_MOST_ZERO;
        self.as_zone().check();
    }

    /// `to := from`, both clocks.
    pub fn copy(&mut self, to: usize, from: usize) {
        let n = self.dimension;
        debug_assert!(0 < to && to < n && 0 < from && from < n);
        self.as_zone().check();
        if to == from || self.is_empty() {
            return;
        }
        self.words.copy_within(from * n..(from + 1) * n, to * n);
        for i in 0..n {
            self.words[i * n + to] = self.words[i * n + from];
        }
        self.as_zone().check();
    }

    /// `clock := clock + amount`. If the amount is negative, points where the clock would be less than 0 are lost.
    /// False: all are.
    pub fn shift(&mut self, clock: usize, amount: i32) -> bool {
        let n = self.dimension;
        debug_assert!(0 < clock && clock < n);
        if self.is_empty() {
            return false;
        }
        // First cut off what would become negative: no intermediate zone is wrong.
        if amount < 0 && !self.tighten(0, clock, Bound::at_most(amount)) {
            return false;
        }
        let (ahead, behind) = (Bound::at_most(amount).word(), Bound::at_most(-amount).word());
        for j in 0..n {
            self.words[clock * n + j] = plus(ahead, self.words[clock * n + j]);
            self.words[j * n + clock] = plus(behind, self.words[j * n + clock]);
        }
        self.words[clock * n + clock] = AT_MOST_ZERO;
        self.as_zone().check();
        true
    }

    /// Forgets the value of a clock: it can be anything.
    pub fn free(&mut self, clock: usize) {
        let n = self.dimension;
        debug_assert!(0 < clock && clock < n);
        self.as_zone().check();
        if self.is_empty() {
            return;
        }
        self.words[clock * n..][..n].fill(INFINITE);
        for i in 0..n {
            // The clock can be as small as 0, so it is at most as far behind clock i as the reference is.
            self.words[i * n + clock] = self.words[i * n];
        }
        self.words[clock * n + clock] = AT_MOST_ZERO;
        self.as_zone().check();
    }

    /// The points from which `clock := value` leads into the zone. False: there are none.
    pub fn before_reset(&mut self, clock: usize, value: i32) -> bool {
        let left = self.tighten(clock, 0, Bound::at_most(value)) && self.tighten(0, clock, Bound::at_most(-value));
        self.free(clock);
        left
    }

    /// The points from which `to := from` leads into the zone. False: there are none.
    pub fn before_copy(&mut self, to: usize, from: usize) -> bool {
        if to == from {
            return !self.is_empty();
        }
        let left = self.tighten(to, from, Bound::ZERO_LE) && self.tighten(from, to, Bound::ZERO_LE);
        self.free(to);
        left
    }
}
