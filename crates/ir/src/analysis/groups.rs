//! Transition groups: what can happen in a network, one edge of one process at a time, and which of it commutes.
//!
//! A group is an edge of a process, with everything that the atomic sequence it begins may do before it gives up control. A
//! rendezvous has a group for each of its halves. Groups touch *resources*: slots, and what is finer than slots: the two
//! ends of a queue (a plain send and a plain receive of one queue commute where both are possible) and whether a process
//! exists (which does not change when it moves). Two groups of different processes are *dependent* if one writes a
//! resource that the other reads or writes.
//!
//! What a process never assigns (most parameters) is known once it exists: which forks are a philosopher's, which
//! channel leads to the next one in a ring. So groups are made for a [`Situation`]: who exists, with which such values.
//! Processes that are still to be created have groups, too: one for each edge of their template, which stands for all of
//! them. Of these, what lies in the frame of the new process itself does not count: whoever else touches it asks whether
//! the process exists, and so depends on those who create it, without whom the new process does nothing.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use bughound_kernel::SlotSet;

use crate::analysis::access::{Facts, looks_back, read_enabling, read_partners, write_edge};
use crate::analysis::constants::{Environment, fold};
use crate::analysis::footprint::{Ends, Footprint};
use crate::analysis::{Instance, actions_of, edges_of, instances};
use crate::edge::{Action, Condition, Edge, EdgeId, Sync};
use crate::expr::{BinaryOp, Expr, Pattern};
use crate::frames::{ChannelHome, LOCATION, PROCESS_COUNT};
use crate::network::{LocationId, Network, TemplateId};

/// Index of a [`Group`].
pub type GroupId = u32;

/// Something that groups read and write.
pub type Resource = u32;

/// Who exists, and what is known of them for as long as they exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Situation {
    /// By process number, for those that exist.
    pub processes: Vec<Known>,
    /// The templates of which processes may still be created.
    pub to_come: Vec<TemplateId>,
}

/// What is known of a process that exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Known {
    pub template: TemplateId,
    /// The values that it never assigns, in the order of [`GroupMaker::frozen`].
    pub values: Vec<i32>,
}

/// A part of a guard: all parts must be true.
#[derive(Clone, Debug)]
pub struct Conjunct {
    pub condition: Expr,
    pub reads: Vec<Resource>,
}

/// A plain communication over one queue that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Blocks while the channel with this number is full.
    Send { channel: i32 },
    /// Blocks while the oldest message does not fit, or, `anywhere`, none does.
    Receive { channel: i32, anywhere: bool },
}

/// An edge of a process.
#[derive(Clone, Debug)]
pub struct Group {
    pub template: TemplateId,
    /// Whose edge it is; `None`: of a process that does not exist yet.
    pub pid: Option<u32>,
    pub edge: EdgeId,
    pub from: LocationId,
    /// What it and the atomic sequence that it begins look at.
    pub reads: Vec<Resource>,
    pub writes: Vec<Resource>,
    /// What decides whether the edge can be taken, partners in a rendezvous and the own location apart.
    pub enabling: Vec<Resource>,
    pub conjuncts: Vec<Conjunct>,
    pub queue: Option<Queue>,
    /// What the message it waits for is compared with.
    pub compared: Vec<Resource>,
    /// Rendezvous channels over which it can send, and over which it can receive.
    pub offers: Vec<i32>,
    pub accepts: Vec<i32>,
    /// Only the youngest process can take it.
    pub is_end: bool,
    /// The templates of which it creates processes, or the sequence that it begins.
    pub creates: Vec<TemplateId>,
    /// The whole state decides: no resource says what it reads.
    pub reads_everything: bool,
    /// The locations to which it can lead its process.
    pub targets: Vec<LocationId>,
}

/// All groups of a situation.
#[derive(Clone, Debug, Default)]
pub struct Groups {
    pub all: Vec<Group>,
    /// By resource.
    readers: HashMap<Resource, Vec<GroupId>>,
    writers: HashMap<Resource, Vec<GroupId>>,
    /// By number of a rendezvous channel.
    offering: HashMap<i32, Vec<GroupId>>,
    accepting: HashMap<i32, Vec<GroupId>>,
    creating: HashMap<TemplateId, Vec<GroupId>>,
}

impl Groups {
    pub fn writers(&self, resource: Resource) -> &[GroupId] {
        self.writers.get(&resource).map_or(&[], |groups| groups)
    }

