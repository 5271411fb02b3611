//! The chain that a counterexample is cut out of: states on ways from the start to a goal, with one choice each.

use super::part::{Edge, Part};
use super::space::Standing;
use super::ways::Ways;
use crate::graph::components_of;
use crate::model::{Builder, Kind, Model, Numbers};
use crate::states::StateSet;

/// Components up to this size are solved by elimination, larger ones by sweeps.
const DENSE: usize = 400;
/// Sweeps over a larger component, at most, and the change that ends them.
const SWEEPS: usize = 2_000;
const CHANGE: f64 = 1e-13;

/// A chain with few states, numbered from 0, which is the start. Probabilities are near enough to compare subsystems; what is
/// said of a subsystem at last is computed anew from exact numbers.
pub struct Chain {
    /// By state: its number in the part.
    pub states: Vec<u32>,
    /// By state: what is chosen there.
    pub choices: Vec<u32>,
    /// By state: does a way end there?
    pub is_goal: Vec<bool>,
    start: Vec<u32>,
    edges: Vec<Edge>,
    targets: Vec<u32>,
    back_start: Vec<u32>,
    back: Vec<u32>,
}

impl Chain {
    /// All states on ways from a state to ends.
    pub fn new(part: &Part, from: u32, ways: &Ways<'_>) -> Chain {
        let edges_of = |state: u32| {
            let goes_on = ways.standing(state as usize) == Standing::Open;
            goes_on.then(|| part.edges_by(state as usize, ways.choice(state as usize))).into_iter().flatten()
        };
        // Forwards, then backwards among what was found.
        let mut place = vec![u32::MAX; part.len()];
        let mut found = vec![from];
        place[from as usize] = 0;
        let mut next = 0;
        let mut back: Vec<(u32, u32)> = Vec::new();
        while next < found.len() {
            for edge in edges_of(found[next]) {
                let to = edge.to as usize;
                if ways.standing(to) == Standing::Lost {
                    continue;
                }
                if place[to] == u32::MAX {
                    place[to] = found.len() as u32;
                    found.push(edge.to);
                }
                back.push((place[to], next as u32));
            }
            next += 1;
        }
        back.sort_unstable();
        let mut is_useful: Vec<bool> = found.iter().map(|&state| ways.is_end(state as usize)).collect();
        let mut work: Vec<u32> = (0..found.len() as u32).filter(|&at| is_useful[at as usize]).collect();
        while let Some(at) = work.pop() {
            let first = back.partition_point(|&(to, _)| to < at);
            for &(_, before) in back[first..].iter().take_while(|&&(to, _)| to == at) {
                if !is_useful[before as usize] {
                    is_useful[before as usize] = true;
                    work.push(before);
                }
            }
        }
        is_useful[0] = true;
        let states: Vec<u32> = found.iter().zip(&is_useful).filter(|(_, useful)| **useful).map(|(&s, _)| s).collect();
        place.fill(u32::MAX);
        states.iter().enumerate().for_each(|(at, &state)| place[state as usize] = at as u32);
        let mut chain = Chain {
            choices: states.iter().map(|&state| ways.choice(state as usize) as u32).collect(),
            is_goal: states.iter().map(|&state| ways.is_end(state as usize)).collect(),
            start: vec![0],
            edges: Vec::new(),
            targets: Vec::new(),
            back_start: Vec::new(),
            back: Vec::new(),
            states,
        };
        for &state in &chain.states {
            for edge in edges_of(state).filter(|edge| place[edge.to as usize] != u32::MAX) {
                chain.targets.push(place[edge.to as usize]);
                chain.edges.push(edge);
            }
            chain.start.push(chain.targets.len() as u32);
        }
        chain.reverse();
        chain
    }

    fn reverse(&mut self) {
        let mut starts = vec![0u32; self.len() + 1];
        self.targets.iter().for_each(|&to| starts[to as usize + 1] += 1);
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        self.back = vec![0; self.targets.len()];
        let mut next = starts.clone();
        for state in 0..self.len() {
            for &to in &self.targets[self.start[state] as usize..self.start[state + 1] as usize] {
                self.back[next[to as usize] as usize] = state as u32;
                next[to as usize] += 1;
            }
        }
        self.back_start = starts;
    }

