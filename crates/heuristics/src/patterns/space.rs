//! All states of an abstraction, and their distances to an error.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bughound_dbm::Zone;
use bughound_finite::cost::{Cost, INFINITE, plus};
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::Watch;

use super::pattern::Pattern;
use super::projection::Projection;
use super::rows::Rows;
use super::zones::ZoneList;

/// What the exploration of an abstraction may take.
#[derive(Clone, Copy)]
pub struct Budget<'w> {
    pub states: usize,
    pub watch: &'w dyn Watch,
}

/// There are more states, or more work with them, than allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

/// For every state that is allowed, so many steps are.
const STEPS_PER_STATE: usize = 24;
/// A single state has at most so many: variables that take any value at once have no end of them.
const STEPS_OF_A_STATE: usize = 1 << 16;
/// Or so many values in them, where there are many variables.
const WORDS_OF_A_STATE: usize = 1 << 21;
/// And so many comparisons of zones.
const COMPARISONS_PER_STATE: usize = 1000;

/// An abstraction takes at most so much memory, however many states are allowed.
const MOST_BYTES: usize = 1 << 30;
/// Steps that take about a microsecond.
const STEPS_OF_A_UNIT: u64 = 4;
/// Of a node, apart from its zone.
const NODE_BYTES: usize = 64;

/// Which zones of the same values are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zones {
    /// All that are not part of one that was reached before: distances are exact where no zone was too small.
    All,
    /// Those that are not part of any other: far fewer, but a larger zone that is reached later, at a higher cost, counts
    /// as reached at once.
    Largest,
}

pub struct Space {
    /// Steps looked at.
    taken: usize,
    pub rows: Rows,
    pub dimension: usize,
    /// By node: the row of its values, and its place among the nodes of the row.
    place_of: Vec<(u32, u32)>,
    nodes_of: Vec<RowNodes>,
    /// By node: the least cost of an error in it.
    errors: Vec<Cost>,
    /// By node: one with a larger zone stands for it.
    replaced: Vec<bool>,
    kept: Zones,
    steps: Vec<(u32, u32, Cost)>,
    comparisons: usize,
    initial: Vec<u32>,
}

/// The nodes of a row: one for each zone.
#[derive(Default)]
pub struct RowNodes {
    pub numbers: Vec<u32>,
    zones: ZoneList,
}

impl RowNodes {
    /// The nodes whose zones include this one.
    pub fn including(&self, zone: Zone<'_>) -> impl Iterator<Item = u32> {
        self.zones.including(zone).map(|at| self.numbers[at])
    }
}

/// A path in the abstraction.
pub struct Path {
    pub cost: Cost,
    /// Which initial state it starts from.
    pub initial: usize,
    /// Operators of the projection, and the values after them.
    pub steps: Vec<(u32, Vec<u16>)>,
}

/// How a node was reached.
#[derive(Clone)]
struct Reached {
    cost: Cost,
    before: Option<(u32, u32)>,
}

impl Default for Reached {
    fn default() -> Self {
        Reached { cost: INFINITE, before: None }
    }
}

/// A step of an expansion.
struct Found {
    to: u32,
    cost: Cost,
    operator: u32,
}

/// Working memory.
#[derive(Default)]
struct Scratch {
    values: Vec<u16>,
    zone: Vec<i32>,
    found: Vec<Found>,
    found_values: Vec<u16>,
    found_zones: Vec<i32>,
}

impl Space {
    fn new(pattern: &Pattern) -> Space {
        Space {
            taken: 0,
            rows: Rows::new(pattern.variables.len()),
            dimension: pattern.clocks.len() + 1,
            place_of: Vec::new(),
            nodes_of: Vec::new(),
            errors: Vec::new(),
            replaced: Vec::new(),
            kept: Zones::All,
            steps: Vec::new(),
            comparisons: 0,
            initial: Vec::new(),
        }
    }

    /// Everything that can be reached.
    pub fn explore(
        network: &Network,
        task: &Task,
        pattern: &Pattern,
        zones: Zones,
        budget: Budget<'_>,
    ) -> Result<Space, TooLarge> {
        let mut projection = Projection::new(network, task, pattern);
        let mut space = Space { kept: zones, ..Space::new(pattern) };
        space.begin(task, pattern, &mut projection);
        let mut scratch = Scratch::default();
        let mut next = 0;
        while next < space.len() {
            if space.replaced[next] {
                next += 1;
                continue;
            }
            space.expand(next as u32, &mut projection, &mut scratch, budget)?;
            let from = next as u32;
            let steps = scratch.found.iter().filter(|found| found.to != from);
            space.steps.extend(steps.map(|found| (from, found.to, found.cost)));
            next += 1;
        }
        Ok(space)
    }

