//! `bughound check`: properties, verdicts, counterexamples.

use std::cell::RefCell;

use bughound::check::{CheckReport, CheckRequest, PropertyReport, check};
use bughound::formats::ModelResult;
use bughound::formats::verifyta::verifyta;
use bughound::long_runs::{self, journal_of_check};
use bughound::printable::printable;
use bughound::report;
use bughound::report::check::CheckDocument;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::error::ErrorDocument;
use bughound::report::files::ModelDocument;
use bughound::run::{Hooks, RunError};
use bughound::saved_trace::{Origin, trail_of};
use bughound::verdict::{EXIT_USAGE, Verdict};
use bughound_search::Progress;

use super::arguments::CheckArguments;
use super::asked_models::{Asked, asked, missing_file};
use super::check_files;
use super::check_text;
use super::progress::ProgressLine;
use super::trace_files::TraceFiles;
use super::{
    Outcome, complain, complain_internal, complain_load, eprint_line, fail, outputs, painted, patterns, print_now,
    read_model, supervisor,
};
use super::{constants, experiments};

pub fn run(arguments: &CheckArguments) -> Outcome {
    let output = &arguments.output;
    let asked = match asked(arguments) {
        Ok(asked) => asked,
        Err((message, help)) => return fail(EXIT_USAGE, &message, help.as_deref(), output, None),
    };
    let inputs: Vec<&str> = asked.files.iter().map(String::as_str).chain(arguments.inputs()).collect();
    if let Err(message) = outputs::begin(&inputs, &arguments.outputs(), output.json) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    supervisor::write_reports(&arguments.formats);
    let experiments = match constants::experiments(&arguments.model.reading.constants) {
        Ok(experiments) => experiments,
        Err(why) => return fail(EXIT_USAGE, &why, None, output, None),
    };
    match (asked.several, experiments) {
        (true, None) => check_files::run(&asked, arguments),
        (true, Some(_)) => {
            let why = "ranges in --const are for one model, and there are several";
            fail(EXIT_USAGE, why, None, output, None)
        }
        (false, None) => alone(&asked, arguments),
        (false, Some(valuations)) => experiments::run(&asked, &valuations, arguments),
    }
}

/// One model, which is all that was asked for.
fn alone(asked: &Asked, arguments: &CheckArguments) -> Outcome {
    let file = &asked.files[0];
    let Checked { text, code, report, document } = check_one(file, &asked.words, Part::Whole, arguments);
    let result = report.as_ref().map_err(String::as_str);
    arguments.formats.write_reports(&[ModelResult { file, report: result, exit_code: code }]);
    let document = document.filter(|_| arguments.output.json);
    Outcome { text: document.map_or(text, |document| report::text(&document)), code }
}

/// What became of a model.
pub struct Checked {
    /// For people.
    pub text: String,
    /// With which a check of it alone ends.
    pub code: u8,
    /// Or why there is none.
    pub report: Result<CheckReport, String>,
    /// For programs.
    pub document: Option<ModelDocument>,
}

impl Checked {
    /// `document`: what was told on the standard error.
    pub fn failed(why: &str, document: ErrorDocument) -> Checked {
        let code = document.exit_code;
        Checked { text: String::new(), code, report: Err(why.into()), document: Some(ModelDocument::Failed(document)) }
    }
}

/// What a check is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Part<'c> {
    /// It is everything.
    Whole,
    /// Other models are checked, too.
    OfModels,
    /// Other values of the constants are, too; in this one they are these.
    OfExperiments(&'c [String]),
}

