//! What becomes of states for which there is no room, where somebody else goes on with the search.

use std::ops::ControlFlow;

use bughound_kernel::{State, StateBuf, StateId, StopReason};

use super::{Share, Worker};
use crate::engines::best_first::frontier::Frontier;
use crate::engines::ending::Halt;
use crate::engines::meter::Meter;
use crate::evaluators::{Origin, Priority};

/// A state that was reached from another one at this cost.
#[derive(Debug)]
pub(in crate::engines::best_first) struct Overflow {
    pub parent: Option<StateId>,
    pub cost: u64,
    pub state: StateBuf,
}

impl<F: Frontier<P::Key>, P: Priority, M: Meter> Worker<'_, '_, F, P, M> {
    /// There is no room for a state. If somebody else goes on, the expansion comes to its end, and the state is handed over with all
    /// others.
    #[cold]
    pub(super) fn has_no_room(&mut self, from: Option<Origin<'_>>, cost: u64, state: State<'_>) -> ControlFlow<()> {
        if !self.shared.hands_over {
            return self.stop(Halt::Limit(StopReason::Memory));
        }
        let parent = from.map(|origin| origin.id);
        self.overflow.push(Overflow { parent, cost, state: state.into() });
        ControlFlow::Continue(())
    }

    /// Was there no room for a state? Then an expansion was the last.
    #[inline]
    pub(super) fn overflows(&mut self) -> bool {
        if !self.overflow.is_empty() {
            let _ = self.stop(Halt::Limit(StopReason::Memory));
        }
        !self.overflow.is_empty()
    }

    /// Works from the initial states on, for who hands over what is left: with the evaluator, and what there was no room for.
    pub(in crate::engines::best_first) fn work_and_hand_over(mut self) -> (Share, P, Vec<Overflow>) {
        self.begin(u64::MAX);
        self.share.evaluations = self.priority.evaluations();
        self.share.queues = self.frontier.accesses();
        self.share.memory = self.frontier.memory() + self.priority.memory();
        self.conclude();
        (self.share, self.priority, self.overflow)
    }
}