    /// A cheapest path from the initial states to an error; none if there is none.
    pub fn cheapest_path(
        projection: &mut Projection,
        task: &Task,
        pattern: &Pattern,
        budget: Budget<'_>,
    ) -> Result<Option<Path>, TooLarge> {
        let mut space = Space::new(pattern);
        space.begin(task, pattern, projection);
        let mut best: (Cost, u32) = (INFINITE, 0);
        let mut reached: Vec<Reached> = vec![Reached::default(); space.len()];
        let mut open: BinaryHeap<_> = (0..space.len() as u32).map(|node| Reverse((0, node))).collect();
        reached.iter_mut().for_each(|node| node.cost = 0);
        for node in 0..space.len() as u32 {
            best = best.min((space.errors[node as usize], node));
        }
        let mut scratch = Scratch::default();
        while let Some(Reverse((cost, node))) = open.pop() {
            if cost >= best.0 {
                break;
            }
            if reached[node as usize].cost < cost {
                continue;
            }
            space.expand(node, projection, &mut scratch, budget)?;
            reached.resize(space.len(), Reached::default());
            for found in &scratch.found {
                let known = &mut reached[found.to as usize];
                let longer = plus(cost, found.cost);
                if longer < known.cost {
                    *known = Reached { cost: longer, before: Some((node, found.operator)) };
                    best = best.min((plus(longer, space.errors[found.to as usize]), found.to));
                    open.push(Reverse((longer, found.to)));
                }
            }
        }
        if best.0 == INFINITE {
            return Ok(None);
        }
        let mut path = Path { cost: best.0, steps: Vec::new(), initial: 0 };
        let mut node = best.1;
        while let Some((before, operator)) = reached[node as usize].before {
            path.steps.push((operator, space.rows.row(space.place_of[node as usize].0).to_vec()));
            node = before;
        }
        path.steps.reverse();
        path.initial = space.initial.iter().position(|initial| *initial == node).unwrap_or(0);
        Ok(Some(path))
    }

    fn begin(&mut self, task: &Task, pattern: &Pattern, projection: &mut Projection) {
        for initial in &task.initial {
            let values: Vec<u16> = pattern.variables.iter().map(|variable| initial[*variable] as u16).collect();
            let mut found = Vec::new();
            projection.initial(&values, &mut |values, zone| found.push((values.to_vec(), zone.to_vec())));
            for (values, zone) in found {
                let node = self.insert(&values, &zone, projection);
                self.initial.push(node);
            }
        }
    }

    fn len(&self) -> usize {
        self.place_of.len()
    }

    /// Is there anything left of the budget?
    fn check(&self, budget: Budget<'_>, last: usize) -> Result<(), TooLarge> {
        let per_state = |work: usize, most: usize| work > budget.states.saturating_mul(most);
        let zone = self.dimension * self.dimension * size_of::<i32>();
        let bytes = self.len() * (NODE_BYTES + zone + self.rows.width() * size_of::<u16>())
            + self.steps.len() * size_of::<(u32, u32, Cost)>();
        let fits = self.len() <= budget.states
            && bytes <= MOST_BYTES
            && last <= STEPS_OF_A_STATE
            && last * self.rows.width() <= WORDS_OF_A_STATE
            && !per_state(self.taken, STEPS_PER_STATE)
            && !per_state(self.comparisons, COMPARISONS_PER_STATE)
            && budget.watch.go_on(1 + (last * (1 + self.rows.width() / 64)) as u64 / STEPS_OF_A_UNIT, bytes as u64);
        if fits { Ok(()) } else { Err(TooLarge) }
    }

