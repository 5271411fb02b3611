//! Distances in an abstraction, looked up for states of the network.

use std::sync::Arc;

use bughound_dbm::Zone;
use bughound_finite::cost::{Cost, INFINITE};
use bughound_finite::relation::Value;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_kernel::{Estimate, Situation};

use super::accuracy::Summary;
use super::pattern::Pattern;
use super::space::{Budget, Space, TooLarge, Zones};
use super::timing::Timing;
use crate::cost::to_estimate;

#[derive(Clone)]
pub struct Database {
    pub pattern: Pattern,
    /// Copies share it, and the distances.
    space: Arc<Space>,
    distances: Arc<Vec<Cost>>,
    timing: Arc<Timing>,
    /// Of the zones of the network.
    dimension: usize,
    values: Vec<u16>,
    zone: Vec<i32>,
}

impl Database {
    /// All distances, if the budget allows.
    pub fn new(
        network: &Network,
        task: &Task,
        pattern: Pattern,
        zones: Zones,
        budget: Budget<'_>,
    ) -> Result<Database, TooLarge> {
        let mut space = Space::explore(network, task, &pattern, zones, budget)?;
        let distances = space.distances();
        space.forget_steps();
        Ok(Database {
            timing: Arc::new(Timing::new(network, task, &pattern)),
            dimension: network.clocks.len() + 1,
            pattern,
            space: Arc::new(space),
            distances: Arc::new(distances),
            values: Vec::new(),
            zone: Vec::new(),
        })
    }

    pub fn estimate(&mut self, task: &Task, at: Situation<'_>) -> Estimate {
        self.values.clear();
        for variable in &self.pattern.variables {
            let Some(value) = task.value(*variable, at) else { return Estimate::ZERO };
            self.values.push(value as u16);
        }
        let timed = !self.pattern.clocks.is_empty() && !at.state.cover.is_empty();
        if timed {
            self.timing.project(at.state.cover, self.dimension, &mut self.zone);
        }
        to_estimate(self.distance(timed))
    }

    /// The distance of the nodes that stand for the values and the zone that were read.
    fn distance(&self, timed: bool) -> Cost {
        let Some(nodes) = self.space.nodes(&self.values) else { return INFINITE };
        let distance = |node: u32| self.distances[node as usize];
        let least = || nodes.numbers.iter().map(|node| distance(*node)).min().unwrap_or(INFINITE);
        if !timed {
            return least();
        }
        let zone = Zone::new(&self.zone, self.space.dimension);
        // Every node that includes the state gives a lower bound. Zones that were made larger by whoever looks at states
        // need not fit into one node: then the points are spread over several.
        nodes.including(zone).map(distance).max().unwrap_or_else(least)
    }

    /// The distance of a state of the task that has these values, whatever its clocks.
    pub fn of_values(&mut self, values: &[Value]) -> Cost {
        self.values.clear();
        self.values.extend(self.pattern.variables.iter().map(|variable| values[*variable] as u16));
        self.distance(false)
    }

    /// The least distance of an initial state.
    pub fn initial(&self) -> Cost {
        self.space.initial().iter().map(|node| self.distances[*node as usize]).min().unwrap_or(INFINITE)
    }

    /// How many states the abstraction has.
    pub fn states(&self) -> usize {
        self.distances.len()
    }

    pub fn summary(&self) -> Summary<'_> {
        Summary { pattern: &self.pattern, states: self.states(), initial: self.initial() }
    }

    pub fn memory(&self) -> u64 {
        self.space.memory() + (self.distances.len() * size_of::<Cost>()) as u64
    }
}
