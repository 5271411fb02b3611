//! Results for other programs, as text to be written to a file.
//!
//! - [`junit`]: a test case for each property, for continuous integration.
//! - [`sarif`]: violated properties with their traces, for code viewers.
//! - [`itf`]: the states of a trace, for viewers and tools of other model checkers.
//! - [`state_graph`]: states and steps, for Graphviz.
//! - [`verifyta`]: the lines that scripts around UPPAAL's `verifyta` look for.

pub mod itf;
pub mod junit;
pub mod sarif;
pub mod state_graph;
pub mod verifyta;

use bughound_trace::{Participant, Trace, TraceStep};

use crate::check::{CheckReport, PropertyReport};

/// What became of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelResult<'r> {
    pub file: &'r str,
    /// Or why there is none.
    pub report: Result<&'r CheckReport, &'r str>,
    /// With which the check of this model alone would end.
    pub exit_code: u8,
}

/// Why the verdict is what it is, in one line.
fn why(property: &PropertyReport) -> String {
    match (&property.trace, &property.reason) {
        (_, Some(reason)) => reason.clone(),
        (Some(trace), None) => trace.reason.headline.clone(),
        (None, None) => property.verdict.to_string(),
    }
}

/// Who does what, such as `P(0): x = 1`, and for a rendezvous `P(0): r!1, Q(1): r?y`.
fn statement(step: &TraceStep) -> String {
    step.participants.iter().map(part).collect::<Vec<_>>().join(", ")
}

/// What one process does; where locations have names, `P: idle → busy, guard x > 1`.
fn part(who: &Participant) -> String {
    let route = who.route.as_ref().map(|(from, to)| format!("{from} → {to}"));
    let text = Some(who.text.clone()).filter(|text| !text.is_empty());
    format!("{}: {}", who.process, route.into_iter().chain(text).collect::<Vec<_>>().join(", "))
}

/// The number of the step with which the loop of the trace begins, counted from 0.
fn loop_start(trace: &Trace) -> Option<usize> {
    trace.lasso.filter(|lasso| lasso.loop_length > 0).map(|lasso| lasso.loop_start)
}
