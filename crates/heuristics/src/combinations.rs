//! **Combinations.** `max`, `min` and `sum` of other heuristics.
//!
//! Dead ends are infinite: one of them decides `max` and `sum`, all are needed for `min`.
//!
//! Paper: Holte et al. 2006 (maximising over several heuristics); Felner, Korf, Hanan 2004 (when sums are admissible).
//!
//! Claims, from those of the parts:
//!
//! | | admissible | consistent | safe |
//! |---|---|---|---|
//! | `max` | all parts are | all parts are | all parts are |
//! | `min` | some part is | all parts are | some part is |
//! | `sum` | its only part is | its only part is | all parts are |
//!
//! Two parts of a sum can count the same step, so a sum of admissible parts is not admissible in general.
//!
//! Cost: that of all parts.
//!
//! Fails: `sum` of heuristics of different scale follows the one with the larger numbers; see `weighted`.
//!
//! Example: `astar(h=max(d-l, formula))` prunes at least as well as each of the two; `greedy(h=sum(hamming,
//! weighted(active-processes, 5)))`.

use bughound_kernel::registry::{Args, BuildError, Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, PreferredStep, Situation, SlotSet};

use crate::context::BuildCx;
use crate::registry::Entry;

const PARTS: &[Param] =
    &[Param { name: "parts", summary: "what is combined", kind: ParamKind::Several { what: "heuristic" } }];

pub(super) const MAX: Entry = Entry {
    name: "max",
    summary: "the largest of several estimates",
    cite: "Holte, Felner, Newton, Meshulam, Furcy 2006",
    params: PARTS,
    claims: "what all parts claim",
    build: |cx, args| build(Operation::Max, cx, args),
};

pub(super) const MIN: Entry = Entry {
    name: "min",
    summary: "the least of several estimates",
    cite: "",
    params: PARTS,
    claims: "consistent if all parts are; admissible or safe if one part is",
    build: |cx, args| build(Operation::Min, cx, args),
};

pub(super) const SUM: Entry = Entry {
    name: "sum",
    summary: "the sum of several estimates",
    cite: "Felner, Korf, Hanan 2004",
    params: PARTS,
    claims: "safe if all parts are",
    build: |cx, args| build(Operation::Sum, cx, args),
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Max,
    Min,
    Sum,
}

struct Combination<'a> {
    operation: Operation,
    parts: Vec<Box<dyn Heuristic + 'a>>,
    /// Those of any part.
    preferred: Vec<PreferredStep>,
}

fn build<'a>(operation: Operation, cx: &BuildCx<'a, '_>, args: &Args) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
    let parts: Result<Vec<_>, _> = args.several("parts").iter().map(|part| crate::build(part, cx)).collect();
    Ok(Box::new(Combination { operation, parts: parts?, preferred: Vec::new() }))
}

impl Operation {
    /// `Estimate` is ordered with dead ends last.
    fn combine(self, mut estimates: impl Iterator<Item = Estimate>) -> Estimate {
        let combined = match self {
            Operation::Max => estimates.max(),
            Operation::Min => estimates.min(),
            Operation::Sum => estimates
                .try_fold(0u64, |sum, estimate| estimate.finite().map(|value| sum.saturating_add(value)))
                .map_or(Some(Estimate::DeadEnd), |sum| Some(Estimate::Finite(sum))),
        };
        combined.unwrap_or(Estimate::ZERO)
    }
}

impl Combination<'_> {
    fn collect_preferred(&mut self) {
        self.preferred.clear();
        self.preferred.extend(self.parts.iter().flat_map(|part| part.preferred()));
    }
}

