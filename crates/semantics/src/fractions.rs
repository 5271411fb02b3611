//! Exact numbers of a probabilistic model: the chances of steps, the rewards of states and steps, the truth of conditions.
//!
//! Searches see rounded chances; whoever computes probabilities asks here. What does not depend on the state is given as a
//! constant, so that it has to be looked at once only.

use std::cell::OnceCell;
use std::collections::HashMap;

use bughound_ir::chance::Number;
use bughound_ir::edge::Sync;
use bughound_ir::expr::Expr;
use bughound_ir::real::Real;
use bughound_ir::reference::error::EvalError;
use bughound_ir::stochastic::Rewarded;
use bughound_kernel::Move;

use crate::code::{self, Code};
use crate::discrete::DiscreteSystem;
use crate::machine::Machine;

pub struct Fractions<'s> {
    machine: &'s Machine,
    /// By edge and destination.
    chances: Vec<Vec<Real<Code>>>,
    rewards: Vec<Structure>,
    /// By the parts of a vector: its number.
    vectors: HashMap<Vec<(u16, u32)>, u32>,
}

/// A reward structure, by what earns.
#[derive(Default)]
struct Structure {
    states: Vec<Item>,
    /// Of a state in which the first process is at this location: explicit models have one for each state.
    located: HashMap<u32, Vec<Item>>,
    steps: Vec<Item>,
    /// Of steps with this edge.
    edges: HashMap<u32, Vec<Item>>,
    destinations: Vec<Item>,
}

struct Item {
    of: Rewarded,
    guard: Code,
    value: Real<Code>,
}

impl<'s> Fractions<'s> {
    pub fn new(system: &'s DiscreteSystem) -> Self {
        let machine = system.machine();
        let network = &machine.network;
        let real = |real: &Real| real.map(&mut code::expr);
        let chances = network.edges.iter().map(|edge| edge.destinations.iter().map(|d| real(&d.chance)).collect());
        let structures = network.stochastic.iter().flat_map(|stochastic| &stochastic.rewards);
        let rewards = structures.map(|structure| {
            let mut sorted = Structure::default();
            for item in &structure.items {
                let list = match (item.of, &item.guard) {
                    (Rewarded::State, Expr::At { pid, location }) if pid.as_const() == Some(0) => {
                        sorted.located.entry(location.0).or_default()
                    }
                    (Rewarded::State, _) => &mut sorted.states,
                    (Rewarded::Edge { destination: Some(_), .. }, _) => &mut sorted.destinations,
                    (Rewarded::Edge { edge, .. }, _) => sorted.edges.entry(edge.0).or_default(),
                    _ => &mut sorted.steps,
                };
                list.push(Item { of: item.of, guard: code::expr(&item.guard), value: real(&item.value) });
            }
            sorted
        });
        let mut vectors = HashMap::new();
        for (number, vector) in network.vectors.iter().enumerate() {
            vectors.entry(vector.parts.clone()).or_insert(number as u32);
        }
        Fractions { machine, chances: chances.collect(), rewards: rewards.collect(), vectors }
    }

    /// How many reward structures there are.
    pub fn structures(&self) -> usize {
        self.rewards.len()
    }

    /// The chance of a destination, if it is the same in all states.
    pub fn constant(&self, m: Move) -> Option<&Number> {
        self.chances[m.edge as usize][usize::from(m.destination)].as_const()
    }

    /// The chance of one move of a step from this state.
    pub fn chance(&self, key: &[i32], m: Move) -> Result<Number, EvalError> {
        let cx = self.machine.context(key, m.process.into(), false);
        self.chances[m.edge as usize][usize::from(m.destination)].value(&mut |leaf| self.machine.eval(cx, leaf))
    }

    /// What the chance of a move depends on: appends the values of all that is looked at to compute it. Where these are the
    /// same, it is the same.
    pub fn circumstances(&self, key: &[i32], m: Move, values: &mut Vec<i32>) -> Result<(), EvalError> {
        let cx = self.machine.context(key, m.process.into(), false);
        let chance = &self.chances[m.edge as usize][usize::from(m.destination)];
        looked_at(chance, &mut |leaf| self.machine.eval(cx, leaf), values)
    }

