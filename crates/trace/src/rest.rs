//! Timed runs that go on for ever: where they may rest, and when clocks have come back.

use std::cmp::Ordering;

use bughound_ir::rational::Rational;
use bughound_ir::reference::{ClockValues, RefState, Reference};

use crate::timing::{Moment, Timing};

/// How a run goes on without another step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// Nothing can happen any more.
    Stuck,
    /// Time passes for ever.
    Waiting,
}

/// Does a run rest in this state, with the clocks of this moment?
pub fn in_time(reference: Reference<'_>, state: &RefState, at: &Moment) -> Option<Rest> {
    let clocks = ClockValues::of(at.clocks.clone());
    if reference.may_wait(state).is_ok() {
        // No constant is so large: an invariant that is true then has no upper bound.
        let very_late = Rational::new(1 << 62, 1).and_then(|delay| clocks.after(delay));
        if very_late.is_some_and(|then| reference.meet_invariants(state, &then).is_ok()) {
            return Some(Rest::Waiting);
        }
    }
    reference.at(&clocks).is_deadlock(state).then_some(Rest::Stuck)
}

/// Are the clocks at the end of a run where they were after so many steps, as far as that matters? Two values do not differ
/// if both are larger than all that they will be compared with, or if they have the same whole part and both or neither a
/// fraction; and fractions must be in the same order (Alur, Dill 1994: equivalence of regions).
pub fn comes_back(timing: &Timing, steps: usize, constants: &[Option<i32>]) -> bool {
    equivalent(&timing.clocks_after(steps), &timing.clocks_after(timing.steps.len()), constants)
}

/// Are these values of the clocks equivalent?
pub fn equivalent(left: &[Rational], right: &[Rational], constants: &[Option<i32>]) -> bool {
    let mut relevant: Vec<(Rational, Rational)> = Vec::new();
    for ((a, b), constant) in left.iter().zip(right).zip(constants) {
        let Some(constant) = constant.and_then(|constant| Rational::new(constant.into(), 1)) else { continue };
        let above = |value: &Rational| value.compare(constant) == Some(Ordering::Greater);
        match (above(a), above(b)) {
            (true, true) => {}
            (false, false) if whole(*a) == whole(*b) => relevant.push((fraction(*a), fraction(*b))),
            _ => return false,
        }
    }
    let zero = |(a, b): &(Rational, Rational)| a.is_zero() == b.is_zero();
    let same_order = |(a, b): &(Rational, Rational)| {
        relevant.iter().all(|(other_a, other_b)| a.compare(*other_a) == b.compare(*other_b))
    };
    relevant.iter().all(zero) && relevant.iter().all(same_order)
}

fn whole(value: Rational) -> i128 {
    value.numerator().div_euclid(value.denominator())
}

fn fraction(value: Rational) -> Rational {
    let rest = value.numerator().rem_euclid(value.denominator());
    Rational::new(rest, value.denominator()).unwrap_or(Rational::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halves(values: &[i128]) -> Vec<Rational> {
        values.iter().map(|value| Rational::new(*value, 2).unwrap()).collect()
    }

    #[test]
    fn values_below_their_constants_must_agree() {
        let constants = [Some(2), Some(2)];
        assert!(equivalent(&halves(&[2, 5]), &halves(&[2, 9]), &constants));
        assert!(!equivalent(&halves(&[2, 4]), &halves(&[2, 9]), &constants));
        assert!(!equivalent(&halves(&[2, 5]), &halves(&[3, 5]), &constants));
        assert!(equivalent(&halves(&[2, 5]), &halves(&[3, 5]), &[None, Some(2)]));
    }

    #[test]
    fn the_order_of_fractions_matters() {
        let quarter = |values: [i128; 2]| values.map(|value| Rational::new(value, 4).unwrap());
        let constants = [Some(3), Some(3)];
        assert!(equivalent(&quarter([1, 2]), &quarter([2, 3]), &constants));
        assert!(!equivalent(&quarter([1, 2]), &quarter([3, 2]), &constants));
        assert!(!equivalent(&quarter([1, 1]), &quarter([1, 2]), &constants));
        assert!(!equivalent(&quarter([0, 1]), &quarter([1, 2]), &constants));
    }
}