/// Checks a model. `words`: names of properties.
pub fn check_one(file: &str, words: &[String], part: Part<'_>, arguments: &CheckArguments) -> Checked {
    let output = &arguments.output;
    let wrong = |why: &str| {
        let message = if part == Part::OfModels { format!("{file}: {why}") } else { why.into() };
        Checked::failed(why, complain(EXIT_USAGE, &message, None, output, None))
    };
    let mut options = arguments.model.options(arguments.properties.added());
    if let Part::OfExperiments(constants) = part {
        options.defines = arguments.model.reading.defines_with(constants);
    }
    let model = match read_model(file, &options, output) {
        Ok(model) => model,
        Err(error) => return Checked::failed(&error.to_string(), complain_load(&error, output)),
    };
    if let Some(missing) = missing_file(words, &model) {
        return wrong(&missing);
    }
    let selection = match arguments.properties.selection(words, &model) {
        Ok(selection) => selection,
        Err(why) => return wrong(&why),
    };
    if arguments.verifyta && !model.conventions().has_queries {
        let why = format!("--verifyta is for UPPAAL models; {} is one in {}", model.file, model.language.name());
        return wrong(&why);
    }
    patterns::check(&arguments.view, &model.network, output);
    let origin = Origin::of(&model, &options);
    let network = arguments.chart.is_wanted().then(|| model.network.clone());
    let diagnostics = DiagnosticDocument::all(&model.warnings, &model.sources);
    let mut request = CheckRequest {
        selection,
        zones: arguments.zones.options(),
        fastest: arguments.fastest,
        cheapest: arguments.cheapest(),
        different: arguments.all.map_or(1, |all| usize::try_from(all).unwrap_or(usize::MAX)),
        samples: arguments.samples.options(),
        chances: arguments.chances.options(),
        stop: arguments.stop(),
        after: arguments.after(model.conventions()),
        run: arguments.run_options(),
    };
    if let Some(path) = &arguments.improve {
        match trail_of(&model, &path.display().to_string()) {
            Ok((trail, property)) => {
                request.run.search = "trail-directed".into();
                request.run.improve = Some(trail);
                request.selection = vec![property];
            }
            Err(error) => return wrong(&error.to_string()),
        }
    }
    let line = RefCell::new(ProgressLine::new(output.color.on(&std::io::stderr())));
    let mut report = |p: &Progress| line.borrow_mut().report(p);
    let progress: Option<&mut dyn FnMut(&Progress)> =
        if output.quiet || output.no_progress { None } else { Some(&mut report) };
    // What is found while others wait is shown at once.
    let mut shown: Vec<usize> = Vec::new();
    let mut files = TraceFiles::new(arguments, &origin, &model);
    let mut decided = |properties: &[PropertyReport]| {
        supervisor::note(properties);
        files.keep(properties);
        let waits = |p: &PropertyReport| p.verdict == Verdict::Inconclusive && p.reason.is_none();
        if output.json || arguments.verifyta || !properties.iter().any(waits) {
            return;
        }
        let violated =
            |p: &PropertyReport| p.verdict == Verdict::Violated && (p.trace.is_some() || p.counterexample.is_some());
        for (at, found) in properties.iter().enumerate().filter(|(_, found)| violated(found)) {
            if !shown.contains(&at) {
                line.borrow_mut().clear();
                print_now(&painted(output.color.on(&std::io::stdout()), |color| {
                    check_text::early(&origin.file, found, arguments, color)
                }));
                shown.push(at);
            }
        }
    };
    let (mut journal, notes) = match arguments.saving.saving() {
        None => (None, Vec::new()),
        Some(saving) => match journal_of_check(&model, &request, &saving) {
            Ok(begun) => begun,
            Err(RunError::Usage(why)) => return wrong(&why),
            Err(RunError::Internal(why)) => return Checked::failed(&why, complain_internal(&why)),
        },
    };
    supervisor::wait_for(journal.as_ref());
    let result = check(
        &model,
        &request,
        Hooks { journal: journal.as_mut(), stop: supervisor::stop_signal(), progress, decided: Some(&mut decided) },
    );
    line.borrow_mut().clear();
    let mut report = match result {
        Ok(report) => report,
        Err(error) => {
            long_runs::fail(journal);
            return match error {
                RunError::Usage(why) => wrong(&why),
                RunError::Internal(why) => Checked::failed(&why, complain_internal(&why)),
            };
        }
    };
    report.notes.extend(notes);
    if let Some(journal) = journal {
        let is_limited = report.properties.iter().any(|property| {
            let stop = property.stats.as_ref().and_then(|stats| stats.stop_reason);
            property.verdict == Verdict::Limit && long_runs::can_go_on_after(stop)
        });
        report.notes.extend(long_runs::end(journal, !is_limited));
    }
    let code = report.verdict.exit_code();
    let document = output.json.then(|| {
        ModelDocument::Checked(Box::new(CheckDocument::new(&origin.file, origin.language, &report, diagnostics)))
    });
    let text = if output.json {
        String::new()
    } else if arguments.verifyta {
        printable(&verifyta(&model.network, &report, arguments.verifyta_options())).into_owned()
    } else {
        painted(output.color.on(&std::io::stdout()), |color| {
            check_text::render(&origin.file, &report, arguments, &shown, color)
        })
    };
    files.write(&report.properties);
    arguments.costs.show(&report.properties, &origin.file);
    arguments.graph.write(&model.network, &origin.file, Some(&report), output.quiet);
    let traces = report.properties.iter().filter_map(|property| property.trace.as_deref());
    let charts = arguments.chart.show_traces(network.as_deref(), traces, &origin.file);
    // The result must not be lost because a file could not be written, nor what it says to scripts.
    let charts = charts.unwrap_or_else(|message| {
        eprint_line(&format!("error: {message}"));
        String::new()
    });
    Checked { text: text + &charts, code, report: Ok(report), document }
}
