//! Rows in several runs, of which small ones are merged into larger ones now and then.
//!
//! O'Neil, Cheng, Gawlick, O'Neil 1996, "The log-structured merge-tree": runs of about the same size are merged when there are
//! some of them. So n rows lie in O(log n) runs, and each of them is written O(log n) times, whatever comes when.

use std::sync::Arc;

use crate::merge::{Group, Merge};
use crate::patience::Patience;
use crate::row::Shape;
use crate::run::{Reader, Run, Sizes, Writer};
use crate::space::Space;
use crate::trouble::{Trouble, reserve};

/// So many runs of about the same size become one; each size is so many times the one before.
const TOGETHER: usize = 20;

/// What all runs of a search have in common.
#[derive(Clone)]
pub struct Ground {
    pub space: Arc<Space>,
    pub shape: Arc<Shape>,
    pub sizes: Sizes,
}

#[derive(Clone, Default)]
pub struct Levels {
    runs: Vec<Arc<Run>>,
}

fn level(run: &Run) -> u32 {
    run.rows().ilog(TOGETHER as u64)
}

impl Levels {
    pub fn runs(&self) -> &[Arc<Run>] {
        &self.runs
    }

    /// Of runs that were among others in the same way before.
    pub(crate) fn restore(runs: Vec<Arc<Run>>) -> Self {
        Levels { runs }
    }

    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    pub fn rows(&self) -> u64 {
        self.runs.iter().map(|run| run.rows()).sum()
    }

    pub fn memory(&self) -> u64 {
        self.runs.iter().map(|run| run.memory()).sum()
    }

    /// Readers that stand before all rows.
    pub fn readers(&self, ground: &Ground) -> Vec<Reader> {
        self.runs.iter().map(|run| Reader::before(run, ground.sizes)).collect()
    }

    /// Adds a run, and leaves it to the next one to merge it with others.
    pub(crate) fn put(&mut self, run: Arc<Run>) -> Result<(), Trouble> {
        reserve(&mut self.runs, 1)?;
        self.runs.push(run);
        Ok(())
    }

    pub fn add(&mut self, run: Arc<Run>, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        self.put(run)?;
        loop {
            let level = self.runs.iter().map(|run| level(run));
            let Some(crowded) =
                level.clone().find(|one| level.clone().filter(|other| other == one).count() >= TOGETHER)
            else {
                return Ok(());
            };
            self.merge(|run| self::level(run) <= crowded, ground, patience)?;
        }
    }

    /// Takes what is in memory to disk.
    pub fn write_out(&mut self, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        let ground = Ground { sizes: Sizes { in_memory: 0, ..ground.sizes }, ..ground.clone() };
        self.merge(|run| !run.is_on_disk(), &ground, patience)
    }

    /// Makes one run of some.
    fn merge(&mut self, which: impl Fn(&Run) -> bool, ground: &Ground, patience: &mut Patience) -> Result<(), Trouble> {
        let (some, others): (Vec<_>, Vec<_>) = self.runs.iter().cloned().partition(|run| which(run));
        let mut merge = Merge::new(&some, None, &ground.shape, ground.sizes)?;
        let mut writer = Writer::new(&ground.space, &ground.shape, ground.sizes);
        let mut group = Group::default();
        while merge.next(&mut group, &ground.shape)? {
            patience.check()?;
            for row in group.iter() {
                writer.push(&row)?;
            }
        }
        drop(merge);
        // Until all of it is written, nothing is forgotten: a path may still be asked for.
        let run = writer.finish()?;
        self.runs = others;
        self.runs.extend(run.map(Arc::new));
        Ok(())
    }
}
