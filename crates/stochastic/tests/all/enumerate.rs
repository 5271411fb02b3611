//! A slow and obvious walk over all states of a tree, to compare what readers understood with what other tools count.

use std::collections::HashMap;

use bughound_ir::chance::{Kind, Number};
use bughound_stochastic::tree::{
    Assignment, Binary, Destination, Edge, Expr, ExprKind, Initial, Model, RewardItem, Rewarded, StateType, Unary,
};

/// Values of variables (arrays one element after the other), then locations.
pub type State = Vec<i32>;

/// All states of a model and the chances between them.
#[derive(Debug, Default)]
pub struct Enumerated {
    pub states: Vec<State>,
    pub initial: Vec<usize>,
    /// Of each state; chains have one.
    pub choices: Vec<Vec<Choice>>,
    pub deadlocks: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Probabilities, or rates; each successor once.
    pub entries: Vec<(usize, f64)>,
    /// What taking it earns on average (per unit of rate in a CTMC), of each reward structure.
    pub earns: Vec<f64>,
}

impl Enumerated {
    pub fn transitions(&self) -> usize {
        self.choices.iter().flatten().map(|choice| choice.entries.len()).sum()
    }

    pub fn number_of_choices(&self) -> usize {
        self.choices.iter().map(Vec::len).sum()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Real(Number),
}

impl Value {
    pub fn truth(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("{other:?} is no truth value"),
        }
    }

    pub fn number(&self) -> Number {
        match self {
            Value::Int(value) => Number::from(*value),
            Value::Real(value) => value.clone(),
            Value::Bool(_) => panic!("a truth value is no number"),
        }
    }

    fn int(&self) -> i64 {
        match self {
            Value::Int(value) => *value,
            other => panic!("{other:?} is no whole number"),
        }
    }
}

/// Where the parts of a state are.
pub struct Layout<'m> {
    pub model: &'m Model,
    offsets: Vec<usize>,
    locations: usize,
}

