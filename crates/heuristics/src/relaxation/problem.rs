//! The relaxation of a network for the errors that are looked for, and the facts of a state.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use bughound_finite::collect::{Together, collect};
use bughound_finite::domains::{Domain, Domains, Fact, channel_places, locations};
use bughound_finite::view::Model;
use bughound_ir::analysis::Instance;
use bughound_ir::frames::LOCATION;
use bughound_ir::network::Network;

use super::builder::{Builder, Detail};
use super::graph::Graph;
use super::merging::Merged;
use super::rules::Rules;
use crate::context::BuildCx;

pub struct Problem {
    pub rules: Rules,
    /// With rules merged where it pays.
    pub merged: Graph,
    /// Each rule by itself, once it is needed.
    plain: OnceLock<Graph>,
    /// Every state is as good as an error, as far as can be told.
    pub hopeless: bool,
    pub(super) claim: Option<Domain>,
    /// That nobody is known to be blocked, if that matters.
    nobody_stuck: Option<Fact>,
    pub(super) slots: Vec<SlotFacts>,
    pub(super) channels: Vec<ChannelFacts>,
}

/// A slot of the key and its facts.
pub(super) struct SlotFacts {
    pub slot: usize,
    pub domain: Domain,
}

/// A channel in the key and the facts of the messages in it.
pub(super) struct ChannelFacts {
    pub slot: usize,
    /// Where several templates can be: the slot of the location, and the locations of the one with this channel.
    pub owner: Option<(usize, RangeInclusive<i32>)>,
    /// Slots of a message.
    pub width: usize,
    pub fields: Vec<(usize, Domain)>,
}

impl Problem {
    pub fn new(cx: &BuildCx<'_, '_>, detail: Detail) -> Problem {
        let network = cx.system.network();
        let model = Model::new(network, cx.targets, Rules::FIRST);
        let mut builder = Builder::new(&model.domains, detail);
        let mut hopeless = collect(&model, Together::Pairs, cx.watch, &mut builder);
        let rules = builder.finish();
        // An error that needs nothing at all.
        let for_nothing = |rule: &u32| rules.cost(*rule) == 0 && *rules.preconditions.of(*rule) == [Rules::ALWAYS];
        hopeless |= rules.achievers.of(Rules::GOAL).iter().any(for_nothing);
        let matters = |domain: &Domain| (0..domain.size).any(|at| rules.number(domain.first + at).is_some());
        let slots = slots(network, &model.domains, &matters);
        let merged = merged(&rules, &slots);
        Problem {
            hopeless,
            claim: model.domains.claim.map(|claim| model.domains.domain(claim)),
            nobody_stuck: model.domains.stuck.map(|stuck| model.domains.domain(stuck).first),
            slots,
            channels: channels(network, &model.domains, &matters),
            merged,
            plain: OnceLock::new(),
            rules,
        }
    }

    /// For tests.
    #[cfg(test)]
    pub(super) fn of_rules(rules: Rules, slots: Vec<SlotFacts>, channels: Vec<ChannelFacts>) -> Problem {
        let merged = merged(&rules, &slots);
        Problem {
            rules,
            merged,
            plain: OnceLock::new(),
            hopeless: false,
            claim: None,
            nobody_stuck: None,
            slots,
            channels,
        }
    }

    /// Each rule by itself.
    pub fn plain(&self) -> &Graph {
        if self.merged.plain { &self.merged } else { self.plain.get_or_init(|| Graph::plain(&self.rules)) }
    }

    /// What holds in every state: that nobody is known to be blocked, if that matters.
    pub fn nobody_stuck(&self) -> Option<Fact> {
        self.nobody_stuck.and_then(|fact| self.rules.number(fact))
    }

    /// Bytes used, divided by those who use it: their sum is what there is.
    pub fn share(problem: &Arc<Problem>) -> u64 {
        problem.memory() / Arc::strong_count(problem) as u64
    }

    fn memory(&self) -> u64 {
        let channels = self.channels.iter().map(|c| c.fields.len() * size_of::<(usize, Domain)>()).sum::<usize>();
        let graphs = self.merged.memory() + self.plain.get().map_or(0, Graph::memory);
        self.rules.memory() + graphs + (self.slots.len() * size_of::<SlotFacts>() + channels) as u64
    }
}

fn merged(rules: &Rules, slots: &[SlotFacts]) -> Graph {
    let merged = Merged::new(rules, &complete(rules, slots));
    merged.map_or_else(|| Graph::plain(rules), |merged| Graph::merged(rules, &merged))
}

/// All values of each variable, if all of them have to do with the goal. Every state has one of them: others are not estimated.
pub(super) fn complete(rules: &Rules, slots: &[SlotFacts]) -> Vec<Vec<Fact>> {
    let numbers = |place: &SlotFacts| (0..place.domain.size).map(|at| rules.number(place.domain.first + at)).collect();
    slots.iter().filter_map(numbers).collect()
}

fn slots(network: &Network, domains: &Domains, matters: &dyn Fn(&Domain) -> bool) -> Vec<SlotFacts> {
    let frames = &network.frames;
    let all = (0..frames.key_len(frames.processes.len())).filter_map(|slot| Some((slot, domains.of_slot(slot)?)));
    let facts = all.map(|(slot, v)| SlotFacts { slot, domain: domains.domain(v) });
    facts.filter(|facts| matters(&facts.domain)).collect()
}

fn channels(network: &Network, domains: &Domains, matters: &dyn Fn(&Domain) -> bool) -> Vec<ChannelFacts> {
    let mut found = Vec::new();
    for number in 1..network.frames.channels.len() as i32 {
        for place in channel_places(network, number).into_iter().filter(|place| place.capacity > 0) {
            let field = |at: usize| Some((at, domains.members(domains.of_field(number, at as u32)?)));
            let fields: Vec<_> = (0..place.fields.len()).filter_map(field).filter(|(_, d)| matters(d)).collect();
            if !fields.is_empty() {
                let owner = place.owner.and_then(|own| owner(network, own));
                found.push(ChannelFacts { slot: place.slot, owner, width: place.fields.len(), fields });
            }
        }
    }
    found
}

/// Where to look and what to see there if a process is of this template, and could be of another.
fn owner(network: &Network, instance: Instance) -> Option<(usize, RangeInclusive<i32>)> {
    let frame = &network.frames.processes[instance.pid as usize];
    let own = locations(network, &[instance.template]);
    (frame.templates.len() > 1).then(|| ((frame.base + LOCATION) as usize, own.lo as i32 + 1..=own.hi as i32))
}
