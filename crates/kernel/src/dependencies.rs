//! Which slots a part of the system reads and writes.

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
    /// Depends on the whole state (such as `timeout`): no slot set describes it.
    pub reads_everything: bool,
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
