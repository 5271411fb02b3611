//! A search on disk is saved between two buckets, and another process goes on from there.
//!
//! Runs are never changed once they are written, so those that lie in files are saved by giving their files another name in the
//! checkpoint ([`Draft::add_file`]); a run that was in the checkpoint before is not written again. What else is known fits into
//! one section: which runs there are, with their blocks' places, those that are small enough to be in memory, errors, counts. States
//! that wait in memory become runs first.
//!
//! **In the middle of a bucket.** A bucket may take hours. When it is time to save, or a limit ends the search, the bucket is given back
//! as it was, and what was expanded of it becomes a run like any other. Whoever takes the bucket again goes past that: it is known at
//! its cost. A state of which only some steps were taken counts as not expanded, with the counts of the moment before; what it has
//! led to by then is in its bucket twice, and duplicates vanish there. So all counts are those of a search that nothing has ended.
//!
//! **Estimates must be the same.** Buckets and what was expanded are told apart by estimates. A heuristic that was cut short when it was
//! built may be another one next time: then the search is not saved while it is under way.
//!
//! Fails: when a step of the search itself has failed (a full disk, no memory) the checkpoint before is what stays.

use std::collections::BTreeMap;
use std::sync::Arc;

use bughound_checkpoint::{Draft, Error, Reader, Record, Writer};
use bughound_kernel::StateBuf;
use bughound_search::engines::ending::Halt;
use bughound_search::engines::hunt::Hunt;
use bughound_search::evaluators::Stopwatch;
use bughound_search::saving::Resumed;
use bughound_search::{SearchError, SearchResult, Statistics};

use super::suspects::Suspects;
use super::{Engine, Spot};
use crate::blocks::Place as Block;
use crate::levels::{Ground, Levels};
use crate::open::Place;
use crate::patience::Patience;
use crate::row::From as Origin;
use crate::run::{self, Run};
use crate::space::Piece;
use crate::trouble::{Trouble, reserve};

const SECTION: &str = "disk-search";

/// What is known of a search because it may be saved.
#[derive(Default)]
pub(super) struct Saving {
    /// The number of its first checkpoint: part of the names of its files, which must not be those of another search.
    born: Option<u64>,
    /// The counts before the state that is being expanded.
    before: Statistics,
    watch: Stopwatch,
}

/// Why a search does not go on.
enum Failed {
    Trouble(Trouble),
    Damaged(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        match error {
            Error::OutOfMemory(_) => Failed::Trouble(Trouble::Memory),
            other => Failed::Damaged(other),
        }
    }
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Self {
        Failed::Trouble(trouble)
    }
}

fn file_name(born: u64, number: u64) -> String {
    format!("run-{born}-{number}")
}

fn write_place(place: Place, to: &mut Writer) {
    [place.f, place.cost, place.estimate].into_iter().for_each(|number| to.number(number));
}

fn read_place(from: &mut Reader) -> Result<Place, Error> {
    Ok(Place { f: from.number()?, cost: from.number()?, estimate: from.number()? })
}

fn write_spot(spot: &Spot, to: &mut Writer) {
    spot.state.key.write(to);
    spot.state.cover.write(to);
    to.number(spot.cost);
    to.number(spot.from.code().into());
}

/// In place of the number of a file.
const IN_MEMORY: u64 = 0;

/// Writes what is in memory of runs, and notes the files of the others.
fn write_runs(levels: &Levels, files: &mut Vec<u64>, to: &mut Writer) {
    to.number(levels.runs().len() as u64);
    for run in levels.runs() {
        to.number(run.rows());
        to.number(run.places().len() as u64);
        for block in run.places() {
            to.raw(&block.first.to_le_bytes());
            to.number(block.length.into());
        }
        match run.in_memory() {
            Ok(blocks) => {
                to.number(IN_MEMORY);
                to.bytes(blocks);
            }
            Err(number) => {
                to.number(number + 1);
                files.push(number);
            }
        }
    }
}

fn write_by_estimate(all: &BTreeMap<u64, Levels>, files: &mut Vec<u64>, to: &mut Writer) {
    to.number(all.len() as u64);
    for (estimate, levels) in all {
        to.number(*estimate);
        write_runs(levels, files, to);
    }
}

/// What is needed to have runs again.
struct Loading<'l> {
    resumed: &'l Resumed,
    ground: &'l Ground,
    born: u64,
}

