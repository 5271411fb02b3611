//! Runs the workers of this process, each in a thread, looks at the clock and the memory, and sums up.

use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use bughound_checkpoint::Error;
use bughound_kernel::{Keep, Part, StateBuf, StopReason};
use bughound_search::engines::ending::Halt;
use bughound_search::evaluators::Priority;
use bughound_search::open_lists::Divisible;
use bughound_search::saving::{Begin, Resumed};
use bughound_search::{Driver, SearchError, SearchResult, StopPolicy, Task};
use timely::communication::Hooks;
use timely::communication::allocator::ProcessBuilder;

use crate::board::Board;
use crate::cluster::messages::{Identity, Verdict, WrittenLink};
use crate::cluster::{self, Together};
use crate::exchange::{Connection, Port};
use crate::finish::{chosen, conclude};
use crate::nodes::Address;
use crate::saving::Failed;
use crate::share::Share;
use crate::worker::{Agenda, Left, Work, Worker};

/// Time between two looks at the clock and the memory.
const PAUSE: Duration = Duration::from_millis(2);
/// When a limit is reached, the search waits so long for the expansions that are under way before it ends without being saved.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

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
        let process = membership.as_ref().map_or(0, |membership| membership.process as u32);
        let work = Work { system, goals, board: &board, bound, part, phase, process, memory };
        let what = describe(phase, threads, &task, bound);
        let members = self.members.into_iter();
        let new = |(agenda, priority)| Left::new(work, task.stores.new_store(), agenda, priority);
        let mut left: Vec<Left<'_, O, P>> = members.map(new).collect();
        // Where each process makes the whole search by itself, there is one checkpoint and several searches.
        let is_saved = membership.is_some() == cluster::here().is_some() && left.iter().all(Left::is_restorable);
        let processes = membership.as_ref().map_or(1, |membership| membership.processes);
        if is_saved {
            let what = format!("{phase}, {processes} processes, {threads} threads");
            match driver.begin_run(&task, &what) {
                Begin::AtTheEnd(result) => return Ok(*result),
                Begin::From(resumed) => load(&mut left, process as usize * threads, &resumed, work, driver)?,
                Begin::AtTheStart => {}
            }
        }
        let left = RefCell::new(left);
        let verdict = loop {
            let (mut together, connections) =
                match membership.as_deref().map(|others| others.begin(what.clone(), threads)) {
                    Some(Some((together, connections))) => (Some(together), connections),
                    Some(None) => break too_late(&board),
                    None => {
                        let hooks = Hooks::default();
                        let builders = ProcessBuilder::new_typed_vector(threads, hooks.refill, hooks.spill);
                        (None, builders.into_iter().map(Connection::Threads).collect())
                    }
                };
            let members = left.take();
            let (members, ending) = run(work, members, connections, together.as_mut(), is_saved, driver);
            left.replace(members);
            let halted = Closing { left: &left, work, ending, task: &task }.close(together, driver);
            match halted {
                Some(verdict) => break verdict,
                None => board.go_on(),
            }
        };
        if let Some(Halt::Limit(reason)) = verdict.end.map(Halt::from)
            && is_saved
            && driver.saves_at(reason)
        {
            // What was saved last is where others go on.
            driver.end_saving();
        }
        let result = conclude(&task, &verdict, bound, driver)?;
        if is_saved {
            driver.end_run(&result);
        }
        Ok(result)
    }
}

/// What is to be done when the workers of this process have ended.
struct Closing<'c, 'w, O, P> {
    left: &'c RefCell<Vec<Left<'w, O, P>>>,
    work: Work<'w>,
    /// A limit that was reached, and waits until the search is saved.
    ending: Option<StopReason>,
    task: &'c Task<'w>,
}

