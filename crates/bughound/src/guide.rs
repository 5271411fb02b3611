//! Heuristics for a run: what a search asks for by name is built for the model and the errors at hand.

use bughound_heuristics::{BuildCx, ErrorCondition, Targets};
use bughound_ir::expr::Expr;
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Heuristic, StateBuf};
use bughound_search::{Goals, HeuristicSource};
use bughound_semantics::DiscreteSystem;

/// Reads an expression in the language of the model.
pub type ReadExpression<'a> = dyn Fn(&str) -> Result<Expr, String> + 'a;

pub struct Guide<'a> {
    pub system: &'a DiscreteSystem,
    pub targets: Targets,
    pub read_expression: &'a ReadExpression<'a>,
}

impl HeuristicSource for Guide<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let cx = BuildCx {
            system: self.system,
            targets: &self.targets,
            goal_state: goal,
            read_expression: self.read_expression,
        };
        bughound_heuristics::build(expression, &cx)
    }
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
        claim: None,
    }
}
