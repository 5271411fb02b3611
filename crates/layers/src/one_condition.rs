//! Several conditions on infinite runs as one.
//!
//! A counter waits for one condition after the other; a step that fulfils several moves it on by several. When all have had
//! their turn, the state is accepting and the counter starts again (Choueka 1974; Emerson, Sistla 1984: the reduction of
//! generalised Büchi automata). A key is the counter, followed by the key of the state. Each state of the system below
//! appears up to once for each value of the counter.

use std::ops::ControlFlow;

use bughound_kernel::{
    Expansion, Explorer, Layer, LayerSteps, Layout, Marks, Outcome, Slot, State, StateBuf, Step, TransitionSystem,
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
}

/// A cycle of this layer is one of the system below, perhaps taken several times: the regions are the same.
impl Layer for OneCondition<'_> {
    type Steps<'l>
        = CountingSteps<'l>
    where
        Self: 'l;

    fn below(&self) -> &dyn TransitionSystem {
        self.system
    }

    fn project<'k>(&self, state: State<'k>) -> State<'k> {
        State { key: &state.key[1..], ..state }
    }

    fn steps(&self) -> CountingSteps<'_> {
        CountingSteps { layer: self, state: StateBuf::default() }
    }

    fn own_layout(&self) -> Option<&Layout> {
        Some(&self.layout)
    }

    fn demands(&self, _below: Marks) -> Marks {
        Marks::ACCEPT
    }
}

pub struct CountingSteps<'l> {
    layer: &'l OneCondition<'l>,
    state: StateBuf,
}

fn join(buffer: &mut StateBuf, counter: usize, state: State<'_>) {
    buffer.key.clear();
    buffer.key.push(counter as i32);
    buffer.key.extend_from_slice(state.key);
    buffer.cover.clear();
    buffer.cover.extend_from_slice(state.cover);
}

impl LayerSteps for CountingSteps<'_> {
    fn initial(&mut self, below: &mut dyn Explorer, emit: &mut dyn FnMut(State<'_>)) {
        let buffer = &mut self.state;
        below.initial(&mut |state| {
            join(buffer, 0, state);
            emit(buffer.as_state());
        });
    }

    fn successors(
        &mut self,
        below: &mut dyn Explorer,
        from: State<'_>,
        emit: &mut dyn FnMut(&Step<'_>) -> ControlFlow<()>,
    ) -> Expansion {
        let (conditions, buffer) = (&self.layer.conditions, &mut self.state);
        let accepting = from.key[0] as usize == conditions.len();
        let marks = if accepting { Marks::ACCEPT } else { Marks::NONE };
        let waiting = if accepting { 0 } else { from.key[0] as usize };
        below.successors(self.layer.project(from), &mut |step| {
            let Outcome::State(next) = step.outcome else { return emit(step) };
            let fulfilled = conditions[waiting..].iter().take_while(|condition| step.marks.include(**condition));
            join(buffer, waiting + fulfilled.count(), next);
            emit(&Step { marks, outcome: Outcome::State(buffer.as_state()), ..*step })
        })
    }
}
