//! Small models with known distances.

use bughound_heuristics::{BuildCx, build};
use bughound_ir::targets::Targets;
use bughound_kernel::registry::expression::parse;
use bughound_kernel::{AtomId, Heuristic, Unwatched};
use bughound_promela::lower::LowerOptions;
use bughound_semantics::DiscreteSystem;
use bughound_testkit::distances::{Distances, Errors, Graph};
use bughound_testkit::heuristic_claims::{Program, invariants};

/// A model with an invariant that can be violated, and its states.
pub struct Example {
    pub system: DiscreteSystem,
    targets: Targets,
    pub graph: Graph,
    pub distances: Distances,
}

impl Example {
    pub fn new(source: &str) -> Example {
        let options = LowerOptions { merge: false, ..LowerOptions::default() };
        let network = Program::new(source, options).unwrap().network;
        let (_, targets) = invariants(&network).next().expect("an invariant");
        let system = DiscreteSystem::new(network, &[targets.conditions[0].condition.clone()]);
        let graph = Graph::explore(&system, 100_000).unwrap();
        let errors = Errors { atoms: vec![(AtomId(0), false)], ..Errors::default() };
        let distances = Distances::new(&graph, &system, &errors);
        Example { system, targets, graph, distances }
    }

    pub fn heuristic(&self, text: &str) -> Box<dyn Heuristic + '_> {
        self.try_heuristic(text).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    pub fn try_heuristic(&self, text: &str) -> Result<Box<dyn Heuristic + '_>, String> {
        let (system, targets) = (&self.system, &self.targets);
        let cx = BuildCx {
            system,
            targets,
            goal_state: None,
            read_expression: &|_| Err("none here".to_string()),
            watch: &Unwatched,
        };
        build(&parse(text).unwrap(), &cx).map_err(|error| error.message)
    }

    /// Estimates of the initial state.
    pub fn estimates<const N: usize>(&self, texts: [&str; N]) -> [Option<u64>; N] {
        texts.map(|text| self.heuristic(text).estimate(self.graph.states[0].as_state().into()).finite())
    }

    pub fn distance(&self) -> Option<u64> {
        self.distances.to_error[0]
    }
}