    /// Which of the atoms of the system hold. Those that have no value do not, and are told of.
    pub fn atoms(&self, key: &[i32], truths: &mut Vec<bool>, wrong: &mut dyn FnMut(usize, EvalError)) {
        truths.clear();
        for (number, atom) in self.machine.atoms.iter().enumerate() {
            let truth = self.machine.truth(self.machine.outside(key), atom);
            truths.push(truth.unwrap_or_else(|error| {
                wrong(number, error);
                false
            }));
        }
    }

    /// What being in a state earns.
    pub fn of_state(&self, structure: usize, key: &[i32]) -> Result<Number, EvalError> {
        let structure = &self.rewards[structure];
        let located = match structure.located.is_empty() {
            true => None,
            false => structure.located.get(&(self.machine.location(key, 0) as u32)),
        };
        let located = located.map_or(&[][..], Vec::as_slice);
        Ok(self.sum(&structure.states, key, &|_| true)? + self.sum(located, key, &|_| true)?)
    }

    /// Does a step of any kind earn something?
    pub fn rewards_steps(&self, structure: usize) -> bool {
        !self.rewards[structure].steps.is_empty() || !self.rewards[structure].edges.is_empty()
    }

    /// Does it matter where a step leads?
    pub fn rewards_destinations(&self, structure: usize) -> bool {
        !self.rewards[structure].destinations.is_empty()
    }

    /// What a choice earns, whatever comes of it. `moves`: of one of its steps.
    pub fn of_choice(&self, structure: usize, key: &[i32], moves: &[Move]) -> Result<Number, EvalError> {
        let known = OnceCell::new();
        let name = || *known.get_or_init(|| self.name(moves));
        let network = &self.machine.network;
        let structure = &self.rewards[structure];
        let mut sum = self.sum(&structure.steps, key, &|of| match of {
            Rewarded::Exit | Rewarded::Step => true,
            Rewarded::Silent => name().is_none(),
            Rewarded::Vector(vector) => name().is_some() && network.vectors[*vector as usize].name.as_deref() == name(),
            Rewarded::Edge { .. } | Rewarded::State => false,
        })?;
        for items in moves.iter().filter_map(|m| structure.edges.get(&m.edge)) {
            sum += self.sum(items, key, &|_| true)?;
        }
        Ok(sum)
    }

    /// What a step earns because of where it leads.
    pub fn of_step(&self, structure: usize, key: &[i32], moves: &[Move]) -> Result<Number, EvalError> {
        self.sum(&self.rewards[structure].destinations, key, &|of| match of {
            Rewarded::Edge { edge, destination } => {
                moves.iter().any(|m| m.edge == edge.0 && Some(m.destination) == *destination)
            }
            _ => false,
        })
    }

    /// The name of a step.
    fn name(&self, moves: &[Move]) -> Option<&str> {
        let network = &self.machine.network;
        let parts = moves.iter().map(|m| match network.edges[m.edge as usize].sync {
            Sync::Join { action } => Some((m.process, action)),
            _ => None,
        });
        let vector = self.vectors.get(&parts.collect::<Option<Vec<_>>>()?)?;
        network.vectors[*vector as usize].name.as_deref()
    }

    fn sum(&self, items: &[Item], key: &[i32], fits: &dyn Fn(&Rewarded) -> bool) -> Result<Number, EvalError> {
        let cx = self.machine.outside(key);
        let mut sum: Option<Number> = None;
        for item in items.iter().filter(|item| fits(&item.of)) {
            if self.machine.truth(cx, &item.guard)? {
                let value = item.value.value(&mut |leaf| self.machine.eval(cx, leaf))?;
                sum = Some(sum.map_or_else(|| value.clone(), |sum| sum + &value));
            }
        }
        Ok(sum.unwrap_or(Number::ZERO))
    }
}

/// Appends the values of the leaves that decide about a fraction, in the order in which it looks at them.
fn looked_at(
    real: &Real<Code>,
    leaf: &mut dyn FnMut(&Code) -> Result<i32, EvalError>,
    values: &mut Vec<i32>,
) -> Result<(), EvalError> {
    match real {
        Real::Const(_) => {}
        Real::Whole(whole) => values.push(leaf(whole)?),
        Real::Minus(part) => looked_at(part, leaf, values)?,
        Real::Binary(_, left, right) => {
            looked_at(left, leaf, values)?;
            looked_at(right, leaf, values)?;
        }
        Real::Conditional(test, then, otherwise) => {
            let holds = leaf(test)? != 0;
            values.push(holds.into());
            looked_at(if holds { then } else { otherwise }, leaf, values)?;
        }
    }
    Ok(())
}
