//! What is done, what there is to do, and what follows from it, as one process sees it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bughound_kernel::StateBuf;
use bughound_search::engines::hunt::Sighting;
use bughound_search::{DiskUse, Driver, SearchError, Statistics, StopPolicy, Task, Witness};

use super::folder::Folder;
use super::record::{Bucket, KeptRun, Record, Seen};
use super::shared::SharedFiles;
use crate::engine::Spot;
use crate::engine::path::Expanded;
use crate::levels::Ground;
use crate::row::{From, Row};
use crate::run::Run;
use crate::space::Space;
use crate::trouble::{Trouble, reserve};

/// A piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// The initial states.
    Start,
    Merge(Bucket, u32),
    Expand(Bucket, u32),
}

impl Request {
    pub(super) fn name(self) -> String {
        match self {
            Request::Start => "start".into(),
            Request::Merge(Bucket { cost, round }, part) => format!("merge-{cost}-{round}-{part}"),
            Request::Expand(Bucket { cost, round }, part) => format!("expand-{cost}-{round}-{part}"),
        }
    }
}

/// What there is to do next.
pub(super) enum Next {
    Requests(Vec<Request>),
    /// Enough errors are found.
    Answer,
    /// There is nothing left.
    End,
}

/// A run of a result.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) request: String,
    pub(super) file: String,
    pub(super) run: Arc<Run>,
}

/// How far a part of the bucket is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    ToMerge,
    ToExpand,
    Done,
}

pub(super) struct Progress<'f> {
    parts: u32,
    space: Arc<Space>,
    files: Arc<SharedFiles>,
    folder: &'f Folder,
    task: Task<'f>,
    /// `None`: the initial states are not there.
    bucket: Option<Bucket>,
    stages: Vec<Stage>,
    /// By part: what is new in the bucket.
    new: Vec<Option<Held>>,
    /// By part: what was expanded, and what is being.
    pub(super) closed: Vec<Vec<Held>>,
    /// By bucket and part: what was generated and not merged.
    waiting: BTreeMap<Bucket, BTreeMap<u32, Vec<Held>>>,
    seen: Vec<Seen>,
    /// Properties with failing steps beyond the bound.
    missed: BTreeSet<usize>,
    pub(super) stats: Statistics,
    pub(super) endless: bool,
    /// Something lies beyond the bound.
    pub(super) beyond: bool,
    is_over: bool,
}

impl<'f> Progress<'f> {
    pub(super) fn new(
        parts: u32,
        space: &Arc<Space>,
        files: &Arc<SharedFiles>,
        folder: &'f Folder,
        task: Task<'f>,
    ) -> Self {
        Progress {
            parts,
            space: Arc::clone(space),
            files: Arc::clone(files),
            folder,
            task,
            bucket: None,
            stages: vec![Stage::Done; parts as usize],
            new: vec![None; parts as usize],
            closed: vec![Vec::new(); parts as usize],
            waiting: BTreeMap::new(),
            seen: Vec::new(),
            missed: BTreeSet::new(),
            stats: Statistics::default(),
            endless: false,
            beyond: false,
            is_over: false,
        }
    }

    /// No error costs less that is not known.
    pub(super) fn floor(&self) -> u64 {
        self.bucket.map_or(0, |bucket| if bucket == Bucket::BEYOND { 0 } else { bucket.cost })
    }

    /// States that were generated and not merged, duplicates included.
    pub(super) fn waiting(&self) -> u64 {
        self.waiting.values().flat_map(BTreeMap::values).flatten().map(|held| held.run.rows()).sum()
    }

    /// What this process has written and read, and what all have found to be known.
    pub(super) fn disk_use(&self) -> DiskUse {
        self.space.traffic().with_duplicates(self.stats.generated.saturating_sub(self.stats.stored + self.waiting()))
    }

    pub(super) fn memory(&self) -> u64 {
        let waiting = self.waiting.values().flat_map(BTreeMap::values).flatten();
        self.closed.iter().flatten().chain(waiting).map(|held| held.run.memory()).sum()
    }

    pub(super) fn generated_for(&self, bucket: Bucket, part: u32) -> &[Held] {
        self.waiting.get(&bucket).and_then(|parts| parts.get(&part)).map_or(&[], Vec::as_slice)
    }

