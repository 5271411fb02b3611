//! Edges, actions and programs: how processes move.

use crate::expr::{Expr, Pattern, Place};
use crate::network::{LocationId, TemplateId};
use crate::real::Real;
use crate::source::Span;
use crate::types::{ClockConstraint, ClockId};

/// Network-wide number of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

/// Index of a [`Program`] of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProgramId(pub u32);

/// A condition on an edge beyond its guards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    None,
    /// Executable only if no edge before it in the list of its location was (SPIN's `else`; a rendezvous counts only if
    /// there is a partner).
    Else,
    /// Executable only if its process is the youngest one (the end of a Promela process).
    Youngest,
}

/// How an edge communicates.
#[derive(Clone, Debug, PartialEq)]
pub enum Sync {
    None,
    /// Message send. Blocks while the channel is full; over a rendezvous channel it needs a receiver.
    /// `sorted`: inserted before the first message that is larger (compared field by field).
    Send {
        channel: Expr,
        sorted: bool,
        fields: Vec<Expr>,
    },
    /// Message receive. `anywhere`: the first message that matches, not only the oldest; `keep`: it stays in the channel.
    Receive {
        channel: Expr,
        anywhere: bool,
        keep: bool,
        patterns: Vec<Pattern>,
    },
    /// Starts a hand-shake or a broadcast over the signal with this number.
    Emit {
        signal: Expr,
    },
    /// Takes part in one.
    Accept {
        signal: Expr,
    },
    /// Takes part in the steps of those [vectors](crate::network::Vector) that name its process with this action. Edges that join
    /// act by [`Action::Together`] only.
    Join {
        action: u32,
    },
}

/// What an edge does, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Assign {
        target: Place,
        value: Expr,
    },
    /// Assignments that happen at once: all values are those of the state before. Where edges join, so do their first actions,
    /// then their second ones, and so on.
    Together(Vec<(Place, Expr)>),
    /// A step in which it is false is a violation; the system goes on nevertheless.
    Assert {
        condition: Expr,
        text: String,
        span: Span,
    },
    /// Output in simulations and traces; no change of state.
    Print {
        format: String,
        arguments: Vec<Expr>,
    },
    /// Starts a process, which becomes the youngest; its number is stored in `result`.
    Run {
        template: TemplateId,
        arguments: Vec<Expr>,
        priority: Option<Expr>,
        result: Option<Place>,
    },
    /// The process ends: its frame and its channels vanish.
    End,
    SetPriority {
        pid: Expr,
        priority: Expr,
    },
    ResetClock {
        clock: ClockId,
        value: Expr,
    },
}

/// Where an edge can lead; non-probabilistic edges have exactly one destination.
#[derive(Clone, Debug, PartialEq)]
pub struct Destination {
    /// Probability, or rate. Evaluated in the state before the step, if the edge is executable; there is no step to a destination
    /// with the chance 0.
    pub chance: Real,
    /// What it costs to draw it, besides the weight of the edge: 0, unless probabilities are looked at as costs. The evaluators
    /// know nothing of it; heuristics that count costs do.
    pub weight: u64,
    pub actions: Vec<Action>,
    pub to: LocationId,
    /// Its part of the statement, such as `0.5 : (x'=1)`; empty if the edge has no other destination. What stands before all of
    /// these parts ends with `->`.
    pub text: String,
}

impl Destination {
    /// Does nothing, and leads to nowhere yet.
    pub fn new(chance: Real) -> Destination {
        Destination { chance, weight: 0, actions: Vec::new(), to: LocationId(0), text: String::new() }
    }
}

/// An edge of a template.
#[derive(Clone, Debug)]
pub struct Edge {
    pub from: LocationId,
    pub condition: Condition,
    /// All must be non-zero.
    pub guards: Vec<Expr>,
    pub clock_guards: Vec<ClockConstraint>,
    pub sync: Sync,
    /// If present, the edge is executable iff the entry of the program is, and runs it before the actions of its
    /// destination.
    pub program: Option<ProgramId>,
    pub destinations: Vec<Destination>,
    /// After this edge its process keeps control: no other process moves until it leaves the atomic region or blocks.
    pub keeps_control: bool,
    /// Escapes of an `unless`: once an edge with some escape number was executable, the edges after it in the list of
    /// its location with another number are not. 0 is the main sequence.
    pub escape: u32,
    /// Length in micro steps, or cost.
    pub weight: u64,
    pub span: Span,
    /// Where the code that it comes from was called, outermost first, in languages that paste code.
    pub calls: Vec<Span>,
    /// The statement as the user knows it.
    pub text: String,
    /// Number of its first statement in the whole model as the tools of the language count them (SPIN's trails).
    pub number: Option<u32>,
    /// Which of its template's [`statements`](crate::network::Template::statements) it executes.
    pub statements: Vec<u32>,
}

