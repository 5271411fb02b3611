//! Paxos with a planted error, found by several searches:
//! `cargo run --release -p bughound-native --example paxos`.

mod model;

use bughound_native::Checker;
use model::Paxos;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Paxos::with_error(3, 2);
    for search in ["bfs", "astar", "greedy", "auto"] {
        let report = Checker::new(&model).search(search).check()?;
        let Some(agreement) = report.answer("agreement") else { return Err("no answer".into()) };
        let steps = agreement.trace.as_ref().map_or(0, |trace| trace.steps.len());
        println!("{search:<8}{:>8} states, {}, {steps} steps", agreement.statistics.stored, agreement.verdict);
    }
    let report = Checker::new(&model).search("astar").check()?;
    println!("\n{report}");
    let report = Checker::new(&Paxos::correct(3, 2)).search("bfs").check()?;
    println!("without the error:\n{report}");
    Ok(())
}
