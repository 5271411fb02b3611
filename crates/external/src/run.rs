//! Runs: rows in order, in blocks, in memory as long as they are few, otherwise in a file.

use std::sync::Arc;

use crate::block::{self, Encoder, Rows};
use crate::row::{Row, Shape};
use crate::space::{Piece, Space};
use crate::trouble::{Trouble, reserve};

/// Where a block lies, and the least hash in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) first: u64,
    pub(crate) at: u64,
    pub(crate) length: u32,
}

enum Data {
    Memory(Vec<u8>),
    File(Piece),
}

/// Rows in order. No two of them are the same.
pub struct Run {
    data: Data,
    places: Vec<Place>,
    rows: u64,
}

impl Run {
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Bytes of its blocks, wherever they lie.
    pub fn bytes(&self) -> u64 {
        match &self.data {
            Data::Memory(bytes) => bytes.len() as u64,
            Data::File(piece) => piece.size(),
        }
    }

    /// A run that lies in a file, whoever has written it.
    pub(crate) fn restore(piece: Piece, places: Vec<Place>, rows: u64) -> Self {
        Run { data: Data::File(piece), places, rows }
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The bytes of its blocks, or else the number of the file where they are.
    pub(crate) fn in_memory(&self) -> Result<&[u8], u64> {
        match &self.data {
            Data::Memory(bytes) => Ok(bytes),
            Data::File(piece) => Err(piece.number()),
        }
    }

    pub fn is_on_disk(&self) -> bool {
        matches!(self.data, Data::File(_))
    }

    pub fn memory(&self) -> u64 {
        let blocks = match &self.data {
            Data::Memory(bytes) => bytes.capacity() as u64,
            Data::File(_) => 0,
        };
        blocks + (self.places.capacity() * size_of::<Place>()) as u64
    }
}

/// How large things may be.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// A run with fewer bytes stays in memory.
    pub in_memory: usize,
    /// Bytes written at a time, and read at a time from one run after the other blocks were.
    pub chunk: usize,
}

/// Writes a run, row by row.
pub struct Writer {
    space: Arc<Space>,
    sizes: Sizes,
    encoder: Encoder,
    pending: Vec<u8>,
    piece: Option<Piece>,
    places: Vec<Place>,
    at: u64,
    rows: u64,
}

impl Writer {
    pub fn new(space: &Arc<Space>, shape: &Shape, sizes: Sizes) -> Self {
        let (pending, places, encoder) = (Vec::new(), Vec::new(), Encoder::new(shape));
        Writer { space: Arc::clone(space), sizes, encoder, pending, piece: None, places, at: 0, rows: 0 }
    }

    #[inline]
    pub fn push(&mut self, row: &Row<'_>) -> Result<(), Trouble> {
        self.encoder.push(row)?;
        self.rows += 1;
        if self.encoder.is_full() { self.end_block() } else { Ok(()) }
    }

    pub fn memory(&self) -> u64 {
        (self.pending.capacity() + self.places.capacity() * size_of::<Place>()) as u64 + self.encoder.memory()
    }

    fn end_block(&mut self) -> Result<(), Trouble> {
        let (first, before) = (self.encoder.first(), self.pending.len());
        self.encoder.finish(&mut self.pending)?;
        let length = (self.pending.len() - before) as u32;
        reserve(&mut self.places, 1)?;
        self.places.push(Place { first, at: self.at, length });
        self.at += u64::from(length);
        let room = if self.piece.is_some() { self.sizes.chunk } else { self.sizes.in_memory.max(self.sizes.chunk) };
        if self.pending.len() >= room { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Trouble> {
        self.piece.get_or_insert_with(|| Piece::new(&self.space)).append(&self.pending)?;
        self.pending.clear();
        self.pending.shrink_to(self.sizes.chunk);
        Ok(())
    }

    /// `None` if there is not a single row.
    pub fn finish(mut self) -> Result<Option<Run>, Trouble> {
        if !self.encoder.is_empty() {
            self.end_block()?;
        }
        let is_large = self.piece.is_some() || self.pending.len() > self.sizes.in_memory;
        if is_large && !self.pending.is_empty() {
            self.write()?;
        }
        self.places.shrink_to_fit();
        self.pending.shrink_to_fit();
        let data = match self.piece {
            Some(piece) => Data::File(piece),
            None => Data::Memory(self.pending),
        };
        Ok((self.rows > 0).then_some(Run { data, places: self.places, rows: self.rows }))
    }
}

/// Goes through a run in order. It stands at a row, or at the end.
pub struct Reader {
    run: Arc<Run>,
    chunk: usize,
    rows: Rows,
    at: usize,
    /// The number of the block after the one that was decoded.
    next: usize,
    /// Bytes of the file that were read ahead, and where they begin.
    ahead: Vec<u8>,
    ahead_at: u64,
    /// How much is read at a time: more and more, as long as blocks are read one after the other.
    amount: usize,
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
        let (rows, ahead) = (Rows::default(), Vec::new());
        Reader { run: Arc::clone(run), chunk: sizes.chunk, rows, at: 0, next: 0, ahead, ahead_at: 0, amount: 0 }
    }

    #[inline]
    pub fn row(&self) -> Option<Row<'_>> {
        (self.at < self.rows.len()).then(|| self.rows.row(self.at))
    }

    pub fn memory(&self) -> u64 {
        self.rows.memory() + self.ahead.capacity() as u64
    }

    #[inline]
    pub fn step(&mut self, shape: &Shape) -> Result<(), Trouble> {
        self.at += 1;
        if self.at >= self.rows.len() && self.next < self.run.places.len() {
            self.load(self.next, shape)?;
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
            if self.next >= self.run.places.len() {
                return Ok(());
            }
            // The last block that begins below the hash, or the first one that is left.
            let places = &self.run.places[self.next..];
            let below = match places.get(1) {
                Some(second) if second.first < hash => places.partition_point(|place| place.first < hash),
                _ => 1,
            };
            self.load(self.next + below - 1, shape)?;
        }
    }

    fn load(&mut self, number: usize, shape: &Shape) -> Result<(), Trouble> {
        let run = Arc::clone(&self.run);
        let Some(place) = run.places.get(number) else { return Ok(()) };
        let length = place.length as usize;
        let bytes = match &run.data {
            Data::Memory(bytes) => &bytes[place.at as usize..][..length],
            Data::File(piece) => {
                let is_next = number == self.next && number > 0;
                self.amount = if is_next { (self.amount * 2).min(self.chunk) } else { 0 }.max(length);
                let ahead = self.ahead_at..self.ahead_at + self.ahead.len() as u64;
                if !(ahead.contains(&place.at) && place.at + length as u64 <= ahead.end) {
                    let amount = (self.amount as u64).min(piece.size() - place.at) as usize;
                    self.ahead.clear();
                    reserve(&mut self.ahead, amount)?;
                    self.ahead.resize(amount, 0);
                    piece.read(place.at, &mut self.ahead)?;
                    self.ahead_at = place.at;
                }
                &self.ahead[(place.at - self.ahead_at) as usize..][..length]
            }
        };
        block::decode(bytes, shape, &mut self.rows)?;
        self.at = 0;
        self.next = number + 1;
        if self.rows.hash(0) != place.first {
            return Err(Trouble::Corrupt);
        }
        Ok(())
    }
}
