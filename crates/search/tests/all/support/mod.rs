//! Small systems written by hand, and the obvious algorithms on them.

pub mod cycle_runs;
pub mod marked;
pub mod saved;

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use bughound_kernel::registry::expression;
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::Stores;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Target {
    Node(usize),
    Assertion,
    Division,
}

#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: usize,
    pub weight: u64,
    pub to: Target,
}

/// A graph given by its edges. Atom `n` holds in node `n`. Nodes without edges are stuck; all but `end` deadlock.
pub struct Graph {
    layout: Layout,
    pub nodes: usize,
    pub edges: Vec<Edge>,
    pub initial: Vec<usize>,
    pub end: Option<usize>,
    out: Vec<Vec<usize>>,
}

const COLUMNS: i32 = 7;

fn key(node: usize) -> [i32; 2] {
    [node as i32 / COLUMNS - 3, node as i32 % COLUMNS]
}

pub fn node(state: State<'_>) -> usize {
    ((state.key[0] + 3) * COLUMNS + state.key[1]) as usize
}

pub fn to(from: usize, weight: u64, node: usize) -> Edge {
    Edge { from, weight, to: Target::Node(node) }
}

impl Graph {
    pub fn new(edges: Vec<Edge>) -> Self {
        let target = |edge: &Edge| if let Target::Node(node) = edge.to { node } else { 0 };
        let nodes = 1 + edges.iter().map(|edge| edge.from.max(target(edge))).max().unwrap_or(0);
        let mut out = vec![Vec::new(); nodes];
        for (number, edge) in edges.iter().enumerate() {
            out[edge.from].push(number);
        }
        let layout = Layout::new(vec![Slot::new(-3, nodes as i32), Slot::new(0, COLUMNS - 1)]);
        Graph { layout, nodes, edges, initial: vec![0], end: None, out }
    }

    /// Shortest distances from the initial nodes, by relaxing all edges until nothing changes.
    pub fn distances(&self) -> Vec<Option<u64>> {
        let mut distance = vec![None; self.nodes];
        for &node in &self.initial {
            distance[node] = Some(0);
        }
        for _ in 0..self.nodes {
            for edge in &self.edges {
                if let (Target::Node(to), Some(from)) = (edge.to, distance[edge.from]) {
                    let through = from + edge.weight;
                    distance[to] = Some(distance[to].map_or(through, |old: u64| old.min(through)));
                }
            }
        }
        distance
    }

    /// Length of the shortest path whose last edge leads to `target`.
    pub fn distance_to(&self, target: Target) -> Option<u64> {
        let distances = self.distances();
        let ways = self.edges.iter().filter(|edge| edge.to == target);
        let here = if let Target::Node(node) = target { distances[node] } else { None };
        ways.filter_map(|edge| Some(distances[edge.from]? + edge.weight)).chain(here).min()
    }
}

impl TransitionSystem for Graph {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker(self))
    }

    fn atoms(&self) -> u32 {
        self.nodes as u32
    }
}

struct Walker<'a>(&'a Graph);

pub fn mv(edge: usize) -> Move {
    Move { process: 0, edge: edge as u32, destination: 0, joins: false }
}

impl Explorer for Walker<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        for &node in &self.0.initial {
            emit(State::discrete(&key(node)));
        }
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let from = node(from);
        for &number in &self.0.out[from] {
            let edge = self.0.edges[number];
            let failure = |kind| Outcome::Failure(Failure { kind, edge: number as u32, code: 0 });
            let storage;
            let outcome = match edge.to {
                Target::Node(to) => {
                    storage = key(to);
                    Outcome::State(State::discrete(&storage))
                }
                Target::Assertion => failure(FailureKind::Assertion),
                Target::Division => failure(FailureKind::Evaluation),
            };
            let step = Step {
                moves: &[mv(number)],
                choice: 0,
                probability: 1.0,
                weight: edge.weight,
                price: Price::NONE,
                marks: Marks::NONE,
                outcome,
                changes: None,
            };
            if emit(&step).is_break() {
                return Expansion::default();
            }
        }
        Expansion { deadlock: self.0.out[from].is_empty() && self.0.end != Some(from), ..Expansion::default() }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        node(state) == atom.0 as usize
    }
}

/// A graph with about `degree` edges for each of `nodes` nodes; weights from 0 to `heaviest`.
pub fn random_graph(seed: u64, nodes: usize, degree: usize, heaviest: usize) -> Graph {
    let mut random = Random::new(seed);
    let edges = (0..nodes * degree).map(|_| {
        let (from, weight) = (random.below(nodes), random.below(heaviest + 1) as u64);
        let to = match random.below(12) {
            0 => Target::Assertion,
            1 => Target::Division,
            _ => Target::Node(random.below(nodes)),
        };
        Edge { from, weight, to }
    });
    let mut edges: Vec<Edge> = edges.collect();
    edges.push(to(nodes - 1, 1, nodes - 1));
    Graph::new(edges)
}

