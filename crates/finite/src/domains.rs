//! The finite-domain variables of a network and their facts: `variable = value`.
//!
//! Variables are the slots of the key whose values lie in a small interval (among them the locations of processes, the
//! lengths of channels and the number of processes). Slots with large domains have no variable, nor have those that hold
//! messages: for every field of a channel there is a collection instead, with the facts "some message in the channel has
//! this value here". A variable has one value in every state, a collection has many: a term reads a variable, but can only
//! draw from a collection, and whoever draws twice may find two values.

use std::cell::Cell;
use std::collections::HashMap;

use bughound_ir::analysis::Instance;
use bughound_ir::analysis::channel_flow::origins_of;
use bughound_ir::analysis::ranges::{Interval, Ranges, channel_of};
use bughound_ir::frames::{ChannelHome, LOCATION, PRIORITY, PROCESS_COUNT};
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::targets::Targets;
use bughound_ir::types::{Channel, ValueType, Variable as Declaration};

use crate::stuck::{all_blocked, can_tell};
use crate::term::{Symbol, Term, Variable};

/// A fact by its number.
pub type Fact = u32;

/// Larger domains are not followed value by value.
const MOST_VALUES: i64 = 256;

/// With more processes than this, any number can be that of a new one.
const MOST_NUMBERS: usize = 24;

/// The values of a variable: `low` to `low + size - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domain {
    pub low: i32,
    pub size: u32,
    /// The fact that it has the lowest value; those for the others follow.
    pub first: Fact,
    /// Its value where there is no such process.
    pub vacant: i32,
}

impl Domain {
    pub fn values(self) -> impl Iterator<Item = i32> + Clone {
        (0..self.size).map(move |at| self.low + at as i32)
    }

    /// The fact that the variable has this value.
    #[inline]
    pub fn fact(self, value: i32) -> Option<Fact> {
        let at = value.wrapping_sub(self.low) as u32;
        (at < self.size).then(|| self.first + at)
    }

    /// The place of a value that a key holds; nothing is held of a process that does not exist.
    #[inline]
    pub fn place(self, held: Option<i32>) -> Option<u32> {
        let at = held.unwrap_or(self.vacant).wrapping_sub(self.low) as u32;
        (at < self.size).then_some(at)
    }
}

/// Several values at once, such as those of a field in all messages of a channel. Terms cannot read it: they
/// [draw](Domains::draw) from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Collection(u32);

/// A value drawn from a collection. Members of different draws have nothing to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Member {
    collection: Collection,
    draw: u32,
}

impl Member {
    /// The same under another number, which must not be that of a draw from the same collection within one condition.
    pub fn renumbered(self, draw: u32) -> Member {
        Member { draw, ..self }
    }
}

/// Where a channel lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelPlace {
    /// Slot of its length in the key; rendezvous channels have none.
    pub slot: usize,
    pub capacity: u32,
    pub fields: Vec<ValueType>,
    /// The process that it belongs to.
    pub owner: Option<Instance>,
}

#[derive(Default)]
pub struct Domains {
    /// By variable.
    pub domains: Vec<Domain>,
    collections: Vec<Domain>,
    by_slot: Vec<Option<Variable>>,
    by_field: HashMap<(i32, u32), Collection>,
    /// By template: "a process was started", where process numbers are not followed one by one.
    created: HashMap<TemplateId, Collection>,
    /// How often somebody has drawn from a collection.
    draws: Cell<u32>,
    /// The location of the claim.
    pub claim: Option<Variable>,
    /// How many processes are known to be blocked, where deadlocks are looked for: 0 in every state.
    pub stuck: Option<Variable>,
    /// All facts so far.
    pub facts: u32,
}

impl Domains {
    /// Facts begin with number `first`.
    pub fn new(network: &Network, ranges: &Ranges, targets: &Targets, first: Fact) -> Domains {
        let mut domains = Domains { facts: first, ..Domains::default() };
        for values in slot_intervals(network, ranges) {
            let variable = values.map(|values| domains.add(values));
            domains.by_slot.push(variable);
        }
        for frame in &network.frames.processes {
            if let Some(variable) = domains.of_slot((frame.base + LOCATION) as usize) {
                domains.domains[variable as usize].vacant = absent(network, &frame.templates);
            }
        }
        for number in 1..network.frames.channels.len() as i32 {
            let origins = origins_of(network, number);
            let fields = origins.iter().map(|o| channel_of(network, *o).fields.len()).max().unwrap_or(0);
            for field in 0..fields as u32 {
                let values = origins.iter().map(|origin| ranges.field(*origin, field));
                let joined = values.fold(Interval::one(0), Interval::join);
                if is_small(joined) {
                    let collection = domains.collect(joined);
                    domains.by_field.insert((number, field), collection);
                }
            }
        }
        if network.frames.processes.len() > MOST_NUMBERS {
            for template in network.frames.processes.iter().flat_map(|frame| &frame.templates) {
                if !domains.created.contains_key(template) {
                    let collection = domains.collect(Interval::TRUTH);
                    domains.created.insert(*template, collection);
                }
            }
        }
        domains.claim = targets.claim.map(|claim| domains.add(locations(network, &[claim])));
        let counter = || Interval::new(0, all_blocked(network).into());
        domains.stuck = (targets.deadlock && can_tell(network)).then(|| domains.add(counter()));
        domains
    }

    fn add(&mut self, values: Interval) -> Variable {
        let domain = self.new_domain(values);
        self.domains.push(domain);
        self.domains.len() as u32 - 1
    }

    fn collect(&mut self, values: Interval) -> Collection {
        let domain = self.new_domain(values);
        self.collections.push(domain);
        Collection(self.collections.len() as u32 - 1)
    }

