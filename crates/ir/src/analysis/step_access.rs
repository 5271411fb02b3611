//! What whole steps read and write: what symbolic searches project on.
//!
//! A step begins with an edge of a process, alone or together with a partner (a rendezvous), and goes on with everything that the
//! atomic sequence it begins may do before control is given up. Two states that agree in all slots of a step (those that it reads,
//! and, of those that it may write, the ones that it does not write for certain) have the same outcomes of it, and the step is
//! possible in both or in none: this is the property of PINS matrices (Blom, van de Pol, Weber 2010, "LTSmin: distributed and
//! symbolic reachability"). Access of single edges is told by [`access`](super::access); this is the union over the edges that may
//! follow each other.
//!
//! Cost: a closure over the locations of a process for each edge that keeps control; pairs are found by channel.

use std::collections::{BTreeMap, HashMap, HashSet};

use bughound_kernel::Access;

use crate::analysis::access::{EdgeAccess, Facts, read_enabling, read_partners};
use crate::analysis::channel_flow::origins_of;
use crate::analysis::footprint::Footprint;
use crate::analysis::ranges::channel_of;
use crate::analysis::{Instance, edges_of, instances};
use crate::edge::{Edge, EdgeId, Sync};
use crate::expr::Pattern;
use crate::frames::LOCATION;
use crate::network::{LocationId, Network};

/// Steps that begin alike.
#[derive(Clone, Debug)]
pub struct StepAccess {
    pub first: (Instance, EdgeId),
    /// Who moves at the same time.
    pub partners: Partners,
    /// Of the whole step. Nothing that a sequence writes is certain.
    pub access: Access,
    /// More micro steps may follow before it is over.
    pub is_sequence: bool,
}

/// Who takes part in the first micro step besides the process that begins it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partners {
    Nobody,
    /// The receiver of a rendezvous.
    One(Instance, EdgeId),
    /// Whoever hears a signal, or has a part in an action.
    Some,
}

/// An edge of an instance.
type Member = (Instance, EdgeId);

struct Work<'n> {
    network: &'n Network,
    accesses: BTreeMap<Member, Access>,
    /// By rendezvous channel: who can receive over it.
    accepting: HashMap<i32, Vec<Member>>,
    /// By edge: the rendezvous channels over which it can send.
    offers: HashMap<Member, Vec<i32>>,
    /// Those who can hear signals or join actions.
    joining: Vec<Member>,
}

/// All steps of a network.
pub fn step_accesses(network: &Network) -> Vec<StepAccess> {
    let facts = Facts::new(network);
    let mut work = Work {
        network,
        accesses: BTreeMap::new(),
        accepting: HashMap::new(),
        offers: HashMap::new(),
        joining: Vec::new(),
    };
    work.collect(&facts);
    let mut all = Vec::new();
    for member in work.accesses.keys().copied() {
        let edge = network.edge(member.1);
        if matches!(edge.sync, Sync::Emit { .. } | Sync::Join { .. }) {
            all.push(work.step(member, Partners::Some));
            continue;
        }
        all.push(work.step(member, Partners::Nobody));
        let receivers = work.partners(member);
        all.extend(receivers.into_iter().map(|(instance, id)| work.step(member, Partners::One(instance, id))));
    }
    all
}

