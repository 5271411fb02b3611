//! Questions about chances: the state space as an explicit Markov model, and the answers of `bughound_markov` about it.
//!
//! [`walk()`] goes through all states of the network and writes them down as a matrix of exact numbers; [`Asker`] takes a question
//! apart, from the inside out; [`Outcome`] says what came out, and how certain it is.

mod counterexample;
mod directed;
mod explicit;
mod formulas;
mod likelihoods;
mod most_probable;
mod on_the_fly;
mod reachability;
pub mod samples;
mod shown;
mod value;
mod walk;

pub use counterexample::{Counterexample, ShownCommand, ShownEdge, ShownPath, ShownState, Shows};
pub use directed::{ChanceOptions, ExploreBy, Guidance, Hunt, Hunted};
pub use explicit::{Built, NotBuilt, Wrong, build};
pub use formulas::{Asker, NoAnswer};
pub use likelihoods::with_likelihoods;
pub use most_probable::{ListedPath, ListedStep, MostProbable};
pub use reachability::Reachability;
pub use value::{ChanceAnswer, Outcome};
pub use walk::walk;
