//! Several threads: a worker in each.

use bughound_kernel::StateStore;

use super::frontier::{Queues, Seat, Sequence};
use super::shared::Shared;
use super::worker::{Share, Worker};
use super::{Setup, best_first, finish, shared};
use crate::driver::Driver;
use crate::engines::crew::{self, Held};
use crate::engines::ending::Halt;
use crate::evaluators::Priority;
use crate::open_lists::{Divisible, Level};
use crate::result::{SearchError, SearchResult};
use crate::search::Task;

/// Searches from the initial states of the system, with a thread for each open list and evaluator of the crew, which has at
/// least one. With one thread only if there is no store that threads can share.
pub fn best_first_together<O, P>(
    task: Task<'_>,
    setup: Setup,
    mut crew: Vec<(O, P)>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError>
where
    O: Divisible<P::Key>,
    P: Priority + Send,
    P::Key: Level + Send,
{
    if crew.len() == 1 {
        let (open, priority) = crew.swap_remove(0);
        return best_first(task, setup, open, priority, driver);
    }
    let mut store = task.stores.new_shared_store(crew.len());
    let Some(stores) = crew.iter().map(|_| store.fork()).collect::<Option<Vec<_>>>() else {
        let (open, priority) = crew.swap_remove(0);
        return best_first(task, setup, open, priority, driver);
    };
    let cheapest_first = crew.iter().all(|(_, priority)| priority.finds_cheapest_first());
    let sequence = if cheapest_first { Sequence::ByLevel } else { Sequence::Free };
    let shared = shared(&task, setup, &crew[0].1, driver);
    let (opens, priorities): (Vec<O>, Vec<P>) = crew.into_iter().unzip();
    let queues = Queues::new(sequence, opens);
    let crew = stores.into_iter().zip(priorities).collect();
    let shares = run(&shared, &queues, &*store, crew, driver);
    finish(task, &shared, &mut *store, shares, driver)
}

fn run<O, P>(
    shared: &Shared<'_, P::Key>,
    queues: &Queues<O>,
    store: &dyn StateStore,
    crew: Vec<(Box<dyn StateStore + '_>, P)>,
    driver: &mut Driver<'_>,
) -> Vec<Share>
where
    O: Divisible<P::Key>,
    P: Priority + Send,
    P::Key: Level + Send,
{
    let memory = || Held { states: store.memory(), beside: shared.memory() };
    let end = |reason: Option<_>| {
        if let Some(reason) = reason {
            shared.halt(Halt::Limit(reason));
        }
        queues.end();
    };
    crew::together(crew, shared.setup.phase, driver, &memory, &end, |number, (mut store, priority), meter| {
        let worker = Worker::new(shared, &mut *store, Seat::new(queues, number), priority, meter);
        if number == 0 { worker.work_from_start() } else { worker.work() }
    })
}
