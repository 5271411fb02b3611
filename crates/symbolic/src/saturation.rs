//! **Saturation.** The states that can be reached by known steps, from the bottom of the diagrams to the top.
//!
//! The relations are sorted by the highest variable that they look at or write. `saturate(set, at)` closes a set under all relations
//! from number `at` on: as long as the set branches above them, it does so for each branch by itself; else it closes the set under
//! the relations further down, takes the steps of those at this variable, and begins again. Each result is remembered, so what many
//! states have in common is closed once: this is what makes 2^N steps, one after the other, a matter of N nodes.
//!
//! Paper: van Dijk, Meijer, van de Pol 2019, "Multi-core on-the-fly saturation".

use std::collections::HashMap;

use oxidd::{BooleanFunction, VarNo};

use crate::diagrams::{Computed, Diagrams, Set};
use crate::group::Relation;
use crate::pulse::Pulse;

pub(crate) struct Saturation<'s> {
    diagrams: &'s Diagrams,
    /// By the highest variable.
    relations: Vec<(VarNo, &'s Relation)>,
    /// For each relation: the first one with a lower highest variable.
    next: Vec<usize>,
    known: HashMap<(Set, usize), Set>,
    /// So many results are remembered at most.
    most_known: usize,
    pub images: u64,
}

impl<'s> Saturation<'s> {
    pub fn new(diagrams: &'s Diagrams, all: impl Iterator<Item = &'s Relation>) -> Saturation<'s> {
        let mut relations: Vec<(VarNo, &Relation)> = all.map(|relation| (relation.top(), relation)).collect();
        relations.sort_by_key(|(top, _)| *top);
        let next = |at: usize| relations.partition_point(|(top, _)| *top <= relations[at].0);
        let next = (0..relations.len()).map(next).collect();
        let most_known = diagrams.room_for_results();
        Saturation { diagrams, relations, next, known: HashMap::new(), most_known, images: 0 }
    }

    /// What can be reached from a set.
    pub fn close(&mut self, set: &Set, pulse: &mut Pulse<'_, '_>) -> Computed<Set> {
        self.saturate(set, 0, pulse)
    }

    fn saturate(&mut self, set: &Set, at: usize, pulse: &mut Pulse<'_, '_>) -> Computed<Set> {
        let Some((top, _)) = self.relations.get(at) else { return Ok(set.clone()) };
        if self.diagrams.is_empty(set) {
            return Ok(set.clone());
        }
        let key = (set.clone(), at);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let branches = self.diagrams.top(set).filter(|variable| variable < top);
        let closed = match (branches, set.cofactors()) {
            (Some(variable), Some((ones, zeros))) => {
                let zeros = self.saturate(&zeros, at, pulse)?;
                let ones = self.saturate(&ones, at, pulse)?;
                self.diagrams.choice(variable, &ones, &zeros)?
            }
            _ => self.exhaust(set, at, pulse)?,
        };
        if self.known.len() >= self.most_known || self.diagrams.is_crowded() {
            self.known.clear();
        }
        self.known.insert(key, closed.clone());
        Ok(closed)
    }

    /// Takes the steps of all relations from here on that look at this variable or lower ones.
    fn exhaust(&mut self, set: &Set, at: usize, pulse: &mut Pulse<'_, '_>) -> Computed<Set> {
        let end = self.next[at];
        let mut all = set.clone();
        loop {
            let before = all.clone();
            all = self.saturate(&all, end, pulse)?;
            for number in at..end {
                pulse.beat(self.diagrams)?;
                let image = self.relations[number].1.image(self.diagrams, &all)?;
                all = self.diagrams.or(&all, &image)?;
                self.images += 1;
            }
            if all == before {
                return Ok(all);
            }
        }
    }
}