    fn readers(&self, resource: Resource) -> &[GroupId] {
        self.readers.get(&resource).map_or(&[], |groups| groups)
    }

    pub fn offering(&self, channel: i32) -> &[GroupId] {
        self.offering.get(&channel).map_or(&[], |groups| groups)
    }

    pub fn accepting(&self, channel: i32) -> &[GroupId] {
        self.accepting.get(&channel).map_or(&[], |groups| groups)
    }

    /// The groups of other processes that do not commute with this one. Some come several times.
    pub fn dependents(&self, of: GroupId) -> impl Iterator<Item = GroupId> + '_ {
        let group = &self.all[of as usize];
        let by_writes = group.writes.iter().flat_map(|r| self.readers(*r).iter().chain(self.writers(*r)));
        let by_reads = group.reads.iter().flat_map(|r| self.writers(*r));
        let pid = group.pid;
        by_writes.chain(by_reads).copied().filter(move |other| pid.is_none() || self.all[*other as usize].pid != pid)
    }

    /// Who can create a process of this template.
    pub fn creators(&self, template: TemplateId) -> &[GroupId] {
        self.creating.get(&template).map_or(&[], |groups| groups)
    }
}

/// Makes groups.
pub struct GroupMaker {
    network: Arc<Network>,
    facts: Parts,
    slots: u32,
    /// By slot: the lengths of the channels that it may belong to.
    channels_at: Vec<Vec<u32>>,
    /// By template: the groups of processes to come, once they were asked for.
    future: Vec<OnceLock<Vec<Group>>>,
}

struct Parts {
    constants: Arc<crate::analysis::constants::Constants>,
    flow: Arc<crate::analysis::channel_flow::ChannelFlow>,
    creation: Arc<crate::analysis::creation::Creation>,
}

impl GroupMaker {
    pub fn new(network: Arc<Network>) -> GroupMaker {
        let facts = Facts::new(&network);
        let parts = Parts { constants: facts.constants, flow: facts.flow, creation: facts.creation };
        let slots = network.frames.layout.slots.len() as u32;
        let channels_at = channels_at(&network, slots as usize);
        let future = network.templates.iter().map(|_| OnceLock::new()).collect();
        GroupMaker { facts: parts, slots, channels_at, future, network }
    }

    /// Slots of the frame of a process that keep their value for as long as it exists.
    pub fn frozen(&self, template: TemplateId) -> &[u32] {
        self.facts.constants.frozen(template)
    }

    /// The instances that an edge can create.
    fn created_by(&self, instance: Instance, edge: EdgeId) -> Vec<Instance> {
        let edge = self.network.edge(edge);
        let mut created = BTreeSet::new();
        for (at, action) in actions_of(&self.network, edge).enumerate() {
            let Action::Run { template, .. } = action else { continue };
            // The number of processes started before is at most that of the actions before.
            let first = *self.facts.creation.numbers(instance, edge, 0).start();
            let last = *self.facts.creation.numbers_in_program(instance, edge).end();
            let last = match edge.program {
                None => last.min(self.facts.creation.numbers(instance, edge, at).end().to_owned()),
                Some(_) => last,
            };
            for pid in first..=last {
                let frame = self.network.frames.processes.get(pid);
                if frame.is_some_and(|frame| frame.templates.contains(template)) {
                    created.insert(Instance { pid: pid as u32, template: *template });
                }
            }
        }
        created.into_iter().collect()
    }

    /// The resources that an expression of a property reads; `None` if only the whole state tells.
    pub fn read_by(&self, property: &Expr) -> Option<Vec<Resource>> {
        let facts = self.facts();
        let mut footprint = Footprint::outside(&facts);
        footprint.read(property);
        (!footprint.access.reads_everything).then(|| self.resources(&footprint.access.reads))
    }

