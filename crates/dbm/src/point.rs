//! Points: a value for each clock, exactly, as whole numbers over a common denominator.

use crate::interval::Interval;
use crate::zone::Zone;
use std::fmt;

/// A value for each clock. Clock 0 is the reference and always 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    denominator: i128,
    numerators: Vec<i128>,
}

impl Point {
    /// All clocks are 0.
    pub fn origin(dimension: usize) -> Self {
        Point { denominator: 1, numerators: vec![0; dimension] }
    }

    /// Clock `i` has the value `numerators[i] / denominator`.
    ///
    /// # Panics
    /// If the denominator is not positive, or the reference is not 0.
    pub fn new(numerators: Vec<i128>, denominator: i128) -> Self {
        assert!(denominator > 0 && numerators.first() == Some(&0), "not the values of clocks");
        Point { denominator, numerators }
    }

    pub fn dimension(&self) -> usize {
        self.numerators.len()
    }

    pub fn denominator(&self) -> i128 {
        self.denominator
    }

    /// The value of a clock times the denominator.
    pub fn scaled(&self, clock: usize) -> i128 {
        self.numerators[clock]
    }

    /// The value of a clock: numerator and denominator without common factors.
    pub fn value(&self, clock: usize) -> (i128, i128) {
        let divisor = common_divisor(self.numerators[clock], self.denominator);
        (self.numerators[clock] / divisor, self.denominator / divisor)
    }

    /// Lets time pass, measured in units of the denominator.
    pub fn delay(&mut self, units: i128) {
        for value in &mut self.numerators[1..] {
            *value += units;
        }
    }

    pub fn reset(&mut self, clock: usize, value: i32) {
        self.numerators[clock] = i128::from(value) * self.denominator;
    }

    /// `to := from`
    pub fn copy(&mut self, to: usize, from: usize) {
        self.numerators[to] = self.numerators[from];
    }

    /// `clock := clock + amount`
    pub fn shift(&mut self, clock: usize, amount: i32) {
        self.numerators[clock] += i128::from(amount) * self.denominator;
    }

    /// Sets a clock to a value measured in units of the denominator.
    pub(crate) fn set_scaled(&mut self, clock: usize, value: i128) {
        self.numerators[clock] = value;
    }

    /// The same point with the smallest denominator.
    pub(crate) fn reduced(mut self) -> Point {
        let divisor = self.numerators.iter().fold(self.denominator, |divisor, value| common_divisor(*value, divisor));
        self.numerators.iter_mut().for_each(|value| *value /= divisor);
        self.denominator /= divisor;
        self
    }

    /// The same point with a denominator that is `factor` times as large; nothing if that leaves the range of numbers.
    pub fn refined(&self, factor: i128) -> Option<Point> {
        let numerators = self.numerators.iter().map(|value| value.checked_mul(factor)).collect::<Option<_>>()?;
        Some(Point { denominator: self.denominator.checked_mul(factor)?, numerators })
    }

    /// The point after an early delay into a zone: the earliest, if there is one; otherwise soon after the time that
    /// must not be reached, on a finer scale if need be. Nothing if the point never enters the zone.
    ///
    /// Scales become finer and finer along paths that squeeze more and more steps into one time unit, at last too fine.
    /// For whole paths use [`least_point`](crate::least_point) on the times of their steps, which needs no finer scale
    /// than there are steps.
    pub fn enter(&self, zone: Zone<'_>) -> Option<Point> {
        let delays: Interval = zone.entry(self)?;
        let (units, factor) = delays.least();
        let mut point = self.refined(factor)?;
        point.delay(units);
        Some(point)
    }
}

fn common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b);
    while a != 0 {
        (a, b) = (b % a, a);
    }
    b
}

/// The values of the clocks, without the reference.
impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for clock in 1..self.dimension() {
            f.write_str(if clock == 1 { "" } else { ", " })?;
            match self.value(clock) {
                (numerator, 1) => write!(f, "{numerator}")?,
                (numerator, denominator) => write!(f, "{numerator}/{denominator}")?,
            }
        }
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_moved_and_printed() {
        let mut point = Point::origin(4).refined(6).unwrap();
        point.delay(3);
        point.reset(2, 1);
        point.copy(3, 1);
        point.shift(3, -1);
        assert_eq!(point.to_string(), "(1/2, 1, -1/2)");
        assert_eq!(point.value(3), (-1, 2));
        assert_eq!(Point::new(vec![0, i128::MAX], 1).refined(2), None);
    }
}
