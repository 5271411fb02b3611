//! Heuristics for a run: what a search asks for by name is built for the model and the errors at hand.

use bughound_heuristics::BuildCx;
use bughound_ir::analysis::endless_chains::may_stay_inside;
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{
    Contexts, Estimate, Heuristic, HeuristicClaims, Move, PreferredStep, Situation, StateBuf, TransitionSystem, Watch,
};
use bughound_search::{Goals, HeuristicSource};
use bughound_semantics::DiscreteSystem;

/// Reads an expression in the language of the model.
pub type ReadExpression<'a> = dyn Fn(&str) -> Result<Expr, String> + 'a;

pub struct Guide<'a> {
    /// What is searched: the system that heuristics know, perhaps with zones or under layers.
    pub searched: &'a dyn TransitionSystem,
    pub system: &'a DiscreteSystem,
    pub targets: Targets,
    pub read_expression: &'a ReadExpression<'a>,
}

impl HeuristicSource for Guide<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let cx = BuildCx {
            system: self.system,
            targets: &self.targets,
            goal_state: goal.map(|goal| self.searched.situation(goal.as_state())),
            read_expression: self.read_expression,
            watch,
        };
        let heuristic = bughound_heuristics::build(expression, &cx)?;
        let is_about_runs = self.targets.claim.is_some() || !self.searched.required().is_empty();
        let heuristic: Box<dyn Heuristic + 'a> = match is_about_runs && may_stay_inside(self.system.network()) {
            true => Box::new(Doubted { heuristic }),
            false => heuristic,
        };
        Ok(self.searched.guided(heuristic))
    }

    fn contexts<'a>(&'a self, exact: bool) -> Result<Option<Box<dyn Contexts + 'a>>, BuildError> {
        let network = self.system.network();
        if !exact {
            return Ok(Some(bughound_heuristics::contexts(network, &self.targets)));
        }
        if !self.searched.required().is_empty() {
            return Err(not_exact("it is for conditions on states only"));
        }
        bughound_heuristics::exact_contexts(network, &self.targets).map(Some).map_err(|why| not_exact(&why))
    }
}

/// A heuristic whose dead ends are looked into at last, if everything else is done. That no error can be reached from a state
/// says nothing of runs that stay inside an atomic sequence there for ever, and only who looks at the state sees these.
struct Doubted<'a> {
    heuristic: Box<dyn Heuristic + 'a>,
}

impl Heuristic for Doubted<'_> {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims { safe: false, ..self.heuristic.claims() }
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.heuristic.estimate(at)
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.heuristic.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], at: Situation<'_>) -> Option<Estimate> {
        self.heuristic.estimate_without(step, at)
    }

    fn fork(&self) -> Option<Box<dyn Heuristic + '_>> {
        Some(Box::new(Doubted { heuristic: self.heuristic.fork()? }))
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}

/// Why steps cannot be left out.
fn not_exact(why: &str) -> BuildError {
    BuildError::new(format!("`prune` would not be safe here: {why}"), 0..0)
}

/// The errors of some goals as heuristics see them; `atoms` are the conditions that the goals name by number.
pub fn targets(goals: &Goals, atoms: &[Expr]) -> Targets {
    let conditions = goals
        .invariants
        .iter()
        .map(|goal| ErrorCondition { condition: atoms[goal.atom.0 as usize].clone(), wanted: !goal.expected });
    Targets {
        deadlock: goals.deadlock.is_some(),
        failures: goals.assertion.is_some() || goals.evaluation.is_some(),
        conditions: conditions.collect(),
        ..Targets::default()
    }
}

/// What heuristics are told of a condition that is to be found: they know neither clocks nor deadlocks, and must not
/// estimate too much.
pub fn without_clocks(error: &Expr) -> ErrorCondition {
    ErrorCondition { condition: relaxed(error, true), wanted: true }
}

/// The condition without clocks and deadlocks: true wherever the condition can be, if it is wanted; false wherever it can
/// be, if not.
fn relaxed(expr: &Expr, wanted: bool) -> Expr {
    match expr {
        Expr::Clock(_) | Expr::Deadlock => Expr::truth(wanted),
        Expr::Unary(UnaryOp::Not, e) => relaxed(e, !wanted).not(),
        Expr::Binary(op @ (BinaryOp::And | BinaryOp::Or), a, b) => {
            Expr::binary(*op, relaxed(a, wanted), relaxed(b, wanted))
        }
        Expr::Holds(e) => relaxed(e, wanted),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::model::{ModelOptions, load_text};
    use bughound_kernel::Unwatched;
    use bughound_layers::OneCondition;

    #[test]
    fn a_goal_is_seen_as_the_states_are() {
        let text = b"byte x = 3; active [2] proctype P() { x = 1; x = 2 }";
        let model = load_text("two.pml", text, Language::Promela, &ModelOptions::default()).unwrap();
        let system = DiscreteSystem::new(model.network.clone(), &[]);
        let layer = OneCondition::new(&system);
        let mut goal = StateBuf::default();
        layer.explorer().initial(&mut |state| goal.set(state));
        let read_expression = |_: &str| Err("there are none".to_string());
        let targets = Targets::deadlock();
        let guide = Guide { searched: &layer, system: &system, targets, read_expression: &read_expression };
        for name in ["hamming", "fsm-distance"] {
            let mut heuristic = guide.build(&Expression::named(name), Some(&goal), &Unwatched).unwrap();
            assert_eq!(heuristic.estimate(goal.as_state().into()), Estimate::ZERO, "{name}");
        }
    }
}