impl<'m> Layout<'m> {
    pub fn new(model: &'m Model) -> Layout<'m> {
        let mut at = 0;
        let offset = |variable: &bughound_stochastic::tree::Variable| {
            let here = at;
            at += variable.len.unwrap_or(1) as usize;
            here
        };
        let offsets = model.variables.iter().map(offset).collect();
        Layout { model, offsets, locations: at }
    }

    fn slot(&self, variable: usize, index: Option<i64>) -> Result<usize, String> {
        let declared = &self.model.variables[variable];
        match (declared.len, index) {
            (None, None) => Ok(self.offsets[variable]),
            (Some(len), Some(index)) if (0..i64::from(len)).contains(&index) => {
                Ok(self.offsets[variable] + index as usize)
            }
            _ => Err(format!("index {index:?} outside of `{}`", declared.name)),
        }
    }

    pub fn eval(&self, expr: &Expr, state: &State) -> Result<Value, String> {
        let value_of =
            |id: bughound_stochastic::tree::VariableId, slot: usize| match self.model.variables[id.0 as usize].ty {
                StateType::Bool => Value::Bool(state[slot] != 0),
                StateType::Int { .. } => Value::Int(i64::from(state[slot])),
            };
        Ok(match &expr.kind {
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Int(value) => Value::Int(i64::from(*value)),
            ExprKind::Real(value) => Value::Real(value.clone()),
            ExprKind::Variable(id) => value_of(*id, self.slot(id.0 as usize, None)?),
            ExprKind::Element(id, index) => {
                let index = self.eval(index, state)?.int();
                value_of(*id, self.slot(id.0 as usize, Some(index))?)
            }
            ExprKind::At { automaton, location } => {
                Value::Bool(state[self.locations + *automaton as usize] == *location as i32)
            }
            ExprKind::Unary(op, operand) => unary(*op, self.eval(operand, state)?),
            ExprKind::Binary(op, left, right) => {
                let left = self.eval(left, state)?;
                match (op, &left) {
                    (Binary::And, Value::Bool(false)) => return Ok(left),
                    (Binary::Or, Value::Bool(true)) => return Ok(left),
                    (Binary::Implies, Value::Bool(false)) => return Ok(Value::Bool(true)),
                    _ => binary(*op, left, self.eval(right, state)?)?,
                }
            }
            ExprKind::Conditional(condition, then, otherwise) => match self.eval(condition, state)?.truth() {
                true => self.eval(then, state)?,
                false => self.eval(otherwise, state)?,
            },
        })
    }

    pub fn holds(&self, expr: &Expr, state: &State) -> bool {
        self.eval(expr, state).unwrap_or_else(|error| panic!("{error}")).truth()
    }

    fn number(&self, expr: Option<&Expr>, state: &State) -> Result<Number, String> {
        expr.map_or(Ok(Number::from(1)), |expr| Ok(self.eval(expr, state)?.number()))
    }

    fn assign(&self, assignment: &Assignment, before: &State, after: &mut State) -> Result<(), String> {
        let variable = assignment.target.variable.0 as usize;
        let index = assignment.target.index.as_ref().map(|index| self.eval(index, before)).transpose()?;
        let slot = self.slot(variable, index.map(|index| index.int()))?;
        let declared = &self.model.variables[variable];
        after[slot] = match (self.eval(&assignment.value, before)?, declared.ty) {
            (Value::Bool(value), StateType::Bool) => i32::from(value),
            (Value::Int(value), StateType::Int { lo, hi }) if (i64::from(lo)..=i64::from(hi)).contains(&value) => {
                value as i32
            }
            (value, _) => return Err(format!("{value:?} is outside of the range of `{}`", declared.name)),
        };
        Ok(())
    }

    pub fn initial(&self) -> Vec<State> {
        let mut states: Vec<State> = vec![Vec::new()];
        let extend = |states: Vec<State>, values: Vec<i32>| -> Vec<State> {
            let with = |state: &State, value: i32| state.iter().copied().chain([value]).collect();
            states.iter().flat_map(|state| values.iter().map(move |value| with(state, *value))).collect()
        };
        for variable in &self.model.variables {
            for element in 0..variable.len.unwrap_or(1) as usize {
                let values = match (&variable.initial, variable.ty) {
                    (Some(values), _) => vec![values[element]],
                    (None, StateType::Bool) => vec![0, 1],
                    (None, StateType::Int { lo, hi }) => (lo..=hi).collect(),
                };
                states = extend(states, values);
            }
        }
        for automaton in &self.model.automata {
            states = extend(states, automaton.initial.iter().map(|location| *location as i32).collect());
        }
        match &self.model.initial {
            Initial::Values => states.truncate(1),
            Initial::Where(condition) => states.retain(|state| self.holds(condition, state)),
        }
        states
    }

    /// Edges that happen together, of all steps that are possible in a state.
    fn steps(&self, state: &State) -> Result<Vec<Step>, String> {
        let mut steps = Vec::new();
        let enabled = |automaton: usize, action| -> Result<Vec<usize>, String> {
            let mut found = Vec::new();
            for (index, edge) in self.model.automata[automaton].edges.iter().enumerate() {
                let here = state[self.locations + automaton] == edge.from as i32;
                if here && edge.action == action && self.eval(&edge.guard, state)?.truth() {
                    found.push(index);
                }
            }
            Ok(found)
        };
        for automaton in 0..self.model.automata.len() {
            let alone = |edge| Step { edges: vec![(automaton, edge)], vector: None };
            steps.extend(enabled(automaton, None)?.into_iter().map(alone));
        }
        for (vector, parts) in self.model.vectors.iter().enumerate() {
            let mut combined = vec![Vec::new()];
            for (automaton, action) in &parts.parts {
                let edges = enabled(*automaton as usize, Some(*action))?;
                let with = |step: &Vec<(usize, usize)>, edge| {
                    step.iter().copied().chain([(*automaton as usize, edge)]).collect()
                };
                combined = combined.iter().flat_map(|step| edges.iter().map(move |edge| with(step, *edge))).collect();
            }
            steps.extend(combined.into_iter().map(|edges| Step { edges, vector: Some(vector) }));
        }
        Ok(steps)
    }

    fn edge(&self, (automaton, edge): (usize, usize)) -> &'m Edge {
        &self.model.automata[automaton].edges[edge]
    }

