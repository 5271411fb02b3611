//! What looks at the states of a check from outside: everything else may be forgotten.

use bughound_ir::analysis::dead_variables::Observers;
use bughound_ir::expr::Expr;
use bughound_ir::question::Property;
use bughound_kernel::registry::expression::{self, Expression, Value};

use crate::condition::parse_condition;
use crate::liveness::LiveClaim;
use crate::model::Model;
use crate::run::RunOptions;

/// The heuristic whose value is that of an expression of the user.
const USERS_HEURISTIC: &str = "expression";

/// The observers of some questions and their claims. Questions about cycles are not among them: there a value matters that
/// has to be the same again.
pub(super) fn observers(
    model: &Model,
    options: &RunOptions,
    questions: &[Property],
    claims: &[Option<LiveClaim>],
    hints: &[Expr],
) -> Observers {
    let conditions = questions.iter().filter_map(|asked| asked.question.state_condition().cloned());
    let finite = claims.iter().flatten().filter(|claim| !claim.has_cycles());
    Observers {
        conditions: conditions.chain(users_expressions(model, options)).chain(hints.iter().cloned()).collect(),
        claims: finite.map(|claim| claim.template).collect(),
        reduction: false,
    }
}

/// What the user's own heuristics look at. What cannot be read is said where the heuristic is built.
fn users_expressions(model: &Model, options: &RunOptions) -> Vec<Expr> {
    let texts = [Some(&options.search), options.heuristic.as_ref()];
    let mut found = Vec::new();
    for parsed in texts.into_iter().flatten().filter_map(|text| expression::parse(text).ok()) {
        collect(&parsed, &mut found);
    }
    found.iter().filter_map(|text| parse_condition(model, text).ok()).collect()
}

fn collect(expression: &Expression, found: &mut Vec<String>) {
    for argument in &expression.arguments {
        match &argument.value {
            Value::Expression(nested) => collect(nested, found),
            Value::Text(text) if expression.name == USERS_HEURISTIC => found.push(text.clone()),
            _ => {}
        }
    }
}
