//! One group at a time: what an edge of a process reads and writes, with the atomic sequence that it begins.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Conjunct, Group, GroupMaker, Queue, Resource};
use crate::analysis::access::{Facts, looks_back, read_enabling, read_partners, write_edge};
use crate::analysis::constants::{Environment, fold};
use crate::analysis::footprint::{Ends, Footprint};
use crate::analysis::{Instance, actions_of, edges_of};
use crate::edge::{Action, Condition, Edge, EdgeId, Sync};
use crate::expr::{BinaryOp, Expr, Pattern};
use crate::frames::ChannelHome;
use crate::network::{LocationId, Network};

/// A process that exists, or one that may come to exist.
pub(super) struct Member {
    pub instance: Instance,
    pub to_come: bool,
    pub known: Environment,
}

/// What an edge reads and writes by itself.
#[derive(Clone, Default)]
pub(super) struct Touched {
    reads: BTreeSet<Resource>,
    writes: BTreeSet<Resource>,
    enabling: BTreeSet<Resource>,
    reads_everything: bool,
    may_fail: bool,
}

pub(super) struct Work<'m> {
    pub maker: &'m GroupMaker,
    pub facts: &'m Facts<'m>,
    pub members: Vec<Member>,
    /// So many processes exist.
    pub existing: u32,
    /// Of edges inside atomic sequences.
    pub accesses: HashMap<(usize, EdgeId), Touched>,
}

