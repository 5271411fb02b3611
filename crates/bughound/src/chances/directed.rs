//! Bounds on probabilities decided on the state space as it is generated, with a counterexample where they are violated.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use bughound_ir::chance::{Kind, Number};
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::registry::{BuildError, Expression};
use bughound_kernel::{Heuristic, Limits, Ration, StopReason, StoreSource, Unwatched};
use bughound_markov::directed::{Bounds, By, Decision, Exploration, Order, Part, Proof};
use bughound_markov::{Effort, Interval};
use bughound_search::{Driver, HeuristicSource, Snapshot, Statistics};
use bughound_semantics::DiscreteSystem;
use bughound_store::{StoreKind, Stores};

use super::counterexample::Counterexample;
use super::explicit::NotBuilt;
use super::most_probable::{MostProbable, most_probable};
use super::on_the_fly::{OnTheFly, Quest};
use super::reachability::Reachability;
use super::shown::{Showing, counterexample};
use super::walk::driven;
use crate::condition::parse_condition;
use crate::guide::Guide;
use crate::model::Model;
use crate::run::Hooks;

/// How questions about probabilities are explored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExploreBy {
    /// By mass where a question can be answered on a part of the model; otherwise the whole of it.
    #[default]
    Auto,
    /// Where most of the probability flows.
    Mass,
    /// Along the most probable paths.
    Path,
    /// All states first.
    Whole,
}

impl ExploreBy {
    pub const ALL: [(&'static str, ExploreBy); 4] =
        [("auto", ExploreBy::Auto), ("mass", ExploreBy::Mass), ("path", ExploreBy::Path), ("whole", ExploreBy::Whole)];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, by)| *by == self).map_or("auto", |(name, _)| name)
    }
}

/// What is wanted besides the verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChanceOptions {
    pub by: ExploreBy,
    /// So many most probable paths of the model are listed; none: those of counterexamples only.
    pub paths: Option<usize>,
    /// Counterexamples have as few states as possible, as far as that can be proven.
    pub smallest: bool,
}

/// The heuristic that gives upper bounds on probabilities, unless the user chooses one.
const USUAL: &str = "pdb";
/// Work for building it, in units of about a microsecond.
const BUILDING: u64 = 100_000;
/// For a proof that a counterexample has as few states as possible, no more states than these are explored.
const MOST_FOR_PROOF: usize = 200_000;

/// What is asked.
pub struct Hunt<'a> {
    pub system: &'a DiscreteSystem,
    /// The same with probabilities as costs, for the heuristic.
    pub weighed: &'a DiscreteSystem,
    pub kind: Kind,
    pub asked: &'a Reachability,
    /// What is looked for, as a condition on states.
    pub target: Option<bughound_ir::expr::Expr>,
    pub options: ChanceOptions,
    pub heuristic: Option<&'a Expression>,
    pub model: &'a Model,
    /// What has become of the heuristic.
    pub guidance: RefCell<Guidance>,
}

/// What guides an exploration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guidance {
    /// The heuristic that gives upper bounds on probabilities.
    pub used: Option<String>,
    /// Why it is not the one that was wanted.
    pub note: Option<String>,
}

/// What came out.
#[derive(Default)]
pub struct Hunted {
    /// Nothing: it is not decided.
    pub holds: Option<bool>,
    /// What is known of the probability of `left U right`.
    pub known: Option<Interval>,
    /// The probability itself, if it is known.
    pub value: Option<Number>,
    pub counterexample: Option<Counterexample>,
    /// Why there is none, if there could be one.
    pub no_counterexample: Option<&'static str>,
    /// A limit ended it before it was decided.
    pub stopped: Option<StopReason>,
}

impl Hunted {
    /// Of a model with rounded numbers nothing is known exactly.
    pub fn without_exact_numbers(&mut self) {
        self.value = None;
        if let Some(counterexample) = &mut self.counterexample {
            counterexample.probability.exact = None;
            counterexample.exact = None;
            counterexample.paths.iter_mut().for_each(|path| path.exact = None);
        }
    }
}

