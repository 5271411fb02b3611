//! Upper bounds on the probability of reaching a goal, from heuristics that are lower bounds on costs.
//!
//! The probability of a path is a product, its logarithm a sum: if drawing an outcome with probability p costs −log₂ p and nothing
//! else costs anything, then a lower bound on the cost of reaching a goal is an upper bound on the probability of every path
//! there. So any admissible heuristic that counts costs (pattern databases, merged and refined abstractions, `hmax`) becomes one
//! for probabilities; a dead end is a state of which nothing more need be known. Costs are whole numbers: 1024 for a bit,
//! rounded down, so that the bound stays one. In a chain with several commands, a command is less likely than it says; in
//! continuous time only what its updates share is counted, since nobody knows who else races.

use std::sync::Arc;

use bughound_ir::chance::{Kind, Number};
use bughound_ir::edge::{Action, Destination, Edge};
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Network;
use bughound_kernel::Estimate;

/// The cost of a probability of one half.
const BIT: f64 = 1024.0;

/// The network with costs of outcomes in place of lengths. Its states are those of the network.
pub fn with_likelihoods(network: &Network) -> Arc<Network> {
    let mut weighed = network.clone();
    let kind = network.stochastic.as_ref().map_or(Kind::Mdp, |stochastic| stochastic.kind);
    for edge in &mut weighed.edges {
        edge.weight = 0;
        let shares = shares(edge, kind);
        let costs: Vec<u64> = (0..shares.len()).map(|at| together(edge, &shares, at).map_or(0, |p| cost(&p))).collect();
        edge.destinations.iter_mut().zip(costs).for_each(|(destination, cost)| destination.weight = cost);
    }
    Arc::new(weighed)
}

/// The probability of each outcome, given the edge, at most. Nothing where it depends on the state.
fn shares(edge: &Edge, kind: Kind) -> Vec<Option<Number>> {
    let chances: Vec<Option<Number>> = edge.destinations.iter().map(|to| to.chance.as_const().cloned()).collect();
    if kind != Kind::Ctmc {
        return chances;
    }
    let total = chances.iter().try_fold(Number::ZERO, |sum, chance| Some(sum + chance.as_ref()?));
    match total.filter(|total| !total.is_zero()) {
        Some(total) => chances.into_iter().map(|chance| chance.map(|chance| chance / &total)).collect(),
        None => vec![None; chances.len()],
    }
}

/// The probability of all outcomes that may be the same as this one: steps to one state are one step, with the sum of their
/// probabilities. Nothing where one of them depends on the state.
fn together(edge: &Edge, shares: &[Option<Number>], at: usize) -> Option<Number> {
    let mut with = vec![false; shares.len()];
    let mut work = vec![at];
    with[at] = true;
    while let Some(this) = work.pop() {
        for (other, is_with) in with.iter_mut().enumerate() {
            if !*is_with && !differ(&edge.destinations[this], &edge.destinations[other]) {
                *is_with = true;
                work.push(other);
            }
        }
    }
    let mut sum = Number::ZERO;
    for (share, _) in shares.iter().zip(&with).filter(|(_, is_with)| **is_with) {
        sum += share.as_ref()?;
    }
    Some(sum)
}

/// Do these outcomes always lead to different states? They do if they go to different locations, or set a variable to different
/// constants in the end.
fn differ(one: &Destination, other: &Destination) -> bool {
    fn last(of: &Destination) -> Vec<(&Place, &Expr)> {
        let mut set: Vec<(&Place, &Expr)> = Vec::new();
        for action in &of.actions {
            let Action::Together(assignments) = action else { return Vec::new() };
            for (place, value) in assignments {
                // Of a place that is written again, and of elements that may be the same one, nothing is known.
                set.retain(|(known, _)| known.indices.is_empty() && *known != place);
                set.push((place, value));
            }
        }
        set
    }
    let (one_sets, other_sets) = (last(one), last(other));
    let is_different = |(place, value): &(&Place, &Expr)| match value {
        Expr::Const(value) => other_sets.iter().any(|(known, set)| {
            known == place && place.indices.is_empty() && matches!(set, Expr::Const(set) if set != value)
        }),
        _ => false,
    };
    one.to != other.to || one_sets.iter().any(is_different)
}

/// What a probability costs, rounded down. Sums of probabilities may miss 1 by 0.00001, and are divided by what they are then. Of what cannot happen there is no step, so that costs nothing either.
fn cost(probability: &Number) -> u64 {
    let near = probability.to_f64().value();
    if near <= 0.0 || near * (1.0 + 2e-5) >= 1.0 {
        return 0;
    }
    (-(near * (1.0 + 2e-5)).log2() * BIT).floor().max(0.0) as u64
}

/// The probability that an estimate leaves, at most; nothing for a dead end.
pub fn promise_of(estimate: Estimate) -> Option<f64> {
    let cost = estimate.finite()?;
    Some((-(cost as f64) / BIT).exp2().max(f64::MIN_POSITIVE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_never_promise_too_little() {
        for (n, d) in [(1u64, 2u64), (1, 3), (9, 10), (1, 1_000_000), (999_999, 1_000_000), (1, 1)] {
            let probability = Number::from_parts((n as i64).into(), d.into());
            let promise = promise_of(Estimate::Finite(cost(&probability))).unwrap();
            let exact = n as f64 / d as f64;
            assert!(promise >= exact && promise <= exact * 1.001, "{n}/{d}: {promise}");
        }
        assert_eq!(promise_of(Estimate::DeadEnd), None);
        assert!(promise_of(Estimate::Finite(u64::MAX)).unwrap() > 0.0);
    }
}
