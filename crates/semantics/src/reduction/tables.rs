//! What a reduction knows of a situation: groups, where they stand, which depend on which.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use bughound_ir::analysis::groups::{Group, GroupId, GroupMaker, Groups, Queue, Resource, Situation};
use bughound_ir::edge::EdgeId;
use bughound_ir::network::{LocationId, Network, TemplateId};
use fixedbitset::FixedBitSet;

use super::Preserve;
use super::landmarks::Landmarks;
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
    /// Who sends a message to it that can be the right one, and who takes from it; or who changes what it is compared with.
    pub filled_by: Vec<GroupId>,
    pub emptied_by: Vec<GroupId>,
}

/// The groups of a process at one of its locations.
#[derive(Clone, Default)]
struct Place {
    groups: Vec<GroupId>,
    /// Nobody else has anything to do with them, and nobody sees what they do.
    are_private: bool,
}

/// Everything about the groups of a situation that does not depend on the state.
pub(super) struct Tables {
    pub groups: Groups,
    /// By process number, of those that exist: the first location of its template, and groups by location.
    at: Vec<(u32, Vec<Place>)>,
    /// By process number: the groups with which it ends.
    pub ends: Vec<Vec<GroupId>>,
    pub conditions: Vec<Vec<Condition>>,
    pub waits: Vec<Option<Wait>>,
    /// Who can change whether a group can be taken.
    enablers: Vec<OnceLock<Vec<GroupId>>>,
    dependents: Vec<OnceLock<FixedBitSet>>,
    /// Changes what the conditions look at.
    pub is_visible: FixedBitSet,
    /// `None`: what an error needs cannot be told.
    pub landmarks: Option<Landmarks>,
}

impl Tables {
    pub fn new(
        machine: &Machine,
        maker: &GroupMaker,
        situation: &Situation,
        visible: &Visible,
        preserve: &Preserve,
    ) -> Tables {
        let groups = maker.groups(situation);
        let mut at: Vec<(u32, Vec<Place>)> = situation
            .processes
            .iter()
            .map(|known| {
                let locations = || machine.network.template(known.template).locations.iter().map(|l| l.0);
                let (first, last) = (locations().min().unwrap_or(0), locations().max().unwrap_or(0));
                (first, vec![Place::default(); (last - first) as usize + 1])
            })
            .collect();
        let mut ends = vec![Vec::new(); at.len()];
        let mut is_visible = FixedBitSet::with_capacity(groups.all.len());
        for (id, group) in groups.all.iter().enumerate() {
            is_visible.set(id, visible.sees(&machine.network, group));
            let Some(pid) = group.pid.map(|pid| pid as usize) else { continue };
            if group.is_end {
                ends[pid].push(id as GroupId);
            }
            let (first, places) = &mut at[pid];
            places[(group.from.0 - *first) as usize].groups.push(id as GroupId);
        }
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
            let mut filled_by = with(tail);
            filled_by.retain(|sender| {
                let sender = &groups.all[*sender as usize];
                sender.can_satisfy(group) || group.compared.iter().any(|r| sender.writes.contains(r))
            });
            Some(Wait { queue, channel, filled_by, emptied_by: with(head) })
        });
        let waits = waits.collect();
        let count = groups.all.len();
        for place in at.iter_mut().flat_map(|(_, places)| places) {
            place.are_private = place.groups.iter().all(|id| {
                let group = &groups.all[*id as usize];
                let is_alone = |other: &GroupId| groups.all[*other as usize].pid == group.pid;
                !is_visible.contains(*id as usize)
                    && !group.is_end
                    && group.offers.is_empty()
                    && group.accepts.is_empty()
                    && groups.dependents(*id).next().is_none()
                    && group.enabling.iter().flat_map(|r| groups.writers(*r)).all(is_alone)
            });
        }
        let landmarks = Landmarks::new(maker, &groups, situation, preserve);
        Tables {
            at,
            ends,
            landmarks,
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

    fn place(&self, pid: usize, location: LocationId) -> Option<&Place> {
        let (first, places) = &self.at[pid];
        places.get(location.0.checked_sub(*first)? as usize)
    }

    /// The groups of a process at a location.
    pub fn at(&self, pid: usize, location: LocationId) -> &[GroupId] {
        self.place(pid, location).map_or(&[], |place| &place.groups)
    }

    /// Has nobody else anything to do with what the process does at this location?
    pub fn are_private(&self, pid: usize, location: LocationId) -> bool {
        self.place(pid, location).is_some_and(|place| place.are_private)
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

pub(super) fn collect(groups: impl Iterator<Item = GroupId>) -> Vec<GroupId> {
    let mut all: Vec<GroupId> = groups.collect();
    all.sort_unstable();
    all.dedup();
    all
}
