//! Timed models: zones over the discrete engine.
//!
//! A state is a discrete key and a zone of clock values, its cover. Each step of the discrete engine is filtered and
//! extended by what its edges say about clocks: the zone is intersected with the guards, clocks are set, the invariants of
//! the new locations are entered, time passes unless something forbids it, and what lies beyond the largest constants is
//! forgotten (Bengtsson, Yi 2004, "Timed automata: semantics, algorithms and tools").
//!
//! **What may be forgotten** depends on the question. For the reachability of states the coarsest abstractions are exact:
//! those with separate lower and upper constants, and inclusion up to simulation. For deadlocks only the largest constants
//! of each clock may be used: a zone in which nothing can happen any more may be simulated by one in which something can.
//! With the same constants for both directions simulation is mutual, and what can happen is the same.

mod bounds;
mod condition;
mod constraints;
mod deadlock;
mod endless;
mod extremes;
mod picking;
pub mod priced;
mod ranks;
mod resets;
mod runs;
mod schedule;
mod ticks;

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bughound_dbm::{Zone, ZoneBuf, ZoneMut};
use bughound_ir::expr::Expr;
use bughound_ir::frames::{LOCATION, PROCESS_COUNT};
use bughound_ir::network::{LocationId, Network};
use bughound_ir::types::{ClockConstraint, ClockId, MAX_CLOCK_CONSTANT, UNBOUNDED, is_clock_constant};
use bughound_kernel::{
    AtomId, Dependencies, Expansion, Explorer, Layout, Move, Outcome, State, Step, StopSignal, TransitionSystem,
};

use crate::discrete::{DiscreteExplorer, DiscreteSystem};
use crate::machine::Machine;
use bounds::Largest;
use condition::Condition;
use constraints::Clockwork;
use picking::{OnlyUrgent, Zones};
use ranks::Blocking;

pub use bounds::ClockBounds;
pub use endless::EndlessRuns;
pub use extremes::Measured;
pub use runs::AvoidingRuns;
pub use schedule::Schedule;

/// How much of a zone is forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extrapolation {
    /// Nothing: only with inclusion up to simulation is the number of zones finite.
    None,
    /// By the largest constant of each clock.
    Maximal,
    MaximalPlus,
    /// By the largest lower and upper constants of each clock; for reachability only.
    LowerUpper,
    LowerUpperPlus,
}

/// When a zone is superfluous beside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inclusion {
    /// Only if it is the same.
    Equal,
    Subset,
    /// If each of its points is simulated by one of the other zone.
    Simulation,
}

/// Which constants tell values of a clock apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Constants {
    /// The largest lower and the largest upper one: exact for the reachability of states.
    LowerUpper,
    /// The largest one: points that are not told apart can do the same.
    Largest,
}

/// How zones are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Abstraction {
    pub extrapolation: Extrapolation,
    pub inclusion: Inclusion,
    pub constants: Constants,
    /// Look for states in which no step is possible any more, now or later.
    pub finds_deadlocks: bool,
    /// The zones of a discrete state become one, their convex hull: an over-approximation. What is not found does not
    /// exist; what is found may not exist either.
    pub hull: bool,
}

impl Abstraction {
    /// The coarsest one that is exact for the reachability of states.
    pub const REACHABILITY: Abstraction = Abstraction {
        extrapolation: Extrapolation::None,
        inclusion: Inclusion::Simulation,
        constants: Constants::LowerUpper,
        finds_deadlocks: false,
        hull: false,
    };
    /// The same for the values of clocks ([`Measured`]).
    pub const MEASURES: Abstraction = Abstraction { constants: Constants::Largest, ..Self::REACHABILITY };
    /// The same for deadlocks.
    pub const DEADLOCK: Abstraction = Abstraction { finds_deadlocks: true, ..Self::MEASURES };
    /// For runs that go on for ever ([`AvoidingRuns`], [`EndlessRuns`]).
    pub const RUNS: Abstraction = Abstraction {
        extrapolation: Extrapolation::MaximalPlus,
        inclusion: Inclusion::Equal,
        constants: Constants::Largest,
        finds_deadlocks: false,
        hull: false,
    };

    /// The same, or the coarsest one that tells points apart of which different steps are possible.
    fn for_possible_steps(self) -> Abstraction {
        Abstraction { constants: Constants::Largest, hull: false, ..self }
    }
}

/// Why a model cannot be walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedError {
    /// A guard, an invariant or a property compares the difference of two clocks.
    Difference { of: String },
    /// A clock is compared with a constant that is too large.
    TooLarge { clock: String, constant: i32 },
    /// A condition uses a clock as a number.
    ClockAsNumber,
    /// A question about whole runs has clocks or `deadlock` in its conditions.
    TimeInRuns,
}