    pub(super) fn new_in(&self, part: u32) -> Option<&Held> {
        self.new[part as usize].as_ref()
    }

    /// Takes in what was done since, and says what there is to do.
    pub(super) fn next(&mut self, driver: &mut Driver<'_>) -> Result<Next, Trouble> {
        loop {
            let Some(bucket) = self.bucket else {
                if !self.folder.is_done(&Request::Start.name()) {
                    return Ok(Next::Requests(vec![Request::Start]));
                }
                let record = self.read(Request::Start, driver)?;
                self.take_generated(Request::Start, record)?;
                if let Some(next) = self.turn() {
                    return Ok(next);
                }
                continue;
            };
            let mut requests = Vec::new();
            for part in 0..self.parts {
                if self.stages[part as usize] == Stage::ToMerge {
                    let request = Request::Merge(bucket, part);
                    if !self.folder.is_done(&request.name()) {
                        requests.push(request);
                        continue;
                    }
                    self.take_merged(request, bucket, part, driver)?;
                }
                if self.stages[part as usize] == Stage::ToExpand {
                    let request = Request::Expand(bucket, part);
                    if !self.folder.is_done(&request.name()) {
                        requests.push(request);
                        continue;
                    }
                    let record = self.read(request, driver)?;
                    self.take_generated(request, record)?;
                    self.stages[part as usize] = Stage::Done;
                }
            }
            if !requests.is_empty() {
                return Ok(Next::Requests(requests));
            }
            if let Some(next) = self.turn() {
                return Ok(next);
            }
        }
    }

    fn read(&mut self, request: Request, driver: &mut Driver<'_>) -> Result<Record, Trouble> {
        let record = Record::from_bytes(&self.folder.read_result(&request.name())?)?;
        for one in &record.moves {
            driver.observe(std::slice::from_ref(one));
        }
        Ok(record)
    }

    fn hold(&self, request: &str, kept: &KeptRun) -> Result<Held, Trouble> {
        let path = self.folder.file(request, &kept.file);
        let run = Arc::new(self.files.open(kept, path, &self.space)?);
        Ok(Held { request: request.to_owned(), file: kept.file.clone(), run })
    }

    /// What was generated, and what was seen on the way.
    fn take_generated(&mut self, request: Request, record: Record) -> Result<(), Trouble> {
        let name = request.name();
        for kept in &record.runs {
            let held = self.hold(&name, kept)?;
            let waiting = self.waiting.entry(kept.bucket).or_default().entry(kept.part).or_default();
            reserve(waiting, 1)?;
            waiting.push(held);
        }
        let [expanded, generated, transitions, deadlocks, assertions, evaluations] = record.counts;
        self.stats.expanded += expanded;
        self.stats.generated += generated;
        self.stats.transitions += transitions;
        self.stats.deadlocks += deadlocks;
        self.stats.failed_assertions += assertions;
        self.stats.evaluation_errors += evaluations;
        self.endless |= record.endless;
        self.missed.extend(&record.beyond);
        self.seen.extend(record.seen);
        Ok(())
    }

    /// The states of a part that are new, and all that was expanded of it by now.
    fn take_merged(
        &mut self,
        request: Request,
        bucket: Bucket,
        part: u32,
        driver: &mut Driver<'_>,
    ) -> Result<(), Trouble> {
        let (name, record) = (request.name(), self.read(request, driver)?);
        let known = std::mem::take(&mut self.closed[part as usize]);
        let made = record.runs.iter().map(|kept| self.hold(&name, kept)).collect::<Result<Vec<_>, _>>()?;
        let at = part as usize;
        // The first one is what is new; it may be among the closed ones, or in one of them.
        self.new[at] = made.first().cloned();
        let rows = self.new[at].as_ref().map_or(0, |new| new.run.rows());
        for (request, file) in &record.closed {
            let held = made.iter().chain(&known).find(|held| held.request == *request && held.file == *file);
            self.closed[at].push(held.cloned().ok_or(Trouble::Corrupt)?);
        }
        // Runs that were merged into others. What is merged next is compared with those.
        let is_closed =
            |one: &Held| record.closed.iter().any(|(request, file)| one.request == *request && one.file == *file);
        for one in known.iter().filter(|one| !is_closed(one)) {
            self.folder.remove_file(&one.request, &one.file);
        }
        if bucket == Bucket::BEYOND {
            self.beyond |= rows > 0;
            self.stages[at] = Stage::Done;
        } else {
            self.stats.stored += rows;
            self.stats.depth = if rows > 0 { self.stats.depth.max(bucket.cost) } else { self.stats.depth };
            self.stages[at] = if rows > 0 { Stage::ToExpand } else { Stage::Done };
        }
        Ok(())
    }

