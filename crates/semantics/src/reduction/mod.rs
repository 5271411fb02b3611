//! **Partial order reduction by strong stubborn sets.** Of the steps of a state, enough are taken that every error (every
//! deadlock, every run) is still found: what is left out can be done later, with the same effect.
//!
//! Papers: Valmari 1989, "Stubborn sets for reduced state space generation"; Godefroid 1996 (persistent sets); Alkhazraji,
//! Wehrle, Mattmüller, Helmert 2012, "A stubborn set algorithm for optimal planning"; Laarman, Pater, van de Pol, Hansen
//! 2016, "Guard-based partial-order reduction" (necessary enabling sets of guards).
//!
//! A set of groups is *stubborn* in a state if it has, with every group that can be taken now, all groups that may be
//! dependent on it, and with every group that cannot, all that could make some condition true that it lacks. Steps outside
//! of the set commute with those inside. So a path to a deadlock has a step of the set, which may as well come first. A path
//! to another error may have none; then its steps are still possible after any step of the set.
//!
//! `timeout` is true only where nothing else can happen. A step of the set stays possible until one of the set is taken; so
//! before that, `timeout` is false, and no group need be in the set on its account. Where nothing but `timeout` lets the
//! system go on, nothing is left out.
//!
//! What is known of the processes ([`Situation`]) seldom changes; tables are made once for each situation.
//!
//! Claims: keeps all deadlocks, at the same cost. Keeps all failing steps, and all values of the conditions that it was told
//! of, if whoever expands states sees to it that nothing is postponed for ever ([`bughound_kernel::Keep`]).
//!
//! Cost: for each state, a closure over the groups for each process that could go first.
//!
//! Fails: where everything has to do with everything, and for models that look at the whole state ([`Refusal`]).

mod landmarks;
mod stubborn;
mod tables;
mod verify;
mod visible;

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

use bughound_ir::analysis::groups::{GroupMaker, Known, Situation};
use bughound_ir::analysis::{actions_of, edges_of, instances};
use bughound_ir::edge::Action;
use bughound_ir::expr::Expr;
use bughound_ir::frames::PROCESS_COUNT;
use bughound_ir::network::{Network, TemplateId};

use crate::machine::Machine;
pub(crate) use stubborn::Chooser;
use tables::{Reach, Tables};
pub use verify::{Contradiction, Rule, Verified};
use visible::Visible;

/// Models with more edges than that are not reduced: the tables would take too long.
const MOST_EDGES: usize = 20_000;
/// If the processes to come have more edges than that, all that may come to exist together, states are expanded as a whole: to work
/// out what everybody may have to do with everybody takes longer than to look at all steps.
const MOST_EDGES_TO_COME: usize = 1_000;
/// So many situations are remembered; where there are more, states are expanded as a whole.
const MOST_SITUATIONS: usize = 20_000;

/// So many groups are made in any case; and one more for each state in which something was chosen. A model that creates
/// processes for ever has new situations all the time, and must not spend more on them than on its states.
const GROUPS_AT_FIRST: u64 = 20_000;

/// What a reduction has to preserve.
#[derive(Clone, Debug, Default)]
pub struct Preserve {
    /// Failed assertions and evaluation errors.
    pub failures: bool,
    /// State predicates whose values matter.
    pub conditions: Vec<Expr>,
}

/// Why a model cannot be reduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    Clocks,
    Priorities,
    LastProcess,
    /// `enabled()`, or a condition that looks at everything.
    WholeState,
    Monitor,
    Probabilities,
    TooLarge,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refusal::Clocks => "the model has clocks or signals",
            Refusal::Priorities => "the model uses priorities, which depend on all processes",
            Refusal::LastProcess => "the model uses `_last`, which every step changes",
            Refusal::WholeState => "the model asks what depends on the whole state, such as `enabled()`",
            Refusal::Monitor => {
                "the model has a `trace` or `notrace` declaration, which sees the order of all messages"
            }
            Refusal::Probabilities => "the model has probabilities",
            Refusal::TooLarge => "the model has too many statements",
        })
    }
}

