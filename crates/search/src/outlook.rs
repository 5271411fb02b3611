//! How much of a search is left, as far as its open states tell.
//!
//! Where every state is expanded once, the open states are what was met and not expanded. While a state space is being filled, new
//! states become rarer in proportion to those that are known: the frontier over the expansions is a parabola (it would be exactly one
//! if states were met by chance), which ends where nothing is left. The parabola is fitted to all looks so far (least squares:
//! layers go up and down); as long as it does not come down within sight, nothing is told. Related: Pelánek, Šimeček 2008, "Estimating
//! state space parameters", who extrapolate the layers.
//!
//! It is a guess for people who wait: it is early where a state space has a bottleneck, and nothing else depends on it.

use std::time::Duration;

/// Looks that are remembered; when there are more, every other one is forgotten.
const MOST: usize = 128;
/// Nothing is told before so many looks.
const FEWEST: usize = 8;
/// A guess that is so many times what was done is none.
const FARTHEST: f64 = 4.0;

/// What is left of a search that finds no error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Left {
    pub expansions: u64,
    /// At the speed of the second half of the expansions so far.
    pub time: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Look {
    elapsed: Duration,
    expanded: u64,
    frontier: u64,
}

#[derive(Debug, Default)]
pub struct Outlook {
    phase: &'static str,
    looks: Vec<Look>,
    /// Looks are this far apart, in expansions.
    apart: u64,
}

impl Outlook {
    /// A search is so far. Another phase begins from nothing.
    pub fn look(&mut self, phase: &'static str, elapsed: Duration, expanded: u64, frontier: u64) {
        let last = self.looks.last().map_or(0, |look| look.expanded);
        if phase != self.phase || expanded < last {
            *self = Outlook { phase, ..Outlook::default() };
        }
        if self.looks.last().is_some_and(|look| expanded < look.expanded + self.apart.max(1)) {
            return;
        }
        if self.looks.len() == MOST {
            let mut number = 0;
            self.looks.retain(|_| {
                number += 1;
                number % 2 == 1
            });
            self.apart = expanded / MOST as u64;
        }
        self.looks.push(Look { elapsed, expanded, frontier });
    }

    /// What is left, if that can be told.
    pub fn left(&self) -> Option<Left> {
        let now = *self.looks.last()?;
        let before = *self.looks.iter().find(|look| look.expanded >= now.expanded / 2)?;
        let done = now.expanded as f64;
        if self.looks.len() < FEWEST {
            return None;
        }
        let points = self.looks.iter().map(|look| (look.expanded as f64 / done - 1.0, look.frontier as f64));
        let share = end_of_parabola(points).filter(|share| (0.0..=FARTHEST).contains(share))?;
        let took = now.elapsed.saturating_sub(before.elapsed);
        let expansions = share * done;
        let speed = (now.expanded - before.expanded) as f64 / took.as_secs_f64().max(1e-9);
        let time = Duration::try_from_secs_f64(expansions / speed).ok()?;
        Some(Left { expansions: expansions as u64, time })
    }
}

/// Where the parabola nearest to these points comes down to 0, to the right of 0.
fn end_of_parabola(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    // Sums of the powers of x, and of these times y: the normal equations of least squares.
    let (mut powers, mut right) = ([0.0; 5], [0.0; 3]);
    for (x, y) in points {
        let mut power = 1.0;
        for (k, sum) in powers.iter_mut().enumerate() {
            *sum += power;
            if let Some(right) = right.get_mut(k) {
                *right += power * y;
            }
            power *= x;
        }
    }
    let column = |k: usize| [powers[k], powers[k + 1], powers[k + 2]];
    let all = determinant(column(0), column(1), column(2));
    let constant = determinant(right, column(1), column(2)) / all;
    let linear = determinant(column(0), right, column(2)) / all;
    let square = determinant(column(0), column(1), right) / all;
    let under_root = linear * linear - 4.0 * square * constant;
    // Opens downwards: its right end. Opens upwards: where it comes down, if it does. One formula for both.
    let end = (-linear - under_root.sqrt()) / (2.0 * square);
    Some(end).filter(|end| end.is_finite())
}

fn determinant(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) - b[0] * (a[1] * c[2] - a[2] * c[1]) + c[0] * (a[1] * b[2] - a[2] * b[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// States of the 8-puzzle at each distance.
    const LAYERS: [u64; 32] = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1_024, 1_893, 2_512, 4_485, 5_638, 9_529, 10_878, 16_993,
        17_110, 23_952, 20_224, 24_047, 15_578, 14_560, 6_274, 3_910, 760, 221, 2,
    ];

    /// What is told while layers are expanded, with what is really left.
    fn told(layers: &[u64]) -> Vec<(u64, u64, Option<Left>)> {
        let all: u64 = layers.iter().sum();
        let (mut outlook, mut done, mut told) = (Outlook::default(), 0, Vec::new());
        for (layer, states) in layers.iter().enumerate() {
            let next = layers.get(layer + 1).copied().unwrap_or(0);
            for part in 1..=20 {
                let expanded = states * part / 20;
                let frontier = states - expanded + next * part / 20;
                let elapsed = Duration::from_micros(10 * (done + expanded));
                outlook.look("search", elapsed, done + expanded, frontier);
                told.push((all, all - done - expanded, outlook.left()));
            }
            done += states;
        }
        told
    }

    #[test]
    fn from_half_of_the_states_on_the_rest_is_foreseen() {
        let mut foreseen = 0;
        for (all, left, told) in told(&LAYERS) {
            if left > all / 2 || left < all / 20 {
                continue;
            }
            let told = told.expect("something can be told");
            foreseen += 1;
            let factor = told.expansions as f64 / left as f64;
            assert!((0.4..2.5).contains(&factor), "{left} of {all} are left, {told:?}");
            let time = told.time.as_secs_f64() / (1e-5 * told.expansions as f64);
            assert!((0.99..1.01).contains(&time), "{told:?}");
        }
        assert!(foreseen > 50, "{foreseen}");
    }

    #[test]
    fn what_grows_without_end_has_no_estimate() {
        let layers: Vec<u64> = (0..24).map(|layer| 1 << layer).collect();
        let (_, _, told) = told(&layers)[470 - 20];
        assert_eq!(told, None);
    }

    #[test]
    fn a_parabola_is_continued_exactly() {
        let mut outlook = Outlook::default();
        for step in 1..=600u64 {
            let expanded = step * 1_000;
            let frontier = expanded as f64 * (1.0 - expanded as f64 / 1e6) / 3.0;
            outlook.look("search", Duration::from_millis(step), expanded, frontier as u64);
        }
        let left = outlook.left().expect("it comes down");
        assert!(left.expansions.abs_diff(400_000) < 4_000, "{left:?}");
        outlook.look("another", Duration::from_millis(1), 5, 5);
        assert_eq!(outlook.left(), None);
    }
}
