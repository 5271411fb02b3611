//! **Weighted.** Another heuristic times a factor, rounded down.
//!
//! Paper: Pohl 1970 (weights trade the length of solutions for effort).
//!
//! Claims: with a weight of at most 1 those of the part, also after rounding: if h(s) ≤ c + h(s') with a whole c, then
//! ⌊w·h(s)⌋ ≤ ⌊c + w·h(s')⌋ = c + ⌊w·h(s')⌋. With a larger weight only its safety: dead ends stay dead ends. The factor
//! is taken to six digits and multiplied exactly, so that the argument holds for the numbers of the machine, too.
//!
//! Cost: that of the part.
//!
//! Fails: a weight far below 1 rounds small estimates to 0.
//!
//! Example: `greedy(h=sum(formula, weighted(active-processes, 3)))`; `weighted(h, 0)` is blind but for dead ends.

use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, PreferredStep, Situation, SlotSet};

use crate::registry::Entry;

const PARAMS: &[Param] = &[
    Param { name: "h", summary: "what is multiplied", kind: ParamKind::Nested { what: "heuristic", default: "auto" } },
    Param { name: "w", summary: "the factor", kind: ParamKind::Decimal { default: 2.0, min: 0.0, max: 1e9 } },
];

pub(super) const ENTRY: Entry = Entry {
    name: "weighted",
    summary: "another heuristic times a factor",
    cite: "Pohl 1970",
    params: PARAMS,
    claims: "those of its part up to a weight of 1; above that safe if the part is",
    build: |cx, args| {
        let Some(part) = args.nested("h") else { return Ok(Box::new(crate::blind::Blind)) };
        let millionths = (args.decimal("w").unwrap_or(1.0) * MILLION as f64).round() as u128;
        Ok(Box::new(Weighted { part: crate::build(part, cx)?, millionths }))
    },
};

const MILLION: u128 = 1_000_000;

struct Weighted<'a> {
    part: Box<dyn Heuristic + 'a>,
    millionths: u128,
}

impl Weighted<'_> {
    fn weigh(&self, estimate: Estimate) -> Estimate {
        match estimate {
            Estimate::DeadEnd => Estimate::DeadEnd,
            Estimate::Finite(value) => {
                let product = u128::from(value) * self.millionths / MILLION;
                Estimate::Finite(u64::try_from(product).unwrap_or(u64::MAX))
            }
        }
    }
}

impl Heuristic for Weighted<'_> {
    fn claims(&self) -> HeuristicClaims {
        let claims = self.part.claims();
        if self.millionths <= MILLION {
            return claims;
        }
        HeuristicClaims { admissible: false, consistent: false, ..claims }
    }

    fn is_about_prices(&self) -> bool {
        self.part.is_about_prices()
    }

    fn looks_at(&self) -> Option<SlotSet> {
        self.part.looks_at()
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let estimate = self.part.estimate(at);
        self.weigh(estimate)
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.part.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        let estimate = self.part.estimate_without(step, at)?;
        Some(self.weigh(estimate))
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(Weighted { part: self.part.fork()?, millionths: self.millionths }))
    }

    fn memory(&self) -> u64 {
        self.part.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::Fixed;

    fn weigh(millionths: u128, estimate: Estimate) -> (Estimate, HeuristicClaims) {
        let part = Box::new(Fixed(estimate, HeuristicClaims::CONSISTENT));
        let mut weighted = Weighted { part, millionths };
        (weighted.estimate(Situation::default()), weighted.claims())
    }

    #[test]
    fn values_are_exact_and_claims_depend_on_the_weight() {
        // As binary fractions 0.7 * 10 is less than 7.
        assert_eq!(weigh(700_000, Estimate::Finite(10)), (Estimate::Finite(7), HeuristicClaims::CONSISTENT));
        assert_eq!(weigh(2_500_000, Estimate::Finite(3)), (Estimate::Finite(7), HeuristicClaims::SAFE));
        assert_eq!(weigh(0, Estimate::DeadEnd), (Estimate::DeadEnd, HeuristicClaims::CONSISTENT));
        assert_eq!(weigh(MILLION * 2, Estimate::Finite(u64::MAX)).0, Estimate::Finite(u64::MAX));
    }
}
