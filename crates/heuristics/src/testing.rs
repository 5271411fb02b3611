//! For tests: models from text, heuristics from expressions, states along a path.

use std::ops::ControlFlow;
use std::path::Path;

use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::source::SourceMap;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::expression;
use bughound_kernel::{Estimate, Heuristic, Outcome, State, TransitionSystem, Unwatched};
use bughound_promela::lower::{LowerOptions, lower};
use bughound_promela::{Options, parse};
use bughound_semantics::DiscreteSystem;

use crate::context::BuildCx;

pub fn system(text: &str) -> DiscreteSystem {
    let mut sources = SourceMap::default();
    let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let parsed = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
    let ast = parsed.ast.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics));
    let lowered = lower(&ast, &sources, LowerOptions::default());
    DiscreteSystem::new(lowered.network.unwrap_or_else(|| panic!("{:?}", lowered.diagnostics)), &[])
}

/// The condition of the first `ltl` formula of the form `[] condition`.
pub fn invariant(system: &DiscreteSystem) -> Expr {
    let conditions = system.network().properties.iter().filter_map(|p| match &p.question {
        Question::Invariant(condition) => Some(condition.clone()),
        _ => None,
    });
    conditions.into_iter().next().expect("an invariant")
}

/// Targets that ask for a violation of that condition.
pub fn violation(system: &DiscreteSystem) -> Targets {
    Targets::condition(invariant(system), false)
}

pub fn heuristic<'a>(system: &'a DiscreteSystem, targets: &'a Targets, text: &str) -> Box<dyn Heuristic + 'a> {
    try_heuristic(system, targets, text).unwrap_or_else(|message| panic!("{message}"))
}

pub fn try_heuristic<'a>(
    system: &'a DiscreteSystem,
    targets: &'a Targets,
    text: &str,
) -> Result<Box<dyn Heuristic + 'a>, String> {
    let cx = BuildCx {
        system,
        targets,
        goal_state: None,
        read_expression: &|_| Err("none here".to_string()),
        watch: &Unwatched,
    };
    crate::build(&expression::parse(text).unwrap(), &cx).map_err(|error| error.message)
}

pub fn initial(system: &DiscreteSystem) -> Vec<i32> {
    let mut key = Vec::new();
    system.explorer().initial(&mut |state| key = state.key.to_vec());
    key
}

/// The states after the initial one if the step with this number is taken in each.
pub fn path(system: &DiscreteSystem, choices: &[usize]) -> Vec<Vec<i32>> {
    let mut states = vec![initial(system)];
    for choice in choices {
        let mut next = Vec::new();
        system.explorer().successors(State::discrete(states.last().unwrap()), &mut |step| {
            if let Outcome::State(state) = step.outcome {
                next.push(state.key.to_vec());
            }
            ControlFlow::Continue(())
        });
        states.push(next.swap_remove(*choice));
    }
    states
}

/// The estimates of the states along a path; `None` for dead ends.
pub fn along(system: &DiscreteSystem, targets: &Targets, text: &str, choices: &[usize]) -> Vec<Option<u64>> {
    let mut heuristic = heuristic(system, targets, text);
    let estimate = |key: &Vec<i32>| heuristic.estimate(State::discrete(key).into()).finite();
    path(system, choices).iter().map(estimate).collect()
}

/// The estimate of the initial state.
pub fn at_start(system: &DiscreteSystem, targets: &Targets, text: &str) -> Option<u64> {
    match heuristic(system, targets, text).estimate(State::discrete(&initial(system)).into()) {
        Estimate::Finite(value) => Some(value),
        Estimate::DeadEnd => None,
    }
}
