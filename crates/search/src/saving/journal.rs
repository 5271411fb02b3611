//! What is over, and what is under way.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bughound_checkpoint::{Draft, Error, Folder, Identity, Reader, Record, Saved, Writer};

use super::Ids;
use crate::result::SearchResult;

/// The section of the journal itself.
const JOURNAL: &str = "journal";

/// Something that is over.
#[derive(Clone, Debug)]
struct Over {
    /// What it was about.
    label: String,
    result: SearchResult,
}

/// What is recorded besides the run of the engine under way.
#[derive(Clone, Debug, Default)]
struct Book {
    /// Each with what an observer has seen by its end.
    calls: Vec<(Over, Vec<u64>)>,
    /// Of the call under way.
    runs: Vec<Over>,
    label: String,
    run_label: String,
    /// The time that the call under way has taken, and what an observer has seen by now.
    elapsed: Duration,
    seen: Vec<u64>,
    parts: Parts,
}

/// The sections with the states of the run under way: states are only added, so the next checkpoint keeps those of the one before.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    count: usize,
    /// How many states are in them.
    states: u32,
    /// States keep their numbers.
    can_grow: bool,
}

/// A run of the engine, as it was saved.
#[derive(Debug)]
pub struct Resumed {
    saved: Saved,
    parts: Parts,
}

/// A name, and what writes it.
pub(crate) type Section<'i> = (&'static str, &'i dyn Fn(&mut Writer));

/// What there is of a run to be saved.
pub(crate) struct Image<'i> {
    /// Writes the states from a number on.
    pub states: &'i dyn Fn(u32, &mut Writer),
    pub sections: &'i [Section<'i>],
}

/// Where a run of the engine begins.
#[derive(Debug)]
pub enum Begin {
    AtTheStart,
    From(Resumed),
    /// It is over.
    AtTheEnd(Box<SearchResult>),
}

/// Records a check in a [`Folder`], and has it go on where it was.
pub struct Journal {
    directory: PathBuf,
    /// `None`: another process writes in it.
    folder: Option<Folder>,
    identity: Identity,
    /// Time between two checkpoints.
    every: Duration,
    /// The end of all time.
    until: Option<Instant>,
    /// Raised while a checkpoint is written.
    writing: Arc<AtomicBool>,
    book: Book,
    /// How many calls are over, and how many runs of this one have begun, in this process.
    calls: usize,
    runs: usize,
    /// The run that is to go on.
    resumed: Option<Resumed>,
    last: Instant,
    /// A limit has ended a search, which was saved then: nothing is written any more.
    is_closed: bool,
    /// There was nothing to go on with.
    is_new: bool,
    problem: Option<String>,
    saves: u64,
}

fn part(number: usize) -> String {
    format!("states-{number}")
}

impl Resumed {
    /// The checkpoint, for files that are to be put back.
    pub fn saved(&self) -> &Saved {
        &self.saved
    }

    /// Are there states of a search in memory? Otherwise an engine of another kind was saved.
    pub(crate) fn has_states(&self) -> bool {
        self.parts.count > 0
    }

    pub fn section(&self, name: &str) -> Result<Reader, Error> {
        self.saved.section(name)
    }

    /// The states, part by part.
    pub fn states(&self) -> impl Iterator<Item = Result<Reader, Error>> + '_ {
        (0..self.parts.count).map(|number| self.saved.section(&part(number)))
    }

    pub(crate) fn count(&self) -> u32 {
        self.parts.states
    }
}

impl Record for Over {
    fn write(&self, to: &mut Writer) {
        self.label.write(to);
        self.result.write(to);
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(Over { label: from.text()?, result: Record::read(from)? })
    }
}

impl Record for Book {
    fn write(&self, to: &mut Writer) {
        self.calls.write(to);
        self.runs.write(to);
        self.label.write(to);
        self.run_label.write(to);
        self.elapsed.write(to);
        self.seen.write(to);
        to.number(self.parts.count as u64);
        to.number(self.parts.states.into());
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(Book {
            calls: Record::read(from)?,
            runs: Record::read(from)?,
            label: Record::read(from)?,
            run_label: Record::read(from)?,
            elapsed: Record::read(from)?,
            seen: Record::read(from)?,
            parts: Parts { count: from.small()?, states: from.small()?, can_grow: false },
        })
    }
}

