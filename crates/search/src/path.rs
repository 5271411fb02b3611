//! Paths, reconstructed afterwards.
//!
//! During the search a state keeps the id of its parent and nothing else. The moves between two states are found by
//! expanding the parent again and taking the cheapest step that leads to the child. A store that has forgotten the states of
//! the path knows them again when they come out of these steps. If it has confused one with another, what comes out need not be
//! the path, nor end in the error: then the path is lost.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Failure, Move, Outcome, State, StateBuf, StateId, StateStore, Step, TransitionSystem};

use crate::costs::Costs;
use crate::goals::{Goals, PropertyIndex};
use crate::node_table::NodeTable;
use crate::result::{SearchError, Witness};

pub(crate) struct Paths<'a> {
    pub store: &'a mut dyn StateStore,
    /// Only states that wait to be expanded can be read.
    pub forgets: bool,
    pub nodes: &'a NodeTable,
    pub system: &'a dyn TransitionSystem,
    pub explorer: &'a mut dyn Explorer,
    pub costs: Costs,
    pub goals: &'a Goals,
}

impl Paths<'_> {
    /// The path to a state, followed by a failing step if there is a failure.
    ///
    /// The length is that of the steps found. It may be less than the cost noted at the state: the cost of its
    /// ancestors may have fallen since, without the state having been reached again.
    pub(crate) fn to(
        &mut self,
        end: StateId,
        failure: Option<Failure>,
        property: PropertyIndex,
        proven_shortest: bool,
    ) -> Result<Witness, SearchError> {
        let mut chain: Vec<StateId> = std::iter::successors(Some(end), |&id| self.nodes.parent(id)).collect();
        chain.reverse();
        let lost = || SearchError::PathLost { property };
        let mut from = self.start(chain[0]).ok_or_else(lost)?;
        let start = from.clone();
        let mut path = Vec::with_capacity(chain.len());
        let mut length = 0_u64;
        for &id in &chain[1..] {
            let Taken { moves, weight } = self.step_to(id, &mut from).ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
        }
        // Who looks for shorter and shorter paths relies on their getting shorter.
        if self.store.is_lossy() && self.costs == Costs::Additive && length > self.nodes.cost(end) {
            return Err(lost());
        }
        let place = self.goals.place(failure, from.as_state());
        if let Some(failure) = failure {
            let step = failing_step(self.explorer, from.as_state(), self.costs, failure);
            let Taken { moves, weight } = step.ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
        } else if self.store.is_lossy() && !self.is_error(property, from.as_state()) {
            return Err(lost());
        }
        Ok(Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None })
    }

    /// The initial state with this id.
    fn start(&mut self, id: StateId) -> Option<StateBuf> {
        let mut start = None;
        if !self.forgets {
            self.store.read(id, start.insert(StateBuf::default()));
            return start;
        }
        self.explorer.initial(&mut |state| {
            if start.is_none() && self.store.is(id, state) {
                start = Some(state.into());
            }
        });
        start
    }

    /// Takes the cheapest step from a state to the one with this id, which takes its place.
    fn step_to(&mut self, id: StateId, from: &mut StateBuf) -> Option<Taken> {
        if self.forgets {
            let mut child: Option<StateBuf> = None;
            let is_child = |outcome: &Outcome<'_>| match (outcome, &child) {
                (Outcome::State(met), None) => {
                    child = self.store.is(id, *met).then(|| (*met).into());
                    child.is_some()
                }
                // Of several that the store confuses, it is the first one.
                (Outcome::State(met), Some(child)) => *met == child.as_state(),
                (Outcome::Failure(_), _) => false,
            };
            let taken = cheapest_step(self.explorer, from.as_state(), self.costs, is_child);
            *from = child?;
            return taken;
        }
        let mut child = StateBuf::default();
        self.store.read(id, &mut child);
        let taken = step_between(self.system, self.explorer, self.costs, from.as_state(), &child);
        *from = child;
        taken
    }

    /// Does this state violate a property by itself?
    fn is_error(&mut self, property: PropertyIndex, state: State<'_>) -> bool {
        let mut invariants = self.goals.invariants.iter().filter(|goal| goal.property == property);
        invariants.any(|goal| self.explorer.holds(goal.atom, state) != goal.expected)
            || self.goals.deadlock == Some(property)
                && self.explorer.successors(state, &mut |_| ControlFlow::Continue(())).deadlock
    }
}

/// The path along states that were looked up elsewhere, each the parent of the next one, followed by a failing step if there is a
/// failure.
pub fn along(
    system: &dyn TransitionSystem,
    goals: &Goals,
    chain: &[StateBuf],
    failure: Option<Failure>,
    property: PropertyIndex,
    proven_shortest: bool,
) -> Result<Witness, SearchError> {
    let lost = || SearchError::PathLost { property };
    let explorer = &mut *system.explorer();
    let (start, end) = chain.first().zip(chain.last()).ok_or_else(lost)?;
    let mut path = Vec::with_capacity(chain.len());
    let mut length = 0_u64;
    let mut take = |taken: Option<Taken>| -> Result<(), SearchError> {
        let Taken { moves, weight } = taken.ok_or_else(lost)?;
        path.push(moves);
        length = length.saturating_add(weight);
        Ok(())
    };
    for step in chain.windows(2) {
        take(step_between(system, explorer, Costs::Additive, step[0].as_state(), &step[1]))?;
    }
    if let Some(failure) = failure {
        take(failing_step(explorer, end.as_state(), Costs::Additive, failure))?;
    }
    let place = goals.place(failure, end.as_state());
    Ok(Witness { property, start: start.clone(), path, failure, place, length, proven_shortest, loop_start: None })
}

/// The cheapest step from a state to a stored one.
fn step_between(
    system: &dyn TransitionSystem,
    explorer: &mut dyn Explorer,
    costs: Costs,
    from: State<'_>,
    child: &StateBuf,
) -> Option<Taken> {
    // A parent is only noted for a state that equals the step's outcome, its cover included, unless it was merged.
    let is_child = |outcome: &Outcome<'_>| match outcome {
        Outcome::State(met) if system.merges_covers() => {
            met.key == child.key && {
                let mut merged = child.cover.clone();
                system.merge_covers(&mut merged, met.cover);
                merged == child.cover
            }
        }
        outcome => *outcome == Outcome::State(child.as_state()),
    };
    cheapest_step(explorer, from, costs, is_child)
}

fn failing_step(explorer: &mut dyn Explorer, from: State<'_>, costs: Costs, failure: Failure) -> Option<Taken> {
    cheapest_step(explorer, from, costs, |outcome| *outcome == Outcome::Failure(failure))
}

/// A step of a path.
pub(crate) struct Taken {
    pub moves: Vec<Move>,
    pub weight: u64,
}

/// The cheapest step whose outcome satisfies `wanted`, the first one among equals.
pub(crate) fn cheapest_step(
    explorer: &mut dyn Explorer,
    from: State<'_>,
    costs: Costs,
    mut wanted: impl FnMut(&Outcome<'_>) -> bool,
) -> Option<Taken> {
    let mut best: Option<(u64, Taken)> = None;
    let mut consider = |step: &Step<'_>| {
        let cost = costs.of_step(step);
        if wanted(&step.outcome) && best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, Taken { moves: step.moves.to_vec(), weight: step.weight }));
        }
        ControlFlow::Continue(())
    };
    explorer.successors(from, &mut consider);
    best.map(|(_, taken)| taken)
}
