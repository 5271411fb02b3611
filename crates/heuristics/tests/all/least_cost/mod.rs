//! Lower bounds of costs, against the least costs that searches without bounds find from the same states.

mod jobs;
mod model;
mod random;

use std::ops::ControlFlow;

use bughound_heuristics::BuildCx;
use bughound_ir::builder::NetworkBuilder;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Network;
use bughound_ir::source::Span;
use bughound_ir::targets::Targets;
use bughound_ir::types::{ValueType, Variable};
use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::{
    Estimate, Expansion, Explorer, Heuristic, Layer, LayerSteps, Limits, Outcome, State, StateBuf, Step,
    TransitionSystem, Unwatched, Watch,
};
use bughound_search::{
    BuildCx as SearchCx, Controls, Goals, HeuristicSource, InvariantGoal, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::timed::priced::{CheapestEnd, PricedSystem, Pricing};
use bughound_store::Stores;

/// A global variable that is no part of the state.
pub fn hidden(net: &mut NetworkBuilder, name: &str, ty: ValueType) -> Place {
    let slot = net.allocate(1);
    net.variable(Variable { name: name.into(), ty, slot, dims: vec![], hidden: true, span: Span::default() });
    Place::global(slot, ty)
}

/// A model with a goal.
pub struct Problem {
    system: PricedSystem,
    goal: Expr,
    targets: Targets,
}

impl Problem {
    pub fn new(network: Network, goal: Expr, pricing: Pricing) -> Problem {
        let system = PricedSystem::new(network, &goal, pricing).unwrap();
        let targets = Targets::condition(goal.clone(), true);
        Problem { system, goal, targets }
    }

    pub fn end(&self) -> CheapestEnd<'_> {
        CheapestEnd::new(&self.system, &self.goal).unwrap()
    }

    pub fn heuristic<'a>(
        &'a self,
        end: &'a CheapestEnd<'a>,
        expression: &Expression,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let cx = BuildCx {
            system: self.system.discrete(),
            targets: &self.targets,
            goal_state: None,
            read_expression: &|_| Err("none here".to_string()),
            watch,
        };
        Ok(end.guided(bughound_heuristics::build(expression, &cx)?))
    }

    /// Looks for the cheapest way to the goal, from this state if one is given. Nothing if there are too many states.
    pub fn search(&self, search: &str, from: Option<&StateBuf>, most: u64) -> Option<SearchResult> {
        let end = self.end();
        let start = From { end: &end, state: from.cloned() };
        let goal = InvariantGoal { property: 0, atom: end.reached(), expected: false };
        let goals = Goals { invariants: vec![goal], ..Goals::none() };
        let stores = Stores::new(&start);
        let source = Source { problem: self, end: &end };
        let task =
            Task { system: &start, goals: &goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &source };
        let search = algorithms::build(&expression::parse(search).unwrap(), &SearchCx::default()).unwrap();
        let limits = Limits { states: Some(most), ..Limits::default() };
        let result = search.start(task, Controls { limits, ..Controls::default() }).unwrap();
        assert_eq!(self.system.error(), None);
        (result.complete || !result.witnesses.is_empty()).then_some(result)
    }

    /// States on random ways from the start.
    pub fn states(&self, seed: u64, ways: usize, steps: usize) -> Vec<StateBuf> {
        let end = self.end();
        let mut explorer = end.explorer();
        let mut random = bughound_kernel::Random::new(seed);
        let mut found: Vec<StateBuf> = Vec::new();
        for _ in 0..ways {
            let mut here = Vec::new();
            explorer.initial(&mut |state| here.push(state.into()));
            for _ in 0..steps {
                if here.is_empty() {
                    break;
                }
                let state: StateBuf = here.swap_remove(random.below(here.len()));
                here.clear();
                explorer.successors(state.as_state(), &mut |step| {
                    if let Outcome::State(next) = step.outcome {
                        here.push(next.into());
                    }
                    ControlFlow::Continue(())
                });
                if !found.contains(&state) {
                    found.push(state);
                }
            }
        }
        found
    }

    /// What a heuristic says about these states.
    pub fn estimates(&self, heuristic: &str, states: &[StateBuf]) -> Vec<Estimate> {
        let end = self.end();
        let mut heuristic = self.heuristic(&end, &expression::parse(heuristic).unwrap(), &Unwatched).unwrap();
        states.iter().map(|state| heuristic.estimate(state.as_state().into())).collect()
    }
}

pub fn cost(result: &SearchResult) -> Option<u64> {
    result.witnesses.first().map(|witness| witness.length)
}

struct Source<'s> {
    problem: &'s Problem,
    end: &'s CheapestEnd<'s>,
}

impl HeuristicSource for Source<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        _goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        self.problem.heuristic(self.end, expression, watch)
    }
}

/// The same system, from another state on.
struct From<'s> {
    end: &'s CheapestEnd<'s>,
    state: Option<StateBuf>,
}

impl Layer for From<'_> {
    type Steps<'l>
        = FromSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.end
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        state
    }

    fn steps(&self) -> FromSteps<'_> {
        FromSteps { state: self.state.as_ref() }
    }

    fn guide<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a> {
        heuristic
    }
}

struct FromSteps<'l> {
    state: Option<&'l StateBuf>,
}

impl LayerSteps for FromSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        match self.state {
            Some(state) => emit(state.as_state()),
            None => below.initial(emit),
        }
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        below.successors(from, emit)
    }
}
