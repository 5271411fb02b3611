//! Random graphs whose edges carry marks, and brute force on them: is there an accepting cycle, how long is a shortest
//! lasso, how far is an error?
//!
//! Used by the tests of the layers, too, so it knows no search.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::ControlFlow;

use bughound_kernel::*;

#[derive(Clone, Copy, Debug)]
pub struct MarkedEdge {
    pub from: usize,
    /// `None`: the step fails.
    pub to: Option<usize>,
    pub weight: u64,
    pub marks: Marks,
}

/// Atom 0 holds in the nodes that are errors. Move `n` is edge `n`.
#[derive(Debug)]
pub struct MarkedGraph {
    layout: Layout,
    pub nodes: usize,
    pub edges: Vec<MarkedEdge>,
    pub initial: Vec<usize>,
    pub errors: Vec<usize>,
    pub required: Marks,
    /// By node.
    pub regions: Vec<Region>,
    out: Vec<Vec<usize>>,
}

/// The predicate of the errors.
pub const IS_ERROR: AtomId = AtomId(0);
/// A mark that nobody asks for.
const NOISE: u16 = 200;
/// What keys are filled up with. It is the least value of its slot, so that only the length tells some keys apart.
const FILLING: i32 = 7;

/// Keys have one to three slots.
fn key(node: usize) -> Vec<i32> {
    let mut key = vec![node as i32 / 3 - 2];
    key.resize(1 + node % 3, FILLING);
    key
}

pub fn node(state: State<'_>) -> usize {
    (state.key[0] + 2) as usize * 3 + state.key.len() - 1
}

pub fn conditions(count: usize) -> Marks {
    let all = [Marks::ACCEPT, Marks::process(0), Marks::process(1), Marks::process(130)];
    all[..count].iter().fold(Marks::NONE, |set, one| set | *one)
}

impl MarkedGraph {
    pub fn new(nodes: usize, edges: Vec<MarkedEdge>, required: Marks) -> Self {
        let mut out = vec![Vec::new(); nodes];
        for (number, edge) in edges.iter().enumerate() {
            out[edge.from].push(number);
        }
        let slots = vec![Slot::new(-2, nodes as i32), Slot::new(FILLING, 9), Slot::new(FILLING, 9)];
        let (layout, regions) = (Layout::new(slots), vec![Region::WHOLE; nodes]);
        MarkedGraph { layout, nodes, edges, initial: vec![0], errors: Vec::new(), required, regions, out }
    }

    /// The ends of the edges that lead somewhere.
    fn steps(&self) -> impl Iterator<Item = (usize, usize, &MarkedEdge)> {
        self.edges.iter().filter_map(|edge| Some((edge.from, edge.to?, edge)))
    }

    /// Least costs from the initial nodes.
    pub fn distances(&self) -> Vec<Option<u64>> {
        let mut distance: Vec<Option<u64>> = vec![None; self.nodes];
        for &node in &self.initial {
            distance[node] = Some(0);
        }
        for _ in 0..self.nodes {
            for (from, to, edge) in self.steps() {
                if let Some(through) = distance[from].map(|so_far| so_far + edge.weight) {
                    distance[to] = Some(distance[to].map_or(through, |old| old.min(through)));
                }
            }
        }
        distance
    }

    /// By node: which nodes can be reached from it by at least one step.
    fn closure(&self) -> Vec<Vec<bool>> {
        let steps = self.steps().map(|(from, to, _)| (from, to));
        closure(self.nodes, steps)
    }

    /// By node: does it lie on an accepting cycle?
    pub fn on_accepting_cycles(&self) -> Vec<bool> {
        let reach = self.closure();
        let together = |a: usize, b: usize| reach[a][b] && reach[b][a];
        let carried = |node: usize| {
            let inside = self.steps().filter(|(from, to, _)| together(node, *from) && together(node, *to));
            // An edge between two nodes of a component lies on a cycle, that of a node with itself as well.
            inside.fold(Marks::NONE, |all, (.., edge)| all | edge.marks)
        };
        (0..self.nodes).map(|node| reach[node][node] && carried(node).include(self.required)).collect()
    }

    /// By node: can an accepting cycle or an error be reached, in no or more steps?
    pub fn can_go_wrong(&self) -> Vec<bool> {
        let (reach, accepting) = (self.closure(), self.on_accepting_cycles());
        let bad = |node: usize| accepting[node] || self.errors.contains(&node);
        (0..self.nodes).map(|node| bad(node) || (0..self.nodes).any(|to| reach[node][to] && bad(to))).collect()
    }

    pub fn has_accepting_cycle(&self) -> bool {
        let accepting = self.on_accepting_cycles();
        self.distances().iter().zip(accepting).any(|(distance, accepting)| distance.is_some() && accepting)
    }

    pub fn least_error(&self) -> Option<u64> {
        let distances = self.distances();
        self.errors.iter().filter_map(|&node| distances[node]).min()
    }

