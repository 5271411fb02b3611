//! Runs of searches for cycles on [marked graphs](super::marked), guided by tables.

use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::*;
use bughound_search::*;
use bughound_store::Stores;

use super::marked::{IS_ERROR, MarkedGraph, node};
use super::search;

pub const PROPERTY: usize = 5;

pub fn goals() -> Goals {
    let errors = InvariantGoal { property: PROPERTY, atom: IS_ERROR, expected: false };
    Goals { invariants: vec![errors], cycle: Some(PROPERTY), ..Goals::none() }
}

/// Estimates from a table over the nodes; every name means the same.
pub struct Estimates {
    pub values: Vec<Estimate>,
    pub claims: HeuristicClaims,
}

impl HeuristicSource for Estimates {
    fn build<'a>(
        &'a self,
        _expression: &Expression,
        _goal: Option<&'a StateBuf>,
        _watch: &dyn bughound_kernel::Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        Ok(Box::new(Reader(self)))
    }
}

struct Reader<'t>(&'t Estimates);

impl Heuristic for Reader<'_> {
    fn claims(&self) -> HeuristicClaims {
        self.0.claims
    }

    fn estimate(&mut self, at: Situation<'_>) -> Estimate {
        self.0.values[node(at.state)]
    }
}

/// Random estimates. Dead ends are proof if they have to be.
pub fn random_estimates(random: &mut Random, graph: &MarkedGraph, claims: HeuristicClaims) -> Estimates {
    let value = |goes_wrong: bool| match (random.below(3), claims.safe) {
        (0, true) if goes_wrong => Estimate::ZERO,
        (0, _) => Estimate::DeadEnd,
        _ => Estimate::Finite(random.below(20) as u64),
    };
    Estimates { values: graph.can_go_wrong().into_iter().map(value).collect(), claims }
}

pub fn run_cycles(text: &str, system: &dyn TransitionSystem, estimates: &Estimates, limits: Limits) -> SearchResult {
    run_cycles_under(text, system, estimates, Controls { limits, ..Controls::default() })
}

pub fn run_cycles_under(
    text: &str,
    system: &dyn TransitionSystem,
    estimates: &Estimates,
    controls: Controls<'_>,
) -> SearchResult {
    let stores = Stores::new(system);
    let (goals, stop) = (goals(), StopPolicy::FirstError);
    let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: estimates };
    search(text).start(task, controls).unwrap_or_else(|error| panic!("{text}: {error}"))
}
