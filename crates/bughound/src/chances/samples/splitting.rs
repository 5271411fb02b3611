//! **Importance splitting** with fixed effort, for events so rare that no run drawn plainly would see them.
//!
//! A heuristic says how far a state is from the goal. Levels are bounds on the estimate that lie one within the other; the goal is the
//! last one. From the initial state `n` runs are drawn; each goes on until its estimate is at or below the first level, or until it is
//! decided. From the states in which the `k` of them that got there entered the level (one of them drawn at random each time, with
//! replacement), `n` runs are drawn to the next level, and so on. The estimate is the product of the shares `k / n`.
//!
//! Papers: Kahn and Harris 1951; Garvels, *The splitting method in rare event simulation*, 2000 (fixed effort); Del Moral,
//! *Feynman-Kac formulae*, 2004.
//!
//! Why it is unbiased: with multinomial resampling this is the particle estimate of a normalising constant, whose mean is the constant
//! whatever `n` is (Del Moral, theorem 7.4.2). By hand: given the entrance states of level `i`, each run from there starts in one
//! of them drawn uniformly, so the mean of `k / n` times any function, averaged over the entrance states of level `i + 1`, is what the
//! chain itself would give from a uniformly drawn entrance state of level `i`; step by step the product has the mean
//! `P(level 1) E(...)` of the chain. It takes that levels do not depend on these runs (a pilot with random numbers of its own chooses
//! them), that a run remembers all that its future depends on (state, time, number of steps), and that a run which enters several
//! levels at once enters all of them (the next stage lets it through as it stands). No property of the heuristic is needed: a
//! bad one costs variance, never truth. Runs that are undecided after the largest number of steps are weighed in the same way,
//! so that the upper end knows how much they may be worth.
//!
//! The interval comes from independent replications by Student's distribution, and is approximate: products are skewed to the right,
//! the more so the fewer runs there are for each level.
//!
//! Cost: replications times levels times `n` runs, each as long as from a level to the next one or back to a decision. Fails where the
//! heuristic sees no way to go (all states as far as the initial one: then it is plain sampling), or leads runs to where the goal is
//! near but unlikely. Example: `check models/probabilistic/ruin.pm --const N=10 --samples 10000 --splitting`.

use std::collections::BTreeMap;

use bughound_kernel::{Estimate as Distance, Heuristic, State};

use super::asked::Path;
use super::dead_ends::DeadEnds;
use super::interval::{Mean, clopper_pearson};
use super::runs::{End, Place, Runs, Trouble};

/// Independent repetitions.
pub const REPLICATIONS: u64 = 20;
/// Fewer runs for a level say nothing.
pub const FEWEST_RUNS: u64 = 10;
/// The pilot draws so many runs for a level at least.
const PILOT: u64 = 200;
/// A level is chosen so that about so many runs get there from the one before: one in four.
const SHARE: u64 = 4;
/// How often the pilot tries with four times as many runs where none gets any nearer.
const RETRIES: u32 = 3;

/// A run between two levels.
#[derive(Clone, Debug)]
struct Particle {
    place: Place,
    /// It has reached the goal. In continuous time that may depend on how long it stays where it is, and must not be drawn again.
    is_hit: bool,
}

/// What all replications say.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// Of the results that count undecided runs as misses.
    pub least: Mean,
    /// Of those that count them as hits.
    pub most: Mean,
    pub hits: u64,
    pub undecided: u64,
    pub levels: u64,
    /// Of the runs from the initial state: how many got to the first level, or are undecided.
    first: u64,
    samples: u64,
}

pub struct Splitting<'r, 's, 'd, 'c, 'h> {
    pub runs: &'r mut Runs<'s, 'd, 'c>,
    pub path: &'r Path,
    pub heuristic: Box<dyn Heuristic + 'h>,
    pub dead_ends: DeadEnds<'h>,
}

