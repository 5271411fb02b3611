//! Packed states by number, written by several threads.
//!
//! Each thread takes numbers from blocks of its own, and writes a state before anybody else can know its number: whoever
//! learns the number from the table of a store, or from somebody who has learnt it there, reads what was written. A number
//! whose state turned out to be known is used for the next state.
//!
//! If the first state takes as many words as states can have, every state gets so many. Otherwise states of different lengths lie
//! one after the other in regions, each of which belongs to one thread, and an index of 4 bytes for each state says where.

#![allow(unsafe_code)]

use std::cell::UnsafeCell;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use bughound_kernel::{Growing, OutOfMemory};

use crate::prefetch::prefetch;

/// Numbers that a thread takes at once, at least.
const BLOCK: u32 = 256;
/// It takes so many blocks at most: where what two threads write lies close together, the processor of the one fetches, ahead of
/// need, what the other one is writing.
const MOST_BLOCKS_AT_ONCE: u32 = 32;
/// And no more than this part of all blocks.
const PART_AT_ONCE: u32 = 16;
/// Words of a region, at least.
const REGION: usize = 1 << 12;
/// A region holds so many of the longest states, at least.
const LONGEST_IN_REGION: usize = 16;
/// States of different lengths begin at even words: an index of 32 bits then reaches 32 GiB.
const STEP: usize = 2;

#[derive(Debug)]
pub(crate) struct PackedStates {
    max_words: usize,
    /// There are numbers for so many blocks.
    most_blocks: u32,
    places: OnceLock<Places>,
    blocks: AtomicU32,
    regions: AtomicU32,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them for each store")]
enum Places {
    Uniform(Growing<Word>),
    /// By number: the place of the first word, in steps; the words, in regions.
    Indexed {
        starts: Growing<AtomicU32>,
        words: Growing<Word>,
        region: usize,
    },
}

/// Where a thread writes next.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    next: u32,
    /// The end of the block.
    end: u32,
    /// The region, and how much of it is left.
    region: u32,
    left: usize,
    /// Words of the state that is written and not kept so far.
    written: usize,
}

impl PackedStates {
    /// `max_words`: the longest state.
    pub(crate) fn new(max_words: usize) -> Self {
        // The last numbers mean other things elsewhere.
        Self::limited(max_words, u32::MAX - BLOCK)
    }

    /// The same with numbers for so few states, in whole blocks.
    pub(crate) fn limited(max_words: usize, most: u32) -> Self {
        let (blocks, regions) = (AtomicU32::new(0), AtomicU32::new(0));
        PackedStates { max_words, most_blocks: most / BLOCK, places: OnceLock::new(), blocks, regions }
    }

    pub(crate) fn memory(&self) -> u64 {
        match self.places.get() {
            None => 0,
            Some(Places::Uniform(words)) => words.memory(),
            Some(Places::Indexed { starts, words, .. }) => starts.memory() + words.memory(),
        }
    }

    /// All numbers that threads have taken are below this.
    pub(crate) fn end(&self) -> u32 {
        self.blocks.load(Ordering::Relaxed).min(self.most_blocks).saturating_mul(BLOCK)
    }

    fn places(&self, first: &[u32]) -> &Places {
        self.places.get_or_init(|| {
            if first.len() == self.max_words {
                return Places::Uniform(Growing::of_rows(self.max_words));
            }
            let region = REGION.max((LONGEST_IN_REGION * self.max_words).next_power_of_two());
            Places::Indexed { starts: Growing::default(), words: Growing::of_rows(region), region }
        })
    }

