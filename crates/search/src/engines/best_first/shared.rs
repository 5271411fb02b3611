//! What all workers of a search know together.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, Part, StateId, TransitionSystem};

use super::chains::Chains;
use super::{Revisit, Setup};
use crate::engines::ending::Halt;
use crate::engines::hunt::{Hunt, Sighting};
use crate::goals::{Goals, PropertyIndex};
use crate::node_table::NodeTable;
use crate::saving::{Ids, Snapshot};

pub(super) struct Shared<'r, K> {
    pub system: &'r dyn TransitionSystem,
    pub goals: &'r Goals,
    pub setup: Setup,
    pub revisit: Revisit,
    pub tests_early: bool,
    pub bound: Option<u64>,
    /// Which steps of a state are asked for.
    pub part: Part,
    pub nodes: NodeTable,
    /// Where states lead that postpone steps.
    pub chains: Mutex<Chains>,
    hunt: Mutex<Hunt<K>>,
    /// Errors wait for their turn.
    waiting: AtomicBool,
    /// How many properties have a witness.
    found: AtomicUsize,
    halt: Mutex<Option<Halt>>,
    /// The limit on stored states, and how many there are if there is one.
    pub most_states: Option<u64>,
    /// When memory is used up, somebody else goes on.
    pub hands_over: bool,
    stored: AtomicU64,
    /// States generated, if there is a budget.
    generated: AtomicU64,
    pub losses: Losses,
}

/// What was left out on the way.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// Some steps were postponed: errors are found, but not at their least cost.
    pub postponed: AtomicBool,
    /// Some steps were left out that may be taken nowhere.
    pub left_out: AtomicBool,
    /// A step did not end and was given up.
    pub endless: AtomicBool,
    /// The evaluator left out states behind which nothing lies within the bound.
    pub cut_by_estimate: AtomicBool,
    /// The evaluator left out states behind which no error lies.
    pub pruned: AtomicBool,
}

impl Losses {
    fn flags(&self) -> [&AtomicBool; 5] {
        let Losses { postponed, left_out, endless, cut_by_estimate, pruned } = self;
        [postponed, left_out, endless, cut_by_estimate, pruned]
    }
}

