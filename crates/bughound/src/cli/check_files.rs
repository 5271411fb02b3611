//! `bughound check` with several models: a section for each, as if it were alone, and a summary.
//!
//! One model that cannot be read, or that breaks the program, does not keep the others from being checked. The limits are
//! those of the whole invocation; models for which nothing is left are part of the result, too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use bughound::check::CheckReport;
use bughound::formats::ModelResult;
use bughound::printable::{printable, printable_coloured};
use bughound::report;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::error::{ErrorDocument, StoppedDocument};
use bughound::report::files::{FilesDocument, ModelDocument};
use bughound_kernel::StopReason;

use super::arguments::CheckArguments;
use super::asked_models::Asked;
use super::check::{Checked, check_one};
use super::files_summary::{FileRow, render, worst};
use super::{Outcome, eprint_line, internal, panic_note, print_now, supervisor};

/// What became of a model.
struct Done {
    row: FileRow,
    report: Result<CheckReport, String>,
}

impl Done {
    fn result(&self) -> ModelResult<'_> {
        let report = self.report.as_ref().map_err(String::as_str);
        ModelResult { file: &self.row.file, report, exit_code: self.row.code }
    }
}

pub fn run(asked: &Asked, arguments: &CheckArguments) -> Outcome {
    let output = &arguments.output;
    for note in asked.notes.iter().filter(|_| !output.quiet) {
        eprint_line(&format!("note: {note}"));
    }
    let mut all: Vec<Done> = Vec::new();
    for (at, file) in asked.files.iter().enumerate() {
        supervisor::next_file(file, &asked.files[at + 1..]);
        let begin = Instant::now();
        let Checked { outcome, report } = match supervisor::stop_signal().reason() {
            Some(reason) => not_checked(file, reason, output.json),
            None => checked(file, arguments),
        };
        let mut row = match &report {
            Ok(report) => FileRow::of(file, report),
            Err(_) => FileRow::without_result(file, outcome.code),
        };
        row.time = Some(begin.elapsed());
        let document = output.json.then(|| document_of(file, &outcome));
        if !output.json {
            let text = match &report {
                Err(why) if outcome.text.is_empty() => printable(&format!("{file}: error: {why}\n")).into_owned(),
                _ => printable_coloured(&outcome.text).into_owned(),
            };
            print_now(&format!("{text}\n"));
        }
        supervisor::finished_file(&row, document);
        all.push(Done { row, report });
    }
    arguments.formats.write_reports(&all.iter().map(Done::result).collect::<Vec<_>>());
    let rows: Vec<FileRow> = all.into_iter().map(|done| done.row).collect();
    let code = worst(rows.iter().map(|row| row.code));
    let text = match output.json {
        true => report::text(&FilesDocument::new(code, supervisor::documents())),
        false => render(&rows),
    };
    Outcome { text, code }
}

/// Checks a model. A bug that shows in one of them is no reason to lose the others.
fn checked(file: &str, arguments: &CheckArguments) -> Checked {
    let run = || check_one(file, &[], false, arguments);
    let checked = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let note = panic_note();
        Checked { outcome: internal(&note, arguments.output.json), report: Err(format!("internal error: {note}")) }
    });
    // Its memory is given back; perhaps it suffices for the next one.
    if supervisor::stop_signal().reason() == Some(StopReason::Memory) {
        supervisor::stop_signal().lower();
    }
    checked
}

/// Nothing was left for this model.
fn not_checked(file: &str, reason: StopReason, json: bool) -> Checked {
    let why = format!("not checked: {}", reason.describe());
    let document = StoppedDocument::new("check", file, &why, Vec::new());
    let text = if json { report::text(&document) } else { format!("{file}: limit, {why}\n") };
    Checked { outcome: Outcome { text, code: document.exit_code }, report: Err(why) }
}

/// What a check of the model alone would have written, read again.
fn document_of(file: &str, outcome: &Outcome) -> ModelDocument {
    serde_json::from_str(&outcome.text).unwrap_or_else(|error| {
        let why = DiagnosticDocument::error(&format!("the result cannot be told as JSON: {error}"), None);
        ModelDocument::Failed(ErrorDocument::new("check", file, outcome.code, vec![why]))
    })
}
