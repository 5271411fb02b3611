//! `bughound simulate`: one run, at random, along a trace, or by hand.

use std::io::{BufReader, IsTerminal, Write};
use std::path::PathBuf;

use bughound::model::{Model, ModelOptions};
use bughound::printable::printable;
use bughound::report;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::simulate::{SimulateCommand, SimulateDocument};
use bughound::report::words::Schema;
use bughound::simulate::{
    DEFAULT_SEED, Ending, Guide, Interpreter, Session, SessionError, prompt, read_guide, save_text, screen, step_text,
};
use bughound::verdict::EXIT_USAGE;
use bughound_trace::{LassoShape, Reason, TextBounds, Trace, render_text, values, values_document};
use clap::Args;

use super::arguments::{BoundArguments, ModelArguments, OutputArguments};
use super::chart::ChartArguments;
use super::quantities::counted;
use super::view_arguments::TraceViewArguments;
use super::{Outcome, eprint_line, fail, load_model, outputs, painted, patterns, supervisor};

#[derive(Debug, Args)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    /// Seed of the random choices; the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Take at most so many random steps
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = parse_steps)]
    pub steps: usize,
    /// Replay a trace saved by `check --save-trace`, step by step
    #[arg(long, value_name = "TRACE.json")]
    pub trace: Option<String>,
    /// Behind the end of the trace go on at random
    #[arg(long = "continue", requires = "trace")]
    pub go_on: bool,
    /// Choose every step by hand, with undo: full-screen on a terminal, a prompt otherwise
    #[arg(long, short, conflicts_with_all = ["json", "go_on"])]
    pub interactive: bool,
    /// The prompt also on a terminal
    #[arg(long, requires = "interactive")]
    pub plain: bool,
    /// Save the run for `bughound trace` and `bughound simulate --trace`
    #[arg(long, value_name = "FILE.json")]
    pub save_trace: Option<PathBuf>,
    #[command(flatten)]
    pub bounds: BoundArguments,
    #[command(flatten)]
    pub chart: ChartArguments,
    #[command(flatten)]
    pub view: TraceViewArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

/// All states of a run are kept, so that it can be taken back.
const MOST_STEPS: usize = 1_000_000;

fn parse_steps(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(steps) if steps <= MOST_STEPS => Ok(steps),
        _ => Err(format!("expected a number up to {MOST_STEPS}")),
    }
}

pub fn run(arguments: &SimulateArguments) -> Outcome {
    let output = &arguments.output;
    let usage = |message: &str| fail(EXIT_USAGE, message, None, output, None);
    if arguments.interactive && arguments.model.file == "-" {
        return usage("an interactive simulation reads its commands from the standard input, not the model");
    }
    let inputs: Vec<&str> = [arguments.model.file.as_str()].into_iter().chain(arguments.trace.as_deref()).collect();
    let written =
        [("--save-trace", arguments.save_trace.as_ref()), ("--chart-svg", arguments.chart.chart_svg.as_ref())];
    if let Err(message) = outputs::begin(&inputs, &written, output.json) {
        return usage(&message);
    }
    let guide = match arguments.trace.as_deref().map(read_guide).transpose() {
        Ok(guide) => guide,
        Err(message) => return usage(&message),
    };
    let given = arguments.model.options(Vec::new());
    let options = match guide.as_ref().map_or_else(|| Ok(given.clone()), |guide| guide.options(given.clone())) {
        Ok(options) => options,
        Err(message) => return usage(&message),
    };
    let model = match load_model(&arguments.model.file, &options, output) {
        Ok(model) => model,
        Err(outcome) => return outcome,
    };
    patterns::check(&arguments.view, &model.network, output);
    let mut session = match Session::new(&model.network, arguments.seed) {
        Ok(session) => session,
        Err(error) => {
            // An initial state that has no value is an error of the model; what is not supported is none.
            let code = if matches!(error, SessionError::Unsupported(_)) { EXIT_USAGE } else { 1 };
            return fail(code, &format!("{}: {error}", model.file), None, output, None);
        }
    };
    let work = Work { arguments, model: &model, options: &options, guide };
    match work.simulate(&mut session) {
        Ok(outcome) => outcome,
        Err(message) => usage(&message),
    }
}

struct Work<'a> {
    arguments: &'a SimulateArguments,
    model: &'a Model,
    options: &'a ModelOptions,
    guide: Option<Guide>,
}

/// How a run that is over is shown.
struct Finished {
    ending: Ending,
    reason: Reason,
    /// The loop of the trace that was followed to its end.
    lasso: Option<LassoShape>,
    /// Steps that were given by a trace.
    guided: usize,
    /// A step failed, or the trace showed an error, before the run went on.
    failed_before: bool,
}