impl Edge {
    /// The only destination of a non-probabilistic edge.
    pub fn target(&self) -> &Destination {
        &self.destinations[0]
    }

    /// The statement as the user knows it; of several destinations the one that was drawn.
    pub fn text_of(&self, destination: u16) -> String {
        let drawn = self.destinations.get(usize::from(destination)).filter(|drawn| !drawn.text.is_empty());
        match (drawn, self.text.split_once("->")) {
            (Some(drawn), Some((head, _))) => format!("{}-> {}", head, drawn.text),
            _ => self.text.clone(),
        }
    }

    /// More than a jump: it has a guard, communicates or acts.
    pub fn does_something(&self) -> bool {
        !self.guards.is_empty()
            || self.sync != Sync::None
            || self.program.is_some()
            || self.destinations.iter().any(|d| !d.actions.is_empty())
    }

    /// Calls `visit` on every expression of the edge (the program excepted).
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        self.guards.iter().for_each(|g| g.walk(visit));
        self.clock_guards.iter().for_each(|c| c.bound.walk(visit));
        self.sync.walk(visit);
        for destination in &self.destinations {
            destination.chance.leaves(&mut |leaf| leaf.walk(visit));
            destination.actions.iter().for_each(|a| a.walk(visit));
        }
    }
}

impl Sync {
    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Sync::None | Sync::Join { .. } => {}
            Sync::Send { channel, fields, .. } => {
                channel.walk(visit);
                fields.iter().for_each(|f| f.walk(visit));
            }
            Sync::Receive { channel, patterns, .. } => {
                channel.walk(visit);
                patterns.iter().for_each(|p| p.walk(visit));
            }
            Sync::Emit { signal } | Sync::Accept { signal } => signal.walk(visit),
        }
    }
}

impl Action {
    /// What it assigns.
    pub fn assignments(&self) -> impl Iterator<Item = (&Place, &Expr)> {
        let (one, several) = match self {
            Action::Assign { target, value } => (Some((target, value)), &[][..]),
            Action::Together(assignments) => (None, &assignments[..]),
            _ => (None, &[][..]),
        };
        one.into_iter().chain(several.iter().map(|(target, value)| (target, value)))
    }

    pub fn walk(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Action::Assign { target, value } => {
                target.walk(visit);
                value.walk(visit);
            }
            Action::Together(assignments) => assignments.iter().for_each(|(target, value)| {
                target.walk(visit);
                value.walk(visit);
            }),
            Action::Assert { condition, .. } => condition.walk(visit),
            Action::Print { arguments, .. } => arguments.iter().for_each(|a| a.walk(visit)),
            Action::Run { arguments, priority, result, .. } => {
                arguments.iter().for_each(|a| a.walk(visit));
                priority.iter().for_each(|p| p.walk(visit));
                result.iter().for_each(|r| r.walk(visit));
            }
            Action::End => {}
            Action::SetPriority { pid, priority } => {
                pid.walk(visit);
                priority.walk(visit);
            }
            Action::ResetClock { value, .. } => value.walk(visit),
        }
    }
}

/// A deterministic piece of code that runs in one micro step: the body of a `d_step`, a function.
///
/// Node 0 is the entry. At each node the first executable alternative is taken. At the entry, no executable alternative
/// means that the edge is blocked; elsewhere it is an evaluation error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub nodes: Vec<ProgramNode>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProgramNode {
    pub alternatives: Vec<Alternative>,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// At the entry, `Else` looks at the alternatives before it and at the edges before the program's edge.
    pub condition: Condition,
    pub guards: Vec<Expr>,
    /// `None`, `Send` or `Receive` over buffered channels; a rendezvous only as receive at the entry.
    pub sync: Sync,
    pub actions: Vec<Action>,
    /// `None` leaves the program.
    pub next: Option<u32>,
}

impl Program {
    pub fn walk_expressions(&self, visit: &mut dyn FnMut(&Expr)) {
        for alternative in self.nodes.iter().flat_map(|n| &n.alternatives) {
            alternative.guards.iter().for_each(|g| g.walk(visit));
            alternative.sync.walk(visit);
            alternative.actions.iter().for_each(|a| a.walk(visit));
        }
    }
}
