//! Delays where threads race, for tests: a race that is lost once in a million runs is lost all the time if a thread pauses at
//! the right place. Nothing of this is in a release build.

#[cfg(debug_assertions)]
thread_local! {
    static HERE: std::cell::RefCell<Option<(usize, crate::random::Random)>> = const { std::cell::RefCell::new(None) };
}

/// From now on, this thread and those that it starts for a search pause at one in so many of the places that ask for it; 0:
/// nowhere.
pub fn set(one_in: usize) {
    #[cfg(debug_assertions)]
    {
        use std::hash::{BuildHasher, RandomState};
        let random = crate::random::Random::new(RandomState::new().hash_one(0));
        HERE.set((one_in > 0).then_some((one_in, random)));
    }
    #[cfg(not(debug_assertions))]
    let _ = one_in;
}

/// What was set for this thread, for those that it starts.
pub fn get() -> usize {
    #[cfg(debug_assertions)]
    return HERE.with_borrow(|here| here.as_ref().map_or(0, |(one_in, _)| *one_in));
    #[cfg(not(debug_assertions))]
    0
}

/// A place between two operations that other threads can come between.
#[inline]
pub fn here() {
    #[cfg(debug_assertions)]
    HERE.with_borrow_mut(|here| {
        if let Some((one_in, random)) = here
            && random.one_in(*one_in)
        {
            if random.one_in(8) {
                std::thread::sleep(std::time::Duration::from_micros(30));
            } else {
                std::thread::yield_now();
            }
        }
    });
}