    /// States with a step to this one.
    pub fn before(&self, state: usize) -> impl Iterator<Item = usize> + '_ {
        let range = self.back_start[state] as usize..self.back_start[state + 1] as usize;
        self.back[range].iter().map(|&before| before as usize)
    }

    /// States and steps.
    pub fn size(&self) -> usize {
        self.len() + self.targets.len()
    }

    pub fn len(&self) -> usize {
        self.states.len()
    }

    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The steps of a state: target and probability.
    pub fn steps(&self, state: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.start[state] as usize..self.start[state + 1] as usize;
        self.targets[range.clone()].iter().zip(&self.edges[range]).map(|(&to, edge)| (to as usize, edge.probability))
    }

    /// The same as steps of the part.
    pub fn edges(&self, state: usize) -> impl Iterator<Item = (usize, Edge)> + '_ {
        let range = self.start[state] as usize..self.start[state + 1] as usize;
        self.targets[range.clone()].iter().zip(&self.edges[range]).map(|(&to, &edge)| (to as usize, edge))
    }

    /// The subsystem that consists of the start.
    pub fn start_only(&self) -> Vec<bool> {
        (0..self.len()).map(|state| state == 0).collect()
    }

    /// Is there a way from the start to an end inside?
    pub fn has_way(&self, within: &[bool]) -> bool {
        let mut seen = vec![false; self.len()];
        let mut work = vec![0];
        seen[0] = true;
        while let Some(state) = work.pop() {
            if !within[state] {
                continue;
            }
            if self.is_goal[state] {
                return true;
            }
            for (to, _) in self.steps(state) {
                if !std::mem::replace(&mut seen[to], true) {
                    work.push(to);
                }
            }
        }
        false
    }

    /// A subsystem as a model: what leads out of it is lost. Its last state is where that goes; the start is its initial state.
    pub fn model(&self, part: &Part, within: &[bool]) -> Model {
        let kind = if part.kind() == Kind::Ctmc { Kind::Ctmc } else { Kind::Dtmc };
        let mut builder = Builder::with_numbers(kind, Numbers::from_pool(part.pool().clone()));
        let mut place = std::collections::HashMap::new();
        for (at, &state) in self.states.iter().enumerate().filter(|&(at, _)| within[at]) {
            place.insert(state, at);
        }
        for (at, &state) in self.states.iter().enumerate() {
            builder.state();
            if !within[at] || self.is_goal[at] {
                continue;
            }
            builder.choice();
            for edge in part.edges_by(state as usize, self.choices[at] as usize) {
                builder.entry(place.get(&edge.to).copied().unwrap_or(self.len()), part.weight(&edge));
            }
        }
        builder.state();
        builder.finish([0]).expect("a chain with all its targets")
    }

    /// The states of a subsystem that a way may pass, and those where it ends, as states of its model.
    pub fn inner_and_ends(&self, within: &[bool]) -> (StateSet, StateSet) {
        let inner = |at: usize| at < self.len() && within[at] && !self.is_goal[at];
        let ends = |at: usize| at < self.len() && within[at] && self.is_goal[at];
        (StateSet::from_fn(self.len() + 1, inner), StateSet::from_fn(self.len() + 1, ends))
    }

    /// How much flows through the states of a subsystem.
    pub fn flow(&self, within: &[bool]) -> Flow {
        // States by number inside of the subsystem, goals left out: they are ends.
        let inner: Vec<u32> =
            (0..self.len() as u32).filter(|&s| within[s as usize] && !self.is_goal[s as usize]).collect();
        let mut place = vec![u32::MAX; self.len()];
        inner.iter().enumerate().for_each(|(at, &state)| place[state as usize] = at as u32);
        let (mut start, mut targets) = (vec![0u32], Vec::new());
        for &state in &inner {
            targets.extend(self.steps(state as usize).map(|(to, _)| place[to]));
            start.push(targets.len() as u32);
        }
        let components = components_of(inner.len(), |at| start[at], &targets);
        let mut flow = Flow { visits: vec![0.0; self.len()], chance: vec![0.0; self.len()] };
        for (state, is_goal) in self.is_goal.iter().enumerate() {
            if *is_goal && within[state] {
                flow.chance[state] = 1.0;
            }
        }
        let in_group = |component: usize, state: usize| {
            place[state] != u32::MAX && components.of(place[state] as usize) == component
        };
        let mut local = vec![u32::MAX; self.len()];
        let mut group: Vec<usize> = Vec::new();
        for component in 0..components.count() {
            group.clear();
            group.extend(components.members(component).iter().map(|&at| inner[at as usize] as usize));
            // Successors come first: what leaves the component is known.
            let constant = |&state: &usize| {
                let leaving = self.steps(state).filter(|&(to, _)| within[to] && !in_group(component, to));
                leaving.map(|(to, p)| p * flow.chance[to]).sum::<f64>()
            };
            let constants: Vec<f64> = group.iter().map(constant).collect();
            let values = self.solve(&group, constants, Direction::Backward, &mut local);
            group.iter().zip(values).for_each(|(&state, value)| flow.chance[state] = value);
        }
        let mut arriving = vec![0.0; self.len()];
        if within[0] {
            arriving[0] = 1.0;
        }
        for component in (0..components.count()).rev() {
            group.clear();
            group.extend(components.members(component).iter().map(|&at| inner[at as usize] as usize));
            let constants: Vec<f64> = group.iter().map(|&state| arriving[state]).collect();
            let values = self.solve(&group, constants, Direction::Forward, &mut local);
            for (&state, value) in group.iter().zip(values) {
                flow.visits[state] = value;
                for (to, p) in self.steps(state) {
                    if within[to] && !in_group(component, to) {
                        arriving[to] += value * p;
                    }
                }
            }
        }
        for (state, is_goal) in self.is_goal.iter().enumerate() {
            if *is_goal && within[state] {
                flow.visits[state] = arriving[state];
            }
        }
        flow
    }

    /// Solves x = c + A·x (backward) or x = c + x·A (forward) over the states of one component. `local` is all `MAX`, and left so.
    fn solve(&self, group: &[usize], mut constants: Vec<f64>, way: Direction, local: &mut [u32]) -> Vec<f64> {
        if let [state] = group {
            let own: f64 = self.steps(*state).filter(|(to, _)| to == state).map(|(_, p)| p).sum();
            constants[0] = if own < 1.0 { constants[0] / (1.0 - own) } else { 0.0 };
            return constants;
        }
        group.iter().enumerate().for_each(|(at, &state)| local[state] = at as u32);
        let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); group.len()];
        for (at, &state) in group.iter().enumerate() {
            for (to, p) in self.steps(state).filter(|&(to, _)| local[to] != u32::MAX) {
                let to = local[to] as usize;
                match way {
                    Direction::Backward => entries[at].push((to, p)),
                    Direction::Forward => entries[to].push((at, p)),
                }
            }
        }
        group.iter().for_each(|&state| local[state] = u32::MAX);
        if group.len() <= DENSE { dense(&entries, constants) } else { swept(&entries, constants) }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    Forward,
    Backward,
}

