//! Models written in Rust.
//!
//! A model is a type that implements [`RustModel`]: states are values of a type of its own, steps are actions, and
//! [properties](Property) are conditions on states. [`Checker`] runs any search of Bughound on it, by name. States are kept
//! as they are and compared exactly, so "holds" is a proof; every trace is executed once more by the model itself before it
//! is returned.
//!
//! ```
//! use bughound_native::{Checker, Property, RustModel, Verdict};
//!
//! /// Two jugs of three and five litres. Can one measure four?
//! struct Jugs;
//!
//! #[derive(Clone, Debug, PartialEq)]
//! enum Pour { FillSmall, FillLarge, EmptySmall, EmptyLarge, IntoLarge, IntoSmall }
//!
//! impl RustModel for Jugs {
//!     type State = (u8, u8);
//!     type Action = Pour;
//!
//!     fn initial_states(&self) -> Vec<(u8, u8)> {
//!         vec![(0, 0)]
//!     }
//!
//!     fn actions(&self, _: &(u8, u8), actions: &mut Vec<Pour>) {
//!         use Pour::*;
//!         actions.extend([FillSmall, FillLarge, EmptySmall, EmptyLarge, IntoLarge, IntoSmall]);
//!     }
//!
//!     fn next_state(&self, &(small, large): &(u8, u8), action: &Pour) -> Option<(u8, u8)> {
//!         let (to_large, to_small) = (small.min(5 - large), large.min(3 - small));
//!         Some(match action {
//!             Pour::FillSmall => (3, large),
//!             Pour::FillLarge => (small, 5),
//!             Pour::EmptySmall => (0, large),
//!             Pour::EmptyLarge => (small, 0),
//!             Pour::IntoLarge => (small - to_large, large + to_large),
//!             Pour::IntoSmall => (small + to_small, large - to_small),
//!         })
//!     }
//!
//!     fn properties(&self) -> Vec<Property<Self>> {
//!         vec![
//!             Property::sometimes("four litres", |_, (_, large)| *large == 4),
//!             Property::always("no jug overflows", |_, (small, large)| *small <= 3 && *large <= 5),
//!         ]
//!     }
//! }
//!
//! let report = Checker::new(&Jugs).search("bfs").check()?;
//! let four = report.answer("four litres").unwrap();
//! assert_eq!(four.verdict, Verdict::Satisfied);
//! let trace = four.trace.as_ref().unwrap();
//! assert_eq!((trace.steps.len(), trace.proven_shortest), (6, true));
//! assert_eq!(trace.steps[0].action, Pour::FillLarge);
//! assert_eq!(report.answer("no jug overflows").unwrap().verdict, Verdict::Holds);
//! # Ok::<(), bughound_native::CheckError>(())
//! ```

mod checker;
mod claims;
mod error;
mod guide;
mod model;
mod property;
mod replay;
mod report;
mod space;
mod store;

pub use checker::Checker;
pub use claims::{ClaimError, TrueDistances, check_estimates};
pub use error::CheckError;
pub use model::RustModel;
pub use property::{Property, PropertyKind};
pub use report::{Answer, Report, Trace, TraceStep};

pub use bughound_kernel::{Estimate, HeuristicClaims, Limits, StopReason, StopSignal, Verdict};
pub use bughound_search::{Incompleteness, Progress, Statistics};
