//! Cheapest runs of timed models with costs: by priced zones with several searches, against an oracle without zones.

mod bundled;
mod corners;
mod examples;
mod model;
mod random;
mod schedules;
mod uppaal;

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::{Estimate, Heuristic, HeuristicClaims, Limits, Situation, StateBuf, Watch};
use bughound_search::{
    BuildCx, Controls, Goals, HeuristicSource, InvariantGoal, SearchResult, StopPolicy, Task, algorithms,
};
use bughound_semantics::timed::priced::{CheapestEnd, CostError, PricedSystem, Pricing, Realised};
use bughound_store::Stores;

/// Every estimate is 0: right of every cost.
struct Nothing;

impl HeuristicSource for Nothing {
    fn build<'a>(
        &'a self,
        _: &Expression,
        _: Option<&'a StateBuf>,
        _: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        Ok(Box::new(Nothing))
    }
}

impl Heuristic for Nothing {
    fn claims(&self) -> HeuristicClaims {
        HeuristicClaims::CONSISTENT
    }

    fn estimate(&mut self, _at: Situation<'_>) -> Estimate {
        Estimate::ZERO
    }

    fn is_about_prices(&self) -> bool {
        true
    }
}

/// What a search has found.
pub struct Found {
    pub result: SearchResult,
    /// The cheapest runs along the path that was found.
    pub realised: Option<Realised>,
    pub error: Option<CostError>,
    /// What each unit of time costs, if costs were kept so.
    pub uniform: Option<i64>,
}

impl Found {
    /// The cost, if a path was found.
    pub fn cost(&self) -> Option<u64> {
        self.result.witnesses.first().map(|witness| witness.length)
    }
}

/// Looks for a cheapest run to the goal.
pub fn cheapest(network: &Network, goal: &Expr, search: &str, pricing: Pricing, threads: usize) -> Found {
    let system = PricedSystem::new(network.clone(), goal, pricing).unwrap();
    let end = CheapestEnd::new(&system, goal).unwrap();
    let goal_test = InvariantGoal { property: 0, atom: end.reached(), expected: false };
    let goals = Goals { invariants: vec![goal_test], ..Goals::none() };
    let stores = Stores::new(&end);
    let task =
        Task { system: &end, goals: &goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &Nothing };
    let search = algorithms::build(&expression::parse(search).unwrap(), &BuildCx::default()).unwrap();
    // Far more than any of these models has: a search that does not end is a failure of its test.
    let limits = Limits { states: Some(1_000_000), ..Limits::default() };
    let result = search.start(task, Controls { threads, limits, ..Controls::default() }).unwrap();
    let realised = result.witnesses.first().map(|witness| {
        let (last, path) = witness.path.split_last().unwrap();
        assert!(last.is_empty(), "the goal is reached by a step of its own");
        system.realise(path, goal).unwrap().expect("the path has a schedule")
    });
    Found { result, realised, error: system.error().cloned(), uniform: system.uniform_rate() }
}
