//! A small table from hashes to dense numbers, for things whose hashes are cheap to compute again.
//!
//! A line of 64 bytes, which the processor fetches as a whole, has room for twelve numbers of 32 bits, eight bits of the hash of
//! each, and how many there are. A number lies in the line that its hash points to, or, if that is full, in the next one that
//! was not. Any count of lines will do, so the table need not double when it grows: it is never less than three fifths full. What
//! it takes is 5.3 bytes for a place, and 6 to 9 bytes for a number.
//!
//! Growing computes all hashes again, in the order of the numbers. The old table is dropped before the new one is filled: both
//! never take memory at the same time.

use bughound_kernel::OutOfMemory;

/// Words of a line: numbers, bits of their hashes, how many there are.
const WORDS: usize = 16;
const NUMBERS: usize = 12;
const COUNT: usize = WORDS - 1;
const LINE: usize = WORDS * size_of::<u32>();
const SMALLEST: usize = 16;

#[derive(Debug, Default)]
pub(crate) struct NarrowTable {
    words: Box<[u32]>,
    /// Words before the first line, which begins where the processor's lines do.
    offset: usize,
    lines: usize,
    len: usize,
}

/// Where a number belongs that was not found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vacancy {
    line: usize,
    bits: u8,
}

impl NarrowTable {
    pub(crate) fn memory(&self) -> u64 {
        size_of_val(&*self.words) as u64
    }

    /// Makes room for one more number. Grows when seven eighths of the places are taken or, if there is no memory for that, when
    /// next to all are. `hash_of` gives the hashes of the numbers.
    #[inline]
    pub(crate) fn reserve(&mut self, budget: u64, hash_of: impl Fn(u32) -> u64) -> Result<(), OutOfMemory> {
        let places = self.lines * NUMBERS;
        if self.len < places / 8 * 7 {
            return Ok(());
        }
        match self.grow(budget, hash_of) {
            Err(OutOfMemory) if self.len < places / 32 * 31 => Ok(()),
            grown => grown,
        }
    }

    #[cold]
    fn grow(&mut self, budget: u64, hash_of: impl Fn(u32) -> u64) -> Result<(), OutOfMemory> {
        // If there is no room for half as many more, there may be for some.
        let wanted = [self.lines / 2, self.lines / 8].map(|more| (self.lines + more).max(SMALLEST));
        let fits = |lines: &usize| ((lines + 1) * LINE) as u64 <= budget && *lines > self.lines;
        let lines = wanted.into_iter().find(fits).ok_or(OutOfMemory)?;
        // Memory that is reserved is not used before something is written to it.
        let words: Box<[u32]> =
            bytemuck::allocation::try_zeroed_slice_box((lines + 1) * WORDS).map_err(|()| OutOfMemory)?;
        let numbers = std::mem::take(&mut self.len);
        self.offset = words.as_ptr().align_offset(LINE).min(WORDS);
        self.words = words;
        self.lines = lines;
        for number in 0..numbers as u32 {
            let vacancy = self.vacancy(hash_of(number));
            self.occupy(vacancy, number);
        }
        Ok(())
    }

    #[inline]
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.lines as u128) >> u64::BITS) as usize
    }

    #[inline]
    fn line(&self, line: usize) -> &[u32] {
        let start = self.offset + line * WORDS;
        &self.words[start..start + WORDS]
    }

    #[inline]
    fn next(&self, line: usize) -> usize {
        if line + 1 == self.lines { 0 } else { line + 1 }
    }

    /// The number with this hash for which `is_it` holds, or where to enter it. [`reserve`](Self::reserve) was called before.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Result<u32, Vacancy> {
        let bits = hash as u8;
        let mut at = self.home(hash);
        loop {
            let line = self.line(at);
            let count = line[COUNT] as usize;
            let known: &[u8] = bytemuck::cast_slice(&line[NUMBERS..COUNT]);
            for (number, theirs) in line[..count.min(NUMBERS)].iter().zip(known) {
                if *theirs == bits && is_it(*number) {
                    return Ok(*number);
                }
            }
            if count < NUMBERS {
                return Err(Vacancy { line: at, bits });
            }
            at = self.next(at);
        }
    }

    /// Where to enter a number that is certainly not there.
    fn vacancy(&self, hash: u64) -> Vacancy {
        let mut line = self.home(hash);
        while self.line(line)[COUNT] as usize == NUMBERS {
            line = self.next(line);
        }
        Vacancy { line, bits: hash as u8 }
    }

    #[inline]
    pub(crate) fn occupy(&mut self, vacancy: Vacancy, number: u32) {
        let start = self.offset + vacancy.line * WORDS;
        let line = &mut self.words[start..start + WORDS];
        let count = line[COUNT] as usize;
        line[count] = number;
        bytemuck::cast_slice_mut::<u32, u8>(&mut line[NUMBERS..COUNT])[count] = vacancy.bits;
        line[COUNT] += 1;
        self.len += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(number: u32) -> u64 {
        (u64::from(number) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn enter(
        table: &mut NarrowTable,
        number: u32,
        budget: u64,
        hash_of: impl Fn(u32) -> u64,
    ) -> Result<(), OutOfMemory> {
        table.reserve(budget, &hash_of)?;
        let vacancy = table.find(hash_of(number), |other| other == number).unwrap_err();
        table.occupy(vacancy, number);
        Ok(())
    }

    #[test]
    fn numbers_survive_growth_and_take_few_bytes() {
        let mut table = NarrowTable::default();
        for number in 0..200_000 {
            enter(&mut table, number, u64::MAX, spread).unwrap();
            assert!(number < 1_000 || table.memory() < 10 * u64::from(number), "{number}: {}", table.memory());
        }
        assert!((0..200_000).all(|number| table.find(spread(number), |other| other == number) == Ok(number)));
        assert!(table.find(spread(200_000), |other| other == 200_000).is_err());
    }

    #[test]
    fn equal_hashes_are_kept_apart_even_across_the_end() {
        let mut table = NarrowTable::default();
        for number in 0..2_000 {
            enter(&mut table, number, u64::MAX, |_| u64::MAX).unwrap();
        }
        assert!((0..2_000).all(|number| table.find(u64::MAX, |other| other == number) == Ok(number)));
    }

    #[test]
    fn a_budget_is_used_up_before_it_ends_the_search() {
        let (mut table, budget) = (NarrowTable::default(), 40 * LINE as u64);
        let mut number = 0;
        while enter(&mut table, number, budget, spread).is_ok() {
            number += 1;
        }
        assert!(table.memory() <= budget && number > 32 * NUMBERS as u32, "{number}");
        assert!((0..number).all(|number| table.find(spread(number), |other| other == number) == Ok(number)));
    }
}
