//! Why there is no report.

use std::fmt;

/// Why a check has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The search expression is wrong, or asks for a heuristic that there is not. The text shows where.
    Search(String),
    /// Two properties have this name, so that answers could not be told apart.
    SameName(String),
    /// The model has no initial state: everything would hold.
    NoInitialState,
    /// There is no room for the initial states.
    OutOfMemory,
    /// A trace could not be executed once more: the model answers differently when it is asked again.
    NotRepeatable {
        property: String,
        /// The step of the trace at which it differed, from 0; the number of steps if its end did.
        step: usize,
        what: &'static str,
    },
    /// An estimate that claims never to be too large is too large on a trace.
    WrongClaim {
        property: String,
        /// Steps of the trace before the state.
        step: usize,
        /// What was claimed; `None` for a dead end.
        estimate: Option<u64>,
        /// What the rest of the trace costs.
        rest: u64,
    },
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Search(message) => f.write_str(message),
            CheckError::SameName(name) => write!(f, "two properties are called `{name}`: give each a name of its own"),
            CheckError::NoInitialState => f.write_str("the model has no initial state: return at least one"),
            CheckError::OutOfMemory => f.write_str("the memory limit has no room for the initial states"),
            CheckError::NotRepeatable { property, step, what } => write!(
                f,
                "the model answers differently when it is asked again: step {step} of the trace for `{property}`: \
                 {what}; its methods must depend on their arguments only"
            ),
            CheckError::WrongClaim { property, step, estimate, rest } => {
                write!(
                    f,
                    "the estimate for `{property}` claims never to be too large, but after step {step} of a trace "
                )?;
                match estimate {
                    Some(estimate) => write!(f, "it is {estimate} where {rest} is enough"),
                    None => write!(f, "it sees no way where there is one of {rest}"),
                }
            }
        }
    }
}

impl std::error::Error for CheckError {}
