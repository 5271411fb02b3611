//! The region graph of a timed model: every state with every region of its clocks, steps and delays between them.
//!
//! No zones and nothing of the engine: steps come from the reference evaluator, guards and invariants are evaluated at a
//! point of each region, and a delay leads to the region that comes next, so that nothing is passed over.

use std::collections::{HashMap, VecDeque};

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::reference::{MicroStep, RefState, Reference};

use crate::timed::regions::{Ceilings, Region};

/// Graphs with a raised ceiling may be so large.
const MOST_WITH_CEILING: usize = 20_000;

/// A step to another node, and the clocks that it sets.
#[derive(Clone, Debug)]
pub struct Step {
    pub to: usize,
    pub sets: Vec<usize>,
}

/// A state and a region.
#[derive(Clone, Debug)]
pub struct Node {
    state: usize,
    pub region: Region,
    pub steps: Vec<Step>,
    /// Where time leads: the next region, or the same one if all clocks are beyond their ceilings. `None`: time cannot pass.
    pub delay: Option<usize>,
    /// Least number of steps from the start. Delays are free.
    pub distance: u64,
    /// Some step ends in an error of the model: a run can end with it.
    pub fails: bool,
}

/// Why there is no graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoGraph {
    TooLarge,
    /// There is no initial state.
    NoStart,
}

pub struct RegionGraph<'n> {
    reference: Reference<'n>,
    pub ceilings: Ceilings,
    states: Vec<RefState>,
    pub nodes: Vec<Node>,
    /// No time may pass in some state for the sake of an urgent channel.
    pub urgent_signal: bool,
}

/// What is known of a state whatever its clocks are.
struct Discrete {
    steps: Vec<MicroStep>,
    waits: bool,
}

struct Building<'n> {
    graph: RegionGraph<'n>,
    state_ids: HashMap<RefState, usize>,
    discrete: Vec<Discrete>,
    ids: HashMap<(usize, Region), usize>,
    most: usize,
}

impl<'n> RegionGraph<'n> {
    /// Of a model whose regions are at most so many.
    pub fn new(network: &'n Network, ceilings: Ceilings, most: usize) -> Result<RegionGraph<'n>, NoGraph> {
        let reference = Reference::discrete(network);
        let graph = RegionGraph { reference, ceilings, states: vec![], nodes: vec![], urgent_signal: false };
        let mut building = Building { graph, state_ids: HashMap::new(), discrete: vec![], ids: HashMap::new(), most };
        let initial = reference.initial().map_err(|_| NoGraph::NoStart)?;
        let zero = Region::zero(&building.graph.ceilings);
        building.node(&initial, zero)?;
        let mut at = 0;
        while at < building.graph.nodes.len() {
            building.expand(at)?;
            at += 1;
        }
        let mut graph = building.graph;
        graph.measure();
        Ok(graph)
    }

    /// The same model with values of a clock told apart up to this one.
    pub fn with_ceiling(&self, clock: usize, ceiling: i32) -> Option<RegionGraph<'n>> {
        let mut ceilings = self.ceilings.clone();
        ceilings[clock] = ceiling;
        RegionGraph::new(self.reference.network(), ceilings, MOST_WITH_CEILING).ok()
    }

    /// The nodes in which a condition is true.
    pub fn where_holds(&self, condition: &Expr) -> Vec<bool> {
        let holds = |node: &Node| {
            let point = node.region.point(&self.ceilings);
            self.reference.at(&point).holds(&self.states[node.state], condition).unwrap_or(false)
        };
        self.nodes.iter().map(holds).collect()
    }

    /// The value of an expression without clocks in a node.
    pub fn value(&self, node: &Node, expr: &Expr) -> Option<i32> {
        self.reference.value(&self.states[node.state], None, expr).ok()
    }

    /// Distances from the start, the only node that is there from the beginning.
    fn measure(&mut self) {
        let mut open = VecDeque::new();
        if let Some(first) = self.nodes.first_mut() {
            first.distance = 0;
            open.push_back(0);
        }
        while let Some(at) = open.pop_front() {
            let distance = self.nodes[at].distance;
            if let Some(to) = self.nodes[at].delay
                && self.nodes[to].distance > distance
            {
                self.nodes[to].distance = distance;
                open.push_front(to);
            }
            let next: Vec<usize> = self.nodes[at].steps.iter().map(|step| step.to).collect();
            for to in next {
                if self.nodes[to].distance > distance + 1 {
                    self.nodes[to].distance = distance + 1;
                    open.push_back(to);
                }
            }
        }
    }
}

impl Building<'_> {
    /// The node of a state with a region; none if the invariants of the state do not hold there.
    fn node(&mut self, state: &RefState, region: Region) -> Result<Option<usize>, NoGraph> {
        let reference = self.graph.reference;
        let point = region.point(&self.graph.ceilings);
        if reference.meet_invariants(state, &point).is_err() {
            return Ok(None);
        }
        let state = self.state(state);
        if let Some(id) = self.ids.get(&(state, region.clone())) {
            return Ok(Some(*id));
        }
        let id = self.graph.nodes.len();
        if id == self.most {
            return Err(NoGraph::TooLarge);
        }
        self.ids.insert((state, region.clone()), id);
        self.graph.nodes.push(Node { state, region, steps: Vec::new(), delay: None, distance: u64::MAX, fails: false });
        Ok(Some(id))
    }

    fn state(&mut self, state: &RefState) -> usize {
        if let Some(id) = self.state_ids.get(state) {
            return *id;
        }
        let reference = self.graph.reference;
        let waits = reference.may_wait(state);
        self.graph.urgent_signal |= matches!(waits, Err(bughound_ir::reference::Obstacle::UrgentSignal { .. }));
        self.discrete.push(Discrete { steps: reference.micro_steps(state), waits: waits.is_ok() });
        self.graph.states.push(state.clone());
        self.state_ids.insert(state.clone(), self.graph.states.len() - 1);
        self.graph.states.len() - 1
    }

    fn expand(&mut self, at: usize) -> Result<(), NoGraph> {
        let Node { state: id, region, .. } = self.graph.nodes[at].clone();
        let (reference, state) = (self.graph.reference, self.graph.states[id].clone());
        let point = region.point(&self.graph.ceilings);
        let possible: Vec<MicroStep> = self.discrete[id]
            .steps
            .iter()
            .filter(|step| reference.pass_guards(&state, &point, &step.moves).is_ok())
            .cloned()
            .collect();
        for step in possible {
            let Ok(next) = &step.result else {
                self.graph.nodes[at].fails = true;
                continue;
            };
            let mut after = region.clone();
            for (clock, value) in &step.resets {
                after.set(clock.0 as usize, *value, &self.graph.ceilings);
            }
            if let Some(to) = self.node(next, after)? {
                let sets = step.resets.iter().map(|(clock, _)| clock.0 as usize).collect();
                self.graph.nodes[at].steps.push(Step { to, sets });
            }
        }
        if self.discrete[id].waits {
            let next = region.next(&self.graph.ceilings);
            self.graph.nodes[at].delay = self.node(&state, next)?;
        }
        Ok(())
    }
}
