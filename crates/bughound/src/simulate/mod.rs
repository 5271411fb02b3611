//! Simulation: one run of a model, step by step, at random, along a saved trace or by hand.
//!
//! What is simulated is what is checked: every step is one of those that the reference evaluator offers, the same that
//! confirms counterexamples. A [`Session`] holds a run and can take it back; everything else is built on it.
//!
//! - `session`: the run; `random`: the numbers; `describe`: steps in words; `ending`: why it is over.
//! - `condition`: conditions in the words of the model; `trace_file`: traces in and out.
//! - `command`, `interpreter`: what a user can ask for; `prompt`: in lines; `screen`: on a whole terminal.

pub mod command;
mod describe;
mod ending;
mod interpreter;
mod prompt;
#[cfg(feature = "cli")]
pub mod screen;
mod session;
mod trace_file;

pub use describe::{choice_text, step_text};
pub use ending::Ending;
pub use interpreter::{Answer, Interpreter};
pub use prompt::prompt;
pub use session::{DEFAULT_SEED, Session, SessionError, Taken};
pub use trace_file::{Guide, read_guide, save_text};