    /// The bucket is done: on to the next one, unless there is an answer.
    fn turn(&mut self) -> Option<Next> {
        self.forget();
        let next = self.waiting.keys().next().copied();
        let is_last = next.is_none_or(|next| next == Bucket::BEYOND);
        if self.is_enough(next.filter(|_| !is_last)) {
            return Some(Next::Answer);
        }
        let Some(next) = next else {
            self.is_over = true;
            self.beyond |= self.missed.iter().any(|property| !self.seen.iter().any(|seen| seen.property == *property));
            return Some(Next::End);
        };
        self.bucket = Some(next);
        for part in 0..self.parts {
            let waits = !self.generated_for(next, part).is_empty();
            self.stages[part as usize] = if waits { Stage::ToMerge } else { Stage::Done };
        }
        None
    }

    /// Removes states that were merged: whoever still reads them comes too late.
    fn forget(&mut self) {
        let Some(bucket) = self.bucket else { return };
        for held in self.waiting.remove(&bucket).into_iter().flat_map(BTreeMap::into_values).flatten() {
            self.folder.remove_file(&held.request, &held.file);
        }
        for (part, new) in self.new.iter_mut().enumerate() {
            let Some(new) = new.take() else { continue };
            let is_closed = |held: &Held| held.request == new.request && held.file == new.file;
            if !self.closed[part].iter().any(is_closed) {
                self.folder.remove_file(&new.request, &new.file);
            }
        }
    }

    /// Are all errors found that were asked for? Errors count when nothing cheaper is left.
    fn is_enough(&self, next: Option<Bucket>) -> bool {
        let ripe = |seen: &&Seen| next.is_none_or(|next| seen.cost <= next.cost);
        let found: BTreeSet<usize> = self.seen.iter().filter(ripe).map(|seen| seen.property).collect();
        match self.task.stop {
            StopPolicy::FirstError => !found.is_empty(),
            StopPolicy::EveryProperty => !found.is_empty() && found.len() == self.task.goals.properties().len(),
            StopPolicy::Exhaustive => false,
        }
    }

    /// The cheapest error, or the cheapest of each property.
    pub(super) fn witnesses(&self, ground: &Ground) -> Result<Result<Vec<Witness>, SearchError>, Trouble> {
        let next = self.waiting.keys().next().filter(|next| !self.is_over && **next != Bucket::BEYOND);
        let mut least: BTreeMap<usize, &Seen> = BTreeMap::new();
        for seen in self.seen.iter().filter(|seen| next.is_none_or(|next| seen.cost <= next.cost)) {
            let known = least.entry(seen.property).or_insert(seen);
            *known = (*known).min(seen);
        }
        let mut wanted: Vec<&Seen> = least.into_values().collect();
        wanted.sort();
        if self.task.stop == StopPolicy::FirstError {
            wanted.truncate(1);
        }
        let runs = self.closed.iter().flatten().map(|held| Arc::clone(&held.run)).collect();
        let expanded = Expanded { runs, ground: ground.clone() };
        let mut witnesses = Vec::new();
        for seen in wanted {
            let (property, cost) = (seen.property, seen.cost);
            let from = From::from_code(seen.from).ok_or(Trouble::Corrupt)?;
            let key = ground.shape.key_words(&seen.words).ok_or(Trouble::Corrupt)?;
            let row = Row { hash: 0, cost: seen.state_cost, from, words: &seen.words, key };
            let mut state = StateBuf::default();
            ground.shape.unpack(&row, &mut state);
            let at = Spot { state, cost: seen.state_cost, from };
            let sighting = Sighting { property, at, failure: seen.failure(), cost };
            match expanded.witness(self.task, &sighting, true)? {
                Some(witness) => witnesses.push(witness),
                None => return Ok(Err(SearchError::PathLost { property })),
            }
        }
        Ok(Ok(witnesses))
    }
}