impl Hunt<'_> {
    /// Decides the bound.
    pub fn decide(&self, limits: &Limits, hooks: &mut Hooks<'_>, counts: &mut Statistics) -> Result<Hunted, NotBuilt> {
        driven(limits, hooks, |driver| {
            self.explored(limits, driver, counts, |space, driver, effort| self.decide_in(space, driver, limits, effort))
        })
    }

    /// Lists the most probable paths.
    pub fn paths(
        &self,
        count: usize,
        limits: &Limits,
        hooks: &mut Hooks<'_>,
    ) -> Result<Result<MostProbable, &'static str>, NotBuilt> {
        let mut counts = Statistics::default();
        driven(limits, hooks, |driver| {
            self.explored(limits, driver, &mut counts, |space, driver, _| most_probable(self, space, count, driver))
        })
    }

    /// Explores the model within limits. `counts` has what was seen, even if a limit ended it.
    fn explored<R>(
        &self,
        limits: &Limits,
        driver: &mut Driver<'_>,
        counts: &mut Statistics,
        work: impl FnOnce(&mut OnTheFly<'_, '_>, &mut Driver<'_>, &Effort<'_>) -> Result<R, NotBuilt>,
    ) -> Result<R, NotBuilt> {
        let read_expression = |text: &str| parse_condition(self.model, text);
        let guide = Guide {
            searched: self.weighed,
            system: self.weighed,
            targets: self.targets(),
            read_expression: &read_expression,
        };
        let heuristic = self.heuristic(&guide).map_err(NotBuilt::Heuristic)?;
        let stores = Stores::new(self.system).of_kind(StoreKind::Exact).with_budget(limits.memory);
        let mut store = stores.new_store();
        let (memory, steps, expanded) = (Cell::new(0), Cell::new(0), Cell::new(0));
        let quest = Quest {
            system: self.system,
            kind: self.kind,
            left: &self.asked.left,
            right: &self.asked.right,
            heuristic,
            stop: driver.stop_signal().clone(),
            memory: &memory,
            steps: &steps,
            expanded: &expanded,
        };
        let stop = driver.stop_signal().clone();
        let until = limits.until;
        let is_over = move || stop.is_raised() || until.is_some_and(|until| std::time::Instant::now() >= until);
        let bytes = limits.memory.map_or(usize::MAX, |limit| limit as usize);
        let effort = Effort { stop: &is_over, memory: bytes, ..Effort::default() };
        let result = OnTheFly::new(quest, &mut *store).and_then(|mut space| work(&mut space, driver, &effort));
        counts.stored = store.len() as u64;
        counts.generated = steps.get();
        counts.expanded = expanded.get();
        counts.peak_memory = counts.peak_memory.max(memory.get());
        counts.elapsed = driver.elapsed();
        result.map_err(|problem| match problem {
            NotBuilt::Stopped(reason) => NotBuilt::Stopped(why_stopped(reason, driver)),
            problem => problem,
        })
    }

    fn targets(&self) -> Targets {
        let conditions =
            self.target.iter().map(|condition| ErrorCondition { condition: condition.clone(), wanted: true });
        Targets { conditions: conditions.collect(), ..Targets::default() }
    }

    /// An admissible heuristic for the goal; none where there is no such thing.
    fn heuristic<'g>(&self, guide: &'g Guide<'g>) -> Result<Option<Box<dyn Heuristic + 'g>>, BuildError> {
        let mut guidance = Guidance::default();
        let usual = Expression::named(USUAL);
        let wanted = self.heuristic.unwrap_or(&usual);
        let ration = Ration::new(&Unwatched, BUILDING);
        let mut built = None;
        if self.target.is_some() {
            match guide.build(wanted, None, &ration) {
                Ok(heuristic) => built = Some(heuristic),
                Err(error) if self.heuristic.is_some() => return Err(error),
                // Not for this model.
                Err(_) => {}
            }
        }
        let is_built = built.is_some();
        let built = built.filter(|heuristic| heuristic.claims().admissible && heuristic.claims().safe);
        guidance.used = built.is_some().then(|| wanted.to_string());
        if self.heuristic.is_some() && built.is_none() {
            let why = match is_built {
                true => "it is not admissible, so it gives no upper bounds on probabilities",
                false => "what is asked for is no condition on states",
            };
            guidance.note = Some(format!("explored without `--heuristic {wanted}`: {why}"));
        }
        self.guidance.replace(guidance);
        Ok(built)
    }

    fn decide_in(
        &self,
        space: &mut OnTheFly<'_, '_>,
        driver: &mut Driver<'_>,
        limits: &Limits,
        effort: &Effort<'_>,
    ) -> Result<Hunted, NotBuilt> {
        let Some(threshold) = &self.asked.threshold else {
            return Err(NotBuilt::Wrong("there is no bound to decide".to_string().into()));
        };
        let by = if self.options.by == ExploreBy::Path { By::Path } else { By::Mass };
        let memory = space.memory;
        let mut exploration = Exploration::new(space, by)?;
        let mut hunted = Hunted::default();
        let mut heeding = |part: &Part, order: &Order| heed(driver, part, order, memory.get());
        let mut decision = match exploration.decide(&self.asked.objective, threshold, effort, &mut heeding) {
            Ok(decision) => decision,
            Err(NotBuilt::Stopped(reason)) => {
                hunted.stopped = Some(why_stopped(reason, driver));
                if let (Some(bounds), &[state]) = (&exploration.known, exploration.part.initial()) {
                    hunted.known = Some(between(bounds, state));
                }
                return Ok(hunted);
            }
            Err(problem) => return Err(problem),
        };
        let proof_until = limits.until.map(|until| {
            let now = Instant::now();
            now + until.saturating_duration_since(now) / 2
        });
        let is_over = || (effort.stop)() || proof_until.is_some_and(|until| Instant::now() >= until);
        let proof = self.options.smallest.then_some(Proof { stop: &is_over, work: Proof::WORK });
        if let Decision::Violated(state, _) = decision
            && proof.is_some()
        {
            // A smaller one may lie in what is not known yet. What is wrong there does not matter: the answer is known.
            let memory_for_it = limits.memory.map_or(u64::MAX, |limit| limit / 2);
            let fits =
                |part: &Part| part.len() < MOST_FOR_PROOF && memory.get() + part.memory() as u64 <= memory_for_it;
            while !is_over()
                && fits(&exploration.part)
                && !driver.exceeds_states(exploration.part.len() as u64)
                && matches!(exploration.expand(), Ok(true))
            {}
            decision = Decision::Violated(state, exploration.bounds(&self.asked.objective, effort)?);
        }
        let Exploration { space, part, .. } = exploration;
        let bounds = decision.bounds();
        // Where everything is known, both bounds are the same.
        let exact = |state: u32| {
            let (low, high) = (bounds.lower.values.exact(state as usize)?, bounds.upper.values.exact(state as usize)?);
            low.finite().filter(|_| low == high).cloned()
        };
        let state = match &decision {
            Decision::Violated(state, _) => Some(*state),
            _ => Some(part.initial()).filter(|initial| initial.len() == 1).map(|initial| initial[0]),
        };
        hunted.known = state.map(|state| between(bounds, state));
        hunted.value = state.and_then(exact);
        match &decision {
            Decision::Holds(_) => hunted.holds = Some(true),
            Decision::Open(_) => {}
            Decision::Violated(state, _) => {
                hunted.holds = Some(false);
                let showing = Showing { network: self.system.network(), asked: self.asked, threshold, part: &part };
                match counterexample(&showing, space, *state, &decision, proof, effort)? {
                    Ok(found) => hunted.counterexample = Some(found),
                    Err(why) => hunted.no_counterexample = Some(why),
                }
            }
        }
        Ok(hunted)
    }
}