    /// The least cost of a path and an accepting cycle at its end.
    pub fn least_lasso(&self) -> Option<u64> {
        let stems = self.distances();
        (0..self.nodes).filter_map(|head| Some(stems[head]? + self.least_loop(head)?)).min()
    }

    /// The least cost of an accepting cycle through a node (Dijkstra over pairs of a node and the marks so far).
    fn least_loop(&self, head: usize) -> Option<u64> {
        let mut cost: BTreeMap<(usize, Marks), u64> = BTreeMap::new();
        let mut open = BinaryHeap::from([Reverse((0, head, Marks::NONE, true))]);
        while let Some(Reverse((so_far, at, marks, first))) = open.pop() {
            if !first && at == head && marks == self.required {
                return Some(so_far);
            }
            for &number in &self.out[at] {
                let edge = &self.edges[number];
                let Some(to) = edge.to else { continue };
                let (next, carried) = (so_far + edge.weight, (marks | edge.marks) & self.required);
                if cost.get(&(to, carried)).is_none_or(|known| next < *known) {
                    cost.insert((to, carried), next);
                    open.push(Reverse((next, to, carried, false)));
                }
            }
        }
        None
    }

    /// The least cost of anything that counts.
    pub fn least_violation(&self) -> Option<u64> {
        self.least_lasso().into_iter().chain(self.least_error()).min()
    }

    /// Do all steps from a node carry the same condition or none?
    pub fn has_marks_of_states(&self) -> bool {
        let marked = |number: &usize| self.edges[*number].marks.include(self.required);
        self.out.iter().all(|out| out.iter().all(marked) || !out.iter().any(marked))
    }

    /// Follows a witness on the edges: a real path to an error, or a real lasso with all marks, of that length.
    pub fn check_witness(&self, start: State<'_>, path: &[Vec<Move>], loop_start: Option<usize>, length: u64) {
        let mut at = node(start);
        assert!(self.initial.contains(&at));
        let (mut visited, mut marks, mut cost) = (vec![at], Marks::NONE, 0);
        for (number, moves) in path.iter().enumerate() {
            let [only] = moves[..] else { panic!("{moves:?}") };
            let edge = &self.edges[only.edge as usize];
            assert_eq!(edge.from, at);
            at = edge.to.expect("a step that does not fail");
            visited.push(at);
            cost += edge.weight;
            if loop_start.is_some_and(|start| number >= start) {
                marks |= edge.marks;
            }
        }
        assert_eq!(cost, length);
        match loop_start {
            Some(start) => {
                assert!(start < path.len() && visited[start] == at, "{visited:?}, loop from {start}");
                assert!(marks.include(self.required), "{visited:?}, loop from {start}: {marks:?}");
            }
            None => assert!(self.errors.contains(&at), "{visited:?}"),
        }
    }
}

fn closure(nodes: usize, steps: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; nodes]; nodes];
    for (from, to) in steps {
        reach[from][to] = true;
    }
    for middle in 0..nodes {
        let beyond = reach[middle].clone();
        for from in reach.iter_mut().filter(|from| from[middle]) {
            from.iter_mut().zip(&beyond).for_each(|(known, more)| *known |= more);
        }
    }
    reach
}

impl TransitionSystem for MarkedGraph {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker(self))
    }

    fn atoms(&self) -> u32 {
        1
    }

    fn required(&self) -> Marks {
        self.required
    }

    fn region(&self, state: State<'_>) -> Region {
        self.regions[node(state)]
    }
}

struct Walker<'a>(&'a MarkedGraph);

impl Explorer for Walker<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        for &node in &self.0.initial {
            emit(State::discrete(&key(node)));
        }
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let from = node(from);
        for &number in &self.0.out[from] {
            let edge = &self.0.edges[number];
            let next = edge.to.map(key);
            let failure = Failure { kind: FailureKind::Assertion, edge: number as u32, code: 0 };
            let outcome = match &next {
                Some(key) => Outcome::State(State::discrete(key)),
                None => Outcome::Failure(failure),
            };
            let moves = [Move { process: 0, edge: number as u32, destination: 0, joins: false }];
            let (weight, marks) = (edge.weight, edge.marks);
            if emit(&Step {
                moves: &moves,
                choice: 0,
                probability: 1.0,
                weight,
                price: Price::NONE,
                marks,
                outcome,
                changes: None,
            })
            .is_break()
            {
                return Expansion::default();
            }
        }
        Expansion { deadlock: self.0.out[from].is_empty(), ..Expansion::default() }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        assert_eq!(atom, IS_ERROR);
        self.0.errors.contains(&node(state))
    }
}

