//! Which edges have to do with each other, and how closely.
//!
//! Two steps *interfere* if one writes a slot that the other reads or writes (Wehrle, Kupferschmid 2010, Def. 4). Clocks
//! are no slots and do not count. A step is one edge of one process, or a hand-shake: then what its edges read and write
//! counts together. The graph is never built: a slot connects those who write it with all who use it, so a walk through
//! it looks at each slot and at each signal once.

use std::collections::HashMap;

use crate::analysis::Instance;
use crate::analysis::access::{EdgeAccess, Facts};
use crate::analysis::footprint::Footprint;
use crate::edge::{EdgeId, Sync};
use crate::expr::Expr;
use crate::network::Network;

/// In place of a distance: no chain of interferences leads there.
pub const UNRELATED: u8 = u8::MAX;

/// Whatever is farther away counts as this far: far, but connected.
pub const FARTHEST: u8 = UNRELATED - 1;

/// An edge of one process, by its place in the graph.
pub type Place = u32;

#[derive(Clone, Debug, Default)]
struct Node {
    reads: Vec<u32>,
    writes: Vec<u32>,
    reads_everything: bool,
    /// What it can start together with others, and what it can take part in: numbers of meetings.
    starts: Vec<u32>,
    joins: Vec<u32>,
}

/// Everything that a slot or a meeting connects.
#[derive(Clone, Debug, Default)]
struct Sides {
    /// Writers of the slot; who starts the meeting.
    active: Vec<Place>,
    /// Readers of the slot; who takes part in the meeting.
    passive: Vec<Place>,
}

#[derive(Clone, Debug, Default)]
pub struct Interference {
    nodes: Vec<Node>,
    places: HashMap<(u32, EdgeId), Place>,
    slots: Vec<Sides>,
    meetings: Vec<Sides>,
    /// Edges that read the whole state, and edges that write anything.
    whole: Sides,
}

impl Interference {
    /// The graph of an analysis of edges of this network.
    pub fn new(network: &Network, access: &EdgeAccess) -> Interference {
        let facts = Facts::new(network);
        let mut graph = Interference::default();
        let mut meetings = HashMap::new();
        for (instance, edge, access) in access.iter() {
            let (starts, joins) = partners(&facts, instance, edge);
            let mut number = |key: Meeting| {
                let next = meetings.len() as u32;
                *meetings.entry(key).or_insert(next)
            };
            let node = Node {
                reads: access.reads.iter().collect(),
                writes: access.may_write.iter().collect(),
                reads_everything: access.reads_everything,
                starts: starts.into_iter().map(&mut number).collect(),
                joins: joins.into_iter().map(&mut number).collect(),
            };
            graph.add(instance.pid, edge, node);
        }
        graph
    }

    fn add(&mut self, pid: u32, edge: EdgeId, node: Node) {
        let place = self.nodes.len() as Place;
        let side = |all: &mut Vec<Sides>, number: u32, active: bool| {
            let number = number as usize;
            if number >= all.len() {
                all.resize_with(number + 1, Sides::default);
            }
            let sides = &mut all[number];
            (if active { &mut sides.active } else { &mut sides.passive }).push(place);
        };
        node.writes.iter().for_each(|slot| side(&mut self.slots, *slot, true));
        node.reads.iter().for_each(|slot| side(&mut self.slots, *slot, false));
        node.starts.iter().for_each(|number| side(&mut self.meetings, *number, true));
        node.joins.iter().for_each(|number| side(&mut self.meetings, *number, false));
        if !node.writes.is_empty() {
            self.whole.active.push(place);
        }
        if node.reads_everything {
            self.whole.passive.push(place);
        }
        self.places.insert((pid, edge), place);
        self.nodes.push(node);
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn place(&self, pid: u32, edge: EdgeId) -> Option<Place> {
        self.places.get(&(pid, edge)).copied()
    }

    /// Does some edge read the whole state?
    pub fn reads_everything(&self) -> bool {
        !self.whole.passive.is_empty()
    }

    /// By place: how many interferences lead there from a step that takes these edges; at least 1, at most [`FARTHEST`],
    /// and [`UNRELATED`] only if no chain leads there, however long.
    pub fn distances(&self, step: &[Place]) -> Vec<u8> {
        let mut walk = Walk {
            graph: self,
            distances: vec![UNRELATED; self.nodes.len()],
            met: vec![false; self.nodes.len()],
            slots: vec![(false, false); self.slots.len()],
            meetings: vec![(false, false); self.meetings.len()],
            whole: (false, false),
            next: Vec::new(),
        };
        let mut steps: Vec<Place> = step.to_vec();
        let mut distance = 1;
        loop {
            steps.iter().for_each(|place| walk.interfere(*place, distance));
            if walk.next.is_empty() {
                return walk.distances;
            }
            steps = std::mem::take(&mut walk.next);
            walk.meet(&mut steps);
            distance = (distance + 1).min(FARTHEST);
        }
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        let sides = self.slots.iter().chain(&self.meetings).map(|s| s.active.len() + s.passive.len()).sum::<usize>();
        (2 * sides * size_of::<Place>() + self.nodes.len() * (size_of::<Node>() + 32)) as u64
    }
}

/// A walk in breadth through the graph. Of slots and meetings it knows which of their sides it has called.
struct Walk<'g> {
    graph: &'g Interference,
    distances: Vec<u8>,
    /// Takes part in a step that was reached, whatever its own distance.
    met: Vec<bool>,
    slots: Vec<(bool, bool)>,
    meetings: Vec<(bool, bool)>,
    whole: (bool, bool),
    next: Vec<Place>,
}