impl Journal {
    /// For a new check, or for one that goes on with what is in the folder: then its identity was compared. A new one is written at
    /// once. `until`: the end of all time.
    pub fn new(folder: Folder, identity: Identity, every: Duration, until: Option<Instant>) -> Result<Journal, Error> {
        let saved = folder.saved().ok();
        let is_new = saved.is_none();
        let directory = folder.directory().to_path_buf();
        let mut journal = Journal { every, until, is_new, ..Journal::of(directory, Some(folder), identity) };
        match saved {
            None => journal.try_write(false, |_| Ok(()))?,
            Some(saved) => journal.read(saved)?,
        }
        Ok(journal)
    }

    /// Goes on with what is in a folder in which another process of the same search writes.
    pub fn beside_another(directory: &Path, identity: Identity) -> Result<Journal, Error> {
        let saved = Saved::of_another(directory)?;
        saved.identity().compare(&identity)?;
        let mut journal = Journal::of(directory.to_path_buf(), None, identity);
        journal.read(saved)?;
        Ok(journal)
    }

    fn of(directory: PathBuf, folder: Option<Folder>, identity: Identity) -> Journal {
        Journal {
            directory,
            folder,
            identity,
            every: Duration::MAX,
            until: None,
            writing: Arc::default(),
            book: Book::default(),
            calls: 0,
            runs: 0,
            resumed: None,
            last: Instant::now(),
            is_closed: false,
            is_new: false,
            problem: None,
            saves: 0,
        }
    }

    fn read(&mut self, saved: Saved) -> Result<(), Error> {
        // Everything that will be needed is compared now: later would be too late to refuse.
        saved.verify()?;
        let mut from = saved.section(JOURNAL)?;
        self.book = Book::read(&mut from)?;
        let is_under_way = from.flag()?;
        from.end()?;
        let parts = self.book.parts;
        self.resumed = is_under_way.then_some(Resumed { saved, parts });
        Ok(())
    }

