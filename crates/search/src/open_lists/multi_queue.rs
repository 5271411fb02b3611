//! A row of queues: the first one that holds anything is served (Wehrle, Kupferschmid 2010).

use std::collections::BTreeMap;

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{OutOfMemory, StateId};

use crate::evaluators::Grade;
use crate::open_lists::OpenList;
use crate::result::QueueAccess;
use crate::saving::{Ids, Snapshot};

#[derive(Debug)]
struct Counted<Q> {
    /// It was made as the queue with this number: queues need not be made alike.
    number: usize,
    queue: Q,
    pushed: u64,
    popped: u64,
}

/// Queues by grade. They are made when they are needed: how many there are is not known before.
pub struct MultiQueue<Q> {
    queues: BTreeMap<Grade, Counted<Q>>,
    make: Box<dyn FnMut() -> Q>,
    /// No queue before this one holds anything.
    first: Grade,
    len: usize,
}

impl<Q> MultiQueue<Q> {
    pub fn new(make: impl FnMut() -> Q + 'static) -> Self {
        MultiQueue { queues: BTreeMap::new(), make: Box::new(make), first: Grade::LAST, len: 0 }
    }
}

impl<K, Q: OpenList<K>> OpenList<(Grade, K)> for MultiQueue<Q> {
    fn push(&mut self, (grade, key): (Grade, K), id: StateId) -> Result<(), OutOfMemory> {
        let (make, number) = (&mut self.make, self.queues.len());
        let made = || Counted { number, queue: make(), pushed: 0, popped: 0 };
        let counted = self.queues.entry(grade).or_insert_with(made);
        counted.queue.push(key, id)?;
        counted.pushed += 1;
        self.first = self.first.min(grade);
        self.len += 1;
        Ok(())
    }

    fn pop(&mut self) -> Option<((Grade, K), StateId)> {
        for (grade, counted) in self.queues.range_mut(self.first..) {
            if let Some((key, id)) = counted.queue.pop() {
                counted.popped += 1;
                self.first = *grade;
                self.len -= 1;
                return Some(((*grade, key), id));
            }
        }
        None
    }

    fn end_of_expansion(&mut self) {
        self.queues.values_mut().for_each(|counted| counted.queue.end_of_expansion());
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        self.queues.values().map(|counted| counted.queue.memory()).sum()
    }

    fn has_lost_entries(&self) -> bool {
        self.queues.values().any(|counted| counted.queue.has_lost_entries())
    }

    fn accesses(&self) -> Vec<QueueAccess> {
        let access = |(grade, counted): (&Grade, &Counted<Q>)| QueueAccess {
            name: grade.to_string(),
            pushed: counted.pushed,
            popped: counted.popped,
        };
        self.queues.iter().map(access).collect()
    }
}

impl<Q: Snapshot> Snapshot for MultiQueue<Q> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        // In the order in which they were made, so that they are made again in that order.
        let mut queues: Vec<_> = self.queues.iter().collect();
        queues.sort_unstable_by_key(|(_, counted)| counted.number);
        to.number(queues.len() as u64);
        for (grade, counted) in queues {
            to.number(grade.0.into());
            to.number(counted.pushed);
            to.number(counted.popped);
            counted.queue.save(ids, to);
        }
        to.number(self.first.0.into());
        to.number(self.len as u64);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        for number in 0..from.count(3)? {
            let (grade, pushed, popped) = (Grade(from.small()?), from.number()?, from.number()?);
            let mut queue = (self.make)();
            queue.load(ids, from)?;
            self.queues.insert(grade, Counted { number, queue, pushed, popped });
        }
        self.first = Grade(from.small()?);
        self.len = from.small()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open_lists::{BucketQueue, TieBreak};

    #[test]
    fn the_first_queue_that_holds_anything_is_served() {
        let mut queues = MultiQueue::new(|| BucketQueue::new(TieBreak::Fifo));
        for (id, (grade, key)) in [(2, 0), (0, 7), (0, 3), (1, 1)].into_iter().enumerate() {
            queues.push((Grade(grade), key), StateId(id as u32)).unwrap();
        }
        queues.push((Grade::LAST, 0), StateId(4)).unwrap();
        assert_eq!(queues.pop(), Some(((Grade(0), 3), StateId(2))));
        assert_eq!(queues.pop(), Some(((Grade(0), 7), StateId(1))));
        assert_eq!(queues.pop(), Some(((Grade(1), 1), StateId(3))));
        queues.push((Grade(0), 9), StateId(5)).unwrap();
        let rest: Vec<u32> = std::iter::from_fn(|| queues.pop()).map(|(_, id)| id.0).collect();
        assert_eq!((rest, queues.len()), (vec![5, 0, 4], 0));
        let names: Vec<_> = queues.accesses().into_iter().map(|q| (q.name, q.pushed, q.popped)).collect();
        let expected = [("q0", 3, 3), ("q1", 1, 1), ("q2", 1, 1), ("rest", 1, 1)];
        assert_eq!(names, expected.map(|(name, pushed, popped)| (name.to_string(), pushed, popped)));
    }
}