impl Heuristic for Combination<'_> {
    fn claims(&self) -> HeuristicClaims {
        let all = |claim: fn(&HeuristicClaims) -> bool| self.parts.iter().all(|part| claim(&part.claims()));
        let any = |claim: fn(&HeuristicClaims) -> bool| self.parts.iter().any(|part| claim(&part.claims()));
        match self.operation {
            Operation::Max => HeuristicClaims {
                admissible: all(|c| c.admissible),
                consistent: all(|c| c.consistent),
                safe: all(|c| c.safe),
            },
            Operation::Min => HeuristicClaims {
                admissible: any(|c| c.admissible),
                consistent: all(|c| c.consistent),
                safe: any(|c| c.safe),
            },
            Operation::Sum => match &self.parts[..] {
                [only] => only.claims(),
                _ => HeuristicClaims { admissible: false, consistent: false, safe: all(|c| c.safe) },
            },
        }
    }

    fn is_about_prices(&self) -> bool {
        self.parts.iter().all(|part| part.is_about_prices())
    }

    fn looks_at(&self) -> Option<SlotSet> {
        self.parts.iter().map(|part| part.looks_at()).try_fold(SlotSet::default(), |mut all, part| {
            all.extend(part?.iter());
            Some(all)
        })
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let combined = self.operation.combine(self.parts.iter_mut().map(|part| part.estimate(at)));
        self.collect_preferred();
        combined
    }

    fn preferred(&self) -> &[PreferredStep] {
        &self.preferred
    }

    /// All parts must be able to do so.
    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        let mut possible = true;
        let combined = self.operation.combine(self.parts.iter_mut().map_while(|part| {
            let estimate = part.estimate_without(step, at);
            possible &= estimate.is_some();
            estimate
        }));
        self.collect_preferred();
        possible.then_some(combined)
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        let parts = self.parts.iter().map(|part| part.fork()).collect::<Option<_>>()?;
        Some(Box::new(Combination { operation: self.operation, parts, preferred: Vec::new() }))
    }

    fn memory(&self) -> u64 {
        self.parts.iter().map(|part| part.memory()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    const FIVE: Estimate = Estimate::Finite(5);

    fn combine(operation: Operation, parts: &[(Estimate, HeuristicClaims)]) -> (Estimate, HeuristicClaims) {
        let parts = parts.iter().map(|(e, c)| Box::new(Fixed(*e, *c)) as Box<dyn Heuristic>).collect();
        let mut combination = Combination { operation, parts, preferred: Vec::new() };
        (combination.estimate(Situation::default()), combination.claims())
    }

    #[test]
    fn values() {
        let c = HeuristicClaims::NONE;
        let two_and_five = [(Estimate::Finite(2), c), (FIVE, c)];
        assert_eq!(combine(Operation::Max, &two_and_five).0, FIVE);
        assert_eq!(combine(Operation::Min, &two_and_five).0, Estimate::Finite(2));
        assert_eq!(combine(Operation::Sum, &two_and_five).0, Estimate::Finite(7));
        let one_dead = [(Estimate::DeadEnd, c), (FIVE, c)];
        assert_eq!(combine(Operation::Max, &one_dead).0, Estimate::DeadEnd);
        assert_eq!(combine(Operation::Min, &one_dead).0, FIVE);
        assert_eq!(combine(Operation::Sum, &one_dead).0, Estimate::DeadEnd);
    }

    /// Prefers a step of process 1 to everything, and can do without any step at the price of one more.
    struct Picky(u64);

    const PREFERRED: PreferredStep = PreferredStep { first: (1, 0), second: None };

    impl Heuristic for Picky {
        fn claims(&self) -> HeuristicClaims {
            HeuristicClaims::NONE
        }

        fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
            Estimate::Finite(self.0)
        }

        fn preferred(&self) -> &[PreferredStep] {
            &[PREFERRED]
        }

        fn estimate_without(&mut self, _step: &[Move], _at: Situation<'_>) -> Option<Estimate> {
            Some(Estimate::Finite(self.0 + 1))
        }
    }

    #[test]
    fn steps_of_the_parts_count() {
        let fixed = || Box::new(Fixed(FIVE, HeuristicClaims::NONE)) as Box<dyn Heuristic>;
        let state = Situation::default;
        let both = vec![Box::new(Picky(3)) as Box<dyn Heuristic>, Box::new(Picky(7))];
        let mut sum = Combination { operation: Operation::Sum, parts: both, preferred: Vec::new() };
        assert_eq!(sum.estimate(state()), Estimate::Finite(10));
        assert_eq!(sum.preferred(), [PREFERRED; 2]);
        assert_eq!(sum.estimate_without(&[], state()), Some(Estimate::Finite(12)));
        let one = vec![Box::new(Picky(3)) as Box<dyn Heuristic>, fixed()];
        let mut max = Combination { operation: Operation::Max, parts: one, preferred: Vec::new() };
        assert_eq!((max.estimate(state()), max.preferred()), (FIVE, &[PREFERRED][..]));
        assert_eq!(max.estimate_without(&[], state()), None);
    }

    #[test]
    fn claims_follow_from_the_parts() {
        use HeuristicClaims as C;
        let claims = |operation, a: C, b: C| combine(operation, &[(FIVE, a), (FIVE, b)]).1;
        assert_eq!(claims(Operation::Max, C::CONSISTENT, C::CONSISTENT), C::CONSISTENT);
        assert_eq!(claims(Operation::Max, C::CONSISTENT, C::ADMISSIBLE), C::ADMISSIBLE);
        assert_eq!(claims(Operation::Max, C::CONSISTENT, C::SAFE), C::SAFE);
        assert_eq!(claims(Operation::Max, C::CONSISTENT, C::NONE), C::NONE);
        assert_eq!(claims(Operation::Min, C::CONSISTENT, C::NONE), C::ADMISSIBLE);
        assert_eq!(claims(Operation::Min, C::CONSISTENT, C::CONSISTENT), C::CONSISTENT);
        assert_eq!(claims(Operation::Min, C::SAFE, C::NONE), C::SAFE);
        assert_eq!(claims(Operation::Sum, C::CONSISTENT, C::CONSISTENT), C::SAFE);
        assert_eq!(combine(Operation::Sum, &[(FIVE, C::CONSISTENT)]).1, C::CONSISTENT);
    }
}
