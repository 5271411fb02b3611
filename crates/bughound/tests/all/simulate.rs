//! `bughound simulate`: at random, along traces, by hand.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{ASSERTION, DEADLOCK, Workspace};
use bughound::condition::parse_condition;
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load, load_text};
use bughound::simulate::{Ending, Interpreter, Session, read_guide};
use bughound_kernel::StopSignal;
use bughound_trace::{Reference, micro_steps};
use serde_json::Value;

const COUNTER: &str = "byte x; chan q = [2] of { byte };
active proctype Up() { do :: x < 9 -> x++; printf(\"up %d\\n\", x) :: q!x od }
active proctype Down() { byte y; do :: x > 0 -> x-- :: q?y od }
";

fn model(text: &str) -> Model {
    load_text("m.pml", text.as_bytes(), Language::Promela, &ModelOptions::default()).unwrap()
}

fn bundled() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|ending| ending == "pml"));
    files.sort();
    files
}

#[test]
fn random_runs_depend_on_the_seed_only() {
    let workspace = Workspace::with("m.pml", COUNTER);
    let run = |seed: &str| workspace.run(&["simulate", "m.pml", "--seed", seed, "--steps", "60"]).exits(0).out;
    assert_eq!(run("5"), run("5"));
    assert_ne!(run("5"), run("6"));
    let default = workspace.run(&["simulate", "m.pml", "--steps", "60"]).exits(0).says("seed 1, 60 steps");
    assert!(default.out.contains("stopped after 60 steps") && default.out.contains("→"), "{}", default.out);
}

#[test]
fn every_step_of_a_random_run_is_one_of_the_evaluator() {
    for file in bundled() {
        let model = load(file.to_str().unwrap(), &ModelOptions::default()).unwrap();
        let reference = Reference::new(&model.network).unwrap();
        for seed in 0..3 {
            let mut session = Session::new(&model.network, seed).unwrap();
            session.run(300, None, &StopSignal::default());
            let mut state = reference.initial().unwrap();
            for (taken, expected) in session.taken().iter().zip(&session.states()[1..]) {
                let step = reference.apply(&state, &taken.moves).unwrap();
                state = step.result.unwrap_or(state);
                assert_eq!(state, *expected, "{}", file.display());
            }
            let moves = session.moves();
            assert_eq!(micro_steps(&moves).len(), session.taken().len());
        }
    }
}

#[test]
fn endings_and_exit_codes() {
    let simulate =
        |text: &str, options: &[&str]| Workspace::with("m.pml", text).run(&[&["simulate", "m.pml"], options].concat());
    simulate(DEADLOCK, &[]).exits(1).says("deadlock: 2 of 2 processes cannot go on").says("channel q is full");
    simulate("byte x; active proctype P() { x = 1; assert(x == 2) }", &[]).exits(1).says("assertion violated: x==2");
    simulate("int x; active proctype P() { x = 1 / x }", &[]).exits(1).says("division by zero");
    simulate("byte x; active proctype P() { x = 1 }", &[]).exits(0).says("all processes have ended");
    simulate("byte x; active proctype P() { end: x > 0 }", &[]).exits(0).says("all of them are at end states");
    simulate(COUNTER, &["--steps", "0"]).exits(0).says("0 steps");
    simulate("int x = 1 / 0; active proctype P() { skip }", &[]).exits(1).complains("there is no initial state");
    simulate(COUNTER, &["--steps", "many"]).exits(2);
    simulate(COUNTER, &["--continue"]).exits(2);
}

#[test]
fn quiet_runs_print_what_the_model_prints() {
    let text = "active proctype P() { printf(\"one\\n\"); printf(\"two %d\", 2); printf(\" three\\n\") }";
    let workspace = Workspace::with("m.pml", text);
    assert_eq!(workspace.run(&["simulate", "m.pml", "--quiet"]).exits(0).out, "one\ntwo 2 three\n");
    workspace.run(&["simulate", "m.pml"]).exits(0).says("prints: one");
}

#[test]
fn documents_have_the_steps() {
    let workspace = Workspace::with("m.pml", DEADLOCK);
    let document = workspace.run(&["simulate", "m.pml", "--json"]).exits(1).json();
    assert_eq!(document["schema"], "bughound/1");
    assert_eq!((&document["command"], &document["ending"]), (&"simulate".into(), &"deadlock".into()));
    assert_eq!(document["trace"]["steps"].as_array().unwrap().len(), document["moves"].as_array().unwrap().len());
    assert_eq!(document["final_state"]["q"], "[1]");
    assert!(document["trace"]["blocked"].is_array());
}

