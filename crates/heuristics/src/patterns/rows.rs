//! A set of rows of small numbers, each with a number of its own.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

#[derive(Default)]
pub struct Rows {
    width: usize,
    values: Vec<u16>,
    table: HashTable<u32>,
    hasher: FixedState,
}

impl Rows {
    pub fn new(width: usize) -> Rows {
        Rows { width, ..Rows::default() }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn row(&self, number: u32) -> &[u16] {
        &self.values[number as usize * self.width..][..self.width]
    }

    pub fn len(&self) -> usize {
        self.table.len()
    }

    #[inline]
    pub fn find(&self, row: &[u16]) -> Option<u32> {
        let same = |number: &u32| self.row(*number) == row;
        self.table.find(self.hasher.hash_one(row), same).copied()
    }

    /// The number of a row, and whether it is new.
    pub fn insert(&mut self, row: &[u16]) -> (u32, bool) {
        if let Some(number) = self.find(row) {
            return (number, false);
        }
        let number = self.len() as u32;
        self.values.extend_from_slice(row);
        let (values, width, hasher) = (&self.values, self.width, &self.hasher);
        let hash_of = |number: &u32| hasher.hash_one(&values[*number as usize * width..][..width]);
        self.table.insert_unique(hasher.hash_one(row), number, hash_of);
        (number, true)
    }

    pub fn memory(&self) -> u64 {
        (self.values.capacity() * 2 + self.table.capacity() * 5) as u64
    }
}
