//! Nested depth-first search, plain and improved by the classes of the claim's components.
//!
//! The outer walk visits every state. When it leaves an accepting state, an inner walk looks for a way from there back to
//! the path of the outer one; that closes a cycle through the accepting state. Inner walks never visit a state twice, all
//! of them together: states are left in post-order, so what an earlier one has seen without success leads back to no
//! later seed (Courcoubetis, Vardi, Wolper, Yannakakis 1992; Holzmann, Peled, Yannakakis 1996).
//!
//! With regions (Edelkamp, Lluch Lafuente, Leue 2001, Fig. 5, its recursive call corrected), a cycle in a region where all
//! cycles are accepting is reported when the outer walk closes it; inner walks are needed only in regions where some are,
//! and they do not leave it.
//!
//! There must be one condition on runs, and if a step from a state fulfils it, all do.

use bughound_kernel::{Cycles, Marks, Region, StateId};

use crate::engines::cycles::arcs::Arc;
use crate::engines::cycles::walk::{Event, Walk};
use crate::engines::cycles::{Lasso, Space, Violation};
use crate::engines::ending::Halt;

const OUTER: u8 = 1;
const INNER: u8 = 2;
const ON_PATH: u8 = 4;
const ACCEPTING: u8 = 8;

struct Nested<'s, 't, 'd> {
    space: &'s mut Space<'t, 'd>,
    outer: Walk,
    /// The inner walk; empty between two of them.
    walk: Walk,
    /// By state.
    flags: Vec<u8>,
    by_region: bool,
}

/// Looks for an accepting cycle or a state that is an error.
pub(super) fn nested(space: &mut Space<'_, '_>, by_region: bool) -> Result<Option<Violation>, Halt> {
    let initial = space.initial()?;
    let mut search = Nested { space, outer: Walk::default(), walk: Walk::default(), flags: Vec::new(), by_region };
    for state in initial {
        if let Some(found) = search.walk_from(state)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

impl Nested<'_, '_, '_> {
    fn flag(&mut self, state: StateId) -> &mut u8 {
        if self.flags.len() <= state.index() {
            self.flags.resize(self.space.len().max(state.index() + 1), 0);
        }
        &mut self.flags[state.index()]
    }

    fn walk_from(&mut self, initial: StateId) -> Result<Option<Violation>, Halt> {
        if *self.flag(initial) & OUTER != 0 {
            return Ok(None);
        }
        if self.space.is_error(initial) {
            return Ok(Some(Violation::State(vec![initial])));
        }
        self.enter(Arc { to: initial, weight: 0, marks: Marks::NONE })?;
        while let Some(event) = self.outer.next() {
            self.space.side_memory = self.outer.memory() + self.flags.capacity() as u64;
            match event {
                Event::Arc(arc) => {
                    let flags = *self.flag(arc.to);
                    if flags & OUTER == 0 {
                        if self.space.is_error(arc.to) {
                            return Ok(Some(Violation::State(self.outer.states().chain([arc.to]).collect())));
                        }
                        self.enter(arc)?;
                    } else if flags & ON_PATH != 0 && self.by_region && self.cycles_at(arc.to) == Cycles::All {
                        return Ok(Some(Violation::Cycle(self.close(&[], arc))));
                    }
                }
                Event::Leave(frame) => {
                    let state = frame.state();
                    let accepting = *self.flag(state) & ACCEPTING != 0;
                    if accepting && (!self.by_region || self.cycles_at(state) == Cycles::Some) {
                        // It counts as part of the path as long as its cycle is looked for.
                        if let Some((way, last)) = self.inner(state)? {
                            self.outer.put_back(frame);
                            return Ok(Some(Violation::Cycle(self.close(&way, last))));
                        }
                    }
                    *self.flag(state) &= !ON_PATH;
                }
            }
        }
        Ok(None)
    }

    fn cycles_at(&mut self, state: StateId) -> Cycles {
        self.space.region(state).cycles
    }

    /// The state goes onto the outer path.
    fn enter(&mut self, arc: Arc) -> Result<(), Halt> {
        *self.flag(arc.to) |= OUTER | ON_PATH;
        if self.outer.enter(self.space, arc)? {
            *self.flag(arc.to) |= ACCEPTING;
        }
        Ok(())
    }

    /// Looks for a way from the seed back to the outer path: the steps of a path, and the one that closes the cycle.
    fn inner(&mut self, seed: StateId) -> Result<Option<(Vec<Arc>, Arc)>, Halt> {
        let region: Option<Region> = self.by_region.then(|| self.space.region(seed));
        let mut walk = std::mem::take(&mut self.walk);
        // Later walks need not pass through the seed: what it leads to has been seen by this one.
        *self.flag(seed) |= INNER;
        walk.start(self.space, seed)?;
        while let Some(event) = walk.next() {
            let Event::Arc(arc) = event else { continue };
            if region.is_some_and(|region| self.space.region(arc.to).number != region.number) {
                continue;
            }
            let flags = *self.flag(arc.to);
            if flags & ON_PATH != 0 {
                return Ok(Some((walk.arcs_behind(1).collect(), arc)));
            }
            if flags & INNER == 0 {
                *self.flag(arc.to) |= INNER;
                walk.enter(self.space, arc)?;
                self.space.inner_memory = walk.memory();
            }
        }
        self.walk = walk;
        Ok(None)
    }

    /// The lasso that consists of the outer path, a way from its end and a step back to it.
    fn close(&self, way: &[Arc], last: Arc) -> Lasso {
        let head = self.outer.states().position(|state| state == last.to).unwrap_or(0);
        Lasso {
            stem: self.outer.states().take(head + 1).collect(),
            cycle: self.outer.arcs_behind(head + 1).chain(way.iter().copied()).chain([last]).collect(),
        }
    }
}
