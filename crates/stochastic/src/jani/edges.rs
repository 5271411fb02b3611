//! Edges: guard, rate, destinations with their chances, and assignments in phases.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use bughound_ir::chance::{Kind, Number};
use bughound_ir::source::{Diagnostic, Span};

use super::arrays::{ArrayValue, Value};
use super::build::{self, Needs};
use super::elements::{self, Element};
use super::expressions::{Reading, Translator};
use super::fields::{Fields, list, text, whole};
use super::json::{Json, JsonKind};
use super::names::{Meaning, Names, Scope};
use super::types::Declared;
use super::{Read, numbers, text as rendering};
use crate::tree::{ActionId, Assignment, Destination, Edge, Expr, ExprKind, Phase, StateType, Target, VariableId};

/// An edge, and what it does to transient variables.
#[derive(Debug)]
pub struct ReadEdge {
    pub edge: Edge,
    pub sets: Vec<TransientSet>,
}

/// A value that a transient variable has during a step.
#[derive(Clone, Debug)]
pub struct TransientSet {
    pub transient: usize,
    /// `None`: wherever the edge leads.
    pub destination: Option<u32>,
    pub phase: usize,
    pub value: Expr,
    pub span: Span,
}

/// More phases than this are refused.
const MAX_PHASES: usize = 64;

