//! The path graph of Eppstein: a tree of most probable paths, and for every state a heap of the detours on the way to it.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::likelihood::Likelihood;
use super::part::{Edge, Part};
use super::ways::Ways;

pub(super) const NONE: u32 = u32::MAX;
const NOT_MADE: u32 = u32::MAX - 1;

#[derive(Clone, Copy)]
struct TreeNode {
    likelihood: Likelihood,
    length: u32,
    /// The last step of the path.
    edge: Option<Edge>,
}

impl TreeNode {
    const UNREACHED: TreeNode = TreeNode { likelihood: Likelihood::ZERO, length: u32::MAX, edge: None };

    fn is_worse_than(&self, likelihood: Likelihood, length: u32) -> bool {
        likelihood.exceeds(self.likelihood) || length < self.length && !self.likelihood.exceeds(likelihood)
    }
}

#[derive(PartialEq, Eq)]
struct Reached {
    likelihood: Likelihood,
    length: u32,
    state: u32,
}

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        let shorter = other.length.cmp(&self.length);
        self.likelihood.cmp(&other.likelihood).then(shorter).then(other.state.cmp(&self.state))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Most probable paths from one state to all others, the shortest among those.
pub(super) struct Tree {
    nodes: Vec<TreeNode>,
    goal: Option<u32>,
}

impl Tree {
    pub fn new(part: &Part, ways: &Ways<'_>, from: u32) -> Tree {
        let mut nodes = vec![TreeNode::UNREACHED; part.len()];
        let mut queue = BinaryHeap::new();
        if ways.is_end(from as usize) || ways.passes(from as usize) {
            nodes[from as usize] = TreeNode { likelihood: Likelihood::ONE, length: 0, edge: None };
            queue.push(Reached { likelihood: Likelihood::ONE, length: 0, state: from });
        }
        while let Some(Reached { likelihood, length, state }) = queue.pop() {
            let node = &nodes[state as usize];
            let is_old = (node.likelihood, node.length) != (likelihood, length);
            if is_old || ways.is_end(state as usize) {
                continue;
            }
            for edge in part.edges(state as usize) {
                let to = edge.to as usize;
                if !ways.allow(&edge) {
                    continue;
                }
                let (likelihood, length) = (likelihood.times(Likelihood::new(edge.probability)), length + 1);
                if nodes[to].is_worse_than(likelihood, length) {
                    nodes[to] = TreeNode { likelihood, length, edge: Some(edge) };
                    queue.push(Reached { likelihood, length, state: edge.to });
                }
            }
        }
        let mut goal: Option<u32> = None;
        for (state, node) in nodes.iter().enumerate() {
            let is_goal = ways.is_end(state) && node.likelihood > Likelihood::ZERO;
            if is_goal && goal.is_none_or(|best| nodes[best as usize].is_worse_than(node.likelihood, node.length)) {
                goal = Some(state as u32);
            }
        }
        Tree { nodes, goal }
    }

    /// The probability of the most probable path to a goal.
    pub fn best(&self) -> Option<Likelihood> {
        self.goal.map(|goal| self.nodes[goal as usize].likelihood)
    }
}

/// A step that is not in the tree.
#[derive(Clone, Copy)]
struct Detour {
    from: u32,
    /// The number of states for the end of all paths, to which every goal leads.
    into: u32,
    edge: Option<Edge>,
    factor: Likelihood,
}

/// A node of a persistent leftist heap, the greatest factor on top.
#[derive(Clone, Copy)]
struct HeapNode {
    detour: u32,
    left: u32,
    right: u32,
    rank: u32,
}

pub(super) struct Detours<'p> {
    part: &'p Part,
    tree: Tree,
    /// Sorted by where they lead.
    detours: Vec<Detour>,
    /// By state, and the end of all paths: where its detours start.
    starts: Vec<u32>,
    /// By state, and the end of all paths: the heap of the detours on the way there.
    heaps: Vec<u32>,
    nodes: Vec<HeapNode>,
}

