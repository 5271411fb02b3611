//! Who owns a state: a hash of its key, kept up to date from step to step.
//!
//! Zobrist hashing (Zobrist 1970; for distributed A\*: Kishimoto, Fukunaga, Botea 2009, "Scalable, parallel best-first search
//! for optimal sequential planning"): each value of each slot has a number that looks random, and the hash is their sum. A step
//! that says what it changes costs as many additions as it changes slots. States with the same key have the same owner whatever
//! their covers are, so that one cover is compared with all others of its key.
//!
//! Claims: the shares of the owners differ by chance only. Cost: linear in the slots of a key, or in what a step changes.

use bughound_kernel::{Changes, Step};

/// Assigns keys to owners.
#[derive(Clone, Copy, Debug)]
pub struct Owners {
    owners: u32,
}

/// The hash of a key, before its last mixing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySum(u64);

#[inline]
fn mixed(mut value: u64) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea, Flood 2014).
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[inline]
fn part(slot: usize, value: i32) -> u64 {
    mixed((((slot as u64 + 1) << 32) | u64::from(value as u32)).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

impl KeySum {
    pub fn of(key: &[i32]) -> KeySum {
        KeySum(key.iter().enumerate().fold(0, |sum, (slot, value)| sum.wrapping_add(part(slot, *value))))
    }

    /// For other tables.
    #[inline]
    pub fn mixed(self) -> u64 {
        mixed(self.0)
    }

    /// Of the key to which a step leads that starts at the key with this sum.
    #[inline]
    pub fn after(self, from: &[i32], step: &Step<'_>, to: &[i32]) -> KeySum {
        match &step.changes {
            // Another slice: what the step says is about another key.
            Some(Changes { from: known, slots }) if std::ptr::eq(*known, from) && to.len() == from.len() => {
                let change = |sum: u64, slot: &u32| {
                    let slot = *slot as usize;
                    sum.wrapping_sub(part(slot, from[slot])).wrapping_add(part(slot, to[slot]))
                };
                KeySum(slots.iter().fold(self.0, change))
            }
            _ => KeySum::of(to),
        }
    }
}

impl Owners {
    pub fn new(owners: usize) -> Self {
        Owners { owners: owners as u32 }
    }

    #[inline]
    pub fn of(self, sum: KeySum) -> usize {
        (((mixed(sum.0) >> 32) * u64::from(self.owners)) >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::{Marks, Outcome, Price, Random, State};

    #[test]
    fn what_a_step_changes_is_enough() {
        let mut random = Random::new(1);
        let mut counts = [0_u32; 3];
        for _ in 0..3000 {
            let from: Vec<i32> = (0..5).map(|_| random.below(4) as i32 - 1).collect();
            let mut to = from.clone();
            let slots = [random.below(5) as u32, random.below(5) as u32];
            let slots = if slots[0] == slots[1] { &slots[..1] } else { &slots[..] };
            slots.iter().for_each(|slot| to[*slot as usize] = random.below(4) as i32 - 1);
            let elsewhere = from.clone();
            for known in [&from, &elsewhere] {
                let step = Step {
                    moves: &[],
                    choice: 0,
                    probability: 1.0,
                    weight: 1,
                    price: Price::NONE,
                    marks: Marks::NONE,
                    outcome: Outcome::State(State::discrete(&to)),
                    changes: Some(Changes { from: known, slots }),
                };
                assert_eq!(KeySum::of(&from).after(&from, &step, &to), KeySum::of(&to));
            }
            counts[Owners::new(3).of(KeySum::of(&to))] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
    }
}
