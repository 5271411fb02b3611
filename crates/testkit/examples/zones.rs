//! Zones of timed models, counted: each reachability query of a UPPAAL file by breadth-first search.
//!
//! `cargo run --release -p bughound-testkit --example zones -- FILE [QUERIES.q]`

use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::source::SourceMap;
use bughound_kernel::registry::expression;
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, NoHeuristics, StopPolicy, Task, algorithms};
use bughound_semantics::timed::{Abstraction, TimedSystem};
use bughound_store::Stores;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut sources = SourceMap::default();
    let parsed = bughound_uppaal::parse(&mut sources, &files[0], &std::fs::read(&files[0]).unwrap());
    let Some(model) = parsed.ast else { panic!("{:?}", parsed.diagnostics) };
    let mut queries = Vec::new();
    if let Some(file) = files.get(1) {
        queries = bughound_uppaal::parse_queries(&mut sources, file, &std::fs::read(file).unwrap()).0;
    }
    let lowered = bughound_uppaal::lower::lower(&model, &queries, &sources);
    let Some(network) = lowered.network else { panic!("{:?}", lowered.diagnostics) };
    println!("{} clocks, {} processes", network.clocks.len(), network.start.len());
    for property in &network.properties {
        let (condition, abstraction) = match &property.question {
            Question::Reach(e) => (e.clone(), Abstraction::REACHABILITY),
            Question::Invariant(e) => (e.clone().not(), Abstraction::REACHABILITY),
            Question::Deadlock => (Expr::truth(false), Abstraction::DEADLOCK),
            _ => continue,
        };
        let system = TimedSystem::new(network.clone(), &[condition], abstraction).unwrap();
        let stores = Stores::new(&system);
        let goal = InvariantGoal { property: 0, atom: bughound_kernel::AtomId(0), expected: false };
        let deadlock = (property.question == Question::Deadlock).then_some(0);
        let goals = Goals { deadlock, invariants: vec![goal], ..Goals::none() };
        let (system, stop) = (&system, StopPolicy::FirstError);
        let task = Task { system, goals: &goals, stop, stores: &stores, heuristics: &NoHeuristics };
        let search = algorithms::build(&expression::parse("bfs").unwrap(), &BuildCx::default()).unwrap();
        let result = search.start(task, Controls::default()).unwrap();
        let length = result.witnesses.first().map(|witness| witness.length);
        let stats = &result.stats;
        println!(
            "{}: {length:?}, complete {}, {} expanded, {} stored, {} displaced, {:?}",
            property.name, result.complete, stats.expanded, stats.stored, stats.displaced, stats.elapsed
        );
    }
}