impl std::fmt::Display for TimedError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TimedError::Difference { of } => {
                write!(f, "constraints on differences of clocks are not supported: {of}")
            }
            TimedError::TooLarge { clock, constant } => {
                write!(f, "{clock} is compared with {constant}, clocks only with constants up to {MAX_CLOCK_CONSTANT}")
            }
            TimedError::ClockAsNumber => f.write_str("a clock can only be compared with a number"),
            TimedError::TimeInRuns => f.write_str(
                "`A<>`, `E[]` and `-->` cannot have clocks or `deadlock` in their conditions; let a location say it",
            ),
        }
    }
}

impl std::error::Error for TimedError {}

/// A condition that can be asked about.
enum Atom {
    Condition(Condition),
    /// It speaks of `deadlock`, so the steps of the state have to be looked at.
    Stuck(Expr),
}

impl Atom {
    fn new(expr: &Expr) -> Option<Atom> {
        let condition = Condition::new(expr)?;
        let asks = expr.any(|e| matches!(e, Expr::Deadlock));
        Some(if asks { Atom::Stuck(expr.clone()) } else { Atom::Condition(condition) })
    }
}

/// A timed model.
pub struct TimedSystem {
    discrete: DiscreteSystem,
    clockwork: Clockwork,
    bounds: ClockBounds,
    conditions: Vec<Atom>,
    abstraction: Abstraction,
    dimension: usize,
    layout: Layout,
    given_up: AtomicBool,
    /// The clock that tells whether time goes on, if there is one.
    tick: Option<ticks::Tick>,
}

impl TimedSystem {
    /// A condition among `atoms` holds in a state if some point of its zone satisfies it.
    pub fn new(
        network: impl Into<Arc<Network>>,
        atoms: &[Expr],
        abstraction: Abstraction,
    ) -> Result<TimedSystem, TimedError> {
        let network = network.into();
        let conditions: Option<Vec<Atom>> = atoms.iter().map(Atom::new).collect();
        let conditions = conditions.ok_or(TimedError::ClockAsNumber)?;
        let mut abstraction = abstraction;
        if network.ranks.is_some() || conditions.iter().any(|atom| matches!(atom, Atom::Stuck(_))) {
            abstraction = abstraction.for_possible_steps();
        }
        let in_atoms: Vec<ClockConstraint> = atoms.iter().flat_map(Condition::constraints).collect();
        let all = network.edges.iter().flat_map(|edge| &edge.clock_guards);
        let all = all.chain(network.locations.iter().flat_map(|location| &location.invariant)).chain(&in_atoms);
        let name = |clock: ClockId| network.clocks[clock.0 as usize].name.clone();
        for constraint in all {
            if let Some(minus) = constraint.minus {
                return Err(TimedError::Difference { of: format!("{} - {}", name(constraint.left), name(minus)) });
            }
            if let Some(constant) = constraint.bound.as_const()
                && constant != UNBOUNDED
                && !is_clock_constant(constant.into())
            {
                return Err(TimedError::TooLarge { clock: name(constraint.left), constant });
            }
        }
        let dimension = network.clocks.len() + 1;
        let layout = Layout { cover_len: dimension * dimension, ..network.frames.layout.clone() };
        let property: Vec<&ClockConstraint> = in_atoms.iter().collect();
        let (clockwork, bounds) = (Clockwork::new(&network), ClockBounds::new(&network, &property));
        // Atoms with clocks are evaluated here; the discrete engine must not see them.
        let discrete = DiscreteSystem::new(network, &[]);
        let given_up = AtomicBool::new(false);
        Ok(TimedSystem {
            discrete,
            clockwork,
            bounds,
            conditions,
            abstraction,
            dimension,
            layout,
            given_up,
            tick: None,
        })
    }

    pub fn discrete(&self) -> &DiscreteSystem {
        &self.discrete
    }

    /// By clock: the largest constant that it will be compared with from a state with this key on, if there is one.
    fn constants(&self, key: &[i32]) -> Vec<Option<i32>> {
        self.bounds.with(key, |largest| {
            largest.both[1..].iter().map(|constant| (*constant >= 0).then_some(*constant)).collect()
        })
    }

