//! Layers: systems on top of other systems.
//!
//! A layer adds something to the states or the steps of the system below: a counter, the location of a claim, marks. It says
//! what it adds, and how its states project to those below; what it does not change is forwarded here, once for all layers.
//! A layer is a [`TransitionSystem`] by that alone, and layers can lie on layers.

use std::ops::ControlFlow;

use crate::dependencies::Dependencies;
use crate::heuristic::{Heuristic, Projected, Situation};
use crate::layout::Layout;
use crate::limits::StopSignal;
use crate::marks::Marks;
use crate::state::State;
use crate::step::Step;
use crate::system::{AtomId, ClaimRuns, Expansion, Explorer, Parts, Region, TransitionSystem};

pub trait Layer: Sync {
    /// What an explorer of the layer does, with its working memory.
    type Steps<'l>: LayerSteps
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem;

    /// The state of the system below.
    fn project<'k>(&self, state: State<'k>) -> State<'k>;

    fn steps(&self) -> Self::Steps<'_>;

    /// Of its states, if they differ from those below. The cover must be that of the state below.
    fn own_layout(&self) -> Option<&Layout> {
        None
    }

    /// How many predicates it adds to those of the system below.
    fn own_atoms(&self) -> u32 {
        0
    }

    /// The number by which searches know one of its own predicates.
    fn atom(&self, own: u32) -> AtomId {
        AtomId(self.below().atoms() + own)
    }

    /// The marks of an accepting cycle, from those that the system below demands.
    fn demands(&self, below: Marks) -> Marks {
        below
    }

    /// Where a state lies with regard to accepting cycles, from where the state below does.
    fn lies_in(&self, _state: State<'_>, below: Region) -> Region {
        below
    }

    /// Does it note itself what is met ([`TransitionSystem::takes_notes`])?
    fn takes_own_notes(&self) -> bool {
        false
    }

    /// Does it leave steps out that the system below has?
    fn leaves_steps_out(&self) -> bool {
        false
    }

    /// Bytes used by what it remembers while it is explored.
    fn own_memory(&self) -> u64 {
        0
    }

    /// The location of the claim that the layer adds.
    fn claim_at(&self, _state: State<'_>) -> Option<i32> {
        None
    }

    /// A heuristic for its states, from one that was built for the system at the bottom.
    fn guide<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a>
    where
        Self: Sized,
    {
        Box::new(Projected { layer: self, heuristic })
    }

    /// For layers that follow all runs of a claim at once.
    fn follows_runs(&self) -> Option<&dyn ClaimRuns> {
        None
    }

    /// For layers that are told by what they are made of ([`TransitionSystem::parts`]).
    fn is_made_of(&self) -> Option<Parts<'_>> {
        None
    }
}

/// The steps of a layer, made from those of the system below, which has an explorer for it.
pub trait LayerSteps {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>));

    /// As [`Explorer::successors`].
    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion;

    /// One of the layer's own predicates, by its number among these.
    fn holds(&mut self, _own: u32, _state: State<'_>) -> bool {
        false
    }

    /// For layers that have explorers besides the one below.
    fn heed(&mut self, _signal: &StopSignal) {}
}

impl<L: Layer> TransitionSystem for L {
    fn layout(&self) -> &Layout {
        self.own_layout().unwrap_or_else(|| self.below().layout())
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let (below, steps, first_own) = (self.below().explorer(), self.steps(), self.below().atoms());
        Box::new(LayerExplorer { layer: self, below, steps, first_own })
    }

    fn atoms(&self) -> u32 {
        self.below().atoms() + self.own_atoms()
    }

    fn dependencies(&self) -> Result<Dependencies, &'static str> {
        Err("what is asked is about runs, not about states")
    }

    fn covers(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        self.below().covers(self.project(State::discrete(key)).key, large, small)
    }

    fn normalise_cover(&self, key: &[i32], cover: &mut [i32]) {
        self.below().normalise_cover(self.project(State::discrete(key)).key, cover);
    }

    /// What layers add comes from what is asked.
    fn fingerprint(&self) -> Option<u64> {
        self.below().fingerprint()
    }

    fn has_finite_normal_forms(&self) -> bool {
        self.below().has_finite_normal_forms()
    }

    fn merges_covers(&self) -> bool {
        self.below().merges_covers()
    }

    fn merge_covers(&self, cover: &mut [i32], other: &[i32]) {
        self.below().merge_covers(cover, other);
    }

    fn cover_size(&self, cover: &[i32]) -> u64 {
        self.below().cover_size(cover)
    }

    fn required(&self) -> Marks {
        self.demands(self.below().required())
    }

    fn region(&self, state: State<'_>) -> Region {
        self.lies_in(state, self.below().region(self.project(state)))
    }

    fn takes_all_steps(&self) -> bool {
        self.below().takes_all_steps() && !self.leaves_steps_out()
    }

    fn takes_notes(&self) -> bool {
        self.below().takes_notes() || self.takes_own_notes()
    }

    fn memory(&self) -> u64 {
        self.below().memory() + self.own_memory()
    }

    fn situation<'k>(&self, state: State<'k>) -> Situation<'k> {
        let below = self.below().situation(self.project(state));
        Situation { claim: self.claim_at(state).or(below.claim), ..below }
    }

    fn guided<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a> {
        self.guide(heuristic)
    }

    fn claim_runs(&self) -> Option<&dyn ClaimRuns> {
        self.follows_runs()
    }

    fn parts(&self) -> Option<Parts<'_>> {
        self.is_made_of()
    }
}

/// Nobody can ask for a part of its steps: which of those below are enough is for the layer to say, not for its user.
struct LayerExplorer<'l, L: Layer + 'l> {
    layer: &'l L,
    below: Box<dyn Explorer + 'l>,
    steps: L::Steps<'l>,
    /// Predicates with smaller numbers are those of the system below.
    first_own: u32,
}

impl<L: Layer> Explorer for LayerExplorer<'_, L> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        self.steps.initial(&mut *self.below, emit);
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        self.steps.successors(&mut *self.below, from, emit)
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        match atom.0.checked_sub(self.first_own) {
            Some(own) => self.steps.holds(own, state),
            None => self.below.holds(atom, self.layer.project(state)),
        }
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.below.heed(signal);
        self.steps.heed(signal);
    }
}
