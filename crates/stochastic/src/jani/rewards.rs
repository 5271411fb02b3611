//! Reward structures, made of expressions over transient variables.
//!
//! In a state a transient variable has the value that its locations give it. During a step it has its initial value until an
//! assignment of the step changes that. An expression therefore earns, accumulated over `steps`, its value with what the
//! assignments say (its value with nothing but initial values for every step, and for certain edges what they change of
//! that), and over `time` or at the `exit` of states its value there. In discrete time, leaving a state and having been there
//! for one step is the same.

use std::collections::{BTreeSet, HashMap, HashSet};

use bughound_ir::chance::{Kind, RewardId};
use bughound_ir::source::Span;

use super::build::{self, Needs};
use super::edges::{ReadEdge, TransientSet, variables_of};
use super::expressions::{Reading, Translator};
use super::json::{Json, JsonKind};
use super::names::{Names, Scope};
use super::{Read, Refusal, text};
use crate::tree::{ActionId, Binary, Expr, Reward, RewardItem, Rewarded, Type, VariableId, Vector};

/// When the value of an expression counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Steps,
    Time,
    Exit,
    /// At an instant, or on average.
    InStates,
}

/// What of a model is needed to know about rewards.
pub struct Model<'a, 'j> {
    pub names: &'a Names<'j>,
    pub kind: Kind,
    /// Of each element of the system.
    pub edges: &'a [Vec<ReadEdge>],
    pub vectors: &'a [Vector],
    /// See [`first_written`].
    pub first_written: HashMap<VariableId, usize>,
}

/// Which kinds of items a structure has; two structures for the same expression differ in nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Earned {
    state: bool,
    exit: bool,
    step: bool,
}

#[derive(Debug, Default)]
pub struct Rewards {
    pub structures: Vec<Reward>,
    earned: Vec<(String, Earned)>,
}

impl Rewards {
    /// A structure for each global transient variable that is a number, as PRISM would have it: rewards of states and of steps.
    pub fn of_variables(&mut self, model: &Model<'_, '_>) -> Result<(), Refusal> {
        let of_states = if model.kind == Kind::Ctmc { Counted::Time } else { Counted::Exit };
        for transient in &model.names.transients {
            if transient.owner.is_none() && transient.initial.ty != Type::Bool {
                let exp = Json { kind: JsonKind::Text(transient.name.clone()), span: transient.span };
                match self.structure(model, &exp, &[of_states, Counted::Steps]) {
                    Ok(_) | Err(Refusal::Unsupported(_)) => {}
                    Err(wrong) => return Err(wrong),
                }
            }
        }
        Ok(())
    }

    /// The structure for an expression; it may be there already.
    pub fn structure(&mut self, model: &Model<'_, '_>, exp: &Json, counted: &[Counted]) -> Result<RewardId, Refusal> {
        let name = text::show(exp);
        let mut items = Vec::new();
        for of_states in counted.iter().filter(|counted| **counted != Counted::Steps) {
            self::of_states(model, exp, *of_states, &mut items)?;
        }
        if counted.contains(&Counted::Steps) {
            for term in terms(exp) {
                of_steps(model, term, &mut items)?;
            }
        }
        let earned = Earned {
            state: items.iter().any(|item| item.of == Rewarded::State),
            exit: items.iter().any(|item| item.of == Rewarded::Exit),
            step: items.iter().any(|item| !matches!(item.of, Rewarded::State | Rewarded::Exit)),
        };
        // At an instant only states count, whatever else the structure has.
        let fits = |other: &Earned| match counted {
            [Counted::InStates] => other.state == earned.state,
            _ => *other == earned,
        };
        if let Some(known) = self.earned.iter().position(|(other, kinds)| *other == name && fits(kinds)) {
            return Ok(RewardId(known as u32));
        }
        let is_taken = self.earned.iter().any(|(other, _)| *other == name);
        let shown = if is_taken { format!("{name} ({})", describe(counted)) } else { name.clone() };
        self.earned.push((name, earned));
        self.structures.push(Reward { name: Some(shown), items, span: exp.span });
        Ok(RewardId(self.structures.len() as u32 - 1))
    }
}

