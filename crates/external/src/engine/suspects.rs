//! States that look as if they were expanded before, and are compared with what was expanded later on, many at once.
//!
//! A small bucket would have to go past all that was expanded, for each layer anew. Instead, it is compared with the last layers, where
//! most of what it leads back to lies, and with the [hashes](HashSet) of all others. Whose hash is not there is new. The others,
//! all of them known but for a chance that nobody will see, are put aside in runs (*suspects*). When there are as many of them as
//! were expanded, when an error is about to count, and at the end, they are compared, by going once through both.
//!
//! So the order, the depths and the counts are those of a search that compares at once, if no two states had the same hash. If two
//! had, the search begins again, and compares everything at once. Nothing counts before it is certain: an error, the end, and
//! the bound that is told for errors not found.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bughound_search::engines::ending::Halt;

use super::Engine;
use super::sweep::Subtraction;
use crate::hashes::{HashSet, HashWriter, Lookup};
use crate::levels::{Ground, Levels};
use crate::merge::{Group, Merge};
use crate::open::Place;
use crate::patience::Patience;
use crate::run::{Reader, Run, Sizes};
use crate::trouble::Trouble;

/// So many of the last layers are compared exactly.
const RECENT: usize = 2;

#[derive(Default)]
pub(crate) struct Suspects {
    /// By estimate, as all of these.
    pub(super) rows: BTreeMap<u64, Levels>,
    /// Of all that was expanded.
    hashes: BTreeMap<u64, HashSet>,
    /// The last layers.
    recent: BTreeMap<u64, VecDeque<Arc<Run>>>,
    /// Nothing is put aside.
    pub(super) none: bool,
}

impl Suspects {
    pub(super) fn none() -> Self {
        Suspects { none: true, ..Suspects::default() }
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows.values().map(Levels::rows).sum()
    }

    pub(super) fn memory(&self) -> u64 {
        self.rows_memory() + self.hashes_memory()
    }

    /// Of what was put aside and of the last layers, without the hashes.
    pub(super) fn rows_memory(&self) -> u64 {
        let recent = self.recent.values().flatten().map(|run| run.memory());
        self.rows.values().map(Levels::memory).chain(recent).sum()
    }

    fn hashes_memory(&self) -> u64 {
        self.hashes.values().map(HashSet::memory).sum()
    }

    pub(super) fn add(
        &mut self,
        estimate: u64,
        run: Run,
        ground: &Ground,
        patience: &mut Patience,
    ) -> Result<(), Trouble> {
        self.rows.entry(estimate).or_default().add(Arc::new(run), ground, patience)
    }

    /// Puts aside what was put aside before, in another process.
    pub(super) fn restore(rows: BTreeMap<u64, Levels>, none: bool) -> Self {
        Suspects { rows, none, ..Suspects::default() }
    }

    /// Takes to disk what is in memory.
    pub(super) fn write_out(&mut self, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        // The last layers are among what was expanded: it is enough not to hold them here.
        self.recent.values_mut().for_each(|runs| runs.retain(|run| run.is_on_disk()));
        self.rows.values_mut().try_for_each(|levels| levels.write_out(ground, patience))
    }
}

