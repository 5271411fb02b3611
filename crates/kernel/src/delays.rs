//! Delays where threads race, for tests: a race that is lost once in a million runs is lost all the time if a thread pauses at
//! the right place. Nothing of this is in a release build.

#[cfg(debug_assertions)]
use std::sync::atomic::{AtomicU32, Ordering};

#[cfg(debug_assertions)]
static ONE_IN: AtomicU32 = AtomicU32::new(0);

/// From now on, a thread pauses at one in so many of the places that ask for it; 0: nowhere.
pub fn set(one_in: u32) {
    #[cfg(debug_assertions)]
    ONE_IN.store(one_in, Ordering::Relaxed);
    #[cfg(not(debug_assertions))]
    let _ = one_in;
}

/// A place between two operations that other threads can come between.
#[inline]
pub fn here() {
    #[cfg(debug_assertions)]
    {
        let one_in = ONE_IN.load(Ordering::Relaxed);
        if one_in != 0 {
            pause(one_in);
        }
    }
}

#[cfg(debug_assertions)]
fn pause(one_in: u32) {
    use crate::random::Random;
    use std::cell::RefCell;
    use std::hash::{BuildHasher, RandomState};
    thread_local! {
        static RANDOM: RefCell<Random> = RefCell::new(Random::new(RandomState::new().hash_one(0)));
    }
    let (pauses, long) = RANDOM.with_borrow_mut(|random| (random.one_in(one_in as usize), random.one_in(8)));
    match (pauses, long) {
        (false, _) => {}
        (true, false) => std::thread::yield_now(),
        (true, true) => std::thread::sleep(std::time::Duration::from_micros(30)),
    }
}
