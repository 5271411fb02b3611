//! Bounds on probabilities decided on the state space as it is generated, with a counterexample where they are violated.

use std::cell::Cell;

use bughound_ir::chance::{Kind, Number};
use bughound_ir::targets::{ErrorCondition, Targets};
use bughound_kernel::registry::Expression;
use bughound_kernel::{Heuristic, Limits, Ration, StopReason, StoreSource, Unwatched};
use bughound_markov::directed::{By, Decision, Exploration, Order, Part};
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
}

/// The heuristic that gives upper bounds on probabilities, unless the user chooses one.
const USUAL: &str = "pdb";
/// Work for building it, in units of about a microsecond.
const BUILDING: u64 = 100_000;

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
}

/// What came out.
pub struct Hunted {
    /// Nothing: it is not decided.
    pub holds: Option<bool>,
    /// What is known of the probability of `left U right`.
    pub known: Option<Interval>,
    /// The probability itself, if it is known.
    pub value: Option<Number>,
    /// States that were expanded.
    pub expanded: usize,
    pub counterexample: Option<Counterexample>,
    /// Why there is none, if there could be one.
    pub no_counterexample: Option<&'static str>,
}

impl Hunted {
    /// Of a model with rounded numbers nothing is known exactly.
    pub fn without_exact_numbers(&mut self) {
        self.value = None;
        if let Some(counterexample) = &mut self.counterexample {
            counterexample.probability.exact = None;
            counterexample.paths.iter_mut().for_each(|path| path.exact = None);
        }
    }
}

impl Hunt<'_> {
    /// Decides the bound.
    pub fn decide(&self, limits: &Limits, hooks: &mut Hooks<'_>, counts: &mut Statistics) -> Result<Hunted, NotBuilt> {
        driven(limits, hooks, |driver| {
            self.explored(limits, driver, counts, |space, driver, effort| self.decide_in(space, driver, effort))
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
        let heuristic = self.heuristic(&guide);
        let stores = Stores::new(self.system).of_kind(StoreKind::Exact).with_budget(limits.memory);
        let mut store = stores.new_store();
        let (memory, steps) = (Cell::new(0), Cell::new(0));
        let quest = Quest {
            system: self.system,
            kind: self.kind,
            left: &self.asked.left,
            right: &self.asked.right,
            heuristic,
            stop: driver.stop_signal().clone(),
            memory: &memory,
            steps: &steps,
        };
        let stop = driver.stop_signal().clone();
        let until = limits.until;
        let is_over = move || stop.is_raised() || until.is_some_and(|until| std::time::Instant::now() >= until);
        let bytes = limits.memory.map_or(usize::MAX, |limit| limit as usize);
        let effort = Effort { stop: &is_over, memory: bytes, ..Effort::default() };
        let result = OnTheFly::new(quest, &mut *store).and_then(|mut space| work(&mut space, driver, &effort));
        counts.stored = store.len() as u64;
        counts.generated = steps.get();
        counts.peak_memory = counts.peak_memory.max(memory.get());
        counts.elapsed = driver.elapsed();
        result.map_err(|problem| match (problem, driver.stop_signal().reason()) {
            (NotBuilt::Stopped(StopReason::Interrupted), Some(reason)) => NotBuilt::Stopped(reason),
            (NotBuilt::Stopped(StopReason::Interrupted), None) => NotBuilt::Stopped(StopReason::Time),
            (problem, _) => problem,
        })
    }

    fn targets(&self) -> Targets {
        let conditions =
            self.target.iter().map(|condition| ErrorCondition { condition: condition.clone(), wanted: true });
        Targets {
            deadlock: false,
            failures: false,
            conditions: conditions.collect(),
            claim: None,
            accepting: Vec::new(),
        }
    }

    /// An admissible heuristic for the goal; none where there is no such thing.
    fn heuristic<'g>(&self, guide: &'g Guide<'g>) -> Option<Box<dyn Heuristic + 'g>> {
        self.target.as_ref()?;
        let usual = Expression::named(USUAL);
        let ration = Ration::new(&Unwatched, BUILDING);
        let built = guide.build(self.heuristic.unwrap_or(&usual), None, &ration).ok()?;
        Some(built).filter(|heuristic| heuristic.claims().admissible && heuristic.claims().safe)
    }

    fn decide_in(
        &self,
        space: &mut OnTheFly<'_, '_>,
        driver: &mut Driver<'_>,
        effort: &Effort<'_>,
    ) -> Result<Hunted, NotBuilt> {
        let Some(threshold) = &self.asked.threshold else {
            return Err(NotBuilt::Wrong("there is no bound to decide".to_string().into()));
        };
        let by = if self.options.by == ExploreBy::Path { By::Path } else { By::Mass };
        let memory = space.memory;
        let mut exploration = Exploration::new(space, by)?;
        let mut heed = |part: &Part, order: &Order| heed(driver, part, order, memory.get());
        let decision = exploration.decide(&self.asked.objective, threshold, effort, &mut heed)?;
        let Exploration { space, part, .. } = exploration;
        let bounds = decision.bounds();
        let of = |state: u32| {
            let (low, high) =
                (bounds.lower.values.interval(state as usize), bounds.upper.values.interval(state as usize));
            Interval { lower: low.lower, upper: high.upper.max(low.lower) }
        };
        // Where everything is known, both bounds are the same.
        let exact = |state: u32| {
            let (low, high) = (bounds.lower.values.exact(state as usize)?, bounds.upper.values.exact(state as usize)?);
            low.finite().filter(|_| low == high).cloned()
        };
        let mut hunted = Hunted {
            holds: None,
            known: None,
            value: None,
            expanded: part.expanded().len(),
            counterexample: None,
            no_counterexample: None,
        };
        let state = match &decision {
            Decision::Violated(state, _) => Some(*state),
            _ => Some(part.initial()).filter(|initial| initial.len() == 1).map(|initial| initial[0]),
        };
        hunted.known = state.map(of);
        hunted.value = state.and_then(exact);
        match &decision {
            Decision::Holds(_) => hunted.holds = Some(true),
            Decision::Open(_) => {}
            Decision::Violated(state, _) => {
                hunted.holds = Some(false);
                let showing = Showing { network: self.system.network(), asked: self.asked, threshold, part: &part };
                match counterexample(&showing, space, *state, &decision, effort)? {
                    Ok(found) => hunted.counterexample = Some(found),
                    Err(why) => hunted.no_counterexample = Some(why),
                }
            }
        }
        Ok(hunted)
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
