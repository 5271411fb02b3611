//! Open lists: which state is expanded next.
//!
//! An open list may hold a state several times; the engine recognises entries that are out of date. So no list needs to
//! change the key of an entry.

mod alternation;
mod beam;
mod bucket_queue;
mod enforced;
mod guided_queue;
mod heap;
mod multi_queue;
mod stack;
mod type_buckets;

pub use alternation::{Alternation, Lane};
pub use beam::{Beam, BeamShape, Levels, PerState, Rest};
pub use bucket_queue::{BucketQueue, TieBreak};
pub use enforced::Enforced;
pub use guided_queue::{GuidedQueue, Ties};
pub use heap::Heap;
pub use multi_queue::MultiQueue;
pub use stack::{ChildOrder, Stack};
pub use type_buckets::TypeBuckets;

use bughound_kernel::{OutOfMemory, StateId};

use crate::result::QueueAccess;
use crate::saving::Snapshot;

/// States that wait, ordered by keys of type `K`: smaller keys first, unless the list says otherwise.
pub trait OpenList<K>: Snapshot {
    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory>;

    fn pop(&mut self) -> Option<(K, StateId)>;

    /// Is there something that comes before whatever is pushed with this key or a higher one? Then it makes no difference if that is
    /// pushed before or after the next one is popped.
    fn is_before(&mut self, _key: K) -> bool {
        false
    }

    /// Everything pushed since the last call stems from one expansion.
    fn end_of_expansion(&mut self) {}

    fn len(&self) -> usize;

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes used.
    fn memory(&self) -> u64;

    /// True if an entry was thrown away: then a search without result proves nothing.
    fn has_lost_entries(&self) -> bool {
        false
    }

    /// For lists of several queues: how often each was used.
    fn accesses(&self) -> Vec<QueueAccess> {
        Vec::new()
    }
}

/// A key that belongs to a level: where the order matters, the states of a level may be expanded in any order, and all of them
/// before those of a higher one.
pub trait Level {
    fn level(&self) -> u64;
}

/// An open list of which several threads can each have one, and take states from each other's.
pub trait Divisible<K>: OpenList<K> + Send {
    /// The key that comes next, and how many states there are about as good as that.
    fn front(&mut self) -> Option<(K, usize)>;

    /// How many of the states that come next are equals: nobody minds if others that are pushed come before them. 0 if that is
    /// not known.
    fn equals(&mut self) -> usize {
        0
    }
}
