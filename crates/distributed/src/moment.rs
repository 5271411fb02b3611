//! When something happens, as far as the order of a search is concerned: the timestamps of the dataflow.
//!
//! A moment is a cost (all that is done at this moment leads to errors of this cost at least) and a round. Every passage through
//! the loop of the dataflow takes a round, because timely asks that time goes on in a loop; steps that cost nothing go round in
//! one cost. Moments are ordered by cost, then by round, so there is one earliest moment of all that is under way.

use serde::{Deserialize, Serialize};
use timely::PartialOrder;
use timely::progress::timestamp::{PathSummary, Refines, Timestamp};

/// A point in the order of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment {
    pub cost: u64,
    pub round: u64,
}

/// How many rounds a way through the dataflow takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rounds(pub u64);

impl PartialOrder for Moment {
    fn less_equal(&self, other: &Self) -> bool {
        self <= other
    }
}

impl PartialOrder for Rounds {
    fn less_equal(&self, other: &Self) -> bool {
        self <= other
    }
}

impl Timestamp for Moment {
    type Summary = Rounds;

    fn minimum() -> Self {
        Moment::default()
    }
}

impl PathSummary<Moment> for Rounds {
    fn results_in(&self, moment: &Moment) -> Option<Moment> {
        Some(Moment { cost: moment.cost, round: moment.round.checked_add(self.0)? })
    }

    fn followed_by(&self, other: &Self) -> Option<Self> {
        self.0.checked_add(other.0).map(Rounds)
    }
}

/// Inside of a scope without time.
impl Refines<()> for Moment {
    fn to_inner(_: ()) -> Self {
        Moment::default()
    }

    fn to_outer(self) {}

    fn summarize(_: Rounds) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_never_leads_back() {
        let moments: Vec<Moment> = (0..3).flat_map(|cost| [0, 1, 7].map(|round| Moment { cost, round })).collect();
        for (at, earlier) in moments.iter().enumerate() {
            for later in &moments[at..] {
                assert!(earlier.less_equal(later));
                let (next, last) = (Rounds(1).results_in(earlier), Rounds(1).results_in(later));
                assert!(next <= last && next > Some(*earlier));
            }
        }
        assert_eq!(Rounds(1).results_in(&Moment { cost: 0, round: u64::MAX }), None);
    }
}
