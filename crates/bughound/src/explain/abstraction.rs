//! What pattern databases keep of a model for each of its properties, and how accurate that is.

use std::fmt::Write;

use bughound_heuristics::{BuildCx, Diagnosis, PatternDiagnosis, diagnose};
use bughound_ir::question::Question;
use bughound_ir::targets::Targets;
use bughound_kernel::Unwatched;
use bughound_kernel::registry::expression;
use bughound_semantics::DiscreteSystem;

use super::text::{or_dash, table};
use crate::condition::parse_condition;
use crate::execute::{error_condition, obstacle};
use crate::guide::without_clocks;
use crate::model::Model;
use crate::properties::all;
use crate::run::RunError;

/// The abstractions for one property.
#[derive(Clone, Debug)]
pub struct Abstraction {
    pub property: String,
    pub kind: &'static str,
    /// Or why there are none.
    pub diagnosis: Result<Diagnosis, String>,
}

/// The abstractions of a heuristic such as `pdb(dprc)` for every property.
pub fn abstractions(model: &Model, heuristic: &str) -> Result<Vec<Abstraction>, RunError> {
    let usage = |error: bughound_kernel::registry::BuildError| {
        RunError::Usage(format!("--abstraction: {}", error.render(heuristic)))
    };
    let expression = expression::parse(heuristic).map_err(usage)?;
    let obstacle = obstacle(&model.network);
    let system = obstacle.is_none().then(|| DiscreteSystem::new(model.network.clone(), &[]));
    let read_expression = |text: &str| parse_condition(model, text);
    let mut found = Vec::new();
    for asked in all(&model.network) {
        let diagnosis = match (&system, targets(&asked.question)) {
            (None, _) => Err(format!("there is no initial state: {}", obstacle.as_deref().unwrap_or(""))),
            (_, None) => Err("it is not about single states".to_string()),
            (Some(system), Some(targets)) => {
                let cx = BuildCx {
                    system,
                    targets: &targets,
                    goal_state: None,
                    read_expression: &read_expression,
                    watch: &Unwatched,
                };
                Ok(diagnose(&cx, &expression).map_err(usage)?)
            }
        };
        found.push(Abstraction { kind: asked.question.kind(), property: asked.name, diagnosis });
    }
    Ok(found)
}

/// What heuristics look for where this is asked; `None` where it is about runs.
fn targets(question: &Question) -> Option<Targets> {
    match question {
        Question::Deadlock => Some(Targets::deadlock()),
        Question::Assertion => Some(Targets::failures()),
        _ => {
            let conditions = vec![without_clocks(&error_condition(question)?)];
            Some(Targets { conditions, ..Targets::default() })
        }
    }
}

/// In words.
pub fn text(abstractions: &[Abstraction]) -> String {
    let mut out = String::new();
    for Abstraction { property, kind, diagnosis } in abstractions {
        let _ = writeln!(out, "{property} ({kind})");
        match diagnosis {
            Err(why) => _ = writeln!(out, "  no abstraction: {why}"),
            Ok(diagnosis) => out.push_str(&of_property(diagnosis, *kind == "reachability")),
        }
    }
    out
}

fn of_property(diagnosis: &Diagnosis, asks_for_state: bool) -> String {
    if diagnosis.patterns.is_empty() {
        return "  no abstraction: every state may be an error, as far as one can tell\n".into();
    }
    let mut out = String::new();
    for (number, pattern) in diagnosis.patterns.iter().enumerate() {
        if diagnosis.patterns.len() > 1 {
            let _ = writeln!(out, "  pattern {}", number + 1);
        }
        out.push_str(&table(&rows(pattern)));
    }
    let several = |set: &Vec<usize>| set.iter().map(|n| (n + 1).to_string()).collect::<Vec<_>>().join(" + ");
    if diagnosis.patterns.len() > 1 {
        let sums: Vec<String> = diagnosis.sums.iter().map(several).collect();
        let _ = match diagnosis.for_each_error {
            true => writeln!(out, "  estimate: the least of the patterns, one for each error"),
            false => writeln!(out, "  estimate: the largest of the patterns {}", sums.join(", ")),
        };
    }
    let _ = match diagnosis.estimate {
        Some(estimate) => writeln!(out, "  at a cost of at least {estimate}"),
        None if asks_for_state => writeln!(out, "  impossible: the abstraction has no such state"),
        None => writeln!(out, "  safe: the abstraction has no error"),
    };
    out
}

fn rows(pattern: &PatternDiagnosis) -> Vec<Vec<String>> {
    let cost = |cost: Option<u64>| cost.map_or("infinite".to_string(), |cost| cost.to_string());
    let unless = |yes: bool, what: &str| if yes { what.to_string() } else { format!("not {what}") };
    let relaxed = match pattern.relaxed_everything == pattern.relaxed_kept {
        true => cost(pattern.relaxed_kept),
        false => format!("{} instead of {}", cost(pattern.relaxed_kept), cost(pattern.relaxed_everything)),
    };
    let rows = [
        ("keeps", or_dash(&pattern.kept)),
        ("leaves out", or_dash(&pattern.left_out)),
        ("abstract states", pattern.states.to_string()),
        ("abstract distance", cost(pattern.distance)),
        ("relaxed plan", format!("{relaxed}: {}", unless(pattern.is_relatively_accurate(), "relatively accurate"))),
        ("variables left out", unless(pattern.only_safe_variables_left_out, "only safe ones")),
        ("clocks left out", unless(pattern.only_simple_clocks_left_out, "only simple ones")),
    ];
    rows.into_iter().map(|(name, value)| vec![name.to_string(), value]).collect()
}
