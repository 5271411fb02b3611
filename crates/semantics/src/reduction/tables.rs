//! What a reduction knows of a situation: groups, where they stand, which depend on which.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use bughound_ir::analysis::groups::{Group, GroupId, GroupMaker, Groups, Queue, Resource, Situation};
use bughound_ir::edge::EdgeId;
use bughound_ir::network::{LocationId, Network, TemplateId};
use fixedbitset::FixedBitSet;

use super::visible::Visible;
use crate::code::{self, Code};
use crate::machine::Machine;

/// Templates with more locations than that are not looked into: every location leads to every other one.
const MOST_LOCATIONS: usize = 4_000;

/// Templates with more locations than that are not asked for what every path passes.
const MOST_WITH_PASSES: usize = 400;

/// From which locations of a template which others can be reached, and what every path between them passes.
pub(super) struct Reach {
    first: u32,
    /// By place of a location in its template; every location leads to itself.
    reached: Option<Vec<FixedBitSet>>,
    /// By place: the edges that leave it, and where they lead.
    edges: Vec<Vec<(EdgeId, Vec<usize>)>>,
    /// By place of the end of the path, worked out when it is asked for: by that of its beginning.
    passed: Vec<OnceLock<Vec<Vec<EdgeId>>>>,
}

impl Reach {
    pub fn new(network: &Network, template: TemplateId) -> Reach {
        let locations = &network.template(template).locations;
        let first = locations.iter().map(|l| l.0).min().unwrap_or(0);
        let last = locations.iter().map(|l| l.0).max().unwrap_or(0);
        let size = (last - first) as usize + 1;
        if size > MOST_LOCATIONS || locations.is_empty() {
            return Reach { first, reached: None, edges: Vec::new(), passed: Vec::new() };
        }
        let place = |location: LocationId| (location.0 - first) as usize;
        let mut edges = vec![Vec::new(); size];
        for location in locations {
            for id in &network.location(*location).edges {
                let to: Vec<usize> = network.edge(*id).destinations.iter().map(|d| place(d.to)).collect();
                edges[place(*location)].push((*id, to));
            }
        }
        let mut reached = Vec::with_capacity(size);
        let mut open = Vec::new();
        for start in 0..size {
            let mut seen = FixedBitSet::with_capacity(size);
            seen.insert(start);
            open.push(start);
            while let Some(at) = open.pop() {
                for to in edges[at].iter().flat_map(|(_, to)| to) {
                    if !seen.put(*to) {
                        open.push(*to);
                    }
                }
            }
            reached.push(seen);
        }
        let passed = if size <= MOST_WITH_PASSES { (0..size).map(|_| OnceLock::new()).collect() } else { Vec::new() };
        Reach { first, reached: Some(reached), edges, passed }
    }

    /// The edges that every path from one location to another passes.
    pub fn passed(&self, from: LocationId, to: LocationId) -> &[EdgeId] {
        let place = |location: LocationId| (location.0 - self.first) as usize;
        let Some(known) = self.passed.get(place(to)) else { return &[] };
        &known.get_or_init(|| self.all_passed(place(to)))[place(from)]
    }

    /// The greatest solution of: on the way to `to`, a location passes what all edges that lead there have in common,
    /// themselves included.
    fn all_passed(&self, to: usize) -> Vec<Vec<EdgeId>> {
        let leads = |from: usize| self.reached.as_ref().is_none_or(|reached| reached[from].contains(to));
        // `None`: everything, until something is known.
        let mut passed: Vec<Option<BTreeSet<EdgeId>>> = vec![None; self.edges.len()];
        passed[to] = Some(BTreeSet::new());
        loop {
            let mut changed = false;
            for at in (0..self.edges.len()).rev().filter(|at| *at != to && leads(*at)) {
                let mut common: Option<BTreeSet<EdgeId>> = None;
                let ways = self.edges[at].iter().flat_map(|(id, ends)| ends.iter().map(move |end| (*id, *end)));
                for (id, end) in ways.filter(|(_, end)| leads(*end)) {
                    let Some(mut further) = passed[end].clone() else { continue };
                    further.insert(id);
                    common = Some(match common {
                        None => further,
                        Some(common) => &common & &further,
                    });
                }
                changed |= common.is_some() && common != passed[at];
                if common.is_some() {
                    passed[at] = common;
                }
            }
            if !changed {
                return passed.into_iter().map(|set| set.into_iter().flatten().collect()).collect();
            }
        }
    }

    /// Can a process get from one location to another, or is it there?
    pub fn leads(&self, from: LocationId, to: LocationId) -> bool {
        match &self.reached {
            None => true,
            Some(reached) => reached[(from.0 - self.first) as usize].contains((to.0 - self.first) as usize),
        }
    }
}

/// A part of a guard, and who can change its value.
pub(super) struct Condition {
    pub code: Code,
    pub changed_by: Vec<GroupId>,
}

/// What a group waits for at a queue.
pub(super) struct Wait {
    pub queue: Queue,
    pub channel: i32,
    /// Who sends to it, and who takes from it, or who changes what the message is compared with.
    pub filled_by: Vec<GroupId>,
    pub emptied_by: Vec<GroupId>,
}

