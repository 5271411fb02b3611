//! Hints: conditions on states that tell searches with sets of states which steps to take first.

use bughound_ir::expr::Expr;

use super::{Strategy, mentions_deadlock};
use crate::condition::parse_condition;
use crate::model::Model;
use crate::run::{RunError, RunOptions};

/// The hints of a run, for a search that takes them.
pub fn hints(model: &Model, options: &RunOptions, search: &Strategy) -> Result<Vec<Expr>, RunError> {
    if !options.hints.is_empty() && !search.search().takes_hints() {
        let why = format!(
            "--hint: `{}` takes no hints; symbolic(order=saturation) and symbolic(order=chaining) do",
            search.text
        );
        return Err(RunError::Usage(why));
    }
    let read = |text: &String| {
        let condition = parse_condition(model, text).and_then(|condition| match mentions_deadlock(&condition) {
            true => Err("whether a state is a deadlock is known only after its steps".into()),
            false => Ok(condition),
        });
        condition.map_err(|why| RunError::Usage(format!("--hint: `{text}`: {why}")))
    };
    options.hints.iter().map(read).collect()
}
