//! Everything that may speak for a state: for open lists that look at it from several sides.

use std::time::Duration;

use bughound_checkpoint::{Error, Reader, Record, Writer};
use bughound_kernel::{Estimate, Heuristic, PreferredStep, State, StateId};

use crate::evaluators::{Arrival, Grade, Grader, Novelty, Priority, Rank, Stopwatch};
use crate::saving::{Ids, Snapshot};

/// So many estimates at most.
pub const ESTIMATES: usize = 2;

/// In place of an estimate for dead ends that are no proof.
const HOPELESS: u32 = u32::MAX;

/// The key: the whole case for a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    pub estimates: [u32; ESTIMATES],
    pub cost: u64,
    /// Of the last step.
    pub grade: u32,
    /// Some heuristic recommended the last step.
    pub preferred: bool,
    pub new: bool,
    /// One of the estimates is smaller than ever before.
    pub progress: bool,
}

struct Source<'h> {
    heuristic: Box<dyn Heuristic + 'h>,
    safe: bool,
    best: u32,
}

/// The state whose successors arrive.
#[derive(Default)]
struct Parent {
    id: Option<StateId>,
    estimates: [u32; ESTIMATES],
    is_dead_end: bool,
    recommended: Vec<PreferredStep>,
}

/// Makes the case for each state.
///
/// Estimates are *deferred* if asked for: a state has those of its parent, which is estimated when it is expanded. That
/// costs one estimate for each expansion instead of one for each successor, and tells less.
pub struct Standings<'h, G> {
    sources: Vec<Source<'h>>,
    grader: G,
    novelty: Novelty,
    deferred: bool,
    parent: Parent,
    stopwatch: Stopwatch,
}

impl<'h, G: Grader> Standings<'h, G> {
    /// Of the heuristics, the first [`ESTIMATES`] count.
    pub fn new(heuristics: Vec<Box<dyn Heuristic + 'h>>, grader: G, deferred: bool) -> Self {
        let source = |heuristic: Box<dyn Heuristic + 'h>| {
            let safe = heuristic.claims().safe;
            Source { heuristic, safe, best: HOPELESS }
        };
        Standings {
            sources: heuristics.into_iter().take(ESTIMATES).map(source).collect(),
            grader,
            novelty: Novelty::default(),
            deferred,
            parent: Parent::default(),
            stopwatch: Stopwatch::default(),
        }
    }

    /// All estimates of a state; `None` for a dead end that is proven to be one.
    fn estimate(&mut self, state: State<'_>, recommended: Option<&mut Vec<PreferredStep>>) -> Option<[u32; ESTIMATES]> {
        let mut estimates = [0; ESTIMATES];
        let mut all = Vec::new();
        for (source, estimate) in self.sources.iter_mut().zip(&mut estimates) {
            *estimate = match self.stopwatch.estimate(&mut *source.heuristic, state) {
                Estimate::Finite(value) => value.min(u64::from(HOPELESS) - 1) as u32,
                Estimate::DeadEnd if source.safe => return None,
                Estimate::DeadEnd => HOPELESS,
            };
            if recommended.is_some() {
                all.extend_from_slice(source.heuristic.preferred());
            }
        }
        if let Some(recommended) = recommended {
            *recommended = all;
        }
        Some(estimates)
    }

    fn look_at_parent(&mut self, id: StateId, state: State<'_>) {
        if self.parent.id == Some(id) {
            return;
        }
        let mut recommended = std::mem::take(&mut self.parent.recommended);
        recommended.clear();
        let estimates = self.estimate(state, Some(&mut recommended));
        let is_dead_end = estimates.is_none();
        self.parent = Parent { id: Some(id), estimates: estimates.unwrap_or_default(), is_dead_end, recommended };
    }
}

