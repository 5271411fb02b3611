//! Numbers by state: a decision diagram with numbers at its leaves, in a vector. It needs no manager, is shared between threads, and
//! a walk through it looks at each bit at most once.

use std::collections::HashMap;

use bughound_diagrams::{Diagrams, Set};
use bughound_finite::cost::Cost;

/// What a walk goes to: a node, or a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Target(u32);

const LEAF: u32 = 1 << 31;

impl Target {
    /// The number of the node, if it is none of the leaves.
    fn node(self) -> Option<usize> {
        (self.0 & LEAF == 0).then_some(self.0 as usize)
    }
}

/// The leaf of all states that have no number yet.
const OTHERS: Target = Target(LEAF);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    bit: u32,
    /// Where to go if the bit is 0, and if it is 1.
    next: [Target; 2],
}

/// Ready to be read.
#[derive(Clone, Debug)]
pub struct Table {
    nodes: Vec<Node>,
    leaves: Vec<Cost>,
    root: Target,
}

impl Table {
    /// The number of a state.
    #[inline]
    pub fn at(&self, bit: impl Fn(u32) -> bool) -> Cost {
        let mut at = self.root;
        while let Some(number) = at.node() {
            let node = &self.nodes[number];
            at = node.next[usize::from(bit(node.bit))];
        }
        self.leaves[(at.0 & !LEAF) as usize]
    }

    pub fn memory(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + self.leaves.capacity() * size_of::<Cost>()) as u64
    }
}

/// A table to which numbers are added.
pub struct Builder {
    table: Table,
    known: HashMap<Node, u32>,
    /// Nodes that were needed after the last collection.
    needed: usize,
}

/// No collection with fewer nodes.
const FEW_NODES: usize = 1 << 16;

impl Builder {
    pub fn new() -> Builder {
        let table = Table { nodes: Vec::new(), leaves: vec![0], root: OTHERS };
        Builder { table, known: HashMap::new(), needed: 0 }
    }

    /// Gives all states of a set, which have no number yet, this one; false, and nothing changes, if that takes too many nodes.
    pub fn add(&mut self, diagrams: &Diagrams, set: &Set, number: Cost, most: usize) -> bool {
        if self.table.nodes.len() > (2 * self.needed).max(FEW_NODES) {
            self.collect();
        }
        let root = self.with(diagrams, set, most).or_else(|| {
            self.collect();
            self.with(diagrams, set, most)
        });
        let Some(root) = root else { return false };
        self.table.leaves.push(number);
        self.table.root = root;
        true
    }

    /// The root with a new leaf for these states, if there is room.
    fn with(&mut self, diagrams: &Diagrams, set: &Set, most: usize) -> Option<Target> {
        let (root, leaf) = (self.table.root, Target(LEAF | self.table.leaves.len() as u32));
        let most = most.min(LEAF as usize);
        Adding { builder: self, diagrams, leaf, done: HashMap::new(), most }.to(set, root)
    }

    /// All other states have this number.
    pub fn finish(mut self, others: Cost) -> Table {
        self.table.leaves[0] = others;
        self.collect();
        self.table
    }

    fn node(&mut self, node: Node) -> Target {
        if node.next[0] == node.next[1] {
            return node.next[0];
        }
        let nodes = &mut self.table.nodes;
        let number = *self.known.entry(node).or_insert_with(|| {
            nodes.push(node);
            nodes.len() as u32 - 1
        });
        Target(number)
    }

    /// Forgets nodes that are not needed any more. All nodes come after those that they need.
    fn collect(&mut self) {
        let nodes = std::mem::take(&mut self.table.nodes);
        let mut needed = vec![false; nodes.len()];
        let mark = |needed: &mut [bool], target: Target| {
            if let Some(number) = target.node() {
                needed[number] = true;
            }
        };
        mark(&mut needed, self.table.root);
        for at in (0..nodes.len()).rev() {
            if !needed[at] {
                continue;
            }
            nodes[at].next.iter().for_each(|target| mark(&mut needed, *target));
        }
        self.known.clear();
        let mut moved = vec![OTHERS; nodes.len()];
        let to = |moved: &[Target], target: Target| target.node().map_or(target, |number| moved[number]);
        for (at, node) in nodes.iter().enumerate().filter(|(at, _)| needed[*at]) {
            moved[at] = self.node(Node { bit: node.bit, next: node.next.map(|target| to(&moved, target)) });
        }
        self.table.root = to(&moved, self.table.root);
        self.needed = self.table.nodes.len();
    }
}

