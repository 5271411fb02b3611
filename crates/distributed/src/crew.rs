//! Runs the workers of this process, each in a thread, looks at the clock and the memory, and sums up.

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::thread::{self, Thread};
use std::time::Duration;

use bughound_kernel::{Keep, Part, StateBuf, StopReason};
use bughound_search::engines::ending::Halt;
use bughound_search::evaluators::Priority;
use bughound_search::open_lists::Divisible;
use bughound_search::{Driver, SearchError, SearchResult, StopPolicy, Task};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;

use crate::board::Board;
use crate::cluster::messages::{Identity, Verdict, WrittenLink};
use crate::cluster::{self, Together};
use crate::exchange::{Connection, Port};
use crate::finish::{chosen, conclude};
use crate::nodes::Address;
use crate::share::Share;
use crate::worker::{Agenda, Left, Work, Worker};

/// Time between two looks at the clock and the memory.
const PAUSE: Duration = Duration::from_millis(2);

/// A search as its workers make it.
pub struct Crew<O, P> {
    pub phase: &'static str,
    /// One for each worker of this process.
    pub members: Vec<(Agenda<O>, P)>,
}

impl<O, P> Crew<O, P>
where
    O: Divisible<P::Key> + Send,
    P: Priority + Send,
{
    pub fn search(self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        task.reads_closed_states()?;
        let bound = driver.max_depth();
        let cheapest_first = self.members.iter().all(|(_, priority)| priority.finds_cheapest_first());
        let keeps = cheapest_first && task.stop != StopPolicy::Exhaustive;
        let part = if keeps { Part::Reduced(Keep::Shortest) } else { Part::All };
        let properties = task.goals.properties().len();
        let threads = self.members.len();
        let board = Board::new(threads, task.stop, properties, driver.limits().states);
        let memory = driver.limits().memory;
        let (system, goals, phase) = (task.system, task.goals, self.phase);
        // What is noted in other processes is not known here: each explores all of it then.
        let membership = cluster::here().filter(|_| !task.system.takes_notes());
        let what = describe(phase, threads, &task, bound);
        let (mut together, connections) = match membership.as_deref().map(|others| others.begin(what, threads)) {
            Some(Some((together, connections))) => (Some(together), connections),
            Some(None) => return alone_too_late(&task, bound, driver),
            None => {
                let hooks = Hooks::default();
                let builders = ProcessBuilder::new_typed_vector(threads, hooks.refill, hooks.spill);
                (None, builders.into_iter().map(Connection::Threads).collect())
            }
        };
        let process = membership.as_ref().map_or(0, |membership| membership.process as u32);
        let work = Work { system, goals, board: &board, bound, part, phase, process, memory };
        let left = run(work, self.members, connections, &task, together.as_mut(), driver);
        let left = RefCell::new(left);
        let shares: Vec<Share> = left.borrow().iter().map(|left| left.share.clone()).collect();
        let first = together.as_ref().map_or(0, Together::first_worker);
        let known = |at: Address| links(&mut left.borrow_mut(), first, at);
        let verdict = match together {
            Some(together) => together.conclude(&board, shares, task.stop, &known),
            None => {
                let ways = chosen(&shares, task.stop).into_iter().map(|sighting| {
                    let mut states: Vec<Vec<u32>> = known(sighting.at).into_iter().map(|(words, _)| words).collect();
                    states.reverse();
                    (sighting, Some(states))
                });
                Verdict { ways: ways.collect(), shares, incomplete: false, end: board.halted().map(Into::into) }
            }
        };
        conclude(&task, &verdict, bound, driver)
    }
}

/// What must be the same in all processes that search together.
fn describe(phase: &str, threads: usize, task: &Task<'_>, bound: Option<u64>) -> Identity {
    let named = |name: &str, value: String| (name.to_string(), value);
    let layout = task.system.layout();
    vec![
        named("search", phase.into()),
        named("number of threads", threads.to_string()),
        named("shape of states", format!("{} slots, {} bounds", layout.slots.len(), layout.cover_len)),
        named("goal", format!("{:?} {:?}", task.goals, task.stop)),
        named("bound on costs", format!("{bound:?}")),
    ]
}

/// The result of a search that was never begun, because somebody is lost.
fn alone_too_late(task: &Task<'_>, bound: Option<u64>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
    let end = Some(Halt::Limit(StopReason::LostWorker).into());
    conclude(task, &Verdict { incomplete: true, end, ..Verdict::default() }, bound, driver)
}

/// A state and those before it, as long as workers of this process own them. `first`: the number of the first of these.
fn links(left: &mut [Left<'_>], first: usize, at: Address) -> Vec<WrittenLink> {
    let mut links = Vec::new();
    let mut at = Some(at);
    let mut state = StateBuf::default();
    while let Some(Address { worker, id }) = at {
        let owner = (worker as usize).checked_sub(first).and_then(|owner| left.get_mut(owner));
        let Some(Left { store, nodes, courier, .. }) = owner else { break };
        store.read(id, &mut state);
        at = nodes.parent(id);
        links.push((courier.words(state.as_state()), at.map(|parent| (parent.worker, parent.id.0))));
    }
    links
}

/// Has every worker do its part, in a thread of its own.
fn run<'w, O, P>(
    work: Work<'w>,
    members: Vec<(Agenda<O>, P)>,
    connections: Vec<Connection>,
    task: &Task<'w>,
    mut together: Option<&mut Together<'_>>,
    driver: &mut Driver<'_>,
) -> Vec<Left<'w>>
where
    O: Divisible<P::Key> + Send,
    P: Priority + Send,
{
    let board = work.board;
    thread::scope(|scope| {
        let supervisor = thread::current();
        let mut workers = Vec::new();
        for (number, ((agenda, priority), connection)) in members.into_iter().zip(connections).enumerate() {
            let store = task.stores.new_store();
            let leaving = Leaving { board, supervisor: supervisor.clone() };
            let worker = thread::Builder::new().name(format!("worker-{number}")).spawn_scoped(scope, move || {
                let _leaving = leaving;
                Worker::new(work, number, store, agenda, priority, Port::new(connection)).run()
            });
            match worker {
                Ok(worker) => workers.push(worker),
                // The system has no room for another thread.
                Err(_) => {
                    board.end(Halt::Limit(StopReason::Memory));
                    board.working.fetch_sub(1, Ordering::AcqRel);
                }
            }
        }
        while board.working.load(Ordering::Acquire) > 0 {
            let mut now = board.snapshot(work.phase);
            if let Some(together) = &mut together {
                together.keep_in_touch(board, &now);
                together.add_others(&mut now);
            }
            if cluster::here().is_some_and(|here| here.is_abandoned()) {
                board.end(Halt::Limit(StopReason::LostWorker));
            }
            let directs = together.as_ref().is_none_or(|together| together.is_director());
            // What has to do with time is for one process to say: then all agree.
            if let Some(reason) = driver.check(now).filter(|reason| directs || *reason != StopReason::Time) {
                board.end(Halt::Limit(reason));
            }
            thread::park_timeout(PAUSE);
        }
        let join = |worker: thread::ScopedJoinHandle<'_, Left<'w>>| {
            // A mistake of the program is not to be hidden.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    })
}

/// Tells the supervisor when a worker leaves, however it does.
struct Leaving<'l> {
    board: &'l Board,
    supervisor: Thread,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.board.end(Halt::Limit(StopReason::LostWorker));
        }
        self.board.working.fetch_sub(1, Ordering::AcqRel);
        self.supervisor.unpark();
    }
}
