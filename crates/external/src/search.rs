//! What the named searches of this crate build.

use std::sync::Arc;

use bughound_kernel::registry::Expression;
use bughound_search::{Driver, HalfDone, Search, SearchError, SearchResult, Task};

use crate::budget::Budget;
use crate::engine::{self, Estimator};
use crate::medium::OnDisk;
use crate::space::Space;

/// A search by cost, or by cost and estimate, that keeps states on disk.
#[derive(Clone, Debug)]
pub struct External {
    pub name: &'static str,
    pub heuristic: Option<Expression>,
    /// How memory is divided, if not by its limit.
    pub budget: Option<Budget>,
}

impl External {
    /// Runs the search with files wherever one likes.
    pub fn run_in(
        &self,
        space: &Arc<Space>,
        task: Task<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        let heuristic = self.heuristic.as_ref().map(|expression| task.heuristic(expression, None, driver));
        let estimator = heuristic.transpose()?.map(Estimator::new);
        engine::run(self.name, task, estimator, self.budget, space, driver)
    }
}

/// The place on disk that a run may use.
pub(crate) fn space(driver: &Driver<'_>) -> Arc<Space> {
    let disk = driver.disk().cloned();
    let most = disk.as_ref().and_then(|disk| disk.most);
    let directory = disk.map_or_else(std::env::temp_dir, |disk| disk.directory);
    Space::new(Box::new(OnDisk::new(directory)), most)
}

/// Goes on, on disk, with a search that has used its memory.
pub fn go_on(task: Task<'_>, half: HalfDone<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
    let space = space(driver);
    engine::go_on(task, half, None, &space, driver)
}

impl Search for External {
    fn can_be_saved(&self) -> bool {
        true
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        self.run_in(&space(driver), task, driver)
    }
}
