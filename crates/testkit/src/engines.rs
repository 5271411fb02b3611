//! The engine beside the reference evaluator, state by state.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ops::ControlFlow;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::reference::{Reference, from_key, to_key};
use bughound_kernel::{AtomId, Explorer, Failure, Outcome, State, TransitionSystem};
use bughound_semantics::DiscreteSystem;

/// What a macro step can come to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    State(Vec<i32>),
    Failed { edge: u32, code: u32, assertion: bool },
}

impl From<Failure> for End {
    fn from(f: Failure) -> End {
        let assertion = f.kind == bughound_kernel::FailureKind::Assertion;
        End::Failed { edge: f.edge, code: f.code, assertion }
    }
}

const PREDICATES: [Expr; 4] =
    [Expr::UnspecifiedReception, Expr::ChannelOverflow, Expr::NonProgress, Expr::AtAcceptLabel];

/// Walks up to `most` states breadth-first with both and compares, in every state, the outcomes of all macro steps with
/// their least weights, whether it is a deadlock, and the predicates that the language has no words for. Returns the number of states compared, or the first difference.
pub fn compare_engines(network: &Network, most: usize) -> Result<usize, String> {
    let reference = Reference::new(network).map_err(|e| format!("{e:?}"))?;
    let system = DiscreteSystem::new(network.clone(), &PREDICATES);
    let mut explorer = system.explorer();
    let mut initial: Vec<Vec<i32>> = Vec::new();
    explorer.initial(&mut |state| initial.push(state.key.to_vec()));
    let expected: Vec<Vec<i32>> = reference.initial().ok().map(|s| to_key(network, &s)).into_iter().collect();
    if initial != expected {
        return Err(format!("initial states: engine {initial:?}, reference {expected:?}"));
    }
    let mut seen: HashSet<Vec<i32>> = initial.iter().cloned().collect();
    let mut todo: VecDeque<Vec<i32>> = initial.into();
    let mut compared = 0;
    while let Some(key) = todo.pop_front() {
        if compared == most {
            break;
        }
        let (fast, fast_deadlock) = by_engine(explorer.as_mut(), &key);
        let state = from_key(network, &key);
        let mut slow: BTreeMap<End, u64> = BTreeMap::new();
        for step in reference.macro_successors(&state) {
            let end = match &step.result {
                Ok(state) => End::State(to_key(network, state)),
                Err(info) => End::from(info.failure),
            };
            let weight = slow.entry(end).or_insert(step.weight);
            *weight = (*weight).min(step.weight);
        }
        let slow_deadlock = reference.is_deadlock(&state);
        if fast != slow || fast_deadlock != slow_deadlock {
            return Err(format!(
                "in state {key:?}\nengine    {fast:?} deadlock {fast_deadlock}\nreference {slow:?} deadlock {slow_deadlock}"
            ));
        }
        for (at, predicate) in PREDICATES.iter().enumerate() {
            let fast = explorer.holds(AtomId(at as u32), State::discrete(&key));
            let slow = reference.holds(&state, predicate).unwrap_or(false);
            if fast != slow {
                return Err(format!("in state {key:?}\n{predicate:?}: engine {fast}, reference {slow}"));
            }
        }
        compared += 1;
        for end in fast.into_keys() {
            if let End::State(next) = end
                && seen.insert(next.clone())
            {
                todo.push_back(next);
            }
        }
    }
    Ok(compared)
}

fn by_engine(explorer: &mut dyn Explorer, key: &[i32]) -> (BTreeMap<End, u64>, bool) {
    let mut found: BTreeMap<End, u64> = BTreeMap::new();
    let expansion = explorer.successors(State::discrete(key), &mut |step| {
        let end = match step.outcome {
            Outcome::State(state) => End::State(state.key.to_vec()),
            Outcome::Failure(failure) => End::from(failure),
        };
        let weight = found.entry(end).or_insert(step.weight);
        *weight = (*weight).min(step.weight);
        ControlFlow::Continue(())
    });
    (found, expansion.deadlock)
}
