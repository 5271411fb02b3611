//! Supervision of long work that is no search: the building of a heuristic.

use std::cell::Cell;

/// Wants to know that work goes on, and may end it.
pub trait Watch {
    /// Is told of work done since the last call, in units of very roughly a microsecond, and of the bytes that are held now.
    /// False: the work should end at once, with what it has. Once false, it stays so.
    fn go_on(&self, work: u64, bytes: u64) -> bool;
}

/// Nobody watches: the work takes as long as it takes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn go_on(&self, _work: u64, _bytes: u64) -> bool {
        true
    }
}

/// Ends a part of the work after so many units, besides whoever watches over all of it. Unlike a clock, it ends the same
/// work at the same point every time.
pub struct Ration<'w> {
    watch: &'w dyn Watch,
    left: Cell<u64>,
}

impl<'w> Ration<'w> {
    pub fn new(watch: &'w dyn Watch, units: u64) -> Ration<'w> {
        Ration { watch, left: Cell::new(units) }
    }

    /// The units that are left.
    pub fn left(&self) -> u64 {
        self.left.get()
    }
}

impl Watch for Ration<'_> {
    fn go_on(&self, work: u64, bytes: u64) -> bool {
        self.left.set(self.left.get().saturating_sub(work));
        self.watch.go_on(work, bytes) && self.left.get() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ration_ends_a_part_of_the_work() {
        let whole = Ration::new(&Unwatched, 10);
        let part = Ration::new(&whole, 4);
        assert!(part.go_on(3, 0));
        assert!(!part.go_on(1, 0) && !part.go_on(0, 0));
        assert!(whole.go_on(5, 0));
        assert_eq!((part.left(), whole.left()), (0, 1));
        assert!(!Ration::new(&whole, 100).go_on(1, 0));
    }
}
