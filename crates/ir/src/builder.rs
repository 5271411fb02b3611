//! Builds a [`Network`] piece by piece and checks that it is well formed.
//!
//! ```
//! use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
//! use bughound_ir::expr::{BinaryOp, Expr, Place};
//! use bughound_ir::types::ValueType;
//!
//! let mut net = NetworkBuilder::new("counter");
//! let x = net.global("x", ValueType::Byte);
//! let mut p = TemplateBuilder::new("p");
//! let here = p.location("here");
//! let less = Expr::binary(BinaryOp::Less, Expr::read(x.clone()), Expr::Const(3));
//! let more = Expr::binary(BinaryOp::Add, Expr::read(x.clone()), Expr::Const(1));
//! p.edge(EdgeSpec::new(here, here).guard(less).assign(x, more));
//! let p = net.template(p, here);
//! net.start(p, vec![]);
//! let network = net.finish().unwrap();
//! assert_eq!(network.edges.len(), 1);
//! ```

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use crate::edge::{Action, Condition, Destination, Edge, EdgeId, Program, ProgramId, Sync};
use crate::expr::{Expr, Place};
use crate::frames::{FIRST_GLOBAL, FIRST_LOCAL, Frames};
use crate::monitor::Monitor;
use crate::network::{
    Initialiser, Location, LocationFlags, LocationId, Network, Ranks, Start, Statement, Template, TemplateId, Uses,
    Vector,
};
use crate::numbering::Numbering;
use crate::pricing::Pricing;
use crate::processes::{ControlFlow, possible_templates};
use crate::question::Property;
use crate::real::Real;
use crate::source::{SourceMap, Span};
use crate::stochastic::Stochastic;
use crate::types::{
    Channel, Clock, ClockConstraint, ClockId, EnumId, Enumeration, Signal, SignalKind, ValueType, Variable,
};

/// What makes a network ill-formed. Front ends check their input first: such an error is a bug of the front end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(pub String);

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BuildError {}

/// A location of a template under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalLocation(pub u32);

/// An edge of a template under construction: [`Edge`] with local locations.
#[derive(Clone, Debug)]
pub struct EdgeSpec {
    pub from: LocalLocation,
    pub edge: Edge,
    pub to: Vec<LocalLocation>,
}

impl EdgeSpec {
    /// An unguarded edge that does nothing.
    pub fn new(from: LocalLocation, to: LocalLocation) -> Self {
        let edge = Edge {
            from: LocationId(0),
            condition: Condition::None,
            guards: Vec::new(),
            clock_guards: Vec::new(),
            sync: Sync::None,
            program: None,
            destinations: vec![Destination::new(Real::one())],
            keeps_control: false,
            escape: 0,
            weight: 1,
            span: Span::default(),
            calls: Vec::new(),
            text: String::new(),
            number: None,
            statements: Vec::new(),
        };
        EdgeSpec { from, edge, to: vec![to] }
    }

    pub fn guard(mut self, guard: Expr) -> Self {
        self.edge.guards.push(guard);
        self
    }

    pub fn clock_guard(mut self, constraint: ClockConstraint) -> Self {
        self.edge.clock_guards.push(constraint);
        self
    }

    pub fn sync(mut self, sync: Sync) -> Self {
        self.edge.sync = sync;
        self
    }

    /// Adds an action to the last destination.
    pub fn action(mut self, action: Action) -> Self {
        if let Some(destination) = self.edge.destinations.last_mut() {
            destination.actions.push(action);
        }
        self
    }

    pub fn assign(self, target: Place, value: Expr) -> Self {
        self.action(Action::Assign { target, value })
    }

    /// Makes the first destination one of several with this probability.
    pub fn probability(mut self, numerator: u64, denominator: u64) -> Self {
        if let Some(destination) = self.edge.destinations.last_mut() {
            destination.chance = Real::fraction(numerator as i64, denominator);
        }
        self
    }

