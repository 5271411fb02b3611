//! Conditions on infinite runs, as marks on steps.
//!
//! A system that speaks about infinite runs (the product with a claim) names a set of conditions
//! ([`TransitionSystem::required`](crate::TransitionSystem::required)). A cycle is *accepting* if its steps together
//! carry all of them: what the literature calls generalised Büchi acceptance on transitions. One condition belongs to
//! the claim; weak fairness adds one for each process, and runs in time can have one for time that goes on for ever.

use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use crate::step::Move;

/// A set of conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Marks([u64; WORDS]);

const WORDS: usize = 4;

impl Marks {
    pub const NONE: Marks = Marks([0; WORDS]);
    /// The condition of the claim: one of its accepting states is visited.
    pub const ACCEPT: Marks = Marks::one(0);
    /// The condition that time goes on for ever. It has the place of the first process: models with clocks know no fairness.
    pub const TIME: Marks = Marks::one(1);
    /// So many processes can have a condition: as many as a Promela model can have processes.
    pub const PROCESSES: usize = WORDS * 64 - 1;

    const fn one(bit: usize) -> Marks {
        let mut words = [0; WORDS];
        words[bit / 64] = 1 << (bit % 64);
        Marks(words)
    }

    /// The condition of a process: it moves, or it cannot.
    pub fn process(number: u16) -> Marks {
        Marks::one(1 + number as usize)
    }

    /// The conditions of all who take part in a step.
    pub fn movers(moves: &[Move]) -> Marks {
        moves.iter().fold(Marks::NONE, |all, m| all | Marks::process(m.process))
    }

    /// The conditions of the first so many processes.
    pub fn processes(count: usize) -> Marks {
        (0..count as u16).fold(Marks::NONE, |all, number| all | Marks::process(number))
    }

    pub fn is_empty(self) -> bool {
        self == Marks::NONE
    }

    /// Are all of the others among these?
    #[inline]
    pub fn include(self, others: Marks) -> bool {
        self & others == others
    }

    pub fn len(self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The conditions one by one, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = Marks> {
        (0..WORDS * 64).map(Marks::one).filter(move |one| self.include(*one))
    }
}

impl BitOr for Marks {
    type Output = Marks;

    #[inline]
    fn bitor(self, other: Marks) -> Marks {
        Marks(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

impl BitOrAssign for Marks {
    #[inline]
    fn bitor_assign(&mut self, other: Marks) {
        *self = *self | other;
    }
}

impl BitAnd for Marks {
    type Output = Marks;

    #[inline]
    fn bitand(self, other: Marks) -> Marks {
        Marks(std::array::from_fn(|word| self.0[word] & other.0[word]))
    }
}

impl Not for Marks {
    type Output = Marks;

    #[inline]
    fn not(self) -> Marks {
        Marks(self.0.map(|word| !word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_have_marks_of_their_own() {
        let all = Marks::ACCEPT | Marks::processes(Marks::PROCESSES);
        assert_eq!(all.len(), 256);
        assert!(all.include(Marks::process(254)) && !Marks::processes(3).include(Marks::process(3)));
        assert_eq!(Marks::processes(2).iter().collect::<Vec<_>>(), [Marks::process(0), Marks::process(1)]);
        assert!((!all).is_empty() && !(all & !Marks::process(70)).include(Marks::process(70)));
    }
}
