//! Counters of the goal: how much each process can still add to them.
//!
//! If all processes together can add no more than what is missing, each of them must add all that it can: then ways on
//! which it adds less lead nowhere.

use super::goal::Counter;
use super::graph::Graph;

/// A counter to which everybody must add all that he can.
pub struct Tight {
    pub counter: Counter,
    /// By process and local state: what it can still add.
    pub most: Vec<Vec<u64>>,
}

impl Tight {
    /// What is missing that nobody can add.
    pub fn is_out_of_reach(&self, key: &[i32], states: &[Option<usize>]) -> bool {
        let mut most: i64 = 0;
        for (states, state) in self.most.iter().zip(states) {
            let Some(state) = state else { return false };
            most = most.saturating_add_unsigned(states[*state]);
        }
        i64::from(key[self.counter.slot as usize]).saturating_add(most) < self.counter.wanted
    }
}

/// Finds the counters that are tight in the initial state, and takes the ways that lead nowhere out of the graphs.
pub fn tighten(graphs: &mut [Graph], counters: &[Counter], initial: &[i32]) -> Vec<Tight> {
    let mut found = Vec::new();
    for (number, counter) in counters.iter().enumerate() {
        let most: Option<Vec<Vec<u64>>> = graphs.iter().map(|graph| most_gains(graph, number)).collect();
        let Some(most) = most else { continue };
        let all = most.iter().try_fold(0u64, |sum, states| sum.checked_add(states.first().copied().unwrap_or(0)));
        let missing = counter.wanted - i64::from(initial[counter.slot as usize]);
        if all.is_some_and(|all| i64::try_from(all).is_ok_and(|all| all <= missing)) {
            found.push((number, Tight { counter: *counter, most }));
        }
    }
    for (number, tight) in &found {
        for (graph, most) in graphs.iter_mut().zip(&tight.most) {
            let nodes = &graph.nodes;
            for (state, most_here) in graph.states.iter_mut().zip(most) {
                state.at_goal &= *most_here == 0;
                state.exits.retain(|exit| exit.gains[*number] + most[nodes[exit.to].state] == *most_here);
            }
        }
    }
    found.into_iter().map(|(_, tight)| tight).collect()
}

/// By state: the most that a counter can grow from there on. Nothing if there is no end to it.
fn most_gains(graph: &Graph, counter: usize) -> Option<Vec<u64>> {
    let mut most = vec![0; graph.states.len()];
    // The longest way without a circle has as many states as there are.
    for _ in 0..=graph.states.len() {
        let mut changed = false;
        for state in (0..graph.states.len()).rev() {
            for exit in &graph.states[state].exits {
                let gain = exit.gains[counter].saturating_add(most[graph.nodes[exit.to].state]);
                if gain > most[state] {
                    (most[state], changed) = (gain, true);
                }
            }
        }
        if !changed {
            return Some(most);
        }
    }
    None
}
