//! Linear temporal logic and Büchi automata.
//!
//! Knows no model and no search: atoms are numbers, automata are graphs with conditions on atoms as labels. Read
//! [`formula`] and [`buchi`] first; [`mod@translate`] leads from one to the other.

pub mod buchi;
pub mod classes;
pub mod formula;
pub mod hoa;
mod implication;
pub mod label;
mod never;
pub mod parse;
pub mod patterns;
mod shared;
mod simplify;
pub mod translate;
pub mod word;

pub use buchi::{Buchi, BuchiState, Edge};
pub use classes::{Class, ClassSet, Components, classify};
pub use formula::Formula;
pub use label::Label;
pub use parse::{ParseError, parse};
pub use translate::{DEFAULT_LIMIT, TranslateError, translate};
pub use word::Word;