    /// The lower and upper constants that tell values of clocks apart.
    fn told_apart<'l>(&self, largest: &'l Largest) -> (&'l [i32], &'l [i32]) {
        match self.abstraction.constants {
            Constants::LowerUpper => (&largest.lower, &largest.upper),
            Constants::Largest => (&largest.both, &largest.both),
        }
    }

    fn machine(&self) -> &Machine {
        self.discrete.machine()
    }

    fn locations<'a>(&'a self, key: &'a [i32]) -> impl Iterator<Item = (usize, LocationId)> + 'a {
        let frames = &self.discrete.network().frames.processes[..key[PROCESS_COUNT] as usize];
        frames.iter().enumerate().map(|(pid, frame)| (pid, LocationId(key[(frame.base + LOCATION) as usize] as u32)))
    }

    /// Restricts the zone to the invariants of the locations; false if nothing is left.
    fn stay(&self, key: &[i32], zone: &mut ZoneMut<'_>) -> bool {
        let machine = self.machine();
        self.locations(key).all(|(pid, location)| {
            let invariant = self.clockwork.invariant(location);
            invariant.is_empty() || {
                let cx = machine.context(key, pid, false);
                invariant.iter().all(|constraint| constraint.restrict(zone, machine, cx))
            }
        })
    }

    /// Keeps the constants of a part of a state's zone in their range, where several cuts make them grow. Points are added,
    /// but only such as can do the same as some of the zone: which steps are possible does not depend on how far a clock
    /// is beyond its largest constant.
    fn contain(&self, key: &[i32], zone: &mut ZoneMut<'_>) {
        if zone.as_zone().magnitude() > MAX_CLOCK_CONSTANT {
            self.bounds.with(key, |largest| zone.extrapolate_maximal_plus(&largest.both));
        }
    }

    /// Did a clock get so far that bounds on it were given up that a search for its values would need?
    pub fn has_given_up_bounds(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    fn forget(&self, key: &[i32], zone: &mut ZoneMut<'_>, mut extrapolation: Extrapolation) {
        // Zones on long paths have large constants, which must not get too large for their words.
        if extrapolation == Extrapolation::None && zone.as_zone().magnitude() > MAX_CLOCK_CONSTANT {
            self.given_up.store(true, Ordering::Relaxed);
            extrapolation = Extrapolation::LowerUpperPlus;
        }
        self.bounds.with(key, |largest| {
            let (lower, upper) = self.told_apart(largest);
            match extrapolation {
                // Values of inactive clocks mean nothing to simulation; without them, more zones are the same.
                Extrapolation::None => largest.inactive().for_each(|clock| zone.free(clock)),
                Extrapolation::Maximal => zone.extrapolate_maximal(&largest.both),
                Extrapolation::MaximalPlus => zone.extrapolate_maximal_plus(&largest.both),
                Extrapolation::LowerUpper => zone.extrapolate_lower_upper(lower, upper),
                Extrapolation::LowerUpperPlus => zone.extrapolate_lower_upper_plus(lower, upper),
            }
        });
    }
}

impl TransitionSystem for TimedSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(TimedExplorer {
            system: self,
            discrete: self.discrete.walker(),
            probe: self.discrete.walker(),
            zone: ZoneBuf::zero(self.dimension),
            zones: Zones::default(),
        })
    }

    fn atoms(&self) -> u32 {
        self.conditions.len() as u32
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        Err("it has clocks")
    }

    fn covers(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        let (large, small) = (Zone::new(large, self.dimension), Zone::new(small, self.dimension));
        match self.abstraction.inclusion {
            Inclusion::Equal => small.same(large),
            Inclusion::Subset => small.is_subset(large),
            Inclusion::Simulation => {
                small.is_subset(large)
                    || self.bounds.with(key, |largest| {
                        let (lower, upper) = self.told_apart(largest);
                        small.is_simulated_by(large, lower, upper)
                    })
            }
        }
    }

    fn normalise_cover(&self, key: &[i32], cover: &mut [i32]) {
        // Other zones are what they are after extrapolation already.
        if self.abstraction.extrapolation == Extrapolation::None {
            self.forget(key, &mut ZoneMut::new(cover, self.dimension), Extrapolation::LowerUpperPlus);
        }
    }

    fn merges_covers(&self) -> bool {
        self.abstraction.hull
    }

    fn merge_covers(&self, cover: &mut [i32], other: &[i32]) {
        ZoneMut::new(cover, self.dimension).hull(Zone::new(other, self.dimension));
    }

    fn cover_size(&self, cover: &[i32]) -> u64 {
        Zone::new(cover, self.dimension).size(self.bounds.limit())
    }
}

struct TimedExplorer<'s> {
    system: &'s TimedSystem,
    discrete: DiscreteExplorer<'s>,
    /// Tells whether an urgent step is possible while the other one is busy.
    probe: DiscreteExplorer<'s>,
    zone: ZoneBuf,
    zones: Zones,
}

