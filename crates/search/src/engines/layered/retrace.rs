//! From relays to a path: between two of them the search is made again, with relays half-way, until they are one step apart.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Failure, Move, OutOfMemory, Outcome, State, StateBuf, Step, StopReason};

use super::layers::{Layers, Relay, Relays};
use crate::costs::Costs;
use crate::driver::{Driver, Snapshot};
use crate::engines::ending::Halt;
use crate::engines::expansion::{Follower, expand};
use crate::engines::guide::Guide;
use crate::engines::pool::{Place, is_normal_form};
use crate::goals::PropertyIndex;
use crate::path::{Taken, cheapest_step};
use crate::result::{Statistics, Witness};
use crate::search::Task;

/// Why there is no path.
pub(super) enum Lost {
    Halt(Halt),
    /// The search did not come along the relays again.
    Way,
}

impl From<Halt> for Lost {
    fn from(halt: Halt) -> Self {
        Lost::Halt(halt)
    }
}

impl From<OutOfMemory> for Lost {
    fn from(_: OutOfMemory) -> Self {
        Lost::Halt(Halt::Limit(StopReason::Memory))
    }
}

/// An error and the relays on the way to it: the last one is the state that it is, or that the failing step begins in.
#[derive(Clone, Debug)]
pub(super) struct Sighted {
    pub property: PropertyIndex,
    pub failure: Option<Failure>,
    pub cost: u64,
    pub relays: Vec<Relay>,
}

pub(super) struct Retrace<'r, 't, 'd> {
    pub task: Task<'t>,
    pub phase: &'static str,
    pub guide: &'r mut Guide<'t>,
    pub driver: &'r mut Driver<'d>,
    pub stats: &'r mut Statistics,
    /// All states on the way have an f up to this.
    pub within: u64,
    /// What others hold.
    pub memory: u64,
}

impl Retrace<'_, '_, '_> {
    pub(super) fn witness(&mut self, sighted: &Sighted, proven_shortest: bool) -> Result<Witness, Lost> {
        let mut explorer = self.task.system.explorer();
        explorer.heed(self.driver.stop_signal());
        let explorer = &mut *explorer;
        let mut path = Vec::new();
        for pair in sighted.relays.windows(2) {
            self.between(explorer, &pair[0], &pair[1], &mut path)?;
        }
        let end = sighted.relays.last().ok_or(Lost::Way)?;
        let Sighted { property, failure, cost: length, .. } = *sighted;
        if let Some(failure) = failure {
            let fails = |outcome: &Outcome<'_>| *outcome == Outcome::Failure(failure);
            let step = cheapest_step(explorer, end.state.as_state(), Costs::Additive, fails);
            self.listen()?;
            path.push(step.filter(|step| end.cost.saturating_add(step.weight) == length).ok_or(Lost::Way)?.moves);
        }
        let place = self.task.goals.place(failure, end.state.as_state());
        let start = self.start(explorer, &sighted.relays[0].state).ok_or(Lost::Way)?;
        Ok(Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None })
    }

    /// The initial state that looks like this in the pool.
    fn start(&self, explorer: &mut dyn Explorer, normal: &StateBuf) -> Option<StateBuf> {
        let mut start = None;
        explorer.initial(&mut |state| {
            if start.is_none() && is_normal_form(self.task.system, state, normal) {
                start = Some(state.into());
            }
        });
        start
    }

    /// The moves from one relay to the next one.
    fn between(
        &mut self,
        explorer: &mut dyn Explorer,
        from: &Relay,
        to: &Relay,
        path: &mut Vec<Vec<Move>>,
    ) -> Result<(), Lost> {
        let cost = to.cost.checked_sub(from.cost).ok_or(Lost::Way)?;
        let system = self.task.system;
        let is_end = |state: State<'_>| is_normal_form(system, state, &to.state);
        let is_step = |outcome: &Outcome<'_>| matches!(outcome, Outcome::State(state) if is_end(*state));
        let step = cheapest_step(explorer, from.state.as_state(), Costs::Additive, is_step);
        self.listen()?;
        if let Some(Taken { moves, .. }) = step.filter(|step| step.weight == cost) {
            path.push(moves);
            return Ok(());
        }
        let relays = if cost == 0 { Relays::Everywhere } else { Relays::Across(from.cost + cost / 2) };
        let mut layers = Layers::new(system, 1, relays);
        layers.meet(None, from.cost, from.state.as_state(), || true)?;
        let mut way = Way { search: self, layers: &mut layers, to, from: 0, cost: 0, found: None };
        way.follow_all(explorer)?;
        let found = way.found.ok_or(Lost::Way)?;
        let relays = layers.relays_to(found);
        self.stats.stored = self.stats.stored.max(layers.most());
        drop(layers);
        // One step would have been found above.
        if relays.len() <= 2 {
            return Err(Lost::Way);
        }
        for pair in relays.windows(2) {
            self.between(explorer, &pair[0], &pair[1], path)?;
        }
        Ok(())
    }

    /// What was emitted means nothing if the search was told to end.
    fn listen(&self) -> Result<(), Lost> {
        self.driver.stopped().map_or(Ok(()), |reason| Err(Lost::Halt(Halt::Limit(reason))))
    }
}

