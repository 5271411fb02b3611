//! The options of all commands.

use std::path::PathBuf;
use std::time::Duration;

use bughound::added::AddedProperty;
use bughound::check::AfterError;
use bughound::front_end::{Conventions, DIALECTS};
use bughound::language::Language;
use bughound::machine::default_memory_limit;
use bughound::model::ModelOptions;
use bughound::run::{DEFAULT_SEARCH, RunOptions};
use bughound::saved_trace::parse_define;
use bughound::searches;
use bughound_kernel::Limits;
use bughound_search::StopPolicy;
use bughound_store::{StoreKind, registry};
use clap::{Args, Parser, Subcommand, ValueEnum};

use super::disk_arguments::DiskArguments;
use super::outputs::Output;
use super::property_arguments::PropertyArguments;
use super::quantities::{parse_bytes, parse_duration};
use super::reduction_argument::ReductionArgument;
use super::sample_arguments::SampleArguments;
use super::saving_arguments::SavingArguments;
use super::supervisor::Bounds;
use super::thread_arguments::ThreadArguments;
use super::view_arguments::TraceViewArguments;
use super::zone_arguments::ZoneArguments;

/// A directed model checker: finds short counterexamples, or proves that there is none.
#[derive(Debug, Parser)]
#[command(name = "bughound", version, max_term_width = 110, after_help = EXIT_CODES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 everything holds (complete search), 1 violated, 2 wrong usage or input, \
    3 inconclusive, 4 a limit was reached or Ctrl-C, 5 internal error";

const CHECK_EXIT_CODES: &str = "Exit codes: 0 everything holds (complete search), 1 violated, 2 wrong usage or input, \
    3 inconclusive, 4 a limit was reached or Ctrl-C, 5 internal error. Of several models the worst counts: 5, 1, 2, 4, 3, 0";

const CHECK_WORDS: &str = "More models: existing files, and directories, which stand for all models below them. Other words \
    are properties of a single model: names, groups or numbers (see `bughound explain`); all if none is given";

const CHECK_USAGE: &str = "bughound check [OPTIONS] <MODEL> [PROPERTY]...\n       \
    bughound check [OPTIONS] <MODEL | DIRECTORY>...";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the properties of a model, or of several: `check A.pml B.xml DIR`
    #[command(after_help = CHECK_EXIT_CODES, override_usage = CHECK_USAGE, mut_arg("properties", |words| words.help(CHECK_WORDS)))]
    Check(Box<CheckArguments>),
    /// Check a model by several processes, of this machine or of many, each of which owns a part of the states
    #[command(after_help = EXIT_CODES)]
    Cluster(Box<super::cluster::ClusterArguments>),
    /// Run several searches on the same model and compare what they find, and at what price
    #[command(after_help = super::compare::EXIT_CODES)]
    Compare(Box<super::compare::CompareArguments>),
    /// Count the states of a model: claims are ignored, failed assertions do not stop it
    Explore(ExploreArguments),
    /// Tell what was read: processes, variables, channels, properties, and what is suspicious about them
    Explain(super::explain::ExplainArguments),
    /// Replay and show a counterexample saved by `check --save-trace`, or a trail of SPIN
    Trace(TraceArguments),
    /// Run a model step by step: at random, along a saved trace, or by hand with undo
    Simulate(super::simulate::SimulateArguments),
    /// Translate a formula of temporal logic to an automaton, or an automaton from one format to another
    Translate(super::translate::TranslateArguments),
    /// List what can be named in options
    List(ListArguments),
    /// Print a completion script for a shell
    Completions { shell: clap_complete::Shell },
}

impl Command {
    /// One JSON document on the standard output?
    pub fn json(&self) -> bool {
        match self {
            Command::Check(c) => c.output.json,
            Command::Cluster(c) => c.check.output.json && !c.is_member(),
            Command::Compare(c) => c.output.json,
            Command::Explore(e) => e.output.json,
            Command::Explain(e) => e.output.json,
            Command::Trace(t) => t.output.json,
            Command::Simulate(s) => s.output.json,
            Command::List(_) | Command::Completions { .. } | Command::Translate(_) => false,
        }
    }

