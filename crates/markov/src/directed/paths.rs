//! The k most probable paths to a goal.
//!
//! K\* (Aljazzar and Leue, *K\*: a heuristic search algorithm for finding the k shortest paths*, Artificial Intelligence 2011) over
//! the path graph of Eppstein (*Finding the k shortest paths*, 1998). A search for most probable paths gives a tree; every step
//! that is not in the tree is a *detour* and costs the factor δ(u,v) = g(u)·P(u,v)/g(v) ≤ 1. A path is a list of detours,
//! backwards from the goal. All detours on the way to a state are kept in one heap that it shares with its predecessor in the tree
//! (here: persistent leftist heaps), so the next path is found in logarithmic time. Paths are walks: they may go around loops,
//! and end at the first goal.
//!
//! On the fly: a path is final if no open state promises a more probable one. Otherwise the part grows by a share of itself, and
//! paths are listed anew; all of it costs a few times what the last pass does. Claims: the probabilities of the paths are the k
//! largest ones, up to the rounding of products (relative 1e-12); paths of the same probability come in any order, but the first
//! one is shortest among them. In a decision process, all schedulers together: only the first path is sure to belong to one.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use dashu_ratio::RBig;

use super::decide::{Exploration, Heed};
use super::detours::{Detours, NONE, Tree};
use super::likelihood::Likelihood;
use super::part::{Edge, Part};
use super::space::Space;
use super::ways::Ways;

/// A path from an initial state to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Its steps; none if the initial state is a goal.
    pub edges: Vec<Edge>,
    /// Where it starts.
    pub start: u32,
    pub likelihood: Likelihood,
}

impl Path {
    /// The states along it, the first one included.
    pub fn states(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(self.start).chain(self.edges.iter().map(|edge| edge.to))
    }

    /// Its exact probability.
    pub fn exact(&self, part: &Part) -> RBig {
        self.edges.iter().fold(RBig::ONE, |product, edge| product * part.exact(edge))
    }
}

/// How many paths are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// So many are counted,
    pub count: usize,
    /// of which so many are written out with their steps.
    pub shown: usize,
}

/// Paths in the order of their probability.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// The first ones.
    pub paths: Vec<Path>,
    /// The probabilities of all that were counted.
    pub likelihoods: Vec<Likelihood>,
    /// There are no others. Where not everything was explored, there may be none and nobody knows.
    pub all: bool,
}

impl Paths {
    /// The probability of the first `count` of them.
    pub fn mass(&self, count: usize) -> f64 {
        self.likelihoods.iter().take(count).map(|likelihood| likelihood.value()).sum()
    }
}

impl<S: Space> Exploration<'_, S> {
    /// The most probable paths from an initial state. The exploration has to be in the order of paths.
    pub fn paths(&mut self, from: u32, wanted: Wanted, heed: Heed<'_, S::Failure>) -> Result<Paths, S::Failure> {
        loop {
            let open = self.order.best_open(&self.part);
            let mut heed_both = || heed(&self.part, &self.order);
            let ways = Ways::to_goals(&self.part);
            let mut found = list(&self.part, &ways, from, wanted, open, &mut heed_both)?;
            found.all &= open == Likelihood::ZERO;
            if found.likelihoods.len() >= wanted.count || open == Likelihood::ZERO {
                return Ok(found);
            }
            // Growing by a share of itself, the part is listed few times.
            let until = self.part.expanded().len() * 3 / 2 + 32;
            while self.part.expanded().len() < until {
                heed(&self.part, &self.order)?;
                if !self.expand()? {
                    break;
                }
            }
        }
    }
}

/// The most probable paths in a part, down to those less probable than `least`.
pub fn list<F>(
    part: &Part,
    ways: &Ways<'_>,
    from: u32,
    wanted: Wanted,
    least: Likelihood,
    heed: &mut dyn FnMut() -> Result<(), F>,
) -> Result<Paths, F> {
    let tree = Tree::new(part, ways, from);
    let mut found = Paths { all: true, ..Paths::default() };
    let Some(best) = tree.best() else { return Ok(found) };
    let mut detours = Detours::new(part, ways, tree);
    let mut made: Vec<Made> = Vec::new();
    let mut queue = BinaryHeap::from([Candidate { likelihood: best, node: NONE, before: NONE }]);
    while let Some(candidate) = queue.pop() {
        if made.len() >= wanted.count || least.exceeds(candidate.likelihood) {
            found.all = false;
            break;
        }
        if made.len().is_multiple_of(1024) {
            heed()?;
        }
        let here = made.len() as u32;
        made.push(Made { node: candidate.node, before: candidate.before });
        found.likelihoods.push(candidate.likelihood);
        if found.paths.len() < wanted.shown {
            found.paths.push(path(&detours, &made, here, candidate.likelihood));
        }
        let heap = match candidate.node {
            NONE => detours.heap_at_end(),
            node => {
                for (other, factor) in detours.below(node) {
                    let likelihood = candidate.likelihood.times(factor);
                    queue.push(Candidate { likelihood, node: other, before: candidate.before });
                }
                detours.heap_before(node)
            }
        };
        if let Some((node, factor)) = heap {
            queue.push(Candidate { likelihood: candidate.likelihood.times(factor), node, before: here });
        }
    }
    Ok(found)
}

/// A path to be listed: the path `before` with one detour more.
#[derive(PartialEq, Eq)]
struct Candidate {
    likelihood: Likelihood,
    /// The last detour, as a node of a heap; none for the path of the tree.
    node: u32,
    before: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        self.likelihood.cmp(&other.likelihood).then(other.before.cmp(&self.before)).then(other.node.cmp(&self.node))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A path that was listed.
struct Made {
    node: u32,
    before: u32,
}

/// The steps of a path that was listed: from the end backwards along the tree, with its detours in between.
fn path(detours: &Detours<'_>, made: &[Made], number: u32, likelihood: Likelihood) -> Path {
    // The last detour of a candidate is the first one of the path.
    let mut taken = Vec::new();
    let mut at = number;
    while at != NONE {
        let Made { node, before } = made[at as usize];
        if node != NONE {
            taken.push(node);
        }
        at = before;
    }
    let mut edges = Vec::new();
    let mut state = detours.end();
    while let Some(node) = taken.pop() {
        let (into, from, edge) = detours.detour(node);
        while state != into {
            if state == detours.end() {
                state = detours.best_goal();
                continue;
            }
            let Some(edge) = detours.tree_edge(state) else { break };
            state = edge.from;
            edges.push(edge);
        }
        edges.extend(edge);
        state = from;
    }
    if state == detours.end() {
        state = detours.best_goal();
    }
    while let Some(edge) = detours.tree_edge(state) {
        state = edge.from;
        edges.push(edge);
    }
    edges.reverse();
    Path { edges, start: state, likelihood }
}
