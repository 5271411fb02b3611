//! Which slots each edge of each instance reads and writes.
//!
//! `reads` and `may_write` over-approximate, `must_write` under-approximates (see [`Access`]). The reads of an edge are
//! all that decides whether it is executable and what it writes: its own location, guards, communication and actions,
//! the `provided` clause, and for `else` (and after escapes of an `unless`) what the edges before it look at; where these
//! need a partner, also what decides whether there is one. The partner of a rendezvous has an access of its own: the
//! access of the pair is the union of both. Who emits a broadcast also reads what decides who hears it. A process that starts or ends writes its whole frame and the number of
//! processes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bughound_kernel::Access;

use crate::analysis::channel_flow::ChannelFlow;
use crate::analysis::constants::{Constants, fold};
use crate::analysis::creation::Creation;
use crate::analysis::footprint::Footprint;
use crate::analysis::{Instance, edges_of, instances};
use crate::edge::{Action, Condition, Destination, Edge, EdgeId, Sync};
use crate::expr::Expr;
use crate::frames::{LAST_PROCESS, LOCATION, PROCESS_COUNT};
use crate::network::Network;
use crate::types::SignalKind;

/// What the analysis builds on.
#[derive(Clone)]
pub(crate) struct Facts<'n> {
    pub network: &'n Network,
    pub constants: Arc<Constants>,
    pub flow: Arc<ChannelFlow>,
    pub creation: Arc<Creation>,
}

impl<'n> Facts<'n> {
    pub fn new(network: &'n Network) -> Self {
        Facts {
            network,
            constants: Arc::new(Constants::new(network)),
            flow: Arc::new(ChannelFlow::new(network)),
            creation: Arc::new(Creation::new(network)),
        }
    }
}

/// Tells what the expressions of properties read.
pub struct PropertyReader<'n> {
    facts: Facts<'n>,
}

impl<'n> PropertyReader<'n> {
    pub fn new(network: &'n Network) -> Self {
        PropertyReader { facts: Facts::new(network) }
    }

    /// What an expression reads; its access writes nothing.
    pub fn access(&self, property: &Expr) -> Access {
        let mut footprint = Footprint::outside(&self.facts);
        footprint.read(property);
        footprint.access
    }
}

/// The access of every edge of every instance.
#[derive(Clone, Debug, Default)]
pub struct EdgeAccess {
    edges: BTreeMap<(Instance, EdgeId), Access>,
}

impl EdgeAccess {
    pub fn new(network: &Network) -> EdgeAccess {
        EdgeAccess::with(&Facts::new(network), access_of)
    }

    /// What edges look at and change themselves, without what lets others move or keeps them from it: committed
    /// locations, priorities, partners. It tells which edges have to do with each other; it proves nothing.
    pub fn direct(network: &Network) -> EdgeAccess {
        EdgeAccess::with(&Facts::new(network), direct_access_of)
    }

    /// The access of a few edges of a few instances.
    pub fn among(network: &Network, wanted: impl IntoIterator<Item = (Instance, EdgeId)>) -> EdgeAccess {
        let facts = Facts::new(network);
        let mut edges = BTreeMap::new();
        for (instance, id) in wanted {
            edges.entry((instance, id)).or_insert_with(|| access_of(&facts, instance, id, network.edge(id)));
        }
        EdgeAccess { edges }
    }

    fn with(facts: &Facts<'_>, access: fn(&Facts<'_>, Instance, EdgeId, &Edge) -> Access) -> EdgeAccess {
        let mut edges = BTreeMap::new();
        for instance in instances(facts.network) {
            for (id, edge) in edges_of(facts.network, instance.template) {
                edges.insert((instance, id), access(facts, instance, id, edge));
            }
        }
        EdgeAccess { edges }
    }

    /// The access of an edge when this instance takes it; `None` if the edge is not one of its template.
    pub fn of(&self, instance: Instance, edge: EdgeId) -> Option<&Access> {
        self.edges.get(&(instance, edge))
    }

    pub fn iter(&self) -> impl Iterator<Item = (Instance, EdgeId, &Access)> + '_ {
        self.edges.iter().map(|((instance, edge), access)| (*instance, *edge, access))
    }
}

