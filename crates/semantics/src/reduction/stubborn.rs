//! Stubborn sets in a state: closures of the rules, from one process after the other, and the smallest that is found.

use std::sync::Arc;

use bughound_ir::analysis::groups::{GroupId, Queue, Situation};
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::LocationId;
use bughound_kernel::{Keep, LeftOut};
use fixedbitset::FixedBitSet;

use super::Reduction;
use super::tables::Tables;
use crate::machine::Machine;
use crate::micro::Finder;

/// What the members of a necessary enabling set weigh when one is chosen: those that can be taken now weigh most.
const ENABLED: u32 = 100;
const BLOCKED: u32 = 5;
const ELSEWHERE: u32 = 3;

/// Chooses the processes whose steps are taken. Working memory of one explorer.
pub(crate) struct Chooser<'r> {
    reduction: &'r Reduction,
    situation: Situation,
    tables: Option<Arc<Tables>>,
    /// By process: where it is, and how many steps it begins.
    locations: Vec<LocationId>,
    steps: Vec<u32>,
    /// Groups that can be taken, as the first move of a step.
    enabled: FixedBitSet,
    /// For steps of two processes: the half that begins it and the half that joins.
    pairs: Vec<(GroupId, GroupId)>,
    set: FixedBitSet,
    open: Vec<GroupId>,
    /// The processes chosen: the best so far.
    chosen: FixedBitSet,
}

impl<'r> Chooser<'r> {
    pub fn new(reduction: &'r Reduction) -> Self {
        Chooser {
            reduction,
            situation: Situation::default(),
            tables: None,
            locations: Vec::new(),
            steps: Vec::new(),
            enabled: FixedBitSet::new(),
            pairs: Vec::new(),
            set: FixedBitSet::new(),
            open: Vec::new(),
            chosen: FixedBitSet::new(),
        }
    }

    /// Is the first move of this step among those chosen?
    pub fn takes(&self, process: u16) -> bool {
        self.chosen.contains(process as usize)
    }

    /// Chooses in a state whose micro steps have been found.
    pub fn choose(&mut self, machine: &Machine, key: &[i32], finder: &Finder, keep: Keep) -> LeftOut {
        let count = key[PROCESS_COUNT] as usize;
        self.steps.clear();
        self.steps.resize(count, 0);
        for step in &finder.steps {
            self.steps[finder.moves[step.moves.0 as usize].process as usize] += 1;
        }
        let movers = self.steps.iter().filter(|steps| **steps > 0).count();
        if movers < 2
            || finder.by_timeout
            || (keep == Keep::Shortest && !self.keeps_only_deadlocks())
            || !self.prepare(machine, key, finder)
        {
            return LeftOut::Nothing;
        }
        let Some(tables) = self.tables.clone() else { return LeftOut::Nothing };
        let all: u32 = self.steps.iter().sum();
        let mut best = all;
        for pid in (0..count).rev() {
            if self.steps[pid] == 0 || self.steps[pid] >= best {
                continue;
            }
            if let Some(size) = self.closure(machine, key, &tables, pid, best) {
                best = size;
                self.note_chosen(&tables, count);
                // A process on its own is let go on: others may have fewer steps now and more later.
                if size == self.steps[pid] {
                    break;
                }
            }
        }
        match best == all {
            true => LeftOut::Nothing,
            false if self.keeps_only_deadlocks() && keep != Keep::Runs => LeftOut::Safely,
            false => LeftOut::Postponed,
        }
    }

    fn keeps_only_deadlocks(&self) -> bool {
        !self.reduction.preserve.failures && self.reduction.preserve.conditions.is_empty()
    }

