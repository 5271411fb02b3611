//! The states of a small model and the steps between them, for Graphviz; with the path to an error marked.
//!
//! The walk goes breadth first from the initial state, or from the states of the path, up to a number of states. What was
//! left out is said, in the picture, too: dashed states have steps that are not shown.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Write;
use std::ops::ControlFlow;

use bughound_dbm::Zone;
use bughound_ir::edge::EdgeId;
use bughound_ir::network::Network;
use bughound_ir::reference::from_key;
use bughound_kernel::{Explorer, Move, Outcome, StateBuf, StopSignal, TransitionSystem};
use bughound_semantics::DiscreteSystem;
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_trace::{Trace, micro_steps, places, process_in, values};

use crate::explain::dot::escaped;

/// Lines of a label; the others are in the tooltip.
const LINES: usize = 14;
/// Characters of a line.
const WIDTH: usize = 60;

/// States and steps.
#[derive(Clone, Debug, Default)]
pub struct StateGraph {
    pub states: Vec<Node>,
    pub steps: Vec<Arc>,
    /// States with steps that are not shown, because there are too many states.
    pub cut: usize,
    /// States of the path that are not shown, for the same reason.
    pub path_cut: usize,
}

/// A state.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where the processes are, then the variables, then the clocks.
    pub lines: Vec<String>,
    pub mark: Mark,
    pub on_path: bool,
    /// Some of its steps are not shown.
    pub is_cut: bool,
}

/// What is special about a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    None,
    Deadlock,
    /// Nothing follows, and everybody may rest.
    End,
    /// No state, but what a step failed with.
    Failure,
}

/// A step.
#[derive(Clone, Debug)]
pub struct Arc {
    pub from: usize,
    pub to: usize,
    pub label: String,
    pub on_path: bool,
}

/// The reachable states of a model, `most` at the most; with the path of a trace of it. The signal ends the walk early.
pub fn state_graph(
    network: &Network,
    trace: Option<&Trace>,
    most: usize,
    stop: &StopSignal,
) -> Result<StateGraph, String> {
    let timed = match network.needs_zones() {
        false => None,
        true => {
            let system = TimedSystem::new(network.clone(), &[], Abstraction::REACHABILITY);
            Some(system.map_err(|why| why.to_string())?)
        }
    };
    let discrete = DiscreteSystem::new(network.clone(), &[]);
    let system: &dyn TransitionSystem = match &timed {
        Some(timed) => timed,
        None => &discrete,
    };
    let mut walk = Walk {
        network,
        system,
        explorer: system.explorer(),
        most: most.max(1),
        is_timed: timed.is_some(),
        graph: StateGraph::default(),
        states: Vec::new(),
        by_key: HashMap::new(),
        leaving: HashMap::new(),
    };
    walk.explorer.heed(stop);
    let mut first = Vec::new();
    walk.explorer.initial(&mut |state| first.push(StateBuf::from(state)));
    let mut open: VecDeque<usize> = first.into_iter().filter_map(|state| walk.node(state)).map(|(at, _)| at).collect();
    if let (Some(trace), Some(start)) = (trace, open.front().copied()) {
        open.extend(walk.follow(trace, start));
    }
    let mut expanded: HashSet<usize> = HashSet::new();
    while let Some(at) = open.pop_front() {
        if !expanded.insert(at) {
            continue;
        }
        if stop.is_raised() {
            walk.graph.states[at].is_cut = true;
            continue;
        }
        open.extend(walk.expand(at, stop));
    }
    let mut graph = walk.graph;
    graph.cut = graph.states.iter().filter(|state| state.is_cut).count();
    Ok(graph)
}

struct Walk<'s> {
    network: &'s Network,
    system: &'s dyn TransitionSystem,
    explorer: Box<dyn Explorer + 's>,
    most: usize,
    is_timed: bool,
    graph: StateGraph,
    /// Beside the nodes of the graph; nothing where a step failed.
    states: Vec<Option<StateBuf>>,
    by_key: HashMap<Vec<i32>, Vec<usize>>,
    /// By state: the numbers of the steps that leave it.
    leaving: HashMap<usize, Vec<usize>>,
}

/// What one step leads to.
enum End {
    State(StateBuf),
    Failure(u32),
}