    fn new_domain(&mut self, values: Interval) -> Domain {
        let size = (values.hi - values.lo + 1) as u32;
        let first = self.facts;
        self.facts += size;
        Domain { low: values.lo as i32, size, first, vacant: 0 }
    }

    pub fn domain(&self, variable: Variable) -> Domain {
        self.domains[variable as usize]
    }

    pub fn members(&self, collection: Collection) -> Domain {
        self.collections[collection.0 as usize]
    }

    /// The values that what a term reads can have.
    pub fn of_symbol(&self, symbol: Symbol) -> Domain {
        match symbol {
            Symbol::Variable(variable) => self.domain(variable),
            Symbol::Member(member) => self.members(member.collection),
        }
    }

    /// One of the values in a collection: another each time.
    pub fn draw(&self, collection: Collection) -> Term {
        let draw = self.draws.get();
        self.draws.set(draw + 1);
        Term::Member(Member { collection, draw })
    }

    pub fn of_slot(&self, slot: usize) -> Option<Variable> {
        self.by_slot.get(slot).copied().flatten()
    }

    /// What a slot stands for where there is no such process.
    pub fn vacant(&self, slot: usize) -> i32 {
        self.of_slot(slot).map_or(0, |variable| self.domain(variable).vacant)
    }

    /// What a `run` makes true if processes are not followed by their numbers.
    pub fn created(&self, template: TemplateId) -> Option<Collection> {
        self.created.get(&template).copied()
    }

    pub fn of_field(&self, channel: i32, field: u32) -> Option<Collection> {
        self.by_field.get(&(channel, field)).copied()
    }
}

fn is_small(values: Interval) -> bool {
    values.hi - values.lo < MOST_VALUES
}

/// What stands for "there is no such process" in the location of a process: the number before its first location.
pub fn absent(network: &Network, templates: &[TemplateId]) -> i32 {
    locations(network, templates).lo as i32
}

/// The locations of processes, and before them the number that stands for none.
pub fn locations(network: &Network, templates: &[TemplateId]) -> Interval {
    let all = || templates.iter().flat_map(|t| &network.template(*t).locations).map(|l| i64::from(l.0));
    Interval::new(all().min().unwrap_or(1) - 1, all().max().unwrap_or(0))
}

/// The values of each slot of the key, joined over all that can lie there.
struct Slots(Vec<Option<Interval>>);

impl Slots {
    fn add(&mut self, slot: usize, values: Interval) {
        let known = &mut self.0[slot];
        *known = Some(known.map_or(values, |known| known.join(values)));
    }

    /// Adds the variables and the lengths of channels of a scope whose slots begin at `base`.
    fn scope(
        &mut self,
        variables: &[Declaration],
        channels: &[Channel],
        base: usize,
        values: &dyn Fn(u32) -> Interval,
    ) {
        for slot in variables.iter().flat_map(|v| v.elements()).map(|(slot, _)| slot) {
            self.add(base + slot as usize, values(slot));
        }
        for channel in channels.iter().filter(|channel| channel.capacity > 0) {
            let length = base + channel.slot as usize;
            self.add(length, Interval::new(0, channel.capacity.into()));
            // Sends and receives move messages about. Where another template has a variable, that is not followed either.
            (length + 1..length + channel.slots() as usize).for_each(|slot| self.add(slot, Interval::ANY));
        }
    }
}

/// By slot of the key: the values to follow, if they are few. Locations are followed however many there are.
fn slot_intervals(network: &Network, ranges: &Ranges) -> Vec<Option<Interval>> {
    let frames = &network.frames;
    let mut slots = Slots(vec![None; frames.key_len(frames.processes.len())]);
    if frames.processes.len() <= MOST_NUMBERS {
        slots.add(PROCESS_COUNT, Interval::new(0, frames.processes.len() as i64));
    }
    slots.scope(&network.variables, &network.channels, 0, &|slot| ranges.slot(slot, None));
    for frame in &frames.processes {
        let base = frame.base as usize;
        for template in &frame.templates {
            let declared = network.template(*template);
            slots.scope(&declared.variables, &declared.channels, base, &|slot| ranges.slot(slot, Some(*template)));
        }
        slots.add(base + PRIORITY as usize, Interval::ANY);
        if frame.templates.len() > 1 {
            // What a smaller template leaves over is 0.
            (base..base + frame.len as usize).for_each(|slot| slots.add(slot, Interval::one(0)));
        }
    }
    let mut slots: Vec<_> = slots.0.into_iter().map(|values| values.filter(|values| is_small(*values))).collect();
    for frame in &frames.processes {
        slots[(frame.base + LOCATION) as usize] = Some(locations(network, &frame.templates));
    }
    slots
}

/// The channels that a number can stand for; several if different templates can occupy a process number.
pub fn channel_places(network: &Network, number: i32) -> Vec<ChannelPlace> {
    let place = |channel: &Channel, base: u32, owner: Option<Instance>| ChannelPlace {
        slot: (base + channel.slot) as usize,
        capacity: channel.capacity,
        fields: channel.fields.clone(),
        owner,
    };
    match network.frames.channel_home(number) {
        None => Vec::new(),
        Some(ChannelHome::Global(index)) => vec![place(&network.channels[index as usize], 0, None)],
        Some(ChannelHome::Process { pid, index }) => {
            let frame = &network.frames.processes[pid as usize];
            let places = frame.templates.iter().filter_map(|template| {
                let channel = network.template(*template).channels.get(index as usize)?;
                Some(place(channel, frame.base, Some(Instance { pid, template: *template })))
            });
            places.collect()
        }
    }
}
