//! Forward search: the states of one cost, and of one estimate where a heuristic is asked, take their steps together; those with the
//! smallest sum of both come first. So the first error found is a cheapest one.
//!
//! Without a heuristic these are the layers of breadth-first search. With one they are the buckets of SetA\* (Jensen, Bryant, Veloso
//! 2002), which hold states of one cost and one estimate, or those of BDDA\* (Edelkamp, Reffel 1998), which hold all states with one
//! sum. Steps that write nothing the heuristic looks at keep the estimate; what others lead to is told apart by it.
//!
//! The heuristic must be consistent. Then no state is taken before its cheapest path is known, and a bucket that was emptied fills
//! again only by steps that cost nothing: there are at most (f + 1) (f + 2) / 2 of them up to an error of cost f. What is seen of
//! that is looked at: an estimate that falls by more than a step costs ends the search.
//!
//! All layers are kept: a path to an error is found by going back from it, one state at a time.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use bughound_kernel::{FailureKind, StateBuf};
use bughound_search::{Goals, Place, PropertyIndex, SearchError, StopPolicy, Witness};

use crate::diagrams::{Computed, Set, Stop};
use crate::estimates::Estimates;
use crate::group::Relation;
use crate::pulse::Pulse;
use crate::space::Space;

/// Which states take their steps together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buckets {
    /// Those of one cost and one estimate.
    CostAndEstimate,
    /// Those with one sum of both.
    Sum,
}

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

pub(crate) struct Forward<'h> {
    pub layers: Vec<Layer>,
    pub reached: Set,
    /// By the sum of cost and estimate, and then by cost, if that is told apart.
    open: BTreeMap<(u64, u64), Set>,
    estimates: Option<Estimates<'h>>,
    buckets: Buckets,
    /// At most one error for each property: a cheapest one.
    pub found: Vec<Found>,
    /// States beyond the bound on costs.
    dropped: Option<Set>,
    /// States from which no error can be reached, says the heuristic.
    pub hopeless: Set,
    pub images: u64,
    pub image_time: Duration,
    /// Sets whose steps were taken, and their nodes in all.
    pub frontiers: u64,
    pub frontier_nodes: u64,
}

/// States that take their steps together, of one cost and one estimate.
struct Part {
    cost: u64,
    estimate: u64,
    states: Set,
}

/// How a search through the layers ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// There are no more states.
    Exhausted,
    /// What was asked for is found.
    Satisfied,
}

impl<'h> Forward<'h> {
    pub fn new(
        space: &mut Space<'_>,
        estimates: Option<Estimates<'h>>,
        buckets: Buckets,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<Forward<'h>> {
        let mut forward = Forward {
            layers: Vec::new(),
            reached: space.diagrams.empty(),
            open: BTreeMap::new(),
            estimates,
            buckets,
            found: Vec::new(),
            dropped: None,
            hopeless: space.diagrams.empty(),
            images: 0,
            image_time: Duration::ZERO,
            frontiers: 0,
            frontier_nodes: 0,
        };
        let initial = space.initial()?;
        if !space.diagrams.is_empty(&initial) {
            for (estimate, states) in forward.split(space, initial, pulse)? {
                forward.add(space, estimate, 0, &states)?;
            }
        }
        Ok(forward)
    }