pub fn search(expression: &str) -> Box<dyn Search> {
    let parsed = expression::parse(expression).unwrap();
    algorithms::build(&parsed, &BuildCx::default()).unwrap_or_else(|error| panic!("{expression}: {error}"))
}

/// Estimates from a table over the nodes; every name means the same.
pub struct Table {
    pub values: Vec<Estimate>,
    pub claims: HeuristicClaims,
}

impl Table {
    pub fn blind() -> Self {
        Table { values: Vec::new(), claims: HeuristicClaims::CONSISTENT }
    }
}

impl HeuristicSource for Table {
    fn build<'a>(
        &'a self,
        _expression: &expression::Expression,
        _goal: Option<&'a StateBuf>,
        _watch: &dyn bughound_kernel::Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, bughound_kernel::registry::BuildError> {
        Ok(Box::new(TableReader(self)))
    }

    fn contexts<'a>(
        &'a self,
        _exact: bool,
    ) -> Result<Option<Box<dyn Contexts + 'a>>, bughound_kernel::registry::BuildError> {
        Ok(Some(Box::new(ArbitraryContexts)))
    }
}

/// Contexts that mean nothing: no search may depend on them for more than an order.
struct ArbitraryContexts;

/// A number that depends on these two in no obvious way.
fn mixed(a: u32, b: u32) -> u64 {
    Random::new(u64::from(a) << 32 | u64::from(b)).draw()
}

impl Contexts for ArbitraryContexts {
    fn class(&mut self, moves: &[Move]) -> StepClass {
        StepClass(moves[0].edge)
    }

    fn distance(&mut self, before: StepClass, after: StepClass) -> Option<u8> {
        let distance = mixed(before.0, after.0) % 5;
        (distance < 4).then_some(distance as u8)
    }

    fn is_innocent(&self, class: StepClass) -> bool {
        !mixed(class.0, 0).is_multiple_of(4)
    }
}

struct TableReader<'t>(&'t Table);

impl Heuristic for TableReader<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.0.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.0.values.get(node(at.state)).copied().unwrap_or(Estimate::ZERO)
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        let arbitrary = mixed(step[0].edge, node(at.state) as u32) % 12;
        (arbitrary < 10).then_some(Estimate::Finite(arbitrary))
    }
}

pub fn run(expression: &str, graph: &Graph, goals: &Goals, stop: StopPolicy) -> SearchResult {
    run_under(expression, graph, goals, stop, Controls::default())
}

/// Runs a search with estimates from a table.
pub fn run_guided(expression: &str, graph: &Graph, goals: &Goals, stop: StopPolicy, table: &Table) -> SearchResult {
    run_with(expression, graph, goals, stop, table, Controls::default())
}

pub fn run_under(
    expression: &str,
    graph: &Graph,
    goals: &Goals,
    stop: StopPolicy,
    controls: Controls<'_>,
) -> SearchResult {
    run_with(expression, graph, goals, stop, &Table::blind(), controls)
}

/// The same under other conditions.
pub fn run_with(
    expression: &str,
    graph: &Graph,
    goals: &Goals,
    stop: StopPolicy,
    table: &Table,
    controls: Controls<'_>,
) -> SearchResult {
    let stores = Stores::new(graph);
    let task = Task { system: graph, goals, stop, stores: &stores, heuristics: table };
    let result = search(expression).start(task, controls).unwrap();
    for witness in &result.witnesses {
        check_path(graph, witness);
    }
    assert_eq!(result.complete, result.incomplete_because.is_empty());
    result
}

/// Node `n` must not be reached; the property has the number `n`.
pub fn avoid(nodes: impl IntoIterator<Item = usize>) -> Goals {
    let goal = |n: usize| InvariantGoal { property: n, atom: AtomId(n as u32), expected: false };
    Goals { invariants: nodes.into_iter().map(goal).collect(), ..Goals::none() }
}

/// Follows the moves of a witness on the edges and returns the node where they end.
pub fn check_path(graph: &Graph, witness: &Witness) -> usize {
    let mut at = node(witness.start.as_state());
    assert!(graph.initial.contains(&at));
    let mut length = 0;
    for (number, moves) in witness.path.iter().enumerate() {
        let [only] = moves[..] else { panic!("{moves:?}") };
        let edge = graph.edges[only.edge as usize];
        assert_eq!(edge.from, at);
        length += edge.weight;
        match edge.to {
            Target::Node(to) => at = to,
            Target::Assertion | Target::Division => {
                assert_eq!(number + 1, witness.path.len());
                assert_eq!(witness.failure.map(|failure| failure.edge), Some(only.edge));
            }
        }
    }
    assert_eq!(length, witness.length);
    at
}

/// The lengths of the witnesses by property.
pub fn lengths(result: &SearchResult) -> BTreeMap<usize, u64> {
    result.witnesses.iter().map(|witness| (witness.property, witness.length)).collect()
}
