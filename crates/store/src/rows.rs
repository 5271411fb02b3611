//! Covers as sequences of rows, each different row stored once.
//!
//! A clock zone is a square matrix. Zones of different states seldom are the same, but their rows often are: a row says
//! how one clock is related to the others. A zone then takes one number for each clock instead of one for each pair.

use std::hash::{BuildHasher, Hasher};

use bughound_kernel::OutOfMemory;
use foldhash::quality::FixedState;

use crate::arena::Arena;
use crate::id_table::IdTable;

/// Covers of the same length, numbered in the order of their arrival.
#[derive(Debug)]
pub(crate) struct Covers {
    row_len: usize,
    /// By cover: the numbers of its rows.
    covers: Arena,
    rows: Arena,
    table: IdTable,
    hasher: FixedState,
    /// The rows of the cover being added.
    numbers: Box<[u32]>,
}

impl Covers {
    /// `cover_len`: the length of every cover, at least 1.
    pub(crate) fn new(cover_len: usize) -> Self {
        let row_len = cover_len.isqrt().max(1);
        let rows = cover_len.div_ceil(row_len);
        Covers {
            row_len,
            covers: Arena::new(rows),
            rows: Arena::new(row_len),
            table: IdTable::new(),
            hasher: FixedState::default(),
            numbers: vec![0; rows].into(),
        }
    }

    /// Adds a cover if that takes no more than so many bytes in all.
    pub(crate) fn push(&mut self, cover: &[i32], budget: u64) -> Result<(), OutOfMemory> {
        for (at, row) in cover.chunks(self.row_len).enumerate() {
            self.numbers[at] = self.intern(row, budget)?;
        }
        if size_of_val(&*self.numbers) as u64 > budget.saturating_sub(self.memory()) {
            return Err(OutOfMemory);
        }
        self.covers.push(&self.numbers)
    }

    fn intern(&mut self, row: &[i32], budget: u64) -> Result<u32, OutOfMemory> {
        let words: &[u32] = bytemuck::cast_slice(row);
        let mut hasher = self.hasher.build_hasher();
        hasher.write(bytemuck::cast_slice(row));
        let hash = hasher.finish();
        self.table.set_budget(budget.saturating_sub(self.covers.memory() + self.rows.memory()));
        self.table.reserve()?;
        self.table.find(hash, |number| self.rows.begins_with(number, words)).or_else(|vacancy| {
            let number = self.rows.len();
            if size_of_val(words) as u64 > budget.saturating_sub(self.memory()) {
                return Err(OutOfMemory);
            }
            self.rows.push(words)?;
            self.table.occupy(vacancy, number);
            Ok(number)
        })
    }

    /// Copies a cover to `into`, which has its length.
    #[inline]
    pub(crate) fn read(&self, number: u32, into: &mut [i32]) {
        let rows = self.covers.tail(number);
        for (part, row) in into.chunks_mut(self.row_len).zip(rows) {
            let words = &self.rows.tail(*row)[..part.len()];
            part.copy_from_slice(bytemuck::cast_slice(words));
        }
    }

    pub(crate) fn memory(&self) -> u64 {
        self.covers.memory() + self.rows.memory() + self.table.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cover(n: i32, len: usize) -> Vec<i32> {
        (0..len as i32).map(|at| (n / 100 * at) % 70 - n % 100).collect()
    }

    #[test]
    fn covers_of_any_length_come_back() {
        for len in [1, 2, 3, 4, 9, 11, 100] {
            let mut covers = Covers::new(len);
            for n in 0..10_000 {
                covers.push(&cover(n, len), u64::MAX).unwrap();
            }
            let mut read = vec![0; len];
            for n in 0..10_000 {
                covers.read(n as u32, &mut read);
                assert_eq!(read, cover(n, len));
            }
        }
    }

    #[test]
    fn equal_rows_have_one_place() {
        let mut covers = Covers::new(400);
        for n in 0..1000 {
            covers.push(&[n % 3; 400], u64::MAX).unwrap();
        }
        assert_eq!((covers.covers.len(), covers.rows.len()), (1000, 3));
    }

    #[test]
    fn a_budget_keeps_what_is_there() {
        let mut covers = Covers::new(100);
        let mut n = 0;
        while covers.push(&[n; 100], 1 << 20).is_ok() {
            n += 1;
        }
        assert!(covers.memory() <= 1 << 20 && n > 5_000, "{n} covers in {} bytes", covers.memory());
        let mut read = vec![0; 100];
        covers.read(n as u32 - 1, &mut read);
        assert_eq!(read, [n - 1; 100]);
    }
}
