//! Novelty: does a state have a value that was not seen before, among the states that seem equally far away?

use std::collections::HashSet;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::State;

use crate::saving::{Ids, Snapshot};

/// Values seen so far, by slot and by estimate (Lipovetzky, Geffner 2017: width 1).
#[derive(Debug, Default)]
pub struct Novelty {
    seen: HashSet<(u32, u32, i32)>,
}

impl Novelty {
    /// Is some value of the state new at this estimate? Only what the step changed can be: the rest was seen with the
    /// state it came from, or it is old by the time it matters.
    pub fn is_new(&mut self, state: State<'_>, from: Option<State<'_>>, estimate: u32) -> bool {
        let mut new = false;
        for (slot, value) in state.key.iter().enumerate() {
            let changed = from.is_none_or(|from| from.key.get(slot) != Some(value));
            if changed {
                new |= self.seen.insert((estimate, slot as u32, *value));
            }
        }
        new
    }

    /// Bytes used.
    pub fn memory(&self) -> u64 {
        (self.seen.capacity() * (size_of::<(u32, u32, i32)>() + 1)) as u64
    }
}

impl Snapshot for Novelty {
    fn save(&self, _ids: &Ids, to: &mut Writer) {
        to.number(self.seen.len() as u64);
        for (estimate, slot, value) in &self.seen {
            to.number((*estimate).into());
            to.number((*slot).into());
            value.write(to);
        }
    }

    fn load(&mut self, _ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        for _ in 0..from.count(3)? {
            self.seen.insert((from.small()?, from.small()?, Record::read(from)?));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_is_new_once_for_each_estimate() {
        let mut novelty = Novelty::default();
        let (start, left, right) = ([0, 0], [1, 0], [0, 1]);
        let [start, left, right] = [&start, &left, &right].map(|key| State::discrete(key));
        assert!(novelty.is_new(start, None, 5));
        assert!(novelty.is_new(left, Some(start), 5));
        assert!(novelty.is_new(right, Some(start), 5));
        assert!(!novelty.is_new(left, Some(start), 5));
        assert!(novelty.is_new(left, Some(start), 4));
    }
}