    /// What all of it may use.
    pub fn bounds(&self) -> Bounds {
        match self {
            Command::Check(c) => c.search.run.bounds.bounds(),
            Command::Cluster(c) if c.is_member() => Bounds { time: None, ..c.check.search.run.bounds.bounds() },
            Command::Cluster(c) => c.check.search.run.bounds.bounds(),
            Command::Compare(c) => c.run.bounds.bounds(),
            Command::Explore(e) => e.search.run.bounds.bounds(),
            Command::Explain(e) => e.bounds.bounds(),
            Command::Trace(t) => t.bounds.bounds(),
            Command::Simulate(s) => s.bounds.bounds(),
            Command::Translate(t) => t.bounds.bounds(),
            Command::List(_) | Command::Completions { .. } => Bounds::default(),
        }
    }

    /// Its name, and the file that it is about.
    pub fn about(&self) -> (&'static str, &str) {
        match self {
            Command::Check(c) => ("check", &c.model.file),
            Command::Cluster(c) => ("cluster", &c.check.model.file),
            Command::Compare(c) => ("compare", &c.model.file),
            Command::Explore(e) => ("explore", &e.model.file),
            Command::Explain(e) => ("explain", &e.model.file),
            Command::Trace(t) => ("trace", &t.file),
            Command::Simulate(s) => ("simulate", &s.model.file),
            Command::Translate(t) => ("translate", t.hoa.as_deref().or(t.formula.as_deref()).unwrap_or_default()),
            Command::List(_) => ("list", ""),
            Command::Completions { .. } => ("completions", ""),
        }
    }
}

/// Which model, and how it is read.
#[derive(Debug, Args)]
pub struct ModelArguments {
    /// The model; `-` reads the standard input (with --language)
    pub file: String,
    #[command(flatten)]
    pub reading: ReadingArguments,
}

impl ModelArguments {
    pub fn options(&self, added: Vec<AddedProperty>) -> ModelOptions {
        self.reading.options(added)
    }
}

/// How a model is read.
#[derive(Debug, Args)]
pub struct ReadingArguments {
    /// Define a macro, as in SPIN, or set a constant of a UPPAAL model: -DN=3
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = define_parser)]
    pub define: Vec<String>,
    /// Give constants of a PRISM, JANI or UPPAAL model their values: N=3,p=0.5; a range (N=1:5 or N=1:2:9) checks all of them
    #[arg(long = "const", value_name = "NAME=VALUE,…", value_delimiter = ',', value_parser = super::constants::constant_parser)]
    pub constants: Vec<String>,
    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// Look for included files in this directory, too
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// The language of the model, whatever the ending of the file
    #[arg(long, value_name = "LANGUAGE", value_parser = language_parser)]
    pub language: Option<Language>,
    /// Join chains of deterministic local statements into one step, as SPIN does
    #[arg(long, value_name = "on|off", default_value = "on")]
    pub merge: Switch,
    /// Variants of the language: lossy (a message sent to a full channel is lost, SPIN's -m), inner-unless-first (-J),
    /// no-priorities (-o6), flat-scopes (-O), explicit-semicolons (-o7)
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = dialect_parser)]
    pub dialect: Vec<String>,
}

impl ReadingArguments {
    /// What is defined, with these constants.
    pub fn defines_with(&self, constants: &[String]) -> Vec<(String, Option<String>)> {
        self.define.iter().chain(constants).map(|text| parse_define(text)).collect()
    }