    /// Raised while a checkpoint is written: whoever ends the program may wait for it.
    pub fn writing(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.writing)
    }

    /// Why the last checkpoint could not be written, if it could not.
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// How many checkpoints this process has written with a search under way.
    pub fn saves(&self) -> u64 {
        self.saves
    }

    /// Does this process write what is recorded?
    pub fn writes(&self) -> bool {
        self.folder.is_some()
    }

    /// Was a search saved because a limit has ended it?
    pub fn is_closed(&self) -> bool {
        self.is_closed
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Nothing is left to go on with: the check is over.
    pub fn clear(self) -> Result<(), Error> {
        self.folder.map_or(Ok(()), Folder::clear)
    }

    /// The check has failed: what has begun with it leaves nothing behind.
    pub fn discard(self) -> Result<(), Error> {
        if self.is_new { self.clear() } else { Ok(()) }
    }

    /// The check ends here, and another process may go on with it. A search that was saved at its end stays as it was.
    pub fn keep(&mut self) {
        if !self.is_closed {
            self.close_without_run();
        }
    }

    /// The end of all time has come.
    pub(crate) fn time_is_over(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }

    /// Time that the call under way has taken, in other processes, too.
    pub(crate) fn earlier(&self) -> Duration {
        self.book.elapsed
    }

    /// What an observer had seen when the call under way was saved.
    pub(crate) fn seen(&self) -> &[u64] {
        &self.book.seen
    }

    /// A call begins. If it is over: its result, and what an observer has seen.
    pub(crate) fn begin_call(&mut self, label: String) -> Option<(SearchResult, Vec<u64>)> {
        self.runs = 0;
        if self.is_closed {
            return None;
        }
        if let Some((over, seen)) = self.book.calls.get(self.calls) {
            if over.label == label {
                self.calls += 1;
                return Some((over.result.clone(), seen.clone()));
            }
            // The check has taken another course: what is recorded from here on is about something else.
            self.book.calls.truncate(self.calls);
            self.book.label.clear();
        }
        if self.book.label != label {
            let calls = std::mem::take(&mut self.book.calls);
            self.book = Book { calls, label, ..Book::default() };
            self.resumed = None;
        }
        None
    }

    pub(crate) fn end_call(&mut self, result: &SearchResult, seen: Vec<u64>, is_end: bool) {
        if self.is_closed {
            return;
        }
        if is_end {
            // Its search could not be saved: it begins again, with what was over before it.
            self.close_without_run();
            return;
        }
        let over = Over { label: std::mem::take(&mut self.book.label), result: result.clone() };
        let mut calls = std::mem::take(&mut self.book.calls);
        calls.push((over, seen));
        self.calls = calls.len();
        self.book = Book { calls, ..Book::default() };
        self.write_if_due();
    }

    /// A run of the engine begins.
    pub(crate) fn begin_run(&mut self, label: String) -> Begin {
        if self.is_closed {
            return Begin::AtTheStart;
        }
        let number = self.runs;
        self.runs += 1;
        if let Some(over) = self.book.runs.get(number) {
            if over.label == label {
                return Begin::AtTheEnd(Box::new(over.result.clone()));
            }
            self.book.runs.truncate(number);
            self.resumed = None;
        }
        let resumed = self.resumed.take().filter(|_| self.book.run_label == label);
        if resumed.is_none() {
            self.book.parts = Parts::default();
        }
        self.book.run_label = label;
        resumed.map_or(Begin::AtTheStart, Begin::From)
    }

    pub(crate) fn end_run(&mut self, result: &SearchResult, is_end: bool) {
        if self.is_closed || is_end {
            return;
        }
        let label = std::mem::take(&mut self.book.run_label);
        self.book.runs.push(Over { label, result: result.clone() });
        self.book.parts = Parts::default();
        self.write_if_due();
    }

    pub(crate) fn is_time_to_save(&self) -> bool {
        self.writes() && !self.is_closed && self.last.elapsed() >= self.every
    }

    /// The run under way has states with these ids in its store now, as they were saved: those that are added later can be saved
    /// without them.
    pub(crate) fn loaded(&mut self, ids: &Ids) {
        self.book.parts.can_grow = ids.are_dense() && ids.count() == self.book.parts.states;
    }

    /// Saves the run under way.
    pub(crate) fn save_run(&mut self, ids: &Ids, (elapsed, seen): (Duration, Vec<u64>), image: &Image<'_>) {
        (self.book.elapsed, self.book.seen) = (elapsed, seen);
        let before = self.book.parts;
        let kept = if before.can_grow && ids.are_dense() { before } else { Parts::default() };
        let grows = ids.count() > kept.states;
        let count = kept.count + usize::from(grows);
        self.book.parts = Parts { count, states: ids.count(), can_grow: ids.are_dense() };
        let written = self.try_write(true, |draft| {
            for number in 0..kept.count {
                draft.keep(&part(number))?;
            }
            if grows {
                let mut section = draft.section(&part(kept.count))?;
                (image.states)(kept.states, &mut section);
                draft.finish(section)?;
            }
            for (name, write) in image.sections {
                let mut section = draft.section(name)?;
                write(&mut section);
                draft.finish(section)?;
            }
            Ok(())
        });
        if !self.note(written) {
            self.book.parts = before;
        }
    }

    /// The same for an engine that has its own idea of sections.
    pub(crate) fn save_sections(
        &mut self,
        (elapsed, seen): (Duration, Vec<u64>),
        write: impl FnOnce(&mut Draft<'_>) -> Result<(), Error>,
    ) -> bool {
        (self.book.elapsed, self.book.seen) = (elapsed, seen);
        self.book.parts = Parts::default();
        let written = self.try_write(true, write);
        self.note(written)
    }

    fn note(&mut self, written: Result<(), Error>) -> bool {
        match written {
            Ok(()) => self.saves += 1,
            Err(ref error) => self.problem = Some(error.to_string()),
        }
        written.is_ok()
    }

    /// A limit has ended the search, which was saved as far as it could be.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
    }

    fn close_without_run(&mut self) {
        // A run that is still to go on stays as it was saved.
        if self.resumed.is_none() {
            self.write_book();
        }
        self.is_closed = true;
    }

    fn write_if_due(&mut self) {
        if self.is_time_to_save() {
            self.write_book();
        }
    }

    /// Without a run under way.
    fn write_book(&mut self) {
        if let Err(error) = self.try_write(false, |_| Ok(())) {
            self.problem = Some(error.to_string());
        }
    }

    fn try_write(
        &mut self,
        is_under_way: bool,
        write: impl FnOnce(&mut Draft<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Some(folder) = &mut self.folder else { return Ok(()) };
        self.writing.store(true, Ordering::SeqCst);
        let attempt = || {
            let mut draft = folder.draft(&self.identity)?;
            write(&mut draft)?;
            let mut journal = draft.section(JOURNAL)?;
            self.book.write(&mut journal);
            journal.flag(is_under_way);
            draft.finish(journal)?;
            draft.commit()
        };
        let done = attempt();
        self.writing.store(false, Ordering::SeqCst);
        self.last = Instant::now();
        if done.is_ok() {
            self.problem = None;
        }
        done
    }
}
