//! Classes of steps, which are numbered in the order in which they are met: so the numbers mean the same in another process that has
//! met them in that order.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{Contexts, Move, StepClass};

use crate::saving::{Ids, Snapshot, read_move, write_move};

pub(crate) struct Classes<'c> {
    contexts: Box<dyn Contexts + 'c>,
    /// By class: the moves of a step of it.
    met: Vec<Vec<Move>>,
}

impl<'c> Classes<'c> {
    pub(crate) fn new(contexts: Box<dyn Contexts + 'c>) -> Self {
        Classes { contexts, met: Vec::new() }
    }

    /// How many were met.
    pub(crate) fn count(&self) -> usize {
        self.met.len()
    }

    pub(crate) fn class(&mut self, moves: &[Move]) -> StepClass {
        let class = self.contexts.class(moves);
        if class.0 as usize == self.met.len() {
            self.met.push(moves.to_vec());
        }
        class
    }

    pub(crate) fn distance(&mut self, before: StepClass, after: StepClass) -> Option<u8> {
        self.contexts.distance(before, after)
    }

    pub(crate) fn is_innocent(&self, class: StepClass) -> bool {
        self.contexts.is_innocent(class)
    }

    pub(crate) fn memory(&self) -> u64 {
        let met: usize = self.met.iter().map(|moves| moves.capacity() * size_of::<Move>()).sum();
        self.contexts.memory() + (met + self.met.capacity() * size_of::<Vec<Move>>()) as u64
    }
}

impl Snapshot for Classes<'_> {
    fn save(&self, _ids: &Ids, to: &mut Writer) {
        to.number(self.met.len() as u64);
        for moves in &self.met {
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