/// What of a network can be left out, worked out as states are met.
pub struct Reduction {
    maker: GroupMaker,
    preserve: Preserve,
    /// What the conditions look at.
    visible: Visible,
    /// By template: from which locations others can be reached.
    reach: Vec<Reach>,
    /// By location: the templates of which a process there can still create others, or have them created.
    creates: Vec<Vec<TemplateId>>,
    /// By template: the edges of all its processes that may come to exist.
    edges_to_come: Vec<usize>,
    situations: RwLock<HashMap<Situation, Arc<Tables>>>,
    /// Bytes of their tables.
    memory: AtomicU64,
    /// Groups in all of them.
    groups: AtomicU64,
    /// States in which something was chosen.
    choices: AtomicU64,
}

impl Reduction {
    pub fn new(network: &Arc<Network>, preserve: Preserve) -> Result<Reduction, Refusal> {
        if let Some(why) = refusal(network) {
            return Err(why);
        }
        let maker = GroupMaker::new(network.clone());
        let visible = Visible::new(&maker, &preserve.conditions)?;
        let reach: Vec<Reach> =
            (0..network.templates.len()).map(|t| Reach::new(network, TemplateId(t as u32))).collect();
        let creates = creates(network, &reach);
        let mut edges_to_come = vec![0; network.templates.len()];
        for instance in instances(network) {
            edges_to_come[instance.template.0 as usize] += edges_of(network, instance.template).count();
        }
        Ok(Reduction {
            maker,
            preserve,
            visible,
            reach,
            creates,
            edges_to_come,
            situations: RwLock::default(),
            memory: AtomicU64::new(0),
            groups: AtomicU64::new(0),
            choices: AtomicU64::new(0),
        })
    }

    /// Bytes of the tables made so far.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// Brings what is known up to date for a state; false if nothing has changed.
    fn update(&self, machine: &Machine, key: &[i32], situation: &mut Situation) -> bool {
        let count = key[PROCESS_COUNT] as usize;
        let mut changed = situation.processes.len() != count;
        situation.processes.truncate(count);
        let mut to_come = 0;
        let mut is_known = true;
        for pid in 0..count {
            let location = machine.location(key, pid);
            let template = TemplateId(machine.template_of[location]);
            let base = machine.base(pid);
            let values = self.maker.frozen(template).iter().map(|slot| key[base + *slot as usize]);
            match situation.processes.get_mut(pid) {
                Some(known) if known.template == template => {
                    for (known, value) in known.values.iter_mut().zip(values) {
                        changed |= *known != value;
                        *known = value;
                    }
                }
                Some(known) => {
                    *known = Known { template, values: values.collect() };
                    changed = true;
                }
                None => situation.processes.push(Known { template, values: values.collect() }),
            }
            for template in &self.creates[location] {
                is_known &= situation.to_come.contains(template);
                to_come += 1;
            }
        }
        // Most often nobody is to come, or the same as before.
        if !is_known || to_come < situation.to_come.len() || (to_come > 0 && changed) {
            let all = (0..count).flat_map(|pid| &self.creates[machine.location(key, pid)]).copied();
            let all: BTreeSet<TemplateId> = all.collect();
            if !situation.to_come.iter().eq(all.iter()) {
                situation.to_come = all.into_iter().collect();
                changed = true;
            }
        } else if to_come > 0 {
            let gone = |t: &TemplateId| !(0..count).any(|pid| self.creates[machine.location(key, pid)].contains(t));
            let before = situation.to_come.len();
            situation.to_come.retain(|template| !gone(template));
            changed |= situation.to_come.len() != before;
        }
        changed
    }

