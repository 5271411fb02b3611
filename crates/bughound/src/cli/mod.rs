//! Commands: from arguments to output and exit code.

mod arguments;
mod asked_models;
mod chance_arguments;
mod chart;
mod check;
mod check_files;
mod check_text;
mod cluster;
mod compare;
mod constants;
mod cost_arguments;
mod diagnostics;
mod disk_arguments;
mod experiments;
mod explain;
mod explore;
mod export;
mod files_summary;
mod first_only;
mod formats;
mod list;
mod outputs;
mod patterns;
mod progress;
mod property_arguments;
mod quantities;
mod reduction_argument;
mod sample_arguments;
mod saving_arguments;
mod simulate;
mod subsystem_arguments;
mod supervisor;
mod table;
mod terminal;
mod thread_arguments;
mod trace;
mod trace_files;
mod trail;
mod translate;
mod view_arguments;
mod zone_arguments;

use std::borrow::Cow;
use std::io::Write;
use std::panic;
use std::process::ExitCode;
use std::sync::Mutex;

use bughound::model::{LoadError, Model, ModelOptions, load};
use bughound::printable::{printable, printable_coloured};
use bughound::report;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::error::ErrorDocument;
use bughound::run::RunError;
use bughound::verdict::{EXIT_INTERNAL, EXIT_USAGE};
use bughound_ir::source::SourceMap;
use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command, OutputArguments};

/// What a command leaves behind: the text for the standard output and the exit code.
pub struct Outcome {
    pub text: String,
    pub code: u8,
}

/// What a panic said.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Stack of the working thread. Only what is used is really taken; deep models need it.
const STACK_BYTES: [usize; 3] = [512 << 20, 128 << 20, 16 << 20];

pub fn main() -> ExitCode {
    supervisor::begin();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(told) => return told_instead(&told),
    };
    let json = arguments.command.json();
    let (command, file) = arguments.command.about();
    supervisor::watch(arguments.command.bounds(), command, file, json);
    panic::set_hook(Box::new(|info| {
        if let Ok(mut note) = PANIC.lock() {
            *note = Some(info.to_string().replace('\n', " "));
        }
    }));
    let outcome = on_large_stack(move || dispatch(arguments)).unwrap_or_else(|| internal(&panic_note(), json));
    if !supervisor::take_output() {
        // Time is over, and what is known is being told.
        loop {
            std::thread::park();
        }
    }
    let text = match command {
        // Strings of JSON documents are escaped by themselves.
        _ if json => Cow::Borrowed(outcome.text.as_str()),
        // These have made it printable before they coloured it.
        "check" | "cluster" | "trace" | "simulate" => printable_coloured(&outcome.text),
        _ => printable(&outcome.text),
    };
    written(print(&text), outcome.code)
}

/// Help, the version, or what is wrong with the arguments; the latter as a document, too, if that is asked for.
fn told_instead(told: &clap::Error) -> ExitCode {
    let mut result = told.print().and_then(|()| std::io::stdout().flush());
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if told.use_stderr() && words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
        let known = |word: &&String| Arguments::command().find_subcommand(word).is_some();
        let command = words.first().filter(known).map_or("", String::as_str);
        let text = told.render().to_string();
        let (message, help) = text.split_once("\n\n").unwrap_or((&text, ""));
        let message = message.strip_prefix("error: ").unwrap_or(message).trim();
        let help = Some(help.trim()).filter(|help| !help.is_empty());
        let errors = vec![DiagnosticDocument::error(message, help)];
        result = print(&report::text(&ErrorDocument::new(command, "", EXIT_USAGE, errors)));
    }
    written(result, told.exit_code() as u8)
}

/// Prints a result. Where an option has the standard output for what it writes, people read the other stream.
fn print(text: &str) -> std::io::Result<()> {
    if outputs::output_is_a_file() {
        return std::io::stderr().write_all(text.as_bytes());
    }
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// The exit code after something was written to the standard output, or could not be.
fn written(result: std::io::Result<()>, code: u8) -> ExitCode {
    match result {
        // Whoever does not read to the end does not want to hear about it.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            eprint_line(&format!("error: the result cannot be written to the standard output: {error}"));
            ExitCode::from(EXIT_USAGE)
        }
        _ => ExitCode::from(code),
    }
}

/// What the last panic said.
fn panic_note() -> String {
    PANIC.lock().ok().and_then(|mut note| note.take()).unwrap_or_else(|| "unknown".into())
}

/// Runs the work on a thread with a large stack; `None` if it panicked.
fn on_large_stack(work: impl FnOnce() -> Outcome + Send + 'static) -> Option<Outcome> {
    let mut work = Some(work);
    for size in STACK_BYTES {
        let (send, receive) = std::sync::mpsc::channel();
        let run = move || {
            if let Ok(work) = receive.recv() {
                let work: Box<dyn FnOnce() -> Outcome + Send> = work;
                return Some(work());
            }
            None
        };
        // The work is handed over only once the thread exists: a refused stack must not swallow it.
        if let Ok(thread) = std::thread::Builder::new().name("bughound".into()).stack_size(size).spawn(run) {
            let work = work.take()?;
            send.send(Box::new(work)).ok()?;
            return thread.join().ok()?;
        }
    }
    let work = work.take()?;
    panic::catch_unwind(panic::AssertUnwindSafe(work)).ok()
}

