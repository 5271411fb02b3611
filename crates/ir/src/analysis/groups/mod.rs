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

mod addresses;
mod failing;
mod making;

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use bughound_kernel::SlotSet;

use crate::analysis::access::Facts;
use crate::analysis::footprint::Footprint;
use crate::analysis::ranges::Ranges;
use crate::analysis::{Instance, actions_of, edges_of, instances};
use crate::edge::{Action, EdgeId};
use crate::expr::Expr;
use crate::frames::{ChannelHome, LOCATION};
use crate::network::{LocationId, Network, TemplateId};
use addresses::in_addresses;
use making::{Member, Work};

/// Groups that several situations have.
type Shared = Arc<Vec<Group>>;

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

/// A part of a guard: all parts must be true, and those before it always have a value. So before its edge can be taken, or fail,
/// its value must change.
#[derive(Clone, Debug)]
pub struct Conjunct {
    pub condition: Expr,
    pub reads: Vec<Resource>,
}

/// A plain communication over one queue that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Blocks while the channel with this number is full. What is looked at before that always has a value.
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
    /// Of a communication over a queue that is known: what is known of the fields of the message that is sent, or waited for.
    pub message: Vec<Option<i32>>,
    /// What the message it waits for is compared with.
    pub compared: Vec<Resource>,
    /// Rendezvous channels over which it can send, and over which it can receive.
    pub offers: Vec<i32>,
    pub accepts: Vec<i32>,
    /// Only the youngest process can take it.
    pub is_end: bool,
    /// And while its process is not the youngest, it cannot fail either.
    pub waits_to_be_youngest: bool,
    /// The templates of which it creates processes, or the sequence that it begins.
    pub creates: Vec<TemplateId>,
    /// The whole state decides: no resource says what it reads.
    pub reads_everything: bool,
    /// It, or the sequence that it begins, may violate an assertion or have an expression without a value.
    pub may_fail: bool,
    /// It is one move: no atomic sequence begins with it.
    pub is_single: bool,
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
    ranges: Ranges,
    slots: u32,
    /// By slot: the lengths of the channels that it may belong to.
    channels_at: Vec<Vec<u32>>,
    /// By template: see [`frozen`](Self::frozen).
    frozen: Vec<Vec<u32>>,
    /// By template and how many processes exist: the groups of processes to come, once they were asked for.
    future: Mutex<HashMap<(TemplateId, u32), Shared>>,
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
        let future = Mutex::default();
        let templates = (0..network.templates.len()).map(|t| TemplateId(t as u32));
        let frozen = templates.map(|t| in_addresses(&network, t, parts.constants.frozen(t))).collect();
        let ranges = Ranges::new(&network);
        GroupMaker { facts: parts, ranges, slots, channels_at, frozen, future, network }
    }

    /// Slots of the frame of a process that keep their value for as long as it exists, and tell what it touches.
    pub fn frozen(&self, template: TemplateId) -> &[u32] {
        &self.frozen[template.0 as usize]
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
        let count = situation.processes.len() as u32;
        let mut work =
            Work { maker: self, facts: &facts, members: Vec::new(), existing: count, accesses: HashMap::new() };
        for (pid, known) in situation.processes.iter().enumerate() {
            let instance = Instance { pid: pid as u32, template: known.template };
            let mut environment = facts.constants.of(instance);
            let frozen = self.frozen(known.template).iter().copied();
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
            for group in self.future(&facts, *template, count).iter() {
                groups.add(group.clone());
            }
        }
        groups
    }

    fn future(&self, facts: &Facts<'_>, template: TemplateId, existing: u32) -> Shared {
        let mut known = self.future.lock().unwrap_or_else(PoisonError::into_inner);
        let groups = known.entry((template, existing));
        groups.or_insert_with(|| Arc::new(self.to_come(facts, template, existing))).clone()
    }

    fn members_to_come(&self, facts: &Facts<'_>, template: TemplateId) -> Vec<Member> {
        let all = instances(&self.network).into_iter().filter(|instance| instance.template == template);
        all.map(|instance| Member { instance, to_come: true, known: facts.constants.of(instance) }).collect()
    }

    /// The groups of processes of this template that are to come: what any of them may do, but for what lies in its own
    /// frame.
    fn to_come(&self, facts: &Facts<'_>, template: TemplateId, existing: u32) -> Vec<Group> {
        let mut work = Work { maker: self, facts, members: Vec::new(), existing, accesses: HashMap::new() };
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
                    None => groups.push(Group {
                        pid: None,
                        conjuncts: Vec::new(),
                        queue: None,
                        message: Vec::new(),
                        ..group
                    }),
                    Some(known) => known.join(group),
                }
            }
        }
        groups
    }
}

impl Group {
    /// Can the message that it sends be the one that `receiver` waits for, over the same queue?
    pub fn can_satisfy(&self, receiver: &Group) -> bool {
        let (Some(Queue::Send { channel: to }), Some(Queue::Receive { channel: from, .. })) =
            (self.queue, receiver.queue)
        else {
            return true;
        };
        let differ = |(sent, awaited): (&Option<i32>, &Option<i32>)| sent.zip(*awaited).is_some_and(|(a, b)| a != b);
        // What a sequence sends besides is not known.
        to != from || !self.is_single || !self.message.iter().zip(&receiver.message).any(differ)
    }

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
        self.may_fail |= other.may_fail;
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
