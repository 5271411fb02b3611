//! Statistical answers: values estimated from random runs, with confidence intervals, without storing states.
//!
//! [`sample`] draws independent runs (`runs.rs`) and counts those in which the formula is true, or takes the mean of what they earn; or
//! it has rare events found by splitting (`splitting.rs`). What comes out is an [`Estimate`], never a proof.
//!
//! Nothing is left out of an estimate: a run that is not decided, because it became too long or because the time was over, counts as
//! a miss for the lower end of the interval and as a hit for the upper end. To leave out the run under way when the time is
//! over would prefer short runs.

mod asked;
mod dead_ends;
mod estimate;
mod interval;
mod runs;
mod splitting;

use bughound_ir::chance::{ChanceQuestion, Comparison, Kind, Number};
use bughound_ir::expr::Expr;
use bughound_ir::targets::Targets;
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Limits, StopReason};
use bughound_search::{Driver, Statistics};
use bughound_semantics::DiscreteSystem;

pub use estimate::{Estimate, Method, SplittingDocument};

use super::NoAnswer;
use super::walk::driven;
use crate::guide::{Guide, ReadExpression};
use crate::run::Hooks;
use asked::{Observed, Path, Sampled, Until, as_expression};
use dead_ends::{DeadEnds, build};
use interval::{Mean, clopper_pearson};
use runs::{End, Runs, Trouble};
use splitting::{FEWEST_RUNS, REPLICATIONS, Splitting};

/// No run is longer, unless the user says so.
pub const LONGEST_RUN: u64 = 1_000_000;
/// The heuristic that gives levels unless the user chooses one: it counts all that is missing.
const LEVELS_BY: &str = "hadd";

/// How values are to be estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleOptions {
    pub runs: u64,
    /// The share of intervals that are to contain the value.
    pub confidence: f64,
    /// Rare events by importance splitting.
    pub splitting: bool,
}

impl SampleOptions {
    /// As in results.
    pub fn name(&self) -> &'static str {
        if self.splitting { "splitting" } else { "samples" }
    }
}

/// What is sampled.
pub struct Sampling<'a> {
    pub system: &'a DiscreteSystem,
    pub question: &'a ChanceQuestion<usize>,
    /// The atoms of the question.
    pub atoms: &'a [Expr],
    pub options: SampleOptions,
    pub seed: u64,
    /// The heuristic that the user wants.
    pub heuristic: Option<&'a Expression>,
    pub read_expression: &'a ReadExpression<'a>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Sample {
    pub estimate: Estimate,
    /// For a bound: does it compare so, as far as the interval tells? `None` inside: it does not tell.
    pub bound: Option<Option<bool>>,
    /// A limit has ended it before all runs were drawn.
    pub cut: Option<StopReason>,
}

/// Why there is nothing.
#[derive(Clone, Debug)]
pub enum NotSampled {
    Stopped(StopReason),
    Refused(String),
    /// The heuristic that the user wants does not fit.
    Heuristic(BuildError),
}

impl From<Trouble> for NotSampled {
    fn from(trouble: Trouble) -> NotSampled {
        match trouble {
            Trouble::Stopped(reason) => NotSampled::Stopped(reason),
            Trouble::Refused(why) => NotSampled::Refused(why),
        }
    }
}

fn refused<T>(why: impl Into<String>) -> Result<T, NotSampled> {
    Err(NotSampled::Refused(why.into()))
}

