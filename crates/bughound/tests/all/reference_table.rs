//! SPIN's answers for other people's models, row by row.
//!
//! The table and the models lie beside the repository (`../shared`); without them the test says so and passes. For each
//! row: the same verdict, with merging off exactly the same number of states, and a shortest error that is never longer
//! than SPIN's, with and without merging. Every row of up to five million states must finish.

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// Rows with more states are not run.
const MOST_STATES: u64 = 5_000_000;

/// Rows whose shortest error is shorter than SPIN's, and why.
const SHORTER: [(&str, &str); 2] = [
    ("deadlock.garp.prm", "a deadlock after fewer steps than the assertion; SPIN's breadth-first search misses it"),
    ("test_mtype.pml", "a rendezvous is one step, two in SPIN"),
];

/// Rows that SPIN has no complete answer for.
const NO_ANSWER: [(&str, &str); 2] =
    [("priorities.pml", "the search of SPIN was not complete"), ("LTL/petersonN.pml", "SPIN ran out of time")];

struct Row {
    model: String,
    defines: Vec<String>,
    safety: String,
    plain: Option<u64>,
    merged: Option<u64>,
    states: Option<u64>,
}

fn rows(table: &str) -> Vec<Row> {
    let parse = |line: &str| {
        let cells: Vec<&str> = line.trim_end().split(',').collect();
        let number = |at: usize| cells.get(at).and_then(|c| c.parse().ok());
        Row {
            model: cells[0].to_string(),
            defines: cells[1].split_whitespace().map(str::to_string).collect(),
            safety: cells[2].to_string(),
            plain: number(3),
            merged: number(4),
            states: number(5),
        }
    };
    table.lines().skip(1).filter(|l| !l.trim().is_empty()).map(parse).collect()
}

#[test]
fn spins_table_is_reproduced() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/spin-6.5.2.csv")) else {
        println!("skipped: there is no table of SPIN's answers beside the repository");
        return;
    };
    let rows = rows(&table);
    assert!(rows.len() > 50, "the table has only {} rows", rows.len());
    let next = AtomicUsize::new(0);
    let problems = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(problem) = check_row(row, &shared.join("models")) {
                        let name = format!("{} {}", row.model, row.defines.join(" "));
                        problems.lock().unwrap().push(format!("{name}: {problem}"));
                    }
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{} of {} rows differ:\n{}", problems.len(), rows.len(), problems.join("\n"));
}

/// Searches that must find errors as short as SPIN's: breadth-first search, and A* with every admissible heuristic that
/// knows this kind of error.
const SEARCHES: [&str; 4] =
    ["bfs", "astar", "astar(h=max(formula(combine=max), auto(admissible=true)))", "idastar(h=formula(combine=max))"];

fn listed(list: &[(&str, &str)], row: &Row) -> bool {
    list.iter().any(|(name, _)| row.model.ends_with(name))
}

fn check_row(row: &Row, models: &Path) -> Result<(), String> {
    if listed(&NO_ANSWER, row) {
        return Ok(());
    }
    if row.states.is_some_and(|s| s > MOST_STATES) {
        println!("{}: not run, {} states", row.model, row.states.unwrap_or(0));
        return Ok(());
    }
    let file = models.join(&row.model);
    if let Some(states) = row.states {
        let explored = bughound(&["explore", "--merge", "off"], row, &file)?;
        let stored = explored["stats"]["stored"].as_u64();
        if stored != Some(states) || explored["stats"]["complete"] != true {
            return Err(format!("SPIN has {states} states, we have {stored:?}"));
        }
    }
    let searches = if row.safety == "none" { &SEARCHES[..1] } else { &SEARCHES[..] };
    for (search, (merge, expected)) in
        searches.iter().flat_map(|search| [("off", row.plain), ("on", row.merged)].map(|how| (*search, how)))
    {
        let checked = bughound(&["check", "--merge", merge, "--search", search], row, &file)?;
        let properties = checked["properties"].as_array().cloned().unwrap_or_default();
        let safety = |p: &&Value| p["name"] == "deadlock" || p["name"] == "assertion";
        let violated = properties.iter().filter(safety).find(|p| p["verdict"] == "violated");
        let kind = match violated.map(|p| p["name"].as_str().unwrap_or_default()) {
            None => "none",
            Some("deadlock") => "invalid end state",
            Some(_) => "assertion violated",
        };
        let wanted = match row.safety.as_str() {
            "none" | "invalid end state" => row.safety.as_str(),
            _ => "assertion violated", // also SPIN's run-time errors
        };
        let shorter = listed(&SHORTER, row);
        if kind != wanted && !(shorter && kind != "none") {
            return Err(format!("SPIN says `{}`, we say `{kind}` ({search}, merging {merge})", row.safety));
        }
        if violated.is_some_and(|p| p["proven_shortest"] != true) {
            return Err(format!("not proven shortest ({search}, merging {merge})"));
        }
        let length = violated.and_then(|p| p["trace"]["length"].as_u64());
        match (expected, length) {
            (Some(theirs), Some(ours)) if ours == theirs || (shorter && ours < theirs) => {}
            (Some(theirs), ours) => {
                return Err(format!("SPIN needs {theirs} steps, we {ours:?} ({search}, merging {merge})"));
            }
            (None, _) => {}
        }
    }
    Ok(())
}

/// Runs the program with at most 60 seconds of CPU and 4 GB of memory.
fn bughound(arguments: &[&str], row: &Row, file: &Path) -> Result<Value, String> {
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -t 60; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_bughound"));
    command.args(arguments).args(["--json", "--quiet", "--max-memory", "4G"]);
    if arguments[0] == "check" {
        command.args(["--property", "safety", "--first-error"]);
    }
    let output = command.args(&row.defines).arg(file).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .map_err(|_| format!("no result ({:?}): {}", output.status.code(), String::from_utf8_lossy(&output.stderr)))
}
