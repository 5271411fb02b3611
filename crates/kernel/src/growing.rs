//! An array that grows without moving what is in it, for several threads: the side tables of searches and the states of
//! stores.
//!
//! Items come in rows, and rows in chunks that are made when they are needed. Each directory of chunks has as many rows as all
//! before it together: as one chunk, until chunks are large; then as one more, two more, four more large ones. So small arrays
//! stay small, and the chunks of large ones are few: looking for them seldom misses the cache. Nothing is ever copied, so references stay valid while other threads
//! make chunks; two threads that make the same chunk at once agree on one of them.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::store::OutOfMemory;

/// The first chunk holds about so many bytes.
const FIRST_BYTES: usize = 1 << 14;
/// The largest chunk is 2^LARGEST times as large as the first.
const LARGEST: u32 = 6;

type Chunk<T> = OnceLock<Box<[T]>>;

/// Rows of items, by number. Items begin with their default value.
#[derive(Debug)]
pub struct Growing<T> {
    row: usize,
    /// The first chunk has 2^bits rows.
    bits: u32,
    directories: [OnceLock<Box<[Chunk<T>]>>; u32::BITS as usize + 1],
    /// Of all chunks, in first chunks.
    size: AtomicUsize,
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
        let rows = (FIRST_BYTES / size_of::<T>().max(1) / row).max(1);
        let directories = [const { OnceLock::new() }; u32::BITS as usize + 1];
        Growing { row, bits: rows.ilog2(), directories, size: AtomicUsize::new(0) }
    }

    /// Bytes of all chunks.
    pub fn memory(&self) -> u64 {
        self.size.load(Ordering::Relaxed) as u64 * ((self.row * size_of::<T>()) << self.bits) as u64
    }

    /// What making room for a row will take: nothing, or a chunk.
    pub fn room_for(&self, number: u32) -> u64 {
        if self.row(number).is_some() {
            return 0;
        }
        ((self.row * size_of::<T>()) as u64) << self.place(number).chunk_bits
    }

    /// There is room for no number from here on.
    pub fn end(&self) -> u64 {
        let directories = self.directories.iter().enumerate().rev();
        let mut made = directories.filter_map(|(directory, chunks)| {
            let last = chunks.get()?.iter().rposition(|chunk| chunk.get().is_some())?;
            Some((directory, last as u64 + 1))
        });
        match made.next() {
            None => 0,
            Some((0, _)) => 1 << self.bits,
            Some((directory, chunks)) => {
                let doublings = directory as u32 - 1;
                (1 << (self.bits + doublings)) + (chunks << (self.bits + doublings.min(LARGEST)))
            }
        }
    }

    /// The row of a number; `None` if there never was room for it.
    #[inline]
    pub fn row(&self, number: u32) -> Option<&[T]> {
        let place = self.place(number);
        let start = place.row * self.row;
        self.directories[place.directory].get()?[place.chunk].get()?.get(start..start + self.row)
    }

    /// The first item of a row.
    #[inline]
    pub fn get(&self, number: u32) -> Option<&T> {
        let place = self.place(number);
        self.directories[place.directory].get()?[place.chunk].get()?.get(place.row * self.row)
    }

    /// Makes room for a row.
    #[inline]
    pub fn reserve(&self, number: u32) -> Result<&[T], OutOfMemory> {
        if let Some(row) = self.row(number) {
            return Ok(row);
        }
        self.make_chunk(number)?;
        self.row(number).ok_or(OutOfMemory)
    }

    #[cold]
    fn make_chunk(&self, number: u32) -> Result<(), OutOfMemory> {
        let Place { directory, chunk, chunk_bits, .. } = self.place(number);
        let chunks = match self.directories[directory].get() {
            Some(chunks) => chunks,
            None => {
                // If another thread was faster, its directory is as good.
                let bits = (self.bits + directory as u32).saturating_sub(u32::from(directory > 0));
                let _ = self.directories[directory].set(filled(1 << (bits - chunk_bits))?);
                self.directories[directory].get().ok_or(OutOfMemory)?
            }
        };
        if chunks[chunk].set(filled(self.row << chunk_bits)?).is_ok() {
            self.size.fetch_add(1 << (chunk_bits - self.bits), Ordering::Relaxed);
        }
        Ok(())
    }

    #[inline]
    fn place(&self, number: u32) -> Place {
        let (number, first) = (number as usize, number >> self.bits);
        if first == 0 {
            return Place { directory: 0, chunk: 0, row: number, chunk_bits: self.bits };
        }
        let doublings = first.ilog2();
        let chunk_bits = self.bits + doublings.min(LARGEST);
        let within = number - (1 << (self.bits + doublings));
        let (chunk, row) = (within >> chunk_bits, within & ((1 << chunk_bits) - 1));
        Place { directory: doublings as usize + 1, chunk, row, chunk_bits }
    }
}

/// Where a row is.
struct Place {
    directory: usize,
    chunk: usize,
    row: usize,
    /// The chunk has 2^chunk_bits rows.
    chunk_bits: u32,
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
