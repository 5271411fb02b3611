//! Why an expression had no value or an operation no meaning.
//!
//! The numbers are the `code` of a [`Failure`] of kind [`FailureKind::Evaluation`]. Every evaluator uses this list, so
//! that a failure found by one can be described by another. Numbers are stable: new errors are added at the end.
//!
//! For a [`FailureKind::Assertion`] the code is the ordinal (from 0) of the failing assertion among the assertions that
//! the move executed, in the order of execution: those of the edge's program first, then those of its destination.

use std::fmt;

use bughound_kernel::{Failure, FailureKind};

/// What went wrong in an evaluation, with its stable number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u32)]
pub enum EvalError {
    /// Also the one quotient that does not fit, `-2147483648 / -1`.
    DivisionByZero = 1,
    IndexOutOfRange = 2,
    /// A channel variable that holds 0, or a number that no channel has.
    NoChannel = 3,
    /// The process that declared the channel does not exist (any more).
    ChannelDead = 4,
    /// A bounded integer would leave its range.
    OutOfRange = 5,
    TooManyProcesses = 6,
    /// A program stood at a node, not its entry, where nothing was executable.
    BlockedInProgram = 7,
    RunawayProgram = 8,
    PollRendezvous = 9,
    /// The step goes on: missing fields are 0.
    TooFewFields = 10,
    /// The step goes on without the surplus fields.
    TooManyFields = 11,
    /// The step goes on: the fields without pattern are lost.
    MissingPatterns = 12,
    TooManyPatterns = 13,
    /// A variable of a process that does not exist, or is of another template, was written.
    NoSuchProcess = 14,
    /// A program tried to send over a rendezvous channel.
    RendezvousInProgram = 15,
    /// Whether a process is executable depends on the answer itself.
    EnabledCycle = 16,
    /// Scheduling priorities lie in 1..=255.
    PriorityOutOfRange = 17,
    NoSignal = 18,
    /// A process tried to vanish while a younger one exists.
    EndBeforeYounger = 19,
    /// The value of a clock was asked for where time is not known.
    ClockRead = 20,
    /// A second edge of a process that must be deterministic was executable. The step goes on.
    NotDeterministic = 21,
    /// A message that a `trace` assertion does not allow here. The step goes on.
    UnexpectedEvent = 22,
    /// A `notrace` assertion was matched to its end. The step goes on.
    EventsMatched = 23,
    /// A clock was compared with or set to a number beyond [`MAX_CLOCK_CONSTANT`](crate::types::MAX_CLOCK_CONSTANT).
    ClockOutOfRange = 24,
    /// A program went on for so long that nobody waits for its end. It may have one.
    LongProgram = 25,
    /// A number that does not exist, such as the logarithm of a negative one, or is too large to be computed exactly.
    NoNumber = 26,
    /// A probability below 0 or above 1, a rate below 0, or probabilities whose sum is not 1.
    NoProbability = 27,
    /// A whole number to the power of a negative one would be no whole number.
    NegativeExponent = 28,
    /// `mod` by a negative number.
    NegativeModulus = 29,
    /// The rate of a location, a cost per unit of time, is below 0.
    NegativeRate = 30,
}

impl EvalError {
    pub const ALL: [EvalError; 30] = [
        EvalError::DivisionByZero,
        EvalError::IndexOutOfRange,
        EvalError::NoChannel,
        EvalError::ChannelDead,
        EvalError::OutOfRange,
        EvalError::TooManyProcesses,
        EvalError::BlockedInProgram,
        EvalError::RunawayProgram,
        EvalError::PollRendezvous,
        EvalError::TooFewFields,
        EvalError::TooManyFields,
        EvalError::MissingPatterns,
        EvalError::TooManyPatterns,
        EvalError::NoSuchProcess,
        EvalError::RendezvousInProgram,
        EvalError::EnabledCycle,
        EvalError::PriorityOutOfRange,
        EvalError::NoSignal,
        EvalError::EndBeforeYounger,
        EvalError::ClockRead,
        EvalError::NotDeterministic,
        EvalError::UnexpectedEvent,
        EvalError::EventsMatched,
        EvalError::ClockOutOfRange,
        EvalError::LongProgram,
        EvalError::NoNumber,
        EvalError::NoProbability,
        EvalError::NegativeExponent,
        EvalError::NegativeModulus,
        EvalError::NegativeRate,
    ];

    pub fn code(self) -> u32 {
        self as u32
    }

    pub fn from_code(code: u32) -> Option<EvalError> {
        EvalError::ALL.into_iter().find(|e| e.code() == code)
    }

    pub fn text(self) -> &'static str {
        match self {
            EvalError::DivisionByZero => "division by zero",
            EvalError::IndexOutOfRange => "array index out of range",
            EvalError::NoChannel => "use of an uninitialised channel",
            EvalError::ChannelDead => "use of a channel of a process that has ended",
            EvalError::OutOfRange => "value out of range",
            EvalError::TooManyProcesses => "too many processes",
            EvalError::BlockedInProgram => "blocked inside a d_step",
            EvalError::RunawayProgram => "a d_step does not end",
            EvalError::LongProgram => "a d_step takes millions of statements: its end was not waited for",
            EvalError::NoNumber => "a number that does not exist or is too large",
            EvalError::NoProbability => "no probability or rate: below 0, or too large",
            EvalError::NegativeExponent => "negative exponent in a power of whole numbers",
            EvalError::NegativeModulus => "`mod` by a negative number",
            EvalError::NegativeRate => "a cost per unit of time below 0",
            EvalError::PollRendezvous => "polling a rendezvous channel",
            EvalError::TooFewFields => "too few parameters in send",
            EvalError::TooManyFields => "too many parameters in send",
            EvalError::MissingPatterns => "missing parameters in receive",
            EvalError::TooManyPatterns => "too many parameters in receive",
            EvalError::NoSuchProcess => "no such process",
            EvalError::RendezvousInProgram => "rendezvous inside a d_step",
            EvalError::EnabledCycle => "enabled() of a process that is just being evaluated",
            EvalError::PriorityOutOfRange => "priority out of range",
            EvalError::NoSignal => "use of an unknown signal",
            EvalError::EndBeforeYounger => "a process ended before a younger one",
            EvalError::ClockRead => "value of a clock is not known here",
            EvalError::NotDeterministic => "non-determinism in a D_proctype",
            EvalError::UnexpectedEvent => "a message that the trace assertion does not allow here",
            EvalError::EventsMatched => "the messages match the notrace assertion to its end",
            EvalError::ClockOutOfRange => "a number beyond 67108864 (2^26) is too large for a clock",
        }
    }

    /// True if the step goes on in spite of it.
    pub fn is_soft(self) -> bool {
        matches!(
            self,
            EvalError::TooFewFields
                | EvalError::TooManyFields
                | EvalError::MissingPatterns
                | EvalError::NotDeterministic
                | EvalError::UnexpectedEvent
                | EvalError::EventsMatched
        )
    }

    pub fn failure(self, edge: u32) -> Failure {
        Failure { kind: FailureKind::Evaluation, edge, code: self.code() }
    }
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for EvalError {}

/// A failure inside a step, with words for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureInfo {
    pub failure: Failure,
    /// Number of the process whose move failed.
    pub process: usize,
    pub message: String,
}

impl fmt::Display for FailureInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_lead_back() {
        for (i, error) in EvalError::ALL.into_iter().enumerate() {
            assert_eq!(error.code(), i as u32 + 1);
            assert_eq!(EvalError::from_code(error.code()), Some(error));
        }
        assert_eq!(EvalError::from_code(0), None);
    }
}
