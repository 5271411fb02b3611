//! The stages of a store that hands over: what each of them is, for one thread or for several.

use std::ops::Range;

use bughound_kernel::{StateId, StateStore};

use crate::compact::CompactStore;
use crate::exact::ExactStore;
use crate::renumbered::Renumbered;
use crate::tree::TreeStore;

pub(super) enum Stage {
    Exact(ExactStore),
    Tree(TreeStore),
    Hashes(CompactStore),
    SharedTree(Renumbered<TreeStore>),
    SharedHashes(Renumbered<CompactStore>),
}

impl Stage {
    pub(super) fn store(&self) -> &dyn StateStore {
        match self {
            Stage::Exact(store) => store,
            Stage::Tree(store) => store,
            Stage::Hashes(store) => store,
            Stage::SharedTree(store) => store,
            Stage::SharedHashes(store) => store,
        }
    }

    pub(super) fn store_mut(&mut self) -> &mut dyn StateStore {
        match self {
            Stage::Exact(store) => store,
            Stage::Tree(store) => store,
            Stage::Hashes(store) => store,
            Stage::SharedTree(store) => store,
            Stage::SharedHashes(store) => store,
        }
    }

    /// A handle for another thread; `None` if there is only one.
    pub(super) fn another(&self) -> Option<Stage> {
        match self {
            Stage::Exact(store) => Some(Stage::Exact(store.another())),
            Stage::SharedTree(store) => Some(Stage::SharedTree(store.another())),
            Stage::SharedHashes(store) => Some(Stage::SharedHashes(store.another())),
            Stage::Tree(_) | Stage::Hashes(_) => None,
        }
    }

    /// Nothing is taken for a larger table that would lead past the moment at which it is handed over: the next stage would
    /// not fit beside it.
    pub(super) fn postpone_growth(&mut self, limit: u64) {
        if let Stage::Exact(store) = self {
            store.set_table_budget(limit);
        }
    }

    /// Ids that a handle has taken and not used so far.
    pub(super) fn unused(&self) -> Option<Range<u32>> {
        if let Stage::Exact(store) = self { Some(store.unused()) } else { None }
    }

    /// All ids are below this.
    pub(super) fn end(&self) -> usize {
        match self {
            Stage::Exact(store) => store.end() as usize,
            Stage::SharedTree(store) => store.end(),
            Stage::SharedHashes(store) => store.end(),
            alone => alone.store().len(),
        }
    }

    /// All ids in use; `unused`: those of all handles.
    pub(super) fn for_each_id(
        &self,
        unused: &[Range<u32>],
        visit: &mut dyn FnMut(StateId) -> Option<()>,
    ) -> Option<()> {
        match self {
            Stage::Exact(store) if !unused.is_empty() => {
                let is_used = |id: &u32| !unused.iter().any(|range| range.contains(id));
                (0..store.end()).filter(is_used).try_for_each(|id| visit(StateId(id)))
            }
            Stage::SharedTree(store) => store.for_each_id(visit),
            Stage::SharedHashes(store) => store.for_each_id(visit),
            alone => (0..alone.store().len() as u32).try_for_each(|id| visit(StateId(id))),
        }
    }
}