impl<G: Grader> Priority for Standings<'_, G> {
    type Key = Standing;

    fn rank(&mut self, arrival: &Arrival<'_>) -> Rank<Standing> {
        if let Some(from) = arrival.from {
            self.look_at_parent(from.id, from.state);
            if self.parent.is_dead_end {
                return Rank::Prune;
            }
        }
        let estimates = match arrival.from {
            Some(_) if self.deferred => self.parent.estimates,
            _ => match self.estimate(arrival.state, None) {
                Some(estimates) => estimates,
                None => return Rank::Prune,
            },
        };
        let Some(grade) = self.grader.grade(arrival, Some(estimates[0].into())) else { return Rank::Prune };
        let mut progress = false;
        for (source, estimate) in self.sources.iter_mut().zip(estimates) {
            progress |= estimate < source.best;
            source.best = source.best.min(estimate);
        }
        Rank::Open(Standing {
            estimates,
            cost: arrival.cost,
            grade: grade.0,
            preferred: arrival.from.is_some() && self.parent.recommended.iter().any(|step| step.begins(arrival.moves)),
            new: self.novelty.is_new(arrival.state, arrival.from.map(|from| from.state), estimates[0]),
            progress,
        })
    }

    fn rank_error(&self, cost: u64) -> Standing {
        Standing { cost, grade: Grade::FIRST.0, ..Standing::default() }
    }

    fn finds_cheapest_first(&self) -> bool {
        false
    }

    fn best_estimate(&self) -> Option<u64> {
        self.sources.first().map(|source| source.best.into())
    }

    fn evaluations(&self) -> (u64, Duration) {
        self.stopwatch.read()
    }

    fn memory(&self) -> u64 {
        let heuristics: u64 = self.sources.iter().map(|source| source.heuristic.memory()).sum();
        heuristics + self.grader.memory() + self.novelty.memory()
    }
}

impl Record for Standing {
    fn write(&self, to: &mut Writer) {
        self.estimates.into_iter().for_each(|estimate| to.number(estimate.into()));
        to.number(self.cost);
        to.number(self.grade.into());
        [self.preferred, self.new, self.progress].into_iter().for_each(|flag| to.flag(flag));
    }

    fn read(from: &mut Reader) -> Result<Self, Error> {
        Ok(Standing {
            estimates: [from.small()?, from.small()?],
            cost: from.number()?,
            grade: from.small()?,
            preferred: from.flag()?,
            new: from.flag()?,
            progress: from.flag()?,
        })
    }
}

fn write_recommended(step: &PreferredStep, to: &mut Writer) {
    to.flag(step.second.is_some());
    for (process, edge) in [step.first].into_iter().chain(step.second) {
        to.number(process.into());
        to.number(edge.into());
    }
}

fn read_recommended(from: &mut Reader) -> Result<PreferredStep, Error> {
    let is_joined = from.flag()?;
    let mut half = || Ok::<_, Error>((from.small()?, from.small()?));
    Ok(PreferredStep { first: half()?, second: if is_joined { Some(half()?) } else { None } })
}

impl<G: Grader> Snapshot for Standings<'_, G> {
    fn save(&self, ids: &Ids, to: &mut Writer) {
        self.grader.save(ids, to);
        self.novelty.save(ids, to);
        self.stopwatch.write(to);
        self.sources.iter().for_each(|source| to.number(source.best.into()));
        let Parent { id, estimates, is_dead_end, recommended } = &self.parent;
        ids.write_optional(*id, to);
        estimates.iter().for_each(|estimate| to.number((*estimate).into()));
        to.flag(*is_dead_end);
        to.number(recommended.len() as u64);
        recommended.iter().for_each(|step| write_recommended(step, to));
    }

    fn load(&mut self, ids: &Ids, from: &mut Reader) -> Result<(), Error> {
        self.grader.load(ids, from)?;
        self.novelty.load(ids, from)?;
        self.stopwatch = Record::read(from)?;
        for source in &mut self.sources {
            source.best = from.small()?;
        }
        let id = ids.read_optional(from)?;
        let (estimates, is_dead_end) = ([from.small()?, from.small()?], from.flag()?);
        let count = from.count(3)?;
        let recommended = (0..count).map(|_| read_recommended(from)).collect::<Result<_, _>>()?;
        self.parent = Parent { id, estimates, is_dead_end, recommended };
        Ok(())
    }
}
