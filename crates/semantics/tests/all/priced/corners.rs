//! The oracle: cheapest runs without zones, by corner points of regions (Bouyer, Brinksma, Larsen, "Optimal infinite
//! scheduling for multi-priced timed automata", 2008).
//!
//! The infimum of the costs is found near points with whole values. So a clock has a whole value and an infinitely small
//! number beside it; time passes by whole units, which cost, and by infinitely small amounts, which do not. Of the small
//! numbers only the order and the signs matter, so there are finitely many states, and shortest paths between them.
//!
//! With whole numbers alone this is digitised time, which is enough where all bounds are closed.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use bughound_ir::types::Relation;

use super::model::{CLOCKS, Comparison, Kind, LARGEST, Model, Passage, Way};

/// A whole number and how far it is from it, on a scale that is infinitely small.
type Value = (i32, i32);

/// Room between small numbers, for new ones.
const ROOM: i32 = 4;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Node {
    places: Vec<usize>,
    clocks: [Value; CLOCKS],
}

fn holds(comparison: &Comparison, clocks: &[Value; CLOCKS]) -> bool {
    let (value, constant) = (clocks[comparison.clock], (comparison.constant, 0));
    match comparison.relation {
        Relation::Less => value < constant,
        Relation::LessEqual => value <= constant,
        Relation::Equal => value == constant,
        Relation::GreaterEqual => value >= constant,
        Relation::Greater => value > constant,
    }
}

/// Forgets what makes no difference: values beyond all constants, and all but the order of small numbers.
fn normal(mut clocks: [Value; CLOCKS]) -> [Value; CLOCKS] {
    for value in &mut clocks {
        if *value > (LARGEST, 0) {
            *value = (LARGEST + 1, 0);
        }
    }
    let small: BTreeSet<i32> = clocks.iter().map(|value| value.1).chain([0]).collect();
    let rank = |number: i32| {
        let from_zero = small.range(number.min(0)..=number.max(0)).count() as i32 - 1;
        from_zero * number.signum() * ROOM
    };
    clocks.map(|(whole, small)| (whole, rank(small)))
}

impl Model {
    /// The infimum of the costs of all runs to the goal; nothing if there is none.
    pub fn least_cost(&self, digitised: bool) -> Option<u64> {
        let first = Node { places: vec![0; self.processes.len()], clocks: [(0, 0); CLOCKS] };
        if !self.may_be(&first) {
            return None;
        }
        let mut best: BTreeMap<Node, u64> = BTreeMap::new();
        let mut open = BinaryHeap::from([Reverse((0, first))]);
        while let Some(Reverse((cost, node))) = open.pop() {
            if best.contains_key(&node) {
                continue;
            }
            let last = self.processes[0].places.len() - 1;
            if node.places[0] == last && self.goal.iter().all(|c| holds(c, &node.clocks)) {
                return Some(cost);
            }
            let mut next = self.delays(&node, digitised);
            next.extend(self.steps(&node));
            best.insert(node, cost);
            open.extend(
                next.into_iter().filter(|(_, next)| self.may_be(next)).map(|(more, next)| Reverse((cost + more, next))),
            );
        }
        None
    }

    fn may_be(&self, node: &Node) -> bool {
        let places = self.processes.iter().zip(&node.places).map(|(process, at)| &process.places[*at]);
        places.flat_map(|place| &place.invariant).all(|c| holds(c, &node.clocks))
    }

    fn kinds(&self, node: &Node) -> Vec<Kind> {
        self.processes.iter().zip(&node.places).map(|(process, at)| process.places[*at].kind).collect()
    }

    fn delays(&self, node: &Node, digitised: bool) -> Vec<(u64, Node)> {
        if self.kinds(node).iter().any(|kind| *kind != Kind::Ordinary) || (self.urgent && self.hand_shakes(node, 0)) {
            return Vec::new();
        }
        let rate: i32 = self.processes.iter().zip(&node.places).map(|(process, at)| process.places[*at].rate).sum();
        let farthest = if digitised { 0 } else { ROOM * (CLOCKS as i32 + 1) };
        let amounts = (-farthest..=farthest).flat_map(|small| [(0, small), (1, small)]);
        let later = |(whole, small): (i32, i32)| {
            let late = |value: Value| if value > (LARGEST, 0) { value } else { (value.0 + whole, value.1 + small) };
            let clocks = normal(node.clocks.map(late));
            ((whole * rate) as u64, Node { clocks, ..node.clone() })
        };
        amounts.filter(|amount| *amount > (0, 0)).map(later).collect()
    }

    /// Passages that a process can take from where it is, as far as its own guards are concerned.
    fn passages<'a>(&'a self, node: &'a Node, process: usize, way: Way) -> impl Iterator<Item = &'a Passage> {
        let passages = self.processes[process].passages.iter();
        passages.filter(move |passage| {
            passage.from == node.places[process]
                && passage.way == way
                && passage.guards.iter().all(|c| holds(c, &node.clocks))
        })
    }

    /// Is a synchronisation over this signal possible? It has no guards.
    fn hand_shakes(&self, node: &Node, signal: usize) -> bool {
        let can = |process: usize, way: Way| {
            let mut passages = self.processes[process].passages.iter();
            passages.any(|passage| passage.from == node.places[process] && passage.way == way)
        };
        (0..2).any(|emits| can(emits, Way::Emits(signal)) && can(1 - emits, Way::Accepts(signal)))
    }

    fn steps(&self, node: &Node) -> Vec<(u64, Node)> {
        let committed: Vec<bool> = self.kinds(node).iter().map(|kind| *kind == Kind::Committed).collect();
        let mut found = Vec::new();
        let mut take = |taken: &[(usize, &Passage)]| {
            if committed.contains(&true) && !taken.iter().any(|(process, _)| committed[*process]) {
                return;
            }
            let (mut next, mut cost) = (node.clone(), 0);
            for (process, passage) in taken {
                next.places[*process] = passage.to;
                cost += passage.impulse as u64;
                for (clock, value) in &passage.resets {
                    next.clocks[*clock] = (*value, 0);
                }
            }
            next.clocks = normal(next.clocks);
            found.push((cost, next));
        };
        for process in 0..2 {
            for passage in self.passages(node, process, Way::Alone) {
                take(&[(process, passage)]);
            }
            let other = 1 - process;
            for signal in 0..2 {
                for emits in self.passages(node, process, Way::Emits(signal)) {
                    let mut heard = false;
                    for accepts in self.passages(node, other, Way::Accepts(signal)) {
                        heard = true;
                        take(&[(process, emits), (other, accepts)]);
                    }
                    if signal == 1 && self.broadcast && !heard {
                        take(&[(process, emits)]);
                    }
                }
            }
        }
        found
    }
}
