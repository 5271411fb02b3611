//! `bughound explain`: what was read, and what is suspicious about it.

use std::path::{Path, PathBuf};

use bughound::explain::abstraction::{self, Abstraction, abstractions};
use bughound::explain::warnings::{Lint, Warning, warnings};
use bughound::explain::{Explanation, dependencies, dot, explain, svg, text};
use bughound::model::{Model, load};
use bughound::report;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::explain::{ExplainDocument, WarningDocument};
use bughound::verdict::EXIT_USAGE;
use bughound_ir::source::{Diagnostic, Severity, SourceMap};
use clap::Args;

use super::arguments::{BoundArguments, ModelArguments, OutputArguments};
use super::{Outcome, fail, load_error, outputs, show_diagnostics, supervisor};

#[derive(Debug, Args)]
pub struct ExplainArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Print the automaton of every process type
    #[arg(long)]
    pub automata: bool,
    /// Print what every edge reads and writes
    #[arg(long)]
    pub dependencies: bool,
    /// What a pattern database keeps of the model for each property, and how accurate that is
    #[arg(long, value_name = "HEURISTIC", num_args = 0..=1, require_equals = true, default_missing_value = "pdb")]
    pub abstraction: Option<String>,
    /// The automata for Graphviz, on the standard output or as one file per process type in a directory
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub dot: Option<PathBuf>,
    /// A picture of the automata
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Do not give this warning; `all` for all (repeatable)
    #[arg(long, value_name = "NAME", value_parser = lint_parser, help_heading = "Warnings")]
    pub allow: Vec<LintName>,
    /// Treat this warning as an error: exit code 1 (repeatable; stronger than --allow)
    #[arg(long, value_name = "NAME", value_parser = lint_parser, help_heading = "Warnings")]
    pub deny: Vec<LintName>,
    #[command(flatten)]
    pub bounds: BoundArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// A warning by name, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LintName {
    All,
    One(Lint),
}

impl LintName {
    fn covers(self, lint: Lint) -> bool {
        self == LintName::All || self == LintName::One(lint)
    }
}

fn lint_parser(name: &str) -> Result<LintName, String> {
    if name == "all" {
        return Ok(LintName::All);
    }
    Lint::from_name(name).map(LintName::One).ok_or_else(|| {
        let names: Vec<&str> = Lint::ALL.iter().map(|lint| lint.name()).collect();
        format!("known warnings are all, {}", names.join(", "))
    })
}

/// A warning that is not allowed.
struct Shown {
    lint: Lint,
    diagnostic: Diagnostic,
}

impl Shown {
    fn document(&self, sources: &SourceMap) -> WarningDocument {
        WarningDocument {
            name: self.lint.name().into(),
            denied: self.diagnostic.is_error(),
            diagnostic: DiagnosticDocument::new(&self.diagnostic, sources),
        }
    }
}

impl ExplainArguments {
    /// Takes the allowed ones away and makes the denied ones errors.
    fn judge(&self, found: Vec<Warning>) -> Vec<Shown> {
        let named = |names: &[LintName], lint| names.iter().any(|name| name.covers(lint));
        let mut out = Vec::new();
        for Warning { lint, mut diagnostic } in found {
            let denied = named(&self.deny, lint);
            if denied {
                diagnostic.severity = Severity::Error;
            }
            if denied || !named(&self.allow, lint) {
                out.push(Shown { lint, diagnostic });
            }
        }
        out
    }
}

pub fn run(arguments: &ExplainArguments) -> Outcome {
    let output = &arguments.output;
    if let Err(message) = outputs::begin(&[&arguments.model.file], &[("--svg", arguments.svg.as_ref())], output.json) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    let options = arguments.model.options(Vec::new());
    let mut model = match load(&arguments.model.file, &options) {
        Ok(model) => model,
        Err(error) => return load_error(&error, output),
    };
    supervisor::now("while the model was explained");
    let all = warnings(&model, &options);
    // What the analysis says again, under a name that can be allowed or denied, is left to it.
    let repeated = |w: &Diagnostic| {
        all.iter().any(|a| a.diagnostic.span == w.span && a.diagnostic.message.starts_with(&w.message))
    };
    model.warnings.retain(|w| !repeated(w));
    if !output.quiet {
        show_diagnostics(&model.warnings, &model.sources, output);
    }
    let found = arguments.judge(all);
    let shown = found.iter().map(|w| &w.diagnostic).filter(|d| d.is_error() || !output.quiet);
    show_diagnostics(&shown.cloned().collect::<Vec<_>>(), &model.sources, output);
    let code = u8::from(found.iter().any(|w| w.diagnostic.is_error()));
    let explanation = explain(&model);
    if let Err((path, error)) = write_files(arguments, &explanation) {
        return fail(EXIT_USAGE, &format!("{}: cannot be written: {error}", path.display()), None, output, None);
    }
    let abstractions = arguments.abstraction.as_ref().map(|heuristic| abstractions(&model, heuristic));
    let abstractions = match abstractions.transpose() {
        Ok(abstractions) => abstractions,
        Err(error) => return fail(EXIT_USAGE, &error.to_string(), None, output, None),
    };
    let text = if output.json {
        let dependencies = arguments.dependencies.then(|| dependencies::dependencies(&model.network));
        let warnings = found.iter().map(|shown| shown.document(&model.sources)).collect();
        let read = DiagnosticDocument::all(&model.warnings, &model.sources);
        report::text(&ExplainDocument::new(&explanation, dependencies, abstractions.as_deref(), warnings, read))
    } else {
        printed(arguments, &model, &explanation, abstractions.as_deref())
    };
    Outcome { text, code }
}

fn write_files(arguments: &ExplainArguments, explanation: &Explanation) -> Result<(), (PathBuf, std::io::Error)> {
    let write = |path: &Path, text: String| outputs::write(path, &text).map_err(|error| (path.to_path_buf(), error));
    if let Some(directory) = arguments.dot.as_ref().filter(|d| *d != Path::new("-")) {
        std::fs::create_dir_all(directory).map_err(|error| (directory.clone(), error))?;
        for process in &explanation.processes {
            write(&directory.join(dot::file_name(process)), dot::dot(process))?;
        }
    }
    match &arguments.svg {
        Some(file) => write(file, svg::svg(&explanation.processes)),
        None => Ok(()),
    }
}

fn printed(
    arguments: &ExplainArguments,
    model: &Model,
    explanation: &Explanation,
    abstractions: Option<&[Abstraction]>,
) -> String {
    if arguments.dot.as_deref() == Some(Path::new("-")) {
        return explanation.processes.iter().map(dot::dot).collect();
    }
    let mut out = text::overview(explanation);
    if arguments.automata {
        out.push_str("\nautomata\n\n");
        out.push_str(&text::automata(&explanation.processes));
    }
    if arguments.dependencies {
        out.push_str("\ndependencies\n\n");
        out.push_str(&text::dependencies(&dependencies::dependencies(&model.network)));
    }
    if let Some(abstractions) = abstractions {
        out.push_str("\nabstractions\n\n");
        out.push_str(&abstraction::text(abstractions));
    }
    out
}