/// What is known of the probability in a state.
fn between(bounds: &Bounds, state: u32) -> Interval {
    let (low, high) = (bounds.lower.values.interval(state as usize), bounds.upper.values.interval(state as usize));
    Interval { lower: low.lower, upper: high.upper.max(low.lower) }
}

/// Work that was interrupted was interrupted by a limit.
fn why_stopped(reason: StopReason, driver: &Driver<'_>) -> StopReason {
    match (reason, driver.stop_signal().reason()) {
        (StopReason::Interrupted, Some(reason)) => reason,
        (StopReason::Interrupted, None) => StopReason::Time,
        (reason, _) => reason,
    }
}

/// Limits and progress, before each expansion.
pub(super) fn heed(driver: &mut Driver<'_>, part: &Part, order: &Order, memory: u64) -> Result<(), NotBuilt> {
    let found = part.len() as u64;
    if driver.exceeds_states(found) {
        return Err(NotBuilt::Stopped(StopReason::States));
    }
    if !driver.is_due(2) {
        return Ok(());
    }
    let now = Snapshot {
        phase: "exploring",
        stored: found,
        expanded: part.expanded().len() as u64,
        frontier: found - part.expanded().len() as u64,
        memory: memory + (part.memory() + order.memory()) as u64,
        ..Snapshot::default()
    };
    match driver.check(now) {
        Some(reason) => Err(NotBuilt::Stopped(reason)),
        None => Ok(()),
    }
}
