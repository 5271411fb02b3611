//! **Hamming distance.** How much of the state differs from a known state.
//!
//! The estimate is the number of slots (variables, cells of channels, locations) whose values differ from those of the
//! goal state, or with `of=bits` the number of bits. Slots of processes that do not exist count as if they had their
//! smallest value.
//!
//! Paper: Yang, Dill 1998 (validation with guided search of the state space); Edelkamp, Leue, Lluch Lafuente 2004
//! (to shorten known error trails).
//!
//! Claims: safe, because it never reports dead ends. Not admissible: one micro step can change many slots (a receive
//! shifts a whole channel), and there may be an error nearer than the goal state.
//!
//! Cost: one comparison of two keys.
//!
//! Fails: where the goal state can be reached only by first moving away from it, as with counters that must go round.
//!
//! Example: `trail-directed(h=hamming)`; `hamming(of=bits)` tells `x == 7` nearer to `x == 6` than to `x == 8`.

use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation, TransitionSystem};

use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "hamming",
    summary: "number of variables that differ from those of the goal state",
    cite: "Yang, Dill 1998; Edelkamp, Leue, Lluch Lafuente 2004",
    params: &[Param {
        name: "of",
        summary: "what is counted",
        kind: ParamKind::Choice { options: &["slots", "bits"] },
    }],
    claims: "safe",
    build: |cx, args| {
        let goal = cx.require_goal_state("hamming")?;
        let lowest = cx.system.layout().slots.iter().map(|slot| slot.lo).collect();
        let (goal, claim) = (goal.state.key.to_vec(), goal.claim);
        Ok(Box::new(Hamming { goal, claim, lowest, bits: args.choice("of") == Some("bits") }))
    },
};

struct Hamming {
    goal: Vec<i32>,
    /// Where the claim is to be.
    claim: Option<i32>,
    /// By slot: the smallest value, which is stored as 0.
    lowest: Vec<i32>,
    bits: bool,
}

impl Heuristic for Hamming {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let key = at.state.key;
        let value = |key: &[i32], slot: usize| {
            let lowest = self.lowest.get(slot).copied().unwrap_or(0);
            // As stores pack it: without processes there are only zeros.
            key.get(slot).map_or(0, |value| value.wrapping_sub(lowest))
        };
        let claims = at.claim.into_iter().zip(self.claim).map(|(here, there)| here ^ there);
        let slots = (0..key.len().max(self.goal.len())).map(|slot| value(key, slot) ^ value(&self.goal, slot));
        let differences = claims.chain(slots);
        Estimate::Finite(if self.bits {
            differences.map(|difference| u64::from(difference.count_ones())).sum()
        } else {
            differences.filter(|difference| *difference != 0).count() as u64
        })
    }

    fn memory(&self) -> u64 {
        4 * (self.goal.len() + self.lowest.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::State;

    fn estimate(bits: bool, key: &[i32]) -> u64 {
        let mut hamming = Hamming { goal: vec![2, 7, -1], claim: None, lowest: vec![0, 0, -1, 4], bits };
        hamming.estimate(State::discrete(key).into()).finite().unwrap()
    }

    #[test]
    fn slots_and_bits() {
        assert_eq!((estimate(false, &[2, 7, -1]), estimate(true, &[2, 7, -1])), (0, 0));
        assert_eq!((estimate(false, &[2, 6, 0]), estimate(true, &[2, 6, 0])), (2, 2));
        assert_eq!((estimate(false, &[2, 8, -1]), estimate(true, &[2, 8, -1])), (1, 4));
    }

    #[test]
    fn missing_processes_count_as_zeros() {
        assert_eq!(estimate(false, &[2, 7]), 0);
        assert_eq!(estimate(false, &[2, 7, -1, 5]), 1);
        assert_eq!(estimate(false, &[2, 7, -1, 4]), 0);
    }
}
