//! Liveness as safety: a lasso is a path to a state that was there before.
//!
//! At some point of a run the layer records the state, once, by a guess. From then on it collects the marks of the steps.
//! When the run comes back to the recorded state with all marks that an accepting cycle needs, the lasso is closed, and
//! that is a predicate of states ([`Recording::closed`]). A shortest path to such a state is a lasso with the fewest steps, stem
//! and loop together (Biere, Artho, Schuppan 2002, "Liveness checking as safety checking"; Schuppan, Biere 2004,
//! "Efficient reduction of finite state model checking to reachability analysis").
//!
//! Recording happens together with the step that leaves the state: it costs nothing. No cycle leaves a region of the
//! claim, so runs that do are given up, and states through which no accepting cycle goes are not recorded.
//!
//! A key is: 0, no marks and the key of the state; or 1, the marks so far, the key of the state (filled up), its length
//! and the recorded key. There are up to the square of the number of states below.

use std::ops::ControlFlow;

use bughound_kernel::{
    AtomId, Cycles, Expansion, Explorer, Heuristic, Layer, LayerSteps, Layout, Marks, Move, Outcome, Region, Slot,
    State, Step, TransitionSystem,
};

use crate::way_back::WayBack;

/// Marks are kept in words of so many bits.
const WORD_BITS: usize = 30;

pub struct Recording<'s> {
    system: &'s dyn TransitionSystem,
    layout: Layout,
    required: Vec<Marks>,
    all: Marks,
    /// Words for the marks.
    words: usize,
}

impl<'s> Recording<'s> {
    /// `None` for systems with clocks: that a zone comes back does not mean that a run does.
    pub fn new(system: &'s dyn TransitionSystem) -> Option<Self> {
        let below = system.layout();
        if below.cover_len > 0 {
            return None;
        }
        let all = system.required();
        let required: Vec<Marks> = all.iter().collect();
        let words = required.len().div_ceil(WORD_BITS);
        let mut slots = vec![Slot::new(0, 1)];
        slots.extend((0..words).map(|word| {
            let bits = (required.len() - word * WORD_BITS).min(WORD_BITS);
            Slot::new(0, (1 << bits) - 1)
        }));
        slots.extend_from_slice(&below.slots);
        slots.push(Slot::new(0, below.slots.len() as i32));
        slots.extend_from_slice(&below.slots);
        Some(Recording { system, layout: Layout::new(slots), required, all, words })
    }

    /// The predicate that the run has come back to the recorded state, with all marks.
    pub fn closed(&self) -> AtomId {
        self.atom(0)
    }

