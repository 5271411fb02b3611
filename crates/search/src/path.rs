//! Paths, reconstructed afterwards.
//!
//! During the search a state keeps the id of its parent and nothing else. The moves between two states are found by
//! expanding the parent again and taking the cheapest step that leads to the child.

use std::ops::ControlFlow;

use bughound_kernel::{Explorer, Failure, Move, Outcome, State, StateBuf, StateId, StateStore, Step, TransitionSystem};

use crate::costs::Costs;
use crate::goals::{Goals, PropertyIndex};
use crate::node_table::NodeTable;
use crate::result::{SearchError, Witness};

pub(crate) struct Paths<'a> {
    pub store: &'a dyn StateStore,
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
        let mut from = StateBuf::default();
        self.store.read(chain[0], &mut from);
        let start = from.clone();
        let mut path = Vec::with_capacity(chain.len());
        let mut length = 0_u64;
        let mut child_buf = StateBuf::default();
        let lost = || SearchError::PathLost { property };
        for &id in &chain[1..] {
            self.store.read(id, &mut child_buf);
            // A parent is only noted for a state that equals the step's outcome, its cover included, unless it was merged.
            let (child, system) = (child_buf.as_state(), self.system);
            let is_child = |outcome: &Outcome<'_>| match outcome {
                Outcome::State(met) if system.merges_covers() => {
                    met.key == child.key && {
                        let mut merged = child.cover.to_vec();
                        system.merge_covers(&mut merged, met.cover);
                        merged == child.cover
                    }
                }
                outcome => *outcome == Outcome::State(child),
            };
            let (moves, weight) =
                cheapest_step(self.explorer, from.as_state(), self.costs, is_child).ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
            std::mem::swap(&mut from, &mut child_buf);
        }
        let place = self.goals.place(failure, from.as_state());
        if let Some(failure) = failure {
            let fails = |outcome: &Outcome<'_>| *outcome == Outcome::Failure(failure);
            let (moves, weight) = cheapest_step(self.explorer, from.as_state(), self.costs, fails).ok_or_else(lost)?;
            path.push(moves);
            length = length.saturating_add(weight);
        }
        Ok(Witness { property, start, path, failure, place, length, proven_shortest, loop_start: None })
    }
}

/// The moves and the weight of the cheapest step whose outcome satisfies `wanted`, the first one among equals.
///
/// `wanted` is the hook for systems whose stored states differ from the states their steps emit, such as
/// representatives of symmetry classes.
pub fn cheapest_step(
    explorer: &mut dyn Explorer,
    from: State<'_>,
    costs: Costs,
    wanted: impl Fn(&Outcome<'_>) -> bool,
) -> Option<(Vec<Move>, u64)> {
    let mut best: Option<(u64, Vec<Move>, u64)> = None;
    let mut consider = |step: &Step<'_>| {
        let cost = costs.of_step(step);
        if wanted(&step.outcome) && best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, step.moves.to_vec(), step.weight));
        }
        ControlFlow::Continue(())
    };
    explorer.successors(from, &mut consider);
    best.map(|(_, moves, weight)| (moves, weight))
}
