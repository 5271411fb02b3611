//! Open lists that look at a few states at a time: the states of a level, of which the best are kept.
//!
//! A level is expanded as a whole before the next one is chosen. What is not chosen is thrown away (beam search) or goes
//! back (k-best-first search).

use std::collections::BTreeMap;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{OutOfMemory, Random, StateId};

use crate::evaluators::Guidance;
use crate::open_lists::OpenList;
use crate::saving::{Ids, Snapshot};

/// Which states form a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Levels {
    /// The successors of the level before.
    Steps,
    /// All states of the same cost.
    Cost,
}

/// What becomes of the states that are not chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    Dropped,
    /// They compete with the next level.
    Kept,
}

/// How many successors of one state take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PerState {
    /// So many in the first levels,
    pub first: usize,
    /// which are so many; one afterwards.
    pub levels: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct BeamShape {
    /// States kept of each level.
    pub width: usize,
    /// Also those that are as good as the last one kept.
    pub flexible: bool,
    pub levels: Levels,
    pub rest: Rest,
    pub per_state: Option<PerState>,
}

type Entry = (Guidance, StateId);

#[derive(Debug)]
pub struct Beam {
    shape: BeamShape,
    /// The level under way, best last.
    current: Vec<Entry>,
    /// By cost if levels are costs, else all under 0.
    coming: BTreeMap<u64, Vec<Entry>>,
    /// Successors of the state under expansion.
    children: Vec<Entry>,
    level: u64,
    len: usize,
    lost: bool,
    /// Chooses among equals.
    random: Option<Random>,
}

impl Beam {
    pub fn new(shape: BeamShape) -> Self {
        let (current, children) = (Vec::new(), Vec::new());
        Beam { shape, current, coming: BTreeMap::new(), children, level: 0, len: 0, lost: false, random: None }
    }

    /// The same, with draws among equals.
    pub fn drawing(self, random: Option<Random>) -> Self {
        Beam { random, ..self }
    }

    fn drop_behind(&mut self, entries: &mut Vec<Entry>, keep: usize) {
        if entries.len() > keep {
            self.len -= entries.len() - keep;
            entries.truncate(keep);
            self.lost = true;
        }
    }

    fn next_level(&mut self) {
        let Some((_, mut level)) = self.coming.pop_first() else { return };
        self.level += 1;
        if let Some(random) = &mut self.random {
            random.shuffle(&mut level);
        }
        // Stable: of equals, the one that was generated first, or drawn.
        level.sort_by_key(|(key, _)| *key);
        let mut keep = self.shape.width.min(level.len());
        while self.shape.flexible && 0 < keep && keep < level.len() && level[keep].0.f == level[keep - 1].0.f {
            keep += 1;
        }
        match self.shape.rest {
            Rest::Dropped => self.drop_behind(&mut level, keep),
            Rest::Kept => {
                let rest = level.split_off(keep);
                if !rest.is_empty() {
                    self.coming.insert(0, rest);
                }
            }
        }
        level.reverse();
        self.current = level;
    }
}

impl OpenList<Guidance> for Beam {
    fn push(&mut self, key: Guidance, id: StateId) -> Result<(), OutOfMemory> {
        self.children.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.children.push((key, id));
        self.len += 1;
        Ok(())
    }

    fn end_of_expansion(&mut self) {
        let mut children = std::mem::take(&mut self.children);
        if let Some(PerState { first, levels }) = self.shape.per_state {
            children.sort_by_key(|(key, _)| *key);
            self.drop_behind(&mut children, if self.level <= levels { first } else { 1 });
        }
        for child in children.drain(..) {
            let level = if self.shape.levels == Levels::Cost { child.0.g } else { 0 };
            self.coming.entry(level).or_default().push(child);
        }
        self.children = children;
    }

    fn pop(&mut self) -> Option<Entry> {
        if self.current.is_empty() {
            self.next_level();
        }
        let best = self.current.pop()?;
        self.len -= 1;
        Some(best)
    }

    fn len(&self) -> usize {
        self.len
    }

    fn memory(&self) -> u64 {
        let entries = self.coming.values().map(Vec::capacity).sum::<usize>() + self.current.capacity();
        (entries * size_of::<Entry>()) as u64
    }

    fn has_lost_entries(&self) -> bool {
        self.lost
    }
}

