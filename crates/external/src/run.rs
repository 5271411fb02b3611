//! Runs: rows in order, in blocks, in memory as long as they are few, otherwise in a file.

use std::sync::Arc;

use crate::block::{self, Encoder, Rows};
pub use crate::blocks::Sizes;
use crate::blocks::{BlockReader, BlockWriter, Blocks, Place};
use crate::row::{Row, Shape};
use crate::space::{Piece, Space};
use crate::trouble::Trouble;

/// Rows in order. No two of them are the same.
pub struct Run {
    blocks: Blocks,
    rows: u64,
}

impl Run {
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of its blocks, wherever they lie.
    pub fn bytes(&self) -> u64 {
        self.blocks.bytes()
    }

    /// A run that lies in a file, whoever has written it.
    pub(crate) fn restore(piece: Piece, places: Vec<Place>, rows: u64) -> Self {
        Run { blocks: Blocks::restore(piece, places), rows }
    }

    /// A run of these blocks.
    pub(crate) fn restore_in_memory(blocks: Vec<u8>, places: Vec<Place>, rows: u64) -> Self {
        Run { blocks: Blocks::restore_in_memory(blocks, places), rows }
    }

    pub(crate) fn places(&self) -> &[Place] {
        self.blocks.places()
    }

    /// The bytes of its blocks, or else the number of the file where they are.
    pub(crate) fn in_memory(&self) -> Result<&[u8], u64> {
        self.blocks.in_memory()
    }

    pub fn is_on_disk(&self) -> bool {
        self.in_memory().is_err()
    }

    pub fn memory(&self) -> u64 {
        self.blocks.memory()
    }
}

/// Writes a run, row by row.
pub struct Writer {
    encoder: Encoder,
    blocks: BlockWriter,
    rows: u64,
}

impl Writer {
    pub fn new(space: &Arc<Space>, shape: &Shape, sizes: Sizes) -> Self {
        Writer { encoder: Encoder::new(shape), blocks: BlockWriter::new(space, sizes), rows: 0 }
    }

    #[inline]
    pub fn push(&mut self, row: &Row<'_>) -> Result<(), Trouble> {
        self.encoder.push(row)?;
        self.rows += 1;
        if self.encoder.is_full() { self.end_block() } else { Ok(()) }
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub fn memory(&self) -> u64 {
        self.blocks.memory() + self.encoder.memory()
    }

    fn end_block(&mut self) -> Result<(), Trouble> {
        let first = self.encoder.first();
        self.encoder.finish(&mut self.blocks.pending)?;
        self.blocks.end_block(first)
    }

    /// `None` if there is not a single row.
    pub fn finish(mut self) -> Result<Option<Run>, Trouble> {
        if !self.encoder.is_empty() {
            self.end_block()?;
        }
        let blocks = self.blocks.finish()?;
        Ok((self.rows > 0).then_some(Run { blocks, rows: self.rows }))
    }
}

/// Goes through a run in order. It stands at a row, or at the end.
pub struct Reader {
    run: Arc<Run>,
    bytes: BlockReader,
    rows: Rows,
    at: usize,
}

impl Reader {
    /// Stands at the first row.
    pub fn new(run: &Arc<Run>, shape: &Shape, sizes: Sizes) -> Result<Self, Trouble> {
        let mut reader = Self::before(run, sizes);
        reader.load(0, shape)?;
        Ok(reader)
    }

    /// Nothing is read so far: to be [advanced](Self::advance) first.
    pub fn before(run: &Arc<Run>, sizes: Sizes) -> Self {
        Reader { run: Arc::clone(run), bytes: BlockReader::new(sizes), rows: Rows::default(), at: 0 }
    }

    #[inline]
    pub fn row(&self) -> Option<Row<'_>> {
        (self.at < self.rows.len()).then(|| self.rows.row(self.at))
    }

    pub fn memory(&self) -> u64 {
        self.rows.memory() + self.bytes.memory()
    }

    #[inline]
    pub fn step(&mut self, shape: &Shape) -> Result<(), Trouble> {
        self.at += 1;
        if self.at >= self.rows.len() && self.bytes.next() < self.run.places().len() {
            self.load(self.bytes.next(), shape)?;
        }
        Ok(())
    }

    /// Stands at the first row from here on whose hash is no less than this one. Blocks in between are not read.
    pub fn advance(&mut self, hash: u64, shape: &Shape) -> Result<(), Trouble> {
        loop {
            let last = self.rows.len();
            if self.at < last {
                if self.rows.hash(last - 1) >= hash {
                    self.at += self.rows.below(self.at, hash);
                    return Ok(());
                }
                self.at = last;
            }
            match self.run.blocks.block_for(hash, self.bytes.next()) {
                Some(number) => self.load(number, shape)?,
                None => return Ok(()),
            }
        }
    }

    fn load(&mut self, number: usize, shape: &Shape) -> Result<(), Trouble> {
        let Some((first, bytes)) = self.bytes.load(&self.run.blocks, number)? else { return Ok(()) };
        block::decode(bytes, shape, &mut self.rows)?;
        self.at = 0;
        if self.rows.hash(0) == first { Ok(()) } else { Err(Trouble::Corrupt) }
    }
}
