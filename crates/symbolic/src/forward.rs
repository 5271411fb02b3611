//! Forward search in layers: all states of one cost at once, the cheapest first, so the first error found is a cheapest one.
//!
//! The layers are kept: a path to an error is found by going back from it, one state at a time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bughound_kernel::{FailureKind, StateBuf};
use bughound_search::{Goals, Place, PropertyIndex, SearchError, StopPolicy, Witness};

use crate::diagrams::{Computed, Set};
use crate::pulse::Pulse;
use crate::space::Space;

/// States of one cost that were reached together.
pub(crate) struct Layer {
    pub cost: u64,
    pub states: Set,
}

/// An error that was found.
pub(crate) struct Found {
    pub property: PropertyIndex,
    /// Of a path to it.
    pub cost: u64,
    layer: usize,
    states: Set,
    /// It is a step from these states that fails.
    failure: Option<FailureKind>,
}

pub(crate) struct Forward {
    pub layers: Vec<Layer>,
    pub reached: Set,
    open: BTreeMap<u64, Set>,
    /// At most one error for each property: a cheapest one.
    pub found: Vec<Found>,
    /// States beyond the bound on costs.
    dropped: Option<Set>,
    pub images: u64,
    pub image_time: Duration,
}

/// How a search through the layers ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There are no more states.
    Exhausted,
    /// What was asked for is found.
    Satisfied,
}

impl Forward {
    pub fn new(space: &mut Space<'_>) -> Computed<Forward> {
        let initial = space.initial()?;
        let reached = space.diagrams.empty();
        let open = if space.diagrams.is_empty(&initial) { BTreeMap::new() } else { BTreeMap::from([(0, initial)]) };
        let (layers, found) = (Vec::new(), Vec::new());
        Ok(Forward { layers, reached, open, found, dropped: None, images: 0, image_time: Duration::ZERO })
    }

    /// Takes layer after layer, up to the bound on costs.
    pub fn run(
        &mut self,
        space: &mut Space<'_>,
        goals: &Goals,
        stop: StopPolicy,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<End> {
        let bound = pulse.driver.max_depth();
        while let Some((cost, states)) = self.open.pop_first() {
            pulse.now.depth = cost;
            pulse.now.at_least = cost;
            if self.is_satisfied(goals, stop, cost) {
                self.open.insert(cost, states);
                return Ok(End::Satisfied);
            }
            let states = space.diagrams.without(&states, &self.reached)?;
            if space.diagrams.is_empty(&states) {
                continue;
            }
            if bound.is_some_and(|bound| cost > bound) {
                let dropped = self.dropped.get_or_insert_with(|| space.diagrams.empty());
                *dropped = space.diagrams.or(dropped, &states)?;
                continue;
            }
            self.reached = space.diagrams.or(&self.reached, &states)?;
            pulse.count(|| space.count(&self.reached))?;
            pulse.now.expanded = space.learned;
            pulse.now.frontier = self.open.len() as u64;
            space.learn(&states, &self.reached, pulse)?;
            self.layers.push(Layer { cost, states });
            self.look_for_errors(space, goals, bound, pulse)?;
            self.expand(space, cost, pulse)?;
        }
        // Errors found in the last layers may be steps that cost more than all states.
        match self.is_satisfied(goals, stop, u64::MAX) {
            true => Ok(End::Satisfied),
            false => Ok(End::Exhausted),
        }
    }

    /// Where the steps of the newest layer lead.
    fn expand(&mut self, space: &mut Space<'_>, cost: u64, pulse: &mut Pulse<'_, '_>) -> Computed<()> {
        let started = Instant::now();
        let Some(Layer { states, .. }) = self.layers.last() else { return Ok(()) };
        for group in &space.groups {
            for relation in &group.relations {
                pulse.beat(&space.diagrams)?;
                let image = relation.image(&space.diagrams, states)?;
                self.images += 1;
                if space.diagrams.is_empty(&image) {
                    continue;
                }
                let open =
                    self.open.entry(cost.saturating_add(relation.weight)).or_insert_with(|| space.diagrams.empty());
                *open = space.diagrams.or(open, &image)?;
            }
        }
        self.image_time += started.elapsed();
        Ok(())
    }

    /// Are there states that only the bound kept from being looked at?
    pub fn was_cut(&self, space: &Space<'_>) -> Computed<bool> {
        match &self.dropped {
            None => Ok(false),
            Some(dropped) => Ok(!space.diagrams.is_empty(&space.diagrams.without(dropped, &self.reached)?)),
        }
    }

    /// Is everything found that was asked for, if states of this cost are next?
    fn is_satisfied(&self, goals: &Goals, stop: StopPolicy, next: u64) -> bool {
        let certain = self.found.iter().filter(|found| found.cost <= next).count();
        match stop {
            StopPolicy::FirstError => certain > 0,
            StopPolicy::EveryProperty => certain > 0 && certain == goals.properties().len(),
            StopPolicy::Exhaustive => false,
        }
    }

    fn look_for_errors(
        &mut self,
        space: &mut Space<'_>,
        goals: &Goals,
        bound: Option<u64>,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let Some(Layer { cost, states }) = self.layers.last() else { return Ok(()) };
        let (cost, states, layer) = (*cost, states.clone(), self.layers.len() - 1);
        for goal in &goals.invariants {
            let violated = space.with_truth(&states, goal.atom, !goal.expected, pulse)?;
            self.note(space, Found { property: goal.property, cost, layer, states: violated, failure: None });
        }
        if let Some(property) = goals.deadlock {
            let states = space.deadlocks(&states)?;
            self.note(space, Found { property, cost, layer, states, failure: None });
        }
        for kind in [FailureKind::Assertion, FailureKind::Evaluation] {
            let Some(property) = goals.failure(kind) else { continue };
            for (weight, states) in space.failing(&states, kind)? {
                let cost = cost.saturating_add(weight);
                if bound.is_some_and(|bound| cost > bound) {
                    self.dropped.get_or_insert_with(|| space.diagrams.full());
                    continue;
                }
                self.note(space, Found { property, cost, layer, states, failure: Some(kind) });
            }
        }
        Ok(())
    }

    fn note(&mut self, space: &Space<'_>, found: Found) {
        if space.diagrams.is_empty(&found.states) {
            return;
        }
        match self.found.iter_mut().find(|known| known.property == found.property) {
            Some(known) if found.cost < known.cost => *known = found,
            Some(_) => {}
            None => self.found.push(found),
        }
    }

    /// Paths to the errors: the cheapest alone if one is enough.
    pub fn witnesses(&self, space: &mut Space<'_>, stop: StopPolicy) -> Computed<Result<Vec<Witness>, SearchError>> {
        let mut found: Vec<&Found> = self.found.iter().collect();
        found.sort_by_key(|found| found.cost);
        if stop == StopPolicy::FirstError {
            found.truncate(1);
        }
        let mut witnesses = Vec::new();
        for found in found {
            match self.witness(space, found)? {
                Some(witness) => witnesses.push(witness),
                None => return Ok(Err(SearchError::PathLost { property: found.property })),
            }
        }
        Ok(Ok(witnesses))
    }

    fn witness(&self, space: &mut Space<'_>, found: &Found) -> Computed<Option<Witness>> {
        let Some(end) = space.pick(&found.states) else { return Ok(None) };
        let Some((start, mut path, mut length)) = self.path_to(space, end.clone(), found.layer)? else {
            return Ok(None);
        };
        let mut failure = None;
        if let Some(kind) = found.failure {
            let fails = |outcome: &bughound_kernel::Outcome<'_>| matches!(outcome, bughound_kernel::Outcome::Failure(failure) if failure.kind == kind);
            let Some(taken) = space.take(&end, fails) else { return Ok(None) };
            failure = taken.failure;
            length += taken.weight;
            path.push(taken.moves);
        }
        let start = StateBuf { key: start, cover: Vec::new() };
        let (property, place, proven_shortest) = (found.property, Place::new(), !space.endless);
        Ok(Some(Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None }))
    }

