//! The layers of a beam: of all states of one cost, those of all workers together, the best k are kept.
//!
//! Synchronised beam search (Wijs, Lisser 2007, "Distributed extended beam search for quantitative model checking"; layers by cost
//! make states of different workers comparable). A layer is taken in three rounds of its cost. When the frontier has come to it,
//! nothing can be added; each worker with states in it tells all others how many it has of each rank, one round later all of that
//! has come in, and everybody computes the same worst rank that is kept. Of the states of that rank as many are kept as there is room
//! for, those of the first workers first. Steps that cost nothing lead to the next layer of the same cost, three rounds later.
//!
//! Claims: which ranks are kept is what one worker would keep. Cost: a row of counts for each worker and layer.
//! Fails: as every beam does, when all ways to the error lead through states that look worse than k others.

use std::collections::{BTreeMap, VecDeque};

use bughound_kernel::StateId;

use crate::moment::Moment;

/// How wide a beam is, and what is best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub width: u64,
    /// All states as good as the last one that is kept are kept.
    pub flexible: bool,
}

/// Counts of states, by rank.
type Tally = BTreeMap<u64, u64>;

pub struct Beam {
    shape: Shape,
    open: BTreeMap<Moment, Vec<(u64, StateId)>>,
    /// The layer to which nothing is added any more, while the counts of others are on their way.
    sealed: Option<(Moment, Vec<(u64, StateId)>)>,
    /// Counts that have come in, by the layer that they are about and by worker.
    tallies: BTreeMap<Moment, BTreeMap<usize, Tally>>,
}

/// What is expanded of a layer.
pub struct Layer {
    pub states: VecDeque<StateId>,
    /// Some were thrown away.
    pub dropped: bool,
}

impl Beam {
    /// So many rounds after a layer was sealed, all counts have come in when the frontier is beyond.
    pub const TALLIED: u64 = 2;

    pub fn new(shape: Shape) -> Self {
        Beam { shape, open: BTreeMap::new(), sealed: None, tallies: BTreeMap::new() }
    }

    /// The layer of a state of this cost that was reached by what was sent, or expanded, at a moment.
    pub fn moment(cost: u64, reached: Moment) -> Moment {
        if cost > reached.cost { Moment { cost, round: 0 } } else { reached }
    }

    pub fn push(&mut self, moment: Moment, rank: u64, id: StateId) {
        self.open.entry(moment).or_default().push((rank, id));
    }

    pub fn first(&self) -> Option<Moment> {
        match &self.sealed {
            Some((moment, _)) => Some(Moment { round: moment.round + Beam::TALLIED, ..*moment }),
            None => self.open.keys().next().copied(),
        }
    }

    /// Closes the first layer if nothing can be added to it any more: the layer, and how many states of each rank are in it.
    pub fn seal(&mut self, frontier: Moment) -> Option<(Moment, Vec<u32>)> {
        if self.sealed.is_some() {
            return None;
        }
        let moment = *self.open.keys().next()?;
        if frontier <= moment {
            return None;
        }
        let (moment, states) = self.open.pop_first()?;
        let mut tally = Tally::new();
        for (rank, _) in &states {
            *tally.entry(*rank).or_default() += 1;
        }
        self.sealed = Some((moment, states));
        let halves = |value: u64| [value as u32, (value >> 32) as u32];
        Some((moment, tally.into_iter().flat_map(|(rank, count)| [halves(rank), halves(count)].concat()).collect()))
    }

    /// Another worker has told what it has in a layer.
    pub fn tallied(&mut self, arrived: Moment, from: usize, words: &[u32]) {
        let Some(round) = arrived.round.checked_sub(1) else { return };
        let whole = |low: u32, high: u32| u64::from(low) | (u64::from(high) << 32);
        let (rows, _) = words.as_chunks::<4>();
        let tally = rows.iter().map(|[a, b, c, d]| (whole(*a, *b), whole(*c, *d))).collect();
        self.tallies.entry(Moment { round, ..arrived }).or_default().insert(from, tally);
    }