/// Checks, saves, simulates along the trace, and compares; `None` if there is no error.
fn guided(workspace: &Workspace, file: &Path, options: &[&str]) -> Option<Result<(), String>> {
    let (file, trace) = (file.to_str()?, workspace.path("t.json"));
    let _ = std::fs::remove_file(&trace);
    let bughound = |arguments: &[&str]| {
        let limited = "ulimit -t 120; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.arg("-c").arg(limited).arg(env!("CARGO_BIN_EXE_bughound")).current_dir(workspace.directory.path());
        let output = command.args(arguments).args(options).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr)
    };
    bughound(&["check", file, "--save-trace", "t.json", "--quiet", "--max-memory", "4G"]);
    if !trace.exists() {
        return None;
    }
    Some((|| {
        let (code, out, err) = bughound(&["simulate", file, "--trace", "t.json", "--json", "--quiet"]);
        let document: Value = serde_json::from_str(&out).map_err(|_| String::from_utf8_lossy(&err).into_owned())?;
        let text = std::fs::read_to_string(&trace).map_err(|error| error.to_string())?;
        let saved: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        if document["moves"] != saved["moves"] {
            return Err("the moves differ".into());
        }
        if document["trace"] != saved["shown"] {
            return Err("the steps differ".into());
        }
        same_states(&trace, file, &document)?;
        if code != Some(1) { Err(format!("exit code {code:?}")) } else { Ok(()) }
    })())
}

/// Follows the trace in a session and beside it with the evaluator: every state must be the same, and the last one the
/// one that the program told.
fn same_states(trace: &Path, file: &str, document: &Value) -> Result<(), String> {
    let guide = read_guide(trace.to_str().unwrap_or_default())?;
    let options = guide.options(ModelOptions::default())?;
    let model = load(file, &options).map_err(|error| error.to_string())?;
    let mut session = Session::new(&model.network, 0).map_err(|error| error.to_string())?;
    let reference = Reference::new(&model.network).map_err(|error| error.to_string())?;
    let mut states = vec![reference.initial().map_err(|error| error.to_string())?];
    for moves in micro_steps(&guide.saved.moves()) {
        let before = &states[states.len() - 1];
        let step = reference.apply(before, moves).map_err(|error| error.to_string())?;
        let next = step.result.unwrap_or_else(|_| before.clone());
        states.push(next);
    }
    let mut steps = 0;
    guide.follow(&model, &mut session, &mut |_| steps += 1)?;
    if session.states() != states || steps + 1 != states.len() {
        return Err("the states differ".into());
    }
    let last = bughound_trace::values(&model.network, &states[states.len() - 1]);
    let told = document["final_state"].as_object().ok_or("no final state")?;
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_string);
    if told.len() != last.len() || last.iter().any(|v| told.get(&v.name).map(text) != Some(v.value.clone())) {
        return Err("the final state differs".into());
    }
    Ok(())
}

#[test]
fn bundled_counterexamples_are_reproduced() {
    let workspace = Workspace::new();
    let mut violated = 0;
    for file in bundled() {
        match guided(&workspace, &file.canonicalize().unwrap(), &[]) {
            None => {}
            Some(Ok(())) => violated += 1,
            Some(Err(problem)) => panic!("{}: {problem}", file.display()),
        }
    }
    assert!(violated >= 3, "only {violated} of the bundled models violate something");
}

/// Larger state spaces are left to other tests.
const MOST_STATES: u64 = 200_000;

#[test]
fn counterexamples_of_other_peoples_models_are_reproduced() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let Ok(table) = std::fs::read_to_string(shared.join("expected/spin-6.5.2.csv")) else {
        println!("skipped: there is no table of SPIN's answers beside the repository");
        return;
    };
    let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let rows: Vec<&Vec<&str>> = rows
        .iter()
        .filter(|row| row.len() > 5 && !["none", "unknown"].contains(&row[2]))
        .filter(|row| row[5].parse::<u64>().is_ok_and(|states| states <= MOST_STATES))
        .collect();
    assert!(!rows.is_empty());
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let workspace = Workspace::new();
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let defines: Vec<&str> = row[1].split_whitespace().collect();
                    let problem = match guided(&workspace, &shared.join("models").join(row[0]), &defines) {
                        Some(Ok(())) => continue,
                        Some(Err(problem)) => problem,
                        None => "no trace was saved".into(),
                    };
                    problems.lock().unwrap().push(format!("{} {}: {problem}", row[0], row[1]));
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{} of {} rows:\n{}", problems.len(), rows.len(), problems.join("\n"));
    println!("{} traces reproduced", rows.len());
}

