//! The two ways to compute steps, side by side: with code for each process, and walked as the templates say.
//!
//! They must agree in everything: the steps, their order, moves, weights, choices, failures, and what the expansion says
//! besides. Of a timed model, the discrete part is compared, with all steps that it would have if clocks did not matter.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use bughound_ir::network::Network;
use bughound_kernel::{Expansion, Explorer, Failure, Move, Outcome, State, TransitionSystem};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::DiscreteSystem;

use crate::comparison::wide_features;
use crate::differential::network;
use crate::random_promela::generate;
use crate::timed::comparison::made;
use crate::timed::facade::Subject;

type Taken = (Vec<Move>, u32, u64, u64, Result<Vec<i32>, Failure>);

fn steps(explorer: &mut dyn Explorer, key: &[i32]) -> (Vec<Taken>, Expansion) {
    let mut taken = Vec::new();
    let expansion = explorer.successors(State::discrete(key), &mut |step| {
        let outcome = match step.outcome {
            Outcome::State(state) => Ok(state.key.to_vec()),
            Outcome::Failure(failure) => Err(failure),
        };
        taken.push((step.moves.to_vec(), step.choice, step.probability.to_bits(), step.weight, outcome));
        ControlFlow::Continue(())
    });
    (taken, expansion)
}

/// Walks up to so many states both ways; how many there were, or where the ways part.
pub fn compare(network: &Arc<Network>, most: usize) -> Result<usize, String> {
    let quick = DiscreteSystem::new(Arc::clone(network), &[]);
    let walked = DiscreteSystem::new(Arc::clone(network), &[]).walked();
    let (mut quick, mut walked) = (quick.explorer(), walked.explorer());
    let (mut known, mut open) = (HashSet::new(), VecDeque::new());
    walked.initial(&mut |state| open.push_back(state.key.to_vec()));
    known.extend(open.iter().cloned());
    while let Some(key) = open.pop_front() {
        let (mine, theirs) = (steps(&mut *quick, &key), steps(&mut *walked, &key));
        if mine != theirs {
            return Err(format!("at {key:?}\nquickly {mine:?}\nwalked  {theirs:?}"));
        }
        for next in mine.0.into_iter().filter_map(|(.., outcome)| outcome.ok()) {
            if known.len() < most && known.insert(next.clone()) {
                open.push_back(next);
            }
        }
    }
    Ok(known.len())
}

/// The random program of a seed. `Ok(0)`: it has no network.
pub fn compare_program(seed: u64, most: usize) -> Result<usize, String> {
    let source = generate(seed, &wide_features(seed));
    let Ok(network) = network(&source, LowerOptions::default()) else { return Ok(0) };
    compare(&Arc::new(network), most).map_err(|text| format!("seed {seed}: {text}\n{source}"))
}

/// The random timed model of a seed. `Ok(0)`: it has no network.
pub fn compare_timed(seed: u64, most: usize) -> Result<usize, String> {
    let (_, model, _) = made(seed, |style| style);
    let Ok(subject) = Subject::load(&model.text, &[]) else { return Ok(0) };
    compare(&Arc::new(subject.network().clone()), most).map_err(|text| format!("seed {seed}: {text}\n{}", model.text))
}
