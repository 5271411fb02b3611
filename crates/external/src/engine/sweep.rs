//! One bucket: what is new in it, and what comes of that.

use super::{BEYOND, Engine};
use crate::hashes::{HashWriter, Lookup};
use crate::levels::Levels;
use crate::merge::Group;
use crate::open::{Bucket, Place};
use crate::row::{Row, Shape};
use crate::run::{Reader, Writer};
use crate::trouble::Trouble;

use bughound_kernel::{Explorer, StopReason, TransitionSystem};
use bughound_search::engines::ending::Halt;

/// Memory is measured once for so many keys.
const SELDOM: u32 = 256;

/// Was a state expanded before?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visit {
    First,
    Again,
}

/// Finds out what is new in a bucket, by comparing it with what was expanded.
pub(crate) struct Subtraction {
    closed: Vec<Reader>,
    /// What was expanded with the key of the group.
    known: Group,
    keep: Vec<bool>,
    visits: Vec<Visit>,
    key: (Vec<i32>, Vec<i32>, Vec<i32>),
}

impl Subtraction {
    pub(crate) fn new(closed: Vec<Reader>) -> Self {
        let (known, keep, visits) = (Group::default(), Vec::new(), Vec::new());
        Subtraction { closed, known, keep, visits, key: Default::default() }
    }

    pub(crate) fn memory(&self) -> u64 {
        self.closed.iter().map(Reader::memory).sum()
    }

    /// Leaves those rows in the group that are to be expanded, and tells of each whether it was before.
    pub(crate) fn filter(
        &mut self,
        group: &mut Group,
        shape: &Shape,
        system: &dyn TransitionSystem,
    ) -> Result<&[Visit], Trouble> {
        self.known.clear();
        let first = group.row(0);
        for reader in &mut self.closed {
            reader.advance(first.hash, shape)?;
            while let Some(row) = reader.row().filter(|row| row.hash == first.hash) {
                match row.key().cmp(first.key()) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Equal => self.known.add(&row)?,
                    std::cmp::Ordering::Greater => break,
                }
                reader.step(shape)?;
            }
        }
        self.keep.clear();
        self.visits.clear();
        if shape.has_covers() {
            self.compare_covers(group, shape, system);
            group.retain(&self.keep);
        } else {
            // There is one state with this key.
            match self.known.iter().next() {
                Some(known) if known.cost <= first.cost => group.clear(),
                Some(_) => self.visits.push(Visit::Again),
                None => self.visits.push(Visit::First),
            }
        }
        Ok(&self.visits)
    }

    fn compare_covers(&mut self, group: &Group, shape: &Shape, system: &dyn TransitionSystem) {
        let (key, large, small) = &mut self.key;
        shape.unpack_key(&group.row(0), key);
        let mut covers = |a: &Row<'_>, b: &Row<'_>| {
            large.clear();
            large.extend(a.cover().iter().map(|word| *word as i32));
            small.clear();
            small.extend(b.cover().iter().map(|word| *word as i32));
            system.covers(key, large, small)
        };
        for (at, row) in group.iter().enumerate() {
            let known = self.known.iter().any(|known| known.cost <= row.cost && covers(&known, &row));
            // Of two that cover each other, the first stays. All have the same cost.
            let beside = group
                .iter()
                .enumerate()
                .any(|(other, larger)| other != at && covers(&larger, &row) && (other < at || !covers(&row, &larger)));
            self.keep.push(!known && !beside);
            if !known && !beside {
                let was_there = self.known.iter().any(|known| known.cover() == row.cover());
                self.visits.push(if was_there { Visit::Again } else { Visit::First });
            }
        }
    }
}