    /// The chances of a step: which destinations, how likely, and the state there.
    fn outcomes(&self, step: &Step, state: &State) -> Result<Vec<Outcome>, String> {
        let mut outcomes = vec![(Number::from(1), Vec::new())];
        for part in &step.edges {
            let edge = self.edge(*part);
            let rate = self.number(edge.rate.as_ref(), state)?;
            let mut next = Vec::new();
            for (chance, chosen) in &outcomes {
                for (index, destination) in edge.destinations.iter().enumerate() {
                    let share = self.number(destination.chance.as_ref(), state)?;
                    let chosen: Vec<usize> = chosen.iter().copied().chain([index]).collect();
                    next.push((chance * &rate * share, chosen));
                }
            }
            outcomes = next;
        }
        let mut reached = Vec::new();
        for (chance, chosen) in outcomes.into_iter().filter(|(chance, _)| !chance.is_zero()) {
            let places: Vec<&Destination> =
                step.edges.iter().zip(&chosen).map(|(part, index)| &self.edge(*part).destinations[*index]).collect();
            let mut after = state.clone();
            let phases = places.iter().map(|place| place.phases.len()).max().unwrap_or_default();
            for phase in 0..phases {
                let before = after.clone();
                for assignment in places.iter().filter_map(|place| place.phases.get(phase)).flatten() {
                    self.assign(assignment, &before, &mut after)?;
                }
            }
            for ((automaton, _), place) in step.edges.iter().zip(&places) {
                after[self.locations + automaton] = place.to as i32;
            }
            reached.push(Outcome { chance, chosen, state: after });
        }
        Ok(reached)
    }

    /// What an outcome earns beside what the state does.
    fn reward(&self, item: &RewardItem, step: &Step, chosen: &[usize], state: &State) -> Result<Number, String> {
        let name = |vector: usize| self.model.vectors[vector].name.as_deref();
        let earns = match item.of {
            Rewarded::State => self.model.kind != Kind::Ctmc,
            Rewarded::Exit | Rewarded::Step => true,
            Rewarded::Silent => step.vector.is_none_or(|vector| name(vector).is_none()),
            Rewarded::Vector(wanted) => step.vector.is_some_and(|vector| name(vector) == name(wanted as usize)),
            Rewarded::Edge { automaton, edge, destination } => {
                let wanted = (automaton as usize, edge as usize);
                let position = step.edges.iter().position(|part| *part == wanted);
                position.is_some_and(|at| destination.is_none_or(|destination| chosen[at] == destination as usize))
            }
        };
        match earns && self.eval(&item.guard, state)?.truth() {
            true => Ok(self.eval(&item.value, state)?.number()),
            false => Ok(Number::from(0)),
        }
    }
}

struct Step {
    edges: Vec<(usize, usize)>,
    vector: Option<usize>,
}

struct Outcome {
    chance: Number,
    chosen: Vec<usize>,
    state: State,
}

fn unary(op: Unary, operand: Value) -> Value {
    let whole = |number: dashu_int::IBig| Value::Int(i64::try_from(number).expect("a number of 64 bits"));
    match (op, operand) {
        (Unary::Not, Value::Bool(value)) => Value::Bool(!value),
        (Unary::Minus, Value::Int(value)) => Value::Int(-value),
        (Unary::Minus, value) => Value::Real(-value.number()),
        (Unary::Floor, value) => whole(value.number().floor()),
        (Unary::Ceil, value) => whole(value.number().ceil()),
        (Unary::Round, value) => whole((value.number() + Number::from_parts(1.into(), 2u8.into())).floor()),
        (Unary::Not, other) => panic!("not {other:?}"),
    }
}

