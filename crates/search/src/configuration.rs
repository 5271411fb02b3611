//! A search as data: what the registry builds and the engine runs.

use bughound_kernel::StateStore;

use crate::driver::{Controls, Driver};
use crate::engines::{ByDepth, ByLength, Revisit, Setup, Task, best_first};
use crate::open_lists::{BucketQueue, ChildOrder, Stack, TieBreak};
use crate::result::{SearchError, SearchResult};

/// Which state is expanded next.
#[derive(Clone, Debug)]
pub enum Order {
    ShortestFirst(TieBreak),
    DeepestFirst(ChildOrder),
}

#[derive(Clone, Debug)]
pub struct Configuration {
    pub name: &'static str,
    pub order: Order,
    /// Longest paths considered.
    pub depth: Option<u64>,
}

impl Configuration {
    /// Runs the search. The loop is compiled for each type of store.
    pub fn run<S: StateStore + ?Sized>(
        &self,
        task: Task<'_>,
        store: &mut S,
        controls: Controls<'_>,
    ) -> Result<SearchResult, SearchError> {
        self.run_with(task, store, &mut Driver::new(controls))
    }

    /// Runs the search as a part of a longer one, under limits that hold for the whole.
    pub fn run_with<S: StateStore + ?Sized>(
        &self,
        task: Task<'_>,
        store: &mut S,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        let setup = |revisit| Setup { phase: self.name, revisit, depth: self.depth };
        match &self.order {
            Order::ShortestFirst(ties) => {
                let open = BucketQueue::new(ties.clone());
                best_first(task, setup(Revisit::Cheaper), store, open, ByLength, driver)
            }
            Order::DeepestFirst(children) => {
                let open = Stack::new(children.clone());
                best_first(task, setup(Revisit::Newest), store, open, ByDepth, driver)
            }
        }
    }
}