fn access_of(facts: &Facts<'_>, instance: Instance, id: EdgeId, edge: &Edge) -> Access {
    let mut footprint = Footprint::new(facts, instance);
    footprint.access.reads_everything |= facts.network.uses.priorities;
    // Whether a step is possible is asked of the locations of all processes.
    footprint.access.reads_everything |=
        facts.network.locations.iter().any(|l| !l.conditions.is_empty() || l.has_uncertain_rate());
    read_enabling(&mut footprint, edge);
    read_committed(&mut footprint);
    let siblings = &facts.network.location(edge.from).edges;
    for sibling in siblings.iter().take_while(|s| **s != id).map(|s| facts.network.edge(*s)) {
        if looks_back(facts.network, edge) || (sibling.escape > 0 && sibling.escape != edge.escape) {
            read_enabling(&mut footprint, sibling);
            read_partners(&mut footprint, sibling);
        }
    }
    if may_broadcast(&footprint, edge) {
        read_partners(&mut footprint, edge); // everybody who can hear must
    }
    write_edge(&mut footprint, edge);
    footprint.finished()
}

fn direct_access_of(facts: &Facts<'_>, instance: Instance, id: EdgeId, edge: &Edge) -> Access {
    let mut footprint = Footprint::new(facts, instance);
    read_enabling(&mut footprint, edge);
    let siblings = &facts.network.location(edge.from).edges;
    if looks_back(facts.network, edge) {
        for sibling in siblings.iter().take_while(|s| **s != id).map(|s| facts.network.edge(*s)) {
            read_enabling(&mut footprint, sibling);
        }
    }
    write_edge(&mut footprint, edge);
    footprint.finished()
}

fn may_broadcast(footprint: &Footprint<'_>, edge: &Edge) -> bool {
    let Sync::Emit { signal } = &edge.sync else { return false };
    let signals = &footprint.facts.network.signals;
    match fold(signal, &footprint.known) {
        Expr::Const(number) => signals.get(number as usize).is_some_and(|s| s.kind == SignalKind::Broadcast),
        _ => signals.iter().any(|s| s.kind == SignalKind::Broadcast),
    }
}

/// Is it executable only if the edges before it are not?
pub(crate) fn looks_back(network: &Network, edge: &Edge) -> bool {
    let entry = edge.program.and_then(|id| network.program(id).nodes.first());
    let inside = entry.is_some_and(|node| node.alternatives.iter().any(|a| a.condition == Condition::Else));
    edge.condition == Condition::Else || inside
}

/// What decides whether the process can take the edge, partners apart.
pub(crate) fn read_enabling(footprint: &mut Footprint<'_>, edge: &Edge) {
    let network = footprint.facts.network;
    let location = footprint.frame_slot(footprint.instance.pid, LOCATION);
    footprint.read_slot(location);
    if let Some(provided) = &network.template(footprint.instance.template).provided {
        footprint.read(provided);
    }
    if edge.condition == Condition::Youngest {
        footprint.read_slot(PROCESS_COUNT as u32);
    }
    edge.guards.iter().for_each(|guard| footprint.read(guard));
    edge.clock_guards.iter().for_each(|guard| footprint.read(&guard.bound));
    edge.destinations.iter().for_each(|d| d.chance.leaves(&mut |leaf| footprint.read(leaf)));
    footprint.read_sync(&edge.sync);
    if let Some(entry) = edge.program.and_then(|id| network.program(id).nodes.first()) {
        for alternative in &entry.alternatives {
            if alternative.condition == Condition::Youngest {
                footprint.read_slot(PROCESS_COUNT as u32);
            }
            alternative.guards.iter().for_each(|guard| footprint.read(guard));
            footprint.read_sync(&alternative.sync);
        }
    }
}

/// Committed locations anywhere decide who may move.
fn read_committed(footprint: &mut Footprint<'_>) {
    let network = footprint.facts.network;
    for (pid, frame) in network.frames.processes.iter().enumerate() {
        let mut locations = frame.templates.iter().flat_map(|t| &network.template(*t).locations);
        if locations.any(|l| network.location(*l).flags.committed) {
            let slot = footprint.frame_slot(pid as u32, LOCATION);
            footprint.read_slot(slot);
            footprint.read_slot(PROCESS_COUNT as u32);
        }
    }
}

