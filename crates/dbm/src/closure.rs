//! Making matrices canonical: shortest paths between all clocks, anew or after one bound has become tighter.
//!
//! All loops run along rows, which lie together in memory, and without branches per word, so that the compiler can work
//! on several words at a time.

use crate::bound::{AT_MOST_ZERO, Bound, Constraint, INFINITE, plus};
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

/// Tightens the bounds of a row by the way that begins with `by` and goes on along `onwards`.
#[inline]
fn relax(row: &mut [i32], by: i32, onwards: &[i32]) {
    for (word, &rest) in row.iter_mut().zip(onwards) {
        *word = (*word).min(plus(by, rest));
    }
}

impl ZoneMut<'_> {
    /// Makes any matrix of bounds canonical (Floyd, Warshall 1962). False: the zone is empty.
    pub fn close(&mut self) -> bool {
        let n = self.dimension;
        for middle in 0..n {
            for i in 0..n {
                let by = self.words[i * n + middle];
                if i == middle || by == INFINITE {
                    continue;
                }
                let (row, onwards) = two_rows(self.words, n, i, middle);
                relax(row, by, onwards);
                if row[i] < AT_MOST_ZERO {
                    return self.make_empty();
                }
            }
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
