//! Questions about chances: the state space as an explicit Markov model, and the answers of `bughound_markov` about it.
//!
//! [`explicit`] walks all states of the network and writes them down as a matrix of exact numbers; [`formulas`] takes a question
//! apart, from the inside out; [`value`] says what came out, and how certain it is.

mod explicit;
mod formulas;
mod value;

pub use explicit::{Built, NotBuilt, build};
pub use formulas::{Asker, NoAnswer};
pub use value::{ChanceAnswer, Outcome};
