//! Things with names: expressions such as `astar(h=formula, ties=lifo)`, their parameters, and guesses at misspelt names.
//!
//! Searches and heuristics are listed as entries with a name, a summary, papers and [`Param`]s. Command line, help and
//! tests follow from the lists.

pub mod expression;
pub mod params;
pub mod suggest;

pub use expression::{Expression, ExpressionError, Value};
pub use params::{Args, BuildError, Param, ParamKind};
pub use suggest::{no_such, suggest};
