//! A system and all runs of a claim over it.
//!
//! In the product with a claim, a state has one location of the claim, and a cycle must come back to it. The model may have
//! come back earlier: a run of the claim may need several turns around the loop of the model before it repeats. Here a state
//! has the set of all locations at which the claim can be, and it is up to the search to tell whether some run of the claim
//! accepts a loop of the model (the readings of the states of the loop, one after the other, are a relation between
//! locations). So shortest lassos are those of the model.
//!
//! A key is the set of locations in words of 30 bits, followed by the key of the state.

use std::ops::ControlFlow;

use bughound_kernel::{
    AtomId, ClaimReader, ClaimRuns, Expansion, Explorer, Layer, LayerSteps, Layout, Locations, Outcome, Price, Region,
    Slot, State, Step, TransitionSystem,
};

const WORD_BITS: usize = 30;

pub struct AllRuns<'s> {
    system: &'s dyn TransitionSystem,
    claim: &'s dyn ClaimReader,
    words: usize,
    layout: Layout,
    /// A run that comes to rest stays where it is for ever.
    goes_on_at_rest: bool,
}

impl<'s> AllRuns<'s> {
    /// `None` if the claim has too many locations, or the system has clocks.
    pub fn new(system: &'s dyn TransitionSystem, claim: &'s dyn ClaimReader, goes_on_at_rest: bool) -> Option<Self> {
        let locations = claim.locations().filter(|_| system.layout().cover_len == 0)?;
        let words = locations.div_ceil(WORD_BITS);
        let mut slots: Vec<Slot> =
            (0..words).map(|word| Slot::new(0, (1 << (locations - word * WORD_BITS).min(WORD_BITS)) - 1)).collect();
        slots.extend_from_slice(&system.layout().slots);
        Some(AllRuns { system, claim, words, layout: Layout::new(slots), goes_on_at_rest })
    }

    /// The predicate of its states that some run of the claim is at its end.
    pub fn ended(&self) -> AtomId {
        self.atom(0)
    }

    /// What the claim reads of a state of the system below.
    fn bottom<'k>(&self, state: State<'k>) -> State<'k> {
        self.system.situation(state).state
    }

    fn write(&self, key: &mut Vec<i32>, locations: Locations, below: &[i32]) {
        key.clear();
        let word = |at: usize| (locations >> (at * WORD_BITS)) as i32 & ((1 << WORD_BITS) - 1);
        key.extend((0..self.words).map(word));
        key.extend_from_slice(below);
    }
}

impl ClaimRuns for AllRuns<'_> {
    fn claim(&self) -> &dyn ClaimReader {
        self.claim
    }

    fn locations_at(&self, state: State<'_>) -> Locations {
        let words = state.key[..self.words].iter().enumerate();
        words.fold(0, |all, (at, word)| all | (*word as Locations) << (at * WORD_BITS))
    }

    fn read_at<'k>(&self, state: State<'k>) -> State<'k> {
        self.bottom(self.project(state))
    }
}

/// What an accepting cycle must have is what the system below demands, besides what the claim does.
impl Layer for AllRuns<'_> {
    type Steps<'l>
        = RunsSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State::discrete(&state.key[self.words..])
    }

    fn steps(&self) -> RunsSteps<'_> {
        RunsSteps { layer: self, key: Vec::new(), next: Vec::new() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn own_atoms(&self) -> u32 {
        1
    }

    /// Cycles of the system below say nothing of where the claim's runs go.
    fn lies_in(&self, _state: State<'_>, _below: Region) -> Region {
        Region::WHOLE
    }

    fn follows_runs(&self) -> Option<&dyn ClaimRuns> {
        Some(self)
    }
}

pub struct RunsSteps<'l> {
    layer: &'l AllRuns<'l>,
    key: Vec<i32>,
    next: Vec<Locations>,
}

/// Where the runs of a claim are after it has read a state.
fn moved(from: Locations, next: &[Locations]) -> Locations {
    let places = next.iter().enumerate().filter(|(place, _)| from >> place & 1 == 1);
    places.fold(0, |all, (_, reached)| all | reached)
}

impl LayerSteps for RunsSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let (layer, key, next) = (self.layer, &mut self.key, &mut self.next);
        below.initial(&mut |state| {
            layer.claim.read(layer.bottom(state), next);
            let locations = moved(1 << layer.claim.start(), next);
            if locations != 0 {
                layer.write(key, locations, state.key);
                emit(State::discrete(key));
            }
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (layer, key, next) = (self.layer, &mut self.key, &mut self.next);
        let (locations, state) = (layer.locations_at(from), layer.project(from));
        let mut rests = layer.goes_on_at_rest;
        let expansion = below.successors(state, &mut |step| {
            let Outcome::State(state) = step.outcome else { return emit(step) };
            rests = false;
            layer.claim.read(layer.bottom(state), next);
            let locations = moved(locations, next);
            if locations == 0 {
                return ControlFlow::Continue(());
            }
            layer.write(key, locations, state.key);
            emit(&Step { outcome: Outcome::State(State::discrete(key)), ..*step })
        });
        let expansion = expansion.for_runs();
        if rests && !expansion.cut {
            layer.claim.read(layer.bottom(state), next);
            let locations = moved(locations, next);
            if locations != 0 {
                layer.write(key, locations, state.key);
                let (marks, outcome) = (layer.system.required(), Outcome::State(State::discrete(key)));
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
        }
        expansion
    }

    /// There is one.
    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        self.layer.locations_at(state) & self.layer.claim.ends() != 0
    }
}
