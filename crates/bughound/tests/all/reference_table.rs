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

/// Sets of states count what SPIN counts, and find errors as short as breadth-first search does, on all rows that they finish in
/// the seconds of `SECONDS` (60): `cargo test --release -p bughound --test all -- sets_of_states_for_spins_table --ignored
/// --nocapture`.
#[test]
#[ignore = "takes many minutes"]
fn sets_of_states_for_spins_table() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/spin-6.5.2.csv")) else { return };
    let seconds = std::env::var("SECONDS").unwrap_or_else(|_| "60".into());
    let (mut finished, mut differences) = (Vec::new(), Vec::new());
    let rows = rows(&table);
    for row in &rows {
        let file = shared.join("models").join(&row.model);
        let name = format!("{} {}", row.model, row.defines.join(" "));
        let search =
            ["--search", "symbolic(order=saturation)", "--max-time", &seconds, "--max-memory", "4G", "--merge", "off"];
        let Ok(explored) = bughound(&[&["explore"], &search[..]].concat(), row, &file) else { continue };
        let stored = explored["stats"]["stored"].as_u64();
        if explored["stats"]["complete"] != true {
            println!("{name}: {}", explored["reason"]);
            if explored["reason"].is_null() {
                differences.push(format!("{name}: it ends without a reason: {explored}"));
            }
            continue;
        }
        if row.states.is_some_and(|states| Some(states) != stored) {
            differences.push(format!("{name}: SPIN has {:?} states, we have {stored:?}", row.states));
        }
        let checked = |search: &str| {
            let limits = ["--max-time", &seconds, "--max-memory", "4G", "--merge", "off"];
            bughound(&[&["check", "--search", search], &limits[..]].concat(), row, &file)
        };
        let (Ok(ours), Ok(theirs)) = (checked("symbolic"), checked("bfs")) else { continue };
        let answers = |document: &Value| -> Vec<(String, String, Option<u64>)> {
            let properties = document["properties"].as_array().cloned().unwrap_or_default().into_iter();
            let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
            properties.map(|p| (text(&p["name"]), text(&p["verdict"]), p["trace"]["length"].as_u64())).collect()
        };
        if ours["verdict"] != "inconclusive" && ours["exit_code"] != 4 && answers(&ours) != answers(&theirs) {
            differences.push(format!("{name}: {:?} instead of {:?}", answers(&ours), answers(&theirs)));
        }
        println!("{name}: {stored:?} states");
        finished.push(name);
    }
    println!("{} of {} rows finished in {seconds} s", finished.len(), rows.len());
    assert!(differences.is_empty(), "{differences:#?}");
    assert!(!finished.is_empty());
}

/// Searches that must find errors as short as SPIN's: breadth-first search, and A* with every admissible heuristic that
/// knows this kind of error, in memory and from disk.
const SEARCHES: [&str; 5] = [
    "bfs",
    "astar",
    "astar(h=max(formula(combine=max), auto(admissible=true)))",
    "idastar(h=formula(combine=max))",
    "external-astar",
];

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

/// Hash-distributed A* by two processes, in both orders, and breadth-first search by two: the lengths of A*, proven.
#[test]
#[ignore = "takes minutes"]
fn clusters_prove_the_lengths_of_astar() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/spin-6.5.2.csv")) else {
        println!("skipped: there is no table of SPIN's answers beside the repository");
        return;
    };
    let (mut compared, mut problems) = (0, Vec::new());
    for row in rows(&table).iter().filter(|row| row.safety != "none" && !listed(&NO_ANSWER, row)) {
        let name = format!("{} {}", row.model, row.defines.join(" "));
        let file = shared.join("models").join(&row.model);
        // Rows whose search ends within a million states.
        let most = ["--max-states", "1000000"];
        let alone =
            bughound(&[&["check", "--threads", "1", "--search", "astar"], &most[..]].concat(), row, &file).unwrap();
        let Some(expected) = proven_length(&alone) else {
            println!("{name}: not compared, {}", alone["reason"]);
            continue;
        };
        for search in ["cluster-astar", "cluster-astar(order=layers)", "cluster-bfs"] {
            let arguments = ["cluster", "--local", "2", "--max-states", "4000000", "--search", search];
            let together = bughound(&arguments, row, &file).unwrap();
            if proven_length(&together) != Some(expected) {
                problems.push(format!("{name}: {expected} proven by A*, {search}: {together}"));
            }
            compared += 1;
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{compared} searches have the lengths of A*");
    assert!(compared >= 60, "{compared}");
}

/// The length of the shortest error, if it is proven.
fn proven_length(document: &Value) -> Option<u64> {
    let properties = document["properties"].as_array()?.iter();
    let violated = properties.filter(|one| one["verdict"] == "violated" && one["proven_shortest"] == true);
    violated.filter_map(|one| one["trace"]["length"].as_u64()).min()
}

/// Runs the program with at most 60 seconds of CPU and 4 GB of memory.
fn bughound(arguments: &[&str], row: &Row, file: &Path) -> Result<Value, String> {
    let mut command = Command::new("sh");
    command.arg("-c").arg("ulimit -t 60; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_bughound"));
    command.args(arguments).args(["--json", "--quiet", "--max-memory", "4G"]);
    if ["check", "cluster"].contains(&arguments[0]) {
        command.args(["--property", "safety", "--first-error"]);
    }
    let output = command.args(&row.defines).arg(file).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .map_err(|_| format!("no result ({:?}): {}", output.status.code(), String::from_utf8_lossy(&output.stderr)))
}
