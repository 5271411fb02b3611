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
    AtomId, ClaimReader, ClaimRuns, Expansion, Explorer, Layout, Locations, Marks, Outcome, Slot, State, Step,
    StopSignal, TransitionSystem,
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
    /// The predicate `ended` of its states: some run of the claim is at its end.
    pub const ENDED: AtomId = AtomId(0);

    /// `None` if the claim has too many locations, or the system has clocks.
    pub fn new(system: &'s dyn TransitionSystem, claim: &'s dyn ClaimReader, goes_on_at_rest: bool) -> Option<Self> {
        let locations = claim.locations().filter(|_| system.layout().cover_len == 0)?;
        let words = locations.div_ceil(WORD_BITS);
        let mut slots: Vec<Slot> =
            (0..words).map(|word| Slot::new(0, (1 << (locations - word * WORD_BITS).min(WORD_BITS)) - 1)).collect();
        slots.extend_from_slice(&system.layout().slots);
        Some(AllRuns { system, claim, words, layout: Layout::new(slots), goes_on_at_rest })
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

    fn below<'k>(&self, state: State<'k>) -> State<'k> {
        State::discrete(&state.key[self.words..])
    }
}

impl TransitionSystem for AllRuns<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let (key, next) = (Vec::new(), Vec::new());
        Box::new(RunsExplorer { layer: self, system: self.system.explorer(), key, next })
    }

    /// Besides what the claim demands.
    fn required(&self) -> Marks {
        self.system.required()
    }

    fn claim_runs(&self) -> Option<&dyn ClaimRuns> {
        Some(self)
    }
}

struct RunsExplorer<'l> {
    layer: &'l AllRuns<'l>,
    system: Box<dyn Explorer + 'l>,
    key: Vec<i32>,
    next: Vec<Locations>,
}

/// Where the runs of a claim are after it has read a state.
fn moved(from: Locations, next: &[Locations]) -> Locations {
    let places = next.iter().enumerate().filter(|(place, _)| from >> place & 1 == 1);
    places.fold(0, |all, (_, reached)| all | reached)
}

impl Explorer for RunsExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let (layer, key, next) = (self.layer, &mut self.key, &mut self.next);
        self.system.initial(&mut |state| {
            layer.claim.read(state, next);
            let locations = moved(1 << layer.claim.start(), next);
            if locations != 0 {
                layer.write(key, locations, state.key);
                emit(State::discrete(key));
            }
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let (layer, key, next) = (self.layer, &mut self.key, &mut self.next);
        let (locations, below) = (layer.locations_at(from), layer.below(from));
        let mut rests = layer.goes_on_at_rest;
        let expansion = self.system.successors(below, &mut |step| {
            let Outcome::State(state) = step.outcome else { return emit(step) };
            rests = false;
            layer.claim.read(state, next);
            let locations = moved(locations, next);
            if locations == 0 {
                return ControlFlow::Continue(());
            }
            layer.write(key, locations, state.key);
            emit(&Step { outcome: Outcome::State(State::discrete(key)), ..*step })
        });
        let expansion = expansion.for_runs();
        if rests && !expansion.cut {
            layer.claim.read(below, next);
            let locations = moved(locations, next);
            if locations != 0 {
                layer.write(key, locations, below.key);
                let (marks, outcome) = (layer.system.required(), Outcome::State(State::discrete(key)));
                let _ = emit(&Step { moves: &[], choice: 0, probability: 1.0, weight: 0, marks, outcome });
            }
        }
        expansion
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        debug_assert_eq!(atom, AllRuns::ENDED);
        self.layer.locations_at(state) & self.layer.claim.ends() != 0
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.system.heed(signal);
    }
}