    /// Takes bucket after bucket, up to the bound on costs.
    pub fn run(
        &mut self,
        space: &mut Space<'_>,
        goals: &Goals,
        stop: StopPolicy,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<End> {
        let bound = pulse.driver.max_depth();
        while let Some((key, states)) = self.open.pop_first() {
            let (sum, cost) = key;
            pulse.now.at_least = sum;
            if self.is_satisfied(goals, stop, sum) {
                self.open.insert(key, states);
                return Ok(End::Satisfied);
            }
            let states = space.diagrams.without(&states, &self.reached)?;
            if space.diagrams.is_empty(&states) {
                continue;
            }
            let mut parts = match self.buckets {
                Buckets::CostAndEstimate => vec![Part { cost, estimate: sum - cost, states }],
                Buckets::Sum => {
                    let parts = self.split(space, states, pulse)?.into_iter();
                    parts.map(|(estimate, states)| Part { cost: sum - estimate, estimate, states }).collect()
                }
            };
            for part in parts.extract_if(.., |part| bound.is_some_and(|bound| part.cost > bound)) {
                let dropped = self.dropped.get_or_insert_with(|| space.diagrams.empty());
                *dropped = space.diagrams.or(dropped, &part.states)?;
            }
            if parts.is_empty() {
                continue;
            }
            let all =
                parts.iter().try_fold(space.diagrams.empty(), |all, part| space.diagrams.or(&all, &part.states))?;
            self.reached = space.diagrams.or(&self.reached, &all)?;
            pulse.now.depth = parts.iter().map(|part| part.cost).max().unwrap_or(0);
            pulse.count(|| space.count(&self.reached))?;
            pulse.now.expanded = space.learned;
            pulse.now.frontier = self.open.len() as u64;
            self.frontiers += 1;
            self.frontier_nodes += space.diagrams.nodes(&all);
            space.learn(&all, &self.reached, pulse)?;
            for part in &parts {
                self.layers.push(Layer { cost: part.cost, states: part.states.clone() });
                self.look_for_errors(space, goals, bound, pulse)?;
            }
            self.expand(space, sum, &all, &parts, pulse)?;
        }
        // Errors found in the last layers may be steps that cost more than all states.
        match self.is_satisfied(goals, stop, u64::MAX) {
            true => Ok(End::Satisfied),
            false => Ok(End::Exhausted),
        }
    }

    /// States by estimate; without a heuristic they have all the same.
    fn split(&mut self, space: &Space<'_>, states: Set, pulse: &mut Pulse<'_, '_>) -> Computed<Vec<(u64, Set)>> {
        match &mut self.estimates {
            None => Ok(vec![(0, states)]),
            Some(estimates) => {
                let (parts, hopeless) = estimates.split(space, &states, pulse)?;
                self.hopeless = space.diagrams.or(&self.hopeless, &hopeless)?;
                Ok(parts)
            }
        }
    }

    /// Notes that states were reached.
    fn add(&mut self, space: &Space<'_>, sum: u64, cost: u64, states: &Set) -> Computed<()> {
        let key = match self.buckets {
            Buckets::CostAndEstimate => (sum, cost),
            Buckets::Sum => (sum, 0),
        };
        let open = self.open.entry(key).or_insert_with(|| space.diagrams.empty());
        *open = space.diagrams.or(open, states)?;
        Ok(())
    }

    /// Where the steps of states with the same sum lead: `all`, or part by part where the estimate may change.
    fn expand(
        &mut self,
        space: &Space<'_>,
        sum: u64,
        all: &Set,
        parts: &[Part],
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<()> {
        let started = Instant::now();
        for relation in space.groups.iter().flat_map(|group| &group.relations) {
            let weight = relation.weight;
            let keeps = self.estimates.as_ref().is_none_or(|estimates| !estimates.changes_by(&relation.written));
            if let (true, [Part { cost, .. }, ..]) = (keeps, parts) {
                let image = self.image(space, relation, all, pulse)?;
                if !space.diagrams.is_empty(&image) {
                    self.add(space, sum.saturating_add(weight), cost.saturating_add(weight), &image)?;
                }
                continue;
            }
            for Part { cost, estimate, states } in parts {
                let image = self.image(space, relation, states, pulse)?;
                let cost = cost.saturating_add(weight);
                for (after, states) in self.split(space, image, pulse)? {
                    if after.saturating_add(weight) < *estimate {
                        let what =
                            format!("an estimate falls from {estimate} to {after} by a step that costs {weight}");
                        return Err(Stop::Broken(what));
                    }
                    self.add(space, cost.saturating_add(after), cost, &states)?;
                }
            }
        }
        self.image_time += started.elapsed();
        Ok(())
    }

    fn image(
        &mut self,
        space: &Space<'_>,
        relation: &Relation,
        from: &Set,
        pulse: &mut Pulse<'_, '_>,
    ) -> Computed<Set> {
        pulse.beat(&space.diagrams)?;
        self.images += 1;
        relation.image(&space.diagrams, from)
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
        let (property, place) = (found.property, Place::new());
        Ok(Some(Witness { property, start, path, failure, place, length, proven_shortest: true, loop_start: None }))
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
