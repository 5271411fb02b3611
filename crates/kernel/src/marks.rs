//! Conditions on infinite runs, as marks on steps.
//!
//! A system that speaks about infinite runs (the product with a claim) names a set of conditions
//! ([`TransitionSystem::required`](crate::TransitionSystem::required)). A cycle is *accepting* if its steps together
//! carry all of them: what the literature calls generalised Büchi acceptance on transitions. One condition belongs to
//! the claim; weak fairness adds one for each process.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

/// A set of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Marks(u128);

impl Marks {
    pub const NONE: Marks = Marks(0);
    /// The condition of the claim: one of its accepting states is visited.
    pub const ACCEPT: Marks = Marks(1);
    /// So many processes can have a condition.
    pub const PROCESSES: usize = 127;

    /// The condition of a process: it moves, or it cannot.
    pub fn process(number: u16) -> Marks {
        debug_assert!((number as usize) < Marks::PROCESSES);
        Marks(2 << number)
    }

    /// The conditions of the first so many processes.
    pub fn processes(count: usize) -> Marks {
        (0..count as u16).fold(Marks::NONE, |all, number| all | Marks::process(number))
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Are all of the others among these?
    #[inline]
    pub fn include(self, others: Marks) -> bool {
        self.0 & others.0 == others.0
    }

    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// The conditions one by one, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Marks> {
        (0..u128::BITS).map(|bit| Marks(1 << bit)).filter(move |one| self.include(*one))
    }

    /// As words of a state key, low bits first; see [`from_words`](Self::from_words).
    pub fn to_words(self) -> [i32; 4] {
        [0, 32, 64, 96].map(|shift| (self.0 >> shift) as u32 as i32)
    }

    pub fn from_words(words: [i32; 4]) -> Marks {
        let word = |at: usize| u128::from(words[at] as u32) << (32 * at);
        Marks(word(0) | word(1) | word(2) | word(3))
    }
}

impl BitOr for Marks {
    type Output = Marks;

    #[inline]
    fn bitor(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }
}

impl BitOrAssign for Marks {
    #[inline]
    fn bitor_assign(&mut self, other: Marks) {
        self.0 |= other.0;
    }
}

impl BitAnd for Marks {
    type Output = Marks;

    #[inline]
    fn bitand(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }
}

impl Not for Marks {
    type Output = Marks;

    #[inline]
    fn not(self) -> Marks {
        Marks(!self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_marks_of_their_own() {
        let all = Marks::ACCEPT | Marks::processes(Marks::PROCESSES);
        assert_eq!(all.len(), 128);
        assert!(all.include(Marks::process(126)) && !Marks::processes(3).include(Marks::process(3)));
        assert_eq!(Marks::processes(2).iter().collect::<Vec<_>>(), [Marks::process(0), Marks::process(1)]);
        let some = Marks::ACCEPT | Marks::process(40) | Marks::process(126);
        assert_eq!(Marks::from_words(some.to_words()), some);
    }
}
