//! Shortest lassos, proven, with memory for the states and steps only.
//!
//! The head of a shortest lasso can be chosen as the state of its loop that is nearest to the start: otherwise the stem
//! could end there and the lasso would be shorter. So the states are taken as heads in the order of their distance, and
//! from each the shortest accepting cycle over states that were *not* heads before is looked for, no longer than what
//! makes the lasso shorter than the best one known. When the distance of the next head reaches the length of the best
//! lasso, that is a shortest one. Recording states finds the same lassos with up to the square of the memory.
//!
//! Errors without a loop (the claim is at its end) compete.

use bughound_kernel::{Cycles, StateId};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::lasso::Distances;
use crate::engines::cycles::loops::{Loops, Reach};
use crate::engines::cycles::{Lasso, Space, Violation};
use crate::engines::ending::Halt;

/// The shortest violation that is known in the end, and whether none is shorter. `effort`: how many places may be looked
/// at in search of loops.
pub(super) fn shortest(space: &mut Space<'_, '_>, known: Violation, effort: Option<u64>) -> (Violation, bool) {
    space.keep_arcs();
    space.lift_limits(true);
    let length = length(space, &known);
    space.lift_limits(false);
    let Ok(length) = length else { return (known, false) };
    let mut search =
        Search { space, best: (known, length), popped: Vec::new(), loops: Loops::default(), effort, work: 0 };
    let proven = search.run().is_ok();
    (search.best.0, proven)
}

/// The cost of a violation.
fn length(space: &mut Space<'_, '_>, violation: &Violation) -> Result<u64, Halt> {
    let (stem, cycle) = match violation {
        Violation::State(path) => (path, 0),
        Violation::Cycle(lasso) => (&lasso.stem, lasso.cycle.iter().map(|arc| arc.weight).sum()),
    };
    let mut length = cycle;
    let mut arcs = Vec::new();
    for pair in stem.windows(2) {
        arcs.clear();
        space.arcs(pair[0], &mut arcs)?;
        length += arcs.iter().filter(|arc| arc.to == pair[1]).map(|arc| arc.weight).min().unwrap_or(0);
    }
    Ok(length)
}

struct Search<'s, 't, 'd> {
    space: &'s mut Space<'t, 'd>,
    best: (Violation, u64),
    /// By state: it was a head, or a state that no accepting cycle goes through.
    popped: Vec<bool>,
    loops: Loops,
    effort: Option<u64>,
    work: u64,
}

impl Search<'_, '_, '_> {
    fn run(&mut self) -> Result<(), Halt> {
        let mut tree = Distances::default();
        for id in self.space.initial()? {
            tree.reach(id, 0, None);
        }
        let mut arcs = Vec::new();
        while let Some((cost, id)) = tree.next() {
            let bound = self.best.1;
            if cost >= bound {
                return Ok(());
            }
            self.space.note_depth(cost);
            self.space.side_memory = tree.memory() + self.popped.capacity() as u64 + self.loops.memory();
            if self.space.is_error(id) {
                // Lassos that are shorter would have had their heads before.
                self.best = (Violation::State(tree.path_to(id)), cost);
                return Ok(());
            }
            if self.space.region(id).cycles != Cycles::None
                && let Some((cycle, length)) = self.loop_through(id, bound - 1 - cost)?
            {
                self.best = (Violation::Cycle(Lasso { stem: tree.path_to(id), cycle }), cost + length);
            }
            self.set_popped(id);
            arcs.clear();
            self.space.arcs(id, &mut arcs)?;
            for arc in &arcs {
                tree.reach(arc.to, cost.saturating_add(arc.weight), Some(id));
            }
        }
        Ok(())
    }

    fn set_popped(&mut self, id: StateId) {
        if self.popped.len() <= id.index() {
            self.popped.resize(self.space.len().max(id.index() + 1), false);
        }
        self.popped[id.index()] = true;
    }

    /// The shortest accepting cycle through the head over states that were not popped, up to a bound.
    fn loop_through(&mut self, head: StateId, bound: u64) -> Result<Option<(Vec<Arc>, u64)>, Halt> {
        let popped = &self.popped;
        let excluded = |id: StateId| popped.get(id.index()).is_some_and(|popped| *popped);
        let left = self.effort.map_or(usize::MAX, |effort| effort.saturating_sub(self.work) as usize);
        let found = self.loops.shortest(self.space, head, Reach { bound, places: left, excluded: &excluded })?;
        self.work += self.loops.places() as u64;
        if found.is_none() && self.effort.is_some_and(|effort| self.work > effort) {
            return Err(Halt::Budget);
        }
        Ok(found)
    }
}
