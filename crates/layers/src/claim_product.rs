//! The product of a system with a claim.
//!
//! The claim ([`ClaimReader`]) makes one move at every state of a run, the first at the initial state. Where it cannot
//! move, the run is of no interest; where it is at its end, the run so far is a violation. An infinite run is one if the
//! claim visits its accepting locations again and again: steps from there are marked ([`Marks::ACCEPT`]). In a state in
//! which the system below has come to rest the claim goes on moving: the run is taken to stay there for ever.
//!
//! The system below can be any: one with marks for fairness, one without steps that need not be taken, one with zones.
//! The claim reads the state at the bottom of all layers, and covers stay what they are. A key is the claim's location,
//! after its move at the state, followed by the key of the state.

use std::ops::ControlFlow;

use bughound_kernel::{
    AtomId, ClaimReader, Cycles, Expansion, Explorer, Layer, LayerSteps, Layout, Marks, Outcome, Parts, Price, Region,
    Slot, State, StateBuf, Step, TransitionSystem, Watcher,
};

/// A system watched by a claim.
pub struct ClaimProduct<'s> {
    system: &'s dyn TransitionSystem,
    claim: &'s dyn ClaimReader,
    layout: Layout,
    /// What is known of the cycles through the locations.
    regions: Vec<Region>,
    goes_on_at_rest: bool,
}

impl<'s> ClaimProduct<'s> {
    pub fn new(system: &'s dyn TransitionSystem, claim: &'s dyn ClaimReader) -> Self {
        let first = claim.first_location();
        let mut slots = vec![Slot::new(first, first + claim.places().saturating_sub(1) as i32)];
        slots.extend_from_slice(&system.layout().slots);
        let layout = Layout { cover_len: system.layout().cover_len, ..Layout::new(slots) };
        ClaimProduct { system, claim, layout, regions: Vec::new(), goes_on_at_rest: true }
    }

    /// Tells where accepting cycles are possible, by location of the claim in the order of its template.
    pub fn with_regions(self, regions: Vec<Region>) -> Self {
        ClaimProduct { regions, ..self }
    }

    /// Runs that come to rest are finite and of no interest.
    pub fn without_runs_at_rest(self) -> Self {
        ClaimProduct { goes_on_at_rest: false, ..self }
    }

    /// The predicate that the claim has got to its end, or was ended by an error in it.
    pub fn violated(&self) -> AtomId {
        self.atom(0)
    }

    /// Where the claim is in a state of the product.
    fn place(&self, state: State<'_>) -> usize {
        (state.key[0] - self.claim.first_location()) as usize
    }

    /// Calls `found` with the states of the product that the claim can make of a state of the system.
    fn join(
        &self,
        buffer: &mut StateBuf,
        from: usize,
        state: State<'_>,
        found: &mut dyn FnMut(State<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.claim.moves(from, self.system.situation(state).state, &mut |to| {
            self.write(buffer, to, state);
            found(buffer.as_state())
        })
    }

    fn write(&self, buffer: &mut StateBuf, place: usize, state: State<'_>) {
        buffer.key.clear();
        buffer.key.push(self.claim.first_location() + place as i32);
        buffer.key.extend_from_slice(state.key);
        buffer.cover.clear();
        buffer.cover.extend_from_slice(state.cover);
    }
}

impl Layer for ClaimProduct<'_> {
    type Steps<'l>
        = ProductSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> ProductSteps<'_> {
        ProductSteps { product: self, state: StateBuf::default() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn own_atoms(&self) -> u32 {
        1
    }

    fn claim_at(&self, state: State<'_>) -> Option<i32> {
        Some(state.key[0])
    }

    fn demands(&self, below: Marks) -> Marks {
        Marks::ACCEPT | below
    }

    fn is_made_of(&self) -> Option<Parts<'_>> {
        let below = Parts { system: self.system, fair: Marks::NONE, watch: None };
        let below = self.system.parts().unwrap_or(below);
        // A claim that watches a claim is put together by nobody.
        let watch = Watcher { claim: self.claim, goes_on_at_rest: self.goes_on_at_rest };
        below.watch.is_none().then_some(Parts { watch: Some(watch), ..below })
    }

    fn lies_in(&self, state: State<'_>, _below: Region) -> Region {
        let region = self.regions.get(self.place(state)).copied().unwrap_or(Region::WHOLE);
        match region.cycles {
            // The claim accepts all cycles; the marks of the steps may be missing on some.
            Cycles::All if !self.system.required().is_empty() => Region { cycles: Cycles::Some, ..region },
            _ => region,
        }
    }
}

pub struct ProductSteps<'p> {
    product: &'p ClaimProduct<'p>,
    state: StateBuf,
}

impl LayerSteps for ProductSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let (product, buffer) = (self.product, &mut self.state);
        let start = product.claim.start();
        below.initial(&mut |state| {
            if product.claim.is_end(start) {
                // A claim that is at its end before it has seen anything: every run is a violation.
                product.write(buffer, start, state);
                emit(buffer.as_state());
            }
            let _ = product.join(buffer, start, state, &mut |joined| {
                emit(joined);
                ControlFlow::Continue(())
            });
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (product, buffer) = (self.product, &mut self.state);
        let (place, state) = (product.place(from), product.project(from));
        if product.claim.is_end(place) {
            return Expansion::default();
        }
        let mark = if product.claim.is_accepting(place) { Marks::ACCEPT } else { Marks::NONE };
        let (mut moved, mut stopped) = (false, false);
        let expansion = below.successors(state, &mut |step| {
            let Outcome::State(next) = step.outcome else {
                let flow = emit(step);
                stopped = flow.is_break();
                return flow;
            };
            moved = true;
            product.join(buffer, place, next, &mut |joined| {
                emit(&Step { marks: step.marks | mark, outcome: Outcome::State(joined), ..*step })
            })
        });
        let expansion = expansion.for_runs();
        if !moved && !stopped && !expansion.cut && product.goes_on_at_rest {
            // Nobody can move, so nobody is treated unfairly.
            let marks = product.system.required() | mark;
            let _ = product.join(buffer, place, state, &mut |joined| {
                let outcome = Outcome::State(joined);
                emit(&Step {
                    moves: &[],
                    choice: 0,
                    probability: 1.0,
                    weight: 0,
                    price: Price::NONE,
                    marks,
                    outcome,
                    changes: None,
                })
            });
        }
        expansion
    }

    /// There is one.
    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        self.product.claim.is_end(self.product.place(state))
    }
}
