//! The searches of this crate by name. One file for each, and a line in [`ALL`].

mod cluster_astar;
mod cluster_beam;
mod cluster_bfs;

use bughound_kernel::Heuristic;
use bughound_kernel::registry::Expression;
use bughound_search::evaluators::{Guided, TakingTurns, Weights};
use bughound_search::{Driver, Entry, SearchError, Task};

/// In the order in which users see them.
pub const ALL: &[Entry] = &[cluster_bfs::ENTRY, cluster_astar::ENTRY, cluster_beam::ENTRY];

/// Runs `then` with an evaluator for each worker of this process.
fn with_heuristics<'t, R>(
    task: Task<'t>,
    expression: &Expression,
    weights: Weights,
    driver: &mut Driver<'_>,
    then: impl FnOnce(Vec<Guided<'_>>, &mut Driver<'_>) -> Result<R, SearchError>,
) -> Result<R, SearchError> {
    let workers = driver.threads();
    let bound = driver.max_depth();
    let first: Box<dyn Heuristic + 't> = task.heuristic(expression, None, driver)?;
    let guided = |heuristic| Guided::new(heuristic, weights).within(bound);
    // What was built is shared by all threads.
    if first.fork().is_some() {
        let forks: Vec<_> = (0..workers).filter_map(|_| first.fork()).map(guided).collect();
        return then(forks, driver);
    }
    if workers == 1 {
        return then(vec![guided(first)], driver);
    }
    let turns = TakingTurns::new(first);
    let members = (0..workers).map(|_| guided(Box::new(turns.another()) as Box<dyn Heuristic>)).collect();
    then(members, driver)
}
