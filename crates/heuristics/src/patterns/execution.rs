//! Paths of an abstraction, executed in the task with all its variables and clocks.

use bughound_dbm::ZoneBuf;
use bughound_finite::ground::Operator;
use bughound_finite::task::Task;
use bughound_ir::network::Network;
use bughound_ir::types::ClockId;

use super::pattern::{Part, Pattern};
use super::projection::Projection;
use super::space::Path;
use super::timing::Timing;

/// The task with everything in it.
pub struct Execution<'a> {
    network: &'a Network,
    task: &'a Task,
    timing: Timing,
    everything: Pattern,
}

impl<'a> Execution<'a> {
    pub fn new(network: &'a Network, task: &'a Task) -> Execution<'a> {
        let everything = Pattern::everything(task, network.clocks.len());
        Execution { network, task, timing: Timing::new(network, task, &everything), everything }
    }

    /// What a path does not care about that keeps it from being a path of the task; `None` if it is one.
    pub fn first_flaw(
        &mut self,
        pattern: &Pattern,
        useful: &Pattern,
        projection: &Projection,
        path: &Path,
    ) -> Option<Part> {
        let flawed = |lacking: Vec<usize>| lacking.into_iter().find(|v| !pattern.keeps(*v) && useful.keeps(*v));
        let mut values: Vec<u16> = self.task.initial.get(path.initial)?.iter().map(|value| *value as u16).collect();
        let mut zone = ZoneBuf::zero(self.timing.dimension());
        if self.is_timed() && !self.timing.settle(&values, &mut zone.as_mut()) {
            return self.of_invariants(pattern, useful, &values);
        }
        for (operator, after) in &path.steps {
            let origins = projection.origins[*operator as usize].iter().map(|op| &self.task.operators[*op as usize]);
            // One that can be applied, or else the one that lacks least.
            let lacks =
                |operator: &&Operator| self.lacking(operator, &values).iter().filter(|v| useful.keeps(**v)).count();
            let operator = origins.min_by_key(lacks)?;
            if let Some(flaw) = flawed(self.lacking(operator, &values)) {
                return Some(Part::Variable(flaw));
            }
            if let Some(flaw) = flawed(self.committed_elsewhere(operator, &values).into_iter().collect()) {
                return Some(Part::Variable(flaw));
            }
            self.apply(operator, pattern, after, &mut values);
            let timing = self.timing.operator(self.network, operator);
            if self.is_timed() && !self.timing.follow(&timing, &values, &mut zone.as_mut()) {
                let flaw = self.of_guards(operator, pattern, useful);
                let Some(flaw) = flaw.or_else(|| self.of_invariants(pattern, useful, &values)) else {
                    // Clocks that are not to be kept: as if they allowed it.
                    zone = ZoneBuf::universal(self.timing.dimension());
                    continue;
                };
                return Some(flaw);
            }
        }
        let lacks = |error: &&Operator| self.lacking(error, &values).len();
        let error = self.task.errors.iter().min_by_key(lacks)?;
        flawed(self.lacking(error, &values)).map(Part::Variable)
    }

    fn is_timed(&self) -> bool {
        !self.everything.clocks.is_empty()
    }

    /// The variables whose values do not allow the operator.
    fn lacking(&self, operator: &Operator, values: &[u16]) -> Vec<usize> {
        let relations = operator.relations.iter();
        let missing = relations.filter(|(v, relation)| relation.after(values[*v as usize].into()).is_empty());
        missing.map(|(variable, _)| *variable as usize).collect()
    }

    /// The location of a process that has to move first.
    fn committed_elsewhere(&self, operator: &Operator, values: &[u16]) -> Option<usize> {
        let committed = |location: usize| self.network.locations.get(location).is_some_and(|l| l.flags.committed);
        if operator.edges().any(|edge| committed(self.network.edge(edge).from.0 as usize)) {
            return None;
        }
        self.locations(values).find(|(_, location)| committed(*location)).map(|(variable, _)| variable)
    }

    /// The locations of processes, with their variables.
    fn locations(&self, values: &[u16]) -> impl Iterator<Item = (usize, usize)> {
        let variables = self.task.variables.iter().enumerate().zip(values);
        variables.filter_map(|((variable, declared), value)| {
            declared.process(self.network).filter(|_| *value > 0)?;
            Some((variable, declared.stored((*value).into()) as usize))
        })
    }

    /// Variables that are kept get the values of the path.
    fn apply(&self, operator: &Operator, pattern: &Pattern, after: &[u16], values: &mut [u16]) {
        for (variable, relation) in &operator.relations {
            let variable = *variable as usize;
            let possible = relation.after(values[variable].into());
            let unchanged = possible.contains(&u32::from(values[variable]));
            values[variable] = match pattern.variables.binary_search(&variable) {
                Ok(place) => after[place],
                Err(_) if unchanged => values[variable],
                Err(_) => possible.first().map_or(values[variable], |value| *value as u16),
            };
        }
    }

    /// A clock that the operator looks at.
    fn of_guards(&self, operator: &Operator, pattern: &Pattern, useful: &Pattern) -> Option<Part> {
        let edges = operator.parts.iter().map(|(_, edge)| &self.network.edges[*edge as usize]);
        let clocks = edges.flat_map(|edge| &edge.clock_guards).map(|constraint| constraint.left);
        let missing = |clock: &ClockId| !pattern.clocks.contains(clock) && useful.clocks.contains(clock);
        clocks.into_iter().find(missing).map(Part::Clock)
    }

    /// What limits time here: a clock, or a process that does not let it pass.
    fn of_invariants(&self, pattern: &Pattern, useful: &Pattern, values: &[u16]) -> Option<Part> {
        let limits = self.locations(values).filter_map(|(variable, location)| {
            let location = &self.network.locations[location];
            let stops = location.flags.urgent || location.flags.committed || !location.invariant.is_empty();
            stops.then_some((variable, location))
        });
        let limits: Vec<_> = limits.collect();
        let clocks = limits.iter().flat_map(|(_, location)| &location.invariant).map(|constraint| constraint.left);
        let missing = |clock: &ClockId| !pattern.clocks.contains(clock) && useful.clocks.contains(clock);
        let clock = clocks.into_iter().find(missing);
        let absent = |variable: &usize| !pattern.keeps(*variable) && useful.keeps(*variable);
        let process = limits.iter().map(|(variable, _)| *variable).find(absent);
        clock.map(Part::Clock).or(process.map(Part::Variable))
    }
}