impl Work<'_> {
    fn simulate(&self, session: &mut Session<'_>) -> Result<Outcome, String> {
        let mut finished = match &self.guide {
            None => None,
            Some(guide) => {
                guide.follow(self.model, session, &mut |_| {})?;
                let (trace, ending) = guide.shown(self.model, session)?;
                let guided = session.taken().len();
                Some(Finished { ending, reason: trace.reason, lasso: trace.lasso, guided, failed_before: false })
            }
        };
        if self.arguments.interactive {
            return self.interact(session, finished.and_then(|f| f.lasso));
        }
        let over = session.ending().is_some();
        if finished.is_none() || (self.arguments.go_on && !over) {
            let failed_before = finished.as_ref().is_some_and(|f| f.ending.exit_code() == 1);
            let ending = session.run(self.arguments.steps, None, &supervisor::stop_signal());
            let guided = finished.map_or(0, |f| f.guided);
            let reason = session.reason(&ending);
            finished = Some(Finished { reason, ending, lasso: None, guided, failed_before });
        }
        let Some(finished) = finished else { return Err("there is nothing to simulate".into()) };
        self.show(session, &finished)
    }

    fn show(&self, session: &Session<'_>, finished: &Finished) -> Result<Outcome, String> {
        let arguments = self.arguments;
        let code = if finished.failed_before { 1 } else { finished.ending.exit_code() };
        self.save(session);
        let trace = session.trace(finished.reason.clone(), finished.lasso);
        let charts = if arguments.chart.is_wanted() {
            let mut chart = session.chart();
            chart.end_with(&finished.reason);
            chart.lasso = finished.lasso;
            arguments.chart.show(&chart, &self.model.file)?
        } else {
            String::new()
        };
        let text = if arguments.output.json {
            report::text(&self.document(session, finished, &trace, code))
        } else if arguments.output.quiet {
            format!("{}{charts}", printable(&printed(session)))
        } else {
            let color = arguments.output.color.on(&std::io::stdout());
            format!("{}{charts}", painted(color, |color| self.text(&trace, finished, color)))
        };
        Ok(Outcome { text, code })
    }

    /// The run must not be lost because a file could not be written, nor what it says to scripts.
    fn save(&self, session: &Session<'_>) {
        let Some(path) = &self.arguments.save_trace else { return };
        let saved = save_text(self.model, self.options, session).and_then(|text| {
            outputs::write(path, &text)
                .map_err(|error| format!("{}: the trace cannot be written: {error}", path.display()))
        });
        match saved {
            Err(message) => eprint_line(&format!("error: {message}")),
            Ok(()) if self.arguments.output.quiet => {}
            Ok(()) => eprint_line(&format!("run saved; show it with: bughound trace {}", path.display())),
        }
    }

    fn text(&self, trace: &Trace, finished: &Finished, color: bool) -> String {
        let view = &self.arguments.view;
        let mut options = view.text(color, "");
        // Whoever simulates wants to see every step.
        options.bounds = options.bounds.map(|bounds| TextBounds { ends: usize::MAX, ..bounds });
        let how = match (&self.guide, finished.guided) {
            (None, _) => format!("random run, seed {}", self.arguments.seed),
            (Some(guide), guided) if guided < trace.steps.len() => {
                format!(
                    "{} of {}, then at random with seed {}",
                    counted(guided as u64, "step"),
                    guide.path,
                    self.arguments.seed
                )
            }
            (Some(guide), _) => format!("along {}", guide.path),
        };
        let head = format!("{}: {how}, {}\n\n", self.model.file, counted(trace.steps.len() as u64, "step"));
        // Only errors are told like errors.
        if finished.ending.exit_code() == 1 {
            return format!("{head}{}", render_text(trace, &options));
        }
        let mut calm = trace.clone();
        calm.reason.headline = String::new();
        let steps = render_text(&calm, &options);
        let gap = if trace.steps.is_empty() { "" } else { "\n\n" };
        format!("{head}{}{gap}{}\n", steps.trim_end(), trace.reason.headline)
    }

    fn document(&self, session: &Session<'_>, finished: &Finished, trace: &Trace, code: u8) -> SimulateDocument {
        SimulateDocument {
            schema: Schema::Only,
            file: self.model.file.clone(),
            language: self.model.language.name().into(),
            command: SimulateCommand::Only,
            exit_code: code,
            seed: self.arguments.seed,
            guide: self.guide.as_ref().map(|guide| guide.path.clone()),
            guided_steps: finished.guided,
            ending: finished.ending.name().into(),
            trace: trace.into(),
            final_state: values_document(&values(&self.model.network, session.state())),
            diagnostics: DiagnosticDocument::all(&self.model.warnings, &self.model.sources),
            moves: trace.moves.iter().map(|m| (*m).into()).collect(),
        }
    }

    /// `lasso`: the loop of the trace that was followed.
    fn interact(&self, session: &mut Session<'_>, lasso: Option<LassoShape>) -> Result<Outcome, String> {
        let (stdin, stdout) = (std::io::stdin(), std::io::stdout());
        let on_terminal = stdin.is_terminal() && stdout.is_terminal() && !self.arguments.plain;
        let limit = self.arguments.steps;
        let stop = supervisor::stop_signal();
        supervisor::interact();
        let mut interpreter = Interpreter::new(self.model, self.options, session.clone(), limit, &stop);
        if on_terminal {
            screen::show(&mut interpreter).map_err(|error| format!("the terminal cannot be used: {error}"))?;
        } else {
            let mut out = stdout.lock();
            if self.guide.is_some() {
                for (at, taken) in session.taken().iter().enumerate() {
                    if let Some(text) = lasso.and_then(|lasso| lasso.beginning(at + 1)) {
                        let _ = writeln!(out, "       ── {text} ──");
                    }
                    let _ =
                        writeln!(out, "  {:>3}  {}", at + 1, printable(&step_text(&self.model.network, &taken.shown)));
                }
                if let Some(lasso) = lasso {
                    let _ = writeln!(out, "       ── {} ──", lasso.ending());
                }
            }
            // A reader that has gone away is no error.
            let _ = prompt(&mut interpreter, &mut BufReader::new(stdin.lock()), &mut out);
        }
        self.save(interpreter.session());
        let charts = if self.arguments.chart.is_wanted() {
            self.arguments.chart.show(&interpreter.session().chart(), &self.model.file)?
        } else {
            String::new()
        };
        Ok(Outcome { text: charts, code: 0 })
    }
}

/// What the model printed, as it printed it.
fn printed(session: &Session<'_>) -> String {
    session.taken().iter().flat_map(|taken| &taken.shown.printed).map(String::as_str).collect()
}
