//! For enforced hill climbing: breadth first around the best state so far.

use std::collections::VecDeque;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, StateId};

use crate::evaluators::Guidance;
use crate::open_lists::{GuidedQueue, OpenList, Ties};
use crate::saving::{Ids, Snapshot};

/// A state that is better than all before starts a new breadth-first search. The states of the one before are not lost:
/// they wait, the best first, until the new search has run out.
#[derive(Debug)]
pub struct Enforced {
    best: u64,
    near: VecDeque<(Guidance, StateId)>,
    rest: GuidedQueue,
}

impl Enforced {
    pub fn new(ties: Ties) -> Self {
        Enforced { best: u64::MAX, near: VecDeque::new(), rest: GuidedQueue::new(ties) }
    }
}

impl OpenList<Guidance> for Enforced {
    fn push(&mut self, key: Guidance, id: StateId) -> Result<(), OutOfMemory> {
        if key.h < self.best {
            self.best = key.h;
            for (key, id) in self.near.drain(..) {
                self.rest.push(key, id)?;
            }
        }
        self.near.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.near.push_back((key, id));
        Ok(())
    }

    fn pop(&mut self) -> Option<(Guidance, StateId)> {
        self.near.pop_front().or_else(|| self.rest.pop())
    }

    fn len(&self) -> usize {
        self.near.len() + self.rest.len()
    }

    fn memory(&self) -> u64 {
        self.rest.memory() + (self.near.capacity() * size_of::<(Guidance, StateId)>()) as u64
    }
}

impl Snapshot for Enforced {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        to.number(self.best);
        to.number(self.near.len() as u64);
        for (key, id) in &self.near {
            key.write(to);
            ids.write(*id, to);
        }
        self.rest.save(ids, to);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.best = from.number()?;
        for _ in 0..from.count(4)? {
            let entry = (Record::read(from)?, ids.read(from)?);
            self.near.push_back(entry);
        }
        self.rest.load(ids, from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_lists::TieBreak;

    #[test]
    fn progress_leaves_everything_else_for_later() {
        let mut list = Enforced::new(Ties { low_h: false, rest: TieBreak::Fifo });
        let push = |list: &mut Enforced, id: u32, h: u64| list.push(Guidance { f: h, h, g: 0 }, StateId(id)).unwrap();
        push(&mut list, 0, 9);
        push(&mut list, 1, 9);
        push(&mut list, 2, 12);
        assert_eq!(list.pop().unwrap().1, StateId(0), "breadth first while nothing is better");
        push(&mut list, 3, 5);
        push(&mut list, 4, 7);
        assert_eq!(list.len(), 4);
        let order: Vec<u32> = std::iter::from_fn(|| list.pop()).map(|(_, id)| id.0).collect();
        assert_eq!(order, [3, 4, 1, 2], "around the better one first, then the best of the rest");
    }
}
