//! `bughound compare`: several searches on the same errors, one row each. On many models: `portfolio/`.

mod csv;
mod portfolio;
mod svg;
mod text;

use std::path::PathBuf;
use std::time::Duration;

use bughound::compare::{CompareRequest, Comparison, DEFAULT_SEARCHES, compare, split};
use bughound::report;
use bughound::report::compare::CompareDocument;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::run::Hooks;
use bughound::verdict::EXIT_USAGE;
use bughound_search::Progress;
use clap::Args;

use super::arguments::{ModelArguments, OutputArguments, RunArguments};
use super::progress::ProgressLine;
use super::property_arguments::PropertyArguments;
use super::quantities::parse_duration;
use super::zone_arguments::ZoneArguments;
use super::{Outcome, eprint_line, fail, load_model, outputs, run_error, supervisor};

pub const EXIT_CODES: &str = "Exit codes: 0 the searches that finished agree, 2 wrong usage or input, 3 no search has an \
    answer, 4 all reached a limit, or Ctrl-C, 5 two searches contradict each other (a bug)";

#[derive(Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub properties: PropertyArguments,
    /// The searches, separated by commas, such as 'bfs,astar(h=formula, ties=lifo)' (repeatable)
    /// [default: bfs,dfs,greedy,astar,auto]
    #[arg(long, value_name = "EXPR,…")]
    pub searches: Vec<String>,
    /// Each search ends after this time; without it, the searches share --max-time evenly
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub time_each: Option<Duration>,
    #[command(flatten)]
    pub run: RunArguments,
    #[command(flatten)]
    pub zones: ZoneArguments,
    /// The table as comma-separated values
    #[arg(long, conflicts_with = "json", help_heading = "Output")]
    pub csv: bool,
    /// Write a picture of expanded states and lengths
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub many: portfolio::PortfolioArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

impl CompareArguments {
    fn expressions(&self) -> Vec<String> {
        match &self.searches[..] {
            [] => DEFAULT_SEARCHES.map(String::from).to_vec(),
            lists => lists.iter().flat_map(|list| split(list)).collect(),
        }
    }
}

pub fn run(arguments: &CompareArguments) -> Outcome {
    if arguments.many.portfolio {
        return portfolio::run(arguments);
    }
    let output = &arguments.output;
    let inputs: Vec<&str> = [arguments.model.file.as_str()].into_iter().chain(arguments.properties.files()).collect();
    if let Err(message) = outputs::begin(&inputs, &[("--svg", arguments.svg.as_ref())], output.json) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    let options = arguments.model.options(arguments.properties.added());
    let model = match load_model(&arguments.model.file, &options, output) {
        Ok(model) => model,
        Err(outcome) => return outcome,
    };
    let selection = match arguments.properties.selection(&arguments.properties.properties, &model) {
        Ok(selection) => selection,
        Err(message) => return fail(EXIT_USAGE, &message, None, output, None),
    };
    let request = CompareRequest {
        selection,
        zones: arguments.zones.options(),
        searches: arguments.expressions(),
        run: arguments.run.options(""),
        each: arguments.time_each,
    };
    let mut line = ProgressLine::new(output.color.on(&std::io::stderr()));
    let mut report = |p: &Progress| line.report(p);
    let progress: Option<&mut dyn FnMut(&Progress)> =
        if output.quiet || output.no_progress { None } else { Some(&mut report) };
    let result = compare(&model, &request, Hooks { stop: supervisor::stop_signal(), progress, ..Hooks::default() });
    line.clear();
    let comparison = match result {
        Ok(comparison) => comparison,
        Err(error) => return run_error(&error, output),
    };
    complain(&comparison, output);
    let text = if output.json {
        let diagnostics = DiagnosticDocument::all(&model.warnings, &model.sources);
        report::text(&CompareDocument::new(&model.file, model.language, &comparison, diagnostics))
    } else if arguments.csv {
        csv::render(&comparison)
    } else {
        text::render(&model.file, &comparison)
    };
    let mut code = comparison.exit_code();
    if let Some(path) = &arguments.svg
        && let Err(error) = outputs::write(path, &svg::render(&model.file, &comparison))
    {
        // The result must not be lost because a file could not be written.
        eprint_line(&format!("error: {}: the picture cannot be written: {error}", path.display()));
        code = EXIT_USAGE;
    }
    Outcome { text, code }
}

/// What must not be overlooked, whatever becomes of the standard output.
fn complain(comparison: &Comparison, output: &OutputArguments) {
    for contradiction in &comparison.contradictions {
        eprint_line(&format!("CONTRADICTION: {contradiction}"));
    }
    let unconfirmed = comparison.rows.iter().filter_map(|row| match row.answer {
        bughound::compare::Answer::Unconfirmed => row.reason.as_ref().map(|why| (&row.search, why)),
        _ => None,
    });
    let mut is_bug = !comparison.contradictions.is_empty();
    for (search, why) in unconfirmed {
        eprint_line(&format!("internal error in `{search}`: {why}"));
        is_bug = true;
    }
    if is_bug {
        eprint_line("This is a bug in bughound, not in your model. Please report it, with the model if you can.");
    }
    if !comparison.left_out.is_empty() && !output.quiet {
        let names = comparison.left_out.join(", ");
        eprint_line(&format!("note: not compared: {names}; properties that need a search of their own must be named"));
    }
}
