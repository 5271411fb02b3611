//! Which slots a part of the system reads and writes.

use crate::step::Move;

/// A sorted set of slot numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SlotSet(Vec<u32>);

impl SlotSet {
    pub fn insert(&mut self, slot: u32) {
        if let Err(at) = self.0.binary_search(&slot) {
            self.0.insert(at, slot);
        }
    }

    pub fn contains(&self, slot: u32) -> bool {
        self.0.binary_search(&slot).is_ok()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.iter().copied()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn intersects(&self, other: &SlotSet) -> bool {
        let (mut i, mut j) = (0, 0);
        while i < self.0.len() && j < other.0.len() {
            match self.0[i].cmp(&other.0[j]) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => return true,
            }
        }
        false
    }

    pub fn is_subset(&self, other: &SlotSet) -> bool {
        self.iter().all(|slot| other.contains(slot))
    }
}

impl FromIterator<u32> for SlotSet {
    fn from_iter<I: IntoIterator<Item = u32>>(iter: I) -> Self {
        let mut slots: Vec<u32> = iter.into_iter().collect();
        slots.sort_unstable();
        slots.dedup();
        SlotSet(slots)
    }
}

impl Extend<u32> for SlotSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, iter: I) {
        self.0.extend(iter);
        self.0.sort_unstable();
        self.0.dedup();
    }
}

/// Declared access of an edge or a group.
///
/// `reads` and `may_write` are over-approximations (sound to grow), `must_write` is an under-approximation (sound to
/// shrink): `must_write ⊆ may_write`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub reads: SlotSet,
    pub may_write: SlotSet,
    pub must_write: SlotSet,
    /// Those of `may_write` that are written only together with the place of their process, when that comes to exist or to an end.
    pub created: SlotSet,
    /// Depends on the whole state (such as `timeout`): no slot set describes it.
    pub reads_everything: bool,
}

/// What the steps of a system have to do with its slots, group by group: for those who compute with sets of states.
///
/// Two states that agree in all slots that the access of a group names (without those that it writes for certain and does not
/// read, and those of parts that come and go) have the same steps of this group: the same failures, the same weights, the same
/// values in the slots written. Slots that a group does not write keep their values. Of a key that is too short, missing slots
/// count as values of their own.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    pub groups: Vec<StepGroup>,
    /// What the predicates of the system read, by number.
    pub atoms: Vec<Access>,
    /// The parts at the end of a key, those of the processes in order: a key ends where one of them ends, or before the first.
    /// The first slot of a part is known to every group that asks whether the part is there.
    pub parts: Vec<std::ops::Range<u32>>,
    /// Where a system without steps may stay for ever: the slots, as far as they are there, each have one of these values, or no
    /// part is there.
    pub resting: Vec<(u32, Vec<i32>)>,
}

/// Steps that begin with the same edge, taken by the same process, with the same partner.
#[derive(Clone, Debug)]
pub struct StepGroup {
    pub first: Mover,
    pub partners: Partners,
    /// A slot and its value wherever such a step is possible: where the process is.
    pub here: (u32, i32),
    pub access: Access,
    /// More micro steps may follow before the step is over.
    pub is_sequence: bool,
}

/// Who takes which edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mover {
    pub process: u16,
    pub edge: u32,
}

/// Who moves together with the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Partners {
    Nobody,
    One(Mover),
    Some,
}

impl StepGroup {
    /// Is it the group of a step with these moves?
    pub fn has(&self, moves: &[Move]) -> bool {
        let mover = |m: &Move| Mover { process: m.process, edge: m.edge };
        let joined = moves.get(1).filter(|m| m.joins).map(mover);
        let together = match self.partners {
            Partners::Nobody => joined.is_none(),
            Partners::One(partner) => joined == Some(partner),
            Partners::Some => true,
        };
        together && moves.first().map(mover) == Some(self.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_stay_sorted_and_unique() {
        let mut set: SlotSet = [5, 1, 5, 3].into_iter().collect();
        set.insert(3);
        set.insert(2);
        assert_eq!(set.iter().collect::<Vec<_>>(), [1, 2, 3, 5]);
        assert!(set.intersects(&[0, 5].into_iter().collect()));
        assert!(!set.intersects(&[0, 4, 6].into_iter().collect()));
        assert!(SlotSet::from_iter([1, 5]).is_subset(&set));
    }
}
