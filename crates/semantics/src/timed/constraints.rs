//! What edges and locations say about clocks, compiled.

use bughound_dbm::{Bound, MAX_CONSTANT, ZoneMut};
use bughound_ir::edge::Sync;
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{ClockConstraint, ClockId, MAX_CLOCK_CONSTANT, Relation};
use bughound_kernel::Move;

use super::resets::Resets;
use crate::clock_bound::ClockBound;
use crate::code::{self, Code};
use crate::machine::{Context, Machine};

// Zones are kept within the largest constant of a model from step to step (`TimedSystem::forget`). In a step, a way between
// two clocks that has become shorter goes over the reference at most once: along a difference, a guard, a difference; and,
// when time has passed, an invariant. So no sum has more than four parts that matter, and none leaves the range of bounds.
const _: () = assert!(MAX_CLOCK_CONSTANT <= MAX_CONSTANT / 4);

/// The place of a clock in a zone; 0 is the reference.
pub fn index(clock: ClockId) -> usize {
    clock.0 as usize + 1
}

/// `(i, j, bound)`: clock i − clock j is within the bound.
pub type DifferenceBound = (usize, usize, Bound);

/// `left − right ⋈ bound`, over places in a zone.
#[derive(Debug)]
pub struct Constraint {
    left: usize,
    right: usize,
    relation: Relation,
    bound: ClockBound,
}

impl Constraint {
    pub fn new(constraint: &ClockConstraint) -> Constraint {
        Constraint {
            left: index(constraint.left),
            right: constraint.minus.map_or(0, index),
            relation: constraint.relation,
            bound: ClockBound::new(&constraint.bound),
        }
    }

    /// The bounds on differences that it stands for, and how many they are. `None`: what the clock is compared with has
    /// no value, or is too large.
    pub fn bounds(&self, machine: &Machine, cx: Context<'_>) -> Option<([DifferenceBound; 2], usize)> {
        let Some(c) = self.bound.value(machine, cx).ok()? else { return Some(([(0, 0, Bound::ZERO_LE); 2], 0)) };
        let (l, r) = (self.left, self.right);
        let one = |bound| Some(([bound, bound], 1));
        match self.relation {
            Relation::Less => one((l, r, Bound::less_than(c))),
            Relation::LessEqual => one((l, r, Bound::at_most(c))),
            Relation::Equal => Some(([(l, r, Bound::at_most(c)), (r, l, Bound::at_most(-c))], 2)),
            Relation::GreaterEqual => one((r, l, Bound::at_most(-c))),
            Relation::Greater => one((r, l, Bound::less_than(-c))),
        }
    }

    /// Restricts the zone; false if nothing is left. A constraint without value leaves nothing.
    pub fn restrict(&self, zone: &mut ZoneMut<'_>, machine: &Machine, cx: Context<'_>) -> bool {
        let Some((bounds, count)) = self.bounds(machine, cx) else { return zone.make_empty() };
        bounds[..count].iter().all(|(i, j, bound)| zone.tighten(*i, *j, *bound))
    }

    /// The same for a guard: one without value is in nobody's way. The discrete engine has seen that the step fails.
    pub fn pass(&self, zone: &mut ZoneMut<'_>, machine: &Machine, cx: Context<'_>) -> bool {
        let Some((bounds, count)) = self.bounds(machine, cx) else { return true };
        bounds[..count].iter().all(|(i, j, bound)| zone.tighten(*i, *j, *bound))
    }
}

/// By edge and by location.
#[derive(Debug)]
pub struct Clockwork {
    guards: Vec<Vec<Constraint>>,
    resets: Resets,
    invariants: Vec<Vec<Constraint>>,
    /// All invariants are upper bounds.
    from_above: bool,
    /// By location: time may not pass.
    stops_time: Vec<bool>,
    /// By edge: the signal with which it starts a synchronisation.
    emits: Vec<Option<Code>>,
    /// By signal: no time may pass while it is possible.
    urgent: Vec<bool>,
}

impl Clockwork {
    pub fn new(network: &Network) -> Clockwork {
        let constraints = |list: &[ClockConstraint]| list.iter().map(Constraint::new).collect();
        let emits = network.edges.iter().map(|edge| match &edge.sync {
            Sync::Emit { signal } => Some(code::expr(signal)),
            _ => None,
        });
        let mut all_invariants = network.locations.iter().flat_map(|location| &location.invariant);
        let upper =
            |c: &ClockConstraint| c.minus.is_none() && matches!(c.relation, Relation::Less | Relation::LessEqual);
        Clockwork {
            from_above: all_invariants.all(upper),
            guards: network.edges.iter().map(|edge| constraints(&edge.clock_guards)).collect(),
            resets: Resets::new(network),
            invariants: network.locations.iter().map(|location| constraints(&location.invariant)).collect(),
            stops_time: network.locations.iter().map(|l| l.flags.urgent || l.flags.committed).collect(),
            emits: emits.collect(),
            urgent: network.signals.iter().map(|signal| signal.urgent).collect(),
        }
    }

    pub fn guards(&self, edge: u32) -> &[Constraint] {
        &self.guards[edge as usize]
    }

    pub fn invariant(&self, location: LocationId) -> &[Constraint] {
        &self.invariants[location.0 as usize]
    }

    pub fn stops_time(&self, location: LocationId) -> bool {
        self.stops_time[location.0 as usize]
    }

    /// Does what an invariant allows after a delay satisfy it before, too?
    pub fn bounds_from_above(&self) -> bool {
        self.from_above
    }

    pub fn has_urgent_signals(&self) -> bool {
        self.urgent.contains(&true)
    }

    /// Does this edge of a process emit an urgent signal?
    pub fn emits_urgent(&self, machine: &Machine, key: &[i32], pid: usize, edge: u32) -> bool {
        self.emitted(machine, key, pid, edge).is_some_and(|number| self.urgent.get(number) == Some(&true))
    }

    /// Is the step from this state a synchronisation over an urgent signal?
    pub fn is_urgent(&self, machine: &Machine, key: &[i32], moves: &[Move]) -> bool {
        moves.first().is_some_and(|first| self.emits_urgent(machine, key, first.process as usize, first.edge))
    }

    /// The signal over which the step from this state synchronises.
    pub fn signal(&self, machine: &Machine, key: &[i32], moves: &[Move]) -> Option<usize> {
        let first = moves.first()?;
        self.emitted(machine, key, first.process as usize, first.edge)
    }

    fn emitted(&self, machine: &Machine, key: &[i32], pid: usize, edge: u32) -> Option<usize> {
        let number = self.emits[edge as usize].as_ref()?;
        usize::try_from(machine.eval(machine.context(key, pid, false), number).ok()?).ok()
    }

    /// Calls `set` for each clock that a step from this state sets, in order.
    pub fn resets(&self, machine: &Machine, key: &[i32], moves: &[Move], set: &mut dyn FnMut(usize, i32)) {
        self.resets.each(machine, key, moves, set);
    }
}