impl Work<'_> {
    fn collect(&mut self, facts: &Facts<'_>) {
        let edges = EdgeAccess::new(self.network);
        for instance in instances(self.network) {
            for (id, edge) in edges_of(self.network, instance.template) {
                let mut access = edges.of(instance, id).cloned().unwrap_or_default();
                self.refine(facts, instance, id, edge, &mut access);
                self.accesses.insert((instance, id), access);
                self.meet(facts, instance, id, edge);
            }
        }
    }

    /// What the access of an edge does not tell, because others ask for edges one by one.
    fn refine(&self, facts: &Facts<'_>, instance: Instance, id: EdgeId, edge: &Edge, access: &mut Access) {
        // Who does not exist is nowhere: that the process is here says that it exists.
        access.reads.insert(self.network.frames.processes[instance.pid as usize].base + LOCATION);
        if let Some(monitor) = &self.network.monitor {
            access.reads.insert(monitor.slot);
            access.may_write.insert(monitor.slot);
            let mut seen = Footprint::outside(facts);
            for event in monitor.events.iter().flatten() {
                seen.read(&event.channel);
                let compared = event.fields.iter().filter_map(|field| match field {
                    Pattern::Match(value) => Some(value),
                    Pattern::Any | Pattern::Bind(_) => None,
                });
                compared.for_each(|value| seen.read(value));
            }
            access.reads.extend(seen.access.reads.iter());
            access.reads_everything |= seen.access.reads_everything;
        }
        if self.network.template(instance.template).deterministic {
            // It is a failure if an earlier one is possible, too.
            let mut before = Footprint::new(facts, instance);
            let siblings = &self.network.location(edge.from).edges;
            for sibling in siblings.iter().take_while(|s| **s != id).map(|s| self.network.edge(*s)) {
                read_enabling(&mut before, sibling);
                read_partners(&mut before, sibling);
            }
            access.reads.extend(before.access.reads.iter());
            access.reads_everything |= before.access.reads_everything;
        }
    }

    /// Notes over which rendezvous channels an edge can send or receive, and whether it waits for signals.
    fn meet(&mut self, facts: &Facts<'_>, instance: Instance, id: EdgeId, edge: &Edge) {
        let network = self.network;
        let entry = edge.program.and_then(|id| network.program(id).nodes.first());
        let inside = entry.into_iter().flat_map(|node| &node.alternatives).map(|alternative| &alternative.sync);
        let footprint = Footprint::new(facts, instance);
        for sync in inside.chain([&edge.sync]) {
            let (channel, sends) = match sync {
                Sync::Send { channel, .. } => (channel, true),
                Sync::Receive { channel, .. } => (channel, false),
                Sync::Accept { .. } | Sync::Join { .. } => {
                    self.joining.push((instance, id));
                    continue;
                }
                Sync::None | Sync::Emit { .. } => continue,
            };
            let numbers = footprint.channel_numbers(channel).into_iter();
            for number in numbers.filter(|number| network.uses.rendezvous && may_meet(network, *number)) {
                match sends {
                    true => self.offers.entry((instance, id)).or_default().push(number),
                    false => self.accepting.entry(number).or_default().push((instance, id)),
                }
            }
        }
    }

    /// The edges of others with which an edge can meet, each once.
    fn partners(&self, member: Member) -> Vec<Member> {
        let channels = self.offers.get(&member).into_iter().flatten();
        let mut all: Vec<Member> =
            channels.filter_map(|channel| self.accepting.get(channel)).flatten().copied().collect();
        all.retain(|(other, _)| other.pid != member.0.pid);
        all.sort_unstable();
        all.dedup();
        all
    }

    fn step(&self, first: Member, partners: Partners) -> StepAccess {
        let mut together = vec![first];
        match partners {
            Partners::Nobody => {}
            Partners::One(instance, id) => together.push((instance, id)),
            Partners::Some => {
                together.extend(self.joining.iter().copied().filter(|(other, _)| other.pid != first.0.pid));
            }
        }
        let mut access = Access::default();
        let mut open = Vec::new();
        for member in &together {
            self.add(&mut access, *member);
            self.follow(*member, &mut open);
        }
        let certain =
            together.iter().filter(|_| partners != Partners::Some).map(|member| &self.accesses[member].must_write);
        access.must_write.extend(certain.flat_map(|slots| slots.iter()));
        let is_sequence = !open.is_empty();
        if is_sequence {
            access.must_write = Default::default();
            self.close(&mut access, open);
        }
        StepAccess { first, partners, access, is_sequence }
    }

    fn add(&self, access: &mut Access, member: Member) {
        let own = &self.accesses[&member];
        access.reads.extend(own.reads.iter());
        // What one edge writes for its own sake, no other writes only where processes come and go.
        let plain = |of: &Access, slot: u32| of.may_write.contains(slot) && !of.created.contains(slot);
        let candidates = access.created.iter().chain(own.created.iter());
        let created = candidates.filter(|slot| !plain(access, *slot) && !plain(own, *slot)).collect();
        access.created = created;
        access.may_write.extend(own.may_write.iter());
        access.reads_everything |= own.reads_everything;
    }

    /// Where a process still has control after an edge.
    fn follow(&self, (instance, id): Member, open: &mut Vec<(Instance, LocationId)>) {
        let edge = self.network.edge(id);
        if edge.keeps_control {
            open.extend(edge.destinations.iter().map(|d| (instance, d.to)));
        }
    }

    /// Adds everything that may happen before control is given up.
    fn close(&self, access: &mut Access, mut open: Vec<(Instance, LocationId)>) {
        let mut been: HashSet<(Instance, LocationId)> = open.iter().copied().collect();
        let mut added: HashSet<Member> = HashSet::new();
        while let Some((instance, location)) = open.pop() {
            let mut next = Vec::new();
            for id in &self.network.location(location).edges {
                let member = (instance, *id);
                let mut together = vec![member];
                together.extend(self.partners(member));
                if matches!(self.network.edge(*id).sync, Sync::Emit { .. } | Sync::Join { .. }) {
                    together.extend(self.joining.iter().copied());
                }
                for member in together {
                    if added.insert(member) {
                        self.add(access, member);
                        self.follow(member, &mut next);
                    }
                }
            }
            open.extend(next.into_iter().filter(|place| been.insert(*place)));
        }
    }
}

/// Can this channel be one without a buffer?
fn may_meet(network: &Network, number: i32) -> bool {
    origins_of(network, number).into_iter().any(|origin| channel_of(network, origin).capacity == 0)
}
