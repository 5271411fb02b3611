//! The network: everything that a model says, in one shape for every language.

use std::sync::Arc;

use crate::chance::Kind;
use crate::edge::{Action, Edge, EdgeId, Program, ProgramId};
use crate::expr::Expr;
use crate::frames::Frames;
use crate::monitor::Monitor;
use crate::numbering::Numbering;
use crate::pricing::Pricing;
use crate::question::Property;
use crate::source::{SourceMap, Span};
use crate::stochastic::Stochastic;
use crate::types::{Channel, Clock, ClockConstraint, Enumeration, Signal, Variable};

/// Index of a [`Template`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateId(pub u32);

/// Network-wide number of a location. Numbers start at 1: 0 in the control slot of a process means that the process does
/// not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocationId(pub u32);

/// Extra meaning of a location.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LocationFlags {
    /// A process may rest here for ever (end labels, the end of the body).
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    /// Marked by the user as close to an error (`danger*` labels).
    pub danger: bool,
    /// Time may not pass (timed models).
    pub urgent: bool,
    /// Must be left at once, before anything else moves (timed models).
    pub committed: bool,
}

/// A control location of a template.
#[derive(Clone, Debug)]
pub struct Location {
    pub template: TemplateId,
    /// Labels of the user, if any.
    pub labels: Vec<String>,
    /// Number of the location in its template as the language counts them (SPIN's state number).
    pub number: u32,
    pub flags: LocationFlags,
    /// Upper bounds on clocks (timed models).
    pub invariant: Vec<ClockConstraint>,
    /// What must be true of variables while a process is here: a step, of whomever, after which one of them does not hold
    /// is not possible (UPPAAL's invariants over data). One without a value does not hold. Not for models with
    /// probabilities: of a choice, some outcomes would vanish.
    pub conditions: Vec<Expr>,
    /// What it costs, per unit of time, that a process is here: at least 0. See [`pricing`](crate::pricing).
    pub rate: Option<Expr>,
    /// The invariant as the user wrote it; empty if there is none.
    pub invariant_text: String,
    /// Edges that leave it, in the order in which they are tried.
    pub edges: Vec<EdgeId>,
    pub span: Span,
}

impl Location {
    /// May its rate be no cost: below 0, or without a value? Then a step that leads to such a state fails.
    pub fn has_uncertain_rate(&self) -> bool {
        self.rate.as_ref().is_some_and(|rate| rate.as_const().is_none_or(|rate| rate < 0))
    }
}

/// A kind of process: `proctype`, template, module.
///
/// The frame of a process of this template is: slot 0 the control location ([`LocationId`]), then the variables, then
/// the cells of its channels.
#[derive(Clone, Debug)]
pub struct Template {
    pub name: String,
    /// The first so many of `variables` are parameters.
    pub parameters: u32,
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    /// Run when a process is created, after its parameters were set: initial values. `OwnPid` is the new process.
    pub initialisers: Vec<Initialiser>,
    pub locations: Vec<LocationId>,
    pub initial: LocationId,
    /// Slots of a frame.
    pub frame: u32,
    /// Guards every step of the process.
    pub provided: Option<Expr>,
    /// What the user wrote, in order: the unit of coverage.
    pub statements: Vec<Statement>,
    /// At most one of its edges may be executable in any state (`D_proctype`); more are a failure.
    pub deterministic: bool,
    /// Scheduling priority of processes that exist at the start; `run` without a priority gives 1.
    pub priority: u32,
    pub span: Span,
}

/// A statement of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    pub text: String,
    pub span: Span,
}

/// Gives a variable its initial value.
#[derive(Clone, Debug, PartialEq)]
pub enum Initialiser {
    Assign(Action),
    /// The variable at this slot (relative to the scope) becomes the number of the scope's `index`-th own channel.
    Channel {
        slot: u32,
        index: u32,
    },
}

/// A process that exists at the start. The number of the process is its place in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    pub template: TemplateId,
    pub arguments: Vec<i32>,
    pub priority: u32,
}

/// What of the run-time state beyond variables the model uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    pub timeout: bool,
    /// `_last` is part of the state.
    pub last_process: bool,
    /// Only the processes of the highest priority among the executable ones move.
    pub priorities: bool,
    pub rendezvous: bool,
    /// A message sent to a full channel is lost instead of having the sender wait.
    pub lossy_sends: bool,
}

