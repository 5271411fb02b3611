//! Several initial states: a process that chooses one of them before anybody else moves.
//!
//! Its initial location is committed, so nobody else moves before it. Each of its edges sets all variables that have no initial
//! value, to one of the valuations in which the condition holds. These are found by trying values variable by variable; a
//! part of the condition is looked at as soon as all of its variables have a value. Automata with several initial locations (JANI) take
//! part in its step, each with an edge to one of them.

use bughound_ir::builder::{EdgeSpec, LocalLocation, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{Expr as Code, Place};
use bughound_ir::network::Vector;
use bughound_ir::source::Diagnostic;

use super::Lowering;
use super::expressions::Expressions;
use crate::prism::arithmetic::{self, Value};
use crate::tree::{Binary, Expr, ExprKind, Model, StateType, Unary, VariableId};

/// More initial states are refused.
const MOST_STATES: usize = 1 << 17;
/// More valuations are not tried.
const MOST_TRIALS: u64 = 50_000_000;
/// The name of the process; no automaton has it.
const NAME: &str = "(start)";

/// A slot to be chosen.
struct Free {
    variable: u32,
    element: u32,
    lo: i32,
    hi: i32,
}

struct Choosing<'c> {
    model: &'c Model,
    free: Vec<Free>,
    /// By number of slots chosen: the parts of the condition that can be looked at then.
    parts: Vec<Vec<&'c Expr>>,
    /// By variable and element.
    values: Vec<Vec<i32>>,
    found: Vec<Vec<i32>>,
    trials: u64,
}

impl Lowering<'_> {
    /// Adds the process. False if there is no initial state, or there are too many.
    pub(super) fn choose_start(
        &mut self,
        net: &mut NetworkBuilder,
        expressions: &Expressions<'_>,
        condition: &Expr,
    ) -> bool {
        let model = self.model;
        let mut choosing = Choosing::new(model, condition);
        let problem = match choosing.choose(0) {
            None => Some("the condition on initial states cannot be evaluated, or has too many cases"),
            Some(()) if choosing.found.is_empty() => Some("no state satisfies the condition on initial states"),
            Some(()) if choosing.found.len().saturating_mul(places(model)) > MOST_STATES => {
                Some("there are more than 131072 initial states")
            }
            Some(()) => None,
        };
        if let Some(problem) = problem {
            self.diagnostics.push(Diagnostic::error(condition.span, problem));
            return false;
        }
        let mut process = TemplateBuilder::new(NAME);
        let (before, after) = (process.location("before"), process.location("after"));
        process.location_mut(before).flags.committed = true;
        process.location_mut(after).flags.end = true;
        let slots: Vec<Place> = choosing.free.iter().map(|free| free.place(expressions)).collect();
        let joins = places(model) > 1;
        for values in &choosing.found {
            let assignments = slots.iter().cloned().zip(values.iter().map(|value| Code::Const(*value))).collect();
            let named = choosing.free.iter().zip(values).map(|(free, value)| free.text(model, *value));
            let text = format!("start: {}", named.collect::<Vec<_>>().join(", "));
            let mut spec = EdgeSpec::new(before, after).action(Action::Together(assignments)).text(text);
            if joins {
                spec.edge.sync = Sync::Join { action: first_action(model) };
            }
            process.edge(spec);
        }
        let process = net.template(process, before);
        net.start(process, vec![]);
        if joins {
            vectors(model).into_iter().for_each(|vector| net.vector(vector));
        }
        true
    }
}

/// In how many ways automata can be at their initial locations.
fn places(model: &Model) -> usize {
    model.automata.iter().fold(1, |count, automaton| count.saturating_mul(automaton.initial.len()))
}

/// The first action that no edge of the model has: that of the process that chooses. After it come those of automata, one for each of
/// their initial locations.
fn first_action(model: &Model) -> u32 {
    let edges = model.automata.iter().flat_map(|automaton| &automaton.edges).filter_map(|edge| edge.action);
    let vectors = model.vectors.iter().flat_map(|vector| &vector.parts).map(|(_, action)| *action);
    edges.chain(vectors).map(|action| action.0 + 1).max().unwrap_or(0)
}

fn action_of(model: &Model, automaton: usize, choice: usize) -> u32 {
    let before: usize = model.automata[..automaton].iter().map(|automaton| automaton.initial.len()).sum();
    first_action(model) + 1 + (before + choice) as u32
}

/// Edges from a location by which an automaton with several initial locations goes to each of them. It is at the first one, and
/// nobody but the process that chooses takes part in such a step.
pub(super) fn moves(model: &Model, automaton: usize, from: u32, here: &[LocalLocation]) -> Vec<EdgeSpec> {
    let of = &model.automata[automaton];
    if of.initial.len() == 1 || of.initial[0] != from {
        return Vec::new();
    }
    let edge = |(choice, to): (usize, &u32)| {
        let text = format!("start at {}", of.locations[*to as usize].name);
        let mut spec = EdgeSpec::new(here[from as usize], here[*to as usize]).text(text);
        spec.edge.sync = Sync::Join { action: action_of(model, automaton, choice) };
        spec
    };
    of.initial.iter().enumerate().map(edge).collect()
}