impl<O: Divisible<P::Key>, P: Priority> Closing<'_, '_, O, P> {
    /// `None`: it was saved, and goes on.
    fn close(&self, together: Option<Together<'_>>, driver: &mut Driver<'_>) -> Option<Verdict> {
        let Closing { left, work, task, .. } = *self;
        let board = work.board;
        let shares: Vec<Share> = left.borrow().iter().map(|left| left.share.clone()).collect();
        let first = together.as_ref().map_or(0, Together::first_worker);
        let known = |at: Address| links(&mut left.borrow_mut(), first, at);
        // Written states count as saved when the manifest is there.
        let written = RefCell::new(Vec::new());
        let save = |directory: &Path, generation: u64| {
            let mut sections = Vec::new();
            for (number, left) in left.borrow().iter().enumerate() {
                let (more, states) = left.save(first + number, directory, generation)?;
                sections.extend(more);
                written.borrow_mut().push(states);
            }
            Ok(sections)
        };
        let end_of_saving = |is_saved: bool| {
            let mut written = written.take().into_iter();
            left.borrow_mut().iter_mut().for_each(|left| {
                left.saved = written.next().filter(|_| is_saved).unwrap_or_default();
            });
        };
        let mut together = match together {
            Some(together) if !together.is_director() => {
                return together.report(board, shares, &known, &save, end_of_saving);
            }
            others => others,
        };
        let (mut shares, are_all) = match &mut together {
            Some(together) => together.gather(board, shares),
            None => (shares, true),
        };
        if board.halted().is_none() && are_all {
            if shares.iter().any(|share| share.open > 0) {
                let is_saved = driver.save_sections(|draft| {
                    let failed = |why: String| Error::Io {
                        doing: "write to",
                        path: draft.directory().to_path_buf(),
                        error: std::io::Error::other(why),
                    };
                    let generation = draft.generation();
                    let mut sections = match &mut together {
                        Some(together) => together.collect(board, generation).map_err(failed)?,
                        None => Vec::new(),
                    };
                    sections.extend(save(draft.directory(), generation)?);
                    for section in &sections {
                        match section.entry() {
                            Ok(entry) => draft.include(entry)?,
                            Err(name) if draft.keep(name)? => {}
                            Err(name) => {
                                let error = std::io::Error::other("there is no section of that name");
                                return Err(Error::Io { doing: "keep", path: name.into(), error });
                            }
                        }
                    }
                    Ok(())
                });
                end_of_saving(is_saved);
                match self.ending {
                    Some(reason) => board.end(Halt::Limit(reason)),
                    None if board.halted().is_none() => {
                        together.iter().for_each(|together| together.go_on(is_saved));
                        return None;
                    }
                    None => {}
                }
            } else {
                drain(&mut shares, task.stop, board);
            }
        }
        Some(match together {
            Some(together) => together.conclude(board, (shares, are_all), task.stop, &known),
            None => {
                let ways = chosen(&shares, task.stop).into_iter().map(|sighting| {
                    let mut states: Vec<Vec<u32>> = known(sighting.at).into_iter().map(|(words, _)| words).collect();
                    states.reverse();
                    (sighting, Some(states))
                });
                Verdict { ways: ways.collect(), shares, incomplete: false, end: board.halted().map(Into::into) }
            }
        })
    }
}

/// Nothing is open or under way anywhere. That ends no search because of its errors, unless one is all that was asked for.
fn drain(shares: &mut [Share], stop: StopPolicy, board: &Board) {
    shares.iter_mut().for_each(Share::drain);
    if stop == StopPolicy::FirstError {
        for sighting in shares.iter().flat_map(|share| &share.sightings) {
            board.settle(sighting.property, sighting.cost);
        }
    }
}