    /// Adds another destination.
    pub fn or(mut self, to: LocalLocation, numerator: u64, denominator: u64) -> Self {
        let chance = Real::fraction(numerator as i64, denominator);
        self.edge.destinations.push(Destination::new(chance));
        self.to.push(to);
        self
    }

    pub fn weight(mut self, weight: u64) -> Self {
        self.edge.weight = weight;
        self
    }

    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.edge.text = text.into();
        self
    }

    pub fn keeps_control(mut self) -> Self {
        self.edge.keeps_control = true;
        self
    }
}

/// A template under construction.
#[derive(Clone, Debug)]
pub struct TemplateBuilder {
    pub name: String,
    pub parameters: u32,
    pub variables: Vec<Variable>,
    pub channels: Vec<Channel>,
    pub initialisers: Vec<Initialiser>,
    pub provided: Option<Expr>,
    pub priority: u32,
    pub deterministic: bool,
    pub statements: Vec<Statement>,
    pub span: Span,
    locations: Vec<Location>,
    edges: Vec<EdgeSpec>,
    frame: u32,
}

impl TemplateBuilder {
    pub fn new(name: impl Into<String>) -> Self {
        TemplateBuilder {
            name: name.into(),
            parameters: 0,
            variables: Vec::new(),
            channels: Vec::new(),
            initialisers: Vec::new(),
            provided: None,
            priority: 1,
            deterministic: false,
            statements: Vec::new(),
            span: Span::default(),
            locations: Vec::new(),
            edges: Vec::new(),
            frame: FIRST_LOCAL,
        }
    }

    /// Reserves slots in the frame.
    pub fn allocate(&mut self, slots: u32) -> u32 {
        let first = self.frame;
        self.frame += slots;
        first
    }

    /// A scalar variable.
    pub fn local(&mut self, name: impl Into<String>, ty: ValueType) -> Place {
        let slot = self.allocate(1);
        self.variables.push(scalar(name.into(), ty, slot));
        Place::own(slot, ty)
    }

    /// A scalar parameter; parameters come before other variables.
    pub fn parameter(&mut self, name: impl Into<String>, ty: ValueType) -> Place {
        debug_assert_eq!(self.parameters as usize, self.variables.len());
        self.parameters += 1;
        self.local(name, ty)
    }

    pub fn location(&mut self, label: impl Into<String>) -> LocalLocation {
        let label = label.into();
        let number = self.locations.len() as u32 + 1;
        self.push_location(Location {
            template: TemplateId(0),
            labels: if label.is_empty() { Vec::new() } else { vec![label] },
            number,
            flags: LocationFlags::default(),
            invariant: Vec::new(),
            conditions: Vec::new(),
            rate: None,
            invariant_text: String::new(),
            edges: Vec::new(),
            span: Span::default(),
        })
    }

    /// Adds a location; its edges and template are filled in later.
    pub fn push_location(&mut self, location: Location) -> LocalLocation {
        self.locations.push(location);
        LocalLocation(self.locations.len() as u32 - 1)
    }

    pub fn location_mut(&mut self, location: LocalLocation) -> &mut Location {
        &mut self.locations[location.0 as usize]
    }

    /// Adds an edge after the others of its location.
    pub fn edge(&mut self, edge: EdgeSpec) {
        self.edges.push(edge);
    }
}

fn scalar(name: String, ty: ValueType, slot: u32) -> Variable {
    Variable { name, ty, slot, dims: Vec::new(), hidden: false, span: Span::default() }
}

/// A network under construction.
#[derive(Debug)]
pub struct NetworkBuilder {
    network: Network,
    next_global: u32,
    priorities: bool,
}

