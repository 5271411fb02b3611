//! What one process has still to do on its way to the goal: lower bounds, by how it enters a local state.

use super::graph::{Exit, Graph, INFINITE, plus, times};
use super::resources::Use;

/// A table of uses with more entries is not made.
const MOST_USES: usize = 1 << 22;

pub struct Process {
    pub graph: Graph,
    /// By node: the time until the goal can hold, as far as the process can tell.
    pub time: Vec<u64>,
    /// By node: what it pays itself until then.
    pub cost: Vec<u64>,
    /// By node: what it pays above its least rate.
    pub excess: Vec<u64>,
    /// Wherever it can be on a way to the goal, time costs it so much.
    pub least_rate: u64,
    /// By state: the same for ways from there on.
    pub rates: Vec<u64>,
    /// The resources that it can hold.
    pub used: Vec<usize>,
    /// By node and resource that it can hold.
    uses: Vec<Use>,
    /// By node and resource that it can hold: the time until the resource is set free.
    release: Vec<u64>,
    /// By node and resource that it can hold: the time to the goal if it is not held any more.
    without: Vec<u64>,
}

impl Process {
    pub fn new(graph: Graph) -> Process {
        let at_goal = |node: usize| graph.states[graph.nodes[node].state].at_goal.then_some(0);
        let rate = |node: usize| graph.states[graph.nodes[node].state].rate.unwrap_or(0);
        let time = graph.least(at_goal, |node, exit| Some(graph.stay(node, exit)));
        let cost =
            graph.least(at_goal, |node, exit| Some(plus(times(rate(node), graph.stay(node, exit)), exit.impulse)));
        let rates = rates(&graph, &time);
        let least_rate = graph.nodes.first().map_or(0, |first| rates[first.state]);
        let excess = graph.least(at_goal, |node, exit| {
            // Where no way leads to the goal, time may cost less, but nothing counts there.
            let above = rate(node).saturating_sub(least_rate);
            Some(plus(times(above, graph.stay(node, exit)), exit.impulse))
        });
        let touched = graph
            .states
            .iter()
            .fold(0, |set, state| state.exits.iter().fold(set | state.holds, |set, exit| set | exit.takes));
        let mut used: Vec<usize> = (0..u64::BITS as usize).filter(|resource| touched >> resource & 1 == 1).collect();
        if used.len() * graph.nodes.len() > MOST_USES {
            used.clear();
        }
        let mut process = Process {
            time,
            cost,
            excess,
            least_rate,
            rates,
            uses: vec![],
            release: vec![],
            without: vec![],
            used,
            graph,
        };
        process.look_at_resources();
        process
    }

    fn look_at_resources(&mut self) {
        let (graph, count) = (&self.graph, self.used.len());
        let mut uses = vec![Use::default(); graph.nodes.len() * count];
        let mut release = vec![0; graph.nodes.len() * count];
        let mut never_again = vec![0; graph.nodes.len() * count];
        for (column, resource) in self.used.iter().enumerate() {
            let holds = |node: usize| graph.states[graph.nodes[node].state].holds >> resource & 1 == 1;
            let at_goal = |node: usize| graph.states[graph.nodes[node].state].at_goal;
            let takes = |exit: &Exit| exit.takes >> resource & 1 == 1;
            let stay = |node: usize, exit: &Exit| Some(graph.stay(node, exit));
            let load = graph.least(
                |node| at_goal(node).then_some(0),
                |node, exit| if holds(node) { stay(node, exit) } else { Some(0) },
            );
            // Until it is taken: by the least stay before an exit that does.
            let before_taking = |node: usize| {
                let exits = graph.states[graph.nodes[node].state].exits.iter();
                exits.filter(|exit| takes(exit)).map(|exit| graph.stay(node, exit)).min()
            };
            let head = graph.least(|node| if holds(node) { Some(0) } else { before_taking(node) }, stay);
            // To the goal without it.
            let without = graph.least(
                |node| (at_goal(node) && !holds(node)).then_some(0),
                |node, exit| if holds(node) || takes(exit) { None } else { stay(node, exit) },
            );
            // Where it is held for the last time: at the goal, or before a way without it.
            let last = |node: usize| {
                let exits = graph.states[graph.nodes[node].state].exits.iter();
                let ways = exits.filter(|exit| !holds(exit.to)).map(|exit| without[exit.to]);
                if !holds(node) {
                    return None;
                }
                if at_goal(node) { Some(0) } else { ways.min().filter(|way| *way < INFINITE) }
            };
            let tail = graph.least(last, |_, _| Some(0));
            let free = graph.least(|node| (!holds(node) || at_goal(node)).then_some(0), stay);
            for node in 0..graph.nodes.len() {
                uses[node * count + column] = Use { head: head[node], load: load[node], tail: tail[node] };
                release[node * count + column] = free[node];
                never_again[node * count + column] = without[node];
            }
        }
        (self.uses, self.release, self.without) = (uses, release, never_again);
    }

    /// What is to be done with a resource, given by its column in `used`, once a node is entered.
    pub fn use_of(&self, node: usize, column: usize) -> Use {
        self.uses[node * self.used.len() + column]
    }

    /// The time to the goal once the resource is set free for the last time, if that may be on entering this node.
    pub fn tail_from(&self, node: usize, column: usize) -> u64 {
        let at = node * self.used.len() + column;
        self.without[at].min(self.uses[at].tail)
    }

    pub fn release(&self, node: usize, column: usize) -> u64 {
        self.release[node * self.used.len() + column]
    }

    /// The local state of a key; working memory is given.
    pub fn state(&self, key: &[i32], values: &mut Vec<i32>) -> Option<usize> {
        values.clear();
        values.extend(self.graph.slots.iter().map(|slot| key[*slot as usize]));
        self.graph.index.get(values.as_slice()).copied()
    }

    pub fn memory(&self) -> u64 {
        let exits: usize = self.graph.states.iter().map(|state| state.exits.len()).sum();
        let index = self.graph.states.len() * (4 * self.graph.slots.len() + 48);
        (index + 120 * exits + self.graph.nodes.len() * (72 + 32 * self.used.len())) as u64
    }
}

/// By state: the least rate of where time can pass on a way to the goal.
fn rates(graph: &Graph, time: &[u64]) -> Vec<u64> {
    let mut leads = vec![false; graph.states.len()];
    for (node, time) in graph.nodes.iter().zip(time) {
        leads[node.state] |= *time < INFINITE;
    }
    let mut before = vec![Vec::new(); graph.states.len()];
    for (number, state) in graph.states.iter().enumerate().filter(|(number, _)| leads[*number]) {
        for exit in &state.exits {
            before[graph.nodes[exit.to].state].push(number);
        }
    }
    let mut order: Vec<usize> = (0..graph.states.len()).filter(|state| leads[*state]).collect();
    order.sort_by_key(|state| graph.states[*state].rate);
    let mut rates = vec![None; graph.states.len()];
    for start in order {
        let Some(rate) = graph.states[start].rate else { continue };
        let mut open = vec![start];
        while let Some(state) = open.pop() {
            if rates[state].is_none() {
                rates[state] = Some(rate);
                open.extend(&before[state]);
            }
        }
    }
    // Where no time can pass, it costs nothing.
    rates.into_iter().map(|rate| rate.unwrap_or(0)).collect()
}
