//! **Distance to target locations**, `d-l` and `d-u`: the largest of the distances of the single processes to the locations
//! that the target names, or their sum; guards are ignored.
//!
//! Target locations are the conjuncts `p@l` of a condition; for failures, the locations with assertions.
//!
//! Papers: Edelkamp, Lluch Lafuente, Leue 2001 (local distances); Kupferschmid, Hoffmann, Dierks, Behrmann, "Adapting an AI
//! planning heuristic for directed model checking", SPIN 2006 (d^L and d^U).
//!
//! Claims: `d-l` consistent, `d-u` safe: a hand-shake moves two processes in one step. None if some error that counts has no
//! locations: then they say nothing about it.
//!
//! Cost: one look-up for each location of the target.
//!
//! Fails where the difficulty is in the data, or where processes have to wait for each other.
//!
//! Example: `gbfs(h=d-u)` for `P[0]@cs && P[1]@cs`, from two processes 3 and 4 steps away from `cs`: 7, and 4 for `d-l`.

use std::sync::Arc;

use bughound_finite::cost::move_weights;
use bughound_finite::cost::{INFINITE, plus};
use bughound_ir::edge::Action;
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_kernel::registry::BuildError;
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

use crate::context::BuildCx;
use crate::cost::{Combine, to_estimate};
use crate::facts::Facts;
use crate::formula::compile::{Compiler, Timeout, all};
use crate::formula::term::{Asker, Evaluator, Term, Who};
use crate::registry::Entry;

pub(super) const LARGEST: Entry = Entry {
    name: "d-l",
    summary: "largest distance of a process to its target location",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: &[],
    claims: "consistent if every error names locations",
    build: |cx, _| Ok(Box::new(LocationDistance::new(cx, "d-l", Combine::Max)?)),
};

pub(super) const SUM: Entry = Entry {
    name: "d-u",
    summary: "sum of the distances of the processes to their target locations",
    cite: "Kupferschmid, Hoffmann, Dierks, Behrmann 2006",
    params: &[],
    claims: "safe if every error names locations",
    build: |cx, _| Ok(Box::new(LocationDistance::new(cx, "d-u", Combine::Sum)?)),
};

struct LocationDistance<'a> {
    evaluator: Evaluator<'a>,
    /// By target: how to get there, and the weight of the step that fails then.
    ways: Vec<(Term, u32)>,
    /// Some error is looked for that has no locations.
    partial: bool,
}

impl<'a> LocationDistance<'a> {
    fn new(cx: &BuildCx<'a, '_>, name: &str, combine: Combine) -> Result<Self, BuildError> {
        let facts = Facts::new(cx.system);
        let evaluator = facts.evaluator(combine);
        let known = facts.constants.outside();
        let compiler = Compiler { facts: &facts, probe: &evaluator.probe, known, timeout: Timeout::False };
        let mut ways = Vec::new();
        let mut partial = cx.targets.deadlock || cx.targets.claim.is_some();
        for error in &cx.targets.conditions {
            let mut locations = Vec::new();
            conjuncts(&error.condition, error.wanted, &mut |at| locations.push(compiler.formula(at, true)));
            partial |= locations.is_empty() || (!error.wanted && facts.undefined.expr(&error.condition, None));
            if !locations.is_empty() {
                ways.push((all(locations), 0));
            }
        }
        if cx.targets.failures {
            let weights = move_weights(facts.network);
            for (template, edge) in facts.changes.edges() {
                partial |= facts.undefined.edge(template, edge) || facts.network.template(template).deterministic;
            }
            let provided = facts.network.templates.iter().filter_map(|t| t.provided.as_ref());
            partial |= provided.into_iter().count() > 0;
            for (id, edge) in facts.network.edges.iter().enumerate() {
                let mut actions = bughound_ir::analysis::actions_of(facts.network, edge);
                if actions.any(|action| matches!(action, Action::Assert { .. })) {
                    let goal = Arc::new(facts.goal(edge.from));
                    ways.push((Term::At { who: Who::Anyone, goal }, weights[id]));
                }
            }
        }
        if ways.is_empty() {
            let message = format!(
                "`{name}` needs target locations, and the errors that are looked for name none: use it for conditions \
                 such as `p@label` or for assertions"
            );
            return Err(BuildError::new(message, 0..0));
        }
        Ok(LocationDistance { evaluator, ways, partial })
    }
}

/// The locations that must be taken for the expression to have the wanted value.
fn conjuncts(expr: &Expr, wanted: bool, found: &mut dyn FnMut(&Expr)) {
    match expr {
        Expr::Unary(UnaryOp::Not, e) => conjuncts(e, !wanted, found),
        Expr::Binary(BinaryOp::And, a, b) if wanted => {
            conjuncts(a, wanted, found);
            conjuncts(b, wanted, found);
        }
        Expr::Binary(BinaryOp::Or, a, b) if !wanted => {
            conjuncts(a, wanted, found);
            conjuncts(b, wanted, found);
        }
        Expr::At { .. } if wanted => found(expr),
        _ => {}
    }
}

impl Heuristic for LocationDistance<'_> {
    fn claims(&self) -> HeuristicClaims {
        match self.evaluator.combine {
            _ if self.partial => HeuristicClaims::NONE,
            Combine::Max => HeuristicClaims::CONSISTENT,
            Combine::Sum => HeuristicClaims::SAFE,
        }
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        let key = at.state.key;
        let way = |(term, weight): &(Term, u32)| plus(self.evaluator.cost(term, key, Asker::Nobody), *weight);
        to_estimate(self.ways.iter().map(way).min().unwrap_or(INFINITE))
    }

    fn memory(&self) -> u64 {
        self.evaluator.distances.memory()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{at_start, system, try_heuristic, violation};
    use bughound_ir::targets::Targets;

    const MODEL: &str = "byte x; active proctype P() { x = 1; x = 2; x = 3; cs: x = 4 }
        active proctype Q() { x = 1; x = 2; x = 3; x = 4; cs: assert(x == 4) }";

    #[test]
    fn largest_and_sum() {
        let system = system(&format!("{MODEL} ltl p {{ [] !(P@cs && Q@cs && x == 2) }}"));
        let targets = violation(&system);
        assert_eq!((at_start(&system, &targets, "d-l"), at_start(&system, &targets, "d-u")), (Some(4), Some(7)));
        let failures = Targets::failures();
        assert_eq!((at_start(&system, &failures, "d-l"), at_start(&system, &failures, "d-u")), (Some(5), Some(5)));
    }

    #[test]
    fn without_locations_they_do_not_apply() {
        let system = system(&format!("{MODEL} ltl p {{ [] !(x == 2 && (P@cs || Q@cs)) }}"));
        for targets in [violation(&system), Targets::deadlock()] {
            let error = try_heuristic(&system, &targets, "d-u").err().unwrap();
            assert!(error.starts_with("`d-u` needs target locations"), "{error}");
        }
    }
}