impl Engine<'_, '_, '_> {
    /// Expands what is new in a bucket.
    pub(super) fn sweep(&mut self, place: Place, explorer: &mut dyn Explorer) -> Result<(), Trouble> {
        let ground = self.ground.clone();
        // What may be given back must be in runs.
        let most = if self.saving.is_some() { 0 } else { self.budget.batches / 2 };
        let Some(bucket) = self.open.take(place, most, &ground, &mut self.patience)? else { return Ok(()) };
        let runs = self.saving.is_some().then(|| bucket.runs().clone());
        self.waits = self.is_worth_waiting(place, bucket.rows());
        let (closed, mut hashes) = match (self.waits, self.closed.get(&place.estimate)) {
            (true, _) => self.before_waiting(place.estimate),
            (false, closed) => (closed.map_or(Vec::new(), |levels| levels.readers(&ground)), Lookup::default()),
        };
        let mut subtraction = Subtraction::new(closed);
        let mut merge = bucket.merge(place.cost, &ground)?;
        let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let mut aside = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let mut new_hashes = self.hash_writer();
        let mut group = Group::default();
        let (mut until_measured, mut room) = (0, self.budget.batches / 4);
        let mut is_over = true;
        'groups: while merge.next(&mut group, &ground.shape)? {
            if let Err(trouble) = self.patience.check() {
                self.stop(Halt::Limit(trouble.reason()));
                is_over = false;
                break;
            }
            let visits = subtraction.filter(&mut group, &ground.shape, self.task.system)?;
            if self.waits && !visits.is_empty() {
                let first = group.row(0);
                if hashes.contains(self.indexed(first.hash))? {
                    aside.push(&first)?;
                    continue;
                }
            }
            for (row, visit) in group.iter().zip(visits) {
                self.begin_step();
                if *visit == Visit::First {
                    if self.driver.exceeds_states(self.stats.stored + 1) {
                        self.stop(Halt::Limit(StopReason::States));
                        return Ok(());
                    }
                    self.stats.stored += 1;
                }
                let is_expanded = self.expand(&row, *visit, explorer)?;
                if !is_expanded {
                    self.break_step();
                } else if self.halt.is_none() || self.gives_back() {
                    writer.push(&row)?;
                    if let Some(writer) = new_hashes.as_mut().filter(|_| *visit == Visit::First) {
                        writer.push(self.indexed(row.hash))?;
                    }
                }
                if self.halt.is_some() {
                    is_over = false;
                    break 'groups;
                }
            }
            if until_measured == 0 {
                until_measured = SELDOM;
                let merging = merge.memory();
                let writing = writer.memory() + aside.memory() + new_hashes.as_ref().map_or(0, HashWriter::memory);
                self.sweeping = merging + subtraction.memory() + hashes.memory() + writing;
                room = self.budget.batches.saturating_sub(merging).max(self.budget.batches / 4);
            }
            until_measured -= 1;
            if until_measured == 0 && !writer.is_empty() && self.gives_back() {
                is_over = false;
                break;
            }
            if self.open.batches() > room {
                self.open.shrink(room / 2, &ground, &mut self.patience)?;
            }
        }
        if !is_over && !self.gives_back() {
            return Ok(());
        }
        drop((merge, subtraction, hashes));
        self.sweeping = 0;
        self.waits = false;
        let (aside, expanded) = (aside.finish()?, writer.finish()?);
        if self.halt.is_some() {
            self.put(place.estimate, aside, expanded)?;
        } else {
            if let Some(run) = aside {
                self.suspects.add(place.estimate, run, &ground, &mut self.patience)?;
            }
            self.add_closed(place.estimate, expanded, new_hashes)?;
        }
        if is_over {
            return self.write_out();
        }
        self.open.give_back(place, runs.unwrap_or_default());
        Ok(())
    }

    /// Takes small runs to disk when there are too many of them.
    pub(super) fn write_out(&mut self) -> Result<(), Trouble> {
        let closed: u64 = self.closed.values().map(Levels::memory).sum::<u64>() + self.suspects.rows_memory();
        if closed + self.open.runs_memory() > self.budget.runs {
            self.open.write_out(&self.ground, &mut self.patience)?;
            for levels in self.closed.values_mut() {
                levels.write_out(&self.ground, &mut self.patience)?;
            }
            self.suspects.write_out(&self.ground, &mut self.patience)?;
        }
        Ok(())
    }

    /// How many states of a bucket were not seen before, each counted once. From now on they were, but for those beyond the bound:
    /// of these, it is enough to know whether there is one.
    pub(super) fn count_new(&mut self, place: Place, bucket: Bucket) -> Result<u64, Trouble> {
        let ground = self.ground.clone();
        let closed = self.closed.get(&place.estimate).map_or(Vec::new(), |levels| levels.readers(&ground));
        let mut subtraction = Subtraction::new(closed);
        let mut merge = bucket.merge(place.cost, &ground)?;
        let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let (mut group, mut count) = (Group::default(), 0);
        while merge.next(&mut group, &ground.shape)? {
            self.patience.check()?;
            count += subtraction.filter(&mut group, &ground.shape, self.task.system)?.len() as u64;
            if place.f == BEYOND {
                if count > 0 {
                    return Ok(count);
                }
                continue;
            }
            for row in group.iter() {
                writer.push(&row)?;
            }
        }
        drop((merge, subtraction));
        self.add_closed(place.estimate, writer.finish()?, None)?;
        Ok(count)
    }
}
