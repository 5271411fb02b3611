//! True distances to errors by brute force, and a check of what heuristics claim against them.
//!
//! The whole graph of a small system is written down, then a backward Dijkstra search from all errors gives the exact
//! cost of the cheapest way from every state: nothing clever, so that it can be believed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;
use std::ops::ControlFlow;

use bughound_kernel::{AtomId, Estimate, Heuristic, Outcome, StateBuf, TransitionSystem};

/// All reachable states of a system and its macro steps.
#[derive(Default)]
pub struct Graph {
    pub states: Vec<StateBuf>,
    /// By state: where steps lead, and their weights.
    pub steps: Vec<Vec<(usize, u64)>>,
    /// By state: the least weight of a step that fails.
    pub failing: Vec<Option<u64>>,
    pub deadlock: Vec<bool>,
    /// By state: the processes that take part in the first micro step of some step, sorted.
    pub movers: Vec<Vec<u16>>,
}

impl Graph {
    /// `None` if there are more than `most` states (or a chain of steps was given up).
    pub fn explore(system: &dyn TransitionSystem, most: usize) -> Option<Graph> {
        let mut graph = Graph::default();
        let mut numbers: HashMap<StateBuf, usize> = HashMap::new();
        let mut explorer = system.explorer();
        explorer.initial(&mut |state| {
            number(&mut numbers, &mut graph.states, state.into());
        });
        let mut at = 0;
        while at < graph.states.len() {
            if graph.states.len() > most {
                return None;
            }
            let from = graph.states[at].clone();
            let (mut steps, mut failing, mut movers) = (Vec::new(), None::<u64>, Vec::new());
            let expansion = explorer.successors(from.as_state(), &mut |step| {
                let joining = step.moves.iter().skip(1).take_while(|m| m.joins);
                movers.extend(step.moves.iter().take(1).chain(joining).map(|m| m.process));
                match step.outcome {
                    Outcome::State(to) => {
                        steps.push((number(&mut numbers, &mut graph.states, to.into()), step.weight));
                    }
                    Outcome::Failure(_) => {
                        failing = Some(failing.map_or(step.weight, |least| least.min(step.weight)));
                    }
                }
                ControlFlow::Continue(())
            });
            if expansion.cut {
                return None;
            }
            graph.steps.push(steps);
            graph.failing.push(failing);
            graph.deadlock.push(expansion.deadlock);
            movers.sort_unstable();
            movers.dedup();
            graph.movers.push(movers);
            at += 1;
        }
        Some(graph)
    }
}

/// The number of a state, a new one if it was not met before.
fn number(numbers: &mut HashMap<StateBuf, usize>, states: &mut Vec<StateBuf>, state: StateBuf) -> usize {
    *numbers.entry(state).or_insert_with_key(|state| {
        states.push(state.clone());
        states.len() - 1
    })
}

/// What counts as an error, in the terms of a transition system.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    pub deadlock: bool,
    pub failures: bool,
    /// States in which a predicate has the given truth value.
    pub atoms: Vec<(AtomId, bool)>,
    /// States of a product in which the claim is at one of these locations.
    pub claim_at: Vec<i32>,
}

/// How far every state of a graph is from the nearest error.
pub struct Distances {
    /// Is the state itself an error?
    pub is_error: Vec<bool>,
    /// The least weight of a step that is an error.
    pub failing: Vec<Option<u64>>,
    /// `None`: no error can be reached.
    pub to_error: Vec<Option<u64>>,
}

impl Distances {
    pub fn new(graph: &Graph, system: &dyn TransitionSystem, errors: &Errors) -> Distances {
        let count = graph.states.len();
        let mut explorer = system.explorer();
        let mut is_wrong = |state: &StateBuf| {
            errors.atoms.iter().any(|(atom, wanted)| explorer.holds(*atom, state.as_state()) == *wanted)
                || errors.claim_at.contains(&state.key[0])
        };
        let is_error: Vec<bool> =
            (0..count).map(|s| (errors.deadlock && graph.deadlock[s]) || is_wrong(&graph.states[s])).collect();
        let failing = if errors.failures { graph.failing.clone() } else { vec![None; count] };
        let mut backwards: Vec<Vec<(usize, u64)>> = vec![Vec::new(); count];
        for (from, steps) in graph.steps.iter().enumerate() {
            steps.iter().for_each(|(to, weight)| backwards[*to].push((from, *weight)));
        }
        let mut to_error: Vec<Option<u64>> = vec![None; count];
        let first = (0..count).filter_map(|s| if is_error[s] { Some((0, s)) } else { failing[s].map(|w| (w, s)) });
        let mut open: BinaryHeap<Reverse<(u64, usize)>> = first.map(Reverse).collect();
        while let Some(Reverse((distance, state))) = open.pop() {
            if to_error[state].is_some() {
                continue;
            }
            to_error[state] = Some(distance);
            open.extend(backwards[state].iter().map(|(from, weight)| Reverse((distance + weight, *from))));
        }
        Distances { is_error, failing, to_error }
    }

    /// Some state is an error or can get to one.
    pub fn any(&self) -> bool {
        self.to_error.iter().any(Option::is_some)
    }
}

/// A claim of a heuristic that is not true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub claim: &'static str,
    pub state: usize,
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not {}: state {}: {}", self.claim, self.state, self.text)
    }
}

