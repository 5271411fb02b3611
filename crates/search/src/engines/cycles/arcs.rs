//! Steps between numbered states.

use bughound_kernel::{Marks, StateId};

/// A step, without its moves: those are found again when a path is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arc {
    pub to: StateId,
    pub weight: u64,
    pub marks: Marks,
}

/// Arcs kept in memory, for searches that look at them many times. 12 bytes each.
#[derive(Debug, Default)]
pub struct ArcCache {
    /// By state: where its arcs are; an empty range at `u32::MAX` if they are not known.
    ranges: Vec<(u32, u32)>,
    arcs: Vec<(u32, u32, u32)>,
    /// The sets of marks that occur are few.
    marks: Vec<Marks>,
}

const UNKNOWN: (u32, u32) = (u32::MAX, u32::MAX);

impl ArcCache {
    pub fn get(&self, id: StateId, out: &mut Vec<Arc>) -> bool {
        let Some(&(start, end)) = self.ranges.get(id.index()) else { return false };
        if (start, end) == UNKNOWN {
            return false;
        }
        let arcs = &self.arcs[start as usize..end as usize];
        out.extend(arcs.iter().map(|&(to, weight, marks)| Arc {
            to: StateId(to),
            weight: weight.into(),
            marks: self.marks[marks as usize],
        }));
        true
    }

    /// Keeps the arcs of a state if they fit.
    pub fn put(&mut self, id: StateId, arcs: &[Arc]) {
        let fits = self.arcs.len() + arcs.len() < u32::MAX as usize;
        if !fits || arcs.iter().any(|arc| arc.weight > u64::from(u32::MAX)) {
            return;
        }
        if self.ranges.len() <= id.index() {
            self.ranges.resize(id.index() + 1, UNKNOWN);
        }
        let start = self.arcs.len() as u32;
        for arc in arcs {
            let marks = self.marks.iter().position(|known| *known == arc.marks).unwrap_or_else(|| {
                self.marks.push(arc.marks);
                self.marks.len() - 1
            });
            self.arcs.push((arc.to.0, arc.weight as u32, marks as u32));
        }
        self.ranges[id.index()] = (start, self.arcs.len() as u32);
    }

    pub fn memory(&self) -> u64 {
        (self.ranges.capacity() * 8 + self.arcs.capacity() * 12 + self.marks.capacity() * 16) as u64
    }
}
