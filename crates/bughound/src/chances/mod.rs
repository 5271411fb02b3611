//! Questions about chances: the state space as an explicit Markov model, and the answers of `bughound_markov` about it.
//!
//! [`walk()`] goes through all states of the network and writes them down as a matrix of exact numbers; [`Asker`] takes a question
//! apart, from the inside out; [`Outcome`] says what came out, and how certain it is.

mod explicit;
mod formulas;
mod value;
mod walk;

pub use explicit::{Built, NotBuilt, Wrong, build};
pub use formulas::{Asker, NoAnswer};
pub use value::{ChanceAnswer, Outcome};
pub use walk::walk;
