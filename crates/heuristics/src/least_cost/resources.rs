//! Resources that one process at a time can hold, and how long they must still be held.
//!
//! A global variable is one if it has its initial value, *free*, whenever nobody holds it: who takes it finds it free and
//! gives it another value, in a step of its own; who holds it, and nobody else, sets it back. That this is so is seen while
//! the processes are explored ([`projection`](super::projection)): every write is one of the two. By induction over a run,
//! the variable is not free if and only if exactly one process holds it.

use bughound_ir::types::ValueType;

/// A candidate must have few values: guards are tried with each of them.
const MOST_VALUES: i64 = 16;

/// As many as a set of bits has.
pub const MOST_RESOURCES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resource {
    /// In the key.
    pub slot: u32,
    pub free: i32,
    domain: (i32, i32),
}

impl Resource {
    /// Nothing if the type has too many values.
    pub fn new(slot: u32, ty: ValueType, free: i32) -> Option<Resource> {
        let domain = ty.domain();
        let few = i64::from(domain.1) - i64::from(domain.0) <= MOST_VALUES;
        few.then_some(Resource { slot, free, domain })
    }

    /// The values that it may have while somebody holds it.
    pub fn taken(self) -> impl Iterator<Item = i32> {
        (self.domain.0..=self.domain.1).filter(move |value| *value != self.free)
    }
}

/// What a process has still to do with a resource, in units of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Before it takes it first.
    pub head: u64,
    /// While it holds it.
    pub load: u64,
    /// After it has set it free for the last time.
    pub tail: u64,
}

/// The least time in which one machine can do all of this: that of the preemptive schedule (Jackson 1955, Horn 1974; used
/// as a bound for job shops by Carlier and Pinson 1989). It is the largest, over all sets of uses, of the least head plus
/// all loads plus the least tail. Sorts the uses by head.
pub fn one_machine(uses: &mut [Use]) -> u64 {
    for i in 1..uses.len() {
        let mut at = i;
        while at > 0 && uses[at - 1].head < uses[at].head {
            uses.swap(at - 1, at);
            at -= 1;
        }
    }
    let mut best = 0;
    for last in 0..uses.len() {
        let tail = uses[last].tail;
        let mut load = 0;
        for one in uses.iter().filter(|one| one.tail >= tail) {
            load += one.load;
            best = best.max(one.head + load + tail);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    /// The preemptive schedule itself: at each moment the job with the longest tail of those that are there.
    fn simulated(uses: &[Use]) -> u64 {
        let mut left: Vec<u64> = uses.iter().map(|one| one.load).collect();
        let (mut now, mut end) = (0, 0);
        while left.iter().any(|load| *load > 0) {
            let there = (0..uses.len()).filter(|i| left[*i] > 0 && uses[*i].head <= now);
            if let Some(next) = there.max_by_key(|i| uses[*i].tail) {
                left[next] -= 1;
                end = end.max(now + 1 + uses[next].tail);
            }
            now += 1;
        }
        end
    }

    #[test]
    fn the_bound_is_the_length_of_the_preemptive_schedule() {
        let mut random = Random::new(7);
        for _ in 0..2000 {
            let mut number = |most: usize| random.below(most) as u64;
            let count = 1 + number(6);
            let mut uses: Vec<Use> =
                (0..count).map(|_| Use { head: number(9), load: 1 + number(6), tail: number(9) }).collect();
            assert_eq!(simulated(&uses), one_machine(&mut uses), "{uses:?}");
        }
    }
}
