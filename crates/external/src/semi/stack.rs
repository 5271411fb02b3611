//! A stack of rows of words, most of which lies on disk if it is high.
//!
//! The upper end is in memory. What is pushed out is written to a file of its own, with a checksum, and read again, and the file
//! removed, when it is its turn: a stack is used at one end only, so each word is written and read once for each time that the
//! end wanders by a whole chunk.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use crate::space::{Piece, Space};
use crate::trouble::{Trouble, reserve};

pub struct Stack {
    space: Arc<Space>,
    /// Rows in one file.
    chunk: usize,
    /// Rows one behind the other, each followed by its length.
    top: Vec<u32>,
    /// Lower parts, the lowest first: the file, and a checksum of what is in it.
    below: Vec<(Piece, u64)>,
    rows: u64,
}

fn bytes_of(words: &[u32]) -> Result<Vec<u8>, Trouble> {
    let mut bytes = Vec::new();
    reserve(&mut bytes, words.len() * 4)?;
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    Ok(bytes)
}

impl Stack {
    /// About so many words, and twice as many now and then, are kept in memory.
    pub fn new(space: &Arc<Space>, chunk: usize) -> Self {
        Stack { space: Arc::clone(space), chunk: chunk.max(1), top: Vec::new(), below: Vec::new(), rows: 0 }
    }

    pub fn rows(&self) -> u64 {
        self.rows
    }

    pub fn memory(&self) -> u64 {
        (self.top.capacity() * 4 + self.below.capacity() * size_of::<(Piece, u64)>()) as u64
    }

    /// A row of two parts.
    pub fn push(&mut self, first: &[u32], second: &[u32]) -> Result<(), Trouble> {
        if self.top.len() >= 2 * self.chunk {
            self.write_out()?;
        }
        let length = first.len() + second.len();
        reserve(&mut self.top, length + 1)?;
        self.top.extend_from_slice(first);
        self.top.extend_from_slice(second);
        self.top.push(length as u32);
        self.rows += 1;
        Ok(())
    }

    /// The lower part of what is in memory goes to a file: whole rows, about a chunk.
    fn write_out(&mut self) -> Result<(), Trouble> {
        // From the upper end on, because lengths stand behind rows.
        let mut first = self.top.len();
        while first > self.chunk {
            first -= self.top[first - 1] as usize + 1;
        }
        if first == 0 {
            return Ok(());
        }
        let bytes = bytes_of(&self.top[..first])?;
        let mut piece = Piece::new(&self.space);
        piece.append(&bytes)?;
        reserve(&mut self.below, 1)?;
        self.below.push((piece, xxh3_64(&bytes)));
        self.top.drain(..first);
        Ok(())
    }

    /// Reads the uppermost of the files again.
    fn read_back(&mut self) -> Result<bool, Trouble> {
        let Some((piece, sum)) = self.below.pop() else { return Ok(false) };
        read(&piece, sum, &mut self.top)?;
        Ok(true)
    }

    /// Puts the uppermost row in place of what is in `row`. False if there is none.
    pub fn pop(&mut self, row: &mut Vec<u32>) -> Result<bool, Trouble> {
        row.clear();
        if self.top.is_empty() && !self.read_back()? {
            return Ok(false);
        }
        let length = self.top.pop().ok_or(Trouble::Corrupt)? as usize;
        let first = self.top.len().checked_sub(length).ok_or(Trouble::Corrupt)?;
        reserve(row, length)?;
        row.extend_from_slice(&self.top[first..]);
        self.top.truncate(first);
        self.rows -= 1;
        Ok(true)
    }

    /// Every row, from the uppermost to the lowest.
    pub fn each(&self, mut visit: impl FnMut(&[u32]) -> Result<(), Trouble>) -> Result<(), Trouble> {
        let mut down = |words: &[u32]| -> Result<(), Trouble> {
            let mut end = words.len();
            while end > 0 {
                let first = (end - 1).checked_sub(words[end - 1] as usize).ok_or(Trouble::Corrupt)?;
                visit(&words[first..end - 1])?;
                end = first;
            }
            Ok(())
        };
        down(&self.top)?;
        for (piece, sum) in self.below.iter().rev() {
            let mut words = Vec::new();
            read(piece, *sum, &mut words)?;
            down(&words)?;
        }
        Ok(())
    }
}

