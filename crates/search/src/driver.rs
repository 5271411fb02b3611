//! Limits, cancellation and progress, for every search alike.
//!
//! An engine asks [`Driver::is_due`] after each expansion, which costs a subtraction. When it says so (every few
//! milliseconds, however slow the model), the engine hands over a [`Snapshot`] and is told whether to stop.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use bughound_kernel::{Limits, Move, StopReason, StopSignal};

use crate::engines::best_first::HalfDone;
use crate::observer::Observer;
use crate::outlook::{Left, Outlook};
use crate::preparation::Preparation;
use crate::result::{DiskUse, NetworkUse, SearchError, SearchResult};
use crate::saving::Journal;
use crate::search::Task;

/// The state of a search at a moment.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// What the search is doing, such as its name.
    pub phase: &'static str,
    /// The search waits for this heuristic, which has taken so much work so far.
    pub preparing: Option<(String, u64)>,
    pub stored: u64,
    pub expanded: u64,
    /// Entries of the open list.
    pub frontier: u64,
    /// Cost of the state expanded last.
    pub depth: u64,
    /// Best heuristic value so far, for searches that have one.
    pub best_estimate: Option<u64>,
    /// No error costs less than this, as far as the order of the search can tell.
    pub at_least: u64,
    /// Bytes of the store, the side tables and the open list.
    pub memory: u64,
    /// For searches that keep states on disk.
    pub disk: Option<DiskUse>,
    /// For searches by workers that send each other states.
    pub network: Option<NetworkUse>,
}

/// What a progress line shows.
#[derive(Clone, Debug)]
pub struct Progress {
    pub now: Snapshot,
    /// States expanded per second since the last report.
    pub rate: f64,
    /// Bytes written to disk and read from there per second since the last report.
    pub disk_rates: (f64, f64),
    /// Bytes sent and received per second since the last report.
    pub network_rates: (f64, f64),
    /// What is left of searches that go beyond the memory of a process, as far as one can tell.
    pub left: Option<Left>,
    pub elapsed: Duration,
    /// The length of an error that is known: what goes on is for something better.
    pub known: Option<u64>,
    /// No error is shorter than this.
    pub at_least: u64,
}

/// What the outside world has to say to a search.
#[derive(Default)]
pub struct Controls<'a> {
    pub limits: Limits,
    /// Raised from another thread to end the search, also inside of an expansion.
    pub stop: StopSignal,
    pub progress: Option<&'a mut dyn FnMut(&Progress)>,
    /// Time between two reports; checks take place every few milliseconds.
    pub progress_interval: Duration,
    pub observer: Option<&'a mut dyn Observer>,
    /// How many threads may search; 0 and 1 mean one, whose order is the same every time.
    pub threads: usize,
    /// Tells the memory that the process really has, where that is known: it counts, too.
    pub resident: Option<fn() -> u64>,
    /// The first one is alone until a search has generated so many states: what is over by then is the same every time.
    pub alone: u64,
    /// Where it is recorded, so that another process can go on; and what the search is about besides its task.
    pub journal: Option<(&'a mut Journal, String)>,
    /// Where states may be kept that memory has no room for.
    pub disk: Option<Disk>,
    /// Goes on with a search that has used its memory, if there is a disk.
    pub beyond_memory: Option<GoOn>,
}

/// Goes on with a search where memory is not enough for it.
pub type GoOn = fn(Task<'_>, HalfDone<'_>, &mut Driver<'_>) -> Result<SearchResult, SearchError>;

/// A place for files that are gone when the search is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disk {
    pub directory: PathBuf,
    /// So many bytes at most.
    pub most: Option<u64>,
}

/// A check should take place about this often.
const SHORTEST_QUANTUM: Duration = Duration::from_millis(1);
const LONGEST_QUANTUM: Duration = Duration::from_millis(8);
const LARGEST_WORK: u64 = 1 << 16;
/// To look at the memory of the process takes some microseconds: not more often than that.
const RESIDENT_QUANTUM: Duration = Duration::from_millis(10);

