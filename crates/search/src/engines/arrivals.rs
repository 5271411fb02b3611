//! States that were reached and not stored so far. The store learns of several at a time, so that it can look for all of them at once
//! instead of waiting for memory again and again.

use bughound_kernel::{Move, State, StateBuf};

#[derive(Default)]
pub(super) struct Arrivals {
    /// Used again and again; those that wait come first.
    waiting: Vec<Waiting>,
    count: usize,
}

#[derive(Default)]
pub(super) struct Waiting {
    pub state: StateBuf,
    pub cost: u64,
    pub moves: Vec<Move>,
}

impl Arrivals {
    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn push(&mut self, state: State<'_>, cost: u64, moves: &[Move]) {
        if self.count == self.waiting.len() {
            self.waiting.push(Waiting::default());
        }
        let waiting = &mut self.waiting[self.count];
        waiting.state.set(state);
        waiting.cost = cost;
        waiting.moves.clear();
        waiting.moves.extend_from_slice(moves);
        self.count += 1;
    }

    /// Those that wait. They are gone from here; give them [back](Self::give_back) afterwards.
    pub(super) fn take(&mut self) -> (Vec<Waiting>, usize) {
        (std::mem::take(&mut self.waiting), std::mem::take(&mut self.count))
    }

    pub(super) fn give_back(&mut self, waiting: Vec<Waiting>) {
        self.waiting = waiting;
    }
}
