//! The path of a depth-first search and the alternatives beside it, in three flat buffers.

use bughound_kernel::{Move, OutOfMemory};

use crate::engines::depth_first::visited::Kept;

/// A successor that waits to be entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub state: Kept,
    pub cost: u64,
    pub estimate: u32,
    /// How many moves lead to it, and where they are.
    moves: u32,
    first_move: usize,
}

/// A state on the path. What lies behind the marks belongs to its successors and goes when the frame goes.
#[derive(Clone, Copy, Debug)]
struct Frame {
    entered: Candidate,
    candidates: usize,
    moves: usize,
    kept: usize,
}

#[derive(Debug, Default)]
pub(super) struct PathStack {
    frames: Vec<Frame>,
    candidates: Vec<Candidate>,
    moves: Vec<Move>,
}

impl PathStack {
    /// Adds a successor of the last state of the path, or an initial state if there is none.
    pub(super) fn push(&mut self, state: Kept, cost: u64, estimate: u32, moves: &[Move]) -> Result<(), OutOfMemory> {
        self.candidates.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.moves.try_reserve(moves.len()).map_err(|_| OutOfMemory)?;
        let first_move = self.moves.len();
        self.candidates.push(Candidate { state, cost, estimate, moves: moves.len() as u32, first_move });
        self.moves.extend_from_slice(moves);
        Ok(())
    }

    /// All successors are there: they will be taken in their order, or by their estimates.
    pub(super) fn arrange(&mut self, by_estimate: bool) {
        let first = self.first_candidate();
        let successors = &mut self.candidates[first..];
        // They are taken from the end.
        successors.reverse();
        if by_estimate {
            successors.sort_by_key(|candidate| std::cmp::Reverse(candidate.estimate));
        }
    }

    /// The next successor of the last state of the path; `None` if it is done.
    pub(super) fn next(&mut self) -> Option<Candidate> {
        if self.candidates.len() > self.first_candidate() { self.candidates.pop() } else { None }
    }

    /// A successor goes onto the path. `kept`: what is to be released when it leaves.
    pub(super) fn enter(&mut self, candidate: Candidate, kept: usize) -> Result<(), OutOfMemory> {
        self.frames.try_reserve(1).map_err(|_| OutOfMemory)?;
        let (candidates, moves) = (self.candidates.len(), self.moves.len());
        self.frames.push(Frame { entered: candidate, candidates, moves, kept });
        Ok(())
    }

    /// The last state leaves the path; returns what is to be released. `None`: the path is empty.
    pub(super) fn leave(&mut self) -> Option<usize> {
        let frame = self.frames.pop()?;
        self.candidates.truncate(frame.candidates);
        self.moves.truncate(frame.moves);
        Some(frame.kept)
    }

    fn first_candidate(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.candidates)
    }

    /// The first state of the path.
    pub(super) fn start(&self) -> Option<Kept> {
        self.frames.first().map(|frame| frame.entered.state)
    }

    /// The moves of each step of the path.
    pub(super) fn steps(&self) -> impl Iterator<Item = &[Move]> {
        self.frames.iter().skip(1).map(|frame| {
            let Candidate { first_move, moves, .. } = frame.entered;
            &self.moves[first_move..first_move + moves as usize]
        })
    }

    /// Successors that wait, at all depths.
    pub(super) fn waiting(&self) -> usize {
        self.candidates.len()
    }

    pub(super) fn memory(&self) -> u64 {
        let frames = self.frames.capacity() * size_of::<Frame>();
        let candidates = self.candidates.capacity() * size_of::<Candidate>();
        (frames + candidates + self.moves.capacity() * size_of::<Move>()) as u64
    }
}
