//! A queue for guided searches: small f first; among equal f, if asked for, small h first. Buckets of buckets.

use std::collections::BTreeMap;

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::registry::{Args, Param, ParamKind};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::evaluators::Guidance;
use crate::open_lists::{BucketQueue, Divisible, Level, OpenList, TieBreak};
use crate::saving::{Ids, Snapshot};

/// Which of the states with the same f comes first.
#[derive(Clone, Debug)]
pub struct Ties {
    /// The one with the smallest estimate.
    pub low_h: bool,
    pub rest: TieBreak,
}

impl Ties {
    const SUMMARY: &'static str = "which of equally good states is expanded first (low-h: the smallest estimate, then \
        the oldest; low-h-lifo: then the most recent)";

    /// The parameter, with the most recent state first by default.
    pub const RECENT_FIRST: Param = Param {
        name: "ties",
        summary: Ties::SUMMARY,
        kind: ParamKind::Choice { options: &["lifo", "fifo", "low-h", "low-h-lifo", "random"] },
    };

    /// The parameter, with the smallest estimate first by default.
    pub const LOW_H_FIRST: Param = Param {
        name: "ties",
        summary: Ties::SUMMARY,
        kind: ParamKind::Choice { options: &["low-h-lifo", "low-h", "fifo", "lifo", "random"] },
    };

    pub fn from_args(args: &Args, seed: u64) -> Ties {
        let name = args.choice("ties").unwrap_or("low-h");
        let rest = match name {
            "lifo" | "low-h-lifo" => TieBreak::Lifo,
            "random" => TieBreak::Random(Random::new(args.integer("seed").unwrap_or(seed))),
            _ => TieBreak::Fifo,
        };
        Ties { low_h: name.starts_with("low-h"), rest }
    }
}

#[derive(Debug)]
pub struct GuidedQueue {
    ties: Ties,
    /// By f; no queue is empty.
    levels: BTreeMap<u64, BucketQueue>,
    len: usize,
    memory: u64,
}

impl GuidedQueue {
    pub fn new(ties: Ties) -> Self {
        GuidedQueue { ties, levels: BTreeMap::new(), len: 0, memory: 0 }
    }
}

/// The estimate orders a level only if asked for.
impl OpenList<Guidance> for GuidedQueue {
    fn push(&mut self, key: Guidance, id: StateId) -> Result<(), OutOfMemory> {
        let ties = &mut self.ties;
        let level = self.levels.entry(key.f).or_insert_with(|| BucketQueue::new(ties.fork()));
        self.memory -= level.memory();
        let done = level.push(if ties.low_h { key.h } else { 0 }, id);
        self.memory += level.memory();
        self.len += usize::from(done.is_ok());
        done
    }

    fn pop(&mut self) -> Option<(Guidance, StateId)> {
        let mut first = self.levels.first_entry()?;
        let f = *first.key();
        let level = first.get_mut();
        self.memory -= level.memory();
        let (h, id) = level.pop()?;
        if level.is_empty() {
            first.remove();
        } else {
            self.memory += level.memory();
        }
        self.len -= 1;
        // The cost is not kept. The largest one makes an error of the same f and h come first.
        Some((Guidance { f, h, g: u64::MAX }, id))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        self.memory
    }
}

/// The cost and the estimate of an entry are not kept apart from its f: an error of the same f comes first.
impl Divisible<Guidance> for GuidedQueue {
    fn front(&mut self) -> Option<(Guidance, usize)> {
        let (f, level) = self.levels.first_key_value()?;
        Some((Guidance { f: *f, h: u64::MAX, g: u64::MAX }, level.len()))
    }
}

impl Level for Guidance {
    fn level(&self) -> u64 {
        self.f
    }
}

impl Ties {
    /// The same for another queue: random orders differ.
    pub(crate) fn split(&mut self) -> Ties {
        Ties { low_h: self.low_h, rest: self.fork() }
    }

    /// A random order of its own for each level.
    fn fork(&mut self) -> TieBreak {
        match &mut self.rest {
            TieBreak::Random(random) => TieBreak::Random(Random::new(random.draw())),
            other => other.clone(),
        }
    }
}

impl Snapshot for GuidedQueue {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.ties.rest.save(ids, to);
        to.number(self.levels.len() as u64);
        for (f, level) in &self.levels {
            to.number(*f);
            level.save(ids, to);
        }
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.ties.rest.load(ids, from)?;
        for _ in 0..from.count(2)? {
            let f = from.number()?;
            let mut level = BucketQueue::new(self.ties.rest.clone());
            level.load(ids, from)?;
            if level.is_empty() || self.levels.contains_key(&f) {
                return Err(from.damaged("a level of the open list is empty"));
            }
            (self.len, self.memory) = (self.len + level.len(), self.memory + level.memory());
            self.levels.insert(f, level);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(low_h: bool, rest: TieBreak) -> Vec<u32> {
        let mut queue = GuidedQueue::new(Ties { low_h, rest });
        for (id, (f, h)) in [(5, 2), (3, 3), (3, 1), (5, 0), (3, 1), (1 << 40, 0)].into_iter().enumerate() {
            queue.push(Guidance { f, h, g: f - h }, StateId(id as u32)).unwrap();
        }
        assert_eq!(queue.len(), 6);
        let popped = std::iter::from_fn(|| queue.pop()).map(|(_, id)| id.0).collect();
        assert_eq!((queue.len(), queue.memory()), (0, 0));
        popped
    }

    #[test]
    fn ties_are_broken_as_asked() {
        assert_eq!(order(false, TieBreak::Fifo), [1, 2, 4, 0, 3, 5]);
        assert_eq!(order(false, TieBreak::Lifo), [4, 2, 1, 3, 0, 5]);
        assert_eq!(order(true, TieBreak::Fifo), [2, 4, 1, 3, 0, 5]);
        assert_eq!(order(true, TieBreak::Lifo), [4, 2, 1, 3, 0, 5]);
        let mut random = order(false, TieBreak::Random(Random::new(3)));
        random[..3].sort_unstable();
        assert_eq!(random[..3], [1, 2, 4]);
    }
}
