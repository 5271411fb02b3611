//! A set of pairs of numbers, each with a dense number of its own. Pairs that mean different things have different tags.

use bughound_kernel::OutOfMemory;

use crate::column::Column;
use crate::id_table::IdTable;

#[derive(Debug)]
pub(crate) struct Pairs {
    pairs: Column<u64>,
    /// By number, if pairs are tagged.
    tags: Option<Column<u16>>,
    table: IdTable,
}

impl Pairs {
    pub fn new() -> Self {
        Pairs { pairs: Column::new(), tags: None, table: IdTable::new() }
    }

    pub fn tagged() -> Self {
        Pairs { tags: Some(Column::new()), ..Pairs::new() }
    }

    fn room_of_pairs(&self) -> u64 {
        self.pairs.memory() + self.tags.as_ref().map_or(0, Column::memory)
    }

    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    pub fn memory(&self) -> u64 {
        self.room_of_pairs() + self.table.memory()
    }

    #[inline]
    pub fn get(&self, number: u32) -> (u32, u32) {
        let pair = self.pairs.get(number);
        (pair as u32, (pair >> u32::BITS) as u32)
    }

    /// 0 if pairs are not tagged.
    pub fn tag(&self, number: u32) -> u16 {
        self.tags.as_ref().map_or(0, |tags| tags.get(number))
    }

    /// The number of a pair, and whether it is new. The set grows up to `budget` bytes.
    #[inline]
    pub fn number(&mut self, (left, right): (u32, u32), tag: u16, budget: u64) -> Result<(u32, bool), OutOfMemory> {
        let pair = u64::from(left) | u64::from(right) << u32::BITS;
        let room = budget.saturating_sub(self.room_of_pairs());
        self.table.set_budget(room);
        // Reserved before the look-up so that the vacancy it finds stays valid.
        self.table.reserve()?;
        let is_it = |number: u32| self.pairs.get(number) == pair && self.tag(number) == tag;
        match self.table.find(spread(pair ^ u64::from(tag).rotate_right(16)), is_it) {
            Ok(number) => Ok((number, false)),
            Err(vacancy) => {
                let number = self.pairs.len();
                let is_full = number as u64 >= u64::from(u32::MAX) - 1;
                if is_full || room < self.table.memory() + size_of::<(u64, u16)>() as u64 {
                    return Err(OutOfMemory);
                }
                self.pairs.reserve()?;
                if let Some(tags) = &mut self.tags {
                    tags.reserve()?;
                    tags.push(tag);
                }
                self.pairs.push(pair);
                self.table.occupy(vacancy, number as u32);
                Ok((number as u32, true))
            }
        }
    }
}

/// Spreads a pair over all bits, above all the upper ones (the finaliser of MurmurHash3, with the constants of Stafford 2011).
fn spread(pair: u64) -> u64 {
    let mut z = pair.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
