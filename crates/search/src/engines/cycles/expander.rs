//! Steps between numbered states, as one thread computes them.

use std::ops::ControlFlow;

use bughound_kernel::{
    Expansion, Explorer, LeftOut, Lookup, Marks, OutOfMemory, Outcome, State, StateBuf, StateId, StateStore,
    StopReason, StopSignal, TransitionSystem,
};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::space::Known;
use crate::engines::ending::Halt;
use crate::engines::meter::Meter;
use crate::goals::Goals;
use crate::result::Statistics;

pub(super) struct Expander<'t> {
    goals: &'t Goals,
    pub store: Box<dyn StateStore + 't>,
    pub explorer: Box<dyn Explorer + 't>,
    /// The explorer that emits a state is busy; errors are recognised by another one.
    probe: Box<dyn Explorer + 't>,
    /// New states that are errors by themselves.
    pub errors: Vec<StateId>,
    required: Marks,
    current: StateBuf,
}

/// Cycles are cycles of states: nothing may be dropped in favour of a larger one.
pub(super) fn number_of(lookup: Lookup) -> StateId {
    let (Lookup::New(id) | Lookup::Known(id) | Lookup::Covered(id)) = lookup;
    id
}

impl<'t> Expander<'t> {
    pub fn new(
        system: &'t dyn TransitionSystem,
        goals: &'t Goals,
        store: Box<dyn StateStore + 't>,
        signal: &StopSignal,
    ) -> Self {
        let mut explorer = system.explorer();
        explorer.heed(signal);
        let (probe, required) = (system.explorer(), system.required());
        Expander { goals, store, explorer, probe, errors: Vec::new(), required, current: StateBuf::default() }
    }

    /// The number of a state, which is stored.
    pub fn number(&mut self, state: State<'_>) -> Result<StateId, Halt> {
        number(&mut *self.store, &mut *self.probe, self.goals, &mut self.errors, state)
    }

    /// Appends the steps from a state. The states they lead to are stored. What belongs to the state is counted by who is the
    /// first to come to the end of its steps.
    pub fn expand(
        &mut self,
        id: StateId,
        known: &Known,
        meter: &mut impl Meter,
        stats: &mut Statistics,
        out: &mut Vec<Arc>,
    ) -> Result<Expansion, Halt> {
        self.store.read(id, &mut self.current);
        stats.expanded += 1;
        let (mut halt, mut own) = (None, Statistics::default());
        let (store, probe, goals, errors) = (&mut *self.store, &mut *self.probe, self.goals, &mut self.errors);
        let required = self.required;
        let expansion = self.explorer.successors(self.current.as_state(), &mut |step| {
            if let Some(reason) = meter.stopped() {
                halt = Some(Halt::Limit(reason));
                return ControlFlow::Break(());
            }
            meter.observe(step.moves);
            let state = match step.outcome {
                Outcome::State(state) => state,
                Outcome::Failure(failure) => {
                    own.count_failure(failure.kind);
                    return ControlFlow::Continue(());
                }
            };
            stats.generated += 1;
            own.transitions += 1;
            match number(store, probe, goals, errors, state) {
                // Checked at each new state, so that the limit is exact.
                Ok(_) if meter.exceeds_states(store.len() as u64) => halt = Some(Halt::Limit(StopReason::States)),
                Ok(to) => out.push(Arc { to, weight: step.weight, marks: step.marks & required }),
                Err(reason) => halt = Some(reason),
            }
            if halt.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if let Some(reason) = meter.stopped() {
            halt = Some(Halt::Limit(reason));
        }
        if let Some(halt) = halt {
            return Err(halt);
        }
        if known.expand(id)? {
            own.deadlocks = u64::from(expansion.deadlock);
            own.reduced = u64::from(expansion.left_out != LeftOut::Nothing);
            stats.add_worker(&own);
        }
        Ok(expansion)
    }
}

fn number(
    store: &mut dyn StateStore,
    probe: &mut dyn Explorer,
    goals: &Goals,
    errors: &mut Vec<StateId>,
    state: State<'_>,
) -> Result<StateId, Halt> {
    let lookup = store.insert(state, 0, &mut Vec::new()).map_err(|OutOfMemory| Halt::Limit(StopReason::Memory))?;
    if let Lookup::New(id) = lookup
        && goals.invariants.iter().any(|goal| probe.holds(goal.atom, state) != goal.expected)
    {
        errors.push(id);
    }
    Ok(number_of(lookup))
}