/// The different `index`es of all assignments, ascending: each is a phase.
pub fn phases(elements: &[Element<'_>], model: Span) -> Read<Vec<i32>> {
    let mut indices = BTreeSet::from([0]);
    let mut collect = |json: Option<&Json>| {
        let Some(JsonKind::List(items)) = json.map(|json| &json.kind) else { return };
        indices.extend(items.iter().filter_map(|item| item.get("index")).filter_map(|json| whole(json, "").ok()));
    };
    for edge in elements.iter().flat_map(|element| element.automaton.items("edges").unwrap_or_default()) {
        collect(edge.get("assignments"));
        if let Some(JsonKind::List(destinations)) = edge.get("destinations").map(|json| &json.kind) {
            destinations.iter().for_each(|destination| collect(destination.get("assignments")));
        }
    }
    if indices.len() > MAX_PHASES {
        let message = format!("assignments have more than {MAX_PHASES} different values of `index`");
        return Err(Diagnostic::error(Span { end: model.start + 1, ..model }, message).into());
    }
    Ok(indices.into_iter().collect())
}

pub struct EdgeReader<'a, 'j> {
    pub names: &'a Names<'j>,
    pub kind: Kind,
    pub element: usize,
    pub of: &'a Element<'j>,
    pub actions: &'a HashMap<&'j str, ActionId>,
    pub phases: &'a [i32],
    /// What is wrong only if the edge ever happens.
    pub doubts: RefCell<Vec<Diagnostic>>,
}

/// What assignments do: to the state, in phases, and to transient variables.
#[derive(Default)]
struct Effects {
    phases: Vec<Phase>,
    sets: Vec<TransientSet>,
}

impl EdgeReader<'_, '_> {
    pub fn read(&self, item: &Json, diagnostics: &mut Vec<Diagnostic>) -> Read<ReadEdge> {
        self.names.spend(1, item.span)?;
        let fields = Fields::of(item, "an edge")?;
        diagnostics.extend(fields.strangers(&["location", "action", "rate", "guard", "assignments", "destinations"]));
        let from = self.of.location(fields.required("location")?)?;
        let action = fields.optional("action").filter(|json| !matches!(json.kind, JsonKind::Null));
        let action = action.map(|json| elements::action(json, self.actions)).transpose()?;
        let guard = match fields.optional("guard") {
            Some(json) => self.wrapped(json, "a guard", Needs::Truth)?,
            None => build::truth(true, item.span),
        };
        let rate = self.rate(&fields, action, diagnostics)?;
        let common = self.effects(fields.optional("assignments"), None)?;
        let mut sets = common.sets.clone();
        let mut destinations = Vec::new();
        let places = list(fields.required("destinations")?, "`destinations`")?;
        if places.is_empty() {
            let message = "an edge needs at least one destination";
            return Err(Diagnostic::error(fields.required("destinations")?.span, message).into());
        }
        for (index, place) in places.iter().enumerate() {
            let fields = Fields::of(place, "a destination")?;
            diagnostics.extend(fields.strangers(&["location", "probability", "assignments"]));
            let to = self.of.location(fields.required("location")?)?;
            let chance = fields.optional("probability").map(|json| self.probability(json)).transpose()?;
            let own = self.effects(fields.optional("assignments"), Some(index as u32))?;
            let phases = self.join(&common, &own)?;
            sets.extend(own.sets);
            destinations.push(Destination { chance, phases, to, text: String::new(), span: place.span });
        }
        let (text, parts) = rendering::command(item);
        if destinations.len() > 1 {
            destinations.iter_mut().zip(parts).for_each(|(destination, part)| destination.text = part);
        }
        Ok(ReadEdge { edge: Edge { from, action, guard, rate, destinations, text, span: item.span }, sets })
    }

    /// `{"exp": …}`
    fn wrapped(&self, json: &Json, what: &'static str, needs: Needs) -> Read<Expr> {
        let fields = Fields::of(json, what)?;
        let exp = fields.required("exp")?;
        let expr = Translator::new(self.names, Scope::Element(self.element), Reading::State).scalar(exp)?;
        build::expect(&expr, needs, what)?;
        Ok(expr)
    }

    fn rate(
        &self,
        fields: &Fields<'_>,
        action: Option<ActionId>,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Read<Option<Expr>> {
        let Some(json) = fields.optional("rate") else {
            if self.kind == Kind::Ctmc && action.is_none() {
                let message = "this edge of a ctmc has no rate: it is taken to be 1";
                diagnostics.push(Diagnostic::warning(fields.span, message));
            }
            return Ok(None);
        };
        if self.kind != Kind::Ctmc {
            let message = "only edges of a ctmc have rates";
            let help = "destinations have probabilities: `\"probability\": { \"exp\": 0.5 }`";
            return Err(Diagnostic::error(json.span, message).help(help).into());
        }
        let rate = self.wrapped(json, "a rate", Needs::Number)?;
        if build::value_of(&rate).is_some_and(|value| value < Number::from(0)) {
            self.doubt(rate.span, "this rate is negative".to_string());
        }
        Ok(Some(rate))
    }

    fn doubt(&self, span: Span, message: String) {
        self.doubts.borrow_mut().push(Diagnostic::warning(span, message));
    }

    fn probability(&self, json: &Json) -> Read<Expr> {
        let chance = self.wrapped(json, "a probability", Needs::Number)?;
        if let Some(value) = build::value_of(&chance)
            && (value > Number::from(1) || value < Number::from(0))
        {
            let message = format!("the probability {} is not between 0 and 1", numbers::show(&value));
            self.doubt(chance.span, message);
        }
        Ok(chance)
    }

    fn effects(&self, json: Option<&Json>, destination: Option<u32>) -> Read<Effects> {
        let mut effects = Effects::default();
        for item in json.map(|json| list(json, "`assignments`")).transpose()?.unwrap_or_default() {
            let fields = Fields::of(item, "an assignment")?;
            let index = fields.optional("index").map_or(Ok(0), |json| whole(json, "the index of an assignment"))?;
            let phase = self.phases.binary_search(&index).unwrap_or_default();
            self.assignment(&fields, phase, destination, &mut effects)?;
        }
        Ok(effects)
    }

    fn assignment(
        &self,
        fields: &Fields<'_>,
        phase: usize,
        destination: Option<u32>,
        effects: &mut Effects,
    ) -> Read<()> {
        let mut translator = Translator::new(self.names, Scope::Element(self.element), Reading::Step { phase });
        let value_json = fields.required("value")?;
        let value = translator.value(value_json)?;
        let target = fields.required("ref")?;
        let span = fields.span;
        let (variable, target_value) = match self.target(target, &mut translator)? {
            Assigned::Transient(transient) => {
                let Value::Scalar(value) = value else {
                    return Err(Diagnostic::error(value_json.span, "an array is assigned to a single variable").into());
                };
                let declared = &self.names.transients[transient];
                declared.ty.check(&value, &format!("the value of `{}`", declared.name))?;
                if let Some(carrier) = declared.carrier {
                    let assigned =
                        Assignment { target: Target { variable: carrier, index: None }, value: value.clone(), span };
                    put(&mut effects.phases, phase, assigned);
                    let reset = Assignment {
                        target: Target { variable: carrier, index: None },
                        value: declared.initial.clone(),
                        span,
                    };
                    put(&mut effects.phases, self.phases.len(), reset);
                }
                effects.sets.push(TransientSet { transient, destination, phase, value, span });
                return Ok(());
            }
            Assigned::Variable(variable, target) => (variable, target),
        };
        let declared = &self.names.variables[variable.0 as usize];
        let ty = match declared.ty {
            StateType::Bool => Declared::Bool,
            StateType::Int { lo, hi } => Declared::Int { lo, hi },
        };
        let who = format!("the value of `{}`", declared.name);
        match (target_value, value) {
            (Value::Scalar(target), Value::Scalar(value)) => {
                ty.check(&value, &who)?;
                let index = match target.kind {
                    ExprKind::Element(_, index) => Some(*index),
                    _ => None,
                };
                if build::is_literal(&value)
                    && let Err(outside) = super::variables::in_state(&value, declared.ty, &who)
                {
                    self.doubt(value.span, outside.message);
                }
                put(&mut effects.phases, phase, Assignment { target: Target { variable, index }, value, span });
            }
            (Value::Array(target), Value::Array(value)) => {
                self.whole_array(variable, target, value, (phase, span), effects, &|value| ty.check(value, &who))?;
            }
            (Value::Scalar(_), Value::Array(_)) => {
                return Err(Diagnostic::error(value_json.span, "an array is assigned to a single variable").into());
            }
            (Value::Array(_), Value::Scalar(_)) => {
                return Err(Diagnostic::error(value_json.span, "a single value is assigned to an array").into());
            }
        }
        Ok(())
    }

    /// Element by element.
    fn whole_array(
        &self,
        variable: VariableId,
        target: ArrayValue,
        value: ArrayValue,
        (phase, span): (usize, Span),
        effects: &mut Effects,
        check: &dyn Fn(&Expr) -> Read<()>,
    ) -> Read<()> {
        if target.dimensions != value.dimensions {
            return Err(Diagnostic::error(span, "an array is assigned to one of another length").into());
        }
        let targets = target.elements(self.names, span)?;
        for (target, value) in targets.into_iter().zip(value.elements(self.names, span)?) {
            check(&value)?;
            if let ExprKind::Element(_, index) = target.kind {
                let target = Target { variable, index: Some(*index) };
                put(&mut effects.phases, phase, Assignment { target, value, span });
            }
        }
        Ok(())
    }

    /// What an assignment writes to.
    fn target(&self, json: &Json, translator: &mut Translator<'_, '_>) -> Read<Assigned> {
        let mut base = json;
        while let Some(inner) = base.get("exp") {
            base = inner;
        }
        let name = text(base, "what is assigned to")?;
        let scope = Scope::Element(self.element);
        let is_local = self.names.locals[self.element].contains_key(name);
        if !is_local && self.names.constants.contains(name) {
            return Err(Diagnostic::error(base.span, format!("`{name}` is a constant: it cannot be assigned")).into());
        }
        match self.names.meaning(name, scope, base.span)? {
            Meaning::Transient(id) => Ok(Assigned::Transient(id)),
            Meaning::Variable(id) => Ok(Assigned::Variable(id, translator.value(json)?)),
        }
    }

    /// The phases of an edge and of one of its destinations, together.
    fn join(&self, common: &Effects, own: &Effects) -> Read<Vec<Phase>> {
        let mut phases = common.phases.clone();
        for (phase, assignments) in own.phases.iter().enumerate() {
            assignments.iter().for_each(|assignment| put(&mut phases, phase, assignment.clone()));
        }
        for phase in &phases {
            let sizes = phase.iter().map(|assignment| build::measure(&assignment.value).1);
            if let Some(first) = phase.first() {
                self.names.spend(sizes.sum(), first.span)?;
            }
            self.nothing_twice(phase)?;
        }
        let mut set = HashMap::new();
        for one in common.sets.iter().chain(&own.sets) {
            if let Some(first) = set.insert((one.transient, one.phase), one.span) {
                let name = &self.names.transients[one.transient].name;
                return Err(twice(name, first, one.span));
            }
        }
        // The resets of transient variables are the last phase, once.
        if let Some(last) = phases.get_mut(self.phases.len()) {
            let mut seen = HashSet::new();
            last.retain(|assignment| seen.insert(assignment.target.variable));
        }
        Ok(phases)
    }

    fn nothing_twice(&self, phase: &Phase) -> Read<()> {
        let is_carrier = |id: VariableId| self.names.transients.iter().any(|transient| transient.carrier == Some(id));
        let mut seen = HashMap::new();
        for assignment in phase {
            let index = match assignment.target.index.as_ref().map(|index| &index.kind) {
                None => None,
                Some(ExprKind::Int(index)) => Some(*index),
                // Whether two indices are the same is seen only in a state.
                Some(_) => continue,
            };
            let variable = assignment.target.variable;
            if let Some(first) = seen.insert((variable, index), assignment.span)
                && !is_carrier(variable)
            {
                return Err(twice(&self.names.variables[variable.0 as usize].name, first, assignment.span));
            }
        }
        Ok(())
    }
}

fn twice(name: &str, first: Span, second: Span) -> Box<Diagnostic> {
    let message = format!("`{name}` is assigned twice at the same time");
    let help = "assignments with a larger `index` happen later";
    Box::new(Diagnostic::error(second, message).related(first, "the first time").help(help))
}

enum Assigned {
    Transient(usize),
    Variable(VariableId, Value),
}

fn put(phases: &mut Vec<Phase>, phase: usize, assignment: Assignment) {
    if phases.len() <= phase {
        phases.resize_with(phase + 1, Vec::new);
    }
    phases[phase].push(assignment);
}

/// The variables that an expression reads.
pub fn variables_of(expr: &Expr, found: &mut BTreeSet<VariableId>) {
    if let ExprKind::Variable(id) | ExprKind::Element(id, _) = expr.kind {
        found.insert(id);
    }
    build::children(expr, &mut |child| variables_of(child, found));
}
