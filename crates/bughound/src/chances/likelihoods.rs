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
use bughound_ir::edge::Edge;
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
        for (destination, share) in edge.destinations.iter_mut().zip(shares) {
            destination.weight = share.map_or(0, |share| cost(&share));
        }
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

/// What a probability costs, rounded down. Of what cannot happen there is no step, so that costs nothing either.
fn cost(probability: &Number) -> u64 {
    let near = probability.to_f64().value();
    if near <= 0.0 || near >= 1.0 {
        return 0;
    }
    (-(near * (1.0 + 1e-12)).log2() * BIT).floor().max(0.0) as u64
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
