//! One pass: the loop.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, OutOfMemory, Outcome, State, StateBuf, Step, StopReason};

use super::layers::{Layers, Relay, Relays};
use super::retrace::{Lost, Retrace, Sighted};
use super::{Locality, SAMPLES};
use crate::driver::{Driver, Snapshot};
use crate::engines::ending::Halt;
use crate::engines::expansion::{Follower, expand};
use crate::engines::guide::Guide;
use crate::engines::pool::Place;
use crate::goals::{PropertyIndex, StopPolicy};
use crate::result::{SearchError, Statistics, Witness};
use crate::search::Task;

pub(super) struct Run<'r, 't, 'd> {
    task: Task<'t>,
    phase: &'static str,
    guide: &'r mut Guide<'t>,
    driver: &'r mut Driver<'d>,
    /// Those of earlier passes and of this one.
    witnesses: &'r mut Vec<Witness>,
    /// The explorer that emits a state is busy; tests of that state need another one.
    probe: Box<dyn Explorer + 't>,
    layers: Layers<'t>,
    /// Largest f that is followed.
    pub bound: Option<u64>,
    /// Expansions of earlier passes.
    pub expanded_before: u64,
    /// The cheapest failing step of each property, until nothing cheaper is open.
    pending: Vec<Sighted>,
    /// The state under way.
    from: Place,
    cost: u64,
    end: End,
}

/// What is left of a pass besides its witnesses.
#[derive(Debug, Default)]
pub(super) struct End {
    pub stats: Statistics,
    pub halt: Option<Halt>,
    /// The least f behind the bound.
    pub least_cut: Option<u64>,
    /// A step did not end and was given up.
    pub endless: bool,
    /// Every error that costs less was found.
    pub floor: u64,
    /// A path could not be found again.
    pub lost: Option<PropertyIndex>,
}

/// Where less memory is left than an eighth of it, no more is held than must be.
fn is_scarce(used: u64, limit: Option<u64>) -> bool {
    limit.is_some_and(|limit| used > limit - limit / 8)
}

impl<'r, 't, 'd> Run<'r, 't, 'd> {
    pub(super) fn new(
        (task, phase): (Task<'t>, &'static str),
        locality: Locality,
        guide: &'r mut Guide<'t>,
        witnesses: &'r mut Vec<Witness>,
        driver: &'r mut Driver<'d>,
    ) -> Self {
        let layers = Layers::new(task.system, locality.0, Relays::EverySoOften(SAMPLES));
        let (probe, pending, end) = (task.system.explorer(), Vec::new(), End::default());
        let (bound, expanded_before, from, cost) = (None, 0, 0, 0);
        Run { task, phase, guide, driver, witnesses, probe, layers, bound, expanded_before, pending, from, cost, end }
    }

    pub(super) fn search(mut self) -> Result<End, SearchError> {
        let halt = match self.search_all() {
            ControlFlow::Break(halt) => Some(halt),
            ControlFlow::Continue(()) => None,
        };
        self.end.halt = self.end.halt.or(halt);
        if matches!(halt, Some(Halt::Limit(_))) {
            // A failing step that waits for its turn is an error all the same.
            self.clear();
            for sighted in std::mem::take(&mut self.pending) {
                if !self.task.stop.is_satisfied(self.witnesses.len(), self.properties()) && self.wants(sighted.property)
                {
                    let _ = self.take(&sighted, Certainty::AnError);
                }
            }
        }
        if let Some(property) = self.end.lost {
            return Err(SearchError::PathLost { property });
        }
        self.end.stats.stored = self.driver.counted_states(self.end.stats.stored.max(self.layers.most()));
        self.end.stats.peak_memory = self.driver.peak_memory(self.memory());
        Ok(self.end)
    }

