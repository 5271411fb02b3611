//! What operators and locations say about the clocks that a pattern keeps.
//!
//! Constraints with bounds that are not constant, and those on differences of clocks, are forgotten. A clock that may have
//! been set, or to something that is not known, can have any value. Time may pass unless a process that is kept says that
//! it may not.

use bughound_dbm::{Bound, NO_BOUND, Zone, ZoneMut};
use bughound_finite::ground::Operator;
use bughound_finite::task::Task;
use bughound_ir::edge::{Action, Edge};
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{ClockConstraint, ClockId, Relation, UNBOUNDED, is_clock_constant};
use bughound_semantics::timed::ClockBounds;

use super::pattern::Pattern;

/// `(i, j, bound)`: clock i − clock j is within the bound; places in the zones of the abstraction.
type DifferenceBound = (usize, usize, Bound);

/// What an operator does with the clocks that are kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OperatorTiming {
    guards: Vec<DifferenceBound>,
    /// Clocks that are set, to a value if it is known.
    sets: Vec<(usize, Option<i32>)>,
}

/// What a location says about clocks.
#[derive(Clone, Debug, Default)]
struct LocationTiming {
    invariant: Vec<DifferenceBound>,
    stops_time: bool,
    /// Place, and the largest constants in lower and in upper bounds.
    constants: Vec<(usize, i32, i32)>,
}

#[derive(Default)]
pub struct Timing {
    /// By place in the zones of the abstraction: the place in those of the network.
    clocks: Vec<usize>,
    /// By variable of the pattern and value, where it is the location of a process.
    locations: Vec<Vec<LocationTiming>>,
    /// What processes that are not kept compare clocks with.
    lower: Vec<i32>,
    upper: Vec<i32>,
    /// Working memory.
    now: (Vec<i32>, Vec<i32>),
}

impl Timing {
    pub fn new(network: &Network, task: &Task, pattern: &Pattern) -> Timing {
        let clocks: Vec<usize> =
            std::iter::once(0).chain(pattern.clocks.iter().map(|clock| clock.0 as usize + 1)).collect();
        let mut timing = Timing { lower: vec![NO_BOUND; clocks.len()], clocks, ..Timing::default() };
        if pattern.clocks.is_empty() {
            return timing;
        }
        timing.lower[0] = 0;
        timing.upper = timing.lower.clone();
        let bounds = ClockBounds::new(network, &[]);
        let at = |timing: &Timing, location: LocationId| -> Vec<(usize, i32, i32)> {
            let place = |clock: usize| timing.clocks.iter().position(|kept| *kept == clock);
            bounds.at(location).filter_map(|(clock, lower, upper)| Some((place(clock)?, lower, upper))).collect()
        };
        let mut kept = Vec::new();
        for variable in &pattern.variables {
            let declared = &task.variables[*variable];
            let Some(pid) = declared.process(network) else {
                timing.locations.push(Vec::new());
                continue;
            };
            kept.push(pid);
            let here = |value: u32| {
                let Some(location) = network.locations.get(declared.stored(value) as usize) else {
                    return LocationTiming::default();
                };
                let flags = &location.flags;
                LocationTiming {
                    invariant: location.invariant.iter().flat_map(|c| timing.bounds(c)).collect(),
                    stops_time: flags.urgent || flags.committed,
                    constants: at(&timing, LocationId(declared.stored(value) as u32)),
                }
            };
            // The first value stands for a process that is not there.
            let values =
                (0..declared.size).map(|value| if value == 0 { LocationTiming::default() } else { here(value) });
            let values = values.collect();
            timing.locations.push(values);
        }
        let others = network.frames.processes.iter().enumerate().filter(|(pid, _)| !kept.contains(pid));
        let templates = others.flat_map(|(_, frame)| &frame.templates);
        for location in templates.flat_map(|template| &network.template(*template).locations) {
            for (place, lower, upper) in at(&timing, *location) {
                timing.lower[place] = timing.lower[place].max(lower);
                timing.upper[place] = timing.upper[place].max(upper);
            }
        }
        timing
    }

    /// The number of clocks that are kept, and one more; 1 if there are none.
    pub fn dimension(&self) -> usize {
        self.clocks.len()
    }

    fn place(&self, clock: ClockId) -> Option<usize> {
        self.clocks.iter().position(|kept| *kept == clock.0 as usize + 1)
    }

