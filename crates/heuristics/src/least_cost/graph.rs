//! The graph of one process on its own: what it can do as far as its own variables and clocks can tell.

/// Costs and times; this and more is out of reach.
pub const INFINITE: u64 = u64::MAX / 4;

pub fn plus(a: u64, b: u64) -> u64 {
    a.saturating_add(b).min(INFINITE)
}

pub fn times(a: u64, b: u64) -> u64 {
    a.saturating_mul(b).min(INFINITE)
}

/// A clock of the model, counted from 1 as in zones, has at least this value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerBound {
    pub clock: usize,
    pub constant: i64,
}

/// Clocks, counted from 1, with the largest values that they can have; in ascending order.
pub type UpperBounds = Vec<(usize, i64)>;

/// A way out of a local state.
#[derive(Clone, Debug)]
pub struct Exit {
    pub waits_for: Vec<LowerBound>,
    /// The node that it leads to.
    pub to: usize,
    pub impulse: u64,
    /// How much it adds to each counter.
    pub gains: Vec<u64>,
    /// The resources that it takes, as a set.
    pub takes: u64,
}

/// A location with values of the variables that belong to the process.
#[derive(Clone, Debug)]
pub struct LocalState {
    pub exits: Vec<Exit>,
    /// What a unit of time costs here at least. Nothing if no time passes here.
    pub rate: Option<u64>,
    /// The resources that are held here, as a set.
    pub holds: u64,
    /// Can the goal hold while the process is here, as far as it can tell?
    pub at_goal: bool,
}

/// A local state as it is entered.
#[derive(Clone, Debug)]
pub struct Node {
    pub state: usize,
    /// The largest values that clocks can have on entry.
    pub at_most: UpperBounds,
}

/// What a process can do.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub states: Vec<LocalState>,
    pub nodes: Vec<Node>,
    /// Slots of the key that make the local state, the location first.
    pub slots: Vec<u32>,
    pub index: std::collections::HashMap<Vec<i32>, usize>,
}

impl Graph {
    /// How long one has to stay at least, once a node is entered, before an exit can be taken.
    pub fn stay(&self, node: usize, exit: &Exit) -> u64 {
        let at_most = |clock: usize| self.nodes[node].at_most.iter().find(|(c, _)| *c == clock).map(|(_, most)| *most);
        let wait = |bound: &LowerBound| at_most(bound.clock).map_or(0, |most| bound.constant - most);
        exit.waits_for.iter().map(wait).max().unwrap_or(0).max(0) as u64
    }

    /// By node: the least sum of weights to where `done` says so; `weight` is nothing for exits that must not be taken.
    ///
    /// `done` is the sum at a node where the way may end; nothing if it must go on.
    pub fn least(&self, done: impl Fn(usize) -> Option<u64>, weight: impl Fn(usize, &Exit) -> Option<u64>) -> Vec<u64> {
        let mut backwards: Vec<Vec<(usize, u64)>> = vec![Vec::new(); self.nodes.len()];
        let mut open = std::collections::BinaryHeap::new();
        let mut least = vec![INFINITE; self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(end) = done(number) {
                least[number] = end.min(INFINITE);
                open.push(std::cmp::Reverse((least[number], number)));
            }
            for exit in &self.states[node.state].exits {
                if let Some(weight) = weight(number, exit) {
                    backwards[exit.to].push((number, weight));
                }
            }
        }
        while let Some(std::cmp::Reverse((sum, node))) = open.pop() {
            if sum > least[node] {
                continue;
            }
            for (before, weight) in &backwards[node] {
                let longer = plus(sum, *weight);
                if longer < least[*before] {
                    least[*before] = longer;
                    open.push(std::cmp::Reverse((longer, *before)));
                }
            }
        }
        least
    }
}
