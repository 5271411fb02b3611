//! One deadline, one bound on memory and one Ctrl-C for the whole invocation, from its start to the last line.
//!
//! A thread looks at the clock and at the memory of the process and raises one [`StopSignal`], to which searches, long
//! expansions and the building of heuristics listen: they end with what they have. What does not listen, such as a parser,
//! is given a moment; then the thread itself tells what is known so far and ends the program.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bughound::check::{CheckReport, PropertyReport};
use bughound::machine::own_memory;
use bughound::printable::printable;
use bughound::report;
use bughound::report::error::{StoppedDocument, StoppedProperty};
use bughound::report::files::{FilesDocument, ModelDocument};
use bughound::report::words::VerdictWord;
use bughound::verdict::Verdict;
use bughound_kernel::{StopReason, StopSignal};
use bughound_search::Journal;

use super::files_summary::{Done, FileRow, decided, render, worst};
use super::formats::FormatArguments;
use super::{eprint_line, print};

/// Between two looks at the clock.
const TICK: Duration = Duration::from_millis(10);
/// What was told to end has so much time to do so. Together with what it takes to print, an interrupt is obeyed within a
/// second.
const PATIENCE: Duration = Duration::from_millis(300);
/// Reports on what is known have so much time to be written. A file system may be slow, but nobody waits for ever.
const WRITING: Duration = Duration::from_secs(5);
/// Room for what is not the model, at least.
const OWN_BYTES: u64 = 8 << 20;

const READING: &str = "while the input was read";

static STARTED: LazyLock<Instant> = LazyLock::new(Instant::now);
static STOP: LazyLock<StopSignal> = LazyLock::new(StopSignal::default);
static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
/// Whoever sets it writes the result; nobody else does.
static OUTPUT_TAKEN: AtomicBool = AtomicBool::new(false);
/// Somebody sits at the keyboard: an interrupt ends a command, not the program.
/// Raised while a checkpoint is written, if there is anything to be saved.
static SAVING: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);
static INTERACTIVE: AtomicBool = AtomicBool::new(false);

/// The limits of the invocation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    pub time: Option<Duration>,
    pub memory: Option<u64>,
}

impl Bounds {
    /// When the time is over.
    pub fn until(self) -> Option<Instant> {
        // A time beyond all clocks is no limit.
        self.time.and_then(|time| STARTED.checked_add(time))
    }
}

/// What can be told if the program has to end at once.
struct Known {
    command: &'static str,
    file: String,
    json: bool,
    /// What is being done, as the end of a sentence.
    doing: &'static str,
    properties: Vec<PropertyReport>,
    /// If there are several models.
    others: Option<Others>,
    /// The options that name reports on all models.
    reports: Option<FormatArguments>,
}

/// The models before the current one, and those that wait.
#[derive(Default)]
struct Others {
    done: Vec<Arc<Done>>,
    later: Vec<String>,
}

/// The program begins.
pub fn begin() {
    LazyLock::force(&STARTED);
}

/// The signal that ends everything.
pub fn stop_signal() -> StopSignal {
    STOP.clone()
}

/// Watches over the rest of the invocation.
pub fn watch(bounds: Bounds, command: &'static str, file: &str, json: bool) {
    let doing = READING;
    let (file, properties) = (file.to_string(), Vec::new());
    *known() = Some(Known { command, file, json, doing, properties, others: None, reports: None });
    let watcher = Watcher { until: bounds.until(), bounds, raised: None };
    // Without the thread, limits are kept as well as searches keep them.
    let _ = std::thread::Builder::new().name("supervisor".into()).spawn(move || watcher.run());
    listen_to_interrupts();
}

/// Says what is done from now on, as the end of a sentence.
pub fn now(doing: &'static str) {
    if let Some(known) = &mut *known() {
        known.doing = doing;
    }
}

/// Notes what is known of the properties.
pub fn note(properties: &[PropertyReport]) {
    if let Some(known) = &mut *known() {
        known.doing = "during the check";
        known.properties = properties.to_vec();
    }
}

/// Reports are to be written, whatever ends the program.
pub fn write_reports(reports: &FormatArguments) {
    if let Some(known) = &mut *known() {
        known.reports = Some(reports.clone());
    }
}

/// Goes on to the next of several models.
pub fn next_file(file: &str, later: &[String]) {
    if let Some(known) = &mut *known() {
        (known.file, known.doing) = (file.into(), READING);
        known.properties.clear();
        known.others.get_or_insert_default().later = later.to_vec();
    }
}

/// The current one of several models is done. What is known of it stays here as well: the end may come before it is printed.
pub fn finished_file(done: Arc<Done>) {
    if let Some(known) = &mut *known() {
        known.others.get_or_insert_default().done.push(done);
    }
}

/// The command, and the file that it is about.
pub fn about() -> (&'static str, String) {
    known().as_ref().map_or(("", String::new()), |known| (known.command, known.file.clone()))
}

/// An interrupt ends a command from now on, not the program.
pub fn interact() {
    INTERACTIVE.store(true, Ordering::Relaxed);
}

/// The result is there: may it be written? If not, the program is about to end.
pub fn take_output() -> bool {
    !OUTPUT_TAKEN.swap(true, Ordering::SeqCst)
}

/// While this one writes a checkpoint, the program does not end by itself.
pub fn wait_for(journal: Option<&Journal>) {
    *saving() = journal.map(Journal::writing);
}

