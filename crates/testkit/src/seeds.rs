//! Work for many seeds, on two threads.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Does the work for every seed; `take` gets the results one at a time, in the order in which they are ready.
pub fn in_parallel<R>(seeds: Range<u64>, work: impl Fn(u64) -> R + Sync, take: impl FnMut(u64, R) + Send) {
    let next = AtomicU64::new(seeds.start);
    let take = Mutex::new(take);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end {
                        return;
                    }
                    let result = work(seed);
                    let mut take = take.lock().expect("no thread has panicked");
                    take(seed, result);
                }
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_seed_has_its_turn_once() {
        let mut taken = Vec::new();
        in_parallel(3..100, |seed| seed * seed, |seed, square| taken.push((seed, square)));
        taken.sort_unstable();
        assert_eq!(taken, (3..100).map(|seed| (seed, seed * seed)).collect::<Vec<_>>());
        in_parallel(5..5, |_| (), |_, ()| panic!("there is no seed"));
    }
}
