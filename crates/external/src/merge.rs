//! Several sources of rows in order, as one.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::batch::Sorted;
use crate::row::{From, Row, Shape};
use crate::run::{Reader, Run, Sizes};
use crate::trouble::{Trouble, reserve};

enum Source {
    Run(Reader),
    Batch(Sorted),
}

impl Source {
    #[inline]
    fn row(&self, shape: &Shape) -> Option<Row<'_>> {
        match self {
            Source::Run(reader) => reader.row(),
            Source::Batch(sorted) => sorted.row(shape),
        }
    }

    #[inline]
    fn step(&mut self, shape: &Shape) -> Result<(), Trouble> {
        match self {
            Source::Run(reader) => reader.step(shape)?,
            Source::Batch(sorted) => sorted.step(shape),
        }
        Ok(())
    }
}

/// Rows with the same key: one for each cover, at its least cost.
#[derive(Debug, Default)]
pub struct Group {
    hash: u64,
    key: usize,
    stride: usize,
    words: Vec<u32>,
    paths: Vec<(u64, From)>,
}

impl Group {
    pub fn clear(&mut self) {
        self.words.clear();
        self.paths.clear();
    }

    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    #[inline]
    pub fn row(&self, at: usize) -> Row<'_> {
        let (cost, from) = self.paths[at];
        let words = &self.words[at * self.stride..][..self.stride];
        Row { hash: self.hash, cost, from, words, key: self.key }
    }

    pub fn iter(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.len()).map(|at| self.row(at))
    }

    /// Adds a row that has the key of those that are there.
    #[inline]
    pub fn add(&mut self, row: &Row<'_>) -> Result<(), Trouble> {
        if self.is_empty() {
            (self.hash, self.key, self.stride) = (row.hash, row.key, row.words.len());
        }
        let known = (0..self.len()).find(|at| self.row(*at).cover() == row.cover());
        if let Some(known) = known {
            let path = &mut self.paths[known];
            if row.cost < path.0 {
                *path = (row.cost, row.from);
            }
            return Ok(());
        }
        reserve(&mut self.words, row.words.len())?;
        self.words.extend_from_slice(row.words);
        reserve(&mut self.paths, 1)?;
        self.paths.push((row.cost, row.from));
        Ok(())
    }

    /// Leaves those out for which this does not hold.
    pub fn retain(&mut self, keep: &[bool]) {
        let mut kept = 0;
        for (at, keeps) in keep.iter().enumerate() {
            if *keeps {
                self.words.copy_within(at * self.stride..(at + 1) * self.stride, kept * self.stride);
                self.paths[kept] = self.paths[at];
                kept += 1;
            }
        }
        self.words.truncate(kept * self.stride);
        self.paths.truncate(kept);
    }
}

/// Goes through several sources at once, in order.
pub struct Merge {
    sources: Vec<Source>,
    /// Sources that are not at their ends, the one with the least row first: every one comes before the two at twice its place.
    heap: Vec<u32>,
}

impl Merge {
    pub fn new(runs: &[Arc<Run>], batch: Option<Sorted>, shape: &Shape, sizes: Sizes) -> Result<Self, Trouble> {
        let readers = runs.iter().map(|run| Reader::new(run, shape, sizes).map(Source::Run));
        let mut sources = readers.collect::<Result<Vec<_>, _>>()?;
        sources.extend(batch.map(Source::Batch));
        let heap = (0..sources.len() as u32).filter(|at| sources[*at as usize].row(shape).is_some()).collect();
        let mut merge = Merge { sources, heap };
        for at in (0..merge.heap.len() / 2).rev() {
            merge.sift(at, shape);
        }
        Ok(merge)
    }

    pub fn memory(&self) -> u64 {
        let memory = |source: &Source| match source {
            Source::Run(reader) => reader.memory(),
            Source::Batch(sorted) => sorted.memory(),
        };
        self.sources.iter().map(memory).sum()
    }

    fn first(&self, shape: &Shape) -> Option<Row<'_>> {
        self.sources[*self.heap.first()? as usize].row(shape)
    }

    /// Puts the rows with the least key of all that are left in place of what is in the group. False at the end.
    #[inline]
    pub fn next(&mut self, group: &mut Group, shape: &Shape) -> Result<bool, Trouble> {
        group.clear();
        while let Some(row) = self.first(shape) {
            if !group.is_empty() && group.row(0).compare(&row) != Ordering::Equal {
                return Ok(true);
            }
            group.add(&row)?;
            let source = &mut self.sources[self.heap[0] as usize];
            source.step(shape)?;
            if source.row(shape).is_none() {
                // What it holds is not needed any more.
                let last = self.heap.len() - 1;
                self.heap.swap(0, last);
                self.heap.pop();
            }
            self.sift(0, shape);
        }
        Ok(!group.is_empty())
    }

    fn sift(&mut self, mut at: usize, shape: &Shape) {
        let is_less = |a: u32, b: u32| match (self.sources[a as usize].row(shape), self.sources[b as usize].row(shape))
        {
            (Some(a), Some(b)) => a.compare(&b) == Ordering::Less,
            (a, _) => a.is_some(),
        };
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            let mut least = at;
            for child in [left, right] {
                if child < self.heap.len() && is_less(self.heap[child], self.heap[least]) {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }
}
