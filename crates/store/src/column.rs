//! A growing array in chunks: growing never copies what is there, and never needs twice the memory.

use bughound_kernel::OutOfMemory;

const CHUNK_BITS: u32 = 16;
const CHUNK: usize = 1 << CHUNK_BITS;

/// One value for each id, in order of the ids.
#[derive(Debug)]
pub(crate) struct Column<T> {
    chunks: Vec<Vec<T>>,
}

impl<T: Copy> Column<T> {
    pub(crate) fn new() -> Self {
        Column { chunks: Vec::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    /// Makes sure that the next [`push`](Self::push) succeeds.
    pub(crate) fn reserve(&mut self) -> Result<(), OutOfMemory> {
        match self.chunks.last_mut() {
            Some(last) if last.len() < last.capacity() => Ok(()),
            // Small models stay small: a chunk doubles until it has its full size.
            Some(last) if last.len() < CHUNK => {
                let more = last.len().min(CHUNK - last.len());
                last.try_reserve_exact(more).map_err(|_| OutOfMemory)
            }
            _ => {
                let mut chunk = Vec::new();
                chunk.try_reserve_exact(if self.chunks.is_empty() { 64 } else { CHUNK }).map_err(|_| OutOfMemory)?;
                self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
                self.chunks.push(chunk);
                Ok(())
            }
        }
    }

    /// Appends a value; [`reserve`](Self::reserve) was called before.
    pub(crate) fn push(&mut self, value: T) {
        debug_assert!(self.chunks.last().is_some_and(|last| last.len() < last.capacity()));
        if let Some(last) = self.chunks.last_mut() {
            last.push(value);
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> T {
        self.chunks[(index >> CHUNK_BITS) as usize][index as usize & (CHUNK - 1)]
    }

    #[inline]
    pub(crate) fn set(&mut self, index: u32, value: T) {
        self.chunks[(index >> CHUNK_BITS) as usize][index as usize & (CHUNK - 1)] = value;
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.len() * size_of::<T>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_growth() {
        let mut column = Column::new();
        for i in 0..200_000_u32 {
            column.reserve().unwrap();
            column.push(i ^ 0x55);
        }
        column.set(CHUNK as u32, 7);
        assert_eq!(column.len(), 200_000);
        assert_eq!(column.get(CHUNK as u32), 7);
        assert!((0..200_000).filter(|&i| i != CHUNK as u32).all(|i| column.get(i) == i ^ 0x55));
        assert_eq!(column.memory(), 800_000);
    }
}