    /// A path from the start to a state of a layer, backwards from layer to layer: where it starts, its moves, its length.
    #[allow(clippy::type_complexity)]
    fn path_to(
        &self,
        space: &mut Space<'_>,
        end: Vec<i32>,
        layer: usize,
    ) -> Computed<Option<(Vec<i32>, Vec<Vec<bughound_kernel::Move>>, u64)>> {
        let (mut at, mut layer, mut path, mut length) = (end, layer, Vec::new(), 0);
        while layer > 0 {
            let Some((before, earlier)) = self.step_back(space, &at, layer)? else { return Ok(None) };
            let leads_there = |outcome: &bughound_kernel::Outcome<'_>| matches!(outcome, bughound_kernel::Outcome::State(state) if state.key == at);
            let Some(taken) = space.take(&before, leads_there) else { return Ok(None) };
            length += taken.weight;
            path.push(taken.moves);
            (at, layer) = (before, earlier);
        }
        path.reverse();
        Ok(Some((at, path, length)))
    }

    /// A state of an earlier layer from which a step leads to this one, at the cost between the layers.
    fn step_back(&self, space: &Space<'_>, to: &[i32], layer: usize) -> Computed<Option<(Vec<i32>, usize)>> {
        let target = space.single(to)?;
        let cost = self.layers[layer].cost;
        for group in &space.groups {
            for relation in &group.relations {
                let Some(earlier) = cost.checked_sub(relation.weight) else { continue };
                let before = relation.preimage(&space.diagrams, &target)?;
                if space.diagrams.is_empty(&before) {
                    continue;
                }
                for at in (0..layer).rev().filter(|at| self.layers[*at].cost == earlier) {
                    let here = space.diagrams.and(&before, &self.layers[at].states)?;
                    if let Some(state) = space.pick(&here) {
                        return Ok(Some((state, at)));
                    }
                }
            }
        }
        Ok(None)
    }
}