    fn search_all(&mut self) -> ControlFlow<Halt> {
        let mut explorer = self.task.system.explorer();
        let explorer = &mut *explorer;
        explorer.heed(self.driver.stop_signal());
        let mut flow = ControlFlow::Continue(());
        explorer.initial(&mut |state| {
            if flow.is_continue() {
                flow = self.arrive(None, 0, state);
            }
        });
        flow?;
        let mut current = StateBuf::default();
        while let Some(cost) = self.layers.least_open() {
            self.settle(Some(cost))?;
            self.cost = cost;
            self.end.floor = self.end.floor.max(cost);
            self.layers.begin(cost);
            while let Some(place) = self.layers.take(cost, &mut current) {
                self.from = place;
                let before = self.end.stats.generated;
                self.visit(explorer, current.as_state())?;
                if self.driver.is_due(1 + self.end.stats.generated - before)
                    && let Some(reason) = self.driver.check(self.snapshot())
                {
                    return ControlFlow::Break(Halt::Limit(reason));
                }
            }
            self.layers.end(cost);
            let used = self.memory() + self.driver.uncounted();
            if is_scarce(used, self.driver.limits().memory) {
                self.layers.relieve();
            }
        }
        self.settle(None)
    }

    /// Tests a state and expands it.
    fn visit(&mut self, explorer: &mut dyn Explorer, state: State<'_>) -> ControlFlow<Halt> {
        let goals = self.task.goals;
        for goal in &goals.invariants {
            if self.wants(goal.property)
                && self.probe.holds(goal.atom, state) != goal.expected
                && !goals.is_known(goal.property, None, state)
            {
                self.report(self.sighted(goal.property))?;
            }
        }
        self.end.stats.expanded += 1;
        self.end.stats.depth = self.end.stats.depth.max(self.cost);
        let expansion = expand(explorer, state, self)?;
        self.end.endless |= expansion.cut;
        if expansion.deadlock {
            self.end.stats.deadlocks += 1;
            if let Some(property) = goals.deadlock.filter(|property| self.wants(*property))
                && !goals.is_known(property, None, state)
            {
                self.end.stats.expanded -= 1;
                self.report(self.sighted(property))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn arrive(&mut self, from: Option<Place>, cost: u64, state: State<'_>) -> ControlFlow<Halt> {
        let (guide, bound, end) = (&mut *self.guide, self.bound, &mut self.end);
        let is_worth_it = || {
            let estimate = guide.estimate(state, None);
            let f = guide.f(cost, estimate);
            if guide.is_proof(estimate) {
                end.stats.dead_ends += 1;
                return false;
            }
            let is_within = bound.is_none_or(|bound| f <= bound);
            if !is_within {
                end.least_cut = end.least_cut.into_iter().chain([f]).min();
            }
            is_within
        };
        match self.layers.meet(from, cost, state, is_worth_it) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(_)) => {}
            Err(OutOfMemory) => return ControlFlow::Break(Halt::Limit(StopReason::Memory)),
        }
        if self.driver.exceeds_states(self.layers.len() as u64) {
            self.layers.relieve();
            if self.driver.exceeds_states(self.layers.len() as u64) {
                return ControlFlow::Break(Halt::Limit(StopReason::States));
            }
        }
        ControlFlow::Continue(())
    }

    /// The state under way, as an error of this property.
    fn sighted(&self, property: PropertyIndex) -> Sighted {
        Sighted { property, failure: None, cost: self.cost, relays: self.relays() }
    }

    fn relays(&self) -> Vec<Relay> {
        self.layers.relays_to(self.from)
    }

    /// Reports the failing steps whose turn it is, now that the cheapest open state costs this.
    fn settle(&mut self, least_open: Option<u64>) -> ControlFlow<Halt> {
        while let Some(at) = self.pending.iter().position(|sighted| least_open.is_none_or(|open| sighted.cost <= open))
        {
            let sighted = self.pending.swap_remove(at);
            let cheaper = self.pending.iter().position(|other| other.cost < sighted.cost);
            let sighted = match cheaper {
                Some(other) => std::mem::replace(&mut self.pending[other], sighted),
                None => sighted,
            };
            self.report(sighted)?;
        }
        ControlFlow::Continue(())
    }

    /// Takes the cheapest error of its property as result.
    fn report(&mut self, sighted: Sighted) -> ControlFlow<Halt> {
        if !self.wants(sighted.property) {
            return ControlFlow::Continue(());
        }
        self.end.floor = self.end.floor.max(sighted.cost);
        self.pending.retain(|other| other.property != sighted.property);
        if self.task.stop == StopPolicy::FirstError {
            // Nothing else is of interest any more: the room is for the search for the path.
            self.clear();
        }
        self.take(&sighted, Certainty::TheCheapest)?;
        if self.task.stop.is_satisfied(self.witnesses.len(), self.properties()) {
            return ControlFlow::Break(Halt::Error);
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, sighted: &Sighted, certainty: Certainty) -> ControlFlow<Halt> {
        let proven_shortest = certainty == Certainty::TheCheapest && !self.end.endless;
        let memory = self.layers.memory();
        let mut retrace = Retrace {
            task: self.task,
            phase: self.phase,
            guide: self.guide,
            driver: self.driver,
            stats: &mut self.end.stats,
            within: sighted.cost,
            memory,
        };
        match retrace.witness(sighted, proven_shortest) {
            Ok(witness) => {
                self.witnesses.push(witness);
                ControlFlow::Continue(())
            }
            Err(Lost::Halt(halt)) => ControlFlow::Break(halt),
            Err(Lost::Way) => {
                self.end.lost = Some(sighted.property);
                ControlFlow::Break(Halt::Error)
            }
        }
    }

    /// Everything that is held goes.
    fn clear(&mut self) {
        self.end.stats.stored = self.end.stats.stored.max(self.layers.most());
        self.end.stats.peak_memory = self.driver.peak_memory(self.memory()).max(self.end.stats.peak_memory);
        self.layers = Layers::new(self.task.system, 1, Relays::Everywhere);
    }

    fn wants(&self, property: PropertyIndex) -> bool {
        self.witnesses.iter().all(|known| known.property != property)
    }

    fn properties(&self) -> usize {
        self.task.goals.properties().len()
    }

    fn memory(&self) -> u64 {
        self.layers.memory() + self.guide.memory()
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            disk: None,
            network: None,
            phase: self.phase,
            preparing: None,
            stored: self.layers.len() as u64,
            expanded: self.expanded_before + self.end.stats.expanded,
            frontier: self.layers.waiting() as u64,
            depth: self.cost,
            best_estimate: self.guide.best(),
            at_least: self.end.floor,
            memory: self.memory(),
        }
    }
}

/// What is known of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Certainty {
    TheCheapest,
    AnError,
}