/// A search for one state, in layers.
struct Way<'w, 'r, 't, 'd> {
    search: &'w mut Retrace<'r, 't, 'd>,
    layers: &'w mut Layers<'t>,
    to: &'w Relay,
    /// The state under way.
    from: Place,
    cost: u64,
    found: Option<Place>,
}

impl Way<'_, '_, '_, '_> {
    fn follow_all(&mut self, explorer: &mut dyn Explorer) -> Result<(), Lost> {
        let mut current = StateBuf::default();
        while let Some(cost) = self.layers.least_open() {
            self.layers.begin(cost);
            self.cost = cost;
            while let Some(place) = self.layers.take(cost, &mut current) {
                self.from = place;
                self.search.stats.expanded += 1;
                let before = self.search.stats.generated;
                let expanded = expand(explorer, current.as_state(), self);
                if self.found.is_some() {
                    return Ok(());
                }
                if let ControlFlow::Break(halt) = expanded {
                    return Err(halt.into());
                }
                let generated = self.search.stats.generated - before;
                if self.search.driver.is_due(1 + generated)
                    && let Some(reason) = self.search.driver.check(self.snapshot())
                {
                    return Err(Halt::Limit(reason).into());
                }
            }
            self.layers.end(cost);
        }
        Ok(())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            phase: self.search.phase,
            stored: self.layers.len() as u64,
            expanded: self.search.stats.expanded,
            frontier: self.layers.waiting() as u64,
            depth: self.cost,
            at_least: self.search.within,
            memory: self.layers.memory() + self.search.memory + self.search.guide.memory(),
            ..Snapshot::default()
        }
    }
}

impl Follower for Way<'_, '_, '_, '_> {
    fn stopped(&self) -> Option<StopReason> {
        self.search.driver.stopped()
    }

    fn follow(&mut self, step: &Step<'_>) -> ControlFlow<Halt> {
        let Outcome::State(state) = step.outcome else { return ControlFlow::Continue(()) };
        self.search.stats.generated += 1;
        let cost = self.cost.saturating_add(step.weight);
        if cost > self.to.cost {
            return ControlFlow::Continue(());
        }
        let (guide, within) = (&mut *self.search.guide, self.search.within);
        let is_worth_it = || {
            let estimate = guide.estimate(state, None);
            !guide.is_proof(estimate) && guide.f(cost, estimate) <= within
        };
        let Ok(met) = self.layers.meet(Some(self.from), cost, state, is_worth_it) else {
            return ControlFlow::Break(Halt::Limit(StopReason::Memory));
        };
        if self.search.driver.exceeds_states(self.layers.len() as u64) {
            self.layers.relieve();
            if self.search.driver.exceeds_states(self.layers.len() as u64) {
                return ControlFlow::Break(Halt::Limit(StopReason::States));
            }
        }
        if cost == self.to.cost && is_normal_form(self.search.task.system, state, &self.to.state) {
            self.found = met;
            if met.is_some() {
                // There is nothing else to look for.
                return ControlFlow::Break(Halt::Error);
            }
        }
        ControlFlow::Continue(())
    }
}
