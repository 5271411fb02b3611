//! Counterexamples: replayed by the reference evaluator, explained, and shown.
//!
//! A path found by a search is a list of moves. [`replay`] executes it with the independent evaluator of `bughound-ir`,
//! checks that it really ends in the claimed violation, and notes for every step who did what, where in the source, and
//! what changed. The [`Trace`] that comes out can be rendered as [text](render_text) or [JSON](TraceDocument) and
//! [saved](SavedTrace). This crate knows no search: what it says about a trace it has seen happen.
//!
//! - `naming`: names of variables, channels, processes and values; `expression`: expressions as text.
//! - `chance`: how likely a step was; `changes`: what differs between two states; `replay`: the walk; `claim`, `never`: is the violation real.
//! - `claim_run`: the moves of a never claim along a run.
//! - `word`: the states that a run shows; `temporal`: formulas on them; `lasso`: runs that go on for ever.
//! - `timing`: the times of timed runs, and whether they are possible; `rest`: timed runs that go on for ever.
//! - `explain`: why an assertion failed, a process is blocked, an invariant is false.
//! - `structured`: the states of a path, and values with their structure.
//! - `switches`: the same steps in an order in which the process changes less often.
//! - `text`, `document` (JSON), `saved`: output and files; `bounds`: what text leaves out; `chart`: message sequence charts; `schedule`: who
//!   does what from when to when at which cost, as a table and as a Gantt chart; `svg`, `text_table`: what pictures and
//!   tables share.

pub mod bounds;
mod chance;
mod changes;
pub mod chart;
mod claim;
mod claim_run;
mod document;
mod explain;
mod expression;
mod lasso;
mod naming;
mod never;
mod replay;
mod rest;
mod saved;
pub mod schedule;
mod structured;
pub mod svg;
mod switches;
mod temporal;
#[cfg(test)]
mod testing;
mod text;
pub mod text_table;
mod timing;
mod word;

pub use bounds::TextBounds;
pub use bughound_ir::reference::Reference;
pub use chance::Chance;
pub use changes::{Change, ValueOf, changes, names, surplus, values};
pub use claim::Claim;
pub use claim_run::{Event, claim_run, visible_steps};
pub use document::{
    ChangeDocument, ConditionDocument, CycleDocument, InLoopDocument, LoopDocument, MomentDocument, PartDocument,
    ParticipantDocument, Scalar, StepDocument, TraceDocument, Values, values_document,
};
pub use explain::{BlockedProcess, ConditionInRun, CycleFacts, FalsePart, InCycle, Reason, Wait};
pub use lasso::{Lasso, LassoShape, Violated};
pub use naming::{process_in, process_name};
pub use replay::{Participant, Place, ReplayError, Trace, TraceStep, describe, micro_steps, replay, replay_timed};
pub use rest::equivalent;
pub use saved::{FORMAT, LoadTraceError, SavedMove, SavedTrace};
pub use structured::{Structured, places, states_along, structured};
pub use switches::{reordered, switches, with_few_switches};
pub use text::{Filter, Shown, TextOptions, matches, render_text};
pub use timing::{Moment, Times, Timing};

/// Why a run that has got to this state by this step ends as claimed; the claim must be true.
pub fn reason(
    reference: Reference<'_>,
    last: Option<&bughound_ir::reference::MicroStep>,
    state: &bughound_ir::reference::RefState,
    claim: &Claim<'_>,
) -> Reason {
    explain::explain(reference, last, state, claim, None)
}
