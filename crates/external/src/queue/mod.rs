//! One search by several processes, of one machine or of several that share a folder: a queue of requests on disk.
//!
//! Paper: Jabbar, Edelkamp 2006, "Parallel external directed model checking with linear I/O": requests in a queue that processes take
//! from, joining and leaving as they like.
//!
//! The states of one cost make a bucket, and those of a bucket a fixed number of *parts*, by their hashes. A part is first *merged*:
//! the states that were generated for it are sorted, and what was expanded before is dropped. Then it is *expanded*, and what
//! comes of that is written down for the parts of other buckets. A part can be merged when all buckets before are expanded; all
//! that can be done at a time is the queue. What there is to do follows from what is done: nobody hands out work.
//!
//! **Done once.** Whoever takes a request claims it by a file that only one can create, and touches that file as long as it works. A
//! claim (`folder.rs`) that was not touched for a while is nobody's any more: others take the request over. So it may happen that two do
//! the same, when one was only slow. Results are made in a folder of one's own, which takes its place by being renamed: the
//! first one counts, the other one is thrown away. Counts and errors are part of the result, so what is done twice counts once.
//!
//! **The same for all.** Every process reads all results and concludes from them: all that stay until the end have the same
//! answer, the same path and the same counts, whoever has done what.

mod folder;
mod identity;
mod progress;
mod record;
mod shared;
mod work;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bughound_kernel::StopReason;
use bughound_kernel::registry::BuildError;
use bughound_search::engines::ending::{Halt, Losses};
use bughound_search::{Driver, Search, SearchError, SearchResult, Snapshot, Statistics, Task, Witness};

use self::folder::Folder;
use self::progress::{Next, Progress};
use self::shared::SharedFiles;
use self::work::Worker;
use crate::budget::Budget;
use crate::space::Space;
use crate::trouble::Trouble;

const NO_FOLDER: &str = "several processes share a search by its folder, which has to be named: --disk DIR";
const CLOCKS: &str = "a queue of requests is for states that are compared exactly; external-bfs knows clocks";

/// Longest and shortest time between two looks at what others do.
const LONGEST_REST: Duration = Duration::from_millis(50);
const SHORTEST_REST: Duration = Duration::from_millis(2);

/// Breadth-first search by length that any number of processes work on together.
#[derive(Clone, Debug)]
pub struct SharedExternal {
    pub name: &'static str,
    /// A bucket has so many parts.
    pub parts: u32,
    /// Whoever gives no sign of life for so long is taken for dead.
    pub lease: Duration,
    /// How memory is divided, if not by its limit.
    pub budget: Option<Budget>,
}

impl Search for SharedExternal {
    fn saves_itself(&self) -> Option<&'static str> {
        Some("keeps what it has done in the folder of --disk: the same command goes on with it, without an option")
    }

    fn run(&self, task: Task<'_>, driver: &mut Driver<'_>) -> Result<SearchResult, SearchError> {
        let Some(disk) = driver.disk().cloned() else { return Err(BuildError::new(NO_FOLDER, 0..0).into()) };
        self.run_in(&disk.directory, disk.most, task, driver)
    }

    fn takes_every_step(&self) -> Option<&'static str> {
        Some("processes that share a search have to see the same steps")
    }
}

