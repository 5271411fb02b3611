//! No step is postponed for ever: every state whose steps were reduced leads, by steps that were taken, to one that has all
//! of its steps.
//!
//! A reduced set keeps an error only if what it postpones is taken some day. It is enough that from every reduced state *one*
//! way through the reduced graph leads to a state that was expanded as a whole: what is still to be done on the way to an
//! error stays possible along that way, and is done there at the latest. (Valmari 1991 asks this of the terminal components of
//! the reduced graph. Conditions on the stack of a depth-first search (Holzmann, Peled 1994) and on the closed states of any
//! search (Lluch Lafuente, Edelkamp, Leue 2002) imply it, and ask for more.)
//!
//! So each reduced state remembers one state that it leads to, and these pointers form trees: a root is still to be expanded,
//! or has all of its steps. When a state is expanded, it is a root; it may be reduced if one of its successors lies in
//! another tree. Otherwise all that it leads to leads back to it, and it takes all of its steps.
//!
//! **Several threads.** A state decides where it leads when its steps were taken, and all such decisions are made one after the
//! other, under a lock. What the argument needs then holds as if there were one thread. The state is a root, since only its own
//! first expansion, which one thread makes, hangs it below another one. What it hangs below is the root, at that moment, of a
//! state that one of its steps leads to; so pointers follow steps that were taken, and never go in a circle: of two states that
//! lead to each other, the one that decides last finds itself at the end of the other's chain. Whether a root is still to be
//! expanded, is being expanded by another thread, or has all of its steps, makes no difference: when the search is done, all
//! that are left are of the last kind. Who reads the end of a chain without the lock would not know this: the end may have been
//! hung below the very state in the meantime.
//!
//! The order of the search does not matter. Paths are halved as they are followed, so looking for a root costs next to
//! nothing; four bytes for each state.

use bughound_checkpoint::{Error, Reader, Writer};
use bughound_kernel::{OutOfMemory, StateId};

use crate::saving::{Ids, Snapshot};

#[derive(Debug, Default)]
pub(super) struct Chains {
    /// By number of the state; one that is no root points to another.
    next: Vec<u32>,
}

impl Chains {
    fn next(&self, at: u32) -> u32 {
        self.next.get(at as usize).copied().unwrap_or(at)
    }

    /// Where the chain of a state ends.
    pub fn root(&mut self, of: StateId) -> StateId {
        let mut at = of.0;
        loop {
            let next = self.next(at);
            if next == at {
                return StateId(at);
            }
            let further = self.next(next);
            self.next[at as usize] = further;
            at = further;
        }
    }

    /// A state was expanded in part, by steps to these states: does it lead on from there? An end that `stays` what it is, because
    /// it was expanded before, is preferred.
    pub fn lead_on(
        &mut self,
        from: StateId,
        to: &[StateId],
        stays: impl Fn(StateId) -> bool,
    ) -> Result<bool, OutOfMemory> {
        let mut onward = None;
        for state in to {
            let root = self.root(*state);
            if root != from {
                onward = Some(root);
                if stays(root) {
                    break;
                }
            }
        }
        let Some(root) = onward else { return Ok(false) };
        self.link(from, root).map(|()| true)
    }

    /// Hangs a root below another one.
    fn link(&mut self, root: StateId, below: StateId) -> Result<(), OutOfMemory> {
        debug_assert_ne!(root, below);
        let length = self.next.len();
        if root.index() >= length {
            // Most states come to point somewhere: room is made as for a vector that grows by one.
            self.next.try_reserve(root.index() + 1 - length).map_err(|_| OutOfMemory)?;
            self.next.extend(length as u32..=root.0);
        }
        self.next[root.index()] = below.0;
        Ok(())
    }

    pub fn memory(&self) -> u64 {
        (self.next.capacity() * size_of::<u32>()) as u64
    }
}

impl Snapshot for Chains {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        to.flag(self.next.is_empty());
        if !self.next.is_empty() {
            ids.iter().for_each(|id| ids.write(StateId(self.next(id.0)), to));
        }
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        if from.flag()? {
            return Ok(());
        }
        for id in ids.iter() {
            let next = ids.read(from)?;
            let length = self.next.len();
            if id.index() >= length {
                self.next.try_reserve(id.index() + 1 - length).map_err(|_| from.out_of_memory())?;
                self.next.extend(length as u32..=id.0);
            }
            self.next[id.index()] = next.0;
        }
        // What leads in a circle has no end.
        if self.lead_nowhere() { Err(from.damaged("chains of states lead nowhere")) } else { Ok(()) }
    }
}

impl Chains {
    /// Does one of them lead in a circle, or to where nothing is?
    fn lead_nowhere(&self) -> bool {
        // By state: in which walk it was met first; those of earlier walks lead somewhere.
        let mut met = vec![0_u32; self.next.len()];
        (0..self.next.len()).any(|start| {
            let (mut at, walk) = (start, start as u32 + 1);
            loop {
                let Some(before) = met.get_mut(at) else { return true };
                let known = std::mem::replace(before, if *before == 0 { walk } else { *before });
                let next = self.next[at] as usize;
                if next == at || known != 0 && known != walk {
                    return false;
                }
                if known == walk {
                    return true;
                }
                at = next;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    #[test]
    fn roots_are_those_of_plain_pointers() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut chains = Chains::default();
            let count = 40;
            let mut plain: Vec<u32> = (0..count).collect();
            let root = |plain: &[u32], mut at: u32| {
                while plain[at as usize] != at {
                    at = plain[at as usize];
                }
                at
            };
            for _ in 0..60 {
                let (a, b) = (random.below(count as usize) as u32, random.below(count as usize) as u32);
                let (a, b) = (root(&plain, a), root(&plain, b));
                if a != b {
                    chains.link(StateId(a), StateId(b)).unwrap();
                    plain[a as usize] = b;
                }
                for state in 0..count {
                    assert_eq!(chains.root(StateId(state)), StateId(root(&plain, state)));
                }
            }
        }
    }
}
