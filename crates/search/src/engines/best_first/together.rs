//! Several threads: a worker in each, and one thread that looks at the clock and reports progress.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use bughound_kernel::{StateStore, StopReason, StopSignal, delays};

use super::frontier::{Queues, Seat, Sequence};
use super::meter::{Gauge, Gauged, SharedObserver};
use super::shared::Shared;
use super::worker::{Share, Worker};
use super::{Setup, best_first, finish, shared};
use crate::driver::{Driver, Snapshot};
use crate::engines::ending::Halt;
use crate::evaluators::Priority;
use crate::open_lists::{Divisible, Level};
use crate::result::{SearchError, SearchResult};
use crate::search::Task;

/// Time between two looks at the clock and the memory.
const PAUSE: Duration = Duration::from_millis(2);

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
    let mut observer = driver.observer.take();
    let shares = match &mut observer {
        Some(observer) => run(&shared, &queues, &*store, crew, Some(&Mutex::new(&mut **observer)), driver),
        None => run(&shared, &queues, &*store, crew, None, driver),
    };
    driver.observer = observer;
    finish(task, &shared, &mut *store, shares, driver)
}

fn run<O, P>(
    shared: &Shared<'_, P::Key>,
    queues: &Queues<O>,
    store: &dyn StateStore,
    crew: Vec<(Box<dyn StateStore + '_>, P)>,
    observer: Option<&SharedObserver<'_>>,
    driver: &mut Driver<'_>,
) -> Vec<Share>
where
    O: Divisible<P::Key>,
    P: Priority + Send,
    P::Key: Level + Send,
{
    let signal = StopSignal::default();
    let gauges: Vec<Gauge> = crew.iter().map(|_| Gauge::default()).collect();
    let working = AtomicUsize::new(crew.len());
    let delayed = delays::get();
    thread::scope(|scope| {
        let leaving = || Leaving { working: &working, queues, signal: &signal, supervisor: thread::current() };
        let workers: Vec<_> = crew
            .into_iter()
            .enumerate()
            .map(|(number, (mut store, priority))| {
                let leaving = leaving();
                let meter = Gauged::new(&gauges[number], signal.clone(), observer);
                scope.spawn(move || {
                    let _leaving = leaving;
                    delays::set(delayed);
                    let worker = Worker::new(shared, &mut *store, Seat::new(queues, number), priority, meter);
                    if number == 0 { worker.work_from_start() } else { worker.work() }
                })
            })
            .collect();
        while working.load(Ordering::Acquire) > 0 {
            let mut now = Snapshot { phase: shared.setup.phase, ..Snapshot::default() };
            gauges.iter().for_each(|gauge| gauge.add_to(&mut now));
            let states = store.memory();
            now.memory += shared.memory();
            let beside = now.memory + driver.uncounted();
            gauges.iter().for_each(|gauge| gauge.tell_beside_states(beside));
            now.memory += states;
            if let Some(reason) = driver.check(now) {
                shared.halt(Halt::Limit(reason));
                signal.raise(reason);
                queues.end();
            }
            thread::park_timeout(PAUSE);
        }
        let join = |worker: thread::ScopedJoinHandle<'_, Share>| {
            // A mistake of the program is not to be hidden.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

/// Tells the others when a worker leaves, however it does: the search is over, or it has failed.
struct Leaving<'l, O> {
    working: &'l AtomicUsize,
    queues: &'l Queues<O>,
    signal: &'l StopSignal,
    supervisor: Thread,
}

impl<O> Drop for Leaving<'_, O> {
    fn drop(&mut self) {
        self.signal.raise(StopReason::Interrupted);
        self.queues.end();
        self.working.fetch_sub(1, Ordering::AcqRel);
        self.supervisor.unpark();
    }
}
