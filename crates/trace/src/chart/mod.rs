//! Message sequence charts: who sent what to whom, and who got it.
//!
//! A [`Chart`] has a lifeline for every process that existed in a run and an event for everything that happened on one:
//! sends, receives, rendezvous, starts, ends, failures, and local steps (which renderers leave out unless asked). A
//! [`ChartBuilder`] watches a run step by step; [`chart_of`] does so for a path that is at hand. Messages keep their
//! identity in the channels: the arrow of an asynchronous message ends at the receive that really took it, also after
//! a sorted send or a receive from the middle.
//!
//! - `queues`: which message moved where, from the contents of the channels; `build`: events from steps.
//! - `layout`: columns and rows of characters; `text`, `svg`: the pictures.

mod build;
mod layout;
mod queues;
mod svg;
mod text;

pub use build::{ChartBuilder, chart_of};
pub use svg::render_svg;
pub use text::{ChartOptions, render_chart};

use crate::explain::Reason;
use crate::lasso::LassoShape;

/// The life of one process. Processes with the same number never live at the same time: they share a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifeline {
    pub pid: usize,
    /// Such as `P(1)`.
    pub name: String,
    /// The event with which it starts; `None` if it exists from the beginning.
    pub started: Option<usize>,
    /// The event with which it ends.
    pub ended: Option<usize>,
}

/// What became of a message that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Received {
        /// The lifeline of the receiver.
        lifeline: usize,
        event: usize,
    },
    /// It was still in its channel at the end.
    Waiting,
    /// The channel was full, or vanished with its process.
    Lost,
}

/// A message that went through a channel with places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Channel and fields, such as `forks[1]!fork`.
    pub label: String,
    /// The lifeline of the sender.
    pub sender: usize,
    /// The event in which it was sent.
    pub sent: usize,
    pub fate: Fate,
}

/// Something that happened; numbers are those of lifelines and messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    Send {
        message: usize,
    },
    Receive {
        message: usize,
    },
    /// Also the synchronisation over a signal.
    Rendezvous {
        from: usize,
        to: usize,
        label: String,
    },
    /// A step without communication.
    Local {
        lifeline: usize,
        text: String,
    },
    Start {
        by: usize,
        lifeline: usize,
    },
    End {
        lifeline: usize,
    },
    Failure {
        lifeline: usize,
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Number of the step, from 1.
    pub step: usize,
    pub kind: EventKind,
}

/// How the run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub text: String,
    /// Lifelines of processes that cannot go on.
    pub blocked: Vec<usize>,
}

/// A message sequence chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chart {
    pub lifelines: Vec<Lifeline>,
    pub messages: Vec<Message>,
    pub events: Vec<Event>,
    pub verdict: Option<Verdict>,
    /// Where the loop is, if the run goes on for ever.
    pub lasso: Option<LassoShape>,
}

impl Chart {
    /// The first event of the loop; the number of events if none of them is in it.
    fn loop_start(&self) -> Option<usize> {
        let lasso = self.lasso.filter(|lasso| lasso.loop_length > 0)?;
        Some(self.events.iter().take_while(|event| event.step <= lasso.loop_start).count())
    }

    /// Adds how the run ended: the reason of a trace, with its blocked processes.
    pub fn end_with(&mut self, reason: &Reason) {
        if reason.headline.is_empty() {
            return;
        }
        let alive = |pid: usize| self.lifelines.iter().position(|l| l.pid == pid && l.ended.is_none());
        let stuck = reason.blocked.iter().filter(|b| !b.may_rest);
        let blocked = stuck.filter_map(|b| alive(b.pid)).collect();
        self.verdict = Some(Verdict { text: reason.headline.clone(), blocked });
    }

    /// Columns that are needed: one for each process number.
    pub fn columns(&self) -> usize {
        self.lifelines.iter().map(|l| l.pid + 1).max().unwrap_or(0)
    }

    fn column(&self, lifeline: usize) -> usize {
        self.lifelines[lifeline].pid
    }

    /// The lifeline that occupies a column during an event.
    fn alive(&self, column: usize, event: usize) -> bool {
        self.lifelines
            .iter()
            .any(|l| l.pid == column && l.started.is_none_or(|s| s <= event) && l.ended.is_none_or(|e| event <= e))
    }

    /// Is the event shown? Local steps only on demand.
    fn is_shown(&self, event: &Event, local_steps: bool) -> bool {
        local_steps || !matches!(event.kind, EventKind::Local { .. })
    }
}
