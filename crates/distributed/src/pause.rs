//! A moment at which nothing is under way between workers: then all of them can be saved, and go on in another dataflow.
//!
//! Somebody asks for it. Each worker that notices *stands*: it expands nothing any more, but still holds what it held, so the others
//! see the same frontier as before. When all workers of all processes stand, they are told to *rest*: each sends what is left to
//! be sent and gives up its moment. What is under way then still comes in and is opened. The frontier is empty when nothing is on its
//! way any more, for all of them: that ends the dataflow as the end of a search does. What is open by then tells the two apart.
//!
//! A worker that does not stand never sees a frontier that those who rest have left: it would be too high.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How far the workers of a process are with a pause.
#[derive(Debug, Default)]
pub struct Pause {
    asked: AtomicBool,
    standing: AtomicUsize,
    rests: AtomicBool,
}

impl Pause {
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Release);
    }

    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// A worker has noticed.
    pub fn stand(&self) {
        self.standing.fetch_add(1, Ordering::AcqRel);
    }

    pub fn standing(&self) -> usize {
        self.standing.load(Ordering::Acquire)
    }

    /// All workers of all processes stand.
    pub fn rest(&self) {
        self.rests.store(true, Ordering::Release);
    }

    pub fn rests(&self) -> bool {
        self.rests.load(Ordering::Acquire)
    }

    /// The dataflow is over.
    pub fn forget(&self) {
        self.asked.store(false, Ordering::Release);
        self.standing.store(0, Ordering::Release);
        self.rests.store(false, Ordering::Release);
    }
}