impl Splitting<'_, '_, '_, '_, '_> {
    /// How far a state is from the goal; `None` if it cannot be reached.
    fn distance(&mut self, place: &Place) -> Option<u64> {
        match self.heuristic.estimate(State::discrete(&place.key).into()) {
            Distance::Finite(distance) => Some(distance),
            Distance::DeadEnd if self.heuristic.claims().safe => None,
            Distance::DeadEnd => Some(u64::MAX),
        }
    }

    /// Goes on to the level (the goal, if there is none) or to a decision. A hit has entered the level.
    fn follow(&mut self, particle: &mut Particle, level: Option<u64>) -> Result<End, Trouble> {
        if particle.is_hit {
            return Ok(End::Hit);
        }
        loop {
            match (self.distance(&particle.place), level) {
                (None, _) => return Ok(End::Miss),
                (Some(distance), Some(level)) if distance <= level => return Ok(End::Hit),
                _ => {}
            }
            if let Some(end) = self.runs.advance(self.path, &mut particle.place, &mut self.dead_ends)? {
                particle.is_hit = end == End::Hit;
                return Ok(end);
            }
        }
    }

    /// Chooses the levels: those that about one in four runs reaches from the level before.
    pub fn levels(&mut self, runs: u64) -> Result<Vec<u64>, Trouble> {
        let mut levels = Vec::new();
        let mut from = vec![Particle { place: self.runs.start(), is_hit: false }];
        let mut nearest = self.distance(&from[0].place).unwrap_or(0);
        let mut retries = 0;
        loop {
            let count = runs.max(PILOT) << (2 * retries);
            let enough = (count / SHARE) as usize;
            // By estimate: the runs that were nearer than ever before, where they were.
            let mut nearer: BTreeMap<u64, Vec<Particle>> = BTreeMap::new();
            let mut hits = 0;
            for _ in 0..count {
                let mut particle = from[self.runs.random.below(from.len())].clone();
                let mut least = nearest;
                hits += usize::from(loop {
                    let Some(distance) = self.distance(&particle.place) else { break false };
                    if distance < least {
                        least = distance;
                        nearer.entry(distance).or_default().push(particle.clone());
                    }
                    if let Some(end) = self.runs.advance(self.path, &mut particle.place, &mut self.dead_ends)? {
                        break end == End::Hit;
                    }
                });
            }
            if hits >= enough {
                return Ok(levels);
            }
            // The nearest estimate that enough of them have seen, or the one that is the first for most of them.
            let likely = nearer.iter().find(|(_, entered)| entered.len() >= enough);
            match likely.or(nearer.iter().next_back()) {
                None if hits == 0 && retries < RETRIES => retries += 1,
                None => return Ok(levels),
                Some((level, _)) => {
                    let level = *level;
                    from = nearer.remove(&level).unwrap_or_default();
                    levels.push(level);
                    (nearest, retries) = (level, 0);
                }
            }
        }
    }

    /// All replications.
    pub fn replicate(&mut self, levels: &[u64], runs: u64) -> Result<Split, Trouble> {
        let mut split = Split {
            least: Mean::default(),
            most: Mean::default(),
            hits: 0,
            undecided: 0,
            levels: levels.len() as u64 + 1,
            first: 0,
            samples: runs * REPLICATIONS,
        };
        for _ in 0..REPLICATIONS {
            let (least, undecided) = self.replication(levels, runs, &mut split)?;
            split.least.add(least);
            split.most.add(least + undecided);
        }
        Ok(split)
    }

    /// The estimate, and that of the probability to stay undecided.
    fn replication(&mut self, levels: &[u64], runs: u64, split: &mut Split) -> Result<(f64, f64), Trouble> {
        let mut from = vec![Particle { place: self.runs.start(), is_hit: false }];
        let (mut weight, mut undecided) = (1.0, 0.0);
        let stages = levels.iter().copied().map(Some).chain([None]);
        for (number, level) in stages.enumerate() {
            let mut entered = Vec::new();
            for _ in 0..runs {
                let mut particle = from[self.runs.random.below(from.len())].clone();
                let end = self.follow(&mut particle, level)?;
                if end == End::Undecided {
                    undecided += weight / runs as f64;
                    split.undecided += 1;
                }
                split.first += u64::from(number == 0 && end != End::Miss);
                if end == End::Hit {
                    entered.push(particle);
                }
            }
            weight *= entered.len() as f64 / runs as f64;
            if entered.is_empty() {
                return Ok((0.0, undecided));
            }
            from = entered;
        }
        split.hits += from.len() as u64;
        Ok((weight, undecided))
    }
}

impl Split {
    /// From where to where the probability lies, about so often.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let lower = self.least.interval(confidence).0.max(0.0);
        if self.hits > 0 {
            return (lower, self.most.interval(confidence).1.min(1.0));
        }
        // No replication has seen the goal. That all results are 0 does not make the value 0; but who reaches the goal has reached
        // the first level or was undecided before, and these runs are independent.
        (0.0, clopper_pearson(self.first, self.samples, confidence).1)
    }
}
