//! Making matrices canonical: shortest paths between all clocks, anew or after one bound has become tighter.
//!
//! All loops run along rows, which lie together in memory, and without branches per word, so that the compiler can work
//! on several words at a time.

use crate::bound::{AT_MOST_ZERO, Bound, Constraint, INFINITE, LARGEST, MAX_CONSTANT, SMALLEST, plus};
use crate::change::ZoneMut;

/// Row `changed` to be written and row `other` to be read.
#[inline]
fn two_rows(words: &mut [i32], dimension: usize, changed: usize, other: usize) -> (&mut [i32], &[i32]) {
    debug_assert!(changed != other);
    if changed < other {
        let (front, back) = words.split_at_mut(other * dimension);
        (&mut front[changed * dimension..][..dimension], &back[..dimension])
    } else {
        let (front, back) = words.split_at_mut(changed * dimension);
        (&mut back[..dimension], &front[other * dimension..][..dimension])
    }
}

/// Tightens the bounds of a row by the way that begins with the finite `by` and goes on along `onwards`.
///
/// The same as the smaller of each word and [`plus`], with the lowest bits dealt with before the loop.
#[inline]
fn relax(row: &mut [i32], by: i32, onwards: &[i32]) {
    let (even, kept) = split(by);
    for (word, &rest) in row.iter_mut().zip(onwards) {
        let sum = (even + (rest & kept)).max(SMALLEST);
        *word = if (sum <= LARGEST) & (sum < *word) { sum } else { *word };
    }
}

/// A word without its lowest bit, and the bits that another one keeps in a sum with it: with a strict bound the sum is
/// strict, otherwise as strict as the other one.
#[inline]
fn split(by: i32) -> (i32, i32) {
    (by & !1, if by & 1 == 1 { !0 } else { !1 })
}

impl ZoneMut<'_> {
    /// Makes any matrix of bounds canonical (Floyd, Warshall 1962). False: the zone is empty.
    pub fn close(&mut self) -> bool {
        let n = self.dimension;
        // No way has more than n bounds: with small constants there is nothing to be cut off at the ends of the range,
        // and infinite words stay far above finite ones even if they are taken for numbers.
        let small = (self.as_zone().magnitude() as usize + 1).saturating_mul(n) <= MAX_CONSTANT as usize;
        let proper = if small { shortest_small(self.words, n) } else { shortest(self.words, n) };
        if !proper {
            return self.make_empty();
        }
        self.as_zone().check();
        true
    }

    /// Keeps the points with clock `i` − clock `j` within `bound`. False: there are none.
    ///
    /// Takes quadratic time (Bengtsson and Yi 2004): a way that has become shorter leads over the new bound, once.
    pub fn tighten(&mut self, i: usize, j: usize, bound: Bound) -> bool {
        let (n, word) = (self.dimension, bound.word());
        debug_assert!(i < n && j < n);
        if self.is_empty() {
            return false;
        }
        self.as_zone().check();
        if word >= self.words[i * n + j] {
            return true;
        }
        if plus(word, self.words[j * n + i]) < AT_MOST_ZERO {
            return self.make_empty();
        }
        for start in 0..n {
            let to = self.words[start * n + i];
            if to == INFINITE {
                continue;
            }
            let by = plus(to, word);
            // A way to `j` that is no shorter than before makes no way over `j` shorter. This is the case for `j`.
            if by >= self.words[start * n + j] {
                continue;
            }
            let (row, onwards) = two_rows(self.words, n, start, j);
            relax(row, by, onwards);
        }
        self.as_zone().check();
        true
    }

    /// Keeps the points that satisfy all constraints. False: there are none.
    pub fn tighten_all(&mut self, constraints: &[Constraint]) -> bool {
        constraints.iter().all(|c| self.tighten(c.left, c.right, c.bound)) && !self.is_empty()
    }
}

/// Shortest paths; false if there is a negative cycle.
fn shortest(words: &mut [i32], n: usize) -> bool {
    for middle in 0..n {
        for i in 0..n {
            let by = words[i * n + middle];
            if i == middle || by == INFINITE {
                continue;
            }
            let (row, onwards) = two_rows(words, n, i, middle);
            relax(row, by, onwards);
            if row[i] < AT_MOST_ZERO {
                return false;
            }
        }
    }
    true
}

/// The same for a matrix with small constants, quicker. Rows whose length the compiler knows need no loops of unknown
/// length; most models have few clocks.
fn shortest_small(words: &mut [i32], n: usize) -> bool {
    macro_rules! of_known_length {
        ($($length:literal)*) => {
            match n {
                $($length => shortest_of_length::<$length>(words.as_chunks_mut().0),)*
                _ => shortest(words, n),
            }
        };
    }
    of_known_length!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
}

fn shortest_of_length<const N: usize>(rows: &mut [[i32; N]]) -> bool {
    for middle in 0..N {
        // The row itself does not become shorter by a way that begins with <= 0.
        let onwards = rows[middle];
        for (i, row) in rows.iter_mut().enumerate() {
            let by = row[middle];
            if by > LARGEST {
                continue;
            }
            let (even, kept) = split(by);
            row.iter_mut().zip(&onwards).for_each(|(word, rest)| *word = (*word).min(even + (rest & kept)));
            if row[i] < AT_MOST_ZERO {
                return false;
            }
        }
    }
    rows.as_flattened_mut().iter_mut().for_each(|word| *word = if *word > LARGEST { INFINITE } else { *word });
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn known_lengths_and_small_constants_are_only_quicker(
            n in 1usize..18,
            entries in proptest::collection::vec((-3i32..40, 0..4), 18 * 18)
        ) {
            let entries = entries.iter().map(|(word, kind)| if *kind == 0 { INFINITE } else { *word });
            let mut slow: Vec<i32> = entries.take(n * n).collect();
            slow.iter_mut().step_by(n + 1).for_each(|word| *word = AT_MOST_ZERO);
            let mut quick = slow.clone();
            let proper = shortest(&mut slow, n);
            prop_assert_eq!(shortest_small(&mut quick, n), proper);
            prop_assert!(!proper || slow == quick);
        }

        #[test]
        fn relaxing_is_the_smaller_of_word_and_sum(
            row in proptest::collection::vec(prop_oneof![Just(INFINITE), SMALLEST..=LARGEST], 9),
            onwards in proptest::collection::vec(prop_oneof![Just(INFINITE), SMALLEST..=LARGEST], 9),
            by in SMALLEST..=LARGEST
        ) {
            let expected: Vec<i32> = row.iter().zip(&onwards).map(|(word, rest)| (*word).min(plus(by, *rest))).collect();
            let mut relaxed = row.clone();
            relax(&mut relaxed, by, &onwards);
            prop_assert_eq!(relaxed, expected);
        }
    }
}
