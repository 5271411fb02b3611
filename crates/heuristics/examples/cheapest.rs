//! The cheapest run of a model of UPPAAL CORA, to measure bounds with: what a search does with and without them.
//!
//! `cargo run --release -p bughound-heuristics --example cheapest -- MODEL QUERIES SEARCH [SECONDS]`

use std::time::{Duration, Instant};

use bughound_heuristics::BuildCx;
use bughound_ir::question::Question;
use bughound_ir::source::SourceMap;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_kernel::{Heuristic, Limits, StateBuf, TransitionSystem, Watch};
use bughound_search::{
    BuildCx as SearchCx, Controls, Goals, HeuristicSource, InvariantGoal, StopPolicy, Task, algorithms,
};
use bughound_semantics::timed::priced::{CheapestEnd, PricedSystem, Pricing};
use bughound_store::Stores;

struct Source<'s> {
    system: &'s PricedSystem,
    end: &'s CheapestEnd<'s>,
    targets: &'s Targets,
}

impl HeuristicSource for Source<'_> {
    fn build<'a>(
        &'a self,
        expression: &Expression,
        _goal: Option<&'a StateBuf>,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Heuristic + 'a>, BuildError> {
        let cx = BuildCx {
            system: self.system.discrete(),
            targets: self.targets,
            goal_state: None,
            read_expression: &|_| Err("none here".to_string()),
            watch,
        };
        Ok(self.end.guided(bughound_heuristics::build(expression, &cx)?))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [model, queries, search, rest @ ..] = &arguments[..] else {
        return Err("needs a model, its queries, and a search".into());
    };
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, model, &std::fs::read(model)?);
    let tree = parsed.ast.ok_or_else(|| format!("{:?}", parsed.diagnostics))?;
    let (queries, _) = bughound_uppaal::parse_queries(&mut sources, queries, &std::fs::read(queries)?);
    let lowered = bughound_uppaal::lower::lower(&tree, &queries, &sources);
    let network = lowered.network.ok_or_else(|| format!("{:?}", lowered.diagnostics))?;
    let goal = network.properties.iter().find_map(|property| match &property.question {
        Question::Reach(goal) => Some(goal.clone()),
        _ => None,
    });
    let goal = goal.ok_or("there is no query `E<> …`")?;
    let system = PricedSystem::new(network, &goal, Pricing::Automatic).map_err(|error| error.to_string())?;
    let end = CheapestEnd::new(&system, &goal).map_err(|error| error.to_string())?;
    let targets = Targets::condition(goal.clone(), true);
    let reached = InvariantGoal { property: 0, atom: end.reached(), expected: false };
    let goals = Goals { invariants: vec![reached], ..Goals::none() };
    let stores = Stores::new(&end);
    let source = Source { system: &system, end: &end, targets: &targets };
    let task = Task { system: &end, goals: &goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &source };
    let search = expression::parse(search).map_err(|error| format!("{error:?}"))?;
    let search = algorithms::build(&search, &SearchCx::default()).map_err(|error| error.message)?;
    let seconds = rest.first().map_or(Ok(120), |text| text.parse())?;
    let limits = Limits {
        until: Some(Instant::now() + Duration::from_secs(seconds)),
        memory: Some(4 << 30),
        ..Limits::default()
    };
    let result = search.start(task, Controls { limits, ..Controls::default() }).map_err(|error| error.to_string())?;
    let found = result.witnesses.first().map(|witness| (witness.length, witness.proven_shortest));
    let stats = &result.stats;
    println!("cost and proof {found:?}, complete {}, error {:?}", result.complete, system.error());
    println!(
        "expanded {}, generated {}, stored {}, dead ends {}, reopened {}, depth {}, {:.2?}, of it estimates {:.2?}, {} MB",
        stats.expanded,
        stats.generated,
        stats.stored,
        stats.dead_ends,
        stats.reopened,
        stats.depth,
        stats.elapsed,
        stats.evaluation_time,
        stats.peak_memory >> 20
    );
    Ok(())
}
