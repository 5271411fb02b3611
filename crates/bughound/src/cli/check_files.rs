//! `bughound check` with several models: a section for each, as if it were alone, and a summary.
//!
//! One model that cannot be read, or that breaks the program, does not keep the others from being checked. The limits are
//! those of the whole invocation; models for which nothing is left are part of the result, too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use bughound::check::CheckReport;
use bughound::printable::{printable, printable_coloured};
use bughound::report;
use bughound::report::error::StoppedDocument;
use bughound::report::files::{FilesDocument, ModelDocument};
use bughound_kernel::StopReason;

use super::arguments::CheckArguments;
use super::asked_models::Asked;
use super::check::{Checked, Part, check_one};
use super::files_summary::{Done, FileRow, render, worst};
use super::{Outcome, complain_internal, eprint_line, panic_note, print_now, supervisor};

pub fn run(asked: &Asked, arguments: &CheckArguments) -> Outcome {
    let output = &arguments.output;
    for note in asked.notes.iter().filter(|_| !output.quiet) {
        eprint_line(&format!("note: {note}"));
    }
    let mut all: Vec<Arc<Done>> = Vec::new();
    for (at, file) in asked.files.iter().enumerate() {
        supervisor::next_file(file, &asked.files[at + 1..]);
        let begin = Instant::now();
        let Checked { text, code, report, document } = match supervisor::stop_signal().reason() {
            Some(reason) => not_checked(file, reason),
            None => checked(file, arguments),
        };
        let mut row = match &report {
            Ok(report) => FileRow::of(file, report),
            Err(_) => FileRow::without_result(file, code),
        };
        row.time = Some(begin.elapsed());
        if !output.json {
            let text = match &report {
                Err(why) if text.is_empty() => printable(&format!("{file}: error: {why}\n")).into_owned(),
                _ => printable_coloured(&text).into_owned(),
            };
            print_now(&format!("{text}\n"));
        }
        let done = Arc::new(Done { row, report, document });
        supervisor::finished_file(Arc::clone(&done));
        all.push(done);
    }
    arguments.formats.write_reports(&all.iter().map(|done| done.result()).collect::<Vec<_>>());
    let code = worst(all.iter().map(|done| done.row.code));
    let text = match output.json {
        true => report::text(&FilesDocument::new(code, all.iter().filter_map(|done| done.document.clone()).collect())),
        false => render(&all.iter().map(|done| done.row.clone()).collect::<Vec<_>>()),
    };
    Outcome { text, code }
}

/// Checks a model. A bug that shows in one of them is no reason to lose the others.
fn checked(file: &str, arguments: &CheckArguments) -> Checked {
    let run = || check_one(file, &[], Part::OfModels, arguments);
    let checked = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
        let note = panic_note();
        Checked::failed(&format!("internal error: {note}"), complain_internal(&note))
    });
    // Its memory is given back; perhaps it suffices for the next one.
    if supervisor::stop_signal().reason() == Some(StopReason::Memory) {
        supervisor::stop_signal().lower();
    }
    checked
}

/// Nothing was left for this model.
fn not_checked(file: &str, reason: StopReason) -> Checked {
    let why = format!("not checked: {}", reason.describe());
    let document = StoppedDocument::new("check", file, &why, &CheckReport::stopped(Vec::new(), &why));
    Checked {
        text: format!("{file}: limit, {why}\n"),
        code: document.exit_code,
        report: Err(why),
        document: Some(ModelDocument::Stopped(document)),
    }
}
