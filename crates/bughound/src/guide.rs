//! Heuristics for a run: what a search asks for by name is built for the model and the errors at hand.

use bughound_heuristics::{BuildCx, ErrorCondition, Targets};
use bughound_ir::expr::Expr;
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, State, StateBuf};
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
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let heuristic = self.guide.build(expression, goal)?;
        Ok(match self.view {
            View::Whole => heuristic,
            view => Box::new(Layered { heuristic, view }),
        })
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
            View::BehindFirst => self.heuristic.estimate(State { key: &state.key[1..], ..state }),
            View::Recorded(layer) => match layer.recorded(state) {
                None => self.heuristic.estimate(layer.current(state)),
                // Where the loop has begun, what is missing is the way back. It may cost nothing (a run at rest).
                Some(_) if self.heuristic.claims().admissible => Estimate::ZERO,
                Some(recorded) => {
                    let current = layer.current(state).key;
                    let differing = current.iter().zip(recorded.key).filter(|(a, b)| a != b).count();
                    Estimate::Finite((differing + current.len().abs_diff(recorded.key.len())) as u64)
                }
            },
        }
    }

    fn memory(&self) -> u64 {
        self.heuristic.memory()
    }
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
        accepting: Vec::new(),
    }
}