fn binary(op: Binary, left: Value, right: Value) -> Result<Value, String> {
    use Binary::*;
    if let (Value::Bool(a), Value::Bool(b)) = (&left, &right) {
        return Ok(Value::Bool(match op {
            And => *a && *b,
            Or => *a || *b,
            Implies => !a || *b,
            Iff | Equal => a == b,
            NotEqual => a != b,
            _ => return Err(format!("{op:?} of truth values")),
        }));
    }
    if let (Value::Int(a), Value::Int(b)) = (&left, &right) {
        let (a, b) = (*a, *b);
        let whole = match op {
            Add => Some(a.checked_add(b).ok_or("overflow")?),
            Subtract => Some(a.checked_sub(b).ok_or("overflow")?),
            Multiply => Some(a.checked_mul(b).ok_or("overflow")?),
            Modulo if b > 0 => Some(a.rem_euclid(b)),
            Modulo => return Err("modulo 0".to_string()),
            Power => Some(a.checked_pow(u32::try_from(b).map_err(|_| "negative exponent")?).ok_or("overflow")?),
            Min => Some(a.min(b)),
            Max => Some(a.max(b)),
            _ => None,
        };
        if let Some(whole) = whole {
            return Ok(Value::Int(whole));
        }
        let order = match op {
            Equal => Some(a == b),
            NotEqual => Some(a != b),
            Less => Some(a < b),
            LessEqual => Some(a <= b),
            Greater => Some(a > b),
            GreaterEqual => Some(a >= b),
            _ => None,
        };
        if let Some(order) = order {
            return Ok(Value::Bool(order));
        }
    }
    let (a, b) = (left.number(), right.number());
    let float = |value: &Number| value.to_f64().value();
    let of_float = |value: f64| Number::try_from(value).map(Value::Real).map_err(|_| "not finite".to_string());
    Ok(match op {
        Equal => Value::Bool(a == b),
        NotEqual => Value::Bool(a != b),
        Less => Value::Bool(a < b),
        LessEqual => Value::Bool(a <= b),
        Greater => Value::Bool(a > b),
        GreaterEqual => Value::Bool(a >= b),
        Add => Value::Real(a + b),
        Subtract => Value::Real(a - b),
        Multiply => Value::Real(a * b),
        Divide if b.is_zero() => return Err("division by 0".to_string()),
        Divide => Value::Real(a / b),
        Power => of_float(float(&a).powf(float(&b)))?,
        Logarithm => of_float(float(&a).ln() / float(&b).ln())?,
        Min => Value::Real(a.min(b)),
        Max => Value::Real(a.max(b)),
        other => return Err(format!("{other:?} of numbers")),
    })
}

/// Walks over all reachable states.
pub fn enumerate(model: &Model) -> Result<Enumerated, String> {
    let layout = Layout::new(model);
    let mut found = Enumerated::default();
    let mut known: HashMap<State, usize> = HashMap::new();
    let mut number = |state: State, states: &mut Vec<State>| {
        *known.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            states.len() - 1
        })
    };
    for state in layout.initial() {
        let id = number(state, &mut found.states);
        found.initial.push(id);
    }
    let mut next = 0;
    while next < found.states.len() {
        let state = found.states[next].clone();
        let mut choices = Vec::new();
        for step in layout.steps(&state)? {
            let mut choice = Choice { entries: Vec::new(), earns: vec![0.0; model.rewards.len()] };
            for outcome in layout.outcomes(&step, &state)? {
                let chance = outcome.chance.to_f64().value();
                for (reward, earned) in model.rewards.iter().zip(&mut choice.earns) {
                    for item in &reward.items {
                        let value = layout.reward(item, &step, &outcome.chosen, &state)?;
                        *earned += chance * value.to_f64().value();
                    }
                }
                choice.entries.push((number(outcome.state, &mut found.states), chance));
            }
            if !choice.entries.is_empty() {
                choices.push(merged(vec![choice], 1.0));
            }
        }
        if choices.is_empty() {
            found.deadlocks += 1;
            choices.push(Choice { entries: vec![(next, 1.0)], earns: vec![0.0; model.rewards.len()] });
        }
        let number_of_choices = choices.len() as f64;
        found.choices.push(match model.kind {
            Kind::Mdp => choices,
            Kind::Ctmc => vec![merged(choices, 1.0)],
            Kind::Dtmc => vec![merged(choices, 1.0 / number_of_choices)],
        });
        next += 1;
    }
    Ok(found)
}

/// One choice with all entries, each successor once.
fn merged(choices: Vec<Choice>, share: f64) -> Choice {
    let mut entries: Vec<(usize, f64)> = Vec::new();
    let mut earns = vec![0.0; choices[0].earns.len()];
    for choice in &choices {
        for (target, chance) in &choice.entries {
            match entries.iter_mut().find(|(other, _)| other == target) {
                Some((_, sum)) => *sum += chance * share,
                None => entries.push((*target, chance * share)),
            }
        }
        earns.iter_mut().zip(&choice.earns).for_each(|(sum, earned)| *sum += earned * share);
    }
    Choice { entries, earns }
}
