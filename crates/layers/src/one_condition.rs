//! Several conditions on infinite runs as one.
//!
//! A counter waits for one condition after the other; a step that fulfils several moves it on by several. When all have had
//! their turn, the state is accepting and the counter starts again (Choueka 1974; Emerson, Sistla 1984: the reduction of
//! generalised Büchi automata). A key is the counter, followed by the key of the state. Each state of the system below
//! appears up to once for each value of the counter.

use std::ops::ControlFlow;

use bughound_kernel::{
    AtomId, Expansion, Explorer, Layout, Marks, Outcome, Region, Slot, State, StateBuf, Step, StopSignal,
    TransitionSystem,
};

pub struct OneCondition<'s> {
    system: &'s dyn TransitionSystem,
    /// In the order of their turns.
    conditions: Vec<Marks>,
    layout: Layout,
}

impl<'s> OneCondition<'s> {
    pub fn new(system: &'s dyn TransitionSystem) -> Self {
        let conditions: Vec<Marks> = system.required().iter().collect();
        let mut slots = vec![Slot::new(0, conditions.len() as i32)];
        slots.extend_from_slice(&system.layout().slots);
        let layout = Layout { cover_len: system.layout().cover_len, ..Layout::new(slots) };
        OneCondition { system, conditions, layout }
    }

    /// The state of the system below.
    pub fn inner<'k>(state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], cover: state.cover }
    }
}

impl TransitionSystem for OneCondition<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn explorer(&self) -> Box<dyn Explorer + '_> {
        let conditions = &self.conditions;
        Box::new(CountingExplorer { conditions, system: self.system.explorer(), state: StateBuf::default() })
    }

    fn covers(&self, key: &[i32], large: &[i32], small: &[i32]) -> bool {
        self.system.covers(&key[1..], large, small)
    }

    fn normalise_cover(&self, key: &[i32], cover: &mut [i32]) {
        self.system.normalise_cover(&key[1..], cover);
    }

    fn merges_covers(&self) -> bool {
        self.system.merges_covers()
    }

    fn merge_covers(&self, cover: &mut [i32], other: &[i32]) {
        self.system.merge_covers(cover, other);
    }

    fn cover_size(&self, cover: &[i32]) -> u64 {
        self.system.cover_size(cover)
    }

    fn required(&self) -> Marks {
        Marks::ACCEPT
    }

    fn takes_all_steps(&self) -> bool {
        self.system.takes_all_steps()
    }

    fn memory(&self) -> u64 {
        self.system.memory()
    }

    /// A cycle of this layer is one of the system below, perhaps taken several times.
    fn region(&self, state: State<'_>) -> Region {
        self.system.region(Self::inner(state))
    }
}

struct CountingExplorer<'s> {
    conditions: &'s [Marks],
    system: Box<dyn Explorer + 's>,
    state: StateBuf,
}

fn join(buffer: &mut StateBuf, counter: usize, state: State<'_>) {
    buffer.key.clear();
    buffer.key.push(counter as i32);
    buffer.key.extend_from_slice(state.key);
    buffer.cover.clear();
    buffer.cover.extend_from_slice(state.cover);
}

impl Explorer for CountingExplorer<'_> {
    fn initial(&mut self, emit: &mut dyn FnMut(State<'_>)) {
        let buffer = &mut self.state;
        self.system.initial(&mut |state| {
            join(buffer, 0, state);
            emit(buffer.as_state());
        });
    }

    fn successors(&mut self, from: State<'_>, emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>) -> Expansion {
        let (conditions, buffer) = (self.conditions, &mut self.state);
        let accepting = from.key[0] as usize == conditions.len();
        let marks = if accepting { Marks::ACCEPT } else { Marks::NONE };
        let waiting = if accepting { 0 } else { from.key[0] as usize };
        self.system.successors(OneCondition::inner(from), &mut |step| {
            let Outcome::State(next) = step.outcome else { return emit(step) };
            let fulfilled = conditions[waiting..].iter().take_while(|condition| step.marks.include(**condition));
            join(buffer, waiting + fulfilled.count(), next);
            emit(&Step { marks, outcome: Outcome::State(buffer.as_state()), ..*step })
        })
    }

    fn holds(&mut self, atom: AtomId, state: State<'_>) -> bool {
        self.system.holds(atom, OneCondition::inner(state))
    }

    fn heed(&mut self, signal: &StopSignal) {
        self.system.heed(signal);
    }
}