fn dispatch(arguments: Arguments) -> Outcome {
    match arguments.command {
        Command::Check(arguments) => check::run(&arguments),
        Command::Cluster(arguments) => cluster::run(*arguments),
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Explore(arguments) => explore::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Trace(arguments) => trace::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Translate(arguments) => translate::run(&arguments),
        Command::List(arguments) => Outcome { text: list::run(&arguments), code: 0 },
        Command::Completions { shell } => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "bughound", &mut text);
            Outcome { text: String::from_utf8_lossy(&text).into_owned(), code: 0 }
        }
    }
}

impl Outcome {
    /// That of a command without a result, which was told on the standard error.
    fn failed(document: &ErrorDocument, json: bool) -> Outcome {
        Outcome { text: if json { report::text(document) } else { String::new() }, code: document.exit_code }
    }
}

/// A message on the standard error, and with `--json` a document on the standard output.
fn fail(
    code: u8,
    message: &str,
    help: Option<&str>,
    output: &OutputArguments,
    details: Option<Vec<DiagnosticDocument>>,
) -> Outcome {
    Outcome::failed(&complain(code, message, help, output, details), output.json)
}

/// A message on the standard error, and what it is as a document.
fn complain(
    code: u8,
    message: &str,
    help: Option<&str>,
    output: &OutputArguments,
    details: Option<Vec<DiagnosticDocument>>,
) -> ErrorDocument {
    let color = output.color.on(&std::io::stderr());
    if !message.is_empty() {
        let word = if color { "\x1b[1;31merror\x1b[0m" } else { "error" };
        eprint_line(&format!("{word}: {}", printable(message)));
    }
    if let Some(help) = help {
        eprint_line(&format!("  help: {}", printable(help)));
    }
    error_document(code, details.unwrap_or_else(|| vec![DiagnosticDocument::error(message, help)]))
}

fn error_document(code: u8, errors: Vec<DiagnosticDocument>) -> ErrorDocument {
    let (command, file) = supervisor::about();
    ErrorDocument::new(command, &file, code, errors)
}

fn internal(note: &str, json: bool) -> Outcome {
    Outcome::failed(&complain_internal(note), json)
}

fn complain_internal(note: &str) -> ErrorDocument {
    eprint_line(&format!("internal error: {note}"));
    eprint_line("This is a bug in bughound, not in your model. Please report it, with the model if you can.");
    error_document(EXIT_INTERNAL, vec![DiagnosticDocument::error(&format!("internal error: {note}"), None)])
}

fn run_error(error: &RunError, output: &OutputArguments) -> Outcome {
    match error {
        RunError::Usage(message) => fail(EXIT_USAGE, message, None, output, None),
        RunError::Internal(message) => internal(message, output.json),
    }
}

fn load_error(error: &LoadError, output: &OutputArguments) -> Outcome {
    Outcome::failed(&complain_load(error, output), output.json)
}

fn complain_load(error: &LoadError, output: &OutputArguments) -> ErrorDocument {
    match error {
        LoadError::File { message, help } => complain(EXIT_USAGE, message, help.as_deref(), output, None),
        LoadError::Model { diagnostics, sources } => {
            let shown: Vec<_> = diagnostics.iter().filter(|d| d.is_error() || !output.quiet).cloned().collect();
            show_diagnostics(&shown, sources, output);
            let errors = diagnostics.iter().filter(|d| d.is_error()).count();
            let message = format!("the model has {}", quantities::counted(errors as u64, "error"));
            let details = DiagnosticDocument::all(diagnostics, sources);
            complain(EXIT_USAGE, &message, None, output, Some(details))
        }
    }
}

fn show_diagnostics(diagnostics: &[bughound_ir::source::Diagnostic], sources: &SourceMap, output: &OutputArguments) {
    if !diagnostics.is_empty() {
        let color = output.color.on(&std::io::stderr());
        let text = painted(color, |color| diagnostics::render(diagnostics, sources, color));
        eprint_line(text.trim_end());
        eprint_line("");
    }
}

/// Loads a model and shows its warnings. The error is the end of the command.
fn load_model(file: &str, options: &ModelOptions, output: &OutputArguments) -> Result<Model, Outcome> {
    read_model(file, options, output).map_err(|error| load_error(&error, output))
}

/// The same where an error is no end.
fn read_model(file: &str, options: &ModelOptions, output: &OutputArguments) -> Result<Model, LoadError> {
    let model = load(file, options)?;
    supervisor::now("after the model was read");
    if !output.quiet {
        show_diagnostics(&model.warnings, &model.sources, output);
    }
    Ok(model)
}

/// Text with colours, unless something in it would be obeyed by a terminal: then nothing but that is escaped, so that colours
/// are always our own.
fn painted(color: bool, render: impl Fn(bool) -> String) -> String {
    let plain = render(false);
    match printable(&plain) {
        Cow::Owned(escaped) => escaped,
        Cow::Borrowed(_) if color => render(true),
        Cow::Borrowed(_) => plain,
    }
}

/// A part of the result that does not wait for the rest.
fn print_now(text: &str) {
    // If it cannot be written, the rest cannot either, and that is told then.
    let _ = print(text);
}

fn eprint_line(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", printable_coloured(text));
}