/// Gaussian elimination without pivoting: I − A is weakly diagonally dominant.
fn dense(entries: &[Vec<(usize, f64)>], mut constants: Vec<f64>) -> Vec<f64> {
    let n = entries.len();
    let mut matrix = vec![0.0; n * n];
    for (row, entries) in entries.iter().enumerate() {
        matrix[row * n + row] = 1.0;
        entries.iter().for_each(|&(column, p)| matrix[row * n + column] -= p);
    }
    for pivot in 0..n {
        let diagonal = matrix[pivot * n + pivot];
        for row in pivot + 1..n {
            let factor = matrix[row * n + pivot] / diagonal;
            if factor != 0.0 && factor.is_finite() {
                for column in pivot..n {
                    matrix[row * n + column] -= factor * matrix[pivot * n + column];
                }
                constants[row] -= factor * constants[pivot];
            }
        }
    }
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| matrix[row * n + column] * constants[column]).sum();
        let diagonal = matrix[row * n + row];
        constants[row] = if diagonal > 0.0 { (constants[row] - known) / diagonal } else { 0.0 };
    }
    constants
}

/// Gauss-Seidel sweeps, back and forth.
fn swept(entries: &[Vec<(usize, f64)>], constants: Vec<f64>) -> Vec<f64> {
    let n = entries.len();
    let mut values = constants.clone();
    for sweep in 0..SWEEPS {
        let mut change: f64 = 0.0;
        for at in 0..n {
            let row = if sweep % 2 == 0 { n - 1 - at } else { at };
            let (mut sum, mut own) = (constants[row], 0.0);
            for &(column, p) in &entries[row] {
                if column == row { own += p } else { sum += p * values[column] }
            }
            let value = if own < 1.0 { sum / (1.0 - own) } else { 0.0 };
            change = change.max((value - values[row]).abs() / value.max(f64::MIN_POSITIVE));
            values[row] = value;
        }
        if change < CHANGE {
            break;
        }
    }
    values
}

/// How much flows through each state of a subsystem, about.
pub struct Flow {
    /// How often it is expected to be visited.
    pub visits: Vec<f64>,
    /// The probability of reaching a goal from there.
    pub chance: Vec<f64>,
}

impl Flow {
    /// The probability of reaching a goal from the start.
    pub fn probability(&self) -> f64 {
        self.chance[0]
    }

    /// No more than this is lost if the state is left out.
    pub fn loss(&self, state: usize) -> f64 {
        self.visits[state] * self.chance[state]
    }
}