impl Walk<'_> {
    /// The node of a state, and whether it is new; nothing if there is no room for it.
    fn node(&mut self, state: StateBuf) -> Option<(usize, bool)> {
        let known = self.by_key.get(&state.key).into_iter().flatten().copied();
        let covers = |at: &usize| {
            let old = self.states[*at].as_ref();
            old.is_some_and(|old| self.system.covers(&state.key, &old.cover, &state.cover))
        };
        if let Some(at) = known.into_iter().find(covers) {
            return Some((at, false));
        }
        if self.states.len() >= self.most {
            return None;
        }
        let at = self.states.len();
        let lines = self.lines(&state);
        self.graph.states.push(Node { lines, mark: Mark::None, on_path: false, is_cut: false });
        self.by_key.entry(state.key.clone()).or_default().push(at);
        self.states.push(Some(state));
        Some((at, true))
    }

    fn lines(&self, state: &StateBuf) -> Vec<String> {
        let network = self.network;
        let seen = from_key(network, &state.key);
        let mut lines: Vec<String> =
            places(network, &seen).into_iter().map(|(_, process, place)| format!("{process} at {place}")).collect();
        lines.extend(values(network, &seen).into_iter().map(|v| format!("{} = {}", v.name, v.value)));
        if !state.cover.is_empty() {
            let name = |clock: usize| network.clocks[clock - 1].name.as_str().into();
            lines.push(format!("clocks: {}", Zone::new(&state.cover, network.clocks.len() + 1).describe(name)));
        }
        lines
    }

    /// All steps from a state, with what they lead to, and whether it is a deadlock.
    fn steps(&mut self, at: usize) -> (Vec<(Vec<Move>, End)>, bool) {
        let Some(state) = self.states[at].clone() else { return (Vec::new(), false) };
        let mut steps = Vec::new();
        let expansion = self.explorer.successors(state.as_state(), &mut |step| {
            let end = match step.outcome {
                Outcome::State(to) => End::State(StateBuf::from(to)),
                Outcome::Failure(failure) => End::Failure(failure.edge),
            };
            steps.push((step.moves.to_vec(), end));
            ControlFlow::Continue(())
        });
        (steps, expansion.deadlock)
    }

    fn label(&self, at: usize, moves: &[Move]) -> String {
        let state = self.states[at].as_ref().map(|state| from_key(self.network, &state.key));
        let who = |m: &Move| {
            let pid = usize::from(m.process);
            let name = state.as_ref().map(|state| process_in(self.network, state, pid)).unwrap_or_default();
            format!("{name}: {}", self.text(m))
        };
        let step = |moves: &[Move]| moves.iter().map(who).collect::<Vec<_>>().join(", ");
        micro_steps(moves).into_iter().map(step).collect::<Vec<_>>().join("; ")
    }

    /// What an edge does; where nothing is written at it, where it leads.
    fn text(&self, m: &Move) -> String {
        let edge = self.network.edge(EdgeId(m.edge));
        let name = |location| self.network.location(location).labels.first().map_or("", String::as_str);
        match edge.destinations.get(usize::from(m.destination)) {
            Some(destination) if edge.text.is_empty() => format!("{} → {}", name(edge.from), name(destination.to)),
            _ => edge.text.clone(),
        }
    }

    /// Adds a step unless it is there.
    fn arc(&mut self, from: usize, to: usize, moves: &[Move], on_path: bool) {
        let label = self.label(from, moves);
        let steps = &mut self.graph.steps;
        let leaving = self.leaving.entry(from).or_default();
        match leaving.iter().find(|arc| steps[**arc].to == to && steps[**arc].label == label) {
            Some(arc) => steps[*arc].on_path |= on_path,
            None => {
                leaving.push(steps.len());
                steps.push(Arc { from, to, label, on_path });
            }
        }
    }

    /// What a failing step leads to: a node of its own, which is no state and so does not count.
    fn failure(&mut self, from: usize, edge: u32, moves: &[Move]) -> usize {
        let label = self.label(from, moves);
        let leaving = self.leaving.get(&from).into_iter().flatten().map(|arc| &self.graph.steps[*arc]);
        let mut same = leaving.filter(|arc| arc.label == label && self.graph.states[arc.to].mark == Mark::Failure);
        if let Some(known) = same.next() {
            return known.to;
        }
        let lines = vec![format!("fails: {}", self.network.edge(EdgeId(edge)).text)];
        self.graph.states.push(Node { lines, mark: Mark::Failure, on_path: false, is_cut: false });
        self.states.push(None);
        self.most += 1;
        self.states.len() - 1
    }

    /// Adds the states and steps of a trace, and marks them.
    fn follow(&mut self, trace: &Trace, start: usize) -> Vec<usize> {
        let mut path = vec![start];
        self.graph.states[start].on_path = true;
        let chains = chains(trace);
        for (number, moves) in chains.iter().enumerate() {
            let at = path[path.len() - 1];
            let found = self.steps(at).0.into_iter().filter(|(taken, _)| taken == moves);
            // A failing step that could also go on: the trace ends here.
            let is_last =
                number + 1 == chains.len() && trace.steps.last().is_some_and(|step| !step.failures.is_empty());
            let wanted = |end: &End| matches!(end, End::Failure(_)) == is_last;
            let Some((_, end)) = found.into_iter().find(|(_, end)| wanted(end)) else { break };
            let next = match end {
                End::State(state) => self.node(state).map(|(at, _)| at),
                End::Failure(edge) => Some(self.failure(at, edge, moves)),
            };
            let Some(next) = next else {
                self.graph.path_cut = chains.len() - number;
                break;
            };
            self.arc(at, next, moves, true);
            self.graph.states[next].on_path = true;
            path.push(next);
        }
        path
    }

    /// Adds the steps of a state; returns the new states.
    fn expand(&mut self, at: usize, stop: &StopSignal) -> Vec<usize> {
        let (steps, deadlock) = self.steps(at);
        if stop.is_raised() {
            self.graph.states[at].is_cut = true;
            return Vec::new();
        }
        // In timed models, zones are too coarse to tell who is stuck.
        if steps.is_empty() && !self.is_timed && self.graph.states[at].mark == Mark::None {
            self.graph.states[at].mark = if deadlock { Mark::Deadlock } else { Mark::End };
        }
        let mut new = Vec::new();
        for (moves, end) in steps {
            let to = match end {
                End::State(state) => self.node(state),
                End::Failure(edge) => Some((self.failure(at, edge, &moves), false)),
            };
            let Some((to, is_new)) = to else {
                self.graph.states[at].is_cut = true;
                continue;
            };
            self.arc(at, to, &moves, false);
            new.extend(is_new.then_some(to));
        }
        new
    }
}

