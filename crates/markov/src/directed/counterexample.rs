//! From a part in which a bound is passed to a small subsystem in which it is passed for certain.

use dashu_ratio::RBig;

use super::chain::Chain;
use super::decide::{Objective, When, probability};
use super::part::Part;
use super::smallest::Prover;
use super::subsystem::Minimiser;
use super::ways::Ways;
use crate::answer::{Answer, Extreme};
use crate::effort::{Effort, ExactLimits, Failure};
use crate::numbers::Interval;

/// Work that goes into a small subsystem: passes over a chain, times its size.
const WORK: usize = 3_000_000;
const FEWEST_PASSES: usize = 60;
const MOST_PASSES: usize = 5_000;
/// Subsystems that are computed for certain on the way.
const CHECKS: usize = 80;
/// The same within a bound on steps or time, where each takes as many sweeps as there are steps.
const CHECKS_WITHIN: usize = 40;

/// Operations on fractions for one of them.
const EXACT_OPERATIONS: u64 = 200_000;

/// What a probability has to pass: more than the bound, or at least as much.
#[derive(Clone, Debug, PartialEq)]
pub struct Beyond {
    pub bound: RBig,
    pub or_equal: bool,
}

impl Beyond {
    fn is_passed(&self, value: &RBig) -> bool {
        *value > self.bound || self.or_equal && *value == self.bound
    }

    /// By all values between these two, by none, or nobody knows.
    fn is_passed_by(&self, answer: &Answer) -> Option<bool> {
        if let Some(exact) = answer.values.exact(0).and_then(|exact| exact.finite()) {
            return Some(self.is_passed(exact));
        }
        let between = answer.values.interval(0);
        let end = |value: f64| RBig::try_from(value).is_ok_and(|value| self.is_passed(&value));
        let (low, high) = (end(between.lower), end(between.upper));
        (low == high).then_some(low)
    }
}

/// A proof that there are no smaller subsystems is wanted.
#[derive(Clone, Copy)]
pub struct Proof<'a> {
    /// Asked every now and then; true ends it with what is known.
    pub stop: &'a dyn Fn() -> bool,
    /// Steps that may be looked at.
    pub work: u64,
}

impl Proof<'_> {
    /// Some ten seconds.
    pub const WORK: u64 = 1_500_000_000;
}

/// Few states in which a bound is passed.
pub struct Subsystem {
    pub chain: Chain,
    /// By state of the chain.
    pub within: Vec<bool>,
    /// The probability of all ways inside, of the start (state 0).
    pub answer: Answer,
    /// No subsystem has fewer states, if a proof was wanted: of the whole model, with these choices in a decision process.
    pub at_least: Option<usize>,
}

impl Subsystem {
    /// States of the chain that are inside.
    pub fn states(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.chain.len()).filter(|&state| self.within[state])
    }
}

/// A small subsystem around ways from a state that pass a bound; nothing if all ways that are known do not. With a proof, it is as
/// small as possible if everything is known and the proof is not too long.
pub fn subsystem(
    part: &Part,
    from: u32,
    ways: &Ways<'_>,
    when: &When,
    beyond: &Beyond,
    proof: Option<Proof<'_>>,
    effort: &Effort,
) -> Result<Option<Subsystem>, Failure> {
    let chain = Chain::new(part, from, ways);
    let objective = Objective { extreme: Extreme::Max, when: when.clone() };
    let ask = |within: &[bool], effort: &Effort| {
        let (inner, ends) = chain.inner_and_ends(within);
        probability(&chain.model(part, within), &objective, &inner, &ends, effort)
    };
    let quick = effort.approximate(1e-9);
    let exact = Effort { exact: ExactLimits::UNLIMITED, ..*effort };
    // On the way, no answer that takes long is worth it: the subsystem stays larger then.
    let soon = Effort { exact: ExactLimits { operations: EXACT_OPERATIONS, ..ExactLimits::UNLIMITED }, ..*effort };
    let judged = |within: &[bool]| -> Result<Option<bool>, Failure> {
        // Any way at all passes nothing.
        if beyond.bound.is_zero() && *when == When::Ever {
            return Ok(Some(beyond.or_equal || chain.has_way(within)));
        }
        match beyond.is_passed_by(&ask(within, &quick)?) {
            Some(is_passed) => Ok(Some(is_passed)),
            // On the bound, as far as one can see. Within a bound on time nobody knows better.
            None => Ok(beyond.is_passed_by(&ask(within, &soon)?)),
        }
    };
    let passes = |within: &[bool]| Ok(judged(within)?.unwrap_or(false));
    let mut minimiser = Minimiser {
        chain: &chain,
        bound: beyond.bound.to_f64().value(),
        passes,
        effort: (WORK / chain.size().max(1)).clamp(FEWEST_PASSES, MOST_PASSES),
        checks: if *when == When::Ever { CHECKS } else { CHECKS_WITHIN },
    };
    // A bound of 0 that may not even be met is missed by the start alone.
    let is_nothing_needed = beyond.or_equal && beyond.bound.is_zero();
    let mut within = match if is_nothing_needed { Some(chain.start_only()) } else { minimiser.run()? } {
        Some(within) => within,
        // All of it, if that passes after all.
        None if beyond.is_passed_by(&ask(&vec![true; chain.len()], &exact)?) == Some(true) => vec![true; chain.len()],
        None => return Ok(None),
    };
    let at_least = match proof {
        None => None,
        Some(Proof { stop, work }) => {
            let bound = Interval::around(&beyond.bound).lower;
            // Subsystems of the whole model may go through what is not known.
            let hopeful = Chain::new(part, from, &ways.hopefully(part));
            Some(match hopeful.states.iter().any(|&state| part.is_frontier(state as usize)) {
                true => {
                    let passes = |_: &[bool]| Ok::<Option<bool>, Failure>(None);
                    let enough = within.iter().filter(|is_in| **is_in).count();
                    let prover = Prover { chain: &hopeful, bound, passes, stop, work, enough };
                    prover.run(vec![true; hopeful.len()])?.at_least
                }
                false => {
                    let prover = Prover { chain: &chain, bound, passes: judged, stop, work, enough: usize::MAX };
                    let found = prover.run(within)?;
                    within = found.within;
                    found.at_least
                }
            })
        }
    };
    let mut answer = ask(&within, effort)?;
    if beyond.is_passed_by(&answer) != Some(true) {
        answer = ask(&within, &quick)?;
    }
    if beyond.is_passed_by(&answer) != Some(true) {
        answer = ask(&within, &exact)?;
    }
    Ok(Some(Subsystem { chain, within, answer, at_least }))
}
