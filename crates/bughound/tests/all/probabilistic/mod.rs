//! Models with probabilities, in the languages of PRISM and JANI.
//!
//! Tables with the answers of other tools, and the models they are about, lie beside the repository (`../shared`); without them
//! the tests that need them say so and pass.

mod bad_inputs;
mod counterexamples;
mod limits;
mod numbers;
mod questions;
mod results;
mod runs;
mod samples;
mod smallest;
mod told;
mod values;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bughound::added::{AddedKind, AddedProperty};
use bughound::chances::{ChanceAnswer, Outcome};
use bughound::model::load;
use bughound::{CheckReport, CheckRequest, Hooks, Limits, Model, ModelOptions};

fn shared() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared")
}

/// The rows of a table beside the repository, without its title; none if it does not exist, which is said.
fn table(name: &str) -> Option<Vec<Vec<String>>> {
    let Ok(text) = std::fs::read_to_string(shared().join("expected").join(name)) else {
        println!("skipped: there is no table {name} beside the repository");
        return None;
    };
    Some(text.lines().skip(1).filter(|line| !line.trim().is_empty()).map(cells).collect())
}

/// The cells of a line of a table; those that contain commas are in quotation marks, which are doubled inside.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    let mut rest = line.trim_end().chars().peekable();
    while let Some(c) = rest.next() {
        let at = cells.len() - 1;
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => cells[at].extend(rest.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => cells[at].push(c),
        }
    }
    cells
}

/// How a model is read with the values of its constants, such as `N=3,p=0.5`, and some questions.
fn options(constants: &str, kind: AddedKind, questions: &[&str]) -> ModelOptions {
    let constants = constants.split(',').filter(|text| !text.is_empty());
    let defines = constants.map(|text| {
        let (name, value) = text.split_once('=').unwrap_or_else(|| panic!("`{text}` gives no constant a value"));
        (name.to_string(), Some(value.to_string()))
    });
    let added = questions.iter().map(|text| AddedProperty { kind, text: text.to_string() });
    ModelOptions { defines: defines.collect(), added: added.collect(), ..ModelOptions::default() }
}

/// Reads a model beside the repository.
fn read(model: &str, options: &ModelOptions) -> Result<Model, String> {
    let file = shared().join("models").join(model);
    load(&file.to_string_lossy(), options).map_err(|error| error.to_string())
}

/// Answers all its questions, with at most so many states.
fn check(model: &Model, states: Option<u64>) -> Result<CheckReport, String> {
    let mut request = CheckRequest::default();
    request.run.limits = Limits { states, ..Limits::default() };
    bughound::check::check(model, &request, Hooks::default()).map_err(|error| error.to_string())
}

fn number(outcome: Option<&Outcome>) -> Result<&ChanceAnswer, String> {
    match outcome {
        Some(Outcome::Number(answer)) => Ok(answer),
        other => Err(format!("no number: {other:?}")),
    }
}

/// Does something to all items, two at a time; none of them may have problems.
#[track_caller]
fn all<T: Sync>(items: &[T], check: impl Fn(&T) -> Vec<String> + Sync) {
    let (next, problems) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    problems.lock().unwrap().extend(check(item));
                }
            });
        }
    });
    let problems = problems.into_inner().unwrap();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
}

#[test]
fn cells_are_taken_apart() {
    assert_eq!(cells("a,,\"b,\"\"c\"\"\",d"), ["a", "", "b,\"c\"", "d"]);
}