    pub fn options(&self, added: Vec<AddedProperty>) -> ModelOptions {
        ModelOptions {
            language: self.language,
            defines: self.defines_with(&self.constants),
            undefines: self.undefine.clone(),
            include_dirs: self.include.clone(),
            merge: self.merge == Switch::On,
            dialect: self.dialect.clone(),
            added,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Fairness {
    Weak,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Preserved {
    Errors,
    Deadlocks,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

fn dialect_parser(text: &str) -> Result<String, String> {
    let known = DIALECTS.map(|(name, _)| name);
    if known.contains(&text) { Ok(text.to_string()) } else { Err(format!("known are {}", known.join(", "))) }
}

fn language_parser(text: &str) -> Result<Language, String> {
    Language::from_name(text).ok_or_else(|| {
        let names: Vec<&str> = Language::ALL.into_iter().map(Language::name).collect();
        format!("known languages are {}", names.join(", "))
    })
}

fn define_parser(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or("");
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if is_name { Ok(text.to_string()) } else { Err("expected NAME or NAME=VALUE".into()) }
}

/// How the search is made, and its limits.
#[derive(Debug, Args)]
pub struct SearchArguments {
    /// The search: a name or an expression such as `astar(h=formula)`; see `bughound list searches`
    /// [default: auto for check, bfs for explore]
    #[arg(long, value_name = "EXPR")]
    pub search: Option<String>,
    #[command(flatten)]
    pub run: RunArguments,
}

impl SearchArguments {
    /// `default`: the search where none is given.
    pub fn options(&self, default: &str) -> RunOptions {
        self.run.options(self.search.as_deref().unwrap_or(default))
    }
}

/// What the whole invocation may use.
#[derive(Debug, Args)]
pub struct BoundArguments {
    /// Stop after this time, counted from the start of the program: 30s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Limits")]
    pub max_time: Option<Duration>,
    /// Use at most this much memory: 512M, 4G [default: 80 % of the machine's or container's]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    pub max_memory: Option<u64>,
}

impl BoundArguments {
    pub fn bounds(&self) -> Bounds {
        Bounds { time: self.max_time, memory: Some(self.max_memory.unwrap_or_else(default_memory_limit)) }
    }
}

/// What holds for any search.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The heuristic of searches that are not given one; see `bughound list heuristics`
    #[arg(long, value_name = "EXPR")]
    pub heuristic: Option<String>,
    /// Take steps first from states that satisfy this, then from all; of several hints, one after the other. Answers stay the same, but sets of
    /// states may stay smaller on the way (searches: symbolic(order=saturation), symbolic(order=chaining))
    #[arg(long, value_name = "EXPR")]
    pub hint: Vec<String>,
    /// Only fair runs count for properties of infinite runs: `weak` fairness demands that a process that can always go on
    /// eventually does so
    #[arg(long, value_name = "weak")]
    pub fair: Option<Fairness>,
    /// Forget values that make no difference any more: of variables that are written again before they are read, only
    /// written, or only printed; traces show them all the same [default: on, off for explore]
    #[arg(long, value_name = "on|off")]
    pub dead_variables: Option<Switch>,
    /// How states are kept; see `bughound list stores`. States with clocks are always kept with their zones
    #[arg(long, value_name = "auto|exact|tree|compact|auto-lossy", default_value = "auto", value_parser = parse_store)]
    pub store: StoreKind,
    #[command(flatten)]
    pub threads: ThreadArguments,
    /// Leave steps out that need not be taken (partial order reduction). auto: on for check where nothing is lost, off for
    /// explore; on: the same, also for explore, with a note where nothing can be left out; check: the same, and every choice is
    /// compared with all steps, the answers with those of a search that takes them all, which takes long
    #[arg(long, value_name = "auto|off|on|check", default_value = "auto")]
    pub reduction: ReductionArgument,
    #[command(flatten)]
    pub bounds: BoundArguments,
    /// Consider no path longer than this many steps; a run that goes on for ever counts up to the end of its loop
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_depth: Option<u64>,
    /// Store at most this many states in a search; each search of each model has this limit
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_states: Option<u64>,
    #[command(flatten)]
    pub disk: DiskArguments,
}

impl RunArguments {
    pub fn options(&self, search: &str) -> RunOptions {
        RunOptions {
            search: search.to_string(),
            searches: searches::ALL,
            cycle_search: None,
            cost_search: None,
            heuristic: self.heuristic.clone(),
            hints: self.hint.clone(),
            improve: None,
            seed: self.threads.seed(),
            fair: self.fair.is_some(),
            dead_variables: self.dead_variables != Some(Switch::Off),
            store: self.store,
            threads: self.threads.asked(),
            alone: 0,
            disk: self.disk.disk(),
            limits: Limits {
                until: self.bounds.bounds().until(),
                memory: self.bounds.bounds().memory,
                states: self.max_states,
                depth: self.max_depth,
            },
            reduction: self.reduction.mode(),
        }
    }
}

fn parse_store(name: &str) -> Result<StoreKind, String> {
    let names = registry::ALL.map(|entry| entry.name).join(", ");
    registry::find(name).ok_or_else(|| format!("there is no such store; there are: {names}"))
}

/// What is printed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArguments {
    /// One JSON document on the standard output
    #[arg(long)]
    pub json: bool,
    /// No warnings, no progress, no statistics
    #[arg(long, short)]
    pub quiet: bool,
    /// No progress on the standard error
    #[arg(long)]
    pub no_progress: bool,
    /// Use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// Colours on this stream?
    pub fn on(self, stream: &impl std::io::IsTerminal) -> bool {
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}

/// Words that are existing files or directories are models, wherever they stand; the others are properties. See
/// [`asked_models`](super::asked_models).
#[derive(Debug, Args)]
pub struct CheckArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub properties: PropertyArguments,
    /// Stop at the first error found, without looking for a shorter way to it
    #[arg(long, conflicts_with_all = ["keep_going", "exhaustive", "shortest"])]
    pub first: bool,
    /// Look for no other error once one is known. By default, other properties of Promela models are then given as much
    /// effort as the first error took, and 2 seconds at least; queries of UPPAAL, PRISM and JANI models are all answered
    #[arg(long, conflicts_with_all = ["keep_going", "exhaustive"])]
    pub first_error: bool,
    /// Only a shortest counterexample will do, whatever it takes
    #[arg(long)]
    pub shortest: bool,
    /// Go on until every property is decided
    #[arg(long, conflicts_with = "exhaustive")]
    pub keep_going: bool,
    /// Visit the whole state space whatever is found
    #[arg(long)]
    pub exhaustive: bool,
    /// Look for up to N different errors: failing at other statements, or in states with processes at other locations. Each
    /// has its own trace; all properties are decided. Of properties of whole runs one error is shown
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with_all = ["first", "first_error", "fastest", "improve"])]
    pub all: Option<u64>,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub saving: SavingArguments,
    #[command(flatten)]
    pub samples: SampleArguments,
    #[command(flatten)]
    pub chances: super::chance_arguments::ChanceArguments,
    #[command(flatten)]
    pub zones: ZoneArguments,
    /// Only a counterexample that takes the least time will do
    #[arg(long, help_heading = "Timed models", conflicts_with_all = ["first", "shortest", "approximate"])]
    pub fastest: bool,
    #[command(flatten)]
    pub costs: super::cost_arguments::CostArguments,
    /// Show the zones of clock values along each trace, too
    #[arg(long, help_heading = "Timed models")]
    pub symbolic: bool,
    /// Look for shorter ways to the error of a saved trace (heuristics: hamming, fsm-distance)
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["properties", "property", "search", "exhaustive"])]
    pub improve: Option<PathBuf>,
    /// Save the counterexample of the first property that has one, for `bughound trace`. Without one, an old file is removed
    #[arg(long, value_name = "FILE.json", help_heading = "Counterexample")]
    pub save_trace: Option<PathBuf>,
    /// Write it as a trail of SPIN, for `spin -t -p -k FILE.trail MODEL`
    #[arg(long, value_name = "FILE.trail", help_heading = "Counterexample")]
    pub trail: Option<PathBuf>,
    #[command(flatten)]
    pub chart: super::chart::ChartArguments,
    #[command(flatten)]
    pub formats: super::formats::FormatArguments,
    #[command(flatten)]
    pub graph: super::formats::GraphArguments,
    #[command(flatten)]
    pub subsystem: super::subsystem_arguments::SubsystemArguments,
    #[command(flatten)]
    pub plot: super::experiments::PlotArguments,
    #[command(flatten)]
    pub view: TraceViewArguments,
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print the lines that scripts around UPPAAL's verifyta look for, instead of the usual ones; exit codes stay Bughound's
    #[arg(long, help_heading = "Output", conflicts_with_all = ["json", "chart"])]
    pub verifyta: bool,
}

