//! Estimates put to the test: true distances by brute force, for tests on small models. Shares nothing with the searches.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fmt;

use bughound_kernel::{Estimate, HeuristicClaims};

use crate::model::RustModel;
use crate::property::Property;

/// What brute force found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrueDistances {
    /// Reachable states.
    pub states: usize,
    /// By property: the least cost of a way from an initial state to a state that decides it; `None` if there is no way.
    pub to: Vec<(String, Option<u64>)>,
}

impl TrueDistances {
    /// The distance of the property of this name, if there is one.
    pub fn of(&self, property: &str) -> Option<u64> {
        self.to.iter().find(|(name, _)| name == property).and_then(|(_, distance)| *distance)
    }
}

/// An estimate that is not what it claims to be, or a model too large to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClaimError<S> {
    /// There are more states than brute force was allowed.
    TooLarge { most: usize },
    /// An estimate that claims never to be too large is too large.
    TooMuch { property: String, state: S, estimate: Estimate, distance: u64 },
    /// An estimate that claims to be consistent is not 0 where the property is decided.
    NotZero { property: String, state: S, estimate: Estimate },
    /// An estimate that claims to be consistent falls by more than the cost of a step.
    Falls { property: String, from: S, to: S, cost: u64, before: u64, after: u64 },
}

impl<S: fmt::Debug> fmt::Display for ClaimError<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimError::TooLarge { most } => write!(f, "the model has more than {most} states"),
            ClaimError::TooMuch { property, state, estimate, distance } => {
                write!(f, "{property}: the estimate of {state:?} is {estimate:?}, its true distance {distance}")
            }
            ClaimError::NotZero { property, state, estimate } => {
                write!(f, "{property}: the estimate of {state:?} is {estimate:?}, but the property is decided there")
            }
            ClaimError::Falls { property, from, to, cost, before, after } => write!(
                f,
                "{property}: a step that costs {cost} leads from {from:?} to {to:?}, but the estimate falls from {before} \
                 to {after}"
            ),
        }
    }
}

impl<S: fmt::Debug> std::error::Error for ClaimError<S> {}

/// Goes through all states of a model, which may have at most `most`, and compares every estimate with what it claims.
pub fn check_estimates<M: RustModel>(model: &M, most: usize) -> Result<TrueDistances, ClaimError<M::State>> {
    let graph = Graph::of(model, most)?;
    let mut to = Vec::new();
    for property in model.properties() {
        let distances = graph.distances(model, &property);
        graph.compare(model, &property, &distances)?;
        let from_start = graph.initial.iter().filter_map(|state| distances[*state]).min();
        to.push((property.name().to_string(), from_start));
    }
    Ok(TrueDistances { states: graph.states.len(), to })
}

struct Edge {
    from: usize,
    to: usize,
    cost: u64,
}

struct Graph<S> {
    states: Vec<S>,
    edges: Vec<Edge>,
    initial: Vec<usize>,
}

impl<S: Clone + Eq + std::hash::Hash> Graph<S> {
    fn of<M: RustModel<State = S>>(model: &M, most: usize) -> Result<Graph<S>, ClaimError<S>> {
        let mut numbers: HashMap<S, usize> = HashMap::new();
        let mut graph = Graph { states: Vec::new(), edges: Vec::new(), initial: Vec::new() };
        let mut number = |state: S, states: &mut Vec<S>| {
            *numbers.entry(state).or_insert_with_key(|state| {
                states.push(state.clone());
                states.len() - 1
            })
        };
        for state in model.initial_states() {
            let initial = number(state, &mut graph.states);
            graph.initial.push(initial);
        }
        let mut from = 0;
        while from < graph.states.len() {
            if graph.states.len() > most {
                return Err(ClaimError::TooLarge { most });
            }
            let state = graph.states[from].clone();
            let mut actions = Vec::new();
            model.actions(&state, &mut actions);
            for action in &actions {
                let Some(next) = model.next_state(&state, action) else { continue };
                let to = number(next, &mut graph.states);
                graph.edges.push(Edge { from, to, cost: model.cost(&state, action) });
            }
            from += 1;
        }
        Ok(graph)
    }

    /// Dijkstra's algorithm, backwards from all states that decide the property.
    fn distances<M: RustModel<State = S>>(&self, model: &M, property: &Property<M>) -> Vec<Option<u64>> {
        let mut into: Vec<Vec<&Edge>> = self.states.iter().map(|_| Vec::new()).collect();
        for edge in &self.edges {
            into[edge.to].push(edge);
        }
        let mut distances = vec![None; self.states.len()];
        let decided = (0..self.states.len()).filter(|state| property.is_decided_in(model, &self.states[*state]));
        let mut open: BinaryHeap<Reverse<(u64, usize)>> = decided.map(|state| Reverse((0, state))).collect();
        while let Some(Reverse((distance, state))) = open.pop() {
            if distances[state].is_some() {
                continue;
            }
            distances[state] = Some(distance);
            open.extend(into[state].iter().map(|edge| Reverse((distance.saturating_add(edge.cost), edge.from))));
        }
        distances
    }

    fn compare<M: RustModel<State = S>>(
        &self,
        model: &M,
        property: &Property<M>,
        distances: &[Option<u64>],
    ) -> Result<(), ClaimError<S>> {
        let claims = property.claims().unwrap_or(HeuristicClaims::NONE);
        if !claims.admissible {
            return Ok(());
        }
        let name = || property.name().to_string();
        let estimates: Vec<Estimate> = self.states.iter().map(|state| property.estimate_of(model, state)).collect();
        for ((state, estimate), distance) in self.states.iter().zip(&estimates).zip(distances) {
            let Some(distance) = *distance else { continue };
            let (property, state, estimate) = (name(), state.clone(), *estimate);
            if distance == 0 && claims.consistent && estimate != Estimate::ZERO {
                return Err(ClaimError::NotZero { property, state, estimate });
            }
            if estimate.finite().is_none_or(|estimate| estimate > distance) {
                return Err(ClaimError::TooMuch { property, state, estimate, distance });
            }
        }
        for Edge { from, to, cost } in self.edges.iter().filter(|_| claims.consistent) {
            // A dead end was found to be one; whatever lies beyond it is one, too.
            let (Some(before), Some(after)) = (estimates[*from].finite(), estimates[*to].finite()) else { continue };
            if before > after.saturating_add(*cost) {
                let (from, to) = (self.states[*from].clone(), self.states[*to].clone());
                return Err(ClaimError::Falls { property: name(), from, to, cost: *cost, before, after });
            }
        }
        Ok(())
    }
}
