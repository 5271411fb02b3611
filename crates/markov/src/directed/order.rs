//! Which state is expanded next.
//!
//! - **By path** (XBF; Aljazzar, Hermanns and Leue, *Counterexamples for timed probabilistic reachability*, FORMATS 2005): the
//!   state on the most probable path so far, times what its promise leaves of it. What A\* is for lengths.
//! - **By mass**: the state that most of the probability flows into, by all paths together. Probability is put into the initial
//!   state and passed on; what arrives in a state that was expanded before is passed on again. In chains with many paths of
//!   the same probability it needs far fewer states. Only for chains: in a decision process mass depends on who chooses.
//!
//! It is an order and nothing else: no bound rests on these numbers.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::likelihood::Likelihood;
use super::part::Part;
use super::space::Standing;

/// In which order states are expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    Path,
    Mass,
}

/// So many times what has come back is passed on before another state is expanded.
const PASSES: usize = 64;

#[derive(PartialEq)]
struct Waiting {
    key: f64,
    state: u32,
}

impl Eq for Waiting {}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of equal ones the one that was found first.
        self.key.total_cmp(&other.key).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The states that wait to be expanded, the best one first.
pub struct Order {
    by: By,
    /// By path: the logarithm of the probability of the best path, from which the last expansion went on with `done`.
    /// By mass: what has arrived and was not passed on yet.
    value: Vec<f64>,
    done: Vec<f64>,
    fresh: BinaryHeap<Waiting>,
    again: BinaryHeap<Waiting>,
    /// By mass: what has arrived in goals.
    arrived: f64,
}

impl Order {
    pub fn new(by: By, part: &Part) -> Order {
        let mut order = Order {
            by,
            value: Vec::new(),
            done: Vec::new(),
            fresh: BinaryHeap::new(),
            again: BinaryHeap::new(),
            arrived: 0.0,
        };
        for &state in part.initial() {
            order.arrive(part, state as usize, if by == By::Path { 0.0 } else { 1.0 });
        }
        order
    }

    /// About so much probability is known to reach a goal. By mass only.
    pub fn arrived(&self) -> f64 {
        self.arrived
    }

    /// No path that is not known yet is more probable. By path only.
    pub fn best_open(&mut self, part: &Part) -> Likelihood {
        self.drop_stale(part);
        // What has come back to expanded states leads to nothing new if there is nothing else.
        if self.fresh.is_empty() {
            return Likelihood::ZERO;
        }
        let top = |heap: &BinaryHeap<Waiting>| heap.peek().map_or(f64::NEG_INFINITY, |top| top.key);
        Likelihood::from_ln(top(&self.fresh).max(top(&self.again)))
    }

    /// A path, or some mass, comes to a state.
    fn arrive(&mut self, part: &Part, state: usize, value: f64) {
        if self.value.len() < part.len() {
            let none = if self.by == By::Path { f64::NEG_INFINITY } else { 0.0 };
            self.value.resize(part.len(), none);
            self.done.resize(part.len(), none);
        }
        match part.standing(state) {
            Standing::Lost => return,
            Standing::Goal if self.by == By::Mass => {
                self.arrived += value;
                return;
            }
            Standing::Goal | Standing::Open => {}
        }
        match self.by {
            By::Path if value <= self.value[state] => return,
            By::Path => self.value[state] = value,
            // However small it is, the state can be reached and has to be expanded some time.
            By::Mass => self.value[state] += value.max(f64::MIN_POSITIVE),
        }
        if part.standing(state) == Standing::Goal {
            return;
        }
        let key = self.key(part, state);
        let heap = if part.is_expanded(state) { &mut self.again } else { &mut self.fresh };
        heap.push(Waiting { key, state: state as u32 });
    }

    fn key(&self, part: &Part, state: usize) -> f64 {
        match self.by {
            By::Path => self.value[state] + part.promise(state).ln(),
            By::Mass => self.value[state] * part.promise(state),
        }
    }

    /// Something is left to do with the state.
    fn is_current(&self, waiting: &Waiting) -> bool {
        let state = waiting.state as usize;
        match self.by {
            By::Path => self.value[state] > self.done[state],
            By::Mass => self.value[state] > 0.0,
        }
    }

    /// States are in the queues as often as something came to them.
    fn drop_stale(&mut self, part: &Part) {
        let is_fresh = |order: &Order, top: &Waiting| !part.is_expanded(top.state as usize) && order.is_current(top);
        while self.fresh.peek().is_some_and(|top| !is_fresh(self, top)) {
            self.fresh.pop();
        }
        while self.again.peek().is_some_and(|top| !self.is_current(top)) {
            self.again.pop();
        }
    }

    /// The state to be expanded next, if there is one.
    pub fn next(&mut self, part: &Part) -> Option<usize> {
        for pass in 0.. {
            self.drop_stale(part);
            let fresh = self.fresh.peek().map(|top| top.key);
            match self.again.peek().map(|top| top.key) {
                Some(again) if fresh.is_some_and(|fresh| again > fresh) && (pass < PASSES || self.by == By::Path) => {
                    if let Some(top) = self.again.pop() {
                        self.pass_on(part, top.state as usize);
                    }
                }
                _ => break,
            }
        }
        self.fresh.pop().map(|top| top.state as usize)
    }

    /// After its expansion, or if something came back to a state: goes on from there.
    pub fn pass_on(&mut self, part: &Part, state: usize) {
        let value = self.value[state];
        match self.by {
            By::Path => self.done[state] = value,
            By::Mass => self.value[state] = 0.0,
        }
        for edge in part.edges(state) {
            let value = match self.by {
                By::Path => value + edge.probability.ln(),
                By::Mass => value * edge.probability,
            };
            self.arrive(part, edge.to as usize, value);
        }
    }

    pub fn memory(&self) -> usize {
        16 * (self.value.len() + self.fresh.capacity() + self.again.capacity())
    }
}