impl Work<'_> {
    /// The group of an edge; `None` if its guard can never be true.
    pub fn group(&mut self, member: usize, id: EdgeId, edge: &Edge) -> Option<Group> {
        let Member { instance, to_come, ref known } = self.members[member];
        let network: &Network = &self.maker.network;
        // In the order in which they are evaluated.
        let provided = network.template(instance.template).provided.iter();
        let mut conjuncts = Vec::new();
        for guard in provided.clone().chain(&edge.guards) {
            split(&fold(guard, known), &mut conjuncts);
        }
        let can_fail = provided.clone().chain(&edge.guards).any(Expr::can_fail);
        if !can_fail && conjuncts.iter().any(|c| c.as_const() == Some(0)) {
            return None;
        }
        conjuncts.retain(|c| c.as_const().is_none());
        // An expression without a value is a step that fails, whatever comes after it: what is looked at later keeps nothing
        // from happening.
        let certain = conjuncts.iter().take_while(|c| self.has_value(member, c)).count();
        let reaches_sync = certain == conjuncts.len();
        conjuncts.truncate(certain + 1);
        let conjuncts =
            conjuncts.into_iter().map(|condition| Conjunct { reads: self.read_by(member, &condition), condition });
        let conjuncts = conjuncts.collect();
        let waits_to_be_youngest =
            edge.condition == Condition::Youngest && provided.clone().all(|provided| self.has_value(member, provided));
        let tells_ends = edge.program.is_none() && !network.uses.lossy_sends;
        let mut touched = self.touched(member, id, edge, tells_ends);
        let mut creates = BTreeSet::new();
        let mut note_created = |edge: &Edge| {
            let runs = actions_of(network, edge).filter_map(|action| match action {
                Action::Run { template, .. } => Some(*template),
                _ => None,
            });
            creates.extend(runs);
        };
        note_created(edge);
        for (inside, edge) in self.sequence(member, edge) {
            note_created(network.edge(edge));
            let more = self.inner(inside, edge);
            touched.reads.extend(more.reads);
            touched.writes.extend(more.writes);
            touched.reads_everything |= more.reads_everything;
            touched.may_fail |= more.may_fail;
        }
        let (offers, accepts) = self.meetings(member, edge);
        let creates = creates.into_iter().collect();
        Some(Group {
            template: instance.template,
            pid: (!to_come).then_some(instance.pid),
            edge: id,
            from: edge.from,
            conjuncts,
            message: self.message(member, edge),
            is_single: !edge.keeps_control,
            queue: self.queue(member, edge).filter(|_| reaches_sync),
            compared: self.compared(member, edge),
            offers,
            accepts,
            is_end: edge.condition == Condition::Youngest,
            waits_to_be_youngest,
            creates,
            reads: touched.reads.into_iter().collect(),
            writes: touched.writes.into_iter().collect(),
            enabling: touched.enabling.into_iter().collect(),
            reads_everything: touched.reads_everything,
            may_fail: touched.may_fail,
            targets: edge.destinations.iter().map(|d| d.to).collect(),
        })
    }

    fn footprint(&self, member: usize, tells_ends: bool) -> Footprint<'_> {
        let Member { instance, known, .. } = &self.members[member];
        Footprint::finer(self.facts, *instance, known.clone(), self.existing, tells_ends)
    }

    fn read_by(&self, member: usize, condition: &Expr) -> Vec<Resource> {
        let mut footprint = self.footprint(member, false);
        footprint.read(condition);
        self.reads(&footprint)
    }

    fn reads(&self, footprint: &Footprint<'_>) -> Vec<Resource> {
        let mut all = self.maker.resources(&footprint.access.reads);
        if let Some(finer) = &footprint.finer {
            all.extend(finer.existence.iter().map(|pid| self.maker.existence(pid)));
        }
        all
    }

    /// What an edge looks at and changes. `tells_ends`: it is looked at by itself, at the beginning of a step.
    fn touched(&self, member: usize, id: EdgeId, edge: &Edge, tells_ends: bool) -> Touched {
        let maker = self.maker;
        let mut touched = Touched { may_fail: self.may_fail(member, edge), ..Touched::default() };
        let mut own = self.footprint(member, tells_ends);
        read_enabling(&mut own, edge);
        let enabling = self.reads(&own);
        touched.reads.extend(enabling.iter().copied());
        touched.enabling.extend(enabling);
        write_edge(&mut own, edge);
        touched.reads.extend(self.reads(&own));
        touched.writes.extend(maker.resources(&own.access.may_write));
        touched.reads_everything |= own.access.reads_everything;
        if let Some(Ends { sent_to, received_from, looked_into }) = own.finer.and_then(|finer| finer.ends) {
            touched.writes.extend(sent_to.iter().map(|length| maker.tail(length)));
            touched.writes.extend(received_from.iter().map(|length| maker.head(length)));
            touched.reads.extend(looked_into.iter().map(|length| maker.head(length)));
            for length in sent_to.iter().chain(received_from.iter()).chain(looked_into.iter()) {
                touched.enabling.extend([maker.tail(length), maker.head(length)]);
            }
        }
        // Whether those before it in the list can be taken.
        let mut before = self.footprint(member, false);
        let siblings = &maker.network.location(edge.from).edges;
        for sibling in siblings.iter().take_while(|s| **s != id).map(|s| maker.network.edge(*s)) {
            // Where only one may be possible, it is a failure if an earlier one is, too.
            let deterministic = maker.network.template(self.members[member].instance.template).deterministic;
            let escapes = sibling.escape > 0 && sibling.escape != edge.escape;
            if looks_back(&maker.network, edge) || escapes || deterministic {
                read_enabling(&mut before, sibling);
                read_partners(&mut before, sibling);
            }
        }
        let looked_at = self.reads(&before);
        touched.reads.extend(looked_at.iter().copied());
        touched.enabling.extend(looked_at);
        touched.reads_everything |= before.access.reads_everything;
        // Who comes and who goes.
        let instance = self.members[member].instance;
        for action in actions_of(&maker.network, edge) {
            match action {
                Action::Run { .. } => {
                    let created = maker.created_by(instance, id).into_iter().map(|i| maker.existence(i.pid));
                    touched.writes.extend(created);
                }
                Action::End => {
                    touched.writes.insert(maker.existence(instance.pid));
                }
                _ => {}
            }
        }
        // The own location has a rule of its own.
        touched.enabling.remove(&maker.location(instance.pid));
        touched
    }

    /// The same for an edge inside of an atomic sequence.
    fn inner(&mut self, member: usize, id: EdgeId) -> Touched {
        if let Some(known) = self.accesses.get(&(member, id)) {
            return known.clone();
        }
        let touched = self.touched(member, id, self.maker.network.edge(id), false);
        self.accesses.insert((member, id), touched.clone());
        touched
    }

    /// The edges that may follow an edge before control is given up, of whomever.
    fn sequence(&self, member: usize, first: &Edge) -> HashSet<(usize, EdgeId)> {
        let network = &self.maker.network;
        let mut found = HashSet::new();
        let mut open: Vec<(usize, LocationId)> = Vec::new();
        if first.keeps_control {
            open.extend(first.destinations.iter().map(|d| (member, d.to)));
        }
        let mut been: HashSet<(usize, LocationId)> = open.iter().copied().collect();
        while let Some((member, location)) = open.pop() {
            for id in &network.location(location).edges {
                let edge = network.edge(*id);
                if !found.insert((member, *id)) {
                    continue;
                }
                let mut next = Vec::new();
                if edge.keeps_control {
                    next.extend(edge.destinations.iter().map(|d| (member, d.to)));
                }
                let (offers, _) = self.meetings(member, edge);
                for (partner, id) in self.partners(member, &offers) {
                    found.insert((partner, id));
                    let edge = network.edge(id);
                    if edge.keeps_control {
                        next.extend(edge.destinations.iter().map(|d| (partner, d.to)));
                    }
                }
                for place in next {
                    if been.insert(place) {
                        open.push(place);
                    }
                }
            }
        }
        found
    }

    /// The edges of others that can receive over these rendezvous channels.
    fn partners(&self, member: usize, channels: &[i32]) -> Vec<(usize, EdgeId)> {
        if channels.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (other, Member { instance, .. }) in self.members.iter().enumerate() {
            if instance.pid == self.members[member].instance.pid {
                continue;
            }
            for (id, edge) in edges_of(&self.maker.network, instance.template) {
                if self.meetings(other, edge).1.iter().any(|channel| channels.contains(channel)) {
                    found.push((other, id));
                }
            }
        }
        found
    }

    /// The rendezvous channels over which an edge can send, and over which it can receive.
    fn meetings(&self, member: usize, edge: &Edge) -> (Vec<i32>, Vec<i32>) {
        let network = &self.maker.network;
        let (mut offers, mut accepts) = (Vec::new(), Vec::new());
        if !network.uses.rendezvous {
            return (offers, accepts);
        }
        let footprint = self.footprint(member, false);
        let meeting = |channel: &Expr| -> Vec<i32> {
            footprint.channel_numbers(channel).into_iter().filter(|number| self.may_meet(*number)).collect()
        };
        let entry = edge.program.and_then(|id| network.program(id).nodes.first());
        let inside = entry.into_iter().flat_map(|node| &node.alternatives).map(|alternative| &alternative.sync);
        for sync in inside.chain([&edge.sync]) {
            match sync {
                Sync::Send { channel, .. } => offers.extend(meeting(channel)),
                Sync::Receive { channel, .. } => accepts.extend(meeting(channel)),
                _ => {}
            }
        }
        (offers, accepts)
    }

    /// Can this channel be one without a buffer?
    fn may_meet(&self, number: i32) -> bool {
        let network = &self.maker.network;
        let origins = crate::analysis::channel_flow::origins_of(network, number);
        origins.into_iter().any(|origin| crate::analysis::ranges::channel_of(network, origin).capacity == 0)
    }

    fn compared(&self, member: usize, edge: &Edge) -> Vec<Resource> {
        let Sync::Receive { patterns, .. } = &edge.sync else { return Vec::new() };
        let mut footprint = self.footprint(member, false);
        for pattern in patterns {
            if let Pattern::Match(value) = pattern {
                footprint.read(value);
            }
        }
        self.reads(&footprint)
    }

    /// What is known of the fields of the message that an edge sends over a queue that is known, or waits for there.
    fn message(&self, member: usize, edge: &Edge) -> Vec<Option<i32>> {
        let Some(Queue::Send { channel } | Queue::Receive { channel, .. }) = self.queue(member, edge) else {
            return Vec::new();
        };
        let network = &self.maker.network;
        let Some(ChannelHome::Global(index)) = network.frames.channel_home(channel) else { return Vec::new() };
        let known = |e: &Expr| fold(e, &self.members[member].known).as_const();
        match &edge.sync {
            Sync::Send { fields, .. } => {
                let types = &network.channels[index as usize].fields;
                fields.iter().zip(types).map(|(field, ty)| known(field).and_then(|value| ty.convert(value))).collect()
            }
            Sync::Receive { patterns, .. } => {
                let fields = patterns.iter().map(|pattern| match pattern {
                    Pattern::Match(value) => known(value),
                    Pattern::Any | Pattern::Bind(_) => None,
                });
                fields.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The queue that an edge waits for, if there is only one.
    fn queue(&self, member: usize, edge: &Edge) -> Option<Queue> {
        if edge.program.is_some() || self.maker.network.uses.lossy_sends {
            return None;
        }
        let known = &self.members[member].known;
        match &edge.sync {
            Sync::Send { channel, .. } => fold(channel, known).as_const().map(|channel| Queue::Send { channel }),
            Sync::Receive { channel, anywhere, .. } => {
                let anywhere = *anywhere;
                fold(channel, known).as_const().map(|channel| Queue::Receive { channel, anywhere })
            }
            _ => None,
        }
    }
}

/// Takes a condition apart where all parts must be true.
fn split(condition: &Expr, into: &mut Vec<Expr>) {
    match condition {
        Expr::Binary(BinaryOp::And, a, b) => {
            split(a, into);
            // Where the left side is false, the right side need not have a value: it is looked at only if it always has.
            if b.can_fail() { into.push(condition.clone()) } else { split(b, into) }
        }
        other => into.push(other.clone()),
    }
}