fn saving() -> MutexGuard<'static, Option<Arc<AtomicBool>>> {
    SAVING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn is_saving() -> bool {
    saving().as_ref().is_some_and(|writing| writing.load(Ordering::SeqCst))
}

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first Ctrl-C ends the search with what is known, the second the program.
fn listen_to_interrupts() {
    let _ = ctrlc::set_handler(|| {
        if STOP.reason() == Some(StopReason::Interrupted) {
            bughound_external::remove_all();
            std::process::exit(130);
        }
        STOP.raise(StopReason::Interrupted);
        let _ = writeln!(std::io::stderr(), "\nstopping; press Ctrl-C again to quit at once");
    });
}

struct Watcher {
    bounds: Bounds,
    until: Option<Instant>,
    /// When the signal was first seen.
    raised: Option<Instant>,
}

impl Watcher {
    fn run(mut self) {
        loop {
            let left = self.until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()).min(TICK));
            std::thread::sleep(left.max(Duration::from_millis(1)));
            let most = self.bounds.memory.map(most_bytes);
            let bytes = if most.is_some() { own_memory() } else { 0 };
            if self.until.is_some_and(|until| Instant::now() >= until) {
                STOP.raise(StopReason::Time);
            } else if most.is_some_and(|most| bytes > most) {
                STOP.raise(StopReason::Memory);
            }
            let Some(reason) = STOP.reason() else {
                self.raised = None;
                continue;
            };
            if is_saving() {
                // What is being saved is worth waiting for, unless it is Ctrl-C again.
                self.raised = None;
                continue;
            }
            let raised = *self.raised.get_or_insert_with(Instant::now);
            let runs_away = most.is_some_and(|most| bytes > most.saturating_mul(2));
            if !runs_away && raised.elapsed() < PATIENCE {
                continue;
            }
            if INTERACTIVE.load(Ordering::Relaxed) && reason == StopReason::Interrupted {
                continue;
            }
            if take_output() {
                end(reason);
            }
            if reason == StopReason::Interrupted {
                // The result is being written, and nobody reads it any more.
                bughound_external::remove_all();
                std::process::exit(130);
            }
            return;
        }
    }
}

/// The memory of the process, without the program itself, with which it is over. Searches look at it, too, and end by themselves
/// before; this is for what does not.
fn most_bytes(limit: u64) -> u64 {
    limit.saturating_add((limit / 20).max(OWN_BYTES))
}

/// Tells what is known and ends the program.
fn end(reason: StopReason) -> ! {
    bughound_external::remove_all();
    let known = known().take();
    let Some(known) = known else { std::process::exit(i32::from(Verdict::Limit.exit_code())) };
    let why = format!("{} {}", reason.describe(), known.doing);
    eprint_line(&format!("stopped: {why}"));
    let current = CheckReport::stopped(known.properties, &why);
    let document = StoppedDocument::new(known.command, &known.file, &why, &current);
    let shown = match known.json {
        true => report::text(&document),
        false => text(&document),
    };
    let current = stopped(document, &why, current);
    let (shown, code, all) = match known.others {
        Some(others) => several(current, &shown, known.json, others),
        None => (shown, current.row.code, vec![Arc::new(current)]),
    };
    let _ = print(&shown);
    if let Some(reports) = known.reports {
        // Whatever the others do: what they hold on to, such as a pipe that nobody reads, must not hold up the end.
        let (written, is_written) = channel();
        std::thread::spawn(move || {
            reports.write_reports(&all.iter().map(|done| done.result()).collect::<Vec<_>>());
            written.send(())
        });
        let _ = is_written.recv_timeout(WRITING);
    }
    std::process::exit(i32::from(code))
}

/// A model whose check did not come to its end.
fn stopped(document: StoppedDocument, why: &str, report: CheckReport) -> Done {
    let verdicts = report.properties.iter().map(|property| property.verdict);
    let row = FileRow::without_result(&document.file, document.exit_code);
    let row = FileRow { decided: Some(decided(verdicts)).filter(|(_, all)| *all > 0), ..row };
    // Before its properties are known, nothing is.
    let report = if report.properties.is_empty() { Err(why.into()) } else { Ok(report) };
    Done { row, report, document: Some(ModelDocument::Stopped(document)) }
}

/// The same where the model is one of several: those before it are told, and those that wait.
fn several(current: Done, shown: &str, json: bool, others: Others) -> (String, u8, Vec<Arc<Done>>) {
    let Others { done: mut all, later } = others;
    // The current one may be done already.
    let is_current = !all.iter().any(|done| done.row.file == current.row.file);
    let shown = if is_current { format!("{shown}\n") } else { String::new() };
    let why = match &current.document {
        Some(ModelDocument::Stopped(document)) => format!("not checked: {}", document.reason),
        _ => String::new(),
    };
    if is_current {
        all.push(Arc::new(current));
    }
    for file in &later {
        let nothing = CheckReport::stopped(Vec::new(), &why);
        all.push(Arc::new(stopped(StoppedDocument::new("check", file, &why, &nothing), &why, nothing)));
    }
    let code = worst(all.iter().map(|done| done.row.code));
    let text = match json {
        true => report::text(&FilesDocument::new(code, all.iter().filter_map(|done| done.document.clone()).collect())),
        false => {
            let rows: Vec<FileRow> = all.iter().map(|done| done.row.clone()).collect();
            format!("{shown}{}", printable(&render(&rows)))
        }
    };
    (text, code, all)
}

fn text(document: &StoppedDocument) -> String {
    let mut out = printable(&format!("{}: stopped: {}\n", document.file, document.reason)).into_owned();
    for StoppedProperty { name, verdict, reason, .. } in &document.properties {
        let has_trace = matches!(verdict, VerdictWord::Violated | VerdictWord::Satisfied);
        let unshown = if has_trace { "; its trace is not shown" } else { "" };
        let reason = reason.as_ref().map_or(String::new(), |reason| format!(" ({reason})"));
        out.push_str(&printable(&format!("  {name}: {verdict}{unshown}{reason}\n")));
    }
    out
}