    /// What is kept of the sealed layer, once all counts have come in.
    pub fn choose(&mut self, frontier: Moment, worker: usize) -> Option<Layer> {
        let (moment, _) = self.sealed.as_ref()?;
        if frontier <= (Moment { round: moment.round + Beam::TALLIED, ..*moment }) {
            return None;
        }
        let (moment, mut states) = self.sealed.take()?;
        let others = self.tallies.remove(&moment).unwrap_or_default();
        // Layers of others in which this worker had nothing.
        self.tallies = self.tallies.split_off(&moment);
        let mut all = Tally::new();
        for (rank, count) in others.values().flatten() {
            *all.entry(*rank).or_default() += count;
        }
        for (rank, _) in &states {
            *all.entry(*rank).or_default() += 1;
        }
        let total = states.len();
        states.sort_by_key(|(rank, _)| *rank);
        if let Some((worst, room)) = self.cut(&all) {
            let before = others.range(..worker).filter_map(|(_, tally)| tally.get(&worst)).sum::<u64>();
            let better = states.partition_point(|(rank, _)| *rank < worst) as u64;
            let equal = states.partition_point(|(rank, _)| *rank <= worst) as u64 - better;
            states.truncate((better + equal.min(room.saturating_sub(before))) as usize);
        }
        let dropped = states.len() < total;
        Some(Layer { states: states.into_iter().map(|(_, id)| id).collect(), dropped })
    }

    /// The worst rank of which something is kept, and how many of it; `None` if all is kept.
    fn cut(&self, all: &Tally) -> Option<(u64, u64)> {
        let mut kept = 0_u64;
        for (rank, count) in all {
            let room = self.shape.width.saturating_sub(kept);
            kept += count;
            if kept >= self.shape.width {
                return Some((*rank, if self.shape.flexible { *count } else { room }));
            }
        }
        None
    }

    pub fn len(&self) -> usize {
        let sealed = self.sealed.as_ref().map_or(0, |(_, states)| states.len());
        sealed + self.open.values().map(Vec::len).sum::<usize>()
    }

    pub fn memory(&self) -> u64 {
        self.len() as u64 * size_of::<(u64, StateId)>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_kernel::Random;

    /// Several workers keep together what one would keep.
    #[test]
    fn the_best_of_all_workers_are_kept() {
        let mut random = Random::new(4);
        for _ in 0..300 {
            let (width, flexible) = (1 + random.below(12) as u64, random.one_in(2));
            let workers = 1 + random.below(4);
            let moment = Moment { cost: 3, round: 0 };
            let mut beams: Vec<Beam> = (0..workers).map(|_| Beam::new(Shape { width, flexible })).collect();
            let mut ranks: Vec<u64> = Vec::new();
            for id in 0..random.below(30) as u32 {
                let rank = random.below(6) as u64;
                ranks.push(rank);
                beams[random.below(workers)].push(moment, rank, StateId(id));
            }
            assert!(beams[0].seal(moment).is_none(), "something can still come");
            let after = |rounds| Moment { round: rounds, ..moment };
            let sealed: Vec<_> = beams.iter_mut().map(|beam| beam.seal(after(1))).collect();
            for (from, tally) in sealed.iter().enumerate() {
                for to in (0..workers).filter(|to| *to != from) {
                    if let Some((_, words)) = tally {
                        beams[to].tallied(after(1), from, words);
                    }
                }
            }
            let mut kept: Vec<u64> = Vec::new();
            let mut dropped = false;
            for (number, beam) in beams.iter_mut().enumerate() {
                assert!(beam.choose(after(2), number).is_none());
                if let Some(layer) = beam.choose(after(3), number) {
                    dropped |= layer.dropped;
                    kept.extend(layer.states.iter().map(|id| ranks[id.0 as usize]));
                }
            }
            kept.sort_unstable();
            let total = ranks.len();
            ranks.sort_unstable();
            let worst = ranks.get(width as usize - 1).copied().unwrap_or(u64::MAX);
            match flexible {
                true => ranks.retain(|rank| *rank <= worst),
                false => ranks.truncate(width as usize),
            }
            assert_eq!((kept, dropped), (ranks.clone(), ranks.len() < total));
        }
    }
}