/// May time pass in a state?
fn may_wait(system: &TimedSystem, probe: &mut DiscreteExplorer<'_>, key: &[i32]) -> bool {
    if system.locations(key).any(|(_, location)| system.clockwork.stops_time(location)) {
        return false;
    }
    if !system.clockwork.has_urgent_signals() {
        return true;
    }
    let mut urgent = false;
    probe.successors_by(key, &mut OnlyUrgent { system, key, picked: 0 }, &mut |step| {
        urgent |= system.clockwork.is_urgent(system.machine(), key, step.moves);
        if urgent { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    !urgent
}

/// Enters the invariants of a state and lets time pass; false if nothing is left.
fn settle(system: &TimedSystem, probe: &mut DiscreteExplorer<'_>, key: &[i32], zone: &mut ZoneMut<'_>) -> bool {
    // Upper bounds that hold after a delay hold before it. Whether urgent signals allow a delay is more work to find out.
    let clockwork = &system.clockwork;
    let once = clockwork.bounds_from_above() && !clockwork.has_urgent_signals() && may_wait(system, probe, key);
    if !once && !system.stay(key, zone) {
        return false;
    }
    if once || may_wait(system, probe, key) {
        zone.up();
        if !system.stay(key, zone) {
            return false;
        }
    }
    system.forget(key, zone, system.abstraction.extrapolation);
    true
}

/// Restricts the zone to what the guards of the moves allow.
fn pass_guards(system: &TimedSystem, key: &[i32], moves: &[Move], zone: &mut ZoneMut<'_>) -> bool {
    let machine = system.machine();
    moves.iter().all(|m| {
        let guards = system.clockwork.guards(m.edge);
        guards.is_empty() || {
            let cx = machine.context(key, m.process as usize, false);
            guards.iter().all(|constraint| constraint.pass(zone, machine, cx))
        }
    })
}

/// Takes a step from the points of a zone, all of which its guards allow.
fn follow(
    system: &TimedSystem,
    probe: &mut DiscreteExplorer<'_>,
    key: &[i32],
    step: &Step<'_>,
    zone: &mut ZoneBuf,
    emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Outcome::State(to) = step.outcome else { return emit(step) };
    let mut view = zone.as_mut();
    system.clockwork.resets(system.machine(), key, step.moves, &mut |clock, value| view.reset(clock, value));
    if !settle(system, probe, to.key, &mut view) {
        return ControlFlow::Continue(());
    }
    emit(&Step { outcome: Outcome::State(State { cover: zone.as_zone().words(), ..to }), ..*step })
}

impl Explorer for TimedExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let (system, probe, zone) = (self.system, &mut self.probe, &mut self.zone);
        self.discrete.initial(&mut |state| {
            let mut view = zone.as_mut();
            view.zero();
            if settle(system, probe, state.key, &mut view) {
                emit(State { cover: zone.as_zone().words(), ..state });
            }
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let (system, probe, zone) = (self.system, &mut self.probe, &mut self.zone);
        let before = Zone::new(from.cover, system.dimension);
        let blocking = Blocking::new(system, probe, from.key);
        let mut picking = self.zones.from(system, from.key, before);
        let expansion = self.discrete.successors_by(from.key, &mut picking, &mut |step| {
            let mut view = zone.as_mut();
            view.assign(before);
            if !pass_guards(system, from.key, step.moves, &mut view) {
                return ControlFlow::Continue(());
            }
            let Some(blocking) = &blocking else { return follow(system, probe, from.key, step, zone, emit) };
            let left = blocking.left_of(system, from.key, step.moves, zone.as_zone());
            for part in left.zones() {
                zone.set(part);
                let flow = follow(system, probe, from.key, step, zone, emit);
                // A failure is the same whatever the clocks say.
                if flow.is_break() || matches!(step.outcome, Outcome::Failure(_)) {
                    return flow;
                }
            }
            ControlFlow::Continue(())
        });
        let deadlock = system.abstraction.finds_deadlocks && {
            let waits = may_wait(system, &mut self.probe, from.key);
            !deadlock::stuck_points(system, &mut self.discrete, from, waits).is_empty()
        };
        Expansion { deadlock, ..expansion }
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        let zone = ZoneBuf::from(Zone::new(state.cover, self.system.dimension));
        let machine = self.system.machine();
        let found = match &self.system.conditions[atom.0 as usize] {
            Atom::Condition(Condition::Discrete(code)) => {
                return machine.truth(machine.outside(state.key), code).unwrap_or(false);
            }
            Atom::Condition(condition) => condition.part(true, machine, state.key, vec![zone]),
            Atom::Stuck(condition) => {
                let waits = may_wait(self.system, &mut self.probe, state.key);
                let found = self.system.points(condition, true, &mut self.discrete, state.key, waits, vec![zone]);
                found.unwrap_or_default()
            }
        };
        !found.is_empty()
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.discrete.heed(signal);
        self.probe.heed(signal);
    }
}