/// Everything about the groups of a situation that does not depend on the state.
pub(super) struct Tables {
    pub groups: Groups,
    /// By process number, of those that exist: groups by location.
    at: Vec<Vec<(LocationId, Vec<GroupId>)>>,
    pub conditions: Vec<Vec<Condition>>,
    pub waits: Vec<Option<Wait>>,
    /// Who can change whether a group can be taken.
    enablers: Vec<OnceLock<Vec<GroupId>>>,
    dependents: Vec<OnceLock<FixedBitSet>>,
    /// Changes what the conditions look at.
    pub is_visible: FixedBitSet,
}

impl Tables {
    pub fn new(machine: &Machine, maker: &GroupMaker, situation: &Situation, visible: &Visible) -> Tables {
        let groups = maker.groups(situation);
        let mut at: Vec<Vec<(LocationId, Vec<GroupId>)>> = vec![Vec::new(); situation.processes.len()];
        let mut is_visible = FixedBitSet::with_capacity(groups.all.len());
        for (id, group) in groups.all.iter().enumerate() {
            is_visible.set(id, visible.sees(&machine.network, group));
            let Some(pid) = group.pid else { continue };
            let places = &mut at[pid as usize];
            match places.iter_mut().find(|(location, _)| *location == group.from) {
                Some((_, here)) => here.push(id as GroupId),
                None => places.push((group.from, vec![id as GroupId])),
            }
        }
        at.iter_mut().for_each(|places| places.sort_unstable_by_key(|(location, _)| *location));
        let writers = |reads: &[Resource]| collect(reads.iter().flat_map(|r| groups.writers(*r).iter().copied()));
        let conditions = groups.all.iter().map(|group| {
            let conjuncts = group.conjuncts.iter();
            conjuncts.map(|c| Condition { code: code::expr(&c.condition), changed_by: writers(&c.reads) }).collect()
        });
        let conditions = conditions.collect();
        let waits = groups.all.iter().map(|group| {
            let queue = group.queue?;
            let (Queue::Send { channel } | Queue::Receive { channel, .. }) = queue;
            // A queue of a process may be that of another template later on: only those that stay are waited for.
            let home = machine.network.frames.channel_home(channel)?;
            let bughound_ir::frames::ChannelHome::Global(index) = home else { return None };
            let decl = &machine.network.channels[index as usize];
            if decl.capacity == 0 {
                return None;
            }
            let (tail, head) = maker.ends(decl.slot);
            let with = |end| writers(&[&group.compared[..], &[end]].concat());
            Some(Wait { queue, channel, filled_by: with(tail), emptied_by: with(head) })
        });
        let waits = waits.collect();
        let count = groups.all.len();
        Tables {
            at,
            conditions,
            waits,
            enablers: (0..count).map(|_| OnceLock::new()).collect(),
            dependents: (0..count).map(|_| OnceLock::new()).collect(),
            is_visible,
            groups,
        }
    }

    /// Bytes, if everything that is worked out when it is needed will be.
    pub fn memory(&self) -> u64 {
        let count = self.groups.all.len();
        let lists = |g: &Group| g.reads.len() + g.writes.len() + g.enabling.len() + g.compared.len() + g.targets.len();
        // Resources are listed by group, and groups by resource.
        let listed: usize = self.groups.all.iter().map(lists).sum::<usize>() * 2 * size_of::<GroupId>();
        let conditions: usize =
            self.conditions.iter().flatten().map(|c| c.changed_by.len() * size_of::<GroupId>()).sum();
        (count * (size_of::<Group>() + count / 8) + listed + conditions) as u64
    }

    /// The groups of a process at a location.
    pub fn at(&self, pid: usize, location: LocationId) -> &[GroupId] {
        let places = &self.at[pid];
        places.binary_search_by_key(&location, |(l, _)| *l).map_or(&[], |at| &places[at].1)
    }

    /// The group of an edge of a process that exists, among those at its location.
    pub fn group(&self, pid: usize, location: LocationId, edge: u32) -> Option<GroupId> {
        self.at(pid, location).iter().copied().find(|g| self.groups.all[*g as usize].edge.0 == edge)
    }

    pub fn dependents(&self, of: GroupId) -> &FixedBitSet {
        self.dependents[of as usize].get_or_init(|| {
            let mut set = FixedBitSet::with_capacity(self.groups.all.len());
            self.groups.dependents(of).for_each(|other| set.insert(other as usize));
            set
        })
    }

    /// Who can change whether a group can be taken, partners in a rendezvous included.
    pub fn enablers(&self, of: GroupId) -> &[GroupId] {
        self.enablers[of as usize].get_or_init(|| {
            let group = &self.groups.all[of as usize];
            let changing = group.enabling.iter().flat_map(|r| self.groups.writers(*r).iter().copied());
            let receivers = group.offers.iter().flat_map(|c| self.groups.accepting(*c).iter().copied());
            let senders = group.accepts.iter().flat_map(|c| self.groups.offering(*c).iter().copied());
            collect(changing.chain(receivers).chain(senders).filter(|other| *other != of))
        })
    }
}

fn collect(groups: impl Iterator<Item = GroupId>) -> Vec<GroupId> {
    let mut all: Vec<GroupId> = groups.collect();
    all.sort_unstable();
    all.dedup();
    all
}
