//! Cost algebras: what a path costs, and which of two costs is better (Edelkamp, Jabbar, Lluch Lafuente 2005, "Cost-
//! algebraic heuristic search").
//!
//! A cost is a `u64`, and **smaller is better** in every algebra: measures of which more is better are stored upside
//! down. So one table of nodes and one kind of open list serve all of them. Extending a path is *isotone*: a better path
//! stays no worse when both are extended by the same step. That is what makes the order of Dijkstra and A* find a best
//! path; a measure without it (the best of two numbers first, then another) has no place here.
//!
//! Nor does any cost fall along a path: weights are not negative, probabilities are no more than 1. Where costs can fall, states
//! must be expanded in rounds, as often as a path has steps (Bellman-Ford), because a closed state may still get better; here
//! that happens only where estimates are inconsistent, and a state that is opened again at less cost
//! ([`Revisit::Cheaper`](crate::engines::Revisit)) is all it takes. Rounds would not help a measure that is not isotone either: they
//! keep one cost for each state, and the better one may be the wrong one.

use bughound_kernel::Step;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Costs {
    /// The sum of the weights: lengths, unless the model gives costs.
    #[default]
    Additive,
    /// The largest weight on the path; small is good.
    Bottleneck,
    /// The smallest weight on the path; large is good (widest path).
    Widest,
    /// The product of the probabilities; large is good.
    Probability,
    /// The smallest probability; large is good (fuzzy).
    Fuzzy,
}

/// Names in search expressions.
pub const NAMES: &[&str] = &["additive", "bottleneck", "widest", "probability", "fuzzy"];

impl Costs {
    pub fn from_name(name: &str) -> Option<Costs> {
        use Costs::{Additive, Bottleneck, Fuzzy, Probability, Widest};
        let all = [Additive, Bottleneck, Widest, Probability, Fuzzy];
        NAMES.iter().position(|known| *known == name).map(|at| all[at])
    }

    /// The cost of the path with one step more. The empty path costs 0, the best cost of every algebra.
    #[inline]
    pub fn extend(self, cost: u64, step: &Step<'_>) -> u64 {
        self.join(cost, self.of_step(step))
    }

    /// The cost of a single step.
    #[inline]
    pub fn of_step(self, step: &Step<'_>) -> u64 {
        match self {
            Costs::Additive | Costs::Bottleneck => step.weight,
            Costs::Widest => u64::MAX - step.weight,
            Costs::Probability | Costs::Fuzzy => encode(step.probability),
        }
    }

    /// The cost of two paths, one behind the other.
    #[inline]
    pub fn join(self, first: u64, second: u64) -> u64 {
        match self {
            Costs::Additive => first.saturating_add(second),
            Costs::Bottleneck | Costs::Widest | Costs::Fuzzy => first.max(second),
            Costs::Probability => encode(decode(first) * decode(second)),
        }
    }
}

const ONE: u64 = 1.0_f64.to_bits();

/// Probabilities upside down: the bits of non-negative floating point numbers are ordered as the numbers are.
fn encode(probability: f64) -> u64 {
    ONE.saturating_sub(probability.clamp(0.0, 1.0).to_bits())
}

fn decode(cost: u64) -> f64 {
    f64::from_bits(ONE.saturating_sub(cost))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    const ALL: [Costs; 5] = [Costs::Additive, Costs::Bottleneck, Costs::Widest, Costs::Probability, Costs::Fuzzy];

    fn draw(costs: Costs, random: &mut Random) -> u64 {
        match costs {
            Costs::Probability | Costs::Fuzzy => encode(random.below(1001) as f64 / 1000.0),
            Costs::Widest => u64::MAX - random.below(50) as u64,
            _ => random.below(50) as u64,
        }
    }

    #[test]
    fn every_algebra_is_isotone_and_has_its_neutral_element() {
        let mut random = Random::new(1);
        for costs in ALL {
            for _ in 0..10_000 {
                let [a, b, c] = [0; 3].map(|_| draw(costs, &mut random));
                let (good, bad) = (a.min(b), a.max(b));
                assert!(costs.join(good, c) <= costs.join(bad, c), "{costs:?} {good} {bad} {c}");
                assert!(costs.join(c, good) <= costs.join(c, bad), "{costs:?} {good} {bad} {c}");
                assert_eq!((costs.join(0, a), costs.join(a, 0)), (a, a), "{costs:?}");
                assert!(costs.join(a, b) >= a, "{costs:?}: a step never makes a path better");
            }
        }
    }

    #[test]
    fn best_of_pairs_is_not_isotone() {
        // (smallest weight, number of steps), the first large, the second small: the better path ends up worse.
        let join = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1 + b.1);
        let is_better = |a: (u64, u64), b: (u64, u64)| a.0 > b.0 || a.0 == b.0 && a.1 < b.1;
        let (a, b, c) = ((4, 2), (3, 1), (3, 1));
        assert!(is_better(a, b) && is_better(join(b, c), join(a, c)));
    }

    #[test]
    fn names_and_algebras_go_together() {
        for (name, costs) in NAMES.iter().zip(ALL) {
            assert_eq!(Costs::from_name(name), Some(costs));
        }
        assert_eq!(Costs::from_name("cheap"), None);
    }
}
