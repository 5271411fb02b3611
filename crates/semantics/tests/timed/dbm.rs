//! Clock zones as difference bound matrices: the least that a zone semantics needs.
//!
//! Row and column 0 stand for the constant 0. An entry bounds the difference of row and column; bound and strictness
//! are one integer, `2c` for `< c` and `2c + 1` for `≤ c`, so that tighter means smaller. Every zone is kept closed:
//! each entry is the tightest that follows from all others.

pub const INFINITY: i32 = i32::MAX;
pub const LE_ZERO: i32 = 1;

pub fn less(constant: i32) -> i32 {
    2 * constant
}

pub fn at_most(constant: i32) -> i32 {
    2 * constant + 1
}

fn add(a: i32, b: i32) -> i32 {
    if a == INFINITY || b == INFINITY { INFINITY } else { (a & !1) + (b & !1) + (a & b & 1) }
}

/// A zone over `clocks`; the matrix is what a state carries as its cover.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    size: usize,
    pub bounds: Vec<i32>,
}

impl Zone {
    /// All clocks are 0.
    pub fn zero(clocks: usize) -> Zone {
        let size = clocks + 1;
        Zone { size, bounds: vec![LE_ZERO; size * size] }
    }

    pub fn from_bounds(clocks: usize, bounds: &[i32]) -> Zone {
        Zone { size: clocks + 1, bounds: bounds.to_vec() }
    }

    fn at(&self, i: usize, j: usize) -> i32 {
        self.bounds[i * self.size + j]
    }

    fn set(&mut self, i: usize, j: usize, bound: i32) {
        self.bounds[i * self.size + j] = bound;
    }

    pub fn is_empty(&self) -> bool {
        (0..self.size).any(|i| self.at(i, i) < LE_ZERO)
    }

    /// Adds `x_i − x_j ⋈ bound` and closes the zone again.
    pub fn constrain(&mut self, i: usize, j: usize, bound: i32) {
        if bound >= self.at(i, j) {
            return;
        }
        self.set(i, j, bound);
        for a in 0..self.size {
            for b in 0..self.size {
                let through = add(add(self.at(a, i), bound), self.at(j, b));
                self.set(a, b, self.at(a, b).min(through));
            }
        }
    }

    /// Lets time pass.
    pub fn up(&mut self) {
        for i in 1..self.size {
            self.set(i, 0, INFINITY);
        }
    }

    /// Sets a clock to a value.
    pub fn reset(&mut self, clock: usize, value: i32) {
        for i in 0..self.size {
            self.set(clock, i, add(at_most(value), self.at(0, i)));
            self.set(i, clock, add(self.at(i, 0), at_most(-value)));
        }
        self.set(clock, clock, LE_ZERO);
    }

    /// Forgets bounds beyond the largest constant of each clock (`most[0]` is 0).
    pub fn extrapolate(&mut self, most: &[i32]) {
        for i in 0..self.size {
            for j in (0..self.size).filter(|j| *j != i) {
                let bound = self.at(i, j);
                if bound > at_most(most[i]) {
                    self.set(i, j, INFINITY);
                } else if bound < less(-most[j]) {
                    self.set(i, j, less(-most[j]));
                }
            }
        }
        self.close();
    }

    /// Floyd and Warshall.
    fn close(&mut self) {
        for k in 0..self.size {
            for i in 0..self.size {
                for j in 0..self.size {
                    let through = add(self.at(i, k), self.at(k, j));
                    self.set(i, j, self.at(i, j).min(through));
                }
            }
        }
    }
}

/// Does the closed zone `large` include `small`?
pub fn includes(large: &[i32], small: &[i32]) -> bool {
    large.iter().zip(small).all(|(large, small)| large >= small)
}

#[test]
fn zones_behave() {
    let mut zone = Zone::zero(2);
    zone.up();
    zone.constrain(1, 0, at_most(5));
    assert_eq!(zone.at(2, 0), at_most(5), "clocks run at the same rate");
    zone.constrain(0, 1, less(-2));
    let before_reset = zone.clone();
    zone.reset(1, 0);
    assert_eq!((zone.at(1, 0), zone.at(2, 1), zone.at(1, 2)), (at_most(0), at_most(5), less(-2)));
    zone.extrapolate(&[0, 1, 1]);
    assert_eq!((zone.at(2, 0), zone.at(0, 2)), (INFINITY, less(-1)));
    assert!(includes(&before_reset.bounds, &before_reset.bounds) && !includes(&before_reset.bounds, &zone.bounds));
    zone.constrain(2, 0, at_most(1));
    assert!(zone.is_empty());
}