/// What a comparison of a heuristic with the truth came to.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    pub violations: Vec<Violation>,
    /// Estimates of two or more that are claimed to be admissible: without any, the claim says little.
    pub bounds: usize,
    /// Dead ends that are claimed to be safe.
    pub dead_ends: usize,
}

/// Compares every claim of a heuristic with the truth, in every state.
pub fn check_claims(heuristic: &mut dyn Heuristic, graph: &Graph, distances: &Distances) -> Findings {
    let claims = heuristic.claims();
    let estimates: Vec<Estimate> = graph.states.iter().map(|s| heuristic.estimate(s.as_state().into())).collect();
    let mut findings = Findings::default();
    let mut report = |claim, state, text| findings.violations.push(Violation { claim, state, text });
    if (claims.consistent && !claims.admissible) || (claims.admissible && !claims.safe) {
        report("coherent", 0, format!("{claims:?}: consistent implies admissible, and that implies safe"));
    }
    for (state, estimate) in estimates.iter().enumerate() {
        let truth = distances.to_error[state];
        findings.bounds += usize::from(claims.admissible && estimate.finite().is_some_and(|h| h > 1));
        findings.dead_ends += usize::from(claims.safe && estimate.is_dead_end());
        if claims.safe && estimate.is_dead_end() && truth.is_some() {
            report("safe", state, format!("a dead end, but an error is {truth:?} away"));
        }
        if claims.admissible && exceeds(*estimate, truth) {
            report("admissible", state, format!("{estimate:?}, but an error is {truth:?} away"));
        }
        if !claims.consistent {
            continue;
        }
        if distances.is_error[state] && *estimate != Estimate::ZERO {
            report("consistent", state, format!("{estimate:?} at an error"));
        }
        if exceeds(*estimate, distances.failing[state]) && distances.failing[state].is_some() {
            report(
                "consistent",
                state,
                format!("{estimate:?}, but a step of weight {:?} fails", distances.failing[state]),
            );
        }
        for (to, weight) in &graph.steps[state] {
            let after = estimates[*to];
            if exceeds(*estimate, after.finite().map(|h| h.saturating_add(*weight))) {
                report("consistent", state, format!("{estimate:?}, but {after:?} after a step of weight {weight}"));
            }
        }
    }
    findings
}

/// Is the estimate more than a cost, where `None` is infinite?
fn exceeds(estimate: Estimate, cost: Option<u64>) -> bool {
    match (estimate, cost) {
        (_, None) => false,
        (Estimate::DeadEnd, Some(_)) => true,
        (Estimate::Finite(estimate), Some(cost)) => estimate > cost,
    }
}

#[cfg(test)]
mod tests {
    use bughound_kernel::{HeuristicClaims, Situation};
    use bughound_promela::lower::LowerOptions;
    use bughound_semantics::DiscreteSystem;

    use super::*;
    use crate::differential::network;

    /// A counter that fails at 3; beside it a dead end.
    const MODEL: &str =
        "byte x; active proctype P() { do :: x < 3 -> x++; assert(x < 3) :: x == 1 -> break od; end: false }";

    fn explore() -> (Graph, Distances) {
        let network = network(MODEL, LowerOptions { merge: false, ..LowerOptions::default() }).unwrap();
        let system = DiscreteSystem::new(network, &[]);
        let graph = Graph::explore(&system, 100).unwrap();
        let distances = Distances::new(&graph, &system, &Errors { failures: true, ..Errors::default() });
        (graph, distances)
    }

    /// Says the same of every state.
    struct Constant(Estimate, HeuristicClaims);

    impl Heuristic for Constant {
        fn claims(&self) -> HeuristicClaims {
            self.1
        }

        fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
            self.0
        }
    }

    #[test]
    fn distances_count_the_failing_step() {
        let (graph, distances) = explore();
        // x < 3, x++, assert: three rounds.
        assert_eq!(distances.to_error[0], Some(9));
        assert!(distances.to_error.contains(&None) && distances.failing.contains(&Some(1)));
        assert_eq!(
            Graph::explore(&DiscreteSystem::new(network(MODEL, LowerOptions::default()).unwrap(), &[]), 3).is_none(),
            graph.states.len() > 3
        );
    }

    #[test]
    fn false_claims_are_found_and_true_ones_are_not() {
        let (graph, distances) = explore();
        let claims_broken = |estimate, claims| {
            let found = check_claims(&mut Constant(estimate, claims), &graph, &distances);
            let mut broken: Vec<_> = found.violations.iter().map(|v| v.claim).collect();
            broken.dedup();
            broken.sort_unstable();
            broken.dedup();
            broken
        };
        assert!(claims_broken(Estimate::ZERO, HeuristicClaims::CONSISTENT).is_empty());
        assert!(claims_broken(Estimate::Finite(1), HeuristicClaims::ADMISSIBLE).is_empty());
        assert_eq!(claims_broken(Estimate::Finite(2), HeuristicClaims::CONSISTENT), ["admissible", "consistent"]);
        assert_eq!(claims_broken(Estimate::DeadEnd, HeuristicClaims::SAFE), ["safe"]);
        assert!(claims_broken(Estimate::DeadEnd, HeuristicClaims::NONE).is_empty());
    }
}