    /// Writes a state, if that takes no more than `room` bytes, and gives it a number, which nobody knows until the writer
    /// [keeps](Writer::keep) it. How much room there is, is asked only where it matters.
    pub(crate) fn write(
        &self,
        writer: &mut Writer,
        state: &[u32],
        room: impl FnOnce() -> u64,
    ) -> Result<u32, OutOfMemory> {
        if writer.next == writer.end {
            let wanted = (self.blocks.load(Ordering::Relaxed) / PART_AT_ONCE).clamp(1, MOST_BLOCKS_AT_ONCE);
            let first = self.blocks.fetch_add(wanted, Ordering::Relaxed);
            if first >= self.most_blocks {
                self.blocks.store(self.most_blocks, Ordering::Relaxed);
                return Err(OutOfMemory);
            }
            let end = (first + wanted).min(self.most_blocks);
            (writer.next, writer.end) = (first * BLOCK, end * BLOCK);
        }
        let number = writer.next;
        let place = match self.places(state) {
            Places::Uniform(words) => match words.row(number) {
                Some(row) => row,
                None => {
                    take_room(words.room_for(number), room())?;
                    words.reserve(number)?
                }
            },
            Places::Indexed { starts, words, region } => {
                let length = state.len().next_multiple_of(STEP);
                if writer.left < length {
                    let next = self.regions.fetch_add(1, Ordering::Relaxed);
                    let steps = (u64::from(next) + 1) * (*region / STEP) as u64;
                    if steps > u64::from(u32::MAX) {
                        self.regions.fetch_sub(1, Ordering::Relaxed);
                        return Err(OutOfMemory);
                    }
                    (writer.region, writer.left) = (next, *region);
                }
                take_room(words.room_for(writer.region) + starts.room_for(number), room())?;
                let at = *region - writer.left;
                let start = writer.region as usize * (*region / STEP) + at / STEP;
                starts.reserve(number)?[0].store(start as u32, Ordering::Relaxed);
                writer.written = length;
                &words.reserve(writer.region)?[at..]
            }
        };
        for (word, value) in place.iter().zip(state) {
            // SAFETY: nobody else knows the number so far, so nobody reads or writes here.
            unsafe { word.0.get().write(*value) };
        }
        Ok(number)
    }

    /// The words of a state, and perhaps others behind them that somebody is about to write. Nothing if it was never written.
    #[inline]
    fn place(&self, number: u32) -> &[Word] {
        let words = match self.places.get() {
            None => None,
            Some(Places::Uniform(words)) => words.row(number),
            Some(Places::Indexed { starts, words, region }) => starts.get(number).and_then(|start| {
                let start = start.load(Ordering::Relaxed) as usize * STEP;
                words.row((start >> region.ilog2()) as u32)?.get(start & (region - 1)..)
            }),
        };
        words.unwrap_or_default()
    }

    /// A state will be compared with another one in a moment. Where an index says where it lies, reading that would be to wait.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        if let Some(Places::Uniform(words)) = self.places.get()
            && let Some(first) = words.get(number)
        {
            prefetch(first);
        }
    }

    /// The words of a state that was written. `length` tells from the first one how many there are.
    #[inline]
    pub(crate) fn words(&self, number: u32, length: impl Fn(u32) -> usize) -> &[u32] {
        let place = self.place(number);
        let Some(first) = place.first() else { return &[] };
        // SAFETY: as below.
        let length = length(unsafe { first.0.get().read() });
        match place.get(..length) {
            // SAFETY: these are the words of one state. They were written before anybody could know its number: by this thread, or
            // by another one before the number was published. Nobody writes them again.
            Some(own) => unsafe { &*(std::ptr::from_ref(own) as *const [u32]) },
            None => &[],
        }
    }

    /// Is this the state with that number? The first word of a state tells how many words it has.
    #[inline]
    pub(crate) fn is(&self, number: u32, state: &[u32]) -> bool {
        let known = self.words(number, |first| if state.first() == Some(&first) { state.len() } else { 0 });
        // Most states are short and, because their hashes are the same, equal: no call, and no look for the first difference.
        known.len() == state.len()
            && known.iter().zip(state).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
    }
}

/// A word that is written before anybody else knows of it, and never afterwards.
#[derive(Debug, Default)]
#[repr(transparent)]
struct Word(UnsafeCell<u32>);

// SAFETY: only the thread that has taken a number writes the words of its state, before it publishes the number; others read them
// after they have learnt the number. See `PackedStates::words`.
unsafe impl Sync for Word {}

impl Writer {
    /// Numbers that were taken and not used so far.
    pub(crate) fn unused(&self) -> Range<u32> {
        self.next..self.end
    }

    /// The state written last is there to stay: the next one gets another number.
    #[inline]
    pub(crate) fn keep(&mut self) {
        self.next += 1;
        self.left -= std::mem::take(&mut self.written);
    }
}

fn take_room(needed: u64, room: u64) -> Result<(), OutOfMemory> {
    if needed > room { Err(OutOfMemory) } else { Ok(()) }
}