    fn bounds(&self, constraint: &ClockConstraint) -> Vec<DifferenceBound> {
        let (Some(clock), None, Some(c)) = (self.place(constraint.left), constraint.minus, constraint.bound.as_const())
        else {
            return Vec::new();
        };
        if c == UNBOUNDED && matches!(constraint.relation, Relation::Less | Relation::LessEqual) {
            return Vec::new();
        }
        debug_assert!(is_clock_constant(c.into()), "refused when the system is made");
        let (above, below) = ((clock, 0, Bound::at_most(c)), (0, clock, Bound::at_most(-c)));
        match constraint.relation {
            Relation::Less => vec![(clock, 0, Bound::less_than(c))],
            Relation::LessEqual => vec![above],
            Relation::Equal => vec![above, below],
            Relation::GreaterEqual => vec![below],
            Relation::Greater => vec![(0, clock, Bound::less_than(-c))],
        }
    }

    pub fn operator(&self, network: &Network, operator: &Operator) -> OperatorTiming {
        let mut timing = OperatorTiming::default();
        if self.dimension() == 1 {
            return timing;
        }
        for (_, edge) in &operator.parts {
            let edge = &network.edges[*edge as usize];
            timing.guards.extend(edge.clock_guards.iter().flat_map(|constraint| self.bounds(constraint)));
            let certain = edge.destinations.len() == 1 && edge.program.is_none();
            timing.sets.extend(self.sets(network, edge, certain));
        }
        for edge in &operator.heard {
            timing.sets.extend(self.sets(network, network.edge(*edge), false));
        }
        timing
    }

    /// The clocks that an edge sets, in order; to what is known only if it is certain that it does.
    fn sets(&self, network: &Network, edge: &Edge, certain: bool) -> Vec<(usize, Option<i32>)> {
        let nodes = edge.program.iter().flat_map(|program| &network.program(*program).nodes);
        let inside = nodes.flat_map(|node| &node.alternatives).flat_map(|alternative| &alternative.actions);
        let actions = inside.chain(edge.destinations.iter().flat_map(|to| &to.actions));
        let set = |action: &Action| match action {
            Action::ResetClock { clock, value } => {
                let value = value.as_const().filter(|_| certain);
                Some((self.place(*clock)?, value))
            }
            _ => None,
        };
        actions.filter_map(set).collect()
    }

    /// Takes an operator to a state with these values: false if clocks do not allow it.
    pub fn follow(&mut self, operator: &OperatorTiming, values: &[u16], zone: &mut ZoneMut<'_>) -> bool {
        if !operator.guards.iter().all(|(i, j, bound)| zone.tighten(*i, *j, *bound)) {
            return false;
        }
        for (clock, value) in &operator.sets {
            match value {
                Some(value) => zone.reset(*clock, *value),
                None => zone.free(*clock),
            }
        }
        self.settle(values, zone)
    }

    /// Enters the invariants of a state and lets time pass; false if nothing is left.
    pub fn settle(&mut self, values: &[u16], zone: &mut ZoneMut<'_>) -> bool {
        let (mut lower, mut upper) = std::mem::take(&mut self.now);
        lower.clone_from(&self.lower);
        upper.clone_from(&self.upper);
        let here = || self.locations.iter().zip(values).filter_map(|(by_value, at)| by_value.get(usize::from(*at)));
        let stay = |zone: &mut ZoneMut<'_>| {
            here().flat_map(|location| &location.invariant).all(|(i, j, bound)| zone.tighten(*i, *j, *bound))
        };
        let mut possible = stay(zone);
        if possible && !here().any(|location| location.stops_time) {
            zone.up();
            possible = stay(zone);
        }
        if possible {
            for (place, low, high) in here().flat_map(|location| &location.constants) {
                lower[*place] = lower[*place].max(*low);
                upper[*place] = upper[*place].max(*high);
            }
            zone.extrapolate_lower_upper_plus(&lower, &upper);
        }
        self.now = (lower, upper);
        possible
    }

    /// The part of a zone of the network that is about the clocks that are kept. A cover may have more than the zone, behind
    /// it: costs.
    pub fn project(&self, cover: &[i32], dimension: usize, into: &mut Vec<i32>) {
        into.clear();
        let words = Zone::new(&cover[..dimension * dimension], dimension).words();
        for i in &self.clocks {
            into.extend(self.clocks.iter().map(|j| words[i * dimension + j]));
        }
    }
}