struct Adding<'b> {
    builder: &'b mut Builder,
    diagrams: &'b Diagrams,
    leaf: Target,
    done: HashMap<(Set, Target), Target>,
    most: usize,
}

impl Adding<'_> {
    /// What `target` becomes; `None` if there are too many nodes.
    fn to(&mut self, set: &Set, target: Target) -> Option<Target> {
        if self.diagrams.is_empty(set) {
            return Some(target);
        }
        let Some(variable) = self.diagrams.top(set) else {
            debug_assert_eq!(target, OTHERS, "sets are disjoint");
            return Some(self.leaf);
        };
        let key = (set.clone(), target);
        if let Some(done) = self.done.get(&key) {
            return Some(*done);
        }
        let node = target.node().map(|number| self.builder.table.nodes[number]);
        let of_set = variable / 2;
        let bit = node.map_or(of_set, |node| node.bit.min(of_set));
        let [zeros, ones] = if bit == of_set { self.diagrams.parts(set) } else { [set.clone(), set.clone()] };
        let [zero, one] = node.filter(|node| node.bit == bit).map_or([target; 2], |node| node.next);
        let next = [self.to(&zeros, zero)?, self.to(&ones, one)?];
        if self.builder.table.nodes.len() >= self.most {
            return None;
        }
        let made = self.builder.node(Node { bit, next });
        self.done.insert(key, made);
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_diagrams::Room;
    use bughound_kernel::Random;

    #[test]
    fn numbers_are_found_again() {
        let mut random = Random::new(11);
        for round in 0..60 {
            let bits = 1 + round % 8;
            let diagrams = Diagrams::new(bits, Room::of_nodes(1 << 12)).unwrap();
            let states = 1_u32 << bits;
            // Most numbers are there only for few.
            let numbers: Vec<Option<Cost>> = (0..states)
                .map(|_| (random.below(4) > 0).then(|| random.below(1 + round as usize % 9) as Cost))
                .collect();
            let mut builder = Builder::new();
            for number in 0..9 {
                let mut set = diagrams.empty();
                for state in (0..states).filter(|state| numbers[*state as usize] == Some(number)) {
                    let mut one = diagrams.full();
                    for bit in (0..bits).rev() {
                        let (one_part, zero_part) = match state >> bit & 1 {
                            1 => (one.clone(), diagrams.empty()),
                            _ => (diagrams.empty(), one.clone()),
                        };
                        one = diagrams.choice(Diagrams::before(bit), &one_part, &zero_part).unwrap();
                    }
                    set = diagrams.or(&set, &one).unwrap();
                }
                let before: Vec<Cost> =
                    (0..states).map(|state| builder.table.at(|bit| state >> bit & 1 == 1)).collect();
                if builder.table.nodes.len() > 4 && !diagrams.is_empty(&set) && diagrams.top(&set).is_some() {
                    // Where there is no room, nothing changes.
                    assert!(!builder.add(&diagrams, &set, 77, 0));
                    assert!((0..states).all(|s| builder.table.at(|bit| s >> bit & 1 == 1) == before[s as usize]));
                }
                assert!(builder.add(&diagrams, &set, number, 1 << 20));
            }
            let larger = builder.table.nodes.len();
            let table = builder.finish(1000);
            assert!(table.nodes.len() <= larger);
            for state in 0..states {
                assert_eq!(table.at(|bit| state >> bit & 1 == 1), numbers[state as usize].unwrap_or(1000));
            }
        }
    }
}
