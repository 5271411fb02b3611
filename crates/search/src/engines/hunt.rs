//! The errors met by a search: which still matter, which wait for their turn, which are certain.

use std::ops::ControlFlow;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Failure, StateId};

use crate::goals::{PropertyIndex, StopPolicy};
use crate::saving::{Ids, Snapshot, read_failure, write_failure};
use crate::search::Task;

/// An error: a state, or a step from it that fails. `At`: what the search knows the state by.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<At = StateId> {
    pub property: PropertyIndex,
    pub at: At,
    pub failure: Option<Failure>,
    /// When it was met.
    pub cost: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Found<At = StateId> {
    pub sighting: Sighting<At>,
    pub proven_shortest: bool,
}

/// A failing step at its cost. It is reported when no state with a smaller key is left, as if it were an entry of the
/// open list; only the cheapest of each property can matter, so they need no place in it.
#[derive(Clone, Copy, Debug)]
struct Pending<K, At> {
    key: K,
    sighting: Sighting<At>,
}

#[derive(Debug)]
pub struct Hunt<K, At = StateId> {
    policy: StopPolicy,
    properties: usize,
    pending: Vec<Pending<K, At>>,
    found: Vec<Found<At>>,
    /// Properties with errors behind the depth bound.
    beyond: Vec<PropertyIndex>,
}

impl<K: Copy + Ord, At> Hunt<K, At> {
    pub fn new(task: &Task<'_>) -> Self {
        let properties = task.goals.properties().len();
        Hunt { policy: task.stop, properties, pending: Vec::new(), found: Vec::new(), beyond: Vec::new() }
    }

    pub fn has_witness(&self, property: PropertyIndex) -> bool {
        self.found.iter().any(|found| found.sighting.property == property)
    }

    /// Takes an error as result in place of a costlier one: of its property, or of any if one error is enough. What all
    /// errors that are still of interest cost less than, once there are enough.
    pub fn improve(&mut self, sighting: Sighting<At>) -> Option<u64> {
        let found = Found { sighting, proven_shortest: false };
        let first = self.policy == StopPolicy::FirstError;
        let same = |known: &Found<At>| first || known.sighting.property == found.sighting.property;
        match self.found.iter_mut().find(|known| same(known)) {
            Some(known) if known.sighting.cost <= found.sighting.cost => {}
            Some(known) => *known = found,
            None => self.found.push(found),
        }
        let enough = if self.policy == StopPolicy::FirstError { 1 } else { self.properties };
        let costliest = self.found.iter().map(|found| found.sighting.cost).max();
        costliest.filter(|_| self.found.len() >= enough)
    }

    /// How many properties have a witness.
    pub fn found(&self) -> usize {
        self.found.len()
    }

    /// The properties that have a witness.
    pub fn with_witness(&self) -> Vec<PropertyIndex> {
        self.found.iter().map(|found| found.sighting.property).collect()
    }