impl Follower for Run<'_, '_, '_> {
    fn stopped(&self) -> Option<StopReason> {
        self.driver.stopped()
    }

    fn follow(&mut self, step: &Step<'_>) -> ControlFlow<Halt> {
        if let Some(observer) = &mut self.driver.observer {
            observer.step(step.moves);
        }
        let cost = self.cost.saturating_add(step.weight);
        let failure = match step.outcome {
            Outcome::State(state) => {
                self.end.stats.generated += 1;
                return self.arrive(Some(self.from), cost, state);
            }
            Outcome::Failure(failure) => failure,
        };
        self.end.stats.count_failure(failure.kind);
        let goals = self.task.goals;
        let Some(property) = goals.failure(failure.kind).filter(|property| self.wants(*property)) else {
            return ControlFlow::Continue(());
        };
        if goals.is_known(property, Some(failure), State::default()) {
            return ControlFlow::Continue(());
        }
        if self.bound.is_some_and(|bound| cost > bound) {
            self.end.least_cut = self.end.least_cut.into_iter().chain([cost]).min();
            return ControlFlow::Continue(());
        }
        let known = self.pending.iter().position(|other| other.property == property);
        if known.is_none_or(|at| cost < self.pending[at].cost) {
            let sighted = Sighted { property, failure: Some(failure), cost, relays: self.relays() };
            match known {
                Some(at) => self.pending[at] = sighted,
                None => self.pending.push(sighted),
            }
        }
        ControlFlow::Continue(())
    }
}