#[test]
fn traces_can_be_continued_and_must_fit() {
    let workspace = Workspace::with("m.pml", COUNTER);
    workspace.run(&["check", "m.pml", "--invariant", "x < 3", "--save-trace", "t.json", "invariant"]).exits(1);
    workspace
        .run(&["simulate", "m.pml", "--trace", "t.json"])
        .exits(1)
        .says("along t.json")
        .says("`x < 3` is false: x = 3");
    let further = ["simulate", "m.pml", "--trace", "t.json", "--continue", "--steps", "20", "--json"];
    let document = workspace.run(&further).exits(1).json();
    let guided = document["guided_steps"].as_u64().unwrap() as usize;
    assert_eq!(document["trace"]["steps"].as_array().unwrap().len(), guided + 20);
    workspace.write("m.pml", &format!("{COUNTER}// changed\n"));
    workspace.run(&["simulate", "m.pml", "--trace", "t.json"]).exits(2).complains("does not belong to m.pml");
    workspace.run(&["simulate", "m.pml", "--trace", "none.json"]).exits(2).complains("there is no such file");
    workspace.run(&["simulate", "m.pml", "--trace", "m.pml"]).exits(2).complains("not JSON");
    workspace.write("m.pml", ASSERTION);
    workspace.run(&["check", "m.pml", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["simulate", "m.pml", "--trace", "t.json"]).exits(1).says("assertion violated: x<2 (x = 2)");
}

#[test]
fn a_session_at_the_prompt() {
    let workspace = Workspace::with("m.pml", COUNTER);
    let session =
        "2\nundo\nr 3\nundo 2\nwatch x*\nuntil x == 3 && len(q) > 0\nstate\nchart\nunwatch\nhistory\nhelp\nquit\n1\n";
    let ran = workspace.run_with_input(&["simulate", "m.pml", "-i"], session).exits(0);
    for expected in ["    1) Up(0)", "took back 1 step", "took back 2 steps", "x = 0", "the condition is true", "x = 3"]
    {
        assert!(ran.out.contains(expected), "`{expected}` is missing in\n{}", ran.out);
    }
    assert!(ran.out.contains("q!") && ran.out.contains("prints: up 1") && ran.out.contains("watching nothing now"));
    assert!(ran.out.contains("save FILE.json"), "{}", ran.out);
}

#[test]
fn bad_commands_do_not_end_a_session() {
    let workspace = Workspace::with("m.pml", COUNTER);
    let session =
        "99\n0\nfly\nuntil\nuntil y +\nuntil nothing == 1\nundo\nunwatch\nsave no/such/dir/t.json\n\n\u{7f}\nr x\n1\n";
    let ran = workspace.run_with_input(&["simulate", "m.pml", "-i", "--plain"], session).exits(0);
    for expected in ["no choice 99", "counted from 1", "unknown command `fly`", "nothing to take back", "not watched"] {
        assert!(ran.out.contains(expected), "`{expected}` is missing in\n{}", ran.out);
    }
    assert!(ran.out.contains("    1  Up(0)"), "the last command works:\n{}", ran.out);
    workspace.run_with_input(&["simulate", "-", "--language", "promela", "-i"], COUNTER).exits(2);
}

#[test]
fn runs_can_be_saved() {
    let workspace = Workspace::with("m.pml", COUNTER);
    workspace.run_with_input(&["simulate", "m.pml", "-i"], "r 7\nsave run.json\n").exits(0).says("saved; show it with");
    workspace.run(&["trace", "run.json"]).exits(0).says("replayed a trace of");
    let again = workspace.run(&["simulate", "m.pml", "--trace", "run.json", "--json"]).exits(0).json();
    assert_eq!(again["trace"]["steps"].as_array().unwrap().len(), 7);
    workspace.write("d.pml", DEADLOCK);
    workspace.run(&["simulate", "d.pml", "--save-trace", "d.json"]).exits(1);
    workspace.run(&["trace", "d.json"]).exits(0).says("for `deadlock`");
}

#[test]
fn undo_is_exact() {
    for file in bundled() {
        let model = load(file.to_str().unwrap(), &ModelOptions::default()).unwrap();
        let mut session = Session::new(&model.network, 9).unwrap();
        session.run(40, None, &StopSignal::default());
        let (states, last) = (session.states().to_vec(), session.taken().len());
        let choices = |s: &Session<'_>| s.choices().iter().map(|c| c.moves.clone()).collect::<Vec<_>>();
        let moves: Vec<_> = session.taken().iter().map(|taken| taken.moves.clone()).collect();
        for length in (0..last).rev() {
            assert_eq!(session.undo(1), 1);
            assert_eq!(*session.state(), states[length]);
            assert!(choices(&session).contains(&moves[length]));
        }
        assert_eq!(session.undo(1), 0);
        for step in &moves {
            session.follow(step).unwrap();
        }
        assert_eq!(session.states(), states);
    }
}

#[test]
fn conditions_are_read_with_the_names_of_the_model() {
    let options = ModelOptions::default();
    let model = model(&format!("#define BIG (x > 4)\n{COUNTER}"));
    let mut session = Session::new(&model.network, 3).unwrap();
    let big = parse_condition(&model, "BIG && len(q) < 3").unwrap();
    assert!(!session.holds(&big));
    assert_eq!(session.run(100_000, Some(&big), &StopSignal::default()), Ending::Reached);
    assert!(session.holds(&big));
    for bad in ["", "x >", "zz == 1", "[] (x < 3)"] {
        assert!(parse_condition(&model, bad).is_err(), "{bad}");
    }
    let answer = Interpreter::new(&model, &options, session, 10, &StopSignal::default()).execute("until false");
    assert!(answer.lines.last().unwrap().contains("not true within 10 steps"), "{answer:?}");
}