/// The moves of a trace, cut where others could have moved.
fn chains(trace: &Trace) -> Vec<Vec<Move>> {
    let mut chains: Vec<Vec<Move>> = Vec::new();
    let mut goes_on = false;
    for (step, shown) in micro_steps(&trace.moves).into_iter().zip(&trace.steps) {
        match chains.last_mut().filter(|_| goes_on) {
            Some(chain) => chain.extend(step),
            None => chains.push(step.to_vec()),
        }
        goes_on = shown.keeps_control;
    }
    chains
}

impl StateGraph {
    /// How many states there are; what a step failed with is none.
    pub fn len(&self) -> usize {
        self.states.iter().filter(|node| node.mark != Mark::Failure).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What is not shown; nothing if everything is.
    pub fn left_out(&self) -> Option<String> {
        let states = self.len();
        let path = match self.path_cut {
            0 => String::new(),
            many => format!("; the path to the error goes on for {many} more"),
        };
        (self.cut > 0 || self.path_cut > 0).then(|| {
            format!("cut at {states} states: {} of them have steps that are not shown (dashed){path}", self.cut)
        })
    }

    /// As a graph in the language of Graphviz.
    pub fn to_dot(&self, title: &str) -> String {
        let size = self.left_out().unwrap_or_else(|| format!("{} states", self.len()));
        let caption = escaped(&format!("{title}: {size}"));
        let mut out = format!("// {}\n", caption.replace('\n', " "));
        let _ = writeln!(out, "digraph states {{\n  label=\"{caption}\";\n  labelloc=t;");
        out.push_str(
            "  node [shape=box, fontname=monospace, fontsize=10];\n  edge [fontname=monospace, fontsize=9];\n",
        );
        if !self.is_empty() {
            out.push_str("  start [shape=point];\n  start -> 0;\n");
        }
        for (at, node) in self.states.iter().enumerate() {
            let _ = writeln!(out, "  {at} [{}];", node.attributes());
        }
        for arc in &self.steps {
            let mark = if arc.on_path { ", color=red, fontcolor=red, penwidth=2" } else { "" };
            let label = escaped(&clipped(&arc.label));
            let tip = escaped(&arc.label);
            let _ = writeln!(out, "  {} -> {} [label=\"{label}\", tooltip=\"{tip}\"{mark}];", arc.from, arc.to);
        }
        out.push_str("}\n");
        out
    }
}

impl Node {
    fn attributes(&self) -> String {
        let mut lines: Vec<String> = self.lines.iter().take(LINES).map(|line| escaped(&clipped(line))).collect();
        if self.lines.len() > LINES {
            lines.push("…".into());
        }
        match self.mark {
            Mark::Deadlock => lines.push("deadlock".into()),
            Mark::End => lines.push("end".into()),
            Mark::None | Mark::Failure => {}
        }
        let label: String = lines.iter().map(|line| format!("{line}\\l")).collect();
        let tip: Vec<String> = self.lines.iter().map(|line| escaped(line)).collect();
        let mut out = format!("label=\"{label}\", tooltip=\"{}\"", tip.join("\\n"));
        let mut styles = Vec::new();
        match self.mark {
            Mark::Deadlock => {
                styles.push("filled");
                out.push_str(", fillcolor=mistyrose");
            }
            Mark::Failure => {
                styles.push("filled");
                out.push_str(", shape=octagon, fillcolor=mistyrose");
            }
            Mark::End => out.push_str(", peripheries=2"),
            Mark::None => {}
        }
        if self.is_cut {
            styles.push("dashed");
        }
        if !styles.is_empty() {
            let _ = write!(out, ", style=\"{}\"", styles.join(","));
        }
        if self.on_path {
            out.push_str(", color=red, penwidth=2");
        }
        out
    }
}

fn clipped(text: &str) -> String {
    if text.chars().count() <= WIDTH {
        return text.into();
    }
    text.chars().take(WIDTH - 1).chain(['…']).collect()
}
