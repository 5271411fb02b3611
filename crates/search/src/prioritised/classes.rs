//! Classes of steps, numbered in the order in which they are met: so the numbers mean the same in another process that is told
//! which were met, whatever numbers its contexts give them.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{Contexts, Move, StepClass};

use crate::saving::{Ids, Snapshot, read_move, write_move};

pub(crate) struct Classes<'c> {
    contexts: Box<dyn Contexts + 'c>,
    /// By class: what the contexts call it, and the moves of a step of it.
    met: Vec<(StepClass, Vec<Move>)>,
    /// By what the contexts call it: the class plus one, 0 if it was not met.
    numbers: Vec<u32>,
}

impl<'c> Classes<'c> {
    pub(crate) fn new(contexts: Box<dyn Contexts + 'c>) -> Self {
        Classes { contexts, met: Vec::new(), numbers: Vec::new() }
    }

    /// How many were met.
    pub(crate) fn count(&self) -> usize {
        self.met.len()
    }

    pub(crate) fn class(&mut self, moves: &[Move]) -> StepClass {
        let theirs = self.contexts.class(moves);
        let at = theirs.0 as usize;
        if at >= self.numbers.len() {
            self.numbers.resize(at + 1, 0);
        }
        if self.numbers[at] == 0 {
            self.met.push((theirs, moves.to_vec()));
            self.numbers[at] = self.met.len() as u32;
        }
        StepClass(self.numbers[at] - 1)
    }

    fn theirs(&self, class: StepClass) -> StepClass {
        self.met[class.0 as usize].0
    }

    pub(crate) fn distance(&mut self, before: StepClass, after: StepClass) -> Option<u8> {
        let (before, after) = (self.theirs(before), self.theirs(after));
        self.contexts.distance(before, after)
    }

    pub(crate) fn is_innocent(&self, class: StepClass) -> bool {
        self.contexts.is_innocent(self.theirs(class))
    }

    pub(crate) fn memory(&self) -> u64 {
        let met: usize = self.met.iter().map(|(_, moves)| size_of_val(moves) + size_of_val(&moves[..])).sum();
        self.contexts.memory() + (met + self.numbers.capacity() * size_of::<u32>()) as u64
    }
}

impl Snapshot for Classes<'_> {
    fn save(&self, _ids: &Ids, to: &mut Writer) {
        to.number(self.met.len() as u64);
        for (_, moves) in &self.met {
            to.number(moves.len() as u64);
            moves.iter().for_each(|made| write_move(made, to));
        }
    }

    fn load(&mut self, _ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        for number in 0..from.count(1)? {
            let moves = from.count(4)?;
            let moves: Vec<Move> = (0..moves).map(|_| read_move(from)).collect::<Result<_, _>>()?;
            if self.class(&moves).0 as usize != number {
                return Err(from.damaged("steps are not those of the model"));
            }
        }
        Ok(())
    }
}

/// One that there may be none of.
impl<S: Snapshot> Snapshot for Option<S> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.iter().for_each(|some| some.save(ids, to));
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.iter_mut().try_for_each(|some| some.load(ids, from))
    }
}