    fn facts(&self) -> Facts<'_> {
        let Parts { constants, flow, creation } = &self.facts;
        Facts { network: &self.network, constants: constants.clone(), flow: flow.clone(), creation: creation.clone() }
    }

    /// The end of a queue at which messages arrive, by the slot of its length.
    fn tail(&self, length: u32) -> Resource {
        self.slots + 2 * length
    }

    /// The end at which they are taken.
    fn head(&self, length: u32) -> Resource {
        self.slots + 2 * length + 1
    }

    fn existence(&self, pid: u32) -> Resource {
        3 * self.slots + pid
    }

    /// Slots as resources: who touches a cell of a queue touches both of its ends.
    fn resources(&self, slots: &SlotSet) -> Vec<Resource> {
        let mut all = Vec::new();
        for slot in slots.iter() {
            all.push(slot);
            for length in &self.channels_at[slot as usize] {
                all.extend([self.tail(*length), self.head(*length)]);
            }
        }
        all
    }

    /// The resource that a location of a process is.
    fn location(&self, pid: u32) -> Resource {
        self.network.frames.processes[pid as usize].base + LOCATION
    }

    /// Who sends to a queue changes this, and who receives from it that.
    pub fn ends(&self, length: u32) -> (Resource, Resource) {
        (self.tail(length), self.head(length))
    }

    /// The groups of a situation.
    pub fn groups(&self, situation: &Situation) -> Groups {
        let facts = self.facts();
        let mut work = Work { maker: self, facts: &facts, members: Vec::new(), accesses: HashMap::new() };
        for (pid, known) in situation.processes.iter().enumerate() {
            let instance = Instance { pid: pid as u32, template: known.template };
            let mut environment = facts.constants.of(instance);
            let frozen = facts.constants.frozen(known.template).iter().copied();
            environment.locals.extend(frozen.zip(known.values.iter().copied()));
            work.members.push(Member { instance, to_come: false, known: environment });
        }
        let existing = work.members.len();
        // They are partners in atomic sequences, too.
        for template in &situation.to_come {
            work.members.extend(self.members_to_come(&facts, *template));
        }
        let mut groups = Groups::default();
        for member in 0..existing {
            for (id, edge) in edges_of(&self.network, work.members[member].instance.template) {
                if let Some(group) = work.group(member, id, edge) {
                    groups.add(group);
                }
            }
        }
        for template in &situation.to_come {
            for group in self.future[template.0 as usize].get_or_init(|| self.to_come(&facts, *template)) {
                groups.add(group.clone());
            }
        }
        groups
    }

    fn members_to_come(&self, facts: &Facts<'_>, template: TemplateId) -> Vec<Member> {
        let all = instances(&self.network).into_iter().filter(|instance| instance.template == template);
        all.map(|instance| Member { instance, to_come: true, known: facts.constants.of(instance) }).collect()
    }

    /// The groups of processes of this template that are to come: what any of them may do, but for what lies in its own
    /// frame.
    fn to_come(&self, facts: &Facts<'_>, template: TemplateId) -> Vec<Group> {
        let mut work = Work { maker: self, facts, members: Vec::new(), accesses: HashMap::new() };
        // Partners in atomic sequences can be any.
        let all = instances(&self.network).into_iter();
        work.members.extend(all.map(|instance| Member {
            instance,
            to_come: true,
            known: facts.constants.of(instance),
        }));
        let mut groups: Vec<Group> = Vec::new();
        for member in (0..work.members.len()).collect::<Vec<_>>() {
            let instance = work.members[member].instance;
            if instance.template != template {
                continue;
            }
            let frame = &self.network.frames.processes[instance.pid as usize];
            let (first, last) = (frame.base, frame.base + frame.len);
            let is_own = |resource: &Resource| {
                let slot = match *resource {
                    slot if slot < self.slots => slot,
                    end if end < 3 * self.slots => (end - self.slots) / 2,
                    _ => return false,
                };
                (first..last).contains(&slot)
            };
            let is_own_channel = |number: &i32| matches!(self.network.frames.channel_home(*number), Some(ChannelHome::Process { pid, .. }) if pid == instance.pid);
            for (id, edge) in edges_of(&self.network, template) {
                let Some(mut group) = work.group(member, id, edge) else { continue };
                for touched in [&mut group.reads, &mut group.writes, &mut group.enabling] {
                    touched.retain(|resource| !is_own(resource));
                }
                for channels in [&mut group.offers, &mut group.accepts] {
                    channels.retain(|channel| !is_own_channel(channel));
                }
                match groups.iter_mut().find(|known| known.edge == id) {
                    None => groups.push(Group { pid: None, conjuncts: Vec::new(), queue: None, ..group }),
                    Some(known) => known.join(group),
                }
            }
        }
        groups
    }
}

