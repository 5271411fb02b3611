//! Counterexamples with as few states as possible, and proofs of that.

use std::sync::Mutex;

use bughound::added::AddedKind;
use bughound::chances::ChanceOptions;

use super::counterexamples::{answer, exceeds, small};
use super::{all, options, read, table};
use crate::support::Workspace;

const SMALLEST: ChanceOptions = ChanceOptions { by: bughound::chances::ExploreBy::Auto, paths: None, smallest: true };

#[test]
fn proven_sizes_are_those_of_the_table() {
    let Some(table) = table("prob-paths.csv") else { return };
    // Those whose least size is known, in models that are not large.
    let known = |row: &Vec<String>| !row[15].is_empty() && row[15].parse::<usize>().is_ok_and(|size| size <= 60);
    let rows: Vec<Vec<String>> = table.into_iter().filter(known).collect();
    assert!(rows.len() >= 6, "{} rows", rows.len());
    let proven = Mutex::new(0);
    all(&rows, |row| match proof(row) {
        Ok((size, at_least)) => {
            *proven.lock().unwrap() += usize::from(size == at_least);
            let (least, most) = (row[16].parse::<usize>().unwrap(), row[15].parse::<usize>().unwrap());
            let fits = at_least <= size && at_least <= most && size >= least;
            (!fits).then(|| format!("{row:?}: {size} states, {at_least} at least")).into_iter().collect()
        }
        Err(why) => vec![format!("{row:?}: {why}")],
    });
    let proven = proven.into_inner().unwrap();
    println!("{proven} of {} proven", rows.len());
    assert!(2 * proven >= rows.len(), "{proven} of {} proven", rows.len());
}

fn proof(row: &[String]) -> Result<(usize, usize), String> {
    let query = format!("P<={} [ ({}) U ({}) ]", row[13], row[3], row[4]);
    let model = read(&row[0], &options(&row[1], AddedKind::Query, &[&query]))?;
    let found = answer(&model, SMALLEST)?;
    let shown = found.counterexample.ok_or("there is no counterexample")?;
    exceeds(&shown)?;
    Ok((shown.size(), shown.at_least.ok_or("nothing was proven")?))
}

/// Five ways of one, two and so on states to the goal; the shorter ones are less probable.
const WAYS: &str = "dtmc module M s:[0..20];
    [] s=0 -> 0.1:(s'=1)+0.15:(s'=2)+0.2:(s'=4)+0.25:(s'=7)+0.3:(s'=11);
    [] s=2|s=4|s=5|(s>=7&s<=9)|(s>=11&s<=14) -> (s'=s+1);
    [] s=1|s=3|s=6|s=10|s=15 -> (s'=20); [] s=20 -> true; endmodule";

#[test]
fn smallest_counterexamples_say_so() {
    // The initial state, the goal, and ways of 1 and 2 states, which have a quarter together; or the one of 4.
    for (bound, states) in [("0.05", 3), ("0.12", 4), ("0.2", 5), ("0.24", 5), ("0.25", 6), ("0.95", 17)] {
        let found = small(WAYS, &format!("P<={bound} [ F s=20 ]"), SMALLEST);
        let shown = found.counterexample.expect("a counterexample");
        exceeds(&shown).unwrap();
        assert_eq!((shown.states.len(), shown.at_least), (states, Some(states)), "{bound}");
        let told = format!("{states} states (no fewer suffice) reach the goal");
        assert!(shown.headline().starts_with(&told), "{}", shown.headline());
    }
    let workspace = Workspace::with("m.pm", WAYS);
    let arguments = ["check", "m.pm", "--no-progress", "--query", "P<=0.2 [ F s=20 ]"];
    workspace.run(&arguments).exits(1).does_not_say("suffice)").does_not_say("needed");
    workspace
        .run(&[&arguments[..], &["--smallest"]].concat())
        .exits(1)
        .says("5 states (no fewer suffice) reach the goal");
    let document = workspace.run(&[&arguments[..], &["--smallest", "--json"]].concat()).exits(1).json();
    assert_eq!(document["properties"][0]["counterexample"]["at_least"], 5);
}

#[test]
fn of_other_schedulers_nothing_is_said() {
    let text =
        "mdp module M s:[0..3]; [a] s=0 -> 0.6:(s'=1)+0.4:(s'=2); [b] s=0 -> (s'=2); [] s=1 -> (s'=3); endmodule";
    let shown = small(text, "P<=0.5 [ F s=3 ]", SMALLEST).counterexample.expect("a counterexample");
    assert!(shown.headline().starts_with("3 states (no fewer suffice with these choices)"), "{}", shown.headline());
}
