//! The extreme values of numbers and clocks: what `sup`, `inf` and `bounds` ask for.
//!
//! The layer looks at each state that a search asks it about ([`Measured::met`]) and keeps the least and the greatest value
//! of each quantity. For a search that goes through all states, these are the extremes. For clocks, the zones must be
//! exact: nothing may be forgotten, and a zone may give way to another one only if that has the same values up to a
//! constant ([`Abstraction::MEASURES`](super::Abstraction::MEASURES)). What lies beyond the constant is a hint, no result.

use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use bughound_dbm::{Interval, Zone, ZoneBuf};
use bughound_ir::expr::Expr;
use bughound_ir::question::Quantity;
use bughound_kernel::{
    AtomId, Expansion, Explorer, Layer, LayerSteps, Move, Outcome, State, StateBuf, Step, TransitionSystem,
};

use super::condition::Condition;
use super::constraints::index;
use super::{TimedError, TimedSystem};
use crate::code::{self, Code};

enum Measure {
    Value(Code),
    Clock(usize),
}

pub struct Measured<'s> {
    system: &'s TimedSystem,
    condition: Condition,
    measures: Vec<Measure>,
    /// By quantity: the values so far; nothing before the first.
    seen: Mutex<Vec<Option<Interval>>>,
    /// The condition, or something asked for, had no value in some state.
    met_errors: AtomicBool,
}

impl<'s> Measured<'s> {
    /// Of the states in which the condition holds.
    pub fn new(system: &'s TimedSystem, condition: &Expr, quantities: &[Quantity]) -> Result<Self, TimedError> {
        let condition = Condition::new(condition).ok_or(TimedError::ClockAsNumber)?;
        let measure = |quantity: &Quantity| match quantity {
            Quantity::Value(e) => Measure::Value(code::expr(e)),
            Quantity::Clock(clock) => Measure::Clock(index(*clock)),
        };
        let measures: Vec<Measure> = quantities.iter().map(measure).collect();
        let seen = Mutex::new(vec![None; measures.len()]);
        Ok(Measured { system, condition, measures, seen, met_errors: AtomicBool::new(false) })
    }

    /// A predicate that is never true; to be asked of each state.
    pub fn met(&self) -> AtomId {
        self.atom(0)
    }

    /// By quantity: the values so far; nothing if no state satisfies the condition, or the quantity has no value there.
    pub fn values(&self) -> Vec<Option<Interval>> {
        self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// Was there a state in which the condition, or a quantity, had no value?
    pub fn met_errors(&self) -> bool {
        self.met_errors.load(Ordering::Relaxed)
    }

    fn measure(&self, state: State<'_>) {
        let machine = self.system.machine();
        let whole = vec![ZoneBuf::from(Zone::new(state.cover, self.system.dimension))];
        let points = self.condition.part(true, machine, state.key, whole);
        if self.condition.fails(machine, state.key) {
            self.met_errors.store(true, Ordering::Relaxed);
        }
        let mut seen = self.seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for zone in &points {
            for (measure, seen) in self.measures.iter().zip(seen.iter_mut()) {
                let values = match measure {
                    Measure::Clock(clock) => zone.as_zone().clock_bounds(*clock),
                    Measure::Value(code) => match machine.eval(machine.outside(state.key), code) {
                        Ok(value) => Interval::single(value.into()),
                        Err(_) => {
                            self.met_errors.store(true, Ordering::Relaxed);
                            continue;
                        }
                    },
                };
                *seen = Some(seen.map_or(values, |seen| seen.hull(values)));
            }
        }
    }
}

impl TimedSystem {
    /// The zones of a path in words, the first one included: all values that the clocks can have at each of its states, as
    /// far as they matter there. Nothing if the moves are not a path.
    pub fn zones_along(&self, path: &[Vec<Move>]) -> Option<Vec<String>> {
        let clocks = &self.discrete().network().clocks;
        let name = |clock: usize| clocks[clock - 1].name.as_str().into();
        let states = self.states_along(path)?;
        Some(states.iter().map(|state| Zone::new(&state.cover, self.dimension).describe(name)).collect())
    }

    pub(super) fn states_along(&self, path: &[Vec<Move>]) -> Option<Vec<StateBuf>> {
        let mut explorer = self.explorer();
        let mut states = Vec::new();
        explorer.initial(&mut |first| states.push(StateBuf::from(first)));
        states.truncate(1);
        for moves in path {
            let mut next = None;
            explorer.successors(states.last()?.as_state(), &mut |step| match step.outcome {
                Outcome::State(to) if step.moves == &moves[..] => {
                    next = Some(StateBuf::from(to));
                    ControlFlow::Break(())
                }
                _ => ControlFlow::Continue(()),
            });
            states.push(next?);
        }
        Some(states)
    }
}

impl Layer for Measured<'_> {
    type Steps<'l>
        = MeasuringSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        state
    }

    fn takes_own_notes(&self) -> bool {
        true
    }

    fn steps(&self) -> MeasuringSteps<'_> {
        MeasuringSteps { measured: self }
    }

    fn own_atoms(&self) -> u32 {
        1
    }
}

pub struct MeasuringSteps<'m> {
    measured: &'m Measured<'m>,
}

impl LayerSteps for MeasuringSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        below.initial(emit);
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        below.successors(from, emit)
    }

    /// There is one.
    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        self.measured.measure(state);
        false
    }
}
