//! States that look as if they were expanded before, and are compared with what was expanded later on, many at once.
//!
//! A small bucket would have to look for each of its states in all runs of what was expanded. Instead, a table in memory
//! ([`Filter`](crate::filter::Filter)) tells of most new states that they are new; the others, nearly all of them known, are put
//! aside in runs (*suspects*). When there are as many of them as were expanded, when an error is about to count, and at the end,
//! they are compared, by going once through both. One that was not expanded after all goes back to its bucket, which comes before
//! all others then and is compared exactly; whatever was expanded at too high a cost in the meantime is expanded again. So nothing
//! is lost, and nothing counts before it is certain: an error, the end, and the bound that is told for errors not found.

use super::Engine;
use super::sweep::Subtraction;
use crate::levels::Levels;
use crate::merge::{Group, Merge};
use crate::open::Place;
use crate::run::Reader;
use crate::trouble::Trouble;

impl Engine<'_, '_, '_> {
    pub(super) fn suspects(&self) -> u64 {
        self.suspects.values().map(Levels::rows).sum()
    }

    pub(super) fn expanded_rows(&self) -> u64 {
        self.closed.values().map(Levels::rows).sum()
    }

    /// Is a bucket to be compared later?
    pub(super) fn is_worth_waiting(&mut self, place: Place, rows: u64) -> Result<bool, Trouble> {
        let expanded = self.closed.get(&place.estimate).map_or(0, Levels::rows);
        let is_small = rows.saturating_mul(self.budget.worth) <= expanded;
        if !is_small || self.ground.shape.has_covers() || !self.claims().consistent || self.exact.contains(&place) {
            return Ok(false);
        }
        if !self.filter.is_complete() && !self.filter.is_hopeless() {
            self.rebuild_filter()?;
        }
        Ok(self.filter.is_complete())
    }

    fn rebuild_filter(&mut self) -> Result<(), Trouble> {
        let (ground, patience, closed) = (&self.ground, &mut self.patience, &self.closed);
        let rows = closed.values().map(Levels::rows).sum();
        self.filter.rebuild(rows, |add| {
            for run in closed.values().flat_map(|levels| levels.runs()) {
                let mut reader = Reader::new(run, &ground.shape, ground.sizes)?;
                while let Some(row) = reader.row() {
                    patience.check()?;
                    add(row.hash);
                    reader.step(&ground.shape)?;
                }
            }
            Ok(())
        })
    }

    /// Compares what was put aside. True if everything was known: what the search has done so far is what it seems to be.
    pub(super) fn verify(&mut self) -> Result<bool, Trouble> {
        let ground = self.ground.clone();
        let mut certain = true;
        while let Some((estimate, suspects)) = self.suspects.pop_first() {
            let closed = self.closed.get(&estimate).map_or(Vec::new(), |levels| levels.readers(&ground));
            let mut subtraction = Subtraction::new(closed);
            let mut merge = Merge::new(suspects.runs(), None, &ground.shape, ground.sizes)?;
            let mut group = Group::default();
            while merge.next(&mut group, &ground.shape)? {
                self.patience.check()?;
                if subtraction.filter(&mut group, &ground.shape, self.task.system)?.is_empty() {
                    continue;
                }
                certain = false;
                for row in group.iter() {
                    let place = self.place(row.cost, estimate);
                    self.exact.insert(place);
                    self.open.push(place, row.hash, row.from, row.words, &ground)?;
                }
            }
        }
        // Buckets are taken in order: those that come before all that is open will not be met again.
        if let Some(least) = self.open.least() {
            self.exact.retain(|place| *place >= least);
        }
        Ok(certain)
    }
}