impl NetworkBuilder {
    pub fn new(name: impl Into<String>) -> Self {
        let nowhere = Location {
            template: TemplateId(u32::MAX),
            labels: Vec::new(),
            number: 0,
            flags: LocationFlags::default(),
            invariant: Vec::new(),
            conditions: Vec::new(),
            rate: None,
            invariant_text: String::new(),
            edges: Vec::new(),
            span: Span::default(),
        };
        let network = Network {
            name: name.into(),
            sources: Arc::default(),
            enumerations: Vec::new(),
            variables: Vec::new(),
            channels: Vec::new(),
            signals: Vec::new(),
            vectors: Vec::new(),
            clocks: Vec::new(),
            initialisers: Vec::new(),
            templates: Vec::new(),
            locations: vec![nowhere],
            edges: Vec::new(),
            programs: Vec::new(),
            start: Vec::new(),
            properties: Vec::new(),
            stochastic: None,
            monitor: None,
            ranks: None,
            pricing: None,
            uses: Uses::default(),
            names_processes: false,
            numbering: None,
            frames: Frames::default(),
        };
        NetworkBuilder { network, next_global: FIRST_GLOBAL, priorities: true }
    }

    pub fn sources(&mut self, sources: Arc<SourceMap>) {
        self.network.sources = sources;
    }

    /// Every process has a template of its own, named after it.
    pub fn name_processes(&mut self) {
        self.network.names_processes = true;
    }

    pub fn enumeration(&mut self, enumeration: Enumeration) -> EnumId {
        self.network.enumerations.push(enumeration);
        EnumId(self.network.enumerations.len() as u32 - 1)
    }

    /// Reserves slots for globals.
    pub fn allocate(&mut self, slots: u32) -> u32 {
        let first = self.next_global;
        self.next_global += slots;
        first
    }

    /// A scalar global variable, 0 initially.
    pub fn global(&mut self, name: impl Into<String>, ty: ValueType) -> Place {
        let slot = self.allocate(1);
        self.network.variables.push(scalar(name.into(), ty, slot));
        Place::global(slot, ty)
    }

    /// A global variable of any shape whose slots were reserved.
    pub fn variable(&mut self, variable: Variable) {
        self.network.variables.push(variable);
    }

    pub fn initialise(&mut self, initialiser: Initialiser) {
        self.network.initialisers.push(initialiser);
    }

    /// A global message channel; returns its number.
    pub fn channel(&mut self, name: impl Into<String>, capacity: u32, fields: Vec<ValueType>, span: Span) -> i32 {
        let mut channel = Channel { name: name.into(), capacity, fields, slot: 0, span };
        channel.slot = self.allocate(channel.slots());
        self.network.channels.push(channel);
        self.network.channels.len() as i32
    }

    /// A hand-shake or broadcast label; returns its number.
    pub fn signal(&mut self, name: impl Into<String>, kind: SignalKind) -> Expr {
        self.network.signals.push(Signal { name: name.into(), kind, urgent: false });
        Expr::Const(self.network.signals.len() as i32 - 1)
    }

    /// No time passes while a synchronisation over this signal is possible.
    pub fn make_urgent(&mut self, signal: u32) {
        self.network.signals[signal as usize].urgent = true;
    }

    pub fn clock(&mut self, name: impl Into<String>) -> ClockId {
        self.network.clocks.push(Clock { name: name.into() });
        ClockId(self.network.clocks.len() as u32 - 1)
    }

    pub fn program(&mut self, program: Program) -> ProgramId {
        self.network.programs.push(program);
        ProgramId(self.network.programs.len() as u32 - 1)
    }

    /// Number of the location that a template added next would give to its local location.
    pub fn next_location(&self, location: LocalLocation) -> LocationId {
        LocationId(self.network.locations.len() as u32 + location.0)
    }

