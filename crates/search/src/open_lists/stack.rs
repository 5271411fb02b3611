//! A stack: the deepest state first.

use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::open_lists::OpenList;

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

impl<K> OpenList<K> for Stack<K> {
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