fn read(piece: &Piece, sum: u64, into: &mut Vec<u32>) -> Result<(), Trouble> {
    let mut bytes = Vec::new();
    let length = usize::try_from(piece.size()).map_err(|_| Trouble::Memory)?;
    reserve(&mut bytes, length)?;
    bytes.resize(length, 0);
    piece.read(0, &mut bytes)?;
    if xxh3_64(&bytes) != sum {
        return Err(Trouble::Corrupt);
    }
    into.clear();
    reserve(into, length / 4)?;
    into.extend(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::io;
    use std::sync::Mutex;

    use bughound_kernel::Random;

    use super::*;
    use crate::medium::Medium;

    type Files = Arc<Mutex<HashMap<u64, Vec<u8>>>>;

    struct Shelf(Files);

    impl Medium for Shelf {
        fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
            self.0.lock().unwrap().entry(file).or_default().extend_from_slice(bytes);
            Ok(())
        }

        fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
            into.copy_from_slice(&self.0.lock().unwrap()[&file][at as usize..][..into.len()]);
            Ok(())
        }

        fn remove(&self, file: u64) -> io::Result<()> {
            self.0.lock().unwrap().remove(&file);
            Ok(())
        }
    }

    #[test]
    fn it_is_a_stack_wherever_its_end_is() {
        let mut files_seen = 0;
        for seed in 0..200 {
            let mut random = Random::new(seed);
            let files = Files::default();
            let mut stack = Stack::new(&Space::new(Box::new(Shelf(Arc::clone(&files))), None), 1 + random.below(60));
            let mut model: Vec<Vec<u32>> = Vec::new();
            let (mut row, mut most) = (Vec::new(), 0);
            for _ in 0..3_000 {
                let falls = random.one_in(200);
                if random.below(100) < 60 && !falls {
                    let words: Vec<u32> = (0..random.below(6)).map(|_| random.draw() as u32).collect();
                    let cut = random.below(words.len() + 1);
                    stack.push(&words[..cut], &words[cut..]).unwrap();
                    model.push(words);
                } else {
                    for _ in 0..if falls { 60 } else { 1 } {
                        assert_eq!(stack.pop(&mut row).unwrap(), !model.is_empty(), "seed {seed}");
                        assert_eq!(row, model.pop().unwrap_or_default(), "seed {seed}");
                    }
                }
                assert_eq!(stack.rows(), model.len() as u64);
                most = most.max(files.lock().unwrap().len());
            }
            let mut seen = Vec::new();
            stack
                .each(|row| {
                    seen.push(row.to_vec());
                    Ok(())
                })
                .unwrap();
            model.reverse();
            assert_eq!(seen, model);
            files_seen += most;
            drop(stack);
            assert_eq!(files.lock().unwrap().len(), 0);
        }
        assert!(files_seen > 1_000, "{files_seen}");
    }

    #[test]
    fn a_changed_bit_is_noticed() {
        for bit in 0..200 {
            let files = Files::default();
            let mut stack = Stack::new(&Space::new(Box::new(Shelf(Arc::clone(&files))), None), 10);
            for word in 0..40 {
                stack.push(&[word], &[word]).unwrap();
            }
            let mut row = Vec::new();
            {
                let mut files = files.lock().unwrap();
                let bytes = files.values_mut().next().unwrap();
                let at = bit % (bytes.len() * 8);
                bytes[at / 8] ^= 1 << (at % 8);
            }
            let popped = (0..40).map(|_| stack.pop(&mut row)).find(|popped| *popped != Ok(true));
            assert_eq!(popped, Some(Err(Trouble::Corrupt)), "bit {bit}");
        }
    }
}
