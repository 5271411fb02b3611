//! States that a worker has found and inserts a little later: so long, the processor can fetch what they are compared with.

use bughound_kernel::{MOST_EXPECTED, StateId};

/// What is known of the states that the store expects, first come, first served.
pub(super) struct ExpectedStates {
    /// Can the insertion of states wait? Not if something depends on what becomes of them.
    pub is_possible: bool,
    /// Parent and cost of each.
    paths: [(StateId, u64); MOST_EXPECTED],
    /// All that ever were taken out, and that ever came in.
    taken: usize,
    added: usize,
    /// None of those that are there costs less.
    least_cost: u64,
}

impl ExpectedStates {
    pub(super) fn new(is_possible: bool) -> Self {
        let paths = [(StateId(0), 0); MOST_EXPECTED];
        ExpectedStates { is_possible, paths, taken: 0, added: 0, least_cost: u64::MAX }
    }

    /// Adds one. True if it is time to insert the first.
    #[inline]
    pub(super) fn add(&mut self, parent: StateId, cost: u64) -> bool {
        self.least_cost = if self.added == self.taken { cost } else { self.least_cost.min(cost) };
        self.paths[self.added % MOST_EXPECTED] = (parent, cost);
        self.added += 1;
        self.added - self.taken == MOST_EXPECTED
    }

    #[inline]
    pub(super) fn take(&mut self) -> Option<(StateId, u64)> {
        if self.taken == self.added {
            return None;
        }
        self.taken += 1;
        Some(self.paths[(self.taken - 1) % MOST_EXPECTED])
    }

    /// Nothing will be inserted any more.
    pub(super) fn forget(&mut self) {
        (self.is_possible, self.taken) = (false, self.added);
    }

    /// What those that are there cost at least; `None` if there are none.
    #[inline]
    pub(super) fn least_cost(&self) -> Option<u64> {
        (self.taken != self.added).then_some(self.least_cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_come_first_served_and_none_costs_less_than_is_said() {
        let mut expected = ExpectedStates::new(true);
        let (mut added, mut taken) = (0, 0);
        // Costs that fall and rise.
        let cost = |n: u32| u64::from(n * 7 % 40);
        for round in 0..500 {
            while added - taken < MOST_EXPECTED as u32 && (added - taken) as usize <= round % MOST_EXPECTED {
                let is_full = expected.add(StateId(added), cost(added));
                added += 1;
                assert_eq!(is_full, added - taken == MOST_EXPECTED as u32);
            }
            assert!((taken..added).all(|n| expected.least_cost() <= Some(cost(n))));
            assert_eq!(expected.take(), Some((StateId(taken), cost(taken))));
            taken += 1;
            if round % 50 == 49 {
                while let Some((parent, _)) = expected.take() {
                    assert_eq!(parent, StateId(taken));
                    taken += 1;
                }
                assert!(taken == added && expected.least_cost().is_none());
            }
        }
        expected.add(StateId(added), 0);
        expected.forget();
        assert!(!expected.is_possible && expected.take().is_none());
    }
}