    /// Looks up the groups, and which of them can be taken; false if nothing can be said.
    fn prepare(&mut self, machine: &Machine, key: &[i32], finder: &Finder) -> bool {
        if self.reduction.update(machine, key, &mut self.situation) || self.tables.is_none() {
            self.tables = self.reduction.tables(machine, &self.situation);
        }
        let Some(tables) = &self.tables else { return false };
        self.locations.clear();
        self.locations.extend((0..self.steps.len()).map(|pid| LocationId(machine.location(key, pid) as u32)));
        self.enabled.clear();
        self.enabled.grow(tables.groups.all.len());
        self.pairs.clear();
        for step in &finder.steps {
            let moves = &finder.moves[step.moves.0 as usize..(step.moves.0 + step.moves.1) as usize];
            let group = |at: usize| {
                let pid = moves[at].process as usize;
                tables.group(pid, self.locations[pid], moves[at].edge)
            };
            // A step whose group is not known: it would be an error of the analysis; nothing is left out then.
            let Some(first) = group(0) else { return false };
            self.enabled.insert(first as usize);
            if moves.len() > 1 {
                let Some(second) = group(1) else { return false };
                self.pairs.push((first, second));
            }
        }
        true
    }

    /// The least set with the steps of a process; how many steps it has, or `None` if it is no better than `best`.
    fn closure(&mut self, machine: &Machine, key: &[i32], tables: &Tables, seed: usize, best: u32) -> Option<u32> {
        self.set.clear();
        self.set.grow(tables.groups.all.len());
        self.open.clear();
        let mut taken = 0;
        for group in tables.at(seed, self.locations[seed]) {
            self.add(*group);
        }
        while let Some(group) = self.open.pop() {
            if self.enabled.contains(group as usize) {
                let pid = tables.groups.all[group as usize].pid? as usize;
                if self.is_first_of_process(tables, group, pid) {
                    taken += self.steps[pid];
                }
                if taken >= best || tables.is_visible.contains(group as usize) {
                    return None;
                }
                self.with_enabled(tables, group, pid);
                if self
                    .pairs
                    .iter()
                    .any(|(first, second)| *first == group && tables.is_visible.contains(*second as usize))
                {
                    return None;
                }
            } else {
                self.with_disabled(machine, key, tables, group);
            }
        }
        Some(taken)
    }

    /// Is it the first group of its process in the set that can be taken? All of them are in the set together.
    fn is_first_of_process(&self, tables: &Tables, group: GroupId, pid: usize) -> bool {
        let here = tables.at(pid, self.locations[pid]);
        here.iter().find(|g| self.enabled.contains(**g as usize)) == Some(&group)
    }

    fn add(&mut self, group: GroupId) {
        if !self.set.put(group as usize) {
            self.open.push(group);
        }
    }

    fn add_all(&mut self, more: &FixedBitSet) {
        for group in more.difference(&self.set.clone()) {
            self.add(group as GroupId);
        }
    }

    /// A group that can be taken: all that may be dependent on it.
    fn with_enabled(&mut self, tables: &Tables, group: GroupId, pid: usize) {
        for sibling in tables.at(pid, self.locations[pid]) {
            self.add(*sibling);
        }
        self.add_all(tables.dependents(group));
        for at in 0..self.pairs.len() {
            let (first, second) = self.pairs[at];
            if first == group {
                let Some(partner) = tables.groups.all[second as usize].pid.map(|pid| pid as usize) else { continue };
                for sibling in tables.at(partner, self.locations[partner]) {
                    self.add(*sibling);
                }
                self.add_all(tables.dependents(second));
            }
        }
        // Whoever else may take what it offers.
        for channel in &tables.groups.all[group as usize].offers {
            for receiver in tables.groups.accepting(*channel) {
                self.add(*receiver);
            }
        }
    }

