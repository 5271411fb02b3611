//! Bughound as a library: load a model, check its properties, explore its state space, replay a trace; or check a model that
//! is written in Rust ([`native`]).
//!
//! ```
//! use bughound::{CheckRequest, Hooks, Language, Model, ModelOptions, Verdict};
//!
//! let text = "byte x; active [2] proctype P() { x = x + 1; assert(x < 2) }";
//! let model = Model::from_text("two.pml", text, Language::Promela, &ModelOptions::default())?;
//! let report = model.check(&CheckRequest::default(), Hooks::default())?;
//! assert_eq!(report.verdict, Verdict::Violated);
//! let assertion = report.properties.iter().find(|p| p.name == "assertion").unwrap();
//! assert!(assertion.proven_shortest && assertion.trace.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Searches and limits.** [`RunOptions`] names the search and its [`Limits`]; a [`StopSignal`] ends a run from another
//! thread. Neither makes a wrong answer: what was not decided is [`Verdict::Limit`] or [`Verdict::Inconclusive`].
//!
//! ```
//! use bughound::{CheckRequest, Hooks, Language, Limits, Model, ModelOptions, StopReason, StopSignal, Verdict};
//!
//! let text = "int x; active proctype P() { do :: x >= 0 -> x++ od }";
//! let model = Model::from_text("endless.pml", text, Language::Promela, &ModelOptions::default())?;
//! let mut request = CheckRequest::default();
//! request.run.search = "dfs".into();
//! request.run.limits = Limits { states: Some(1000), ..Limits::default() };
//! let report = model.check(&request, Hooks::default())?;
//! assert_eq!((report.verdict, report.stats.unwrap().stop_reason), (Verdict::Limit, Some(StopReason::States)));
//!
//! let stop = StopSignal::default();
//! stop.raise(StopReason::Interrupted);
//! let report = model.check(&CheckRequest::default(), Hooks { stop, ..Hooks::default() })?;
//! assert_eq!(report.verdict, Verdict::Limit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Errors.** [`LoadError`] tells a file that cannot be read from a text that is no model, whose [`Diagnostic`]s have places.
//! [`RunError`] tells a mistake of the one who asks from a bug. An error of the *model* is no error of the program: it is a
//! verdict with a trace.
//!
//! ```
//! use bughound::{CheckRequest, Hooks, Language, Model, ModelOptions, RunError};
//!
//! let model = Model::from_text("empty.pml", "init { skip }", Language::Promela, &ModelOptions::default())?;
//! let mut request = CheckRequest::default();
//! request.run.search = "bsf".into();
//! assert!(matches!(model.check(&request, Hooks::default()), Err(RunError::Usage(why)) if why.contains("`bfs`")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Exploring.** [`Model::explore`] goes through all states and counts.
//!
//! ```
//! use bughound::{CheckRequest, Hooks, Language, Model, ModelOptions};
//!
//! let text = "byte x; active proctype P() { do :: x < 9 -> x++ :: else -> break od }";
//! let model = Model::from_text("nine.pml", text, Language::Promela, &ModelOptions::default())?;
//! let space = model.explore(&CheckRequest::default().run, Hooks::default())?;
//! assert!(space.stats.complete && space.stats.counts.stored > 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Without the feature `cli` (`default-features = false`) there is no program, and none of the crates for arguments and
//! terminals that it needs.

pub mod added;
pub mod answer;
pub mod chances;
pub mod check;
pub mod compare;
pub mod condition;
pub mod coverage;
mod embedding;
mod execute;
pub mod expected;
pub mod explain;
pub mod explore;
pub mod formats;
pub mod front_end;
pub mod guide;
pub mod input;
pub mod language;
pub mod layers;
pub mod liveness;
pub mod long_runs;
pub mod machine;
pub mod model;
pub mod model_files;
pub mod numbers;
pub mod plan;
pub mod plot;
pub mod printable;
pub mod properties;
pub mod report;
pub mod run;
pub mod saved_trace;
pub mod searches;
pub mod simulate;
pub mod spin_trail;
pub mod subsystem;
pub mod verdict;
pub mod zones;

pub use bughound_native as native;

pub use answer::{Answer, Figure};
pub use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};
pub use bughound_kernel::{Limits, StopReason, StopSignal};
pub use bughound_search::{Progress, Statistics, StopPolicy};
pub use bughound_trace::text_table;
pub use bughound_trace::{TextOptions, Trace, TraceStep, render_text};
pub use check::{CheckReport, CheckRequest, PropertyReport};
pub use explore::ExploreReport;
pub use language::Language;
pub use model::{LoadError, Model, ModelOptions};
pub use run::{Hooks, RunError, RunOptions, RunStats};
pub use verdict::Verdict;
