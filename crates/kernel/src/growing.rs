//! An array that grows without moving what is in it, for several threads: the side tables of searches and the states of
//! stores.
//!
//! Items come in rows, and rows in chunks that are made when they are needed. Chunks are found through directories that double:
//! the first knows one chunk, the next two, then four. Nothing is ever copied, so references stay valid while other threads
//! make chunks; two threads that make the same chunk at once agree on one of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::store::OutOfMemory;

/// A chunk holds about so many bytes: small models stay small, and a chunk is made seldom.
const CHUNK_BYTES: usize = 1 << 14;

type Chunk<T> = OnceLock<Box<[T]>>;

/// Rows of items, by number. Items begin with their default value.
#[derive(Debug)]
pub struct Growing<T> {
    row: usize,
    /// A chunk has 2^bits rows.
    bits: u32,
    directories: [OnceLock<Box<[Chunk<T>]>>; u32::BITS as usize + 1],
    chunks: AtomicUsize,
}

impl<T: Default> Default for Growing<T> {
    fn default() -> Self {
        Growing::of_rows(1)
    }
}

impl<T: Default> Growing<T> {
    /// Every number stands for a row of so many items.
    pub fn of_rows(row: usize) -> Self {
        let row = row.max(1);
        let rows = (CHUNK_BYTES / size_of::<T>().max(1) / row).max(1);
        let directories = [const { OnceLock::new() }; u32::BITS as usize + 1];
        Growing { row, bits: rows.ilog2(), directories, chunks: AtomicUsize::new(0) }
    }

    /// Bytes of all chunks.
    pub fn memory(&self) -> u64 {
        self.chunks.load(Ordering::Relaxed) as u64 * self.chunk_bytes()
    }

    fn chunk_bytes(&self) -> u64 {
        ((self.row * size_of::<T>()) << self.bits) as u64
    }

    /// What making room for a row will take: nothing, or a chunk.
    pub fn room_for(&self, number: u32) -> u64 {
        if self.row(number).is_some() { 0 } else { self.chunk_bytes() }
    }

    /// The row of a number; `None` if there never was room for it.
    #[inline]
    pub fn row(&self, number: u32) -> Option<&[T]> {
        let (directory, place) = self.chunk(number);
        let chunk = self.directories[directory].get()?[place].get()?;
        let start = self.start(number);
        chunk.get(start..start + self.row)
    }

    /// The first item of a row.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let (directory, place) = self.chunk(number);
        self.directories[directory].get()?[place].get()?.get(self.start(number))
    }

    /// Makes room for a row.
    pub fn reserve(&self, number: u32) -> Result<&[T], OutOfMemory> {
        if self.row(number).is_none() {
            self.make_chunk(number)?;
        }
        self.row(number).ok_or(OutOfMemory)
    }

    #[cold]
    fn make_chunk(&self, number: u32) -> Result<(), OutOfMemory> {
        let (directory, place) = self.chunk(number);
        let chunks = match self.directories[directory].get() {
            Some(chunks) => chunks,
            None => {
                // If another thread was faster, its directory is as good.
                let _ = self.directories[directory].set(filled(1 << directory)?);
                self.directories[directory].get().ok_or(OutOfMemory)?
            }
        };
        if chunks[place].set(filled(self.row << self.bits)?).is_ok() {
            self.chunks.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The directory of a number, and the place of its chunk in it.
    #[inline]
    fn chunk(&self, number: u32) -> (usize, usize) {
        let chunk = (u64::from(number) >> self.bits) + 1;
        let directory = chunk.ilog2();
        (directory as usize, (chunk - (1 << directory)) as usize)
    }

    #[inline]
    fn start(&self, number: u32) -> usize {
        (number as usize & ((1 << self.bits) - 1)) * self.row
    }
}

fn filled<T: Default>(count: usize) -> Result<Box<[T]>, OutOfMemory> {
    let mut items = Vec::new();
    items.try_reserve_exact(count).map_err(|_| OutOfMemory)?;
    items.resize_with(count, T::default);
    Ok(items.into_boxed_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn rows_of_every_length_keep_what_is_written() {
        for row in [1, 2, 3, 5, 100, 20_000] {
            let array = Growing::<AtomicU32>::of_rows(row);
            let numbers = || (0..200).chain([1 << 12, (1 << 20) + 7]);
            for number in numbers() {
                assert!(array.room_for(number) == 0 || array.get(number).is_none());
                for item in array.reserve(number).unwrap() {
                    item.store(number, Ordering::Relaxed);
                }
            }
            for number in numbers() {
                let items = array.row(number).unwrap();
                assert!(items.len() == row && items.iter().all(|item| item.load(Ordering::Relaxed) == number));
            }
            assert!(array.get(u32::MAX).is_none());
            assert!(array.memory() >= 202 * 4 * row as u64);
        }
    }

    #[test]
    fn threads_that_make_the_same_chunk_share_it() {
        let array = Growing::<AtomicU32>::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..50_000 {
                        array.reserve(number).unwrap()[0].fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!((0..50_000).all(|number| array.get(number).is_some_and(|item| item.load(Ordering::Relaxed) == 4)));
    }
}