impl Walk<'_> {
    fn reach(&mut self, places: &[Place], distance: u8) {
        for place in places {
            let known = &mut self.distances[*place as usize];
            if *known == UNRELATED {
                *known = distance;
                self.next.push(*place);
            }
        }
    }

    fn interfere(&mut self, place: Place, distance: u8) {
        let graph = self.graph;
        let node = &graph.nodes[place as usize];
        for slot in node.writes.iter().map(|slot| *slot as usize) {
            let called = std::mem::replace(&mut self.slots[slot], (true, true));
            let sides = &graph.slots[slot];
            if !called.0 {
                self.reach(&sides.active, distance);
            }
            if !called.1 {
                self.reach(&sides.passive, distance);
            }
        }
        for slot in node.reads.iter().map(|slot| *slot as usize) {
            if !std::mem::replace(&mut self.slots[slot].0, true) {
                self.reach(&graph.slots[slot].active, distance);
            }
        }
        if node.reads_everything && !std::mem::replace(&mut self.whole.0, true) {
            self.reach(&graph.whole.active, distance);
        }
        if !node.writes.is_empty() && !std::mem::replace(&mut self.whole.1, true) {
            self.reach(&graph.whole.passive, distance);
        }
    }

    /// Adds those who can move together with the ones just reached: what they use belongs to the same step.
    fn meet(&mut self, steps: &mut Vec<Place>) {
        let graph = self.graph;
        for at in 0..steps.len() {
            let node = &graph.nodes[steps[at] as usize];
            for meeting in node.starts.iter().map(|meeting| *meeting as usize) {
                if !std::mem::replace(&mut self.meetings[meeting].1, true) {
                    steps.extend(graph.meetings[meeting].passive.iter().filter(|p| !self.met[**p as usize]));
                }
            }
            for meeting in node.joins.iter().map(|meeting| *meeting as usize) {
                if !std::mem::replace(&mut self.meetings[meeting].0, true) {
                    steps.extend(graph.meetings[meeting].active.iter().filter(|p| !self.met[**p as usize]));
                }
            }
        }
        steps.iter().for_each(|place| self.met[*place as usize] = true);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Meeting {
    Signal(i32),
    Rendezvous(i32),
    Vector(usize),
}

/// The meetings that an edge can start, and those that it can take part in.
fn partners(facts: &Facts<'_>, instance: Instance, edge: EdgeId) -> (Vec<Meeting>, Vec<Meeting>) {
    let network = facts.network;
    let edge = network.edge(edge);
    let footprint = Footprint::new(facts, instance);
    let signals = |signal: &Expr| -> Vec<Meeting> {
        match crate::analysis::constants::fold(signal, &footprint.known) {
            Expr::Const(number) => vec![Meeting::Signal(number)],
            _ => (0..network.signals.len() as i32).map(Meeting::Signal).collect(),
        }
    };
    let channels = |channel: &Expr| -> Vec<Meeting> {
        let numbers = if network.uses.rendezvous { footprint.channel_numbers(channel) } else { Vec::new() };
        numbers.into_iter().map(Meeting::Rendezvous).collect()
    };
    let entry = edge.program.and_then(|id| network.program(id).nodes.first());
    let inside = entry.into_iter().flat_map(|node| &node.alternatives).map(|alternative| &alternative.sync);
    let (mut starts, mut joins) = (Vec::new(), Vec::new());
    for sync in inside.chain([&edge.sync]) {
        match sync {
            Sync::None => {}
            Sync::Emit { signal } => starts.extend(signals(signal)),
            Sync::Accept { signal } => joins.extend(signals(signal)),
            Sync::Join { action } => {
                let own = (instance.pid as u16, *action);
                for (number, vector) in network.vectors.iter().enumerate().filter(|(_, v)| v.parts.contains(&own)) {
                    let meetings = if vector.parts[0] == own { &mut starts } else { &mut joins };
                    meetings.push(Meeting::Vector(number));
                }
            }
            Sync::Send { channel, .. } => starts.extend(channels(channel)),
            Sync::Receive { channel, .. } => joins.extend(channels(channel)),
        }
    }
    (starts, joins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::source::Span;
    use crate::types::ValueType;

    /// Four processes with one edge each: the first writes x; the second reads x and sends; the third receives and writes
    /// y; the fourth reads z.
    fn chain() -> (Network, Vec<u32>) {
        let mut net = NetworkBuilder::new("chain");
        let [x, y, z] = ["x", "y", "z"].map(|name| net.global(name, ValueType::Byte));
        let channel = Expr::Const(net.channel("c", 0, vec![], Span::default()));
        let send = Sync::Send { channel: channel.clone(), sorted: false, fields: vec![] };
        let receive = Sync::Receive { channel, anywhere: false, keep: false, patterns: vec![] };
        let edges = |n: usize, here, there| {
            let edge = EdgeSpec::new(here, there);
            match n {
                0 => edge.assign(x.clone(), Expr::Const(1)),
                1 => edge.guard(Expr::read(x.clone())).sync(send.clone()),
                2 => edge.sync(receive.clone()).assign(y.clone(), Expr::Const(1)),
                3 => edge.guard(Expr::read(y.clone())),
                _ => edge.guard(Expr::read(z.clone())),
            }
        };
        for n in 0..5 {
            let mut template = TemplateBuilder::new(format!("t{n}"));
            let (here, there) = (template.location("here"), template.location("there"));
            template.edge(edges(n, here, there));
            let template = net.template(template, here);
            net.start(template, vec![]);
        }
        let network = net.finish().unwrap();
        let edges = (0..5).collect();
        (network, edges)
    }

    /// A row of processes, each of which hands a value on to the next: connected, however long the row.
    #[test]
    fn a_long_chain_connects_its_ends() {
        let mut net = NetworkBuilder::new("row");
        let variables: Vec<_> = (0..400).map(|n| net.global(format!("x{n}"), ValueType::Bit)).collect();
        let mut template = TemplateBuilder::new("row");
        let (here, there) = (template.location("here"), template.location("there"));
        template.edge(EdgeSpec::new(here, there).guard(Expr::read(variables[0].clone())));
        let single = net.template(template, here);
        net.start(single, vec![]);
        for pair in variables.windows(2) {
            let mut template = TemplateBuilder::new("link");
            let (here, there) = (template.location("here"), template.location("there"));
            let edge = EdgeSpec::new(here, there).guard(Expr::read(pair[0].clone()));
            template.edge(edge.assign(pair[1].clone(), Expr::Const(1)));
            let link = net.template(template, here);
            net.start(link, vec![]);
        }
        let network = net.finish().unwrap();
        let graph = Interference::new(&network, &EdgeAccess::direct(&network));
        let last = network.start.len() as u32 - 1;
        let (first, last) = (graph.place(1, EdgeId(1)).unwrap(), graph.place(last, EdgeId(last)).unwrap());
        assert_eq!(graph.distances(&[first])[last as usize], FARTHEST);
        assert_eq!(graph.distances(&[last])[first as usize], FARTHEST);
        let nobody = graph.place(0, EdgeId(0)).unwrap();
        assert_eq!(graph.distances(&[nobody])[last as usize], UNRELATED, "both only read the first variable");
    }

    #[test]
    fn distances_go_through_slots_and_meetings() {
        let (network, edges) = chain();
        let graph = Interference::new(&network, &EdgeAccess::direct(&network));
        let place = |n: u32| graph.place(n, EdgeId(edges[n as usize])).unwrap();
        let from = |step: &[u32]| -> Vec<u8> {
            let distances = graph.distances(&step.iter().map(|n| place(*n)).collect::<Vec<_>>());
            (0..5).map(|n| distances[place(n) as usize]).collect()
        };
        // The meeting of the second and the third is one step: two interferences from the first to the fourth. The third
        // alone could meet somebody else, so by itself it is farther away.
        assert_eq!(from(&[0]), [1, 1, 2, 2, UNRELATED]);
        assert_eq!(from(&[1, 2]), [1, 1, 1, 1, UNRELATED]);
        assert_eq!(from(&[4]), [UNRELATED, UNRELATED, UNRELATED, UNRELATED, 1]);
    }
}
