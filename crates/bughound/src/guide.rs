//! Heuristics for a run: what a search asks for by name is built for the model and the errors at hand.

use bughound_heuristics::{BuildCx, ErrorCondition, Targets};
use bughound_ir::expr::{BinaryOp, Expr, UnaryOp};
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{
    Contexts, Estimate, Heuristic, HeuristicClaims, Layer, Move, PreferredStep, State, StateBuf, Watch,
};
use bughound_layers::Recording;
use bughound_search::{Goals, HeuristicSource};
use bughound_semantics::DiscreteSystem;

/// Reads an expression in the language of the model.
pub type ReadExpression<'a> = dyn Fn(&str) -> Result<Expr, String> + 'a;

pub struct Guide<'a> {
    pub system: &'a DiscreteSystem,
    pub targets: Targets,
    pub read_expression: &'a ReadExpression<'a>,
}

/// Where the states that heuristics know lie in the states of a search.
#[derive(Clone, Copy)]
pub enum View<'a> {
    Whole,
    /// Behind one word: the counter of [`OneCondition`](bughound_layers::OneCondition), the phase of a run.
    BehindFirst,
    /// In the states of a layer that records them.
    Recorded(&'a Recording<'a>),
}

/// A guide for a search over a layer.
pub struct LayerGuide<'a> {
    pub guide: Guide<'a>,
    pub view: View<'a>,
}

impl HeuristicSource for LayerGuide<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        // A goal is a state of the layer as well.
        let goal = goal.map(|goal| match self.view {
            View::Whole => goal.as_state(),
            View::BehindFirst => behind_first(goal.as_state()),
            View::Recorded(layer) => layer.project(goal.as_state()),
        });
        let heuristic = self.guide.build_for(expression, goal, watch)?;
        Ok(match self.view {
            View::Whole => heuristic,
            view => Box::new(Layered { heuristic, view }),
        })
    }

    fn contexts<'a>(&'a self, exact: bool) -> Result<Option<Box<dyn Contexts + 'a>>, BuildError> {
        match self.view {
            View::Whole => self.guide.contexts(exact),
            _ if exact => Err(not_exact("it is for conditions on states only")),
            _ => self.guide.contexts(false),
        }
    }
}

struct Layered<'a> {
    heuristic: Box<dyn Heuristic + 'a>,
    view: View<'a>,
}

impl Heuristic for Layered<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.heuristic.claims()
    }

    fn estimate(&mut self, state: State<'_>) -> Estimate {
        match self.view {
            View::Whole => self.heuristic.estimate(state),
            View::BehindFirst => self.heuristic.estimate(behind_first(state)),
            View::Recorded(layer) => match layer.recorded(state) {
                None => self.heuristic.estimate(layer.project(state)),
                // Where the loop has begun, what is missing is the way back. It may cost nothing (a run at rest).
                Some(_) if self.heuristic.claims().admissible => Estimate::ZERO,
                Some(recorded) => {
                    let current = layer.project(state).key;
                    let differing = current.iter().zip(recorded.key).filter(|(a, b)| a != b).count();
                    Estimate::Finite((differing + current.len().abs_diff(recorded.key.len())) as u64)
                }
            },
        }
    }

    fn preferred(&self) -> &[PreferredStep] {
        self.heuristic.preferred()
    }

    fn estimate_without(&mut self, step: &[Move], state: State<'_>) -> Option<Estimate> {
        match self.view {
            View::Whole => self.heuristic.estimate_without(step, state),
            View::BehindFirst => self.heuristic.estimate_without(step, State { key: &state.key[1..], ..state }),
            View::Recorded(layer) => match layer.recorded(state) {
                None => self.heuristic.estimate_without(step, layer.project(state)),
                Some(_) => None,
            },
        }
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
}

fn behind_first(state: State<'_>) -> State<'_> {
    State { key: &state.key[1..], ..state }
}

impl HeuristicSource for Guide<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        self.build_for(expression, goal.map(StateBuf::as_state), watch)
    }

    fn contexts<'a>(&'a self, exact: bool) -> Result<Option<Box<dyn Contexts + 'a>>, BuildError> {
        let network = self.system.network();
        if exact {
            return bughound_heuristics::exact_contexts(network, &self.targets)
                .map(Some)
                .map_err(|why| not_exact(&why));
        }
        Ok(Some(bughound_heuristics::contexts(network, &self.targets)))
    }
}

impl Guide<'_> {
    fn build_for<'a>(
        &'a self,
        expression: &Expression,
        goal: Option<State<'a>>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let cx = BuildCx {
            system: self.system,
            targets: &self.targets,
            goal_state: goal,
            read_expression: self.read_expression,
            watch,
        };
        bughound_heuristics::build(expression, &cx)
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
        claim: None,
        accepting: Vec::new(),
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
    use bughound_kernel::{TransitionSystem, Unwatched};

    #[test]
    fn a_goal_is_seen_as_the_states_are() {
        let text = b"byte x = 3; active [2] proctype P() { x = 1; x = 2 }";
        let model = load_text("two.pml", text, Language::Promela, &ModelOptions::default()).unwrap();
        let system = DiscreteSystem::new(model.network.clone(), &[]);
        let mut goal = StateBuf { key: vec![1], cover: Vec::new() };
        system.explorer().initial(&mut |state| goal.key.extend_from_slice(state.key));
        let read_expression = |_: &str| Err("there are none".to_string());
        let guide = Guide { system: &system, targets: Targets::deadlock(), read_expression: &read_expression };
        let guide = LayerGuide { guide, view: View::BehindFirst };
        for name in ["hamming", "fsm-distance"] {
            let mut heuristic = guide.build(&Expression::named(name), Some(&goal), &Unwatched).unwrap();
            assert_eq!(heuristic.estimate(goal.as_state()), Estimate::ZERO, "{name}");
        }
    }
}
