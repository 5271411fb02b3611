//! What becomes of states for which there is no room, where somebody else goes on with the search.

use std::ops::ControlFlow;

use bughound_kernel::{State, StateBuf, StateId, StopReason};

use super::{Share, Worker};
use crate::engines::best_first::frontier::Frontier;
use crate::engines::ending::Halt;
use crate::engines::meter::Meter;
use crate::evaluators::{Origin, Priority};
use crate::result::SearchError;
use crate::saving::Resumed;

/// A state that was reached from another one at this cost.
#[derive(Debug)]
pub(in crate::engines::best_first) struct Overflow {
    pub parent: Option<StateId>,
    pub cost: u64,
    pub state: StateBuf,
}

/// What a worker has done by the time it has ended.
pub(in crate::engines::best_first) struct BeforeHandingOver<P> {
    pub share: Share,
    pub priority: P,
    pub overflow: Vec<Overflow>,
    /// Memory was used up, and all that was known by then is there.
    pub hands_over: bool,
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

    /// Works from the initial states on, or from what was saved, for who hands over what is left.
    pub(in crate::engines::best_first) fn work_and_hand_over(
        mut self,
        resumed: Option<&Resumed>,
    ) -> Result<BeforeHandingOver<P>, SearchError> {
        let is_whole = match resumed {
            Some(resumed) => self.resume(resumed)?,
            None => {
                self.begin(u64::MAX);
                true
            }
        };
        if !self.is_out_of_memory() {
            self.save_at_end();
        }
        let hands_over = is_whole && self.is_out_of_memory();
        self.share.evaluations = self.priority.evaluations();
        self.share.queues = self.frontier.accesses();
        self.share.memory = self.frontier.memory() + self.priority.memory();
        self.conclude();
        let Worker { share, priority, overflow, .. } = self;
        Ok(BeforeHandingOver { share, priority, overflow, hands_over })
    }

    fn is_out_of_memory(&self) -> bool {
        self.shared.halted() == Some(Halt::Limit(StopReason::Memory))
    }
}