/// Marks lie on edges as they fall, and nothing is known of regions.
pub fn random_marked(seed: u64) -> MarkedGraph {
    let mut random = Random::new(seed);
    let nodes = 2 + random.below(14);
    let required: Vec<Marks> = conditions(1 + random.below(4)).iter().collect();
    let (degree, rarity) = (1 + random.below(3), 2 + random.below(6));
    let edges = (0..nodes * degree).map(|_| {
        let (from, to, weight) = (random.below(nodes), random.below(nodes), random.below(6) as u64);
        let mut marks = if random.below(3) == 0 { Marks::process(NOISE) } else { Marks::NONE };
        for one in &required {
            if random.below(rarity) == 0 {
                marks |= *one;
            }
        }
        MarkedEdge { from, to: (random.below(15) > 0).then_some(to), weight, marks }
    });
    let edges = edges.collect();
    let required = required.into_iter().fold(Marks::NONE, |all, one| all | one);
    let mut graph = MarkedGraph::new(nodes, edges, required);
    decorate(&mut graph, &mut random);
    graph
}

/// As [`random_marked`] with one condition that a node fulfils with all its edges or with none.
pub fn random_by_state(seed: u64) -> MarkedGraph {
    let mut graph = random_marked(seed);
    let mut random = Random::new(seed + 1_000_000);
    let rarity = 1 + random.below(8);
    let accepting: Vec<bool> = (0..graph.nodes).map(|_| random.below(rarity) == 0).collect();
    graph.required = Marks::ACCEPT;
    for edge in &mut graph.edges {
        edge.marks = if accepting[edge.from] { Marks::ACCEPT } else { Marks::NONE };
    }
    graph
}

/// Each node has a state of a small random claim; edges follow those of the claim. Nodes whose claim accepts mark all
/// their edges; the regions are the strongly connected components of the claim. `more`: how many conditions there are
/// besides.
pub fn random_product(seed: u64, more: usize) -> MarkedGraph {
    let mut random = Random::new(seed);
    let claims = 1 + random.below(5);
    let reflexive = random.below(4) > 0;
    let moves: Vec<Vec<bool>> = (0..claims)
        .map(|from| (0..claims).map(|to| (reflexive && from == to) || random.below(3) == 0).collect())
        .collect();
    let accepting: Vec<bool> = (0..claims).map(|_| random.below(3) == 0).collect();
    let regions = regions(&moves, &accepting, more == 0);
    let nodes = 2 + random.below(18);
    let claim: Vec<usize> = (0..nodes).map(|_| random.below(claims)).collect();
    let (degree, rarity) = (1 + random.below(4), 1 + random.below(4));
    let mut edges = Vec::new();
    for _ in 0..nodes * degree {
        let (from, to, weight) = (random.below(nodes), random.below(nodes), random.below(6) as u64);
        if !moves[claim[from]][claim[to]] {
            continue;
        }
        let mut marks = if accepting[claim[from]] { Marks::ACCEPT } else { Marks::NONE };
        for one in conditions(1 + more).iter().skip(1) {
            if random.below(rarity) == 0 {
                marks |= one;
            }
        }
        edges.push(MarkedEdge { from, to: (random.below(20) > 0).then_some(to), weight, marks });
    }
    let mut graph = MarkedGraph::new(nodes, edges, conditions(1 + more));
    graph.regions = claim.iter().map(|claim| regions[*claim]).collect();
    decorate(&mut graph, &mut random);
    graph
}

fn decorate(graph: &mut MarkedGraph, random: &mut Random) {
    if random.below(3) == 0 {
        graph.errors = (0..1 + random.below(2)).map(|_| random.below(graph.nodes)).collect();
    }
    // The same node twice is of interest, too.
    graph.initial.extend((0..random.below(3)).map(|_| random.below(graph.nodes)));
}

/// The strongly connected components of a claim, and what is known of their cycles.
fn regions(moves: &[Vec<bool>], accepting: &[bool], can_be_all: bool) -> Vec<Region> {
    let claims = moves.len();
    let steps = |allowed: &dyn Fn(usize) -> bool| {
        let pairs = (0..claims).flat_map(|from| (0..claims).map(move |to| (from, to)));
        let steps = pairs.filter(|&(from, to)| moves[from][to] && allowed(from) && allowed(to));
        closure(claims, steps.collect::<Vec<_>>().into_iter())
    };
    let reach = steps(&|_| true);
    let without_accepting = steps(&|claim| !accepting[claim]);
    let together = |a: usize, b: usize| a == b || (reach[a][b] && reach[b][a]);
    let region = |claim: usize| {
        let mut members = (0..claims).filter(|other| together(claim, *other));
        let number = members.clone().next().unwrap_or(claim) as u32;
        let cycles = if !reach[claim][claim] || !members.clone().any(|member| accepting[member]) {
            Cycles::None
        } else if can_be_all && !members.any(|member| without_accepting[member][member]) {
            Cycles::All
        } else {
            Cycles::Some
        };
        Region { number, cycles }
    };
    (0..claims).map(region).collect()
}
