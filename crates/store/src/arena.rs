//! Word sequences in big chunks, numbered densely in the order of their arrival.
//!
//! Growing adds a chunk and copies nothing. A sequence never straddles two chunks. While all sequences have the same
//! length the place of a sequence follows from its number; from the first one of another length on, an index holds 4
//! bytes for each sequence.

use bughound_kernel::OutOfMemory;

use crate::column::Column;

/// 4 MiB: large enough that chunk ends waste nothing worth mentioning, small enough to be found in fragmented memory.
const CHUNK_WORDS: usize = 1 << 20;
/// Sequences that share a base in the index.
const GROUP_BITS: u32 = 10;

#[derive(Debug)]
pub(crate) struct Arena {
    chunks: Vec<Vec<u32>>,
    chunk_bits: u32,
    len: u32,
    places: Places,
}

#[derive(Debug)]
enum Places {
    /// Every sequence has `words` words; `per_chunk` fit a chunk.
    Uniform { words: usize, per_chunk: Divisor },
    /// Positions: `bases[n / group] + offsets[n]`.
    Indexed { bases: Vec<u64>, offsets: Column<u32> },
}

impl Arena {
    /// `max_words`: the longest sequence that will be pushed.
    pub(crate) fn new(max_words: usize) -> Self {
        let chunk_bits = CHUNK_WORDS.max(max_words.next_power_of_two()).trailing_zeros();
        let places = Places::Uniform { words: 0, per_chunk: Divisor::new(1) };
        Arena { chunks: Vec::new(), chunk_bits, len: 0, places }
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Bytes used by the sequences and their index.
    pub(crate) fn memory(&self) -> u64 {
        let full = self.chunks.len().saturating_sub(1) as u64;
        let last = self.chunks.last().map_or(0, Vec::len) as u64;
        let index = match &self.places {
            Places::Uniform { .. } => 0,
            Places::Indexed { bases, offsets } => (bases.len() * size_of::<u64>()) as u64 + offsets.memory(),
        };
        ((full << self.chunk_bits) + last) * size_of::<u32>() as u64 + index
    }

    /// What follows the beginning of sequence `number` up to the end of the filled part of its chunk.
    #[inline]
    pub(crate) fn tail(&self, number: u32) -> &[u32] {
        let (chunk, offset) = self.locate(number);
        &self.chunks[chunk][offset..]
    }

    /// Does sequence `number` begin with `words`?
    #[inline]
    pub(crate) fn begins_with(&self, number: u32, words: &[u32]) -> bool {
        let (chunk, offset) = self.locate(number);
        self.chunks[chunk].get(offset..offset + words.len()) == Some(words)
    }

    pub(crate) fn push(&mut self, sequence: &[u32]) -> Result<(), OutOfMemory> {
        debug_assert!(!sequence.is_empty() && sequence.len() <= 1 << self.chunk_bits);
        if let Places::Uniform { words, per_chunk } = &mut self.places
            && *words != sequence.len()
        {
            if self.len == 0 {
                *words = sequence.len();
                *per_chunk = Divisor::new(((1_usize << self.chunk_bits) / sequence.len()) as u32);
            } else {
                self.places = self.index()?;
            }
        }
        if self.chunks.last().is_none_or(|last| last.capacity() - last.len() < sequence.len()) {
            self.add_chunk()?;
        }
        let chunk = self.chunks.len() - 1;
        let position = ((chunk as u64) << self.chunk_bits) + self.chunks[chunk].len() as u64;
        if let Places::Indexed { bases, offsets } = &mut self.places {
            append(bases, offsets, position)?;
        }
        self.chunks[chunk].extend_from_slice(sequence);
        self.len += 1;
        Ok(())
    }

    fn add_chunk(&mut self) -> Result<(), OutOfMemory> {
        let mut chunk = Vec::new();
        chunk.try_reserve_exact(1 << self.chunk_bits).map_err(|_| OutOfMemory)?;
        self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.chunks.push(chunk);
        Ok(())
    }

    /// The index of what is there, for the moment in which lengths begin to differ.
    fn index(&self) -> Result<Places, OutOfMemory> {
        let (mut bases, mut offsets) = (Vec::new(), Column::new());
        for number in 0..self.len {
            let (chunk, offset) = self.locate(number);
            append(&mut bases, &mut offsets, ((chunk as u64) << self.chunk_bits) + offset as u64)?;
        }
        Ok(Places::Indexed { bases, offsets })
    }

    #[inline]
    fn locate(&self, number: u32) -> (usize, usize) {
        match &self.places {
            Places::Uniform { words, per_chunk } => {
                let (chunk, within) = per_chunk.divide(number);
                (chunk as usize, within as usize * words)
            }
            Places::Indexed { bases, offsets } => {
                let position = bases[(number >> GROUP_BITS) as usize] + u64::from(offsets.get(number));
                ((position >> self.chunk_bits) as usize, (position & ((1 << self.chunk_bits) - 1)) as usize)
            }
        }
    }
}

fn append(bases: &mut Vec<u64>, offsets: &mut Column<u32>, position: u64) -> Result<(), OutOfMemory> {
    if offsets.len() & ((1 << GROUP_BITS) - 1) == 0 {
        bases.try_reserve(1).map_err(|_| OutOfMemory)?;
        bases.push(position);
    }
    offsets.reserve()?;
    let base = bases[offsets.len() >> GROUP_BITS];
    // A group spans 1024 sequences: only sequences of megabytes could overflow this.
    offsets.push(u32::try_from(position - base).map_err(|_| OutOfMemory)?);
    Ok(())
}

/// Division of a `u32` by an invariant number, as one multiplication (Lemire, Kaser, Kurz 2019: "Faster remainder by
/// direct computation"). Every comparison with a stored state divides.
#[derive(Clone, Copy, Debug)]
struct Divisor {
    divisor: u32,
    /// ⌈2^64 / divisor⌉; unused for 1, where it does not fit.
    inverse: u64,
}

impl Divisor {
    fn new(divisor: u32) -> Self {
        Divisor { divisor, inverse: (u64::MAX / u64::from(divisor)).wrapping_add(1) }
    }

    #[inline]
    fn divide(self, number: u32) -> (u32, u32) {
        if self.divisor == 1 {
            return (number, 0);
        }
        let quotient = ((u128::from(self.inverse) * u128::from(number)) >> 64) as u32;
        (quotient, number - quotient * self.divisor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn division_is_exact() {
        for divisor in [1, 2, 3, 7, 11, 95_325, 1 << 20, (1 << 20) - 1] {
            let fast = Divisor::new(divisor);
            for number in [0, 1, divisor - 1, divisor, divisor + 1, 1_000_003, u32::MAX - 1, u32::MAX] {
                assert_eq!(fast.divide(number), (number / divisor, number % divisor), "{number} / {divisor}");
            }
        }
    }

    #[test]
    fn lengths_may_begin_to_differ_at_any_time() {
        let mut arena = Arena::new(5);
        let sequence = |n: u32| vec![n; if n < 700_000 { 3 } else { 1 + n as usize % 5 }];
        for n in 0..800_000 {
            arena.push(&sequence(n)).unwrap();
        }
        assert!(arena.chunks.len() > 2);
        for n in (0..800_000).step_by(37) {
            assert!(arena.begins_with(n, &sequence(n)), "{n}");
            assert!(!arena.begins_with(n, &[n + 1]));
        }
    }
}
