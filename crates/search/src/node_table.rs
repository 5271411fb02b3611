//! What a search knows of each stored state: its parent, its cost and whether it waits to be expanded. 8 bytes each.

use std::collections::HashMap;

use bughound_kernel::{OutOfMemory, StateId};

const CHUNK_BITS: u32 = 16;
const CHUNK: usize = 1 << CHUNK_BITS;

const OPEN: u32 = 1 << 31;
const EXPANDED: u32 = 1 << 30;
/// All of its steps were taken, although some could have been postponed.
const WHOLE: u32 = 1 << 29;
const FLAGS: u32 = OPEN | EXPANDED | WHOLE;
/// In place of a cost that does not fit 29 bits; the cost is in the side map.
const WIDE: u32 = WHOLE - 1;
/// In place of a parent. Stores number at most `u32::MAX - 1` states.
const NO_PARENT: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    parent: u32,
    /// [`FLAGS`], and the cost.
    cost_and_flags: u32,
}

/// Was a state expanded before?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    First,
    Again,
}

#[derive(Debug, Default)]
pub struct NodeTable {
    chunks: Vec<Vec<Node>>,
    wide: HashMap<u32, u64>,
    /// No state ever cost more.
    highest_cost: u64,
}

impl NodeTable {
    pub fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.len())
    }

    pub fn memory(&self) -> u64 {
        let wide = self.wide.capacity() * (size_of::<(u32, u64)>() + 1);
        (self.len() * size_of::<Node>() + wide) as u64
    }

    /// Adds the state with the next id, not open.
    pub fn push(&mut self, parent: Option<StateId>, cost: u64) -> Result<(), OutOfMemory> {
        let id = self.len();
        if id.is_multiple_of(CHUNK) {
            let mut chunk = Vec::new();
            chunk.try_reserve_exact(CHUNK).map_err(|_| OutOfMemory)?;
            self.chunks.try_reserve(1).map_err(|_| OutOfMemory)?;
            self.chunks.push(chunk);
        }
        let cost_and_flags = self.narrow(id as u32, cost)?;
        let node = Node { parent: parent.map_or(NO_PARENT, |parent| parent.0), cost_and_flags };
        self.chunks[id / CHUNK].push(node);
        Ok(())
    }

    /// A cost as it is kept in the node.
    #[inline]
    fn narrow(&mut self, id: u32, cost: u64) -> Result<u32, OutOfMemory> {
        self.highest_cost = self.highest_cost.max(cost);
        if cost < u64::from(WIDE) {
            return Ok(cost as u32);
        }
        self.wide.try_reserve(1).map_err(|_| OutOfMemory)?;
        self.wide.insert(id, cost);
        Ok(WIDE)
    }

    /// Gives a state another parent and another cost.
    pub fn relink(&mut self, id: StateId, parent: Option<StateId>, cost: u64) -> Result<(), OutOfMemory> {
        let narrow = self.narrow(id.0, cost)?;
        let node = self.node_mut(id);
        node.parent = parent.map_or(NO_PARENT, |parent| parent.0);
        node.cost_and_flags = node.cost_and_flags & FLAGS | narrow;
        Ok(())
    }

    pub fn parent(&self, id: StateId) -> Option<StateId> {
        let parent = self.node(id).parent;
        (parent != NO_PARENT).then_some(StateId(parent))
    }

    #[inline]
    pub fn cost(&self, id: StateId) -> u64 {
        let narrow = self.node(id).cost_and_flags & !FLAGS;
        if narrow == WIDE { self.wide.get(&id.0).copied().unwrap_or(u64::MAX) } else { narrow.into() }
    }

    /// Does a state cost more than this? Searches by cost mostly arrive at the highest one so far, and then the state, which is
    /// seldom in the cache, is not looked at.
    #[inline]
    pub fn costs_more(&self, id: StateId, cost: u64) -> bool {
        self.highest_cost > cost && self.cost(id) > cost
    }

    #[inline]
    pub fn is_open(&self, id: StateId) -> bool {
        self.node(id).cost_and_flags & OPEN != 0
    }

    #[inline]
    pub fn open(&mut self, id: StateId) {
        self.node_mut(id).cost_and_flags |= OPEN;
    }

    /// The state need not be expanded (any more).
    #[inline]
    pub fn close(&mut self, id: StateId) {
        self.node_mut(id).cost_and_flags &= !OPEN;
    }

    pub fn was_expanded(&self, id: StateId) -> bool {
        self.node(id).cost_and_flags & EXPANDED != 0
    }

    /// Was it expanded as a whole, although a part would have been enough but for the order of the search?
    pub fn is_whole(&self, id: StateId) -> bool {
        self.node(id).cost_and_flags & WHOLE != 0
    }

    pub fn set_whole(&mut self, id: StateId) {
        self.node_mut(id).cost_and_flags |= WHOLE;
    }

    /// Takes an open state for expansion; `None` if it is not open: its entry in the open list is out of date.
    #[inline]
    pub fn take(&mut self, id: StateId) -> Option<Visit> {
        let node = self.node_mut(id);
        if node.cost_and_flags & OPEN == 0 {
            return None;
        }
        let visit = if node.cost_and_flags & EXPANDED == 0 { Visit::First } else { Visit::Again };
        node.cost_and_flags = node.cost_and_flags & !OPEN | EXPANDED;
        Some(visit)
    }

    #[inline]
    fn node(&self, id: StateId) -> &Node {
        &self.chunks[(id.0 >> CHUNK_BITS) as usize][id.index() & (CHUNK - 1)]
    }

    #[inline]
    fn node_mut(&mut self, id: StateId) -> &mut Node {
        &mut self.chunks[(id.0 >> CHUNK_BITS) as usize][id.index() & (CHUNK - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_of_every_size_survive_flags() {
        let mut table = NodeTable::default();
        for (n, cost) in
            [0, 1, u64::from(WIDE) - 1, u64::from(WIDE), u64::from(u32::MAX), u64::MAX].into_iter().enumerate()
        {
            let id = StateId(n as u32);
            table.push(Some(StateId(7)), cost).unwrap();
            assert_eq!(table.take(id), None);
            table.open(id);
            assert_eq!((table.cost(id), table.is_open(id), table.was_expanded(id)), (cost, true, false));
            assert_eq!(table.take(id), Some(Visit::First));
            table.open(id);
            assert_eq!(table.take(id), Some(Visit::Again));
            assert_eq!((table.cost(id), table.parent(id)), (cost, Some(StateId(7))));
            table.relink(id, None, 3).unwrap();
            assert_eq!((table.cost(id), table.parent(id)), (3, None));
            table.relink(id, None, cost).unwrap();
        }
    }
}
