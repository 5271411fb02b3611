//! What is done for a request.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use bughound_kernel::{Explorer, Move, Outcome, State, StateBuf, Step};
use bughound_search::{Driver, Snapshot, Task};

use super::folder::{Claim, Folder};
use super::progress::{Held, Progress, Request};
use super::record::{Bucket, Failing, KeptRun, Record, Seen};
use super::shared::SharedFiles;
use crate::batch::Batch;
use crate::budget::Budget;
use crate::engine::sweep::Subtraction;
use crate::levels::Ground;
use crate::merge::{Group, Merge};
use crate::patience::Patience;
use crate::row::{From, Row, Shape, hash};
use crate::run::{Reader, Run, Sizes, Writer};
use crate::space::Space;
use crate::trouble::{Trouble, reserve};

/// So many runs of about the same size become one.
const TOGETHER: usize = 4;

pub(super) struct Worker<'a> {
    task: Task<'a>,
    explorer: Box<dyn Explorer + 'a>,
    bound: Option<u64>,
    budget: Budget,
    ground: Ground,
    files: Arc<SharedFiles>,
    patience: Patience,
    parts: u32,
    /// Where in the queue this process looks first.
    turn: usize,
    packed: Vec<u32>,
    memory: u64,
}

/// A result in the making: its record, and the runs that belong to it.
struct Making<'m> {
    attempt: &'m Path,
    record: Record,
    /// As long as they are there, their files are.
    runs: Vec<Arc<Run>>,
    batches: BTreeMap<(Bucket, u32), Batch>,
    memory: u64,
    moves: HashSet<Move>,
}

fn part_of(hash: u64, parts: u32) -> u32 {
    ((u128::from(hash) * u128::from(parts)) >> 64) as u32
}

impl<'a> Worker<'a> {
    pub(super) fn new(
        task: Task<'a>,
        driver: &Driver<'_>,
        budget: Budget,
        space: &Arc<Space>,
        files: &Arc<SharedFiles>,
        parts: u32,
    ) -> Self {
        let mut explorer = task.system.explorer();
        explorer.heed(driver.stop_signal());
        let shape = Shape::new(task.system.layout());
        let packed = vec![0; shape.longest()];
        // Every run is to be in a file; small ones are written when they are kept.
        let sizes = Sizes { in_memory: 0, ..budget.sizes };
        let ground = Ground { space: Arc::clone(space), shape: Arc::new(shape), sizes };
        let turn = std::process::id() as usize;
        let (bound, patience, files) = (driver.max_depth(), Patience::of(driver), Arc::clone(files));
        Worker { task, explorer, bound, budget, ground, files, patience, parts, turn, packed, memory: 0 }
    }