/// What decides whether an edge that needs a partner finds one.
pub(crate) fn read_partners(footprint: &mut Footprint<'_>, edge: &Edge) {
    let network = footprint.facts.network;
    let wanted: Option<Vec<i32>> = match &edge.sync {
        Sync::Send { channel, .. } if network.uses.rendezvous => Some(footprint.channel_numbers(channel)),
        Sync::Emit { .. } | Sync::Join { .. } => None,
        _ => return,
    };
    for (pid, template) in footprint.others() {
        let mut other = Footprint::new(footprint.facts, Instance { pid, template });
        let mut concerned = false;
        for (_, partner) in edges_of(network, template) {
            let entry = partner.program.and_then(|id| network.program(id).nodes.first());
            let inside = entry.iter().flat_map(|node| &node.alternatives).map(|a| &a.sync);
            let joins = inside.chain([&partner.sync]).any(|sync| match (sync, &wanted) {
                (Sync::Receive { channel, .. }, Some(wanted)) => {
                    other.channel_numbers(channel).iter().any(|n| wanted.contains(n))
                }
                (Sync::Accept { .. } | Sync::Join { .. }, None) => true,
                _ => false,
            });
            if joins {
                read_enabling(&mut other, partner);
                concerned = true;
            }
        }
        if concerned {
            footprint.read_slot(PROCESS_COUNT as u32);
            footprint.access.reads.extend(other.access.reads.iter());
            footprint.access.reads_everything |= other.access.reads_everything;
        }
    }
}

/// What the edge does.
pub(crate) fn write_edge(footprint: &mut Footprint<'_>, edge: &Edge) {
    let network = footprint.facts.network;
    footprint.write_sync(&edge.sync);
    if network.uses.last_process {
        footprint.must(LAST_PROCESS as u32);
    }
    // A program takes one of many ways: nothing that it writes is certain.
    let certain = footprint.access.must_write.clone();
    let nodes = edge.program.into_iter().flat_map(|id| &network.program(id).nodes);
    for alternative in nodes.flat_map(|node| &node.alternatives) {
        alternative.guards.iter().for_each(|guard| footprint.read(guard));
        if alternative.condition == Condition::Youngest {
            footprint.read_slot(PROCESS_COUNT as u32);
        }
        footprint.read_sync(&alternative.sync);
        footprint.write_sync(&alternative.sync);
        alternative.actions.iter().for_each(|action| footprint.act(action, edge, None));
    }
    // Certain is what every destination writes.
    let mut common = None;
    for destination in &edge.destinations {
        footprint.access.must_write = certain.clone();
        write_destination(footprint, edge, destination);
        let here = std::mem::take(&mut footprint.access.must_write);
        common = Some(match common {
            None => here,
            Some(common) => here.iter().filter(|slot| bughound_kernel::SlotSet::contains(&common, *slot)).collect(),
        });
    }
    footprint.access.must_write = common.unwrap_or(certain);
}

