//! What a worker can tell of the search while it is under way.

use std::sync::atomic::Ordering;

use bughound_kernel::StateId;

use super::Worker;
use crate::costs::Costs;
use crate::driver::Snapshot;
use crate::engines::best_first::frontier::Frontier;
use crate::engines::meter::Meter;
use crate::evaluators::Priority;

impl<F: Frontier<P::Key>, P: Priority, M: Meter> Worker<'_, '_, F, P, M> {
    /// Is an error whose turn it is a shortest one?
    pub(super) fn proves_shortest(&self) -> bool {
        let lossy = self.store.is_lossy() || self.frontier.has_lost_entries();
        let losses = &self.shared.losses;
        self.priority.finds_cheapest_first()
            && !losses.postponed.load(Ordering::SeqCst)
            && !lossy
            && !self.shared.system.merges_covers()
            && (!losses.pruned.load(Ordering::SeqCst) || self.priority.prunes_safely())
    }

    pub(super) fn snapshot(&self, current: StateId) -> Snapshot {
        let adds = self.shared.setup.costs == Costs::Additive;
        Snapshot {
            phase: self.shared.setup.phase,
            preparing: None,
            stored: self.share.stored(),
            expanded: self.share.stats.expanded,
            frontier: self.frontier.len() as u64,
            depth: self.shared.nodes.cost(current),
            best_estimate: self.priority.best_estimate(),
            at_least: if adds && self.proves_shortest() { self.share.floor } else { 0 },
            disk: None,
            network: None,
            memory: self.frontier.memory()
                + self.priority.memory()
                + self.meter.shared_memory(|| self.shared.memory() + self.store.memory()),
        }
    }
}
