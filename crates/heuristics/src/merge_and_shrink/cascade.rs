//! Which state of a factor a state of the model is: tables over the values of variables, and over pairs of such states.

use std::sync::Arc;

use bughound_finite::task::Task;
use bughound_kernel::Situation;

use super::system::{DEAD, StateId, UNSEEN, is_state};

pub type NodeId = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// No state of a model has left the error behind.
    NotYet,
    Variable(usize),
    /// A pair: the second varies fastest.
    Pair {
        first: NodeId,
        second: NodeId,
        size: u32,
    },
}

#[derive(Clone, Debug)]
struct Node {
    source: Source,
    table: Vec<StateId>,
}

/// Pairs come after their parts.
#[derive(Clone, Debug, Default)]
pub struct Cascade {
    /// Copies share them.
    nodes: Arc<Vec<Node>>,
    /// The state that each node stands at.
    at: Vec<StateId>,
}

impl Cascade {
    pub fn add(&mut self, source: Source, table: Vec<StateId>) -> NodeId {
        Arc::make_mut(&mut self.nodes).push(Node { source, table });
        self.at.push(UNSEEN);
        self.nodes.len() - 1
    }

    /// Replaces what is found in a table.
    pub fn replace(&mut self, node: NodeId, new: impl Fn(StateId) -> StateId) {
        Arc::make_mut(&mut self.nodes)[node].table.iter_mut().for_each(|state| *state = new(*state));
    }

    /// Looks a state up in all tables. False if it has values that the task does not know.
    pub fn look_up(&mut self, task: &Task, at: Situation<'_>) -> bool {
        self.evaluate(|variable| task.value(variable, at))
    }

    pub fn evaluate(&mut self, value: impl Fn(usize) -> Option<StateId>) -> bool {
        for (at, node) in self.nodes.iter().enumerate() {
            let place = match node.source {
                Source::NotYet => 0,
                Source::Variable(variable) => match value(variable) {
                    Some(value) => value as usize,
                    None => return false,
                },
                Source::Pair { first, second, size } => match (self.at[first], self.at[second]) {
                    (a, b) if is_state(a) && is_state(b) => a as usize * size as usize + b as usize,
                    (DEAD, _) | (_, DEAD) => {
                        self.at[at] = DEAD;
                        continue;
                    }
                    _ => {
                        self.at[at] = UNSEEN;
                        continue;
                    }
                },
            };
            self.at[at] = node.table[place];
        }
        true
    }

    /// What the last look-up found, in the last table.
    pub fn found(&self) -> StateId {
        self.at.last().copied().unwrap_or(UNSEEN)
    }

    /// Keeps one table, as the last, and those that it is built on.
    pub fn keep(&mut self, root: NodeId) {
        let nodes = Arc::make_mut(&mut self.nodes);
        nodes.truncate(root + 1);
        let mut needed = vec![false; root + 1];
        needed[root] = true;
        for at in (0..=root).rev() {
            if let (true, Source::Pair { first, second, .. }) = (needed[at], nodes[at].source) {
                (needed[first], needed[second]) = (true, true);
            }
        }
        let before = |at: usize| needed[..at].iter().filter(|needed| **needed).count();
        for node in nodes.iter_mut() {
            if let Source::Pair { first, second, .. } = &mut node.source {
                (*first, *second) = (before(*first), before(*second));
            }
        }
        let mut keep = needed.iter();
        nodes.retain(|_| keep.next().is_some_and(|needed| *needed));
        self.at.truncate(self.nodes.len());
    }

    pub fn memory(&self) -> u64 {
        self.nodes.iter().map(|node| (node.table.len() * size_of::<StateId>() + size_of::<Node>()) as u64).sum()
    }
}
