//! The violated rows of SPIN's tables for other people's models, which may lie beside the repository.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bughound_kernel::Limits;

use super::{Subject, counterexample, replay_here, replay_there};
use crate::spin_oracle::{OracleOptions, SpinOracle, Wanted};

/// A row whose property is violated.
#[derive(Clone, Debug)]
pub struct Row {
    pub model: String,
    pub defines: Vec<(String, Option<String>)>,
    /// As Bughound calls it.
    pub property: String,
    /// In SPIN's words.
    pub verdict: String,
}

impl Row {
    pub fn name(&self) -> String {
        let define = |(name, value): &(String, Option<String>)| match value {
            Some(value) => format!(" -D{name}={value}"),
            None => format!(" -D{name}"),
        };
        let defines: String = self.defines.iter().map(define).collect();
        format!("{}{defines} {} ({})", self.model, self.property, self.verdict)
    }

    fn wanted(&self) -> Wanted {
        match self.property.as_str() {
            "deadlock" => Wanted::Deadlock,
            "assertion" => Wanted::Assertion,
            "acceptance" => Wanted::Acceptance,
            "non-progress" => Wanted::NonProgress,
            "never" => Wanted::Claim(None),
            name => Wanted::Claim(Some(name.into())),
        }
    }
}

/// Where the tables are, if they are there.
pub fn directory() -> Option<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    shared.join("expected/spin-claims.csv").is_file().then_some(shared)
}

/// The violated rows of both tables.
pub fn violated_rows(shared: &Path) -> Vec<Row> {
    let read = |name: &str| std::fs::read_to_string(shared.join("expected").join(name)).unwrap_or_default();
    let row = |cells: &[&str], property: &str, verdict: &str| Row {
        model: cells[0].to_string(),
        defines: cells[1].split_whitespace().filter_map(|word| word.strip_prefix("-D")).map(define).collect(),
        property: property.to_string(),
        verdict: verdict.to_string(),
    };
    let mut rows = Vec::new();
    for line in read("spin-6.5.2.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        match cells.get(2).copied() {
            Some(verdict @ "invalid end state") => rows.push(row(&cells, "deadlock", verdict)),
            Some(verdict @ "assertion violated") => rows.push(row(&cells, "assertion", verdict)),
            _ => {}
        }
    }
    let violations = ["acceptance cycle", "assertion violated", "end state in claim reached", "non-progress cycle"];
    for line in read("spin-claims.csv").lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        if let Some(verdict) = cells.get(3).filter(|verdict| violations.contains(verdict)) {
            let property = if cells[2] == "accept labels" { "acceptance" } else { cells[2] };
            rows.push(row(&cells, property, verdict));
        }
    }
    rows
}

fn define(text: &str) -> (String, Option<String>) {
    match text.split_once('=') {
        Some((name, value)) => (name.into(), Some(value.into())),
        None => (text.into(), None),
    }
}

/// Our counterexample for a row, replayed by `spin -t`, and SPIN's trail, replayed here. `Err`: why not.
pub fn both_ways(
    row: &Row,
    shared: &Path,
    merge: bool,
    oracle: &SpinOracle,
    scratch: &Path,
) -> (Result<(), String>, Result<(), String>) {
    let source = match std::fs::read(shared.join("models").join(&row.model)) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => return (Err(error.to_string()), Err(error.to_string())),
    };
    let subject = Subject { defines: row.defines.clone(), ..Subject::new(&source, merge) };
    let options = OracleOptions { timeout: Duration::from_secs(120), memory_mb: 2048, ..OracleOptions::default() };
    (there(row, &subject, oracle, &options), here(row, &subject, oracle, &options, scratch))
}

fn there(row: &Row, subject: &Subject, oracle: &SpinOracle, options: &OracleOptions) -> Result<(), String> {
    let model = subject.load()?;
    let limits = Limits { until: Some(Instant::now() + Duration::from_secs(120)), ..Limits::default() };
    let Some(found) = counterexample(&model, &row.property, limits)? else {
        return Err("Bughound has found no error in time".into());
    };
    let replay = replay_there(oracle, subject, &model, &found, options)?;
    match (row.verdict.as_str(), replay.assertion, replay.cycle) {
        ("assertion violated", false, _) => Err("the assertion does not fail in SPIN's replay".into()),
        ("acceptance cycle" | "non-progress cycle", _, false) => Err("SPIN's replay has no loop".into()),
        _ => Ok(()),
    }
}

fn here(
    row: &Row,
    subject: &Subject,
    oracle: &SpinOracle,
    options: &OracleOptions,
    scratch: &Path,
) -> Result<(), String> {
    let Some(replayed) = replay_here(oracle, subject, &row.wanted(), options, scratch)? else {
        return Err("SPIN's verifier has written no trail in time".into());
    };
    if replayed.property == row.property {
        Ok(())
    } else {
        Err(format!("the trail violates `{}`, not `{}`", replayed.property, row.property))
    }
}