impl CheckArguments {
    /// The files that are read besides the models.
    pub fn inputs(&self) -> impl Iterator<Item = &str> {
        let improved = self.improve.as_ref().and_then(|path| path.to_str());
        self.properties.files().chain(improved)
    }

    /// The check is a part of another one, which tells what comes of it and looks at the clock.
    pub fn tells_nothing(&mut self) {
        self.search.run.bounds.max_time = None;
        // What is written as a document is not shown before the end.
        self.output = OutputArguments { json: true, quiet: true, no_progress: true, color: ColorChoice::Never };
        (self.save_trace, self.trail, self.verifyta) = (None, None, false);
        (self.chart, self.formats, self.graph) = Default::default();
        (self.subsystem, self.plot) = Default::default();
        self.costs.gantt = None;
    }

    /// An option that is given though it makes sense for a single model only.
    pub fn only_for_one_model(&self) -> Option<&'static str> {
        let reports = ["--junit", "--sarif"];
        let written = self.outputs().into_iter().find(|(option, path)| path.is_some() && !reports.contains(option));
        let others = [("--improve", self.improve.is_some()), ("--verifyta", self.verifyta)];
        let others = others.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option);
        let others = others.or(self.saving.option());
        written.map(|(option, _)| option).or(others)
    }

    /// The files that are written.
    pub fn outputs(&self) -> Vec<Output<'_>> {
        let own = [
            ("--save-trace", self.save_trace.as_ref()),
            ("--trail", self.trail.as_ref()),
            ("--chart-svg", self.chart.chart_svg.as_ref()),
            ("--gantt", self.costs.gantt.as_ref()),
        ];
        let probabilistic = self.subsystem.outputs().into_iter().chain([self.plot.output()]);
        own.into_iter().chain(self.formats.outputs()).chain([self.graph.output()]).chain(probabilistic).collect()
    }

    /// The search where none is given.
    pub fn default_search(&self) -> &'static str {
        match (self.shortest, self.first) {
            (true, _) => "auto(shortest=true)",
            (_, true) => "auto(effort=0)",
            _ => DEFAULT_SEARCH,
        }
    }

    pub fn run_options(&self) -> RunOptions {
        let only_shortest = self.shortest && self.search.search.is_none();
        let (threads, alone) = self.search.run.threads.for_check();
        let asked = self.search.options(self.default_search());
        RunOptions {
            threads,
            alone,
            search: if self.first {
                super::first_only::without_shortening(&asked.search)
            } else {
                asked.search.clone()
            },
            cycle_search: only_shortest.then(|| "shortest-lasso".into()),
            cost_search: self.search.search.is_none().then(|| "anytime".into()),
            ..asked
        }
    }

    pub fn verifyta_options(&self) -> bughound::formats::verifyta::Options {
        let trace = match (self.fastest, self.shortest) {
            (true, _) => "fastest",
            (_, true) => "shortest",
            _ if self.save_trace.is_some() || self.formats.itf.is_some() => "some",
            _ => "no",
        };
        bughound::formats::verifyta::Options { seed: self.search.run.threads.seed(), trace }
    }

    /// What becomes of other properties once an error is known.
    pub fn after(&self, conventions: Conventions) -> AfterError {
        match () {
            () if self.keep_going || self.exhaustive || self.all.is_some() => AfterError::GoOn,
            () if self.first || self.first_error => AfterError::Stop,
            () => conventions.after_error,
        }
    }

    /// Are cheapest runs asked for? Nothing said: in models with prices.
    pub fn cheapest(&self) -> Option<bool> {
        let asked = self.costs.cheapest || !self.properties.goal.is_empty();
        let something_else = self.first || self.fastest || self.shortest || self.all.is_some();
        if asked { Some(true) } else { something_else.then_some(false) }
    }

    pub fn stop(&self) -> StopPolicy {
        match (self.exhaustive, self.keep_going) {
            (true, _) => StopPolicy::Exhaustive,
            (_, true) => StopPolicy::EveryProperty,
            _ => StopPolicy::FirstError,
        }
    }
}