/// The process that chooses with every combination of initial locations.
fn vectors(model: &Model) -> Vec<Vector> {
    let mut all = vec![vec![(model.automata.len() as u16, first_action(model))]];
    for (number, automaton) in model.automata.iter().enumerate().filter(|(_, a)| a.initial.len() > 1) {
        let with = |parts: &Vec<(u16, u32)>| {
            let parts = parts.clone();
            (0..automaton.initial.len()).map(move |choice| {
                let mut parts = parts.clone();
                parts.push((number as u16, action_of(model, number, choice)));
                parts
            })
        };
        all = all.iter().flat_map(with).collect();
    }
    all.into_iter().map(|parts| Vector { parts, name: None }).collect()
}

impl Free {
    fn place(&self, expressions: &Expressions<'_>) -> Place {
        let mut place = expressions.places[self.variable as usize].clone();
        place.slot += self.element;
        place
    }

    fn text(&self, model: &Model, value: i32) -> String {
        let variable = &model.variables[self.variable as usize];
        let index = variable.len.map_or(String::new(), |_| format!("[{}]", self.element));
        let value = match variable.ty {
            StateType::Bool => (value != 0).to_string(),
            StateType::Int { .. } => value.to_string(),
        };
        format!("{}{index}={value}", variable.name)
    }
}

impl<'c> Choosing<'c> {
    fn new(model: &'c Model, condition: &'c Expr) -> Self {
        let mut free = Vec::new();
        let mut values = Vec::new();
        for (number, variable) in model.variables.iter().enumerate() {
            let (lo, hi) = match variable.ty {
                StateType::Bool => (0, 1),
                StateType::Int { lo, hi } => (lo, hi),
            };
            let len = variable.len.unwrap_or(1);
            values.push(variable.initial.clone().unwrap_or_else(|| vec![lo; len as usize]));
            if variable.initial.is_none() {
                free.extend((0..len).map(|element| Free { variable: number as u32, element, lo, hi }));
            }
        }
        let mut parts = vec![Vec::new(); free.len() + 1];
        let mut todo = vec![condition];
        while let Some(part) = todo.pop() {
            if let ExprKind::Binary(Binary::And, left, right) = &part.kind {
                todo.extend([&**right, &**left]);
                continue;
            }
            let mut last = 0;
            part.variables(&mut |variable| {
                let chosen = free.iter().rposition(|free| VariableId(free.variable) == variable);
                last = last.max(chosen.map_or(0, |at| at + 1));
            });
            parts[last].push(part);
        }
        Choosing { model, free, parts, values, found: Vec::new(), trials: 0 }
    }

    /// Chooses the slots from this one on, in all ways. Nothing if that cannot be done.
    fn choose(&mut self, at: usize) -> Option<()> {
        for part in &self.parts[at] {
            match self.value(part)? {
                Value::Bool(true) => {}
                _ => return Some(()),
            }
        }
        let Some(Free { variable, element, lo, hi }) = self.free.get(at) else {
            let chosen = self.free.iter().map(|free| self.values[free.variable as usize][free.element as usize]);
            self.found.push(chosen.collect());
            return Some(());
        };
        let (variable, element) = (*variable as usize, *element as usize);
        for value in *lo..=*hi {
            self.trials += 1;
            if self.trials > MOST_TRIALS || self.found.len() > MOST_STATES {
                return (self.found.len() > MOST_STATES).then_some(());
            }
            self.values[variable][element] = value;
            self.choose(at + 1)?;
        }
        Some(())
    }

    fn value(&self, expr: &Expr) -> Option<Value> {
        let read = |variable: VariableId, element: usize| {
            let value = *self.values[variable.0 as usize].get(element)?;
            Some(match self.model.variables[variable.0 as usize].ty {
                StateType::Bool => Value::Bool(value != 0),
                StateType::Int { .. } => Value::Int(value),
            })
        };
        let truth = |e: &Expr| match self.value(e)? {
            Value::Bool(truth) => Some(truth),
            _ => None,
        };
        Some(match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(*value),
            ExprKind::Real(value) => Value::Real(value.clone()),
            ExprKind::Variable(variable) => read(*variable, 0)?,
            ExprKind::Element(variable, index) => match self.value(index)? {
                Value::Int(index) => read(*variable, usize::try_from(index).ok()?)?,
                _ => return None,
            },
            ExprKind::At { automaton, location } => match &self.model.automata[*automaton as usize].initial[..] {
                [initial] => Value::Bool(initial == location),
                // Values of variables are found before locations are chosen.
                _ => return None,
            },
            ExprKind::Unary(Unary::Not, operand) => Value::Bool(!truth(operand)?),
            ExprKind::Unary(op, operand) => arithmetic::unary(*op, &self.value(operand)?).ok()?,
            ExprKind::Binary(Binary::And, left, right) => Value::Bool(truth(left)? && truth(right)?),
            ExprKind::Binary(Binary::Or, left, right) => Value::Bool(truth(left)? || truth(right)?),
            ExprKind::Binary(Binary::Implies, left, right) => Value::Bool(!truth(left)? || truth(right)?),
            ExprKind::Binary(op, left, right) => {
                arithmetic::binary(*op, &self.value(left)?, &self.value(right)?).ok()?
            }
            ExprKind::Conditional(test, then, otherwise) => self.value(if truth(test)? { then } else { otherwise })?,
        })
    }
}
