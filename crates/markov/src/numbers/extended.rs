//! Exact values that may be infinite.

use std::cmp::Ordering;
use std::fmt;

use dashu_ratio::RBig;

use super::Interval;

/// A fraction, or infinity (an expected reward that never stops growing).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extended {
    Finite(RBig),
    Infinite,
}

impl Extended {
    pub fn finite(&self) -> Option<&RBig> {
        match self {
            Extended::Finite(value) => Some(value),
            Extended::Infinite => None,
        }
    }

    /// The narrowest interval of floating-point numbers around it.
    pub fn interval(&self) -> Interval {
        match self {
            Extended::Finite(value) => Interval::around(value),
            Extended::Infinite => Interval::INFINITE,
        }
    }
}

impl From<RBig> for Extended {
    fn from(value: RBig) -> Self {
        Extended::Finite(value)
    }
}

impl PartialOrd for Extended {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Extended {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Extended::Finite(a), Extended::Finite(b)) => a.cmp(b),
            (Extended::Infinite, Extended::Infinite) => Ordering::Equal,
            (Extended::Finite(_), Extended::Infinite) => Ordering::Less,
            (Extended::Infinite, Extended::Finite(_)) => Ordering::Greater,
        }
    }
}

impl fmt::Display for Extended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extended::Finite(value) => write!(f, "{value}"),
            Extended::Infinite => write!(f, "infinity"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinity_is_above_everything() {
        let seven = Extended::Finite(RBig::from(7));
        assert!(seven < Extended::Infinite);
        assert!(Extended::Infinite.interval().is_infinite());
        assert_eq!(seven.interval(), Interval::new(7.0, 7.0));
        assert_eq!(format!("{} {}", seven, Extended::Infinite), "7 infinity");
    }
}