impl SharedExternal {
    /// Joins the search that is under way below this directory, or begins it.
    pub fn run_in(
        &self,
        directory: &Path,
        most: Option<u64>,
        task: Task<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<SearchResult, SearchError> {
        if task.system.layout().cover_len > 0 {
            return Err(BuildError::new(CLOCKS, 0..0).into());
        }
        let identity = identity::of(self.parts, task, driver);
        if let Some(reason) = driver.stopped() {
            let losses = Losses { halt: Some(Halt::Limit(reason)), ..Losses::default() };
            return Ok(losses.result(Vec::new(), Statistics { elapsed: driver.elapsed(), ..Statistics::default() }));
        }
        loop {
            let joined = Folder::join(directory, &identity, self.lease);
            let (mut losses, mut stats) = (Losses::default(), Statistics::default());
            let outcome = match joined {
                Ok(folder) => {
                    let outcome = self.take_part_in(&folder, most, task, driver, &mut losses, &mut stats);
                    let is_limit = matches!(losses.halt, Some(Halt::Limit(_)));
                    if outcome.is_err() && !is_limit && !folder.is_member() {
                        // The others had the answer and removed everything, or took this process for dead.
                        continue;
                    }
                    outcome
                }
                Err(error) => Err(error.into()),
            };
            let witnesses = outcome.unwrap_or_else(|trouble| {
                losses.halt = Some(Halt::Limit(trouble.reason()));
                Ok(Vec::new())
            })?;
            stats.stored = driver.counted_states(stats.stored);
            stats.elapsed = driver.elapsed();
            return Ok(losses.result(witnesses, stats));
        }
    }

    #[allow(clippy::type_complexity)]
    fn take_part_in(
        &self,
        folder: &Folder,
        most: Option<u64>,
        task: Task<'_>,
        driver: &mut Driver<'_>,
        losses: &mut Losses,
        stats: &mut Statistics,
    ) -> Result<Result<Vec<Witness>, SearchError>, Trouble> {
        let files = Arc::new(SharedFiles::new());
        let space = Space::new(Box::new(Arc::clone(&files)), most);
        let budget = self.budget.unwrap_or_else(|| Budget::of(driver, task.system.memory()));
        let mut progress = Progress::new(self.parts, &space, &files, folder, task);
        let mut worker = Worker::new(task, driver, budget, &space, &files, self.parts);
        let ended = self.take_part(&mut progress, &mut worker, folder, driver);
        *stats = progress.stats.clone();
        stats.disk = Some(space.traffic().with_duplicates(stats.generated.saturating_sub(stats.stored)));
        losses.endless = progress.endless;
        losses.floor = progress.floor();
        losses.bound = driver.max_depth().filter(|_| progress.beyond);
        losses.halt = ended?;
        if matches!(losses.halt, Some(Halt::Limit(_))) {
            return Ok(Ok(Vec::new()));
        }
        let witnesses = progress.witnesses(&worker.ground())?;
        // Whoever is the last to know the answer tidies up.
        drop(progress);
        folder.leave_finished();
        Ok(witnesses)
    }

    /// Works until there is an answer, or this process has to leave.
    fn take_part(
        &self,
        progress: &mut Progress<'_>,
        worker: &mut Worker<'_>,
        folder: &Folder,
        driver: &mut Driver<'_>,
    ) -> Result<Option<Halt>, Trouble> {
        let mut rest = SHORTEST_REST;
        loop {
            let now = Snapshot {
                phase: self.name,
                stored: progress.stats.stored,
                expanded: progress.stats.expanded,
                frontier: progress.waiting(),
                depth: progress.stats.depth,
                at_least: progress.floor(),
                memory: progress.memory() + worker.memory(),
                disk: Some(progress.disk_use()),
                ..Snapshot::default()
            };
            progress.stats.peak_memory = driver.peak_memory(now.memory);
            if let Some(reason) = driver.stopped().or_else(|| driver.check(now)) {
                return Ok(Some(Halt::Limit(reason)));
            }
            if driver.exceeds_states(progress.stats.stored) {
                return Ok(Some(Halt::Limit(StopReason::States)));
            }
            let requests = match progress.next(driver)? {
                Next::Requests(requests) => requests,
                Next::Answer => return Ok(Some(Halt::Error)),
                Next::End => return Ok(None),
            };
            match worker.take_one(&requests, progress, folder, driver) {
                Ok(true) => rest = SHORTEST_REST,
                Ok(false) => {
                    std::thread::sleep(rest);
                    rest = (rest * 2).min(LONGEST_REST).min(self.lease / 4);
                }
                Err(Trouble::Stopped(reason)) => return Ok(Some(Halt::Limit(reason))),
                Err(trouble) => return Err(trouble),
            }
        }
    }
}
