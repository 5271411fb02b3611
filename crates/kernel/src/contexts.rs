//! Contexts: how closely the steps of a system belong together, as far as its text tells.

use crate::step::Move;

/// Steps that take the same edges, by a number that [`Contexts`] gave them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StepClass(pub u32);

/// Says which steps can profit from which: two steps *interfere* if one writes what the other reads or writes. The
/// *n-th context* of a step is what at most n interferences lead to.
///
/// Built for one system and one set of errors; has working memory of its own.
pub trait Contexts {
    fn class(&mut self, moves: &[Move]) -> StepClass;

    /// The least n such that `after` is in the n-th context of `before`: 0 if both are the same, 1 if they interfere.
    /// `None`: no chain of interferences connects them.
    fn distance(&mut self, before: StepClass, after: StepClass) -> Option<u8>;

    /// Does such a step never make a part of the error condition true?
    fn is_innocent(&self, class: StepClass) -> bool;

    /// Bytes used.
    fn memory(&self) -> u64 {
        0
    }
}