impl Loading<'_> {
    fn runs(&self, from: &mut Reader) -> Result<Levels, Failed> {
        let count = from.count(4)?;
        let mut runs = Vec::new();
        reserve(&mut runs, count)?;
        for _ in 0..count {
            runs.push(Arc::new(self.run(from)?));
        }
        Ok(Levels::restore(runs))
    }

    fn run(&self, from: &mut Reader) -> Result<Run, Failed> {
        let rows = from.number()?;
        let count = from.count(9)?;
        let mut blocks = Vec::new();
        reserve(&mut blocks, count)?;
        let mut at = 0_u64;
        for _ in 0..count {
            let mut first = [0; 8];
            from.raw(&mut first)?;
            let length: u32 = from.small()?;
            blocks.push(Block { first: u64::from_le_bytes(first), at, length });
            at += u64::from(length);
        }
        if rows == 0 || blocks.iter().any(|block| block.length == 0) || count == 0 {
            return Err(from.damaged("a run is empty").into());
        }
        let Some(number) = from.number()?.checked_sub(1) else {
            let bytes = from.bytes()?;
            if bytes.len() as u64 != at {
                return Err(from.damaged("blocks of a run are missing").into());
            }
            return Ok(Run::restore_in_memory(bytes, blocks, rows));
        };
        let name = file_name(self.born, number);
        let saved = self.resumed.saved();
        let is_whole = saved.entries().iter().any(|entry| entry.name == name && entry.length == at);
        if !is_whole || number >= self.ground.space.next_number() {
            return Err(from.damaged("a run has no file of its length").into());
        }
        let space = &self.ground.space;
        let path = space.place(number).map_err(Trouble::from)?.ok_or_else(|| from.damaged("files have no names"))?;
        let piece = Piece::adopt_as(space, number, at)?;
        saved.place(&name, &path)?;
        Ok(Run::restore(piece, blocks, rows))
    }

    fn by_estimate(&self, from: &mut Reader) -> Result<BTreeMap<u64, Levels>, Failed> {
        let count = from.count(2)?;
        (0..count).map(|_| Ok((from.number()?, self.runs(from)?))).collect()
    }
}

