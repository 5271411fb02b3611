//! Clock regions (Alur, Dill 1994, "A theory of timed automata"): sets of clock values that no constraint of the model can
//! tell apart, however long it waits.
//!
//! A clock that is beyond the largest constant it is compared with counts as beyond, no more. Of the others, a region knows
//! the whole part and the order of the fractions. Constraints are evaluated at one point of it: whatever they say there,
//! they say everywhere in the region.

use bughound_ir::rational::Rational;
use bughound_ir::reference::ClockValues;

/// By clock: the largest constant that it is compared with; −1 if it is compared with none.
pub type Ceilings = Vec<i32>;

/// A clock in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reading {
    Within {
        whole: i32,
        /// 0: no fraction. Else the place of the fraction among all those of the region, from 1.
        rank: u8,
    },
    /// More than the ceiling.
    Beyond,
}

/// One [`Reading`] for each clock. The ranks in use are 1 to their number, without gaps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Region(Vec<Reading>);

impl Region {
    /// All clocks are 0.
    pub fn zero(ceilings: &Ceilings) -> Region {
        Region(ceilings.iter().map(|ceiling| reading(0, *ceiling)).collect())
    }

    pub fn reading(&self, clock: usize) -> Reading {
        self.0[clock]
    }

    pub fn set(&mut self, clock: usize, value: i32, ceilings: &Ceilings) {
        self.0[clock] = reading(value, ceilings[clock]);
        self.close_gaps();
    }

    /// The region that comes next as time passes; itself if all clocks are beyond their ceilings.
    pub fn next(&self, ceilings: &Ceilings) -> Region {
        let whole_now = |r: &Reading| matches!(r, Reading::Within { rank: 0, .. });
        let last = self.ranks();
        let step = |(at, now): (usize, &Reading)| match *now {
            Reading::Beyond => Reading::Beyond,
            // The smallest fraction there is; all others make room for it.
            Reading::Within { whole, rank: 0 } if whole == ceilings[at] => Reading::Beyond,
            Reading::Within { whole, rank } if self.0.iter().any(whole_now) => {
                Reading::Within { whole, rank: rank + 1 }
            }
            // Nothing is whole: the largest fraction gets there first.
            Reading::Within { whole, rank } if rank == last => Reading::Within { whole: whole + 1, rank: 0 },
            reading => reading,
        };
        let mut next = Region(self.0.iter().enumerate().map(step).collect());
        next.close_gaps();
        next
    }

    /// A point of the region.
    pub fn point(&self, ceilings: &Ceilings) -> ClockValues {
        let parts = i128::from(self.ranks()) + 1;
        let value = |(at, reading): (usize, &Reading)| match *reading {
            Reading::Within { whole, rank } => Rational::new(i128::from(whole) * parts + i128::from(rank), parts),
            Reading::Beyond => Some(Rational::from(ceilings[at] + 1)),
        };
        let values = self.0.iter().enumerate().map(value);
        ClockValues::of(values.map(|value| value.expect("small numbers")).collect())
    }

    fn ranks(&self) -> u8 {
        let rank = |reading: &Reading| match reading {
            Reading::Within { rank, .. } => *rank,
            Reading::Beyond => 0,
        };
        self.0.iter().map(rank).max().unwrap_or(0)
    }

    fn close_gaps(&mut self) {
        let mut used: Vec<u8> = self.0.iter().filter_map(Reading::rank).filter(|rank| *rank > 0).collect();
        used.sort_unstable();
        used.dedup();
        for reading in &mut self.0 {
            if let Reading::Within { rank, .. } = reading
                && *rank > 0
            {
                *rank = 1 + used.iter().position(|other| other == rank).unwrap_or(0) as u8;
            }
        }
    }
}

impl Reading {
    fn rank(&self) -> Option<u8> {
        match self {
            Reading::Within { rank, .. } => Some(*rank),
            Reading::Beyond => None,
        }
    }
}

fn reading(value: i32, ceiling: i32) -> Reading {
    if value > ceiling { Reading::Beyond } else { Reading::Within { whole: value, rank: 0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(region: &Region, ceilings: &Ceilings) -> String {
        let all: Vec<String> = region.point(ceilings).all().iter().map(|value| value.to_string()).collect();
        all.join(" ")
    }

    #[test]
    fn time_passes_region_by_region() {
        let ceilings = vec![2, 1];
        let mut region = Region::zero(&ceilings);
        let mut seen = Vec::new();
        for _ in 0..7 {
            seen.push(shown(&region, &ceilings));
            region = region.next(&ceilings);
        }
        // The second clock is beyond its ceiling from the fourth on, the first from the sixth on: nothing changes then.
        assert_eq!(seen, ["0 0", "1/2 1/2", "1 1", "3/2 2", "2 2", "3 2", "3 2"]);
    }

    #[test]
    fn fractions_keep_their_order() {
        let ceilings = vec![3, 3, -1];
        let mut region = Region::zero(&ceilings).next(&ceilings);
        region.set(1, 1, &ceilings);
        region.set(2, 1, &ceilings);
        let mut seen = vec![shown(&region, &ceilings)];
        for _ in 0..4 {
            region = region.next(&ceilings);
            seen.push(shown(&region, &ceilings));
        }
        assert_eq!(seen, ["1/2 1 0", "2/3 4/3 0", "1 3/2 0", "4/3 5/3 0", "3/2 2 0"]);
        region.set(1, 4, &ceilings);
        assert_eq!((shown(&region, &ceilings).as_str(), region.reading(1)), ("3/2 4 0", Reading::Beyond));
    }
}
