//! A set of pairs of numbers, each with a dense number of its own. Pairs that mean different things have different tags.

use bughound_kernel::OutOfMemory;

use crate::column::Column;
use crate::narrow_table::NarrowTable;

#[derive(Debug)]
pub(crate) struct Pairs {
    pairs: Column<u64>,
    tags: Tags,
    table: NarrowTable,
    /// There are numbers for so many pairs.
    pub most: u32,
}

/// Nearly always, all pairs have the same tag.
#[derive(Debug)]
enum Tags {
    Same(u16),
    /// By number.
    Each(Column<u16>),
}

impl Tags {
    fn of(&self, number: u32) -> u16 {
        match self {
            Tags::Same(tag) => *tag,
            Tags::Each(tags) => tags.get(number),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            Tags::Same(_) => 0,
            Tags::Each(tags) => tags.memory(),
        }
    }

    /// Notes the tag of the next pair, after so many.
    fn push(&mut self, tag: u16, len: usize) -> Result<(), OutOfMemory> {
        if let Tags::Same(same) = self {
            if *same == tag || len == 0 {
                *same = tag;
                return Ok(());
            }
            let mut tags = Column::new();
            for _ in 0..len {
                tags.reserve()?;
                tags.push(*same);
            }
            *self = Tags::Each(tags);
        }
        if let Tags::Each(tags) = self {
            tags.reserve()?;
            tags.push(tag);
        }
        Ok(())
    }
}

impl Pairs {
    pub fn new() -> Self {
        Pairs { pairs: Column::new(), tags: Tags::Same(0), table: NarrowTable::default(), most: u32::MAX - 1 }
    }

    fn room_of_pairs(&self) -> u64 {
        self.pairs.memory() + self.tags.memory()
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

    pub fn tag(&self, number: u32) -> u16 {
        self.tags.of(number)
    }

    /// The number of a pair, and whether it is new. The set grows up to `budget` bytes.
    #[inline]
    pub fn number(&mut self, (left, right): (u32, u32), tag: u16, budget: u64) -> Result<(u32, bool), OutOfMemory> {
        let pair = u64::from(left) | u64::from(right) << u32::BITS;
        let room = budget.saturating_sub(self.room_of_pairs());
        let (pairs, tags) = (&self.pairs, &self.tags);
        // Reserved before the look-up so that the vacancy it finds stays valid.
        self.table.reserve(room, |number| hash(pairs.get(number), tags.of(number)))?;
        let is_it = |number: u32| pairs.get(number) == pair && tags.of(number) == tag;
        match self.table.find(hash(pair, tag), is_it) {
            Ok(number) => Ok((number, false)),
            Err(vacancy) => {
                let number = self.pairs.len();
                let is_full = number >= self.most as usize;
                if is_full || room < self.table.memory() + size_of::<(u64, u16)>() as u64 {
                    return Err(OutOfMemory);
                }
                self.pairs.reserve()?;
                self.tags.push(tag, number)?;
                self.pairs.push(pair);
                self.table.occupy(vacancy, number as u32);
                Ok((number as u32, true))
            }
        }
    }
}

#[inline]
fn hash(pair: u64, tag: u16) -> u64 {
    spread(pair ^ u64::from(tag).rotate_right(16))
}

/// Spreads a pair over all bits, above all the upper ones (the finaliser of MurmurHash3, with the constants of Stafford 2011).
fn spread(pair: u64) -> u64 {
    let mut z = pair.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
