//! Why a run is over.

use bughound_ir::reference::FailureInfo;
use bughound_kernel::{FailureKind, StopReason};

/// Why a simulation does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every process has ended.
    AllEnded,
    /// Nobody can go on, and everybody may rest where it is.
    AtEndStates,
    Deadlock,
    /// The last step failed: an assertion, or an expression without value.
    Failure(FailureInfo),
    /// So many steps were asked for.
    StepLimit(usize),
    /// The end of the saved trace. `violates`: it shows a violation.
    EndOfTrace {
        violates: bool,
    },
    /// The condition that was waited for is true.
    Reached,
    /// A limit was reached, or the user broke it off.
    Interrupted(StopReason),
    /// The user stopped.
    Stopped,
}

/// Exit code of a run that was broken off, as for a search.
const INTERRUPTED: u8 = 4;

impl Ending {
    /// As in JSON documents.
    pub fn name(&self) -> &'static str {
        match self {
            Ending::AllEnded => "all-ended",
            Ending::AtEndStates => "end-states",
            Ending::Deadlock => "deadlock",
            Ending::Failure(info) => match info.failure.kind {
                FailureKind::Assertion => "assertion",
                FailureKind::Evaluation => "evaluation",
            },
            Ending::StepLimit(_) => "step-limit",
            Ending::EndOfTrace { .. } => "end-of-trace",
            Ending::Reached => "reached",
            Ending::Interrupted(StopReason::Interrupted) => "interrupted",
            Ending::Interrupted(_) => "limit",
            Ending::Stopped => "stopped",
        }
    }

    /// 0 after an end that is allowed, 1 after an error of the model.
    pub fn exit_code(&self) -> u8 {
        match self {
            Ending::Deadlock | Ending::Failure(_) | Ending::EndOfTrace { violates: true } => 1,
            Ending::Interrupted(_) => INTERRUPTED,
            _ => 0,
        }
    }

    /// For the endings that a trace has no reason for.
    pub fn text(&self) -> String {
        match self {
            Ending::AllEnded => "all processes have ended".into(),
            Ending::AtEndStates => "no process can go on; all of them are at end states".into(),
            Ending::Deadlock => "deadlock".into(),
            Ending::Failure(info) => info.message.clone(),
            Ending::StepLimit(1) => "stopped after 1 step".into(),
            Ending::StepLimit(steps) => format!("stopped after {steps} steps (--steps)"),
            Ending::EndOfTrace { .. } => "the end of the trace".into(),
            Ending::Reached => "the condition is true".into(),
            Ending::Interrupted(StopReason::Interrupted) => "interrupted".into(),
            Ending::Interrupted(reason) => format!("stopped: {}", reason.describe()),
            Ending::Stopped => "stopped".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_errors_of_the_model_are_errors() {
        for ending in [Ending::AllEnded, Ending::AtEndStates, Ending::StepLimit(3), Ending::Reached, Ending::Stopped] {
            assert_eq!(ending.exit_code(), 0, "{ending:?}");
        }
        assert_eq!(Ending::Deadlock.exit_code(), 1);
        assert_eq!(Ending::EndOfTrace { violates: true }.exit_code(), 1);
        assert_eq!(Ending::EndOfTrace { violates: false }.exit_code(), 0);
        assert_eq!(Ending::Interrupted(StopReason::Time).exit_code(), 4);
    }
}
