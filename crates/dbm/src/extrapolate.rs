//! Extrapolations: larger zones of which there are finitely many, after Behrmann, Bouyer, Larsen, Pelánek, "Lower and
//! upper bounds in zone-based abstractions of timed automata" (2006).
//!
//! What a timed automaton can do does not depend on how far a clock is beyond the largest constant it is compared with.
//! `lower[x]` is the largest constant in a comparison `x > c` or `x >= c` (L of the paper), `upper[x]` the largest in
//! `x < c` or `x <= c` (U); [`NO_BOUND`] if there is none. The entry of the reference is 0.
//!
//! From fine to coarse: `maximal` is in `maximal_plus` and in `lower_upper`, and both are in `lower_upper_plus`. Those
//! with lower and upper constants are exact for the reachability of locations, but not for deadlocks and liveness; those
//! with maximal constants keep more. None of them is exact if guards compare differences of clocks.

use crate::bound::{AT_MOST_ZERO, INFINITE, MAX_CONSTANT, NO_BOUND};
use crate::change::ZoneMut;

/// Above this word, it does not matter how far a clock is ahead of another one. Everything is above if there is no
/// constant.
#[inline(always)]
fn ceiling(constant: i32) -> i32 {
    2 * constant + 1
}

/// Below this word, it does not matter how far a clock is behind another one, with the constant of that other one.
/// Everything is below if there is no constant: the word is then larger than the infinite one.
#[inline(always)]
fn floor(constant: i32) -> i32 {
    -2 * constant
}

/// There must be a constant for each clock, within the range of bounds, and 0 for the reference.
pub(crate) fn check_constants(dimension: usize, lower: &[i32], upper: &[i32]) {
    debug_assert!(lower.len() == dimension && upper.len() == dimension && lower[0] == 0 && upper[0] == 0);
    let proper = |constant: &i32| *constant == NO_BOUND || (0..=MAX_CONSTANT).contains(constant);
    debug_assert!(lower.iter().all(proper) && upper.iter().all(proper));
}

impl ZoneMut<'_> {
    /// `Extra_M`: by the largest constant of each clock.
    pub fn extrapolate_maximal(&mut self, constants: &[i32]) {
        self.extrapolate_lower_upper(constants, constants);
    }

    /// `Extra_M+`: as [`extrapolate_maximal`](Self::extrapolate_maximal), and forgets differences to clocks that are
    /// beyond their constant at all points of the zone.
    pub fn extrapolate_maximal_plus(&mut self, constants: &[i32]) {
        self.extrapolate_lower_upper_plus(constants, constants);
    }

    /// `Extra_LU`: by the largest lower and upper constants of each clock.
    pub fn extrapolate_lower_upper(&mut self, lower: &[i32], upper: &[i32]) {
        let n = self.dimension;
        check_constants(n, lower, upper);
        self.as_zone().check();
        if self.is_empty() {
            return;
        }
        let mut changed = false;
        for i in 0..n {
            let ceiling = ceiling(lower[i]);
            // Clocks are not negative, whatever is forgotten about them.
            let weakest = if i == 0 { AT_MOST_ZERO } else { INFINITE };
            let row = &mut self.words[i * n..][..n];
            row[i] = weakest;
            for (word, constant) in row.iter_mut().zip(upper) {
                let new = if *word > ceiling { weakest } else { (*word).max(floor(*constant)).min(weakest) };
                changed |= new != *word;
                *word = new;
            }
            row[i] = AT_MOST_ZERO;
        }
        self.finish(changed);
    }

    /// `Extra_LU+`: as [`extrapolate_lower_upper`](Self::extrapolate_lower_upper), and forgets differences to clocks
    /// that are beyond their constants at all points of the zone.
    pub fn extrapolate_lower_upper_plus(&mut self, lower: &[i32], upper: &[i32]) {
        let n = self.dimension;
        check_constants(n, lower, upper);
        self.as_zone().check();
        if self.is_empty() {
            return;
        }
        let mut changed = false;
        let (first, others) = self.words.split_at_mut(n);
        for (i, row) in (1..n).zip(others.chunks_exact_mut(n)) {
            let ceiling = ceiling(lower[i]);
            row[i] = INFINITE;
            if first[i] < floor(lower[i]) {
                changed |= row.iter().any(|word| *word != INFINITE);
                row.fill(INFINITE);
            } else {
                for ((word, constant), lowest) in row.iter_mut().zip(upper).zip(first.iter()) {
                    let forget = (*word > ceiling) | (*lowest < floor(*constant));
                    let new = if forget { INFINITE } else { *word };
                    changed |= new != *word;
                    *word = new;
                }
            }
            row[i] = AT_MOST_ZERO;
        }
        for (word, constant) in first.iter_mut().zip(upper).skip(1) {
            let new = (*word).max(floor(*constant)).min(AT_MOST_ZERO);
            changed |= new != *word;
            *word = new;
        }
        self.finish(changed);
    }

    /// Bounds that were weakened may follow from others, still.
    fn finish(&mut self, changed: bool) {
        if changed {
            self.close();
        }
        self.as_zone().check();
    }
}
