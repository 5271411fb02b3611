//! Runs that avoid a condition: what `A<>`, `E[]` and `-->` are about.
//!
//! `A<> φ` is false if some run avoids `φ` from the start; `φ --> ψ` if some run comes to a state with `φ` and avoids `ψ`
//! from there on. A run that counts goes on for ever by steps, lets time pass for ever, or ends where nothing can happen
//! any more, now or later. Here runs that go on without a step have one that leads nowhere, so that every run that counts
//! is a cycle with accepting steps, which the searches for cycles find.
//!
//! If time must go on for ever ([`TimedSystem::ticking`]), a run that takes steps must tick again and again, and one that
//! rests must be able to wait for ever: only then is a step accepting.
//!
//! A key is the phase, followed by the key of the state: 0 before the run begins to avoid the condition, 1 from then on.
//!
//! A cycle of zones stands for an infinite run if points are only taken together when they have the same future
//! (Tripakis 2009, "Checking timed Büchi automata emptiness on simulation graphs"): the zones must be forgotten by largest
//! constants, and compared for equality ([`Abstraction::RUNS`](super::Abstraction::RUNS)).

use std::ops::ControlFlow;

use bughound_dbm::{Bound, Zone};
use bughound_ir::expr::Expr;
use bughound_kernel::{
    Cycles, Expansion, Explorer, Layer, LayerSteps, Layout, Marks, Outcome, Price, Region, Slot, State, StateBuf, Step,
    StopSignal, TransitionSystem,
};

use super::{TimedError, TimedSystem, deadlock, may_wait};
use crate::code::{self, Code};
use crate::discrete::DiscreteExplorer;

const BEFORE: i32 = 0;
const AVOIDING: i32 = 1;

pub struct AvoidingRuns<'s> {
    system: &'s TimedSystem,
    /// Where a run begins to avoid the condition; `None`: at the start.
    from: Option<Code>,
    avoided: Code,
    layout: Layout,
}

impl<'s> AvoidingRuns<'s> {
    pub fn new(system: &'s TimedSystem, from: Option<&Expr>, avoided: &Expr) -> Result<Self, TimedError> {
        let timed = |e: &Expr| e.any(|part| matches!(part, Expr::Clock(_) | Expr::Deadlock));
        if from.is_some_and(timed) || timed(avoided) {
            return Err(TimedError::TimeInRuns);
        }
        let mut slots = vec![Slot::new(BEFORE, AVOIDING)];
        slots.extend_from_slice(&system.layout().slots);
        let layout = Layout { cover_len: system.layout().cover_len, ..Layout::new(slots) };
        Ok(AvoidingRuns { system, from: from.map(code::expr), avoided: code::expr(avoided), layout })
    }

    fn holds(&self, code: &Code, key: &[i32]) -> bool {
        let machine = self.system.machine();
        machine.truth(machine.outside(key), code).unwrap_or(false)
    }

    /// The phases in which a run can be at a state with this key, after this phase.
    fn phases(&self, after: i32, key: &[i32]) -> impl Iterator<Item = i32> + use<> {
        let avoids = !self.holds(&self.avoided, key);
        let begins = after == BEFORE && self.from.as_ref().is_some_and(|from| self.holds(from, key));
        let stays = after == BEFORE || avoids;
        [(after, stays), (AVOIDING, begins && avoids)].into_iter().filter(|(_, possible)| *possible).map(|(at, _)| at)
    }
}

impl Layer for AvoidingRuns<'_> {
    type Steps<'l>
        = AvoidingSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> AvoidingSteps<'_> {
        AvoidingSteps { runs: self, probe: self.system.discrete().walker(), state: StateBuf::default() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn demands(&self, _below: Marks) -> Marks {
        Marks::ACCEPT
    }

    fn lies_in(&self, state: State<'_>, _below: Region) -> Region {
        let cycles = match state.key[0] {
            AVOIDING if self.system.tick.is_some() => Cycles::Some,
            AVOIDING => Cycles::All,
            _ => Cycles::None,
        };
        Region { number: state.key[0] as u32, cycles }
    }
}

pub struct AvoidingSteps<'r> {
    runs: &'r AvoidingRuns<'r>,
    /// Tells what is possible in a state without regard to clocks.
    probe: DiscreteExplorer<'r>,
    state: StateBuf,
}

/// Puts a number before the key of a state.
pub(super) fn join(buffer: &mut StateBuf, phase: i32, state: State<'_>) {
    buffer.key.clear();
    buffer.key.push(phase);
    buffer.key.extend_from_slice(state.key);
    buffer.cover.clear();
    buffer.cover.extend_from_slice(state.cover);
}

/// Can a run go on from here for ever, or be over, without another step?
pub(super) fn rests(system: &TimedSystem, probe: &mut DiscreteExplorer<'_>, state: State<'_>) -> bool {
    let zone = Zone::new(state.cover, system.dimension);
    let waits = may_wait(system, probe, state.key);
    let is_unbounded = (1..system.dimension).all(|clock| zone.bound(clock, 0) == Bound::INFINITY);
    let may_be_over = system.tick.is_none();
    (waits && is_unbounded) || may_be_over && !deadlock::stuck_points(system, probe, state, waits).is_empty()
}

impl LayerSteps for AvoidingSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let (runs, buffer) = (self.runs, &mut self.state);
        let first = if runs.from.is_some() { BEFORE } else { AVOIDING };
        below.initial(&mut |state| {
            for phase in runs.phases(first, state.key) {
                join(buffer, phase, state);
                emit(buffer.as_state());
            }
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (runs, buffer) = (self.runs, &mut self.state);
        let (phase, state) = (from.key[0], runs.project(from));
        let mut stopped = false;
        let mut expansion = Expansion::default();
        let must_tick = runs.system.tick.is_some();
        let parts = match phase {
            AVOIDING => runs.system.by_ticks(state.cover),
            _ => [(false, Some(Zone::new(state.cover, runs.system.dimension).into())), (true, None)],
        };
        for (ticks, part) in parts {
            let Some(part) = part.filter(|_| !stopped) else { continue };
            let marks = if phase == AVOIDING && (ticks || !must_tick) { Marks::ACCEPT } else { Marks::NONE };
            let from = State { cover: part.as_zone().words(), ..state };
            let further = below.successors(from, &mut |step| {
                let Outcome::State(next) = step.outcome else {
                    let flow = emit(step);
                    stopped |= flow.is_break();
                    return flow;
                };
                for phase in runs.phases(phase, next.key) {
                    join(buffer, phase, next);
                    let flow = emit(&Step { marks, outcome: Outcome::State(buffer.as_state()), ..*step });
                    stopped |= flow.is_break();
                    flow?;
                }
                ControlFlow::Continue(())
            });
            expansion.cut |= further.cut;
            expansion.diverges |= further.diverges;
        }
        if phase == AVOIDING && !stopped && rests(runs.system, &mut self.probe, state) {
            let _ = emit(&Step {
                moves: &[],
                choice: 0,
                probability: 1.0,
                weight: 0,
                price: Price::NONE,
                marks: Marks::ACCEPT,
                outcome: Outcome::State(from),
                changes: None,
            });
        }
        expansion.for_runs()
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.probe.heed(signal);
    }
}