    pub(super) fn ground(&self) -> Ground {
        self.ground.clone()
    }

    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// Does one of the requests, if there is one that nobody works on.
    pub(super) fn take_one(
        &mut self,
        requests: &[Request],
        progress: &Progress<'_>,
        folder: &Folder,
        driver: &mut Driver<'_>,
    ) -> Result<bool, Trouble> {
        for at in 0..requests.len() {
            let request = requests[(self.turn + at) % requests.len()];
            if let Some(claim) = folder.claim(&request.name())? {
                self.turn = self.turn.wrapping_add(at + 1);
                self.work(request, &claim, progress, folder, driver)?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn work(
        &mut self,
        request: Request,
        claim: &Claim<'_>,
        progress: &Progress<'_>,
        folder: &Folder,
        driver: &mut Driver<'_>,
    ) -> Result<(), Trouble> {
        let attempt = folder.attempt()?;
        self.files.work_in(&attempt);
        let made = self.make(request, &attempt, progress, driver);
        self.memory = 0;
        let committed = made.and_then(|making| {
            folder.commit(&attempt, &claim.request, &making.record.to_bytes())?;
            Ok(())
        });
        let Err(trouble) = committed else { return Ok(()) };
        let _ = std::fs::remove_dir_all(&attempt);
        // Somebody may have taken it over, and what it needs is gone since it is done.
        let is_done = folder.is_done(&claim.request);
        if is_done && !matches!(trouble, Trouble::Stopped(_)) { Ok(()) } else { Err(trouble) }
    }

    fn make<'m>(
        &mut self,
        request: Request,
        attempt: &'m Path,
        progress: &Progress<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<Making<'m>, Trouble> {
        let mut making = Making {
            attempt,
            record: Record::default(),
            runs: Vec::new(),
            batches: BTreeMap::new(),
            memory: 0,
            moves: HashSet::new(),
        };
        match request {
            Request::Start => self.start(&mut making)?,
            Request::Merge(bucket, part) => self.merge(bucket, part, progress, &mut making)?,
            Request::Expand(bucket, part) => {
                let new = progress.new_in(part).ok_or(Trouble::Corrupt)?;
                self.expand_run(&new.run, bucket, progress, &mut making, driver)?;
            }
        }
        self.spill(&mut making, 0)?;
        making.record.moves = making.moves.drain().collect();
        Ok(making)
    }

    fn start(&mut self, making: &mut Making<'_>) -> Result<(), Trouble> {
        let mut states = Vec::new();
        self.explorer.initial(&mut |state| states.push(StateBuf::from(state)));
        states.iter().try_for_each(|state| self.open(state.as_state(), Bucket::FIRST, From::NOWHERE, making))
    }

    /// Sorts what was generated for a part, and drops what was expanded.
    fn merge(
        &mut self,
        bucket: Bucket,
        part: u32,
        progress: &Progress<'_>,
        making: &mut Making<'_>,
    ) -> Result<(), Trouble> {
        let ground = self.ground.clone();
        let closed = &progress.closed[part as usize];
        let readers = closed.iter().map(|held| Reader::before(&held.run, ground.sizes)).collect();
        let runs: Vec<_> = progress.generated_for(bucket, part).iter().map(|held| Arc::clone(&held.run)).collect();
        let mut subtraction = Subtraction::new(readers);
        let mut merge = Merge::new(&runs, None, &ground.shape, ground.sizes)?;
        let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let mut group = Group::default();
        while merge.next(&mut group, &ground.shape)? {
            self.patience.check()?;
            subtraction.filter(&mut group, &ground.shape, self.task.system)?;
            for row in group.iter() {
                writer.push(&row)?;
            }
        }
        drop((merge, subtraction));
        let mut all: Vec<Held> = closed.clone();
        let request = Request::Merge(bucket, part).name();
        if let Some(new) = writer.finish()? {
            let (file, run) = self.keep(new, bucket, part, making)?;
            all.push(Held { request: request.clone(), file, run });
            self.make_fewer(&mut all, &request, bucket, part, making)?;
        }
        making.record.closed = all.into_iter().map(|held| (held.request, held.file)).collect();
        Ok(())
    }

    /// Merges closed runs of about the same size, as [levels](crate::levels) do.
    fn make_fewer(
        &mut self,
        all: &mut Vec<Held>,
        request: &str,
        bucket: Bucket,
        part: u32,
        making: &mut Making<'_>,
    ) -> Result<(), Trouble> {
        let level = |held: &Held| held.run.rows().ilog(TOGETHER as u64);
        loop {
            let count = |wanted: u32| all.iter().filter(|held| level(held) == wanted).count();
            let Some(crowded) = all.iter().map(level).find(|wanted| count(*wanted) >= TOGETHER) else { return Ok(()) };
            let (some, others): (Vec<Held>, Vec<Held>) = all.drain(..).partition(|held| level(held) <= crowded);
            let runs: Vec<_> = some.iter().map(|held| Arc::clone(&held.run)).collect();
            let mut merge = Merge::new(&runs, None, &self.ground.shape, self.ground.sizes)?;
            let run = self.write(&mut merge)?.ok_or(Trouble::Corrupt)?;
            let (file, run) = self.keep(run, bucket, part, making)?;
            *all = others;
            all.push(Held { request: request.to_owned(), file, run });
        }
    }

    fn write(&mut self, merge: &mut Merge) -> Result<Option<Run>, Trouble> {
        let Ground { space, shape, sizes } = &self.ground;
        let mut writer = Writer::new(space, shape, *sizes);
        let mut group = Group::default();
        while merge.next(&mut group, shape)? {
            self.patience.check()?;
            for row in group.iter() {
                writer.push(&row)?;
            }
        }
        writer.finish()
    }

    /// Makes a run part of the result.
    fn keep(
        &self,
        run: Run,
        bucket: Bucket,
        part: u32,
        making: &mut Making<'_>,
    ) -> Result<(String, Arc<Run>), Trouble> {
        let file = format!("{}.run", making.record.runs.len());
        self.files.keep(&run, making.attempt, &file)?;
        let places = run.places().to_vec();
        let kept = KeptRun { bucket, part, file: file.clone(), rows: run.rows(), bytes: run.bytes(), places };
        // What is read from it before the result is in its place is read from here.
        let run = Arc::new(self.files.open(&kept, making.attempt.join(&file), &self.ground.space)?);
        making.record.runs.push(kept);
        making.runs.push(Arc::clone(&run));
        Ok((file, run))
    }

    fn expand_run(
        &mut self,
        run: &Arc<Run>,
        bucket: Bucket,
        progress: &Progress<'_>,
        making: &mut Making<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<(), Trouble> {
        let ground = self.ground.clone();
        let mut reader = Reader::new(run, &ground.shape, ground.sizes)?;
        let (mut state, beside) = (StateBuf::default(), progress.memory());
        while let Some(row) = reader.row() {
            ground.shape.unpack(&row, &mut state);
            let before = making.record.counts[1];
            self.expand(&row, &state, bucket, making, driver)?;
            if making.memory > self.budget.batches {
                self.spill(making, self.budget.batches / 2)?;
            }
            self.memory = making.memory + reader.memory();
            if driver.is_due(1 + making.record.counts[1] - before) {
                let now = Snapshot {
                    phase: "expanding a part",
                    stored: progress.stats.stored,
                    expanded: progress.stats.expanded + making.record.counts[0],
                    frontier: progress.waiting(),
                    depth: bucket.cost,
                    at_least: bucket.cost,
                    memory: beside + self.memory,
                    disk: Some(progress.disk_use()),
                    ..Snapshot::default()
                };
                if let Some(reason) = driver.check(now) {
                    return Err(Trouble::Stopped(reason));
                }
            }
            reader.step(&ground.shape)?;
        }
        Ok(())
    }

    fn expand(
        &mut self,
        row: &Row<'_>,
        state: &StateBuf,
        bucket: Bucket,
        making: &mut Making<'_>,
        driver: &mut Driver<'_>,
    ) -> Result<(), Trouble> {
        let goals = self.task.goals;
        let at = state.as_state();
        let seen = |property, cost, failure| Seen {
            cost,
            property,
            state_cost: row.cost,
            from: row.from.code(),
            words: row.words.to_vec(),
            failure,
        };
        for goal in &goals.invariants {
            let is_error = self.explorer.holds(goal.atom, at) != goal.expected;
            if is_error && !goals.is_known(goal.property, None, at) {
                making.record.note(seen(goal.property, row.cost, None));
            }
        }
        making.record.counts[0] += 1;
        let mut explorer = std::mem::replace(&mut self.explorer, Box::new(Nobody));
        let mut outcome = Ok(());
        let expansion = explorer.successors(at, &mut |step| {
            outcome = match driver.stopped() {
                Some(reason) => Err(Trouble::Stopped(reason)),
                None => self.follow(step, row, at, bucket, making, &seen),
            };
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        self.explorer = explorer;
        outcome?;
        if let Some(reason) = driver.stopped() {
            return Err(Trouble::Stopped(reason));
        }
        making.record.endless |= expansion.cut;
        if expansion.deadlock {
            making.record.counts[3] += 1;
            if let Some(property) = goals.deadlock.filter(|property| !goals.is_known(*property, None, at)) {
                making.record.note(seen(property, row.cost, None));
            }
        }
        Ok(())
    }

    fn follow(
        &mut self,
        step: &Step<'_>,
        row: &Row<'_>,
        at: State<'_>,
        bucket: Bucket,
        making: &mut Making<'_>,
        seen: &dyn Fn(usize, u64, Option<Failing>) -> Seen,
    ) -> Result<(), Trouble> {
        making.moves.extend(step.moves);
        let cost = row.cost.saturating_add(step.weight).min(u64::MAX - 1);
        let is_beyond = self.bound.is_some_and(|bound| cost > bound);
        let failure = match step.outcome {
            Outcome::State(state) => {
                making.record.counts[1] += 1;
                making.record.counts[2] += 1;
                let target = match (is_beyond, step.weight) {
                    (true, _) => Bucket::BEYOND,
                    (false, 0) => Bucket { round: bucket.round + 1, ..bucket },
                    (false, _) => Bucket { cost, round: 0 },
                };
                return self.open(state, target, From::state(row.hash), making);
            }
            Outcome::Failure(failure) => failure,
        };
        let goals = self.task.goals;
        let kind = match failure.kind {
            bughound_kernel::FailureKind::Assertion => 0,
            bughound_kernel::FailureKind::Evaluation => 1,
        };
        making.record.counts[4 + kind] += 1;
        let property = goals.failure(failure.kind).filter(|property| !goals.is_known(*property, Some(failure), at));
        match property {
            Some(property) if is_beyond => making.record.miss(property),
            Some(property) => making.record.note(seen(property, cost, Some((kind as u32, failure.edge, failure.code)))),
            None => {}
        }
        Ok(())
    }

    /// Puts a state among those of its bucket and part.
    fn open(&mut self, state: State<'_>, bucket: Bucket, from: From, making: &mut Making<'_>) -> Result<(), Trouble> {
        let (key, all) = self.ground.shape.pack(state, &mut self.packed);
        let hash = hash(&self.packed[..key]);
        let batch = making.batches.entry((bucket, part_of(hash, self.parts))).or_default();
        let before = if batch.is_empty() { 0 } else { batch.memory() };
        batch.push(hash, from, &self.packed[..all], &self.ground.shape)?;
        making.memory += batch.memory() - before;
        Ok(())
    }

    /// Writes batches, the largest first, until no more than this is in memory.
    fn spill(&mut self, making: &mut Making<'_>, most: u64) -> Result<(), Trouble> {
        while making.memory > most {
            let largest = making.batches.iter().max_by_key(|(_, batch)| batch.memory()).map(|(key, _)| *key);
            let Some((bucket, part)) = largest else { break };
            let Some(batch) = making.batches.remove(&(bucket, part)) else { break };
            making.memory -= batch.memory();
            reserve(&mut making.runs, 1)?;
            let sorted = batch.sorted(bucket.cost, &self.ground.shape);
            let mut merge = Merge::new(&[], Some(sorted), &self.ground.shape, self.ground.sizes)?;
            if let Some(run) = self.write(&mut merge)? {
                self.keep(run, bucket, part, making)?;
            }
        }
        Ok(())
    }
}

/// In place of an explorer that is at work.
struct Nobody;

impl Explorer for Nobody {
    fn initial(&mut self, _: &mut dyn FnMut(State<'_>)) {}

    fn successors(
        &mut self,
        _: State<'_>,
        _: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> bughound_kernel::Expansion {
        bughound_kernel::Expansion::default()
    }

    fn holds(&mut self, _: bughound_kernel::AtomId, _: State<'_>) -> bool {
        false
    }
}