pub struct Driver<'a> {
    limits: Limits,
    stop: StopSignal,
    progress: Option<&'a mut dyn FnMut(&Progress)>,
    progress_interval: Duration,
    pub(crate) observer: Option<&'a mut dyn Observer>,
    threads: usize,
    alone: u64,
    disk: Option<Disk>,
    beyond_memory: Option<GoOn>,
    /// Memory is used up when so much is used: what the search goes on with needs the rest.
    most_memory: Option<u64>,
    started: Instant,
    /// Work units between two checks; adapts to their duration.
    quantum: u64,
    work_left: u64,
    last_check: Duration,
    last_report: Duration,
    expanded_at_report: u64,
    disk_at_report: DiskUse,
    network_at_report: NetworkUse,
    outlook: Outlook,
    peak_memory: u64,
    resident: Option<fn() -> u64>,
    last_look: Option<Duration>,
    /// Bytes that the process has and nobody has counted, when it was looked at last.
    uncounted: u64,
    preparation: Preparation,
    known: Option<u64>,
    at_least: u64,
    pub(crate) journal: Option<&'a mut Journal>,
    /// What the call is about, as far as it is not in its task.
    pub(crate) label: String,
    /// Time that it took in earlier processes.
    pub(crate) earlier: Duration,
}

/// What held before a part of the work was given a time of its own.
pub(crate) struct Cap {
    before: Option<Instant>,
    until: Option<Instant>,
}

impl<'a> Driver<'a> {
    /// The clock starts now.
    pub fn new(controls: Controls<'a>) -> Self {
        let (journal, label) = controls.journal.unzip();
        Driver {
            journal,
            label: label.unwrap_or_default(),
            earlier: Duration::ZERO,
            limits: controls.limits,
            stop: controls.stop,
            progress: controls.progress,
            progress_interval: controls.progress_interval,
            observer: controls.observer,
            threads: controls.threads.max(1),
            alone: controls.alone,
            beyond_memory: controls.beyond_memory.filter(|_| controls.disk.is_some()),
            disk: controls.disk,
            most_memory: None,
            started: Instant::now(),
            quantum: 1,
            work_left: 1,
            last_check: Duration::ZERO,
            last_report: Duration::ZERO,
            expanded_at_report: 0,
            disk_at_report: DiskUse::default(),
            network_at_report: NetworkUse::default(),
            outlook: Outlook::default(),
            peak_memory: 0,
            resident: controls.resident,
            last_look: None,
            uncounted: 0,
            preparation: Preparation::default(),
            known: None,
            at_least: 0,
        }
    }

    /// Gives what follows at most so much time, besides the limits of the whole run.
    pub(crate) fn cap(&mut self, time: Option<Duration>) -> Cap {
        let before = self.limits.until;
        let until = time.and_then(|time| Instant::now().checked_add(time));
        let until = until.filter(|until| before.is_none_or(|before| *until < before));
        self.limits.until = until.or(before);
        Cap { before, until }
    }

    /// The end of what was capped: was it the cap that ended it?
    pub(crate) fn uncap(&mut self, cap: Cap) -> bool {
        self.limits.until = cap.before;
        cap.until.is_some_and(|until| Instant::now() >= until)
    }

    /// From now on, progress says that an error of this length is known; `None`: that none is.
    pub fn know(&mut self, length: Option<u64>) {
        self.known = length;
    }