/// Raises a flag that is seldom lowered: writing it again and again would cost others time.
#[inline]
pub(super) fn raise(flag: &AtomicBool) {
    if !flag.load(Ordering::Relaxed) {
        flag.store(true, Ordering::SeqCst);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'r, K: Copy + Ord> Shared<'r, K> {
    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        (system, goals): (&'r dyn TransitionSystem, &'r Goals),
        hunt: Hunt<K>,
        setup: Setup,
        revisit: Revisit,
        tests_early: bool,
        bound: Option<u64>,
        part: Part,
        most_states: Option<u64>,
    ) -> Self {
        Shared {
            system,
            goals,
            setup,
            revisit,
            tests_early,
            bound,
            part,
            nodes: NodeTable::default(),
            chains: Mutex::default(),
            hunt: Mutex::new(hunt),
            waiting: AtomicBool::new(false),
            found: AtomicUsize::new(0),
            halt: Mutex::new(None),
            most_states,
            hands_over: false,
            stored: AtomicU64::new(0),
            generated: AtomicU64::new(0),
            losses: Losses::default(),
        }
    }

    pub(super) fn hunt(&self) -> MutexGuard<'_, Hunt<K>> {
        lock(&self.hunt)
    }

    /// How many properties have a witness.
    #[inline]
    pub(super) fn found(&self) -> usize {
        self.found.load(Ordering::Acquire)
    }

    /// Do errors wait for their turn?
    #[inline]
    pub(super) fn has_postponed(&self) -> bool {
        self.waiting.load(Ordering::Acquire)
    }

    /// Takes an error as result. `Break`: there is no reason to go on.
    pub(super) fn report(&self, sighting: Sighting, proven_shortest: bool) -> ControlFlow<()> {
        let mut hunt = self.hunt();
        let flow = hunt.report(sighting, proven_shortest);
        self.found.store(hunt.found(), Ordering::Release);
        flow
    }

    /// Takes an error as result in place of a costlier one. Once every property has one: what is still of interest costs
    /// less than this.
    pub(super) fn improve(&self, sighting: Sighting) -> Option<u64> {
        let mut hunt = self.hunt();
        let below = hunt.improve(sighting);
        self.found.store(hunt.found(), Ordering::Release);
        below
    }

    /// Keeps an error until all cheaper states are expanded.
    pub(super) fn postpone(&self, key: K, sighting: Sighting) {
        self.hunt().postpone(key, sighting);
        self.waiting.store(true, Ordering::Release);
    }

    /// Reports the postponed errors whose turn it is.
    pub(super) fn settle(&self, next: Option<K>, proven_shortest: bool) -> ControlFlow<()> {
        let mut hunt = self.hunt();
        let flow = hunt.settle(next, proven_shortest);
        self.found.store(hunt.found(), Ordering::Release);
        self.waiting.store(hunt.has_postponed(), Ordering::Release);
        flow
    }

    pub(super) fn witnesses(&self) -> Vec<PropertyIndex> {
        self.hunt().with_witness()
    }

    /// The first reason is the one that counts.
    pub(super) fn halt(&self, halt: Halt) {
        lock(&self.halt).get_or_insert(halt);
    }

    pub(super) fn halted(&self) -> Option<Halt> {
        *lock(&self.halt)
    }

    /// A state more is stored. Is that one too many?
    #[inline]
    pub(super) fn exceeds_states(&self) -> bool {
        self.most_states.is_some_and(|most| self.stored.fetch_add(1, Ordering::Relaxed) >= most)
    }

    /// A state less is stored: it was displaced.
    pub(super) fn one_less(&self) {
        if self.most_states.is_some() {
            self.stored.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// So many more states were generated.
    #[inline]
    pub(super) fn spend(&self, generated: u64) {
        if self.setup.budget.is_some() {
            self.generated.fetch_add(generated, Ordering::Relaxed);
        }
    }

    /// Is the budget spent?
    #[inline]
    pub(super) fn is_spent(&self) -> bool {
        self.setup.budget.is_some_and(|budget| self.generated.load(Ordering::Relaxed) >= budget)
    }

    /// A state was expanded in part, by steps to these states. Does it lead on to another one that is still to be expanded, or
    /// has all of its steps?
    pub(super) fn leads_on(&self, from: StateId, to: &[StateId]) -> Result<bool, OutOfMemory> {
        lock(&self.chains).lead_on(from, to, |root| self.nodes.was_expanded(root))
    }

    /// What is known of errors.
    pub(super) fn into_hunt(self) -> (Hunt<K>, NodeTable) {
        (self.hunt.into_inner().unwrap_or_else(PoisonError::into_inner), self.nodes)
    }

    pub(super) fn is_beyond(&self, cost: u64) -> bool {
        self.bound.is_some_and(|bound| cost > bound)
    }

    /// Bytes of what workers share, without the states.
    pub(super) fn memory(&self) -> u64 {
        self.nodes.memory() + lock(&self.chains).memory() + self.system.memory()
    }
}

/// What was made in the same way need not be saved: what the search is about, and how it is run.
impl<K: Copy + Ord + Record> Shared<'_, K> {
    pub(super) fn save(&self, ids: &Ids, to: &mut Writer) {
        self.hunt().save(ids, to);
        lock(&self.chains).save(ids, to);
        to.number(self.stored.load(Ordering::SeqCst));
        to.number(self.generated.load(Ordering::SeqCst));
        self.losses.flags().into_iter().for_each(|flag| to.flag(flag.load(Ordering::SeqCst)));
    }

    pub(super) fn load(&self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        let mut hunt = self.hunt();
        hunt.load(ids, from)?;
        self.found.store(hunt.found(), Ordering::SeqCst);
        self.waiting.store(hunt.has_postponed(), Ordering::SeqCst);
        drop(hunt);
        lock(&self.chains).load(ids, from)?;
        self.stored.store(from.number()?, Ordering::SeqCst);
        self.generated.store(from.number()?, Ordering::SeqCst);
        for flag in self.losses.flags() {
            flag.store(from.flag()?, Ordering::SeqCst);
        }
        Ok(())
    }
}