    /// What was recorded, if something was.
    pub fn recorded<'k>(&self, state: State<'k>) -> Option<State<'k>> {
        (state.key[0] != 0).then(|| State::discrete(self.parts(state.key).1))
    }

    /// The marks collected since.
    pub fn marks(&self, state: State<'_>) -> Marks {
        if state.key[0] == 0 {
            return Marks::NONE;
        }
        let word = |condition: usize| state.key[1 + condition / WORD_BITS] >> (condition % WORD_BITS) & 1;
        let carried = self.required.iter().enumerate().filter(|(at, _)| word(*at) != 0);
        carried.fold(Marks::NONE, |all, (_, mark)| all | *mark)
    }

    fn parts<'k>(&self, key: &'k [i32]) -> (&'k [i32], &'k [i32]) {
        let states = &key[1 + self.words..];
        if key[0] == 0 {
            return (states, &[]);
        }
        let (current, behind) = states.split_at(self.system.layout().slots.len());
        (&current[..behind[0] as usize], &behind[1..])
    }

    fn write(&self, key: &mut Vec<i32>, marks: Marks, current: &[i32], recorded: Option<&[i32]>) {
        key.clear();
        key.push(recorded.is_some().into());
        key.resize(1 + self.words, 0);
        let Some(recorded) = recorded else {
            key.extend_from_slice(current);
            return;
        };
        for (at, mark) in self.required.iter().enumerate() {
            if marks.include(*mark) {
                key[1 + at / WORD_BITS] |= 1 << (at % WORD_BITS);
            }
        }
        key.extend_from_slice(current);
        let filling = &self.system.layout().slots[current.len()..];
        key.extend(filling.iter().map(|slot| slot.lo));
        key.push(current.len() as i32);
        key.extend_from_slice(recorded);
    }

    fn is_closed(&self, state: State<'_>) -> bool {
        let (current, recorded) = self.parts(state.key);
        state.key[0] != 0 && current == recorded && self.marks(state).include(self.all)
    }

    /// Where the loop of a path to a closed lasso begins: the number of macro steps before it. `None` if the path is none.
    pub fn loop_start(&self, path: &[Vec<Move>]) -> Option<usize> {
        // Claims may have several moves for one step of the system, so all ways to take these moves are followed.
        let mut explorer = self.explorer();
        let mut layers: Vec<Vec<(Vec<i32>, usize)>> = vec![Vec::new()];
        explorer.initial(&mut |state| layers[0].push((state.key.to_vec(), 0)));
        for moves in path {
            let mut next: Vec<(Vec<i32>, usize)> = Vec::new();
            for (at, (key, _)) in layers.last()?.iter().enumerate() {
                explorer.successors(State::discrete(key), &mut |step| {
                    if let Outcome::State(state) = step.outcome
                        && step.moves == *moves
                        && !next.iter().any(|(known, _)| known == state.key)
                    {
                        next.push((state.key.to_vec(), at));
                    }
                    ControlFlow::Continue(())
                });
            }
            layers.push(next);
        }
        let mut at = layers.last()?.iter().position(|(key, _)| self.is_closed(State::discrete(key)))?;
        for (steps, layer) in layers.iter().enumerate().rev() {
            let (key, parent) = &layer[at];
            if key[0] == 0 {
                return Some(steps);
            }
            at = *parent;
        }
        None
    }
}

impl Layer for Recording<'_> {
    type Steps<'l>
        = RecordingSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State::discrete(self.parts(state.key).0)
    }

    fn steps(&self) -> RecordingSteps<'_> {
        RecordingSteps { layer: self, key: Vec::new() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn own_atoms(&self) -> u32 {
        1
    }

    /// Cycles have become paths to states: there is nothing to be looked for on cycles of this layer.
    fn demands(&self, _below: Marks) -> Marks {
        Marks::NONE
    }

    fn lies_in(&self, _state: State<'_>, _below: Region) -> Region {
        Region::WHOLE
    }

    fn guide<'a>(&'a self, heuristic: Box<dyn Heuristic + 'a>) -> Box<dyn Heuristic + 'a> {
        Box::new(WayBack { layer: self, heuristic })
    }
}

pub struct RecordingSteps<'l> {
    layer: &'l Recording<'l>,
    key: Vec<i32>,
}

impl LayerSteps for RecordingSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let (layer, key) = (self.layer, &mut self.key);
        below.initial(&mut |state| {
            layer.write(key, Marks::NONE, state.key, None);
            emit(State::discrete(key));
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (layer, key) = (self.layer, &mut self.key);
        if layer.is_closed(from) {
            return Expansion::default();
        }
        let (current, recorded) = layer.parts(from.key);
        let recorded = (from.key[0] != 0).then_some(recorded);
        let region = layer.system.region(State::discrete(current));
        let marks = layer.marks(from);
        below.successors(State::discrete(current), &mut |step| {
            let Outcome::State(next) = step.outcome else {
                return if recorded.is_none() { emit(step) } else { ControlFlow::Continue(()) };
            };
            let mut go_on = |marks, recorded| {
                layer.write(key, marks, next.key, recorded);
                emit(&Step { marks: Marks::NONE, outcome: Outcome::State(State::discrete(key)), ..*step })
            };
            if recorded.is_none() {
                go_on(Marks::NONE, None)?;
                if region.cycles == Cycles::None {
                    return ControlFlow::Continue(());
                }
            }
            if layer.system.region(next).number == region.number {
                go_on(marks | step.marks & layer.all, Some(recorded.unwrap_or(current)))?;
            }
            ControlFlow::Continue(())
        })
    }

    /// There is one.
    fn holds(&mut self, _own: u32, state: State<'_>) -> bool {
        self.layer.is_closed(state)
    }
}
