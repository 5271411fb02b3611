//! **Cache.** Remembers the estimates of an expensive heuristic in a table that forgets whose they are.
//!
//! The table has a fixed number of entries, found by the hash of the state. An entry holds the estimate of the first state
//! that came there, and every later state with the same entry gets that estimate, right or wrong.
//!
//! Paper: Kupferschmid, Hoffmann, Dierks, Behrmann 2006 (they call it bitstate hashing and use 256 000 entries).
//!
//! Claims: safe if its part is, because dead ends are never taken from the table: a wrong one would lose an error. Never
//! admissible, since a colliding state can have a larger estimate.
//!
//! Cost: one hash; 4 bytes for each entry. Dead ends are computed each time.
//!
//! Fails: with few entries (some ten thousand) nearly all estimates are those of other states, and runs become erratic.
//!
//! Example: `greedy(h=cache(h-u))`; `cache(h-u, entries=10000000)` where memory is plentiful.

use std::hash::{DefaultHasher, Hash, Hasher};

use bughound_kernel::registry::{Param, ParamKind};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Move, Situation};

use crate::registry::Entry;

const PARAMS: &[Param] = &[
    Param {
        name: "h",
        summary: "whose estimates are remembered",
        kind: ParamKind::Nested { what: "heuristic", default: "auto" },
    },
    Param {
        name: "entries",
        summary: "size of the table",
        kind: ParamKind::Integer { default: Some(256_000), min: 1, max: 1 << 28 },
    },
];

pub(super) const ENTRY: Entry = Entry {
    name: "cache",
    summary: "remembers estimates in a table of fixed size; now and then those of other states",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: PARAMS,
    claims: "safe if its part is",
    build: |cx, args| {
        let Some(part) = args.nested("h") else { return Ok(Box::new(crate::blind::Blind)) };
        let entries = args.integer("entries").unwrap_or(1).max(1) as usize;
        Ok(Box::new(Cache { part: crate::build(part, cx)?, table: vec![EMPTY; entries] }))
    },
};

/// Larger estimates are not remembered.
const EMPTY: u32 = u32::MAX;

struct Cache<'a> {
    part: Box<dyn Heuristic + 'a>,
    table: Vec<u32>,
}

impl Heuristic for Cache<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims { admissible: false, consistent: false, ..self.part.claims() }
    }

    fn is_about_prices(&self) -> bool {
        self.part.is_about_prices()
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        // Its keys are fixed: equal runs give equal results.
        let mut hasher = DefaultHasher::new();
        at.state.hash(&mut hasher);
        if let Some(claim) = at.claim {
            claim.hash(&mut hasher);
        }
        let entry = (hasher.finish() % self.table.len() as u64) as usize;
        if self.table[entry] != EMPTY {
            return Estimate::Finite(u64::from(self.table[entry]));
        }
        let estimate = self.part.estimate(at);
        if let Some(value) = estimate.finite() {
            self.table[entry] = u32::try_from(value).unwrap_or(EMPTY);
        }
        estimate
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        self.part.estimate_without(step, at)
    }

    fn memory(&self) -> u64 {
        4 * self.table.len() as u64 + self.part.memory()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::State;

    /// The value of the first slot; a dead end if it is negative. Counts how often it is asked.
    struct Counting(std::sync::Arc<std::sync::atomic::AtomicU32>);

    impl Heuristic for Counting {
        fn claims(&self) -> HeuristicClaims {
            HeuristicClaims::CONSISTENT
        }

        fn estimate(&mut self, at: Situation<'_>) -> Estimate {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            u64::try_from(at.state.key[0]).map_or(Estimate::DeadEnd, Estimate::Finite)
        }
    }

    #[test]
    fn estimates_are_remembered_and_dead_ends_are_not() {
        let asked = std::sync::Arc::<std::sync::atomic::AtomicU32>::default();
        let mut cache = Cache { part: Box::new(Counting(std::sync::Arc::clone(&asked))), table: vec![EMPTY; 1] };
        let mut ask = |value: i32| cache.estimate(State::discrete(&[value]).into());
        assert_eq!((ask(-1), ask(-1)), (Estimate::DeadEnd, Estimate::DeadEnd));
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 2);
        // With one entry everybody gets the estimate of the first.
        assert_eq!((ask(3), ask(3), ask(8)), (Estimate::Finite(3), Estimate::Finite(3), Estimate::Finite(3)));
        assert_eq!(asked.load(std::sync::atomic::Ordering::Relaxed), 3);
        // No dead end any more: that is a loss of pruning, not of errors.
        assert_eq!(ask(-1), Estimate::Finite(3));
        assert_eq!(cache.claims(), HeuristicClaims::SAFE);
    }
}
