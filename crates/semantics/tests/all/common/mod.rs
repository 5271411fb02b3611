//! The engine beside the reference evaluator, in every reachable state.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use bughound_ir::network::Network;
use bughound_ir::reference::{Reference, from_key, to_key};
use bughound_kernel::{Expansion, Explorer, Failure, FailureKind, Move, Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;

/// What became of a step: the key of a state, or (edge, is an assertion, code).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i32>),
    Failed(u32, bool, u32),
}

/// Moves, as (process, edge, destination, joins), and weight.
type How = (Vec<(u16, u32, u16, bool)>, u64);

/// By outcome, the ways that lead there.
type Steps = BTreeMap<End, BTreeSet<How>>;

/// Walks the network breadth-first, up to `most` states, and compares in each: the outcomes and the least weight of
/// each, the moves (unless chains make macro steps out of them), and whether the state is a deadlock. Returns the states
/// in the order in which they were met.
pub fn compare(network: &Network, most: usize) -> Result<Vec<Vec<i32>>, String> {
    let reference = Reference::new(network).map_err(|e| e.to_string())?;
    let system = DiscreteSystem::new(network.clone(), &[]);
    let mut explorer = system.explorer();
    let mut states: Vec<Vec<i32>> = Vec::new();
    explorer.initial(&mut |state| states.push(state.key.to_vec()));
    let start = reference.initial().map(|s| to_key(network, &s)).ok();
    assert_eq!(states, Vec::from_iter(start), "initial states");
    let has_chains = network.edges.iter().any(|e| e.keeps_control);
    // A step that fails before a process at a committed location had its turn is not possible.
    let constant = network.edges.iter().flat_map(|e| &e.destinations).all(|d| d.chance.as_const().is_some());
    let adds_up = constant && !has_chains && network.locations.iter().all(|l| !l.flags.committed);
    let mut seen: HashSet<Vec<i32>> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && next < most {
        let key = states[next].clone();
        next += 1;
        let state = from_key(network, &key);
        let (fast, chances, expansion) = by_engine(explorer.as_mut(), &key);
        let slow = by_reference(&reference, &key);
        let same = if has_chains { least_weights(&fast) == least_weights(&slow) } else { fast == slow };
        if !same || expansion.deadlock != reference.is_deadlock(&state) {
            return Err(format!("in state {key:?}\nengine    {fast:?}\nreference {slow:?}\n{expansion:?}"));
        }
        if let Some((choice, sum)) = chances.iter().find(|(_, sum)| adds_up && (*sum - 1.0).abs() > 1e-9) {
            return Err(format!("in state {key:?} the probabilities of choice {choice} add up to {sum}"));
        }
        if !has_chains {
            let mut wrong = None;
            explorer.successors(State::discrete(&key), &mut |step| {
                let exact = reference.chance(&state, step.moves).map(|chance| chance.to_f64().value());
                let is_state = matches!(step.outcome, Outcome::State(_));
                if is_state && exact.is_ok_and(|exact| (exact - step.probability).abs() > 1e-9 * exact) {
                    wrong = Some(format!("in state {key:?} {:?} has the chance {}", step.moves, step.probability));
                }
                ControlFlow::Continue(())
            });
            if let Some(wrong) = wrong {
                return Err(wrong);
            }
        }
        for end in fast.into_keys() {
            if let End::State(key) = end
                && seen.insert(key.clone())
            {
                states.push(key);
            }
        }
    }
    Ok(states)
}

/// Also the sum of the probabilities of each choice.
fn by_engine(explorer: &mut dyn Explorer, key: &[i32]) -> (Steps, BTreeMap<u32, f64>, Expansion) {
    let mut steps = Steps::new();
    let mut chances: BTreeMap<u32, f64> = BTreeMap::new();
    let expansion = explorer.successors(State::discrete(key), &mut |step| {
        let end = match step.outcome {
            Outcome::State(state) => End::State(state.key.to_vec()),
            Outcome::Failure(failure) => failed(failure),
        };
        // A step goes on after a failed assertion: it is emitted once more.
        if !matches!(end, End::Failed(_, true, _)) {
            *chances.entry(step.choice).or_default() += step.probability;
        }
        steps.entry(end).or_default().insert(how(step.moves, step.weight));
        ControlFlow::Continue(())
    });
    (steps, chances, expansion)
}

fn by_reference(reference: &Reference<'_>, key: &[i32]) -> Steps {
    let network = reference.network();
    let state = from_key(network, key);
    let mut steps = Steps::new();
    for step in reference.macro_successors(&state) {
        let end = match &step.result {
            Ok(state) => End::State(to_key(network, state)),
            Err(info) => failed(info.failure),
        };
        steps.entry(end).or_default().insert(how(&step.moves, step.weight));
    }
    if network.edges.iter().any(|e| e.keeps_control) {
        return steps;
    }
    // Macro steps keep one way to each outcome only.
    for step in reference.micro_steps(&state) {
        let ways = how(&step.moves, step.weight);
        let end = step.result.as_ref().map(|state| End::State(to_key(network, state)));
        let end = end.unwrap_or_else(|info| failed(info.failure));
        for end in step.soft_failures.iter().map(|info| failed(info.failure)).chain([end]) {
            steps.entry(end).or_default().insert(ways.clone());
        }
    }
    steps
}

fn failed(failure: Failure) -> End {
    End::Failed(failure.edge, failure.kind == FailureKind::Assertion, failure.code)
}

fn how(moves: &[Move], weight: u64) -> How {
    (moves.iter().map(|m| (m.process, m.edge, m.destination, m.joins)).collect(), weight)
}

fn least_weights(steps: &Steps) -> BTreeMap<&End, Option<u64>> {
    steps.iter().map(|(end, ways)| (end, ways.iter().map(|(_, weight)| *weight).min())).collect()
}