/// Has the workers of this process go on where they were saved. `first`: the number of the first of them.
fn load<O: Divisible<P::Key>, P: Priority>(
    left: &mut [Left<'_, O, P>],
    first: usize,
    resumed: &Resumed,
    work: Work<'_>,
    driver: &mut Driver<'_>,
) -> Result<(), SearchError> {
    let layout = work.system.layout();
    for (number, left) in left.iter_mut().enumerate() {
        match left.load(first + number, resumed, layout, &|| driver.stopped()) {
            Ok(()) => {}
            Err(Failed::Damaged(error)) => return Err(SearchError::Resume(error.to_string())),
            Err(Failed::Limit(reason)) => {
                // Another process may have more room or time: what was saved stays as it is.
                work.board.end(Halt::Limit(reason));
                left.share = Share::default();
            }
        }
        work.board.add_stored(left.share.counts.stored);
        for sighting in &left.share.sightings {
            work.board.know(sighting.cost);
            if sighting.settled {
                work.board.settle(sighting.property, sighting.cost);
            }
        }
    }
    Ok(())
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

/// Of a search that does not begin, or go on, because somebody is lost.
fn too_late(board: &Board) -> Verdict {
    board.end(Halt::Limit(StopReason::LostWorker));
    Verdict { incomplete: true, end: board.halted().map(Into::into), ..Verdict::default() }
}

/// A state and those before it, as long as workers of this process own them. `first`: the number of the first of these.
fn links<O, P>(left: &mut [Left<'_, O, P>], first: usize, at: Address) -> Vec<WrittenLink> {
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

/// Has every worker do its part, in a thread of its own. What has become of them, and the limit that was reached, if the search is to be
/// saved before it ends.
fn run<'w, O, P>(
    work: Work<'w>,
    members: Vec<Left<'w, O, P>>,
    connections: Vec<Connection>,
    mut together: Option<&mut Together<'_>>,
    is_saved: bool,
    driver: &mut Driver<'_>,
) -> (Vec<Left<'w, O, P>>, Option<StopReason>)
where
    O: Divisible<P::Key> + Send,
    P: Priority + Send,
{
    let board = work.board;
    let mut ending: Option<(StopReason, Instant)> = None;
    let left = thread::scope(|scope| {
        let supervisor = thread::current();
        let mut workers = Vec::new();
        for (number, (left, connection)) in members.into_iter().zip(connections).enumerate() {
            let leaving = Leaving { board, supervisor: supervisor.clone() };
            let worker = thread::Builder::new().name(format!("worker-{number}")).spawn_scoped(scope, move || {
                let _leaving = leaving;
                Worker::new(work, number, left, Port::new(connection)).run()
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
        let mut begun = None;
        while board.working.load(Ordering::Acquire) > 0 {
            let mut now = board.snapshot(work.phase);
            let begun = *begun.get_or_insert(now.expanded);
            let has_worked = now.expanded > begun;
            match &mut together {
                Some(together) => {
                    together.keep_in_touch(board, &now);
                    together.add_others(&mut now);
                }
                None if board.all_stand() => board.pause.rest(),
                None => {}
            }
            if cluster::here().is_some_and(|here| here.is_abandoned()) {
                board.end(Halt::Limit(StopReason::LostWorker));
            }
            let directs = together.as_ref().is_none_or(|together| together.is_director());
            // What has to do with time is for one process to say: then all agree.
            let reached = driver.check(now).filter(|reason| directs || *reason != StopReason::Time);
            match (reached, ending) {
                (Some(reason), None) if is_saved && directs && driver.saves_at(reason) => {
                    ending = Some((reason, Instant::now()));
                    board.pause.ask();
                }
                (Some(reason), None) => board.end(Halt::Limit(reason)),
                (_, Some((reason, since))) if since.elapsed() > LONGEST_PAUSE => board.end(Halt::Limit(reason)),
                _ => {}
            }
            // However often it is to be saved, something happens in between.
            if is_saved && directs && has_worked && driver.is_time_to_save() {
                board.pause.ask();
            }
            thread::park_timeout(PAUSE);
        }
        let join = |worker: thread::ScopedJoinHandle<'_, Left<'w, O, P>>| {
            // A mistake of the program is not to be hidden.
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().map(join).collect()
    });
    (left, ending.map(|(reason, _)| reason))
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
