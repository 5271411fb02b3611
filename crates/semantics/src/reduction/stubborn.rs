//! Stubborn sets in a state: closures of the rules, from one process after the other, or from landmarks, and the smallest that
//! is found.

use std::sync::Arc;
use std::sync::atomic::Ordering;

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

/// Landmarks are given up for a model if they leave something out in fewer than one of so many states, of at least so many.
const WORTH_IT: u32 = 50;
const ENOUGH_TRIES: u32 = 1_000;

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
    /// States in which landmarks were looked for, and in how many of them something could be left out.
    tried: u32,
    saved: u32,
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
            tried: 0,
            saved: 0,
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
        let needs_landmarks = keep == Keep::Shortest && !self.keeps_only_deadlocks();
        if movers < 2
            || finder.by_timeout
            || (needs_landmarks && self.has_given_up())
            || !self.prepare(machine, key, finder)
        {
            return LeftOut::Nothing;
        }
        let Some(tables) = self.tables.clone() else { return LeftOut::Nothing };
        self.reduction.choices.fetch_add(1, Ordering::Relaxed);
        let found = if needs_landmarks {
            self.tried += 1;
            let found = self.choose_with_landmarks(machine, key, &tables);
            self.saved += u32::from(found);
            found
        } else {
            self.choose_anything(machine, key, &tables)
        };
        match found {
            false => LeftOut::Nothing,
            true if needs_landmarks || (self.keeps_only_deadlocks() && keep != Keep::Runs) => LeftOut::Safely,
            true => LeftOut::Postponed,
        }
    }

    /// Is it known that landmarks do not pay off in this model? More steps than necessary do no harm.
    fn has_given_up(&self) -> bool {
        self.tried >= ENOUGH_TRIES && self.saved < self.tried / WORTH_IT
    }

    /// A small set with some step that can be taken.
    fn choose_anything(&mut self, machine: &Machine, key: &[i32], tables: &Tables) -> bool {
        let count = self.steps.len();
        // Whoever is alone with what it does goes first: nothing has to be worked out.
        let alone = |pid: &usize| self.steps[*pid] > 0 && tables.are_private(*pid, self.locations[*pid]);
        if let Some(pid) = (0..count).rev().find(alone) {
            self.chosen.clear();
            self.chosen.grow(count);
            self.chosen.insert(pid);
            return true;
        }
        let all: u32 = self.steps.iter().sum();
        let mut best = all;
        for pid in (0..count).rev() {
            if self.steps[pid] == 0 || self.steps[pid] >= best {
                continue;
            }
            self.begin(tables);
            for group in tables.at(pid, self.locations[pid]) {
                self.add(*group);
            }
            if let Some(size) = self.close(machine, key, tables, best, Watched::Conditions) {
                best = size;
                self.note_chosen(tables);
                // A process on its own is let go on: others may have fewer steps now and more later.
                if size == self.steps[pid] {
                    break;
                }
            }
        }
        best < all
    }

    /// The least set that has a landmark of each error, and some step that can be taken.
    fn choose_with_landmarks(&mut self, machine: &Machine, key: &[i32], tables: &Tables) -> bool {
        let Some(landmarks) = &tables.landmarks else { return false };
        let all: u32 = self.steps.iter().sum();
        self.begin(tables);
        for group in &landmarks.failing {
            self.add(*group);
        }
        for condition in &landmarks.conditions {
            let (mut needed, known) = (Vec::new(), &self.set);
            let weight = |groups: &[GroupId]| {
                groups.iter().filter(|g| !known.contains(**g as usize)).map(|g| self.weight(tables, *g)).sum()
            };
            condition.landmark(machine, key, &weight, &mut |groups| needed.extend_from_slice(groups));
            needed.into_iter().for_each(|group| self.add(group));
        }
        match self.close(machine, key, tables, all, Watched::Nothing) {
            None => return false,
            Some(0) => {}
            Some(_) => {
                self.note_chosen(tables);
                return true;
            }
        }
        // None of these can happen. Deadlocks may be errors, too, so somebody has to go on.
        let base = self.set.clone();
        let mut best = all;
        for pid in (0..self.steps.len()).rev() {
            if self.steps[pid] == 0 || self.steps[pid] >= best {
                continue;
            }
            self.begin(tables);
            self.set.union_with(&base);
            for group in tables.at(pid, self.locations[pid]) {
                self.add(*group);
            }
            if let Some(size) = self.close(machine, key, tables, best, Watched::Nothing) {
                best = size;
                self.note_chosen(tables);
            }
        }
        best < all
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

    /// Empties the set.
    fn begin(&mut self, tables: &Tables) {
        self.set.clear();
        self.set.grow(tables.groups.all.len());
        self.open.clear();
    }

    /// Adds what the rules demand; how many steps the set has then, or `None` if that is no better than `best`.
    fn close(&mut self, machine: &Machine, key: &[i32], tables: &Tables, best: u32, watched: Watched) -> Option<u32> {
        let mut taken = 0;
        let is_seen = |group: GroupId| watched == Watched::Conditions && tables.is_visible.contains(group as usize);
        while let Some(group) = self.open.pop() {
            if self.enabled.contains(group as usize) {
                let pid = tables.groups.all[group as usize].pid? as usize;
                if self.is_first_of_process(tables, group, pid) {
                    taken += self.steps[pid];
                }
                if taken >= best || is_seen(group) {
                    return None;
                }
                self.with_enabled(tables, group, pid);
                if self.pairs.iter().any(|(first, second)| *first == group && is_seen(*second)) {
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
        let Chooser { set, open, .. } = self;
        let blocks = set.as_mut_slice().iter_mut().zip(more.as_slice());
        for (at, (known, more)) in blocks.enumerate() {
            let mut new = *more & !*known;
            *known |= new;
            while new != 0 {
                open.push((at * usize::BITS as usize) as GroupId + new.trailing_zeros());
                new &= new - 1;
            }
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
                    |g: GroupId| tables.groups.all[g as usize].targets.iter().any(|to| reach.leads(*to, this.from));
                let gates = tables.at(pid, here);
                let weight = gates.iter().filter(|g| leading(**g)).map(|g| self.weight_of_new(tables, *g)).sum();
                best.keep(Needed::Gates(gates), weight);
                // What the process has to pass on its way, and cannot pass now.
                for edge in reach.passed(here, this.from) {
                    let passed = tables.group(pid, machine.network.edge(*edge).from, edge.0);
                    match passed {
                        Some(passed) => self.consider_lacks(machine, key, tables, passed, group, &mut best),
                        // Its guard is never true.
                        None => best.keep(Needed::Nothing, 0),
                    }
                }
            }
            self.consider_lacks(machine, key, tables, group, group, &mut best);
            let youngest = self.locations.len() - 1;
            if this.waits_to_be_youngest && pid != youngest {
                self.consider(tables, &tables.ends[youngest], (group, group), &mut best);
            }
            if !away && best.needed.is_none() {
                self.consider(tables, tables.enablers(group), (group, group), &mut best);
            }
        } else {
            self.consider(tables, tables.groups.creators(this.template), (group, group), &mut best);
        }
        match best.needed {
            None | Some(Needed::Nothing) => {}
            Some(Needed::Listed(groups, but)) => {
                groups.iter().filter(|g| **g != but.0 && **g != but.1).for_each(|g| self.add(*g));
            }
            Some(Needed::Gates(gates)) => {
                let reach = &self.reduction.reach[this.template.0 as usize];
                for gate in gates {
                    let targets = &tables.groups.all[*gate as usize].targets;
                    if targets.iter().any(|to| reach.leads(*to, this.from)) {
                        self.add(*gate);
                    }
                }
            }
        }
    }

    /// Considers everything that `passed` lacks in this state, if its process were there: before it can be taken, somebody
    /// else must have changed that. It has to be taken before `group`, if it is not the same.
    fn consider_lacks<'t>(
        &self,
        machine: &Machine,
        key: &[i32],
        tables: &'t Tables,
        passed: GroupId,
        group: GroupId,
        best: &mut Best<'t>,
    ) {
        let this = &tables.groups.all[passed as usize];
        let Some(pid) = this.pid else { return };
        let but = (group, passed);
        let cx = machine.context(key, pid as usize, false);
        for condition in &tables.conditions[passed as usize] {
            if machine.truth(cx, &condition.code) == Ok(false) {
                self.consider(tables, &condition.changed_by, but, best);
            }
        }
        if let Some(wait) = &tables.waits[passed as usize]
            && let Ok(channel) = machine.channel(key, wait.channel)
        {
            let length = channel.len(key);
            match wait.queue {
                Queue::Send { .. } if length >= channel.decl.capacity as usize => {
                    self.consider(tables, &wait.emptied_by, but, best);
                }
                Queue::Receive { .. } if length == 0 => {
                    self.consider(tables, &wait.filled_by, but, best);
                }
                // Some message is there, but not the right one.
                Queue::Receive { anywhere, .. } if machine.finds_no_message(cx, this.from, this.edge) => {
                    if !anywhere {
                        self.consider(tables, &wait.emptied_by, but, best);
                    }
                    let fits = |message: &[i32]| {
                        let known = this.message.iter().zip(message);
                        known.into_iter().all(|(awaited, field)| awaited.is_none_or(|awaited| awaited == *field))
                    };
                    if anywhere || !(0..length).any(|at| fits(&key[channel.message(at)])) {
                        self.consider(tables, &wait.filled_by, but, best);
                    }
                }
                _ => {}
            }
        }
    }

    /// Keeps a necessary enabling set, without the groups `but`, if it is lighter than those before.
    fn consider<'t>(&self, tables: &Tables, set: &'t [GroupId], but: (GroupId, GroupId), best: &mut Best<'t>) {
        let mut weight = 0;
        for group in set.iter().filter(|g| **g != but.0 && **g != but.1) {
            weight += self.weight_of_new(tables, *group);
            if best.needed.is_some() && weight >= best.weight {
                return;
            }
        }
        best.keep(Needed::Listed(set, but), weight);
    }

    /// What the set would have more to do for with this group in it.
    fn weight_of_new(&self, tables: &Tables, group: GroupId) -> u32 {
        if self.set.contains(group as usize) { 0 } else { self.weight(tables, group) }
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

    fn note_chosen(&mut self, tables: &Tables) {
        let count = self.steps.len();
        self.chosen.clear();
        self.chosen.grow(count);
        for pid in 0..count {
            let here = tables.at(pid, self.locations[pid]);
            let taken = here.iter().any(|g| self.set.contains(*g as usize) && self.enabled.contains(*g as usize));
            self.chosen.set(pid, taken);
        }
    }
}

/// What steps of a smaller set must not change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Watched {
    Conditions,
    /// A landmark is in the set, so the order of all else makes no difference.
    Nothing,
}

/// A necessary enabling set.
enum Needed<'t> {
    /// Nobody can help.
    Nothing,
    /// These, but for two.
    Listed(&'t [GroupId], (GroupId, GroupId)),
    /// Those of these that lead to where the process has to be.
    Gates(&'t [GroupId]),
}

#[derive(Default)]
struct Best<'t> {
    needed: Option<Needed<'t>>,
    weight: u32,
}

impl<'t> Best<'t> {
    fn keep(&mut self, needed: Needed<'t>, weight: u32) {
        if self.needed.is_none() || weight < self.weight {
            *self = Best { needed: Some(needed), weight };
        }
    }
}
