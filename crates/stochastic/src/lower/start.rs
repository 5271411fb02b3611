//! Several initial states: a process that chooses one of them before anybody else moves.
//!
//! Its initial location is committed, so nobody else moves before it. Each of its edges sets all variables that have no initial
//! value, to one of the valuations in which the condition holds. These are found by trying values variable by variable; a
//! part of the condition is looked at as soon as all of its variables have a value.

use bughound_ir::builder::{EdgeSpec, NetworkBuilder, TemplateBuilder};
use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr as Code, Place};
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
        if let Some(automaton) = model.automata.iter().find(|automaton| automaton.initial.len() > 1) {
            let message = format!("several initial locations (`{}`) are not supported", automaton.name);
            self.diagnostics.push(Diagnostic::error(automaton.span, message));
            return false;
        }
        let mut choosing = Choosing::new(model, condition);
        let problem = match choosing.choose(0) {
            None => Some("the condition on initial states cannot be evaluated, or has too many cases"),
            Some(()) if choosing.found.is_empty() => Some("no state satisfies the condition on initial states"),
            Some(()) if choosing.found.len() > MOST_STATES => Some("there are more than 131072 initial states"),
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
        let places: Vec<Place> = choosing.free.iter().map(|free| free.place(expressions)).collect();
        for values in &choosing.found {
            let assignments = places.iter().cloned().zip(values.iter().map(|value| Code::Const(*value))).collect();
            let named = choosing.free.iter().zip(values).map(|(free, value)| free.text(model, *value));
            let text = format!("start: {}", named.collect::<Vec<_>>().join(", "));
            process.edge(EdgeSpec::new(before, after).action(Action::Together(assignments)).text(text));
        }
        let process = net.template(process, before);
        net.start(process, vec![]);
        true
    }
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
            ExprKind::At { automaton, location } => {
                Value::Bool(self.model.automata[*automaton as usize].initial[0] == *location)
            }
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