impl Group {
    /// Adds what another one does, which it shall stand for as well.
    fn join(&mut self, other: Group) {
        fn merge<T: Ord>(into: &mut Vec<T>, more: Vec<T>) {
            into.extend(more);
            into.sort_unstable();
            into.dedup();
        }
        merge(&mut self.reads, other.reads);
        merge(&mut self.writes, other.writes);
        merge(&mut self.enabling, other.enabling);
        merge(&mut self.offers, other.offers);
        merge(&mut self.accepts, other.accepts);
        merge(&mut self.creates, other.creates);
        self.reads_everything |= other.reads_everything;
    }
}

impl Groups {
    fn add(&mut self, group: Group) {
        let id = self.all.len() as GroupId;
        group.reads.iter().for_each(|r| self.readers.entry(*r).or_default().push(id));
        group.writes.iter().for_each(|r| self.writers.entry(*r).or_default().push(id));
        group.offers.iter().for_each(|c| self.offering.entry(*c).or_default().push(id));
        group.accepts.iter().for_each(|c| self.accepting.entry(*c).or_default().push(id));
        group.creates.iter().for_each(|t| self.creating.entry(*t).or_default().push(id));
        self.all.push(group);
    }
}

/// By slot: the lengths of the channels that it may belong to.
fn channels_at(network: &Network, slots: usize) -> Vec<Vec<u32>> {
    let mut at = vec![Vec::new(); slots];
    let mut add = |base: u32, channels: &[crate::types::Channel]| {
        for channel in channels.iter().filter(|channel| channel.capacity > 0) {
            let length = base + channel.slot;
            for slot in length..length + channel.slots() {
                at[slot as usize].push(length);
            }
        }
    };
    add(0, &network.channels);
    for frame in &network.frames.processes {
        for template in &frame.templates {
            add(frame.base, &network.template(*template).channels);
        }
    }
    for lengths in &mut at {
        lengths.sort_unstable();
        lengths.dedup();
    }
    at
}

/// A process that exists, or one that may come to exist.
struct Member {
    instance: Instance,
    to_come: bool,
    known: Environment,
}

/// What an edge reads and writes by itself.
#[derive(Clone, Default)]
struct Touched {
    reads: BTreeSet<Resource>,
    writes: BTreeSet<Resource>,
    enabling: BTreeSet<Resource>,
    reads_everything: bool,
}

struct Work<'m> {
    maker: &'m GroupMaker,
    facts: &'m Facts<'m>,
    members: Vec<Member>,
    /// Of edges inside atomic sequences.
    accesses: HashMap<(usize, EdgeId), Touched>,
}

impl Work<'_> {
    /// The group of an edge; `None` if its guard can never be true.
    fn group(&mut self, member: usize, id: EdgeId, edge: &Edge) -> Option<Group> {
        let Member { instance, to_come, ref known } = self.members[member];
        let network: &Network = &self.maker.network;
        let provided = network.template(instance.template).provided.iter();
        let mut conjuncts = Vec::new();
        for guard in edge.guards.iter().chain(provided) {
            split(&fold(guard, known), &mut conjuncts);
        }
        let can_fail = edge.guards.iter().chain(&network.template(instance.template).provided).any(Expr::can_fail);
        if !can_fail && conjuncts.iter().any(|c| c.as_const() == Some(0)) {
            return None;
        }
        conjuncts.retain(|c| c.as_const().is_none());
        let conjuncts =
            conjuncts.into_iter().map(|condition| Conjunct { reads: self.read_by(member, &condition), condition });
        let conjuncts = conjuncts.collect();
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
        }
        let (offers, accepts) = self.meetings(member, edge);
        let creates = creates.into_iter().collect();
        Some(Group {
            template: instance.template,
            pid: (!to_come).then_some(instance.pid),
            edge: id,
            from: edge.from,
            conjuncts,
            queue: self.queue(member, edge),
            compared: self.compared(member, edge),
            offers,
            accepts,
            is_end: edge.condition == Condition::Youngest,
            creates,
            reads: touched.reads.into_iter().collect(),
            writes: touched.writes.into_iter().collect(),
            enabling: touched.enabling.into_iter().collect(),
            reads_everything: touched.reads_everything,
            targets: edge.destinations.iter().map(|d| d.to).collect(),
        })
    }

    fn footprint(&self, member: usize, tells_ends: bool) -> Footprint<'_> {
        let Member { instance, known, .. } = &self.members[member];
        Footprint::finer(self.facts, *instance, known.clone(), tells_ends)
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
        let mut touched = Touched::default();
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

/// The slot that counts the processes, as a resource.
pub const PROCESSES: Resource = PROCESS_COUNT as Resource;
