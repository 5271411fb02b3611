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
pub mod compare;
pub mod condition;
pub mod coverage;
mod execute;
pub mod explain;
pub mod explore;
pub mod formats;
pub mod front_end;
pub mod guide;
pub mod input;
pub mod language;
pub mod liveness;
pub mod machine;
pub mod model;
pub mod plan;
pub mod printable;
pub mod properties;
pub mod run;
pub mod saved_trace;
pub mod simulate;
pub mod spin_trail;
pub mod verdict;
pub mod zones;
