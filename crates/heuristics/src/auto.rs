//! **Auto.** The usual choice for the errors that count: [active processes](crate::active_processes) for deadlocks, the
//! [formula](crate::formula) heuristic for everything else, the least of them if there are several. Where a model has no
//! assertions, what can fail is the evaluation of expressions, here and there and everywhere: then deadlocks alone guide.
//!
//! Where prices count, it is the larger of [least-cost](crate::least_cost) and what the model says that
//! [remains](crate::hints) to be paid.
//!
//! Claims: safe. With `admissible=true` it is `formula(combine=max)`, which is consistent, for all errors.
//!
//! Cost and weaknesses are those of what is chosen.
//!
//! Example: `greedy` is short for `greedy(h=auto)`, `astar` for `astar(h=auto(admissible=true))`.

use bughound_ir::analysis::actions_of;
use bughound_ir::edge::Action;
use bughound_ir::network::Network;
use bughound_kernel::registry::{Expression, Param, ParamKind, expression};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Situation};

use crate::active_processes::ActiveProcesses;
use crate::context::BuildCx;
use crate::cost::Combine;
use crate::formula::Formula;
use crate::registry::Entry;

pub(super) const ENTRY: Entry = Entry {
    name: "auto",
    summary: "the usual choice: active-processes for deadlocks, formula for other errors, least-cost where prices count",
    cite: "",
    params: &[Param {
        name: "admissible",
        summary: "never estimate too much, so that shortest traces are found",
        kind: ParamKind::Flag { default: false },
    }],
    claims: "safe; consistent with admissible=true; admissible where prices count",
    build: |cx, args| match bound_of_prices(cx) {
        Some(bound) => crate::build(&bound, cx),
        None => Ok(choose(cx, args.flag("admissible") == Some(true))),
    },
};

/// The bounds of costs that there are.
fn bound_of_prices(cx: &BuildCx<'_, '_>) -> Option<Expression> {
    let pricing = cx.system.network().pricing.as_ref().filter(|_| cx.targets.prices)?;
    let text = if pricing.remaining.is_some() { "max(least-cost, remaining)" } else { "least-cost" };
    expression::parse(text).ok()
}

fn choose<'a>(cx: &BuildCx<'a, '_>, admissible: bool) -> Box<dyn Heuristic + 'a> {
    let targets = cx.targets;
    if admissible {
        return Box::new(Formula::new(cx, Combine::Max, targets.deadlock));
    }
    let failures = targets.failures && has_assertions(cx.system.network());
    let others = failures || targets.claim.is_some() || !targets.conditions.is_empty();
    match (targets.deadlock, others) {
        (true, false) => Box::new(ActiveProcesses::new(cx)),
        (false, _) => Box::new(Formula::new(cx, Combine::Sum, false)),
        (true, true) => {
            Box::new(Either { deadlocks: ActiveProcesses::new(cx), others: Formula::new(cx, Combine::Sum, false) })
        }
    }
}

/// Can a step fail other than by an expression without a value?
fn has_assertions(network: &Network) -> bool {
    let is_assertion = |action: &Action| matches!(action, Action::Assert { .. });
    network.monitor.is_some() || network.edges.iter().any(|edge| actions_of(network, edge).any(is_assertion))
}

/// Deadlocks and other errors: whichever seems nearer.
struct Either<'a> {
    deadlocks: ActiveProcesses<'a>,
    others: Formula<'a>,
}

impl Heuristic for Either<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::SAFE
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        // A dead end is larger than any number, and the first never sees one.
        match self.others.estimate(at) {
            Estimate::ZERO => Estimate::ZERO,
            others => others.min(self.deadlocks.estimate(at)),
        }
    }

    fn memory(&self) -> u64 {
        self.deadlocks.memory() + self.others.memory()
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{at_start, heuristic, system};
    use bughound_ir::targets::Targets;

    #[test]
    fn the_kind_of_error_decides() {
        let system = system("byte x; active [2] proctype P() { x = 1; x = 2; x = 3; x = 4; assert(false) }");
        let run = |targets: &Targets, text| at_start(&system, targets, text);
        let (deadlock, failures) = (Targets::deadlock(), Targets::failures());
        let both = Targets { deadlock: true, ..Targets::failures() };
        assert_eq!((run(&deadlock, "auto"), run(&failures, "auto"), run(&both, "auto")), (Some(2), Some(5), Some(2)));
        assert_eq!(run(&Targets::default(), "auto"), Some(0));
        for targets in [&deadlock, &failures, &both] {
            assert!(!heuristic(&system, targets, "auto").claims().admissible);
            assert!(heuristic(&system, targets, "auto(admissible=true)").claims().consistent);
        }
        assert_eq!(run(&failures, "auto(admissible=true)"), Some(5));
    }
}
