//! Intervals of clock values and of delays.

use std::fmt;

/// The numbers between two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub lower: i128,
    /// The lower end does not belong to the interval.
    pub lower_open: bool,
    /// Nothing: there is no upper end.
    pub upper: Option<i128>,
    /// The upper end does not belong to the interval.
    pub upper_open: bool,
}

impl Interval {
    /// Has the interval no real number in it?
    pub fn is_empty(&self) -> bool {
        self.upper
            .is_some_and(|upper| upper < self.lower || (upper == self.lower && (self.lower_open || self.upper_open)))
    }

    /// One number.
    pub fn single(value: i128) -> Interval {
        Interval { lower: value, lower_open: false, upper: Some(value), upper_open: false }
    }

    /// The smallest interval that includes both.
    pub fn hull(self, other: Interval) -> Interval {
        let (lower, lower_open) = (self.lower, self.lower_open).min((other.lower, other.lower_open));
        // A closed end reaches farther than an open one.
        let (upper, upper_open) = match (self.upper, other.upper) {
            (Some(a), Some(b)) => {
                let (upper, closed) = (a, !self.upper_open).max((b, !other.upper_open));
                (Some(upper), !closed)
            }
            _ => (None, true),
        };
        Interval { lower, lower_open, upper, upper_open }
    }

    /// Takes away what is below `end`.
    pub fn at_least(&mut self, end: i128, open: bool) {
        if end > self.lower || (end == self.lower && open) {
            (self.lower, self.lower_open) = (end, open);
        }
    }

    /// Takes away what is above `end`.
    pub fn at_most(&mut self, end: i128, open: bool) {
        if self.upper.is_none_or(|upper| end < upper || (end == upper && open)) {
            (self.upper, self.upper_open) = (Some(end), open);
        }
    }

    /// A small number of the interval as numerator and denominator: the lower end if it belongs to the interval, the
    /// next whole number if not, and half-way between two neighbours only if there is nothing else.
    ///
    /// The interval must not be empty.
    pub fn least(&self) -> (i128, i128) {
        debug_assert!(!self.is_empty());
        if !self.lower_open {
            return (self.lower, 1);
        }
        let next = self.lower + 1;
        match self.upper {
            Some(upper) if upper < next || (upper == next && self.upper_open) => (2 * self.lower + 1, 2),
            _ => (next, 1),
        }
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}, ", if self.lower_open { '(' } else { '[' }, self.lower)?;
        match self.upper {
            Some(upper) => write!(f, "{upper}{}", if self.upper_open { ')' } else { ']' }),
            None => f.write_str("inf)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hulls_keep_closed_ends() {
        let interval = |lower, lower_open, upper, upper_open| Interval { lower, lower_open, upper, upper_open };
        let open = interval(1, true, Some(4), true);
        assert_eq!(open.hull(interval(1, false, Some(2), false)), interval(1, false, Some(4), true));
        assert_eq!(open.hull(Interval::single(4)), interval(1, true, Some(4), false));
        assert_eq!(open.hull(interval(0, true, None, true)), interval(0, true, None, true));
    }

    #[test]
    fn the_least_number_is_whole_if_possible() {
        let interval = |lower_open, upper, upper_open| Interval { lower: 3, lower_open, upper, upper_open };
        assert_eq!(interval(false, Some(3), false).least(), (3, 1));
        assert_eq!(interval(true, None, true).least(), (4, 1));
        assert_eq!(interval(true, Some(4), false).least(), (4, 1));
        assert_eq!(interval(true, Some(4), true).least(), (7, 2));
        assert_eq!(interval(true, Some(5), true).least(), (4, 1));
        assert!(interval(true, Some(3), false).is_empty());
        assert!(!interval(false, Some(3), false).is_empty());
        assert_eq!(interval(true, Some(4), false).to_string(), "(3, 4]");
        assert_eq!(interval(false, None, true).to_string(), "[3, inf)");
    }
}