    /// The tables for a situation; `None` if there are too many, or they would be too large.
    fn tables(&self, machine: &Machine, situation: &Situation) -> Option<Arc<Tables>> {
        let to_come = situation.to_come.iter().map(|template| self.edges_to_come[template.0 as usize]);
        if to_come.sum::<usize>() > MOST_EDGES_TO_COME {
            return None;
        }
        if let Some(known) = self.situations.read().ok()?.get(situation) {
            return Some(known.clone());
        }
        let mut all = self.situations.write().ok()?;
        let allowed = GROUPS_AT_FIRST + self.choices.load(Ordering::Relaxed);
        if all.len() >= MOST_SITUATIONS || self.groups.load(Ordering::Relaxed) > allowed {
            return None;
        }
        let made = Arc::new(Tables::new(machine, &self.maker, situation, &self.visible, &self.preserve));
        self.memory.fetch_add(made.memory(), Ordering::Relaxed);
        self.groups.fetch_add(made.groups.all.len() as u64, Ordering::Relaxed);
        all.insert(situation.clone(), made.clone());
        Some(made)
    }
}

/// By location: the templates of which a process there can still create others, or have them created.
fn creates(network: &Network, reach: &[Reach]) -> Vec<Vec<TemplateId>> {
    // First what each location creates without those that are created; then with them.
    let mut all: Vec<Vec<TemplateId>> = vec![Vec::new(); network.locations.len()];
    for (number, template) in network.templates.iter().enumerate() {
        let edges = edges_of(network, TemplateId(number as u32));
        let runs = edges.flat_map(|(_, edge)| {
            let runs = actions_of(network, edge).filter_map(|action| match action {
                Action::Run { template, .. } => Some((edge.from, *template)),
                _ => None,
            });
            runs.collect::<Vec<_>>()
        });
        let runs: Vec<_> = runs.collect();
        for location in &template.locations {
            for (from, created) in &runs {
                if reach[number].leads(*location, *from) && !all[location.0 as usize].contains(created) {
                    all[location.0 as usize].push(*created);
                }
            }
        }
    }
    let initial: Vec<usize> = network.templates.iter().map(|t| t.initial.0 as usize).collect();
    loop {
        let mut changed = false;
        for location in 0..all.len() {
            let further: Vec<TemplateId> =
                all[location].iter().flat_map(|t| &all[initial[t.0 as usize]]).copied().collect();
            for template in further {
                if !all[location].contains(&template) {
                    all[location].push(template);
                    changed = true;
                }
            }
        }
        if !changed {
            return all;
        }
    }
}

/// Why nothing can be left out of a model, as far as this can be told without looking at what is asked.
pub fn refusal(network: &Network) -> Option<Refusal> {
    let edges = network.edges.len();
    let reads_everything =
        |e: &Expr| e.any(|part| matches!(part, Expr::Enabled(_) | Expr::NonProgress | Expr::AtAcceptLabel));
    let mut whole = false;
    // Claims look at states from outside: what they look at is to be preserved.
    let running: BTreeSet<TemplateId> =
        network.frames.processes.iter().flat_map(|frame| frame.templates.iter().copied()).collect();
    for (_, edge) in running.iter().flat_map(|template| edges_of(network, *template)) {
        edge.walk_expressions(&mut |e| whole |= reads_everything(e));
    }
    network.programs.iter().for_each(|p| p.walk_expressions(&mut |e| whole |= reads_everything(e)));
    whole |= network.templates.iter().filter_map(|t| t.provided.as_ref()).any(reads_everything);
    whole |= network.locations.iter().any(|location| !location.conditions.is_empty() || location.has_uncertain_rate());
    let refusals = [
        (network.needs_zones() || !network.signals.is_empty(), Refusal::Clocks),
        (network.uses.priorities, Refusal::Priorities),
        (network.uses.last_process, Refusal::LastProcess),
        (network.monitor.is_some(), Refusal::Monitor),
        (network.edges.iter().any(|e| e.destinations.len() > 1), Refusal::Probabilities),
        (whole, Refusal::WholeState),
        (edges > MOST_EDGES, Refusal::TooLarge),
    ];
    refusals.into_iter().find(|(applies, _)| *applies).map(|(_, why)| why)
}
