//! Looking over the shoulder of a search.

use bughound_kernel::Move;

/// Sees the moves of every step that a search computes, duplicates included; with several threads, every step that has an edge
/// of which the thread has not told before.
pub trait Observer: Send {
    fn step(&mut self, moves: &[Move]);

    /// All that it has seen, for another one that goes on.
    fn seen(&self) -> Vec<u64> {
        Vec::new()
    }

    /// This is what another one has seen before.
    fn add_seen(&mut self, _seen: &[u64]) {}
}

/// Which edges were ever executed. After a complete search the others are unreachable.
#[derive(Clone, Debug, Default)]
pub struct EdgeCoverage {
    seen: Vec<u64>,
}

impl EdgeCoverage {
    /// `edges`: how many edges the model has; larger numbers are taken too.
    pub fn new(edges: usize) -> Self {
        EdgeCoverage { seen: vec![0; edges.div_ceil(64)] }
    }

    pub fn was_executed(&self, edge: u32) -> bool {
        self.seen.get(edge as usize / 64).is_some_and(|word| word >> (edge % 64) & 1 == 1)
    }
}

impl Observer for EdgeCoverage {
    #[inline]
    fn step(&mut self, moves: &[Move]) {
        for mv in moves {
            let at = mv.edge as usize / 64;
            if at >= self.seen.len() {
                self.seen.resize(at + 1, 0);
            }
            self.seen[at] |= 1 << (mv.edge % 64);
        }
    }

    fn seen(&self) -> Vec<u64> {
        self.seen.clone()
    }

    fn add_seen(&mut self, seen: &[u64]) {
        if seen.len() > self.seen.len() {
            self.seen.resize(seen.len(), 0);
        }
        self.seen.iter_mut().zip(seen).for_each(|(known, more)| *known |= more);
    }
}
