//! Blocks of bytes, one behind the other, in memory as long as they are few, otherwise in a file. What is in them is in the order of
//! hashes, and the first hash of each block is in memory: only the blocks that can hold a hash are read for it.

use std::sync::Arc;

use crate::space::{Piece, Space};
use crate::trouble::{Trouble, reserve};

/// How large things may be.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// What has fewer bytes stays in memory.
    pub in_memory: usize,
    /// Bytes written at a time, and read at a time from one run after the other blocks were.
    pub chunk: usize,
}

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

pub(crate) struct Blocks {
    data: Data,
    places: Vec<Place>,
}

impl Blocks {
    /// Those in a file, whoever has written it.
    pub(crate) fn restore(piece: Piece, places: Vec<Place>) -> Self {
        Blocks { data: Data::File(piece), places }
    }

    /// Those of these bytes.
    pub(crate) fn restore_in_memory(bytes: Vec<u8>, places: Vec<Place>) -> Self {
        Blocks { data: Data::Memory(bytes), places }
    }

    /// Wherever they lie.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.data {
            Data::Memory(bytes) => bytes.len() as u64,
            Data::File(piece) => piece.size(),
        }
    }

    pub(crate) fn places(&self) -> &[Place] {
        &self.places
    }

    /// The bytes, or else the number of the file where they are.
    pub(crate) fn in_memory(&self) -> Result<&[u8], u64> {
        match &self.data {
            Data::Memory(bytes) => Ok(bytes),
            Data::File(piece) => Err(piece.number()),
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        let blocks = match &self.data {
            Data::Memory(bytes) => bytes.capacity() as u64,
            Data::File(_) => 0,
        };
        blocks + (self.places.capacity() * size_of::<Place>()) as u64
    }

    /// The block from `next` on in which a hash is to be looked for first: the last one that begins below it, or else `next`.
    pub(crate) fn block_for(&self, hash: u64, next: usize) -> Option<usize> {
        let places = self.places.get(next..).filter(|places| !places.is_empty())?;
        // A block that begins with the hash may not be the first one that has it.
        let below = match places.get(1) {
            Some(second) if second.first < hash => places.partition_point(|place| place.first < hash),
            _ => 1,
        };
        Some(next + below - 1)
    }
}

pub(crate) struct BlockWriter {
    space: Arc<Space>,
    sizes: Sizes,
    /// What is not in the file so far.
    pub(crate) pending: Vec<u8>,
    /// How many of these bytes belong to blocks that are complete.
    complete: usize,
    piece: Option<Piece>,
    places: Vec<Place>,
    at: u64,
}

impl BlockWriter {
    pub(crate) fn new(space: &Arc<Space>, sizes: Sizes) -> Self {
        let (pending, places) = (Vec::new(), Vec::new());
        BlockWriter { space: Arc::clone(space), sizes, pending, complete: 0, piece: None, places, at: 0 }
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.pending.capacity() + self.places.capacity() * size_of::<Place>()) as u64
    }

    /// What was put behind `pending` since the last time is a block.
    pub(crate) fn end_block(&mut self, first: u64) -> Result<(), Trouble> {
        let length = (self.pending.len() - self.complete) as u32;
        reserve(&mut self.places, 1)?;
        self.places.push(Place { first, at: self.at, length });
        self.at += u64::from(length);
        self.complete = self.pending.len();
        let room = if self.piece.is_some() { self.sizes.chunk } else { self.sizes.in_memory.max(self.sizes.chunk) };
        if self.pending.len() >= room { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> Result<(), Trouble> {
        self.piece.get_or_insert_with(|| Piece::new(&self.space)).append(&self.pending)?;
        self.pending.clear();
        self.pending.shrink_to(self.sizes.chunk);
        self.complete = 0;
        Ok(())
    }

    pub(crate) fn finish(mut self) -> Result<Blocks, Trouble> {
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
        Ok(Blocks { data, places: self.places })
    }
}

/// Reads blocks, the more at a time the longer they are read one after the other.
pub(crate) struct BlockReader {
    chunk: usize,
    /// The number of the block after the one that was read.
    next: usize,
    /// Bytes of the file that were read ahead, and where they begin.
    ahead: Vec<u8>,
    ahead_at: u64,
    amount: usize,
}

impl BlockReader {
    pub(crate) fn new(sizes: Sizes) -> Self {
        BlockReader { chunk: sizes.chunk, next: 0, ahead: Vec::new(), ahead_at: 0, amount: 0 }
    }

    pub(crate) fn next(&self) -> usize {
        self.next
    }

    pub(crate) fn memory(&self) -> u64 {
        self.ahead.capacity() as u64
    }

    /// The bytes of a block, and the first hash in it.
    pub(crate) fn load<'b>(
        &'b mut self,
        blocks: &'b Blocks,
        number: usize,
    ) -> Result<Option<(u64, &'b [u8])>, Trouble> {
        let Some(place) = blocks.places.get(number) else { return Ok(None) };
        let length = place.length as usize;
        let bytes = match &blocks.data {
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
        self.next = number + 1;
        Ok(Some((place.first, bytes)))
    }
}

/// How many of these, from `at` on, are less than this one. They are in order, and it is probably near.
#[inline]
pub(crate) fn below(hashes: &[u64], at: usize, hash: u64) -> usize {
    const NEAR: usize = 8;
    let rest = &hashes[at..];
    let near = rest.iter().take(NEAR).take_while(|other| **other < hash).count();
    if near < NEAR { near } else { NEAR + rest[NEAR..].partition_point(|other| *other < hash) }
}
