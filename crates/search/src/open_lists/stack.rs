//! A stack: the deepest state first.

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::open_lists::OpenList;
use crate::saving::{Ids, Snapshot};

/// In which order the successors of a state are visited.
#[derive(Clone, Debug)]
pub enum ChildOrder {
    /// As the system emits them.
    AsEmitted,
    Random(Random),
}

/// Keys are kept but order nothing.
#[derive(Debug)]
pub struct Stack<K> {
    order: ChildOrder,
    entries: Vec<(K, StateId)>,
    /// Where the successors of the state being expanded begin.
    children: usize,
}

impl<K> Stack<K> {
    pub fn new(order: ChildOrder) -> Self {
        Stack { order, entries: Vec::new(), children: 0 }
    }
}

impl<K: Record> OpenList<K> for Stack<K> {
    fn push(&mut self, key: K, id: StateId) -> Result<(), OutOfMemory> {
        self.entries.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.entries.push((key, id));
        Ok(())
    }

    fn pop(&mut self) -> Option<(K, StateId)> {
        let top = self.entries.pop();
        self.children = self.entries.len();
        top
    }

    fn end_of_expansion(&mut self) {
        let children = &mut self.entries[self.children..];
        match &mut self.order {
            ChildOrder::AsEmitted => children.reverse(),
            ChildOrder::Random(random) => random.shuffle(children),
        }
        self.children = self.entries.len();
    }

    fn len(&self) -> usize {
        self.entries.len()
    }

    fn memory(&self) -> u64 {
        (self.entries.capacity() * size_of::<(K, StateId)>()) as u64
    }
}

/// Successors of a state that is being expanded are saved as they are, although some are pushed again when it is expanded again:
/// not all of them, if they were covered, or need be cheaper. Only the draws of a random order notice.
impl<K: Record> Snapshot for Stack<K> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        if let ChildOrder::Random(random) = &self.order {
            to.number(random.rest());
        }
        to.number(self.entries.len() as u64);
        for (key, id) in &self.entries {
            key.write(to);
            ids.write(*id, to);
        }
        to.number(self.children as u64);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        if let ChildOrder::Random(random) = &mut self.order {
            *random = Random::new(from.number()?);
        }
        for _ in 0..from.count(1)? {
            let entry = (K::read(from)?, ids.read(from)?);
            self.entries.push(entry);
        }
        self.children = from.small()?;
        match self.children <= self.entries.len() {
            true => Ok(()),
            false => Err(from.damaged("the open list is too short")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn successors_are_visited_in_their_order() {
        let mut stack = Stack::new(ChildOrder::AsEmitted);
        for id in 0..3 {
            stack.push((), StateId(id)).unwrap();
        }
        stack.end_of_expansion();
        assert_eq!(stack.pop(), Some(((), StateId(0))));
        stack.push((), StateId(3)).unwrap();
        stack.push((), StateId(4)).unwrap();
        stack.end_of_expansion();
        let rest: Vec<u32> = std::iter::from_fn(|| stack.pop()).map(|(_, id)| id.0).collect();
        assert_eq!(rest, [3, 4, 1, 2]);
    }
}
