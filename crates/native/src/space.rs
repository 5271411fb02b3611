//! A model written in Rust as searches see it: a state is the number under which the typed state is kept.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use bughound_kernel::{
    ApproximateSet, AtomId, Expansion, Explorer, Layout, Marks, Move, OutOfMemory, Outcome, Price, Slot, State,
    StateStore, Step, StopReason, StopSignal, StoreSource, TransitionSystem,
};
use bughound_store::{Batch, BitSet, Interner};

use crate::model::RustModel;
use crate::property::Property;
use crate::store::NumberStore;

/// The states of a model, as far as they were met.
pub(crate) struct Space<'m, M: RustModel> {
    pub model: &'m M,
    pub properties: &'m [Property<M>],
    states: Interner<M::State>,
    initial: Vec<u32>,
    layout: Layout,
    budget: u64,
    /// Ends the search where there is no room for another state: an explorer has no other way to say so.
    stop: StopSignal,
    is_full: AtomicBool,
}

impl<'m, M: RustModel> Space<'m, M> {
    pub fn new(
        model: &'m M,
        properties: &'m [Property<M>],
        budget: Option<u64>,
        stop: StopSignal,
    ) -> Result<Self, OutOfMemory> {
        let budget = budget.unwrap_or(u64::MAX);
        let mut space = Space {
            model,
            properties,
            states: Interner::new().with_budget(budget),
            initial: Vec::new(),
            layout: Layout::new(vec![Slot::new(0, i32::MAX)]),
            budget,
            stop,
            is_full: AtomicBool::new(false),
        };
        for state in model.initial_states() {
            let number = space.states.intern(state, |state| model.held_bytes(state))?;
            space.initial.push(number);
        }
        Ok(space)
    }

    pub fn has_initial_states(&self) -> bool {
        !self.initial.is_empty()
    }

    /// Was there no room for a state?
    pub fn is_full(&self) -> bool {
        self.is_full.load(Ordering::Relaxed)
    }

    /// The typed state of a state.
    #[inline]
    pub fn read(&self, state: State<'_>) -> &M::State {
        self.states.get(state.slot(0) as u32)
    }

    /// Bytes used by the typed states.
    pub fn memory(&self) -> u64 {
        self.states.memory()
    }
}

impl<M: RustModel> TransitionSystem for Space<'_, M> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        Box::new(Walker { space: self, actions: Vec::new(), taken: Vec::new(), next: Batch::default(), signal: None })
    }

    fn atoms(&self) -> u32 {
        self.properties.len() as u32
    }

    fn takes_notes(&self) -> bool {
        true
    }
}

impl<M: RustModel> StoreSource for Space<'_, M> {
    fn new_store(&self) -> Box<dyn StateStore + '_> {
        Box::new(NumberStore::new(self))
    }

    fn new_bit_set(&self, bits: u64, functions: u32, seed: u64) -> Result<Box<dyn ApproximateSet + '_>, OutOfMemory> {
        if bits / 8 > self.budget {
            return Err(OutOfMemory);
        }
        Ok(Box::new(BitSet::new(&self.layout, bits, functions, seed)?))
    }
}

struct Walker<'s, M: RustModel> {
    space: &'s Space<'s, M>,
    actions: Vec<M::Action>,
    /// Places of the actions that are possible, and the states that they lead to.
    taken: Vec<u32>,
    next: Batch<M::State>,
    signal: Option<StopSignal>,
}

impl<M: RustModel> Walker<'_, M> {
    fn is_told_to_stop(&self) -> bool {
        self.signal.as_ref().is_some_and(StopSignal::is_raised)
    }
}

impl<M: RustModel> Explorer for Walker<'_, M> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        for &number in &self.space.initial {
            emit(State::discrete(&[number as i32]));
        }
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let space = self.space;
        let (model, state) = (space.model, space.read(from));
        self.actions.clear();
        self.taken.clear();
        self.next.clear();
        model.actions(state, &mut self.actions);
        for (edge, action) in self.actions.iter().enumerate() {
            if let Some(next) = model.next_state(state, action) {
                self.taken.push(edge as u32);
                self.next.push(next);
            }
        }
        let deadlock = self.taken.is_empty() && !model.may_end(state);
        let mut expansion = Expansion { deadlock, ..Expansion::default() };
        if space.states.intern_all(&mut self.next, |state| model.held_bytes(state)).is_err() {
            space.is_full.store(true, Ordering::Relaxed);
            space.stop.raise(StopReason::Memory);
            expansion.cut = true;
        }
        for (&edge, &number) in self.taken.iter().zip(self.next.numbers()) {
            let action = &self.actions[edge as usize];
            let key = [number as i32];
            let step = Step {
                moves: &[Move { process: model.actor(state, action), edge, destination: 0, joins: false }],
                choice: 0,
                probability: 1.0,
                weight: model.cost(state, action),
                price: Price::NONE,
                marks: Marks::NONE,
                outcome: Outcome::State(State::discrete(&key)),
                changes: None,
            };
            if emit(&step).is_break() || self.is_told_to_stop() {
                expansion.cut = true;
                break;
            }
        }
        expansion
    }

    /// Atoms are the properties, by their places in the list.
    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        let space = self.space;
        space.properties[atom.0 as usize].holds_in(space.model, space.read(state))
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.signal = Some(signal.clone());
    }
}
