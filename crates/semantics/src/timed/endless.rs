//! Runs of a timed model, for a claim to watch: what counts as a run, as cycles that searches find.
//!
//! A run that counts goes on for ever by steps, lets time pass for ever, or ends where nothing can happen any more, now or
//! later: the same as for [`AvoidingRuns`](super::AvoidingRuns). One that takes no more steps comes to rest by a step
//! without moves and stays there: from rest no step leads back, so that a cycle is either one of steps or one at rest.
//! Without that, a cycle of steps could borrow from rest the time that it does not take itself.
//!
//! If time must go on for ever ([`TimedSystem::ticking`]), steps that tick, and rest, are marked ([`Marks::TIME`]): a cycle
//! must have such a step.
//!
//! A key is 0, or 1 at rest, followed by the key of the state.

use std::ops::ControlFlow;

use bughound_kernel::{
    Expansion, Explorer, Layer, LayerSteps, Layout, Marks, Outcome, Price, Slot, State, StateBuf, Step, StopSignal,
    TransitionSystem,
};

use super::TimedSystem;
use super::runs::{join, rests};
use crate::discrete::DiscreteExplorer;

const GOING_ON: i32 = 0;
const AT_REST: i32 = 1;

pub struct EndlessRuns<'s> {
    system: &'s TimedSystem,
    layout: Layout,
}

impl<'s> EndlessRuns<'s> {
    /// The zones must be those for runs ([`Abstraction::RUNS`](super::Abstraction::RUNS)).
    pub fn new(system: &'s TimedSystem) -> Self {
        let mut slots = vec![Slot::new(GOING_ON, AT_REST)];
        slots.extend_from_slice(&system.layout().slots);
        let layout = Layout { cover_len: system.layout().cover_len, ..Layout::new(slots) };
        EndlessRuns { system, layout }
    }

    /// What a step that lets time go on is marked with.
    fn time(&self) -> Marks {
        if self.system.tick.is_some() { Marks::TIME } else { Marks::NONE }
    }
}

impl Layer for EndlessRuns<'_> {
    type Steps<'l>
        = EndlessSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> EndlessSteps<'_> {
        EndlessSteps { runs: self, probe: self.system.discrete().walker(), state: StateBuf::default() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn demands(&self, below: Marks) -> Marks {
        below | self.time()
    }
}

pub struct EndlessSteps<'r> {
    runs: &'r EndlessRuns<'r>,
    /// Tells what is possible in a state without regard to clocks.
    probe: DiscreteExplorer<'r>,
    state: StateBuf,
}

impl LayerSteps for EndlessSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let buffer = &mut self.state;
        below.initial(&mut |state| {
            join(buffer, GOING_ON, state);
            emit(buffer.as_state());
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (runs, buffer) = (self.runs, &mut self.state);
        let state = runs.project(from);
        let (mut expansion, mut stopped) = (Expansion::default(), false);
        if from.key[0] == GOING_ON {
            for (ticks, part) in runs.system.by_ticks(state.cover) {
                let Some(part) = part.filter(|_| !stopped) else { continue };
                let marks = if ticks { runs.time() } else { Marks::NONE };
                let part = State { cover: part.as_zone().words(), ..state };
                let further = below.successors(part, &mut |step| {
                    let flow = match step.outcome {
                        Outcome::State(next) => {
                            join(buffer, GOING_ON, next);
                            let outcome = Outcome::State(buffer.as_state());
                            emit(&Step { marks: step.marks | marks, outcome, ..*step })
                        }
                        _ => emit(step),
                    };
                    stopped |= flow.is_break();
                    flow
                });
                expansion.cut |= further.cut;
                expansion.diverges |= further.diverges;
            }
        }
        if !stopped && (from.key[0] == AT_REST || rests(runs.system, &mut self.probe, state)) {
            join(buffer, AT_REST, state);
            let (marks, outcome) = (runs.time(), Outcome::State(buffer.as_state()));
            let _ = emit(&Step {
                moves: &[],
                choice: 0,
                probability: 1.0,
                weight: 0,
                price: Price::NONE,
                marks,
                outcome,
                changes: None,
            });
        }
        expansion
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.probe.heed(signal);
    }
}