/// Which of the steps that are possible at a moment go first (UPPAAL's priorities): one is not taken while another of a
/// higher rank could be. The rank of a step is that of its signal; between equals, the highest one of its processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranks {
    /// By signal.
    pub signals: Vec<u32>,
    /// Of steps without a signal.
    pub silent: u32,
    /// By process.
    pub processes: Vec<u32>,
}

/// Edges that happen together: one with the given action of each process listed. Every way to pick executable edges is a choice of
/// its own; their chances multiply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vector {
    /// (process, action), in ascending order of processes, at least one.
    pub parts: Vec<(u16, u32)>,
    /// The name of the step; `None`: silent.
    pub name: Option<String>,
}

/// A model. Built by a [`NetworkBuilder`](crate::builder::NetworkBuilder); immutable afterwards.
#[derive(Clone, Debug)]
pub struct Network {
    pub name: String,
    pub sources: Arc<SourceMap>,
    pub enumerations: Vec<Enumeration>,
    /// Slots are absolute positions in the key.
    pub variables: Vec<Variable>,
    /// Global message channels; the number of channel `i` is `i + 1`.
    pub channels: Vec<Channel>,
    pub signals: Vec<Signal>,
    pub vectors: Vec<Vector>,
    pub clocks: Vec<Clock>,
    /// Run once, in order, to make the initial state.
    pub initialisers: Vec<Initialiser>,
    pub templates: Vec<Template>,
    pub locations: Vec<Location>,
    pub edges: Vec<Edge>,
    pub programs: Vec<Program>,
    pub start: Vec<Start>,
    pub properties: Vec<Property>,
    /// Of models with probabilities.
    pub stochastic: Option<Stochastic>,
    /// Watches the messages; its failures belong to [`Question::Assertion`](crate::question::Question::Assertion).
    pub monitor: Option<Monitor>,
    pub ranks: Option<Ranks>,
    /// Of models in which time and steps have prices.
    pub pricing: Option<Pricing>,
    pub uses: Uses,
    /// Processes have names of their own, each its template's, and are at locations with names (UPPAAL); elsewhere they are
    /// known by their type and number.
    pub names_processes: bool,
    /// How the language's own tools number the parts of the model, where they leave traces that name them.
    pub numbering: Option<Numbering>,
    pub frames: Frames,
}

impl Network {
    pub fn template(&self, id: TemplateId) -> &Template {
        &self.templates[id.0 as usize]
    }

    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }

    pub fn edge(&self, id: EdgeId) -> &Edge {
        &self.edges[id.0 as usize]
    }

    pub fn program(&self, id: ProgramId) -> &Program {
        &self.programs[id.0 as usize]
    }

    /// Slots of variables that are not part of the state: they are 0 whenever nobody has control.
    pub fn hidden_slots(&self) -> Vec<u32> {
        let hidden = self.variables.iter().filter(|v| v.hidden);
        hidden.flat_map(|v| v.elements().into_iter().map(|(slot, _)| slot)).collect()
    }

    /// Have the chances of an edge to add up to 1, so that one of them is not 0?
    pub fn has_probabilities(&self) -> bool {
        self.stochastic.as_ref().is_some_and(|stochastic| stochastic.kind != Kind::Ctmc)
    }

    /// Does the model give costs to steps, so that cost and length differ? Prices ([`Network::pricing`]) are not meant:
    /// they are no weights of edges, and searches that do not ask for them count steps.
    pub fn has_costs(&self) -> bool {
        self.edges.iter().any(|edge| edge.weight != 1)
    }

    /// The least weight of a micro step of the system: an estimate in steps times this is one in costs. (A claim that
    /// watches a system at rest moves for nothing.)
    pub fn least_weight(&self) -> u64 {
        let exists = |id: TemplateId| self.frames.processes.iter().any(|frame| frame.templates.contains(&id));
        let weights = self.edges.iter().filter(|e| exists(self.location(e.from).template)).map(|e| e.weight);
        weights.min().unwrap_or(1)
    }

    /// Does what happens depend on the values of clocks, or on the ranks of steps? Then only the engine with zones knows
    /// which steps are possible.
    pub fn needs_zones(&self) -> bool {
        !self.clocks.is_empty() || self.ranks.is_some()
    }

    pub fn template_named(&self, name: &str) -> Option<TemplateId> {
        self.templates.iter().position(|t| t.name == name).map(|i| TemplateId(i as u32))
    }
}
