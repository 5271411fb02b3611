//! An automaton that watches the messages of a system: Promela's `trace` and `notrace`.
//!
//! A monitor sees every message that is sent over, or taken out of, a channel that it names for that direction. From its
//! state it takes the first event that matches. A `trace` must match every message it sees and must not stop in the
//! middle; a `notrace` must not be matched to its end, and loses interest at the first message that does not fit. As in
//! SPIN, the system may not come to rest while either is in the middle.

use crate::expr::{Expr, Pattern};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    Send,
    Receive,
}

/// One message that the monitor waits for.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub direction: Direction,
    /// Belongs to no process.
    pub channel: Expr,
    /// `Any` or `Match`; surplus fields of the message match.
    pub fields: Vec<Pattern>,
    pub to: u32,
}

/// An automaton with numbered states.
#[derive(Clone, Debug, PartialEq)]
pub struct Monitor {
    /// `notrace`.
    pub negated: bool,
    /// Global slot that holds its state.
    pub slot: u32,
    pub initial: u32,
    /// Where everything has been matched; also where a `notrace` that has lost interest rests.
    pub end: u32,
    /// By state, in the order in which they are tried.
    pub events: Vec<Vec<Event>>,
    /// By state: may the system come to rest in it?
    pub may_rest: Vec<bool>,
}

/// What a message means to a monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It goes on in this state.
    Moved(u32),
    /// A `trace` has no such message here.
    Unexpected,
    /// A `notrace` has been matched to its end; it goes on there.
    Completed,
}

impl Monitor {
    /// Is a message over this channel looked at? `value` evaluates expressions without a process.
    pub fn watches(&self, direction: Direction, channel: i32, value: &dyn Fn(&Expr) -> Option<i32>) -> bool {
        let mut events = self.events.iter().flatten();
        events.any(|e| e.direction == direction && value(&e.channel) == Some(channel))
    }

    /// What happens to the monitor in `state` when it sees a message that it [watches](Monitor::watches).
    pub fn observe(
        &self,
        state: u32,
        direction: Direction,
        channel: i32,
        message: &[i32],
        value: &dyn Fn(&Expr) -> Option<i32>,
    ) -> Observation {
        let matches = |event: &&Event| {
            let fields = event.fields.iter().zip(message).all(|(pattern, field)| match pattern {
                Pattern::Match(e) => value(e) == Some(*field),
                Pattern::Any | Pattern::Bind(_) => true,
            });
            event.direction == direction && value(&event.channel) == Some(channel) && fields
        };
        match self.events[state as usize].iter().find(matches) {
            Some(event) if self.negated && event.to == self.end => Observation::Completed,
            Some(event) => Observation::Moved(event.to),
            None if self.negated => Observation::Moved(self.end),
            None => Observation::Unexpected,
        }
    }
}
