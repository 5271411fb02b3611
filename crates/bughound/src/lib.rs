//! Bughound as a library: load a model, check its properties, explore its state space, replay a trace.
//!
//! ```
//! use bughound::check::{CheckRequest, check};
//! use bughound::language::Language;
//! use bughound::model::{ModelOptions, load_text};
//! use bughound::run::Hooks;
//! use bughound::verdict::Verdict;
//!
//! let text = b"byte x; active [2] proctype P() { x = x + 1; assert(x < 2) }";
//! let model = load_text("two.pml", text, Language::Promela, &ModelOptions::default()).unwrap();
//! let report = check(&model, &CheckRequest::default(), Hooks::default()).unwrap();
//! assert_eq!(report.verdict, Verdict::Violated);
//! let assertion = report.properties.iter().find(|p| p.name == "assertion").unwrap();
//! assert!(assertion.trace.is_some());
//! ```

pub mod added;
pub mod check;
mod check_claims;
mod check_extremes;
mod check_order;
mod check_runs;
mod check_timed;
pub mod compare;
pub mod condition;
pub mod coverage;
pub mod explain;
pub mod explore;
mod fastest;
pub mod formats;
pub mod guide;
mod initial;
pub mod input;
pub mod language;
pub mod liveness;
pub mod machine;
pub mod model;
mod model_error;
pub mod printable;
pub mod properties;
pub mod run;
pub mod saved_trace;
pub mod simulate;
mod timed_trace;
pub mod verdict;
pub mod zones;