    /// A group that cannot be taken: a set without which it never can. The lightest that is found.
    fn with_disabled(&mut self, machine: &Machine, key: &[i32], tables: &Tables, group: GroupId) {
        let this = &tables.groups.all[group as usize];
        let mut best = Best::default();
        if let Some(pid) = this.pid.map(|pid| pid as usize) {
            let here = self.locations[pid];
            let away = here != this.from;
            if away {
                let reach = &self.reduction.reach[this.template.0 as usize];
                let leading =
                    |g: &GroupId| tables.groups.all[*g as usize].targets.iter().any(|to| reach.leads(*to, this.from));
                let gates = tables.at(pid, here).iter().copied().filter(leading).collect();
                self.consider(tables, gates, &mut best);
                // What the process has to pass on its way, and cannot pass now.
                for edge in reach.passed(here, this.from) {
                    let passed = tables.group(pid, machine.network.edge(*edge).from, edge.0);
                    match passed {
                        Some(passed) => self.consider_lacks(machine, key, tables, passed, group, &mut best),
                        // Its guard is never true.
                        None => self.consider(tables, Vec::new(), &mut best),
                    }
                }
            }
            self.consider_lacks(machine, key, tables, group, group, &mut best);
            let youngest = self.locations.len() - 1;
            if this.is_end && pid != youngest {
                let ends = tables.groups.all.iter().enumerate();
                let ends = ends.filter(|(_, g)| g.is_end && g.pid == Some(youngest as u32));
                let ends = ends.map(|(id, _)| id as GroupId).collect();
                self.consider(tables, ends, &mut best);
            }
            if !away && best.set.is_none() {
                self.consider(tables, tables.enablers(group).to_vec(), &mut best);
            }
        } else {
            self.consider(tables, tables.groups.creators(this.template).to_vec(), &mut best);
        }
        for member in best.set.unwrap_or_default() {
            self.add(member);
        }
    }

    /// Considers everything that `passed` lacks in this state, if its process were there: before it can be taken, somebody
    /// else must have changed that. It has to be taken before `group`, if it is not the same.
    fn consider_lacks(
        &self,
        machine: &Machine,
        key: &[i32],
        tables: &Tables,
        passed: GroupId,
        group: GroupId,
        best: &mut Best,
    ) {
        let this = &tables.groups.all[passed as usize];
        let Some(pid) = this.pid else { return };
        let others =
            |set: &[GroupId]| -> Vec<GroupId> { set.iter().copied().filter(|g| *g != group && *g != passed).collect() };
        let cx = machine.context(key, pid as usize, false);
        for condition in &tables.conditions[passed as usize] {
            if machine.truth(cx, &condition.code) == Ok(false) {
                self.consider(tables, others(&condition.changed_by), best);
            }
        }
        if let Some(wait) = &tables.waits[passed as usize]
            && let Ok(channel) = machine.channel(key, wait.channel)
        {
            let length = channel.len(key);
            match wait.queue {
                Queue::Send { .. } if length >= channel.decl.capacity as usize => {
                    self.consider(tables, others(&wait.emptied_by), best);
                }
                Queue::Receive { .. } if length == 0 => {
                    self.consider(tables, others(&wait.filled_by), best);
                }
                // Some message is there, but not the right one.
                Queue::Receive { anywhere, .. } if machine.finds_no_message(cx, this.from, this.edge) => {
                    let changing = if anywhere { &wait.filled_by } else { &wait.emptied_by };
                    self.consider(tables, others(changing), best);
                }
                _ => {}
            }
        }
    }

    /// Keeps a necessary enabling set if it is lighter than those before.
    fn consider(&self, tables: &Tables, set: Vec<GroupId>, best: &mut Best) {
        let weight = set.iter().filter(|g| !self.set.contains(**g as usize)).map(|g| self.weight(tables, *g)).sum();
        if best.set.is_none() || weight < best.weight {
            *best = Best { set: Some(set), weight };
        }
    }

    fn weight(&self, tables: &Tables, group: GroupId) -> u32 {
        let this = &tables.groups.all[group as usize];
        if self.enabled.contains(group as usize) {
            ENABLED
        } else if this.pid.is_some_and(|pid| self.locations[pid as usize] == this.from) {
            BLOCKED
        } else {
            ELSEWHERE
        }
    }

    fn note_chosen(&mut self, tables: &Tables, count: usize) {
        self.chosen.clear();
        self.chosen.grow(count);
        for pid in 0..count {
            let here = tables.at(pid, self.locations[pid]);
            let taken = here.iter().any(|g| self.set.contains(*g as usize) && self.enabled.contains(*g as usize));
            self.chosen.set(pid, taken);
        }
    }
}

#[derive(Default)]
struct Best {
    set: Option<Vec<GroupId>>,
    weight: u32,
}