    pub fn template(&mut self, template: TemplateBuilder, initial: LocalLocation) -> TemplateId {
        let id = TemplateId(self.network.templates.len() as u32);
        let first = self.network.locations.len() as u32;
        let resolve = |l: LocalLocation| LocationId(first + l.0);
        let count = template.locations.len() as u32;
        self.network.locations.extend(template.locations.into_iter().map(|l| Location { template: id, ..l }));
        for spec in template.edges {
            let mut edge = spec.edge;
            edge.from = resolve(spec.from);
            for (destination, to) in edge.destinations.iter_mut().zip(&spec.to) {
                destination.to = resolve(*to);
            }
            let edge_id = EdgeId(self.network.edges.len() as u32);
            self.network.locations[edge.from.0 as usize].edges.push(edge_id);
            self.network.edges.push(edge);
        }
        self.network.templates.push(Template {
            name: template.name,
            parameters: template.parameters,
            variables: template.variables,
            channels: template.channels,
            initialisers: template.initialisers,
            locations: (first..first + count).map(LocationId).collect(),
            initial: resolve(initial),
            frame: template.frame,
            provided: template.provided,
            statements: template.statements,
            deterministic: template.deterministic,
            priority: template.priority,
            span: template.span,
        });
        id
    }

    /// Adds a process that exists at the start.
    pub fn start(&mut self, template: TemplateId, arguments: Vec<i32>) {
        let priority = self.network.template(template).priority;
        self.network.start.push(Start { template, arguments, priority });
    }

    /// Has an automaton watch the messages.
    pub fn monitor(&mut self, monitor: Monitor) {
        self.network.monitor = Some(monitor);
    }

    /// Of the steps that are possible, those of the highest rank go first.
    pub fn ranks(&mut self, ranks: Ranks) {
        self.network.ranks = Some(ranks);
    }

    /// Time and steps have prices. The variables for them, which exist already, are hidden: what a step pays must be
    /// forgotten before the next one.
    pub fn pricing(&mut self, pricing: Pricing) {
        let hints = [pricing.remaining, pricing.heur].into_iter().flatten().map(|hint| hint.slot);
        let slots: Vec<u32> = hints.chain([pricing.impulse]).collect();
        for variable in self.network.variables.iter_mut().filter(|variable| slots.contains(&variable.slot)) {
            variable.hidden = true;
        }
        self.network.pricing = Some(pricing);
    }

    /// Makes the process that moved last a part of the state, whether or not an edge looks at it.
    pub fn keep_last_process(&mut self) {
        self.network.uses.last_process = true;
    }

    /// Priorities mean nothing.
    pub fn ignore_priorities(&mut self) {
        self.priorities = false;
    }

    /// How the tools of the language number the model.
    pub fn numbering(&mut self, numbering: Numbering) {
        self.network.numbering = Some(numbering);
    }

    /// Messages to full channels are lost.
    pub fn lossy_sends(&mut self) {
        self.network.uses.lossy_sends = true;
    }

    pub fn property(&mut self, property: Property) {
        self.network.properties.push(property);
    }

    /// Variables with one of these slots of the globals are part of the state, hidden or not.
    pub fn keep_in_state(&mut self, slots: &BTreeSet<u32>) {
        for variable in self.network.variables.iter_mut().filter(|variable| variable.hidden) {
            variable.hidden = !variable.elements().iter().any(|(slot, _)| slots.contains(slot));
        }
    }

    /// What has been built so far.
    pub fn so_far(&self) -> &Network {
        &self.network
    }

    /// Checks the network and computes the places of its processes.
    /// Edges that happen together.
    pub fn vector(&mut self, vector: Vector) {
        self.network.vectors.push(vector);
    }

    /// The model has probabilities.
    pub fn stochastic(&mut self, stochastic: Stochastic) {
        self.network.stochastic = Some(stochastic);
    }

    pub fn finish(mut self) -> Result<Network, BuildError> {
        self.check()?;
        self.network.uses = uses(&self.network);
        self.network.uses.priorities &= self.priorities;
        let flow = ControlFlow {
            templates: &self.network.templates,
            locations: &self.network.locations,
            edges: &self.network.edges,
            priorities: self.network.uses.priorities,
        };
        let possible = possible_templates(&flow, &self.network.start);
        self.network.frames = Frames::new(&self.network, possible);
        Ok(self.network)
    }