fn write_destination(footprint: &mut Footprint<'_>, edge: &Edge, destination: &Destination) {
    let mut started = 0;
    for action in &destination.actions {
        footprint.act(action, edge, edge.program.is_none().then_some(started));
        match action {
            Action::Run { .. } => started += 1,
            Action::End => return,
            _ => {}
        }
    }
    if destination.to != edge.from {
        let location = footprint.frame_slot(footprint.instance.pid, LOCATION);
        footprint.must(location);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
    use crate::expr::{Index, Place};
    use crate::source::Span;
    use crate::types::{Dim, ValueType, Variable};

    fn slots(set: &bughound_kernel::SlotSet) -> Vec<u32> {
        set.iter().collect()
    }

    /// An array of three bytes, and its element at an index.
    fn array(net: &mut NetworkBuilder) -> impl Fn(Expr) -> Place + use<> {
        let slot = net.allocate(3);
        net.variable(Variable {
            name: "a".into(),
            ty: ValueType::Byte,
            slot,
            dims: vec![Dim { len: 3, stride: 1, after: 1, first: 0 }],
            hidden: false,
            span: Span::default(),
        });
        move |value| Place { indices: vec![Index { value, len: 3, stride: 1 }], ..Place::global(slot, ValueType::Byte) }
    }

    #[test]
    fn known_indices_are_exact_and_unknown_ones_are_all() {
        let mut net = NetworkBuilder::new("indices");
        let a = array(&mut net);
        let x = net.global("x", ValueType::Byte);
        let mut t = TemplateBuilder::new("t");
        let (here, there) = (t.location("here"), t.location("there"));
        t.edge(EdgeSpec::new(here, here).assign(a(Expr::OwnPid), Expr::Const(1)));
        t.edge(EdgeSpec::new(here, there).assign(a(Expr::read(x.clone())), Expr::Const(1)));
        t.edge(EdgeSpec::new(there, here).assign(x.clone(), Expr::Const(2)));
        let t = net.template(t, here);
        net.start(t, vec![]);
        net.start(t, vec![]);
        let network = net.finish().unwrap();
        let access = EdgeAccess::new(&network);
        let location = network.frames.processes[1].base;
        let first = access.of(Instance { pid: 1, template: t }, EdgeId(0)).unwrap();
        assert_eq!((slots(&first.reads), slots(&first.must_write)), (vec![location], vec![3]));
        let second = access.of(Instance { pid: 1, template: t }, EdgeId(1)).unwrap();
        assert_eq!(slots(&second.reads), [x.slot, location]);
        assert_eq!((slots(&second.may_write), slots(&second.must_write)), (vec![2, 3, 4, location], vec![location]));
    }

    #[test]
    fn else_reads_what_decides_about_a_partner() {
        let mut net = NetworkBuilder::new("else");
        let x = net.global("x", ValueType::Byte);
        let c = net.channel("c", 0, vec![], Span::default());
        let channel = Expr::Const(c);
        let mut sender = TemplateBuilder::new("sender");
        let (a, b) = (sender.location("a"), sender.location("b"));
        let send = Sync::Send { channel: channel.clone(), sorted: false, fields: vec![] };
        sender.edge(EdgeSpec::new(a, b).sync(send));
        let mut otherwise = EdgeSpec::new(a, b);
        otherwise.edge.condition = Condition::Else;
        sender.edge(otherwise);
        let sender = net.template(sender, a);
        let mut receiver = TemplateBuilder::new("receiver");
        let r = receiver.location("r");
        let receive = Sync::Receive { channel, anywhere: false, keep: false, patterns: vec![] };
        receiver.edge(EdgeSpec::new(r, r).guard(Expr::read(x.clone())).sync(receive));
        receiver.edge(EdgeSpec::new(r, r).assign(x.clone(), Expr::Const(1)));
        let receiver = net.template(receiver, r);
        net.start(sender, vec![]);
        net.start(receiver, vec![]);
        let network = net.finish().unwrap();
        let access = EdgeAccess::new(&network);
        let otherwise = access.of(Instance { pid: 0, template: sender }, EdgeId(1)).unwrap();
        let bases: Vec<u32> = network.frames.processes.iter().map(|f| f.base).collect();
        assert_eq!(slots(&otherwise.reads), [PROCESS_COUNT as u32, x.slot, bases[0], bases[1]]);
    }

    #[test]
    fn destinations_share_only_what_all_write() {
        let mut net = NetworkBuilder::new("dice");
        let (x, y) = (net.global("x", ValueType::Byte), net.global("y", ValueType::Byte));
        let mut t = TemplateBuilder::new("t");
        let here = t.location("here");
        let toss = EdgeSpec::new(here, here).assign(x.clone(), Expr::Const(0)).assign(y.clone(), Expr::Const(1));
        t.edge(toss.probability(1, 2).or(here, 1, 2).assign(x.clone(), Expr::Const(2)));
        let t = net.template(t, here);
        net.start(t, vec![]);
        let network = net.finish().unwrap();
        let access = EdgeAccess::new(&network);
        let toss = access.of(Instance { pid: 0, template: t }, EdgeId(0)).unwrap();
        assert_eq!((slots(&toss.may_write), slots(&toss.must_write)), (vec![x.slot, y.slot], vec![x.slot]));
    }
}
