//! How the memory of a search is divided.

use bughound_search::Driver;

use crate::run::Sizes;

/// What is used if nobody sets a limit.
pub const DEFAULT_MEMORY: u64 = 1 << 30;

#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For states that were generated and wait in memory.
    pub batches: u64,
    /// For runs that were not worth a file so far.
    pub runs: u64,
    /// For the hashes of what was expanded: whose hash is there is compared later, many at once.
    pub hashes: u64,
    /// So many bits of the hashes.
    pub bits: u32,
    /// This is done where a bucket has so many times fewer states than were expanded.
    pub worth: u64,
    pub sizes: Sizes,
}

/// Going past a state that was expanded costs about a sixth of putting one aside.
const WORTH: u64 = 6;
const BITS: u32 = u64::BITS;
/// What a process comes to need that is not in proportion to its limit: stacks, buffers of files, pages of the allocator.
const LATER: u64 = 4 << 20;

impl Budget {
    /// For a search that takes over what another one has in memory, as long as it is there: what that one has left.
    pub fn while_taking_over(limit: Option<u64>) -> Self {
        let room = limit.unwrap_or(DEFAULT_MEMORY) / 12;
        let sizes = Sizes { in_memory: 0, chunk: (room / 64).clamp(4 << 10, 256 << 10) as usize };
        Budget { batches: room / 3, runs: room / 6, hashes: room / 6, bits: BITS, worth: WORTH, sizes }
    }

    /// `beside`: bytes that others hold. A tenth is left for what nobody counts, and something for what comes after the search has
    /// begun however little it may use: a search from disk must not end because of memory.
    pub fn of(driver: &mut Driver<'_>, beside: u64) -> Self {
        driver.measure(beside);
        let limit = driver.limits().memory;
        let room = limit.map_or(DEFAULT_MEMORY, |limit| limit.saturating_sub(beside + driver.uncounted()));
        let room = (room - LATER.min(room / 2)) / 10 * 9;
        let part = |percent: u64| room / 100 * percent;
        let sizes = Sizes {
            in_memory: (room / 64).clamp(1 << 10, 16 << 20) as usize,
            chunk: (room / 1024).clamp(4 << 10, 512 << 10) as usize,
        };
        Budget { batches: part(35), runs: part(15), hashes: part(50), bits: BITS, worth: WORTH, sizes }
    }
}