    fn check(&self) -> Result<(), BuildError> {
        let fail = |text: String| Err(BuildError(text));
        for edge in &self.network.edges {
            if edge.destinations.is_empty() {
                return fail(format!("edge `{}` leads nowhere", edge.text));
            }
            for destination in &edge.destinations {
                let (from, to) = (edge.from, destination.to);
                let Some(target) = self.network.locations.get(to.0 as usize) else {
                    return fail(format!("edge `{}` leads to an unknown location", edge.text));
                };
                if target.template != self.network.location(from).template {
                    return fail(format!("edge `{}` leads into another template", edge.text));
                }
                let joins = matches!(edge.sync, Sync::Join { .. });
                if destination.chance.as_const().is_none() && !joins && edge.sync != Sync::None {
                    return fail(format!("edge `{}` has partners and a chance that depends on the state", edge.text));
                }
                let together = |action: &Action| matches!(action, Action::Together(_));
                let unusual = edge.program.is_some()
                    || edge.keeps_control
                    || edge.condition != Condition::None
                    || edge.escape > 0;
                if joins && (!destination.actions.iter().all(together) || unusual) {
                    return fail(format!("edge `{}` joins others, but does not act together with them", edge.text));
                }
                for action in &destination.actions {
                    if let Action::Run { template, arguments, .. } = action {
                        let Some(target) = self.network.templates.get(template.0 as usize) else {
                            return fail("run of an unknown template".into());
                        };
                        if target.parameters as usize != arguments.len() {
                            return fail(format!("run of `{}` with a wrong number of arguments", target.name));
                        }
                    }
                }
            }
        }
        for vector in &self.network.vectors {
            let is_sorted = vector.parts.is_sorted_by(|a, b| a.0 < b.0);
            if vector.parts.is_empty()
                || !is_sorted
                || vector.parts.iter().any(|p| usize::from(p.0) >= self.network.start.len())
            {
                return fail(
                    "a vector without parts, out of order, or of processes that are not there at the start".into(),
                );
            }
        }
        let in_programs = self.network.programs.iter().flat_map(|p| &p.nodes).flat_map(|n| &n.alternatives);
        if in_programs.flat_map(|a| &a.actions).any(|a| matches!(a, Action::Run { .. } | Action::End)) {
            return fail("a program cannot start or end processes".into());
        }
        for start in &self.network.start {
            if self.network.template(start.template).parameters as usize != start.arguments.len() {
                return fail("a process starts with a wrong number of arguments".into());
            }
        }
        Ok(())
    }
}

/// Finds out what the model looks at.
fn uses(network: &Network) -> Uses {
    let asked = network.uses;
    let mut uses = Uses { lossy_sends: asked.lossy_sends, last_process: asked.last_process, ..Uses::default() };
    {
        let mut visit = |e: &Expr| match e {
            Expr::Timeout => uses.timeout = true,
            Expr::LastProcess => uses.last_process = true,
            Expr::Priority(_) => uses.priorities = true,
            _ => {}
        };
        network.edges.iter().for_each(|e| e.walk_expressions(&mut visit));
        network.programs.iter().for_each(|p| p.walk_expressions(&mut visit));
        network.templates.iter().filter_map(|t| t.provided.as_ref()).for_each(|p| p.walk(&mut visit));
        for property in &network.properties {
            property.question.conditions().into_iter().for_each(|e| e.walk(&mut visit));
        }
    }
    let actions = network.edges.iter().flat_map(|e| &e.destinations).flat_map(|d| &d.actions);
    for action in actions {
        match action {
            Action::SetPriority { .. } | Action::Run { priority: Some(_), .. } => uses.priorities = true,
            _ => {}
        }
    }
    uses.priorities |=
        network.start.iter().any(|s| s.priority != 1) || network.templates.iter().any(|t| t.priority != 1);
    let mut channels = network.channels.iter().chain(network.templates.iter().flat_map(|t| &t.channels));
    uses.rendezvous = channels.any(|c| c.capacity == 0);
    uses
}