/// Estimates a value within limits. `counts` has what was drawn, whatever came of it.
pub fn sample(
    sampling: &Sampling<'_>,
    limits: &Limits,
    hooks: &mut Hooks<'_>,
    counts: &mut Statistics,
) -> Result<Sample, NotSampled> {
    let Some(stochastic) = &sampling.system.network().stochastic else {
        return refused("the model has no probabilities");
    };
    let asked = match Sampled::new(sampling.question, stochastic.kind) {
        Ok(asked) => asked,
        Err(NoAnswer::Refused(why)) => return refused(why),
        Err(NoAnswer::Stopped | NoAnswer::Memory) => return refused("the question was not read"),
    };
    if let Observed::Reward { structure, .. } = asked.observed
        && structure >= stochastic.rewards.len()
    {
        return refused("there is no such reward structure");
    }
    let longest = limits.depth.unwrap_or(LONGEST_RUN);
    let (estimate, cut) =
        driven(limits, hooks, |driver| sampling.draw(&asked.observed, stochastic.kind, longest, driver, counts))?;
    let bound = asked.bound.map(|(comparison, number)| compared(&estimate, comparison, &number));
    Ok(Sample { estimate, bound, cut })
}

impl Sampling<'_> {
    fn draw(
        &self,
        observed: &Observed,
        kind: Kind,
        longest: u64,
        driver: &mut Driver<'_>,
        counts: &mut Statistics,
    ) -> Result<(Estimate, Option<StopReason>), NotSampled> {
        let goal = match observed {
            Observed::Path(Path { right, .. }) => as_expression(right, true, self.atoms),
            Observed::Reward { until: Until::Reached(goal), .. } => as_expression(goal, true, self.atoms),
            Observed::Next(_) | Observed::Reward { .. } => Expr::truth(true),
        };
        let guide = Guide {
            searched: self.system,
            system: self.system,
            targets: Targets::condition(goal, true),
            read_expression: self.read_expression,
        };
        let mut runs = Runs::new(self.system, kind, self.seed, longest, driver)?;
        let drawn = match (observed, self.options.splitting) {
            (Observed::Path(path), true) => self.split(&mut runs, path, &guide),
            (_, true) => refused("--splitting is for events that may be reached (F, U and their like): ask without it"),
            (_, false) => {
                let dead_ends = match self.heuristic {
                    None => Ok(DeadEnds::new(&guide)),
                    Some(heuristic) => build(&mut runs, &guide, heuristic).map(DeadEnds::with),
                };
                match dead_ends {
                    Ok(dead_ends) => self.plainly(&mut runs, observed, dead_ends),
                    Err(error) => Err(NotSampled::Heuristic(error)),
                }
            }
        };
        *counts = runs.counts.clone();
        counts.preparation = runs.driver().preparation();
        drawn
    }

    /// Independent runs.
    fn plainly(
        &self,
        runs: &mut Runs<'_, '_, '_>,
        observed: &Observed,
        mut dead_ends: DeadEnds<'_>,
    ) -> Result<(Estimate, Option<StopReason>), NotSampled> {
        let mut tally = Tally::default();
        let mut cut = None;
        while tally.runs < self.options.runs {
            let mut earned = 0.0;
            let end = match observed {
                Observed::Path(path) => runs.path(path, &mut dead_ends),
                Observed::Next(condition) => runs.next(condition),
                Observed::Reward { structure, until } => runs.reward(*structure, until, &mut dead_ends, &mut earned),
            };
            match end {
                Ok(end) => tally.add(end, earned),
                Err(Trouble::Stopped(reason)) if tally.runs > 0 => {
                    tally.add(End::Undecided, earned);
                    cut = Some(reason);
                    break;
                }
                Err(trouble) => return Err(trouble.into()),
            }
        }
        let estimate = match observed {
            Observed::Path(path) => self.probability(&tally, path.negated),
            Observed::Next(_) => self.probability(&tally, false),
            Observed::Reward { .. } => self.expectation(&tally),
        };
        runs.counts.dead_ends = dead_ends.found;
        Ok((estimate, cut))
    }

    fn probability(&self, tally: &Tally, negated: bool) -> Estimate {
        let Tally { runs, undecided, .. } = *tally;
        let hits = if negated { runs - tally.hits - undecided } else { tally.hits };
        let confidence = self.options.confidence;
        let lower = clopper_pearson(hits, runs, confidence).0;
        let upper = clopper_pearson(hits + undecided, runs, confidence).1;
        Estimate {
            // The middle between nothing and everything says nothing.
            value: (undecided < runs).then(|| (hits as f64 + undecided as f64 / 2.0) / runs as f64),
            lower: Some(lower),
            upper: Some(upper),
            confidence,
            samples: runs,
            hits: Some(hits),
            undecided,
            seed: self.seed,
            method: Method::ClopperPearson,
            splitting: None,
        }
    }

    fn expectation(&self, tally: &Tally) -> Estimate {
        let (lower, upper) = tally.earned.interval(self.options.confidence);
        let is_infinite = tally.misses > 0;
        let finite = |end: f64| Some(end).filter(|end| end.is_finite() && !is_infinite);
        Estimate {
            value: finite(tally.earned.mean),
            lower: finite(lower.max(0.0)),
            // What is missing to a run that is not over may be anything.
            upper: finite(upper).filter(|_| tally.undecided == 0),
            confidence: self.options.confidence,
            samples: tally.runs,
            hits: None,
            undecided: tally.undecided,
            seed: self.seed,
            method: if is_infinite { Method::Certain } else { Method::Student },
            splitting: None,
        }
    }

    /// Importance splitting.
    fn split(
        &self,
        runs: &mut Runs<'_, '_, '_>,
        path: &Path,
        guide: &Guide<'_>,
    ) -> Result<(Estimate, Option<StopReason>), NotSampled> {
        let each = self.options.runs / REPLICATIONS;
        if each < FEWEST_RUNS {
            let least = FEWEST_RUNS * REPLICATIONS;
            return refused(format!(
                "--splitting shares runs among {REPLICATIONS} replications: --samples {least} at least"
            ));
        }
        let usual = Expression::named(LEVELS_BY);
        let expression = self.heuristic.unwrap_or(&usual);
        let heuristic = build(runs, guide, expression).map_err(NotSampled::Heuristic)?;
        let mut splitting = Splitting { runs, path, heuristic, dead_ends: DeadEnds::new(guide) };
        let levels = splitting.levels(each)?;
        let split = splitting.replicate(&levels, each)?;
        let (lower, upper) = split.interval(self.options.confidence);
        let middle = (split.least.mean + split.most.mean) / 2.0;
        let (value, lower, upper) =
            if path.negated { (1.0 - middle, 1.0 - upper, 1.0 - lower) } else { (middle, lower, upper) };
        let estimate = Estimate {
            value: (split.undecided < each * REPLICATIONS || split.hits > 0).then_some(value),
            lower: Some(lower),
            upper: Some(upper),
            confidence: self.options.confidence,
            samples: each * REPLICATIONS,
            hits: Some(split.hits),
            undecided: split.undecided,
            seed: self.seed,
            method: Method::Splitting,
            splitting: Some(SplittingDocument { replications: REPLICATIONS, runs: each, levels: split.levels }),
        };
        Ok((estimate, None))
    }
}

/// How the runs ended.
#[derive(Clone, Debug, Default)]
struct Tally {
    runs: u64,
    hits: u64,
    misses: u64,
    undecided: u64,
    earned: Mean,
}

impl Tally {
    fn add(&mut self, end: End, earned: f64) {
        self.runs += 1;
        self.earned.add(earned);
        *match end {
            End::Hit => &mut self.hits,
            End::Miss => &mut self.misses,
            End::Undecided => &mut self.undecided,
        } += 1;
    }
}

/// Does everything between the ends compare so with the number?
fn compared(estimate: &Estimate, comparison: Comparison, number: &Number) -> Option<bool> {
    let end = |end: Option<f64>| match end.map(Number::try_from) {
        Some(Ok(end)) => comparison.holds(&end, number),
        // Infinite.
        _ => !comparison.is_upper(),
    };
    let (lower, upper) = (end(estimate.lower), end(estimate.upper));
    (lower == upper).then_some(lower)
}
