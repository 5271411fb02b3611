//! Sets of states as the searches use them: where there is no room for a result, the search ends, and this is a verdict.

pub(crate) use bughound_diagrams::{Diagrams, NoRoom, Renaming, Set, TooManyBits};
use bughound_kernel::StopReason;
use bughound_kernel::registry::BuildError;
use bughound_search::SearchError;

/// Why a computation ended before its result.
#[derive(Debug)]
pub(crate) enum Stop {
    Limit(StopReason),
    /// Keys have more parts than there is room for: so many.
    MoreParts(usize),
    /// What the system says of itself is wrong.
    Broken(String),
    /// The search cannot do what it is asked for.
    Refused(BuildError),
}

impl From<NoRoom> for Stop {
    fn from(_: NoRoom) -> Stop {
        Stop::Limit(StopReason::Memory)
    }
}

impl From<TooManyBits> for Stop {
    fn from(_: TooManyBits) -> Stop {
        let most = Diagrams::MOST_BITS;
        let why = format!("symbolic searches cannot search this: a state has more than {most} bits");
        Stop::Refused(BuildError::new(why, 0..0))
    }
}

impl Stop {
    /// The limit, or the error that it is.
    pub fn reason(self) -> Result<StopReason, SearchError> {
        match self {
            Stop::Limit(reason) => Ok(reason),
            Stop::Broken(what) => {
                Err(BuildError::new(format!("the model contradicts what is known of it: {what}"), 0..0).into())
            }
            Stop::Refused(error) => Err(error.into()),
            Stop::MoreParts(parts) => Err(BuildError::new(format!("no room for {parts} processes"), 0..0).into()),
        }
    }
}

pub(crate) type Computed<T> = Result<T, Stop>;
