//! From the common tree to a network.
//!
//! Every automaton becomes a process with a template of its own; all variables become global ones, because all automata read them.
//! A choice among several initial states becomes a first step that one more process takes before anybody else can move
//! (`start`); a network has one initial state.

mod expressions;
mod start;

use std::collections::HashMap;

use bughound_ir::builder::{BuildError, EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::chance::{ChanceQuestion, Number};
use bughound_ir::edge::{Action, EdgeId, Sync};
use bughound_ir::expr::{BinaryOp, Expr as Code, Place};
use bughound_ir::network::{Initialiser, LocationId, Network, Vector};
use bughound_ir::question::{Property, Question};
use bughound_ir::real::{Exact, Real, RealOp};
use bughound_ir::source::{Diagnostic, Severity, Span};
use bughound_ir::stochastic::{RewardItem, RewardStructure, Rewarded, Stochastic};
use bughound_ir::types::{Dim, ValueType, Variable};

use crate::tree::{self, Assignment, Destination, Edge, Initial, Model, StateType, VariableId};
use expressions::Expressions;

/// Probabilities of a command may miss 1 by so much, as in PRISM.
const TOLERANCE: (u32, u32) = (1, 100_000);

/// A network, unless there were errors.
#[derive(Debug)]
pub struct Lowered {
    pub network: Option<Network>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Makes a network of a model.
pub fn lower(model: &Model) -> Lowered {
    let mut lowering = Lowering::new(model);
    let network = lowering.network().unwrap_or_else(|error| {
        lowering.diagnostics.push(Diagnostic::new(Severity::Error, None, error.to_string()));
        None
    });
    let Lowering { diagnostics, .. } = lowering;
    let network = network.filter(|_| !diagnostics.iter().any(Diagnostic::is_error));
    Lowered { network, diagnostics }
}

struct Lowering<'m> {
    model: &'m Model,
    diagnostics: Vec<Diagnostic>,
}

/// Where the edges of the tree are in the network.
type Edges = HashMap<(u32, u32), EdgeId>;

impl<'m> Lowering<'m> {
    fn new(model: &'m Model) -> Self {
        Lowering { model, diagnostics: Vec::new() }
    }

    fn network(&mut self) -> Result<Option<Network>, BuildError> {
        let model = self.model;
        let mut net = NetworkBuilder::new(&model.name);
        net.sources(model.sources.clone());
        net.name_processes();
        let places: Vec<Place> = model.variables.iter().map(|variable| declare(&mut net, variable)).collect();
        // The process that chooses the initial state comes last, so that processes are numbered like automata.
        let locations = self.location_ids();
        let expressions = Expressions { model, places: &places, locations: &locations };
        let (mut edges, mut next_edge) = (Edges::new(), 0);
        for (number, automaton) in model.automata.iter().enumerate() {
            let mut template = TemplateBuilder::new(&automaton.name);
            template.span = automaton.span;
            let here: Vec<LocalLocation> = automaton.locations.iter().map(|l| template.location(&l.name)).collect();
            for (at, location) in here.iter().zip(&automaton.locations) {
                template.location_mut(*at).span = location.span;
                template.location_mut(*at).flags.end = true;
            }
            // Edges are numbered in the order of their locations.
            for from in 0..automaton.locations.len() as u32 {
                for (index, edge) in automaton.edges.iter().enumerate().filter(|(_, edge)| edge.from == from) {
                    edges.insert((number as u32, index as u32), EdgeId(next_edge));
                    next_edge += 1;
                    let spec = self.edge(&expressions, edge, &here);
                    template.edge(spec);
                }
                for spec in start::moves(model, number, from, &here) {
                    next_edge += 1;
                    template.edge(spec);
                }
            }
            let id = net.template(template, here[automaton.initial[0] as usize]);
            net.start(id, vec![]);
        }
        for vector in &model.vectors {
            let parts = vector.parts.iter().map(|(automaton, action)| (*automaton as u16, action.0)).collect();
            net.vector(Vector { parts, name: vector.name.clone() });
        }
        if let Initial::Where(condition) = &model.initial
            && !self.choose_start(&mut net, &expressions, condition)
        {
            return Ok(None);
        }
        net.stochastic(Stochastic {
            kind: model.kind,
            started: self.started(&locations),
            rewards: model.rewards.iter().map(|reward| rewards(&expressions, reward, &edges)).collect(),
            labels: model.labels.iter().map(|l| (l.name.clone(), expressions.integer(&l.condition))).collect(),
            // Whoever reads the text knows.
            rounded: false,
        });
        for property in &model.properties {
            net.property(asked(&expressions, property));
        }
        net.finish().map(Some)
    }

    /// What is true once the initial state was chosen, if it is.
    fn started(&self, locations: &[Vec<LocationId>]) -> Option<Code> {
        let at = |pid: usize, location| Code::At { pid: Box::new(Code::Const(pid as i32)), location };
        match (&self.model.initial, self.model.before) {
            // The process that chooses comes after the automata: it has two locations.
            (Initial::Where(_), _) => {
                let count: usize = locations.iter().map(Vec::len).sum();
                Some(at(self.model.automata.len(), LocationId(count as u32 + 2)))
            }
            (Initial::Values, Some(before)) => Some(at(0, locations[0][before as usize]).not()),
            (Initial::Values, None) => None,
        }
    }

    /// By automaton and location: its number in the network. Number 0 is no location.
    fn location_ids(&self) -> Vec<Vec<LocationId>> {
        let mut next = 1;
        let number = |_: &tree::Location| {
            next += 1;
            LocationId(next - 1)
        };
        let mut number = number;
        self.model.automata.iter().map(|automaton| automaton.locations.iter().map(&mut number).collect()).collect()
    }

    fn edge(&mut self, expressions: &Expressions<'_>, edge: &Edge, here: &[LocalLocation]) -> EdgeSpec {
        let mut spec = EdgeSpec::new(here[edge.from as usize], here[edge.from as usize]).text(&edge.text);
        spec.edge.span = edge.span;
        spec.edge.guards = conjuncts(expressions.integer(&edge.guard));
        if let Some(action) = edge.action {
            spec.edge.sync = Sync::Join { action: action.0 };
        }
        (spec.edge.destinations, spec.to) = (Vec::new(), Vec::new());
        for destination in &edge.destinations {
            let chance = chance(expressions, edge, destination);
            let actions = match edge.action {
                Some(_) => destination.phases.iter().map(|phase| together(expressions, phase)).collect(),
                None => destination.phases.iter().flat_map(|phase| alone(expressions, phase)).collect(),
            };
            let text = destination.text.clone();
            spec.edge.destinations.push(bughound_ir::edge::Destination {
                chance,
                weight: 0,
                actions,
                to: LocationId(0),
                text,
            });
            spec.to.push(here[destination.to as usize]);
        }
        self.check_chances(edge, &spec);
        spec
    }

    /// Constant chances are not negative. Probabilities of a command that do not add up to 1 are wrong where it can happen, so of
    /// constant ones there is a warning only.
    fn check_chances(&mut self, edge: &Edge, spec: &EdgeSpec) {
        let is_continuous = self.model.kind == bughound_ir::chance::Kind::Ctmc;
        let is_never = matches!(edge.guard.kind, tree::ExprKind::Bool(false));
        let mut constants = spec.edge.destinations.iter().filter_map(|destination| destination.chance.as_const());
        if let Some(negative) = constants.find(|chance| **chance < Number::ZERO)
            && !is_never
        {
            let what = if is_continuous { "rate" } else { "probability" };
            let message = format!("the {what} {} is negative", decimal(negative));
            self.diagnostics.push(Diagnostic::error(edge.span, message).label("of this command"));
            return;
        }
        if is_continuous {
            return;
        }
        let chances: Option<Vec<&Number>> = spec.edge.destinations.iter().map(|d| d.chance.as_const()).collect();
        let Some(chances) = chances else { return };
        let sum = chances.iter().fold(Number::ZERO, |sum, chance| sum + *chance);
        let tolerance = Number::from_parts(TOLERANCE.0.into(), TOLERANCE.1.into());
        let missed = if sum > Number::ONE { &sum - Number::ONE } else { Number::ONE - &sum };
        if missed > tolerance && !is_never {
            let message = format!("the probabilities add up to {}, not to 1", decimal(&sum));
            let warning = Diagnostic::warning(edge.span, message).label("of this command");
            self.diagnostics
                .push(warning.help("there are no answers about chances if a state is reached that enables it"));
        }
    }
}

/// A short way to write a number.
fn decimal(number: &Number) -> String {
    match number.is_int() {
        true => number.to_string(),
        false => format!("{number} (about {:.6})", number.to_f64().value()),
    }
}

fn declare(net: &mut NetworkBuilder, variable: &tree::Variable) -> Place {
    let (ty, lowest) = match variable.ty {
        StateType::Bool => (ValueType::Bit, 0),
        StateType::Int { lo, hi } => (ValueType::Range { lo, hi }, lo),
    };
    let len = variable.len.unwrap_or(1);
    let slot = net.allocate(len);
    let dims = variable.len.map(|len| Dim { len, stride: 1, after: variable.name.len() as u32, first: 0 });
    let (name, span) = (variable.name.clone(), variable.span);
    net.variable(Variable { name, ty, slot, dims: dims.into_iter().collect(), hidden: false, span });
    for element in 0..len {
        // Until the first step has chosen it, a variable has its lowest value.
        let value = variable.initial.as_ref().map_or(lowest, |values| values[element as usize]);
        let target = Place::global(slot + element, ty);
        net.initialise(Initialiser::Assign(Action::Assign { target, value: Code::Const(value) }));
    }
    Place::global(slot, ty)
}

/// The parts of a conjunction: each is one guard, so that analyses see them one by one.
fn conjuncts(guard: Code) -> Vec<Code> {
    let mut found = Vec::new();
    let mut todo = vec![guard];
    while let Some(part) = todo.pop() {
        match part {
            Code::Binary(BinaryOp::And, left, right) => {
                todo.push(*right);
                todo.push(*left);
            }
            Code::Const(value) if value != 0 => {}
            part => found.push(part),
        }
    }
    found
}

/// Probability or rate: the total rate, if the language has it apart, times the share.
fn chance(expressions: &Expressions<'_>, edge: &Edge, destination: &Destination) -> Real {
    let share = destination.chance.as_ref().map(|share| expressions.real(share));
    let rate = edge.rate.as_ref().map(|rate| expressions.real(rate));
    match (rate, share) {
        (None, None) => Real::one(),
        (Some(one), None) | (None, Some(one)) => one,
        (Some(Real::Const(rate)), Some(Real::Const(share))) => Real::Const(rate * share),
        (Some(Real::Const(rate)), Some(_)) if rate.is_zero() => Real::Const(rate),
        (Some(rate), Some(share)) if rate.as_const().is_none() && may_fail(&share) => {
            // Shares of nothing need not exist: 0/0 of a rate 0 is no step.
            let zero = || Real::fraction(0, 1);
            let is_nothing = Code::Exact(Box::new(Exact::Compare(BinaryOp::Equal, rate.clone(), zero())));
            let product = Real::binary(RealOp::Multiply, rate, share);
            Real::Conditional(is_nothing, Box::new(zero()), Box::new(product))
        }
        (Some(rate), Some(share)) => Real::binary(RealOp::Multiply, rate, share),
    }
}

/// May it have no value?
fn may_fail(real: &Real) -> bool {
    match real {
        Real::Const(_) => false,
        // Variables do not, but elements of arrays and whatever is rounded may.
        Real::Whole(Code::Read(place)) => !place.indices.is_empty(),
        Real::Whole(e) => !matches!(e, Code::Const(_)),
        Real::Minus(part) => may_fail(part),
        Real::Binary(RealOp::Add | RealOp::Subtract | RealOp::Multiply | RealOp::Min | RealOp::Max, a, b) => {
            may_fail(a) || may_fail(b)
        }
        Real::Binary(RealOp::Divide, a, b) => may_fail(a) || b.as_const().is_none_or(|by| by.is_zero()),
        Real::Binary(..) | Real::Conditional(..) => true,
    }
}

fn target(expressions: &Expressions<'_>, assignment: &Assignment) -> Place {
    let VariableId(variable) = assignment.target.variable;
    expressions.element(variable, assignment.target.index.as_ref())
}

fn together(expressions: &Expressions<'_>, phase: &[Assignment]) -> Action {
    let lowered = phase.iter().map(|a| (target(expressions, a), expressions.integer(&a.value)));
    Action::Together(lowered.collect())
}

/// The assignments of a phase one by one where that makes no difference: no value reads what an earlier one has written.
fn alone(expressions: &Expressions<'_>, phase: &[Assignment]) -> Vec<Action> {
    let mut written: Vec<u32> = Vec::new();
    for assignment in phase {
        let mut reads_written = false;
        let mut look = |variable: VariableId| reads_written |= written.contains(&variable.0);
        assignment.value.variables(&mut look);
        if let Some(index) = &assignment.target.index {
            index.variables(&mut look);
        }
        if reads_written {
            return vec![together(expressions, phase)];
        }
        written.push(assignment.target.variable.0);
    }
    let assign =
        |a: &Assignment| Action::Assign { target: target(expressions, a), value: expressions.integer(&a.value) };
    phase.iter().map(assign).collect()
}

fn rewards(expressions: &Expressions<'_>, reward: &tree::Reward, edges: &Edges) -> RewardStructure {
    let item = |item: &tree::RewardItem| {
        let of = match item.of {
            tree::Rewarded::State => Rewarded::State,
            tree::Rewarded::Exit => Rewarded::Exit,
            tree::Rewarded::Step => Rewarded::Step,
            tree::Rewarded::Silent => Rewarded::Silent,
            tree::Rewarded::Vector(vector) => Rewarded::Vector(vector),
            tree::Rewarded::Edge { automaton, edge, destination } => {
                let destination = destination.map(|destination| destination as u16);
                Rewarded::Edge { edge: edges[&(automaton, edge)], destination }
            }
        };
        RewardItem { of, guard: expressions.integer(&item.guard), value: expressions.real(&item.value) }
    };
    RewardStructure { name: reward.name.clone(), items: reward.items.iter().map(item).collect() }
}

fn asked(expressions: &Expressions<'_>, property: &tree::Property) -> Property {
    let question = match &property.question {
        Ok(question) => {
            let lowered: Result<ChanceQuestion<Code>, std::convert::Infallible> =
                question.try_map(&mut |atom| Ok(expressions.integer(atom)));
            let Ok(question) = lowered;
            Question::Chance(Box::new(question))
        }
        Err(why) => Question::Unsupported(why.0.clone()),
    };
    Property {
        name: property.name.clone(),
        question,
        span: Some(property.span).filter(|span| *span != Span::default()),
    }
}
