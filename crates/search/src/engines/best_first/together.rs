//! Several threads: a worker in each.

use bughound_kernel::StateStore;

use super::frontier::{Alone, Queues, Seat, Sequence};
use super::share::Share;
use super::shared::Shared;
use super::worker::{Begun, Worker};
use super::{Setup, best_first, finish, shared};
use crate::driver::Driver;
use crate::engines::crew::{self, Held};
use crate::engines::ending::Halt;
use crate::evaluators::Priority;
use crate::open_lists::{Divisible, Level};
use crate::result::{SearchError, SearchResult};
use crate::search::Task;

/// Searches from the initial states of the system, with so many threads: the first has this open list and this evaluator,
/// `others` makes those of the others. It is alone until as many states were generated as the driver says. With one
/// thread only if there is no store that threads can share.
pub fn best_first_together<O, P>(
    task: Task<'_>,
    setup: Setup,
    threads: usize,
    (open, priority): (O, P),
    others: impl FnOnce(&mut P, &mut Driver<'_>) -> Result<Vec<(O, P)>, SearchError>,
    driver: &mut Driver<'_>,
) -> Result<SearchResult, SearchError>
where
    O: Divisible<P::Key>,
    P: Priority + Send,
    P::Key: Level + Send,
{
    if threads == 1 || driver.journal.is_some() {
        return best_first(task, setup, open, priority, driver);
    }
    let mut store = task.stores.new_shared_store(threads);
    if store.fork().is_none() {
        return best_first(task, setup, open, priority, driver);
    }
    let shared = shared(&task, setup, &priority, driver);
    let alone = driver.alone();
    let (mut shares, open, mut priority) = match alone {
        0 => (vec![], open, priority),
        _ => match Worker::new(&shared, &mut *store, Alone(open), priority, &mut *driver).begin_alone(alone) {
            Begun::AndEnded(share) => return finish(task, &shared, &mut *store, vec![share], driver),
            Begun::GoesOn(share, Alone(open), priority) => (vec![share], open, priority),
        },
    };
    let others = others(&mut priority, driver)?;
    let crew: Vec<(O, P)> = [(open, priority)].into_iter().chain(others).collect();
    let cheapest_first = crew.iter().all(|(_, priority)| priority.finds_cheapest_first());
    let sequence = if cheapest_first { Sequence::ByLevel } else { Sequence::Free };
    let (opens, priorities): (Vec<O>, Vec<P>) = crew.into_iter().unzip();
    let queues = Queues::new(sequence, opens);
    let crew = priorities.into_iter().filter_map(|priority| Some((store.fork()?, priority))).collect();
    shares.extend(run(&shared, &queues, &*store, crew, alone == 0, driver));
    finish(task, &shared, &mut *store, shares, driver)
}

fn run<O, P>(
    shared: &Shared<'_, P::Key>,
    queues: &Queues<O>,
    store: &dyn StateStore,
    crew: Vec<(Box<dyn StateStore + '_>, P)>,
    from_start: bool,
    driver: &mut Driver<'_>,
) -> Vec<Share>
where
    O: Divisible<P::Key>,
    P: Priority + Send,
    P::Key: Level + Send,
{
    shared.nodes.share();
    let memory = || Held { states: store.memory(), beside: shared.memory() };
    let end = |reason: Option<_>| {
        if let Some(reason) = reason {
            shared.halt(Halt::Limit(reason));
        }
        queues.end();
    };
    crew::together(crew, shared.setup.phase, driver, &memory, &end, |number, (mut store, priority), meter| {
        let worker = Worker::new(shared, &mut *store, Seat::new(queues, number), priority, meter);
        if number == 0 && from_start { worker.work_from_start() } else { worker.work() }
    })
}