fn describe(counted: &[Counted]) -> String {
    let name = |counted: &Counted| match counted {
        Counted::Steps => "steps",
        Counted::Time => "time",
        Counted::Exit => "exit",
        Counted::InStates => "states",
    };
    counted.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn item(of: Rewarded, value: Expr, span: Span) -> RewardItem {
    RewardItem { of, guard: build::truth(true, span), value, span }
}

fn of_states(model: &Model<'_, '_>, exp: &Json, counted: Counted, items: &mut Vec<RewardItem>) -> Result<(), Refusal> {
    let value = Translator::new(model.names, Scope::Property, Reading::State).scalar(exp)?;
    build::expect(&value, Needs::Number, "a reward")?;
    if build::is_zero(&value) {
        return Ok(());
    }
    let of = match (counted, model.kind) {
        (Counted::Time, Kind::Dtmc | Kind::Mdp) => {
            let reason = "rewards over time need a ctmc: in discrete time, accumulate over `steps` or `exit`";
            return Err(Refusal::Unsupported(reason.to_string()));
        }
        (Counted::Exit, Kind::Ctmc) => Rewarded::Exit,
        _ => Rewarded::State,
    };
    items.push(item(of, value, exp.span));
    Ok(())
}

/// The summands, whose rewards add up.
fn terms(exp: &Json) -> Vec<&Json> {
    match (exp.get("op").map(|op| &op.kind), exp.get("left"), exp.get("right")) {
        (Some(JsonKind::Text(op)), Some(left), Some(right)) if op == "+" => {
            let mut all = terms(left);
            all.extend(terms(right));
            all
        }
        _ => vec![exp],
    }
}

fn of_steps(model: &Model<'_, '_>, exp: &Json, items: &mut Vec<RewardItem>) -> Result<(), Refusal> {
    let after = |values: &HashMap<usize, Expr>| -> Read<Expr> {
        let value = Translator::new(model.names, Scope::Property, Reading::After(values)).scalar(exp)?;
        build::expect(&value, Needs::Number, "a reward")?;
        Ok(value)
    };
    model.names.mentioned.borrow_mut().clear();
    let usual = after(&HashMap::new())?;
    let mentioned = model.names.mentioned.take();
    if !build::is_zero(&usual) {
        items.push(item(Rewarded::Step, usual.clone(), exp.span));
    }
    let is_relevant = |edge: &ReadEdge| edge.sets.iter().any(|set| mentioned.contains(&set.transient));
    set_by_one_automaton(model, exp, &is_relevant)?;
    for (element, edges) in model.edges.iter().enumerate() {
        for (index, edge) in edges.iter().enumerate().filter(|(_, edge)| is_relevant(edge)) {
            let sets: Vec<&TransientSet> = edge.sets.iter().filter(|set| mentioned.contains(&set.transient)).collect();
            known_before(model, &sets)?;
            let is_split = sets.iter().any(|set| set.destination.is_some());
            let destinations: Vec<Option<u32>> = match is_split {
                true => (0..edge.edge.destinations.len() as u32).map(Some).collect(),
                false => vec![None],
            };
            for destination in destinations {
                let mut own: Vec<&&TransientSet> =
                    sets.iter().filter(|set| set.destination.is_none() || set.destination == destination).collect();
                own.sort_by_key(|set| set.phase);
                // Later phases have the last word.
                let values = own.into_iter().map(|set| (set.transient, set.value.clone())).collect();
                let mut value = after(&values)?;
                if !build::is_zero(&usual) {
                    value = build::binary(Binary::Subtract, value, usual.clone(), exp.span)?;
                }
                if !build::is_zero(&value) {
                    let of = Rewarded::Edge { automaton: element as u32, edge: index as u32, destination };
                    items.push(item(of, value, edge.edge.span));
                }
            }
        }
    }
    Ok(())
}

/// What two automata do in one step cannot be told apart edge by edge.
fn set_by_one_automaton(
    model: &Model<'_, '_>,
    exp: &Json,
    is_relevant: &dyn Fn(&ReadEdge) -> bool,
) -> Result<(), Refusal> {
    let mut setting: HashSet<(u32, ActionId)> = HashSet::new();
    for (element, edges) in model.edges.iter().enumerate() {
        let actions = edges.iter().filter(|edge| is_relevant(edge)).filter_map(|edge| edge.edge.action);
        setting.extend(actions.map(|action| (element as u32, action)));
    }
    let is_shared = |vector: &Vector| vector.parts.iter().filter(|part| setting.contains(part)).count() > 1;
    match model.vectors.iter().any(is_shared) {
        true => {
            let reason = format!("several automata set the reward `{}` in the same step", text::show(exp));
            Err(Refusal::Unsupported(reason))
        }
        false => Ok(()),
    }
}

/// Rewards are computed in the state before the step: refuses values that depend on what earlier phases did.
fn known_before(model: &Model<'_, '_>, sets: &[&TransientSet]) -> Result<(), Refusal> {
    for set in sets.iter().filter(|set| set.phase > 0) {
        let mut read: BTreeSet<VariableId> = BTreeSet::new();
        variables_of(&set.value, &mut read);
        if read.iter().any(|variable| model.first_written.get(variable).is_some_and(|phase| *phase < set.phase)) {
            let name = &model.names.transients[set.transient].name;
            let reason =
                format!("the reward `{name}` is computed from variables that change before it in the same step");
            return Err(Refusal::Unsupported(reason));
        }
    }
    Ok(())
}

/// The first phase in which any edge writes each variable.
pub fn first_written(edges: &[Vec<ReadEdge>]) -> HashMap<VariableId, usize> {
    let mut first: HashMap<VariableId, usize> = HashMap::new();
    for destination in edges.iter().flatten().flat_map(|edge| &edge.edge.destinations) {
        for (phase, assignments) in destination.phases.iter().enumerate() {
            for assignment in assignments {
                let earliest = first.entry(assignment.target.variable).or_insert(phase);
                *earliest = phase.min(*earliest);
            }
        }
    }
    first
}
