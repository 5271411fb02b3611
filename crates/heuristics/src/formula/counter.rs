//! Steps until a number that is only counted up and down, such as the length of a channel, lies in an interval.

use bughound_finite::cost::{Cost, INFINITE, times};

use crate::changes::Rates;

/// A slot of the key and where its value should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counter {
    pub slot: u32,
    pub rates: Rates,
    /// Number of values of a type that wraps around; `None` if it stops at its bounds.
    pub modulus: Option<i64>,
    /// The values that are wanted, both ends included; empty if the first is larger.
    pub wanted: (i64, i64),
}

impl Counter {
    /// The least number of micro steps from a value to a wanted one, times `unit`.
    #[inline]
    pub fn cost(&self, value: i32, unit: Cost) -> Cost {
        let (value, (low, high)) = (i64::from(value), self.wanted);
        if low > high {
            return INFINITE;
        }
        if (low..=high).contains(&value) {
            return 0;
        }
        let up = self.steps(low - value, self.rates.up);
        let down = self.steps(value - high, self.rates.down);
        match up.min(down) {
            u64::MAX => INFINITE,
            steps => times(steps, unit),
        }
    }

    fn steps(&self, way: i64, rate: u64) -> u64 {
        let way = match self.modulus {
            Some(modulus) => way.rem_euclid(modulus),
            None if way < 0 => return u64::MAX,
            None => way,
        };
        if rate == 0 { u64::MAX } else { (way as u64).div_ceil(rate) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counter(up: u64, down: u64, wanted: (i64, i64), modulus: Option<i64>) -> Counter {
        Counter { slot: 0, rates: Rates { up, down }, modulus, wanted }
    }

    #[test]
    fn the_shorter_way_around() {
        let byte = counter(1, 2, (250, 252), Some(256));
        // From 3 up: 247 steps; down 3, 2, 1, 0, 255 … 252: 7 in steps of 2.
        assert_eq!((byte.cost(3, 1), byte.cost(251, 1), byte.cost(248, 1), byte.cost(255, 1)), (4, 0, 2, 2));
        assert_eq!(byte.cost(3, 5), 20);
        let only_up = counter(3, 0, (10, 10), Some(256));
        assert_eq!((only_up.cost(3, 1), only_up.cost(11, 1)), (3, 85));
    }

    #[test]
    fn bounds_and_impossible_ways() {
        let length = counter(1, 1, (3, 3), None);
        assert_eq!((length.cost(0, 1), length.cost(4, 1)), (3, 1));
        assert_eq!(counter(1, 0, (3, 3), None).cost(4, 1), INFINITE);
        assert_eq!(counter(1, 1, (1, 0), None).cost(0, 1), INFINITE);
        assert_eq!(counter(u64::MAX, 0, (9, 9), None).cost(0, 1), 1);
    }
}