#[derive(Debug, Args)]
pub struct ExploreArguments {
    #[command(flatten)]
    pub model: ModelArguments,
    #[command(flatten)]
    pub search: SearchArguments,
    #[command(flatten)]
    pub saving: SavingArguments,
    /// With --reduction on: what is still found. `errors`: deadlocks, failed assertions, evaluation errors
    #[arg(long, value_name = "errors|deadlocks", default_value = "errors")]
    pub preserve: Preserved,
    #[command(flatten)]
    pub graph: super::formats::GraphArguments,
    #[command(flatten)]
    pub export: super::export::ExportArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct TraceArguments {
    /// A file written by `check --save-trace`; with --trail, the model
    pub file: String,
    #[command(flatten)]
    pub trail: super::trail::TrailArguments,
    #[command(flatten)]
    pub bounds: BoundArguments,
    #[command(flatten)]
    pub chart: super::chart::ChartArguments,
    #[command(flatten)]
    pub view: TraceViewArguments,
    #[command(flatten)]
    pub output: OutputArguments,
}

#[derive(Debug, Args)]
pub struct ListArguments {
    /// What to list
    pub what: Listed,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Listed {
    Searches,
    Heuristics,
    Languages,
    Stores,
    /// The JSON Schema of what --json prints
    Schema,
    /// The JSON Schema of saved traces
    TraceSchema,
}