impl Engine<'_, '_, '_> {
    /// From now on it can be saved, if anybody wants that.
    pub(super) fn begin_saving(&mut self) {
        let is_vague = self.estimator.is_some() && self.driver.preparation().cut_short;
        self.saving = (self.driver.saves() && !is_vague).then(Saving::default);
    }

    /// A state is about to be expanded.
    #[inline]
    pub(super) fn begin_step(&mut self) {
        if let Some(saving) = &mut self.saving {
            saving.before.clone_from(&self.stats);
            saving.watch = self.estimator.as_ref().map(|own| own.watch).unwrap_or_default();
        }
    }

    /// Some of its steps were not taken: if it is to be expanded once more, nothing has happened.
    pub(super) fn break_step(&mut self) {
        if self.gives_back()
            && let Some(saving) = &self.saving
        {
            self.stats.clone_from(&saving.before);
            self.estimator.iter_mut().for_each(|own| own.watch = saving.watch);
        }
    }

    /// Is a bucket to be given back that has not come to its end?
    pub(super) fn gives_back(&self) -> bool {
        self.saving.is_some()
            && match self.halt {
                None => self.driver.is_time_to_save(),
                Some(Halt::Limit(reason)) => self.driver.saves_at(reason),
                Some(Halt::Error | Halt::Budget) => false,
            }
    }

    /// Between two buckets.
    pub(super) fn save_if_due(&mut self) -> Result<(), Trouble> {
        if self.saving.is_some() && self.driver.is_time_to_save() {
            let mut patience = std::mem::replace(&mut self.patience, Patience::endless());
            let saved = self.save(&mut patience);
            self.patience = patience;
            saved?;
        }
        Ok(())
    }

    /// A limit has ended it. `is_whole`: between two buckets; otherwise what was saved last is all that there is.
    pub(super) fn end_saving(&mut self, is_whole: bool) {
        if let Some(Halt::Limit(reason)) = self.halt
            && self.saving.is_some()
            && self.driver.saves_at(reason)
        {
            if is_whole {
                // If there is no room for it, the checkpoint before stays.
                let _ = self.save(&mut Patience::endless());
            }
            self.driver.end_saving();
        }
    }

    fn save(&mut self, patience: &mut Patience) -> Result<(), Trouble> {
        self.open.shrink(0, &self.ground, patience)?;
        let Engine { driver, saving: Some(saving), open, closed, suspects, ground, hunt, estimator, .. } = self else {
            return Ok(());
        };
        let (stats, losses) = (&self.stats, &self.losses);
        let (floor, best_estimate) = (self.floor, self.best_estimate);
        driver.save_sections(|draft| {
            let born = *saving.born.get_or_insert(draft.generation());
            let mut files = Vec::new();
            let mut to = draft.section(SECTION)?;
            to.number(born);
            to.number(ground.space.next_number());
            to.flag(estimator.is_some());
            stats.write(&mut to);
            to.flag(losses.endless);
            to.flag(losses.left_out);
            to.number(floor);
            best_estimate.write(&mut to);
            if let Some(own) = estimator {
                own.watch.write(&mut to);
            }
            hunt.write(write_spot, &mut to);
            write_by_estimate(closed, &mut files, &mut to);
            to.flag(suspects.none);
            write_by_estimate(&suspects.rows, &mut files, &mut to);
            let (returned, buckets) = open.in_runs();
            to.flag(returned.is_some());
            to.number(buckets.len() as u64);
            for (place, runs) in returned.into_iter().chain(buckets) {
                write_place(place, &mut to);
                write_runs(runs, &mut files, &mut to);
            }
            draft.finish(to)?;
            add_files(draft, born, &files, ground)
        });
        Ok(())
    }

    /// Goes on where another process has saved it, to the end.
    pub(super) fn go_on(&mut self, resumed: &Resumed) -> Result<SearchResult, SearchError> {
        if self.estimator.is_some() && self.driver.preparation().cut_short {
            let why = "there was not enough time or memory to build the heuristic as it was built then";
            return Err(SearchError::Resume(why.into()));
        }
        let loaded = match self.load(resumed) {
            Ok(()) => Ok(()),
            Err(Failed::Trouble(trouble)) => Err(trouble),
            Err(Failed::Damaged(error)) => return Err(SearchError::Resume(error.to_string())),
        };
        self.work(|_, _| loaded)
    }

    fn load(&mut self, resumed: &Resumed) -> Result<(), Failed> {
        let mut from = resumed.section(SECTION)?;
        let born = from.number()?;
        self.saving.get_or_insert_default().born = Some(born);
        self.ground.space.begin_at(from.number()?);
        if from.flag()? != self.estimator.is_some() {
            return Err(from.damaged("it is not about the same search").into());
        }
        let stats = Statistics::read(&mut from)?;
        (self.losses.endless, self.losses.left_out) = (from.flag()?, from.flag()?);
        let floor = from.number()?;
        let best_estimate = Record::read(&mut from)?;
        let watch = self.estimator.is_some().then(|| Record::read(&mut from)).transpose()?;
        let mut hunt = Hunt::new(&self.task);
        hunt.read(|from| self.read_spot(from), &mut from)?;
        let ground = self.ground.clone();
        let loading = Loading { resumed, ground: &ground, born };
        self.closed = loading.by_estimate(&mut from)?;
        let none = from.flag()?;
        self.suspects = Suspects::restore(loading.by_estimate(&mut from)?, none);
        let returned = from.flag()?;
        let count = from.count(4)?;
        if returned {
            let place = read_place(&mut from)?;
            self.open.give_back(place, loading.runs(&mut from)?);
        }
        for _ in 0..count {
            let place = read_place(&mut from)?;
            self.open.restore(place, loading.runs(&mut from)?);
        }
        from.end()?;
        self.compare_estimates(&from)?;
        self.make_hashes()?;
        (self.stats, self.floor, self.best_estimate, self.hunt) = (stats, floor, best_estimate, hunt);
        if let Some((own, watch)) = self.estimator.as_mut().zip(watch) {
            own.watch = watch;
        }
        Ok(())
    }

    fn read_spot(&self, from: &mut Reader) -> Result<Spot, Error> {
        let state = StateBuf { key: Record::read(from)?, cover: Record::read(from)? };
        let layout = self.task.system.layout();
        let fits = state.key.iter().zip(&layout.slots).all(|(value, slot)| (slot.lo..=slot.hi).contains(value));
        if !fits || state.key.len() > layout.slots.len() || state.cover.len() != layout.cover_len {
            return Err(from.damaged("a state is none of the model"));
        }
        let (cost, code) = (from.number()?, from.small()?);
        let origin = Origin::from_code(code).ok_or_else(|| from.damaged("a state comes from nowhere"))?;
        Ok(Spot { state, cost, from: origin })
    }

    /// Is the heuristic the one that there was? One state of each run is looked at.
    fn compare_estimates(&mut self, section: &Reader) -> Result<(), Failed> {
        if self.estimator.is_none() {
            return Ok(());
        }
        let (returned, buckets) = self.open.in_runs();
        let open = returned.into_iter().chain(buckets).map(|(place, levels)| (place.estimate, levels));
        let closed = self.closed.iter().chain(&self.suspects.rows).map(|(estimate, levels)| (*estimate, levels));
        let mut samples: Vec<(u64, Arc<Run>)> = Vec::new();
        for (estimate, levels) in open.chain(closed) {
            samples.extend(levels.runs().iter().map(|run| (estimate, Arc::clone(run))));
        }
        let mut state = StateBuf::default();
        for (estimate, run) in samples {
            let reader = run::Reader::new(&run, &self.ground.shape, self.ground.sizes)?;
            let Some(row) = reader.row() else { continue };
            self.ground.shape.unpack(&row, &mut state);
            if self.estimate(state.as_state()) != estimate {
                return Err(section.damaged("the heuristic gives other estimates than it gave then").into());
            }
        }
        Ok(())
    }
}

fn add_files(draft: &mut Draft<'_>, born: u64, files: &[u64], ground: &Ground) -> Result<(), Error> {
    for number in files {
        let name = file_name(born, *number);
        let io = |error| Error::Io { doing: "find", path: name.clone().into(), error };
        if let Some(path) = ground.space.place(*number).map_err(io)? {
            draft.add_file(&name, &path)?;
        }
    }
    Ok(())
}