    /// Earlier parts of the run have shown that no error is shorter than this.
    pub fn know_at_least(&mut self, length: u64) {
        self.at_least = self.at_least.max(length);
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// What heuristics took to be built so far.
    pub fn preparation(&self) -> Preparation {
        self.preparation
    }

    pub(crate) fn end_preparation(&mut self, preparation: Preparation) {
        self.preparation.time += preparation.time;
        self.preparation.cut_short |= preparation.cut_short;
        // The next work is of another kind: it is due at once, and finds its own pace.
        (self.quantum, self.work_left) = (1, 1);
    }

    /// How many threads may search.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// So many states are generated by one thread before others help.
    pub fn alone(&self) -> u64 {
        self.alone
    }

    /// Where states may be kept that memory has no room for.
    pub fn disk(&self) -> Option<&Disk> {
        self.disk.as_ref()
    }

    /// Who goes on when memory is used up.
    pub fn beyond_memory(&self) -> Option<GoOn> {
        self.beyond_memory
    }

    /// From now on, memory is used up earlier: what comes then needs the rest. `None`: as the limit says.
    pub fn hold_memory_back(&mut self, most: Option<u64>) {
        self.most_memory = most;
    }

    /// Tells who watches of a step that was taken.
    #[inline]
    pub fn observe(&mut self, moves: &[Move]) {
        if let Some(observer) = &mut self.observer {
            observer.step(moves);
        }
    }

    pub fn max_depth(&self) -> Option<u64> {
        self.limits.depth
    }

    /// Checked at each new state, so that it is exact.
    #[inline]
    pub fn exceeds_states(&self, stored: u64) -> bool {
        self.limits.states.is_some_and(|limit| stored > limit)
    }

    /// The states that count: the one that was too many, and ended the search, does not.
    pub fn counted_states(&self, stored: u64) -> u64 {
        self.limits.states.map_or(stored, |limit| stored.min(limit))
    }

    /// Was the search told to end? To be asked inside of an expansion and behind it, before anything is made of it, by all
    /// whose explorers [heed](bughound_kernel::Explorer::heed) this signal.
    #[inline]
    pub fn stopped(&self) -> Option<StopReason> {
        if self.stop.is_raised() { self.stop.reason() } else { None }
    }

    pub fn stop_signal(&self) -> &StopSignal {
        &self.stop
    }

    /// The time that is left; `None` without a limit.
    pub fn time_left(&self) -> Option<Duration> {
        self.limits.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// In earlier processes, too, if the search was resumed.
    pub fn elapsed(&self) -> Duration {
        self.earlier + self.started.elapsed()
    }

    /// Largest memory seen, including `now`.
    pub fn peak_memory(&self, now: u64) -> u64 {
        self.peak_memory.max(now)
    }

    /// Counts work (expansions and successors) and tells whether it is time for a [`check`](Self::check).
    #[inline]
    pub fn is_due(&mut self, work: u64) -> bool {
        self.work_left = self.work_left.saturating_sub(work);
        self.work_left == 0
    }

    /// Reports progress and tells which limit is reached.
    pub fn check(&mut self, now: Snapshot) -> Option<StopReason> {
        let elapsed = self.started.elapsed();
        self.adapt(elapsed);
        self.peak_memory = self.peak_memory.max(now.memory);
        self.look_at_memory(elapsed, now.memory);
        let stop = if self.stop.is_raised() {
            self.stop.reason()
        } else if self.limits.until.is_some_and(|until| self.started + elapsed >= until) {
            Some(StopReason::Time)
        } else if self.most_memory.or(self.limits.memory).is_some_and(|limit| now.memory + self.uncounted > limit) {
            Some(StopReason::Memory)
        } else {
            None
        };
        let since = elapsed - self.last_report;
        if since >= self.progress_interval
            && let Some(report) = &mut self.progress
        {
            let per_second = |amount: u64| amount as f64 / since.as_secs_f64().max(1e-9);
            let rate = per_second(now.expanded.saturating_sub(self.expanded_at_report));
            let (disk, before) = (now.disk.unwrap_or_default(), self.disk_at_report);
            let written = disk.written.saturating_sub(before.written);
            let disk_rates = (per_second(written), per_second(disk.read.saturating_sub(before.read)));
            self.disk_at_report = disk;
            let (network, before) = (now.network.unwrap_or_default(), self.network_at_report);
            let sent = network.sent_bytes.saturating_sub(before.sent_bytes);
            let received = network.received_bytes.saturating_sub(before.received_bytes);
            let network_rates = (per_second(sent), per_second(received));
            self.network_at_report = network;
            self.outlook.look(now.phase, elapsed, now.expanded, now.frontier);
            let left = if now.disk.is_some() || now.network.is_some() { self.outlook.left() } else { None };
            self.last_report = elapsed;
            self.expanded_at_report = now.expanded;
            let at_least = self.at_least.max(now.at_least);
            let elapsed = self.earlier + elapsed;
            report(&Progress { now, rate, disk_rates, network_rates, left, elapsed, known: self.known, at_least });
        }
        stop
    }

    /// Bytes that the process has besides what searches count: the model, and what allocators keep for themselves.
    pub fn uncounted(&self) -> u64 {
        self.uncounted
    }

    /// Looks at the memory of the process now, of which so much is counted.
    pub fn measure(&mut self, counted: u64) {
        self.last_look = None;
        self.look_at_memory(self.started.elapsed(), counted);
    }

    fn look_at_memory(&mut self, elapsed: Duration, counted: u64) {
        let is_time = self.last_look.is_none_or(|last| elapsed - last >= RESIDENT_QUANTUM);
        if let Some(resident) = self.resident.filter(|_| is_time && self.limits.memory.is_some()) {
            self.last_look = Some(elapsed);
            self.uncounted = resident().saturating_sub(counted);
        }
    }

    fn adapt(&mut self, elapsed: Duration) {
        let took = elapsed - self.last_check;
        if took < SHORTEST_QUANTUM {
            self.quantum = (self.quantum * 2).min(LARGEST_WORK);
        } else if took > LONGEST_QUANTUM {
            self.quantum = (self.quantum / 2).max(1);
        }
        self.work_left = self.quantum;
        self.last_check = elapsed;
    }
}
