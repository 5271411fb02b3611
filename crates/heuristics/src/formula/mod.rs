//! **Formula.** Steps until a formula holds, computed from its structure: the violation of an invariant, the state to be
//! reached, "some process is about to fail", a deadlock, or the guards on the way of a never claim to its end.
//!
//! A false atom costs one step, a conjunction the sum (or the maximum) of its parts, a disjunction the cheapest part, a
//! location the local distance to it, a counter the number of times that it must be counted. The table is in `compile.rs`.
//! Several errors: the cheapest.
//!
//! Papers: Edelkamp, Lluch Lafuente, Leue, "Directed explicit model checking with HSF-SPIN", SPIN 2001 (Table 3, H_f);
//! Edelkamp, Leue, Lluch Lafuente, "Directed explicit-state model checking in the validation of communication protocols",
//! STTT 5 (2004).
//!
//! Claims: safe. With `combine=max` consistent: every part is a lower bound and falls by at most the weight of a step. With
//! `sum` not admissible: one step can serve several conjuncts.
//!
//! Cost: one look at the atoms of the formula; for failures the nearest few assertions of each process.
//!
//! Fails where atoms do not tell how far away they are: `x == y`, arithmetic, flags set at the end of long computations.
//! With `max` evaluation errors count as failures wherever they cannot be ruled out, and estimates shrink accordingly.
//!
//! Example: `astar(h=formula(combine=max))`; for `P[0]@cs && P[1]@cs` the larger of two distances in control-flow graphs.

mod claim;
pub(crate) mod compile;
mod counter;
mod failures;
pub(crate) mod term;

#[cfg(test)]
mod tests;

use bughound_finite::cost::{Cost, INFINITE};
use bughound_ir::targets::ErrorCondition;
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::deadlock_formula::{Blocking, Danger, Rest};
use crate::facts::Facts;
use crate::registry::Entry;
use claim::ClaimAutomaton;
use compile::{Compiler, Timeout, any};
use failures::Failures;
use term::{Asker, Evaluator, Term};

pub(super) const ENTRY: Entry = Entry {
    name: "formula",
    summary: "steps until the error condition holds, from the structure of its formula",
    cite: "Edelkamp, Lluch Lafuente, Leue 2001",
    params: &[Combine::PARAM],
    claims: "safe; consistent with combine=max",
    build: |cx, args| Ok(Box::new(Formula::new(cx, Combine::of(args), cx.targets.deadlock))),
};

pub struct Formula<'a> {
    evaluator: Evaluator<'a>,
    conditions: Vec<Term>,
    failures: Option<Failures>,
    claim: Option<(ClaimAutomaton, Rest)>,
    deadlock: Option<Blocking>,
}

impl<'a> Formula<'a> {
    /// For the errors of `cx`; deadlocks only if told so.
    pub fn new(cx: &BuildCx<'a, '_>, combine: Combine, deadlock: bool) -> Self {
        let facts = Facts::new(cx.system);
        let evaluator = facts.evaluator(combine);
        let probe = &evaluator.probe;
        let danger = if combine == Combine::Max { Danger::Inferred } else { Danger::Labels };
        let conditions = cx.targets.conditions.iter().map(|wanted| condition(&facts, &evaluator, wanted)).collect();
        let claim = cx
            .targets
            .claim
            .map(|claim| (ClaimAutomaton::new(&facts, probe, claim, &cx.targets.accepting), Rest::new(&facts, probe)));
        Formula {
            conditions,
            failures: cx.targets.failures.then(|| Failures::new(&facts, probe)),
            claim,
            deadlock: deadlock.then(|| Blocking::new(&facts, probe, danger)),
            evaluator,
        }
    }

    fn has_targets(&self) -> bool {
        !self.conditions.is_empty() || self.failures.is_some() || self.claim.is_some() || self.deadlock.is_some()
    }

    fn claim_cost(&mut self, claim_at: i32, key: &[i32]) -> Cost {
        let Some((claim, rest)) = &mut self.claim else { return INFINITE };
        let cost = claim.cost(&self.evaluator, claim_at, key);
        if self.evaluator.combine == Combine::Sum || cost == INFINITE {
            return cost;
        }
        cost.min(rest.cost(&mut self.evaluator, key))
    }
}

/// An erroneous condition; one without a value counts as false.
fn condition(facts: &Facts<'_>, evaluator: &Evaluator<'_>, error: &ErrorCondition) -> Term {
    let probe = &evaluator.probe;
    let compiler = Compiler { facts, probe, known: facts.constants.outside(), timeout: Timeout::False };
    let holds = compiler.formula(&error.condition, error.wanted);
    if error.wanted || !facts.undefined.expr(&error.condition, None) {
        return holds;
    }
    any(vec![holds, Term::Undefined(probe.compile(&error.condition))])
}

impl Heuristic for Formula<'_> {
    fn claims(&self) -> HeuristicClaims {
        match self.evaluator.combine {
            Combine::Max => HeuristicClaims::CONSISTENT,
            Combine::Sum => HeuristicClaims::SAFE,
        }
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        if !self.has_targets() {
            return Estimate::ZERO;
        }
        let key = at.state.key;
        let mut best = INFINITE;
        for term in &self.conditions {
            best = best.min(self.evaluator.cost(term, key, Asker::Nobody));
        }
        if best > 0
            && let Some(claim) = at.claim
        {
            best = best.min(self.claim_cost(claim, key));
        }
        if best > 0
            && let Some(failures) = &mut self.failures
        {
            best = best.min(failures.cost(&self.evaluator, key));
        }
        if best > 0
            && let Some(deadlock) = &mut self.deadlock
        {
            best = best.min(deadlock.cost(&mut self.evaluator, key));
        }
        to_estimate(best)
    }

    fn memory(&self) -> u64 {
        let failures = self.failures.as_ref().map_or(0, Failures::memory);
        let deadlock = self.deadlock.as_ref().map_or(0, Blocking::memory);
        failures + deadlock + self.evaluator.distances.memory()
    }
}