    /// Finds the nodes after a node.
    fn expand(
        &mut self,
        node: u32,
        projection: &mut Projection,
        scratch: &mut Scratch,
        budget: Budget<'_>,
    ) -> Result<(), TooLarge> {
        let Scratch { values, zone, found, found_values, found_zones } = scratch;
        values.clear();
        let (row, place) = self.place_of[node as usize];
        values.extend_from_slice(self.rows.row(row));
        zone.clear();
        zone.extend_from_slice(self.nodes_of[row as usize].zones.get(place as usize, self.dimension).words());
        found.clear();
        found_values.clear();
        found_zones.clear();
        projection.successors(values, zone, &mut |to| {
            found.push(Found { to: 0, cost: to.cost, operator: to.operator });
            found_values.extend_from_slice(to.values);
            found_zones.extend_from_slice(to.zone);
            found.len() <= STEPS_OF_A_STATE && found_values.len() <= WORDS_OF_A_STATE
        });
        self.taken += found.len();
        self.check(budget, found.len())?;
        let (width, words) = (values.len(), zone.len());
        for (at, found) in found.iter_mut().enumerate() {
            let (values, zone) = (&found_values[at * width..][..width], &found_zones[at * words..][..words]);
            found.to = self.insert(values, zone, projection);
        }
        Ok(())
    }

    /// The nodes with these values.
    pub fn nodes(&self, values: &[u16]) -> Option<&RowNodes> {
        self.rows.find(values).map(|row| &self.nodes_of[row as usize])
    }

    /// The node for these values and this zone, or one with a larger zone.
    fn insert(&mut self, values: &[u16], zone: &[i32], projection: &Projection) -> u32 {
        let (row, new) = self.rows.insert(values);
        let node = self.len() as u32;
        if new {
            self.nodes_of.push(RowNodes::default());
        } else if self.dimension == 1 {
            return self.nodes_of[row as usize].numbers[0];
        }
        let dimension = self.dimension;
        let wanted = Zone::new(zone, dimension);
        let nodes = &mut self.nodes_of[row as usize];
        self.comparisons += nodes.numbers.len();
        if let Some(other) = nodes.including(wanted).next() {
            return other;
        }
        let first = nodes.numbers.first();
        let error = first.map_or_else(|| projection.error(values), |other| self.errors[*other as usize]);
        if self.kept == Zones::Largest {
            let gone: Vec<usize> = nodes.zones.included(wanted).collect();
            if !gone.is_empty() {
                let mut rest = RowNodes::default();
                for (at, other) in nodes.numbers.iter().enumerate() {
                    if gone.binary_search(&at).is_ok() {
                        self.replaced[*other as usize] = true;
                        self.steps.push((*other, node, 0));
                    } else {
                        self.place_of[*other as usize].1 = rest.numbers.len() as u32;
                        rest.numbers.push(*other);
                        rest.zones.push(nodes.zones.get(at, dimension));
                    }
                }
                *nodes = rest;
            }
        }
        self.place_of.push((row, nodes.numbers.len() as u32));
        nodes.numbers.push(node);
        nodes.zones.push(wanted);
        self.errors.push(error);
        self.replaced.push(false);
        node
    }

    /// By node: the least cost of a path to an error.
    pub fn distances(&self) -> Vec<Cost> {
        let mut first = vec![0u32; self.len() + 1];
        self.steps.iter().for_each(|(_, to, _)| first[*to as usize + 1] += 1);
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut into = vec![(0u32, 0 as Cost); first[self.len()] as usize];
        let mut filled = first.clone();
        for (from, to, cost) in self.steps.iter().copied() {
            let place = &mut filled[to as usize];
            into[*place as usize] = (from, cost);
            *place += 1;
        }
        let mut distances = self.errors.clone();
        let errors = distances.iter().enumerate().filter(|(_, cost)| **cost != INFINITE);
        let mut open: BinaryHeap<_> = errors.map(|(node, cost)| Reverse((*cost, node as u32))).collect();
        while let Some(Reverse((distance, node))) = open.pop() {
            if distances[node as usize] < distance {
                continue;
            }
            for (from, cost) in &into[first[node as usize] as usize..first[node as usize + 1] as usize] {
                let longer = plus(distance, *cost);
                if longer < distances[*from as usize] {
                    distances[*from as usize] = longer;
                    open.push(Reverse((longer, *from)));
                }
            }
        }
        distances
    }

    /// The initial nodes.
    pub fn initial(&self) -> &[u32] {
        &self.initial
    }

    /// Forgets what only the exploration needs.
    pub fn forget_steps(&mut self) {
        (self.steps, self.place_of, self.errors, self.replaced) = Default::default();
    }

    pub fn memory(&self) -> u64 {
        let bytes = |nodes: &RowNodes| size_of::<RowNodes>() + nodes.numbers.capacity() * 4 + nodes.zones.memory();
        self.rows.memory() + self.nodes_of.iter().map(bytes).sum::<usize>() as u64
    }
}