fn save_entries(entries: &[Entry], ids: &Ids, to: &mut Writer) {
    to.number(entries.len() as u64);
    for (key, id) in entries {
        key.write(to);
        ids.write(*id, to);
    }
}

fn load_entries(ids: &Ids, from: &mut Reader) -> Result<Vec<Entry>, Error> {
    let count = from.count(4)?;
    (0..count).map(|_| Ok((Record::read(from)?, ids.read(from)?))).collect()
}

impl Snapshot for Beam {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        save_entries(&self.current, ids, to);
        save_entries(&self.children, ids, to);
        to.number(self.coming.len() as u64);
        for (level, entries) in &self.coming {
            to.number(*level);
            save_entries(entries, ids, to);
        }
        to.number(self.level);
        to.flag(self.lost);
        to.number(self.random.as_ref().map_or(0, Random::rest));
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.current = load_entries(ids, from)?;
        self.children = load_entries(ids, from)?;
        for _ in 0..from.count(2)? {
            let level = from.number()?;
            self.coming.insert(level, load_entries(ids, from)?);
        }
        let coming: usize = self.coming.values().map(Vec::len).sum();
        self.len = self.current.len() + self.children.len() + coming;
        self.level = from.number()?;
        self.lost = from.flag()?;
        let rest = from.number()?;
        self.random.iter_mut().for_each(|random| *random = Random::new(rest));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: BeamShape =
        BeamShape { width: 2, flexible: false, levels: Levels::Steps, rest: Rest::Dropped, per_state: None };

    fn beam(shape: BeamShape, keys: &[(u64, u64)]) -> Beam {
        let mut beam = Beam::new(shape);
        for (id, &(f, g)) in keys.iter().enumerate() {
            beam.push(Guidance { f, h: 0, g }, StateId(id as u32)).unwrap();
        }
        beam.end_of_expansion();
        beam
    }

    fn drain(beam: &mut Beam) -> Vec<u32> {
        std::iter::from_fn(|| beam.pop()).map(|(_, id)| id.0).collect()
    }

    #[test]
    fn the_best_of_a_level_are_kept() {
        let mut two = beam(SHAPE, &[(5, 0), (3, 0), (9, 0), (3, 0)]);
        assert_eq!((drain(&mut two), two.len(), two.has_lost_entries()), (vec![1, 3], 0, true));
        let mut enough = beam(BeamShape { width: 4, ..SHAPE }, &[(5, 0), (3, 0)]);
        assert_eq!((drain(&mut enough), enough.has_lost_entries()), (vec![1, 0], false));
    }

    #[test]
    fn a_flexible_beam_does_not_choose_among_equals() {
        let mut flexible = beam(BeamShape { width: 1, flexible: true, ..SHAPE }, &[(5, 0), (3, 0), (9, 0), (3, 0)]);
        assert_eq!(drain(&mut flexible), [1, 3]);
    }

    #[test]
    fn what_is_kept_comes_later() {
        let mut all = beam(BeamShape { rest: Rest::Kept, ..SHAPE }, &[(5, 0), (3, 0), (9, 0), (3, 0)]);
        assert_eq!(all.pop().map(|(_, id)| id.0), Some(1));
        all.push(Guidance { f: 1, h: 0, g: 0 }, StateId(7)).unwrap();
        all.end_of_expansion();
        // The two best are expanded together: the newcomer has to wait.
        assert_eq!((drain(&mut all), all.has_lost_entries()), (vec![3, 7, 0, 2], false));
    }

    #[test]
    fn levels_of_equal_cost() {
        let shape = BeamShape { width: 1, levels: Levels::Cost, ..SHAPE };
        let mut by_cost = beam(shape, &[(9, 2), (3, 7), (4, 2), (2, 7)]);
        assert_eq!((drain(&mut by_cost), by_cost.has_lost_entries()), (vec![2, 3], true));
    }

    #[test]
    fn few_successors_of_each_state() {
        let per_state = Some(PerState { first: 3, levels: 0 });
        let mut filtered = beam(BeamShape { width: 9, per_state, ..SHAPE }, &[(5, 0), (3, 0), (9, 0), (4, 0)]);
        assert_eq!(filtered.pop().map(|(_, id)| id.0), Some(1));
        for (id, f) in [(4, 2), (5, 1)] {
            filtered.push(Guidance { f, h: 0, g: 0 }, StateId(id)).unwrap();
        }
        filtered.end_of_expansion();
        assert_eq!(drain(&mut filtered), [3, 0, 5]);
    }
}