impl<'p> Detours<'p> {
    pub fn new(part: &'p Part, ways: &Ways<'_>, tree: Tree) -> Detours<'p> {
        let end = part.len() as u32;
        let best = tree.best().unwrap_or(Likelihood::ONE);
        let mut detours: Vec<Detour> = Vec::new();
        for (state, node) in tree.nodes.iter().enumerate() {
            let from = state as u32;
            if node.likelihood == Likelihood::ZERO {
                continue;
            }
            if ways.is_end(state) {
                if tree.goal != Some(from) {
                    let factor = node.likelihood.over(best).min(Likelihood::ONE);
                    detours.push(Detour { from, into: end, edge: None, factor });
                }
                continue;
            }
            for edge in part.edges(state).filter(|edge| ways.allow(edge)) {
                let target = &tree.nodes[edge.to as usize];
                if target.edge == Some(edge) {
                    continue;
                }
                let through = node.likelihood.times(Likelihood::new(edge.probability));
                let factor = through.over(target.likelihood).min(Likelihood::ONE);
                detours.push(Detour { from, into: edge.to, edge: Some(edge), factor });
            }
        }
        detours.sort_by_key(|detour| detour.into);
        let mut starts = vec![0u32; part.len() + 2];
        detours.iter().for_each(|detour| starts[detour.into as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        Detours { part, tree, detours, starts, heaps: vec![NOT_MADE; part.len() + 1], nodes: Vec::new() }
    }

    /// The end of all paths.
    pub fn end(&self) -> u32 {
        self.part.len() as u32
    }

    /// Where the tree comes to the end.
    pub fn best_goal(&self) -> u32 {
        self.tree.goal.unwrap_or(NONE)
    }

    /// The step of the tree that leads to a state; the one to the end of all paths is no step.
    pub fn tree_edge(&self, state: u32) -> Option<Edge> {
        self.tree.nodes.get(state as usize).and_then(|node| node.edge)
    }

    /// Where the detour of a heap node leads, where it comes from, and its step.
    pub fn detour(&self, node: u32) -> (u32, u32, Option<Edge>) {
        let detour = &self.detours[self.nodes[node as usize].detour as usize];
        (detour.into, detour.from, detour.edge)
    }

    fn factor(&self, node: u32) -> Likelihood {
        self.detours[self.nodes[node as usize].detour as usize].factor
    }

    /// The nodes below one of a heap, with the factors by which paths with them are less probable.
    pub fn below(&self, node: u32) -> impl Iterator<Item = (u32, Likelihood)> + '_ {
        let this = self.nodes[node as usize];
        let below = [this.left, this.right].into_iter().filter(|other| *other != NONE);
        below.map(move |other| (other, self.factor(other).over(self.factor(node))))
    }

    /// The best detour on the way to the end of all paths.
    pub fn heap_at_end(&mut self) -> Option<(u32, Likelihood)> {
        let end = self.end();
        self.top(end)
    }

    /// The best detour on the way to where the detour of this node comes from.
    pub fn heap_before(&mut self, node: u32) -> Option<(u32, Likelihood)> {
        let (_, from, _) = self.detour(node);
        self.top(from)
    }

    fn top(&mut self, state: u32) -> Option<(u32, Likelihood)> {
        let heap = self.heap(state);
        (heap != NONE).then(|| (heap, self.factor(heap)))
    }

    /// The heap of a state: that of its predecessor in the tree, and its own detours.
    fn heap(&mut self, state: u32) -> u32 {
        let mut above = Vec::new();
        let mut at = state;
        let mut heap = loop {
            match self.heaps[at as usize] {
                NOT_MADE => above.push(at),
                heap => break heap,
            }
            at = match self.tree_edge(at) {
                Some(edge) => edge.from,
                None if at == self.end() => self.best_goal(),
                None => break NONE,
            };
        };
        while let Some(state) = above.pop() {
            for detour in self.starts[state as usize]..self.starts[state as usize + 1] {
                self.nodes.push(HeapNode { detour, left: NONE, right: NONE, rank: 1 });
                heap = self.joined(heap, self.nodes.len() as u32 - 1);
            }
            self.heaps[state as usize] = heap;
        }
        heap
    }

    /// A heap with the nodes of both, which stay as they are. The way down is as long as a logarithm.
    fn joined(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return if a == NONE { b } else { a };
        }
        let (top, other) = if self.factor(a) >= self.factor(b) { (a, b) } else { (b, a) };
        let HeapNode { detour, left, right, .. } = self.nodes[top as usize];
        let joined = self.joined(right, other);
        let rank = |node: u32| if node == NONE { 0 } else { self.nodes[node as usize].rank };
        let (left, right) = if left != NONE && rank(left) >= rank(joined) { (left, joined) } else { (joined, left) };
        let rank = 1 + rank(right);
        self.nodes.push(HeapNode { detour, left, right, rank });
        self.nodes.len() as u32 - 1
    }
}