    /// Takes an error as result. `Break`: there is no reason to go on.
    pub fn report(&mut self, sighting: Sighting<At>, proven_shortest: bool) -> ControlFlow<()> {
        // What other workers meet before they have heard of the end comes too late.
        let enough = |found: &[Found<At>]| self.policy.is_satisfied(found.len(), self.properties);
        if !enough(&self.found) && !self.has_witness(sighting.property) {
            self.found.push(Found { sighting, proven_shortest });
        }
        if enough(&self.found) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Keeps an error until all cheaper states are expanded.
    pub fn postpone(&mut self, key: K, sighting: Sighting<At>) {
        match self.pending.iter_mut().find(|pending| pending.sighting.property == sighting.property) {
            Some(pending) if pending.key <= key => {}
            Some(pending) => *pending = Pending { key, sighting },
            None => self.pending.push(Pending { key, sighting }),
        }
    }

    pub fn note_beyond_bound(&mut self, property: PropertyIndex) {
        if !self.beyond.contains(&property) {
            self.beyond.push(property);
        }
    }

    /// Did the depth bound cut off an error of which no shorter witness is known?
    pub fn missed_beyond_bound(&self) -> bool {
        self.beyond.iter().any(|&property| !self.has_witness(property))
    }

    /// Do errors wait for their turn?
    #[inline]
    pub fn has_postponed(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Does an error of a property wait for its turn?
    pub fn awaits(&self, property: PropertyIndex) -> bool {
        self.pending.iter().any(|pending| pending.sighting.property == property)
    }

    /// Does an error wait whose turn it is, now that the smallest key left is `next`?
    pub fn is_ripe(&self, next: Option<K>) -> bool {
        self.pending.iter().any(|pending| next.is_none_or(|next| pending.key <= next))
    }

    /// Reports the postponed errors whose turn it is now that the smallest key left is `next` (`None`: nothing is
    /// left).
    pub fn settle(&mut self, next: Option<K>, proven_shortest: bool) -> ControlFlow<()> {
        self.pending.sort_by_key(|pending| pending.key);
        let ripe = self.pending.partition_point(|pending| next.is_none_or(|next| pending.key <= next));
        for pending in self.pending.drain(..ripe).collect::<Vec<_>>() {
            self.report(pending.sighting, proven_shortest)?;
        }
        ControlFlow::Continue(())
    }

    /// The same where states are known by something else, and errors wait for their costs.
    pub fn at_costs<Other>(self, mut place: impl FnMut(&At) -> Other) -> Hunt<u64, Other> {
        let mut sighting = |from: Sighting<At>| {
            let Sighting { property, at, failure, cost } = from;
            Sighting { property, at: place(&at), failure, cost }
        };
        let mut pending = Vec::new();
        for one in self.pending {
            pending.push(Pending { key: one.sighting.cost, sighting: sighting(one.sighting) });
        }
        let found = self.found.into_iter();
        let found =
            found.map(|one| Found { sighting: sighting(one.sighting), proven_shortest: one.proven_shortest }).collect();
        Hunt { policy: self.policy, properties: self.properties, pending, found, beyond: self.beyond }
    }

    pub fn take_found(&mut self) -> Vec<Found<At>> {
        std::mem::take(&mut self.found)
    }

    pub fn has_found_any(&self) -> bool {
        !self.found.is_empty()
    }

    pub fn stops_at_first(&self) -> bool {
        self.policy == StopPolicy::FirstError
    }
}

impl<At> Sighting<At> {
    /// `put` writes what the search knows the state by.
    pub fn write(&self, put: impl FnOnce(&At, &mut Writer), to: &mut Writer) {
        to.number(self.property as u64);
        put(&self.at, to);
        write_failure(self.failure, to);
        to.number(self.cost);
    }

    /// The inverse.
    pub fn read(take: impl FnOnce(&mut Reader) -> Result<At, Error>, from: &mut Reader) -> Result<Self, Error> {
        let (property, at) = (from.small()?, take(from)?);
        Ok(Sighting { property, at, failure: read_failure(from)?, cost: from.number()? })
    }
}

impl<K: Record, At> Hunt<K, At> {
    /// Writes all errors. `put` writes what the search knows states by.
    pub fn write(&self, put: impl Fn(&At, &mut Writer), to: &mut Writer) {
        to.number(self.pending.len() as u64);
        for Pending { key, sighting } in &self.pending {
            key.write(to);
            sighting.write(&put, to);
        }
        to.number(self.found.len() as u64);
        for Found { sighting, proven_shortest } in &self.found {
            sighting.write(&put, to);
            to.flag(*proven_shortest);
        }
        self.beyond.write(to);
    }

    /// Reads them into one that has none.
    pub fn read(&mut self, take: impl Fn(&mut Reader) -> Result<At, Error>, from: &mut Reader) -> Result<(), Error> {
        for _ in 0..from.count(4)? {
            let pending = Pending { key: K::read(from)?, sighting: Sighting::read(&take, from)? };
            self.pending.push(pending);
        }
        for _ in 0..from.count(4)? {
            let found = Found { sighting: Sighting::read(&take, from)?, proven_shortest: from.flag()? };
            self.found.push(found);
        }
        self.beyond = Record::read(from)?;
        Ok(())
    }
}

impl<K: Record> Snapshot for Hunt<K> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.write(|id, to| ids.write(*id, to), to);
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.read(|from| ids.read(from), from)
    }
}