impl Engine<'_, '_, '_> {
    /// May states be put aside, now or later? Where a state may be expanded again, its cost has to be compared.
    fn may_put_aside(&self) -> bool {
        !self.suspects.none && !self.ground.shape.has_covers() && self.claims().consistent
    }

    pub(super) fn expanded_rows(&self) -> u64 {
        self.closed.values().map(Levels::rows).sum()
    }

    /// Is a bucket to be compared later?
    pub(super) fn is_worth_waiting(&self, place: Place, rows: u64) -> bool {
        let expanded = self.closed.get(&place.estimate).map_or(0, Levels::rows);
        self.may_put_aside() && rows.saturating_mul(self.budget.worth) <= expanded
    }

    /// What a bucket that waits is compared with at once.
    pub(super) fn before_waiting(&self, estimate: u64) -> (Vec<Reader>, Lookup) {
        let sizes = self.ground.sizes;
        let recent = self.suspects.recent.get(&estimate).into_iter().flatten();
        let hashes = self.suspects.hashes.get(&estimate).map_or_else(Lookup::default, |hashes| hashes.lookup(sizes));
        (recent.map(|run| Reader::before(run, sizes)).collect(), hashes)
    }

    /// What a state is known by where only hashes are compared.
    #[inline]
    pub(super) fn indexed(&self, hash: u64) -> u64 {
        hash >> (u64::BITS - self.budget.bits)
    }

    fn sizes_of_hashes(&self) -> Sizes {
        // What is merged and what comes of it are there at the same time.
        let room = self.budget.hashes.saturating_sub(self.suspects.hashes_memory());
        Sizes { in_memory: room.min(self.budget.hashes / 2) as usize, ..self.ground.sizes }
    }

    /// Takes the hashes of what is about to be expanded, if they will be asked for.
    pub(super) fn hash_writer(&self) -> Option<HashWriter> {
        self.may_put_aside().then(|| HashWriter::new(&self.ground.space, self.sizes_of_hashes()))
    }

    /// Adds a run to what was expanded.
    pub(super) fn add_closed(
        &mut self,
        estimate: u64,
        run: Option<Run>,
        hashes: Option<HashWriter>,
    ) -> Result<(), Trouble> {
        let Some(run) = run.map(Arc::new) else { return Ok(()) };
        let sizes = self.sizes_of_hashes();
        let (ground, patience) = (&self.ground, &mut self.patience);
        if let Some(hashes) = hashes {
            let recent = self.suspects.recent.entry(estimate).or_default();
            recent.truncate(RECENT - 1);
            recent.push_front(Arc::clone(&run));
            let all = self.suspects.hashes.entry(estimate).or_default();
            all.add(hashes, &ground.space, sizes, patience)?;
            if self.suspects.hashes_memory() > self.budget.hashes {
                for hashes in self.suspects.hashes.values_mut() {
                    hashes.write_out(&ground.space, sizes, patience)?;
                }
            }
        }
        self.closed.entry(estimate).or_default().add(run, ground, patience)
    }

    /// Adds what a bucket came to, where the search has to end: nothing is merged any more, and the hashes are made anew by whoever goes
    /// on.
    pub(super) fn put(&mut self, estimate: u64, aside: Option<Run>, expanded: Option<Run>) -> Result<(), Trouble> {
        if let Some(run) = aside {
            self.suspects.rows.entry(estimate).or_default().put(Arc::new(run))?;
        }
        match expanded {
            Some(run) => self.closed.entry(estimate).or_default().put(Arc::new(run)),
            None => Ok(()),
        }
    }

    /// Makes the hashes of all that was expanded: they are not saved.
    pub(super) fn make_hashes(&mut self) -> Result<(), Trouble> {
        for (estimate, run) in self.closed.iter().flat_map(|(e, levels)| levels.runs().iter().map(move |run| (*e, run)))
        {
            let sizes = self.sizes_of_hashes();
            let Some(mut writer) = self.hash_writer() else { return Ok(()) };
            let mut reader = Reader::new(run, &self.ground.shape, self.ground.sizes)?;
            while let Some(row) = reader.row() {
                self.patience.check()?;
                writer.push(self.indexed(row.hash))?;
                reader.step(&self.ground.shape)?;
            }
            let hashes = self.suspects.hashes.entry(estimate).or_default();
            hashes.add(writer, &self.ground.space, sizes, &mut self.patience)?;
        }
        Ok(())
    }

    /// Compares what was put aside. True if everything was known: what the search has done so far is what it seems to be; or if a limit
    /// ends the search first, and then nothing is forgotten.
    pub(super) fn verify(&mut self) -> Result<bool, Trouble> {
        let ground = self.ground.clone();
        while let Some((estimate, suspects)) = self.suspects.rows.first_key_value() {
            let estimate = *estimate;
            let closed = self.closed.get(&estimate).map_or(Vec::new(), |levels| levels.readers(&ground));
            let mut subtraction = Subtraction::new(closed);
            let mut merge = Merge::new(suspects.runs(), None, &ground.shape, ground.sizes)?;
            let mut group = Group::default();
            while merge.next(&mut group, &ground.shape)? {
                if let Err(trouble) = self.patience.check() {
                    self.stop(Halt::Limit(trouble.reason()));
                    return Ok(true);
                }
                if !subtraction.filter(&mut group, &ground.shape, self.task.system)?.is_empty() {
                    return Ok(false);
                }
            }
            // Not before all of it was compared: who has to end goes on with it later.
            self.suspects.rows.remove(&estimate);
        }
        Ok(true)
    }
}
