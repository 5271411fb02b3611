//! Partial order reduction for infinite runs: for each state of the system below, which of its steps are taken, once and for
//! all.
//!
//! A reduced set of steps (stubborn, without steps that the property sees) keeps every infinite run, up to repeated states,
//! if no step is put off for ever: every cycle has a state all of whose steps are taken. When a state is expanded for the
//! first time, its reduced set will do unless one of these steps leads to a state whose steps were reduced before, or back to
//! the state itself; otherwise all steps are taken. On a cycle, the state that was decided last leads to one that was decided
//! before: if it was reduced, that one was not. (Condition C2cl of Lluch Lafuente 2003, "Simplified distributed model checking
//! by localizing cycles"; Bošnački, Leue, Lluch Lafuente 2006, where *closed* states are what is compared; here a closed state
//! with all its steps does no harm.)
//!
//! The decision is one about states of the system, not about states of its product with a claim: reduced graphs that are
//! different for different locations of the claim can lose errors (Siegel 2019, "What's wrong with on-the-fly partial order
//! reduction"). So this layer lies below the claim and remembers the states of the system, beside the search's own memory.
//!
//! Claims: every run of the system below has a run here that differs by repeated states only, as far as what the reduction
//! was told to preserve is concerned. The order in which states are expanded does not matter; nor do repeated expansions.
//!
//! Several threads: a state is decided when its reduced steps are known, and all decisions are made one after the other, under a
//! lock, by what was decided before. So what is said above of the state of a cycle that was decided last holds for them, too.
//! Who finds that another thread has decided about its state in the meantime does what that one has decided.
//!
//! Fails: for formulas with X, for fairness (who is postponed is not treated fairly).

use std::cell::{Cell, RefCell};
use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bughound_kernel::{
    Expansion, Explorer, Keep, Layer, LayerSteps, LeftOut, Lookup, OutOfMemory, Outcome, Part, State, StateId,
    StateStore, Step, TransitionSystem,
};

pub struct Reduced<'s> {
    system: &'s dyn TransitionSystem,
    decisions: Mutex<Decisions>,
}

/// What was decided about a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decision {
    None,
    Reduced,
    Whole,
}

struct Decisions {
    states: Box<dyn StateStore>,
    /// By number of the state.
    of: Vec<Decision>,
}

impl Decisions {
    fn number(&mut self, state: State<'_>) -> Result<StateId, OutOfMemory> {
        let mut displaced = Vec::new();
        let (Lookup::New(id) | Lookup::Known(id) | Lookup::Covered(id)) =
            self.states.insert(state, 0, &mut displaced)?;
        if self.of.len() <= id.index() {
            self.of.resize(id.index() + 1, Decision::None);
        }
        Ok(id)
    }

    /// Decides about a state whose reduced steps lead to these states, unless that was done before.
    fn decide(&mut self, id: StateId, met: Option<&[StateId]>) -> Decision {
        let is_reduced = |to: &StateId| *to == id || self.of[to.index()] == Decision::Reduced;
        let decision = match (self.of[id.index()], met) {
            (Decision::None, Some(met)) if !met.is_empty() && !met.iter().any(is_reduced) => Decision::Reduced,
            (Decision::None, _) => Decision::Whole,
            (decided, _) => decided,
        };
        self.of[id.index()] = decision;
        decision
    }
}

impl<'s> Reduced<'s> {
    /// `states`: an empty set for states of the system, which must not have covers, and must not confuse them.
    pub fn new(system: &'s dyn TransitionSystem, states: Box<dyn StateStore>) -> Self {
        Reduced { system, decisions: Mutex::new(Decisions { states, of: Vec::new() }) }
    }

    fn decisions(&self) -> MutexGuard<'_, Decisions> {
        self.decisions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Layer for Reduced<'_> {
    type Steps<'l>
        = ReducedSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        state
    }

    fn steps(&self) -> ReducedSteps<'_> {
        ReducedSteps { layer: self }
    }

    fn leaves_steps_out(&self) -> bool {
        true
    }

    fn own_memory(&self) -> u64 {
        let decisions = self.decisions();
        decisions.states.memory() + decisions.of.capacity() as u64
    }
}

pub struct ReducedSteps<'l> {
    layer: &'l Reduced<'l>,
}

impl LayerSteps for ReducedSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        below.initial(emit);
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let layer = self.layer;
        let (id, known) = {
            let mut decisions = layer.decisions();
            match decisions.number(from) {
                Ok(id) => (Some(id), decisions.of[id.index()]),
                // Where nothing more can be remembered, nothing more is left out.
                Err(OutOfMemory) => (None, Decision::Whole),
            }
        };
        // The states that its reduced steps lead to; nothing if one of them cannot be remembered.
        let (met, stopped) = (RefCell::new(Some(Vec::new())), Cell::new(false));
        let reduced = below.part(from, Part::Reduced(Keep::Runs), &mut |step| {
            if known == Decision::None
                && let Outcome::State(next) = step.outcome
            {
                let to = layer.decisions().number(next);
                let mut met = met.borrow_mut();
                match (&mut *met, to) {
                    (Some(met), Ok(to)) => met.push(to),
                    (met, _) => *met = None,
                }
            }
            let flow = emit(step);
            stopped.set(flow.is_break());
            flow
        });
        if stopped.get() || reduced.left_out == LeftOut::Nothing {
            if let Some(id) = id
                && !stopped.get()
                && !reduced.cut
            {
                layer.decisions().of[id.index()] = Decision::Whole;
            }
            return Expansion { left_out: LeftOut::Nothing, ..reduced };
        }
        let decision = id.map_or(Decision::Whole, |id| layer.decisions().decide(id, met.into_inner().as_deref()));
        if decision == Decision::Reduced {
            return Expansion { left_out: LeftOut::Safely, ..reduced };
        }
        let rest = below.part(from, Part::Rest, emit);
        Expansion {
            deadlock: reduced.deadlock,
            cut: reduced.cut || rest.cut,
            diverges: reduced.diverges || rest.diverges,
            left_out: LeftOut::Nothing,
        }
    }
}
