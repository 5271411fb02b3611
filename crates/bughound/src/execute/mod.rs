//! Runs a plan: builds the system of each job, searches it, has what was found confirmed by the evaluator, and concludes.

mod chances;
mod cheapest;
mod claims;
mod confirm;
mod different;
mod fastest;
mod initial;
mod model_error;
mod order;
mod reduced_claims;
mod runs;
mod samples;
mod states;
mod timed_trace;
mod values;
mod verified;

use std::cell::{OnceCell, RefCell};

use bughound_ir::expr::Expr;
use bughound_ir::targets::Targets;
use bughound_kernel::{Limits, TransitionSystem};
use bughound_search::{Goals, Observer, Place, SearchResult, StopPolicy};
use bughound_semantics::DiscreteSystem;

use crate::check::{CheckReport, CheckRequest};
use crate::condition::parse_condition;
use crate::guide::Guide;
use crate::model::Model;
use crate::plan::{Conclusion, Job, Layer, Plan, Strategy};
use crate::run::{Hooks, ReductionMode, RunError, RunStats, search, verdict_without_witness};
use crate::verdict::Verdict;
use crate::zones::ZoneOptions;

pub use cheapest::Cheapest;
pub use confirm::claim;
pub use different::Others;
pub use fastest::Fastest;
pub(crate) use initial::obstacle;
pub use order::AfterError;
pub(crate) use states::error_condition;
pub(crate) use timed_trace::replay_run;
pub use values::Extremes;
pub(crate) use verified::{compare_with_whole, kept};

use model_error::ModelError;

/// A plan under way.
#[derive(Clone, Copy)]
pub(crate) struct Execution<'a> {
    model: &'a Model,
    plan: &'a Plan,
    zones: ZoneOptions,
    /// In timed models: what takes the least time, not what has the fewest steps.
    fastest: bool,
    /// So many different errors are looked for by each search for errors in states.
    different: usize,
    /// By question: where the errors are that were found, if several are looked for.
    known_errors: &'a RefCell<Vec<(usize, Place)>>,
    /// The network of the plan, with the conditions of all questions as atoms, in their order, and then the hints.
    system: &'a DiscreteSystem,
    /// The same for the jobs that forget values which make no difference.
    forgetful: &'a DiscreteSystem,
    atoms: &'a [Expr],
    /// A way to an error of the model, once it was looked for.
    model_error: &'a OnceCell<ModelError>,
    /// Of the attempt that is being made.
    limits: &'a Limits,
    /// Whether steps are left out that need not be taken.
    reduction: ReductionMode,
    /// Whether values are forgotten that make no difference.
    dead_variables: bool,
    /// Where random numbers begin.
    seed: u64,
    /// So many states may be met, whatever the effort of a single attempt.
    states: Option<u64>,
}

/// What one search is about.
struct Hunt<'h> {
    system: &'h dyn TransitionSystem,
    /// What heuristics know of it.
    known: &'h DiscreteSystem,
    goals: &'h Goals,
    stop: StopPolicy,
    targets: Targets,
    strategy: &'h Strategy,
    /// What it is about, if all that it finds out is in its result.
    recorded_as: Option<String>,
}

/// Runs all jobs of a plan. `report` has a place for each of its questions.
pub(crate) fn execute(
    model: &Model,
    request: &CheckRequest,
    plan: &Plan,
    hooks: &mut Hooks<'_>,
    report: &mut CheckReport,
) -> Result<(), RunError> {
    if confirm::without_initial_state(&model.network, &plan.questions, &mut report.properties)? {
        return Ok(());
    }
    with(model, request, plan, |execution| execution.decide_all(hooks, report))
}

/// Does everything for the jobs of a plan but search: some heuristics do not fit every model, which they say when they are
/// built.
pub(crate) fn rehearse(model: &Model, request: &CheckRequest, plan: &Plan) -> Result<(), RunError> {
    if obstacle(&model.network).is_some() {
        return Ok(());
    }
    let mut now = request.clone();
    now.run.limits.until = Some(std::time::Instant::now());
    let mut report = CheckReport::empty(plan);
    with(model, &now, plan, |execution| {
        plan.jobs.iter().try_for_each(|job| match execution.execute(job, &mut Hooks::default(), &mut report) {
            Err(wrong @ RunError::Usage(_)) => Err(wrong),
            // Whatever else happens will happen again, and is a row then.
            _ => Ok(()),
        })
    })
}

fn with<R>(model: &Model, request: &CheckRequest, plan: &Plan, run: impl FnOnce(Execution<'_>) -> R) -> R {
    let conditions = plan.questions.iter().filter_map(|asked| asked.question.state_condition());
    let atoms: Vec<Expr> = conditions.chain(&plan.hints).cloned().collect();
    let system = DiscreteSystem::new(plan.network.clone(), &atoms);
    let forgetful = plan.forgetful.as_ref().map(|network| DiscreteSystem::new(network.clone(), &atoms));
    let forgetful = forgetful.as_ref().unwrap_or(&system);
    let (zones, fastest, different) = (request.zones, request.fastest, request.different);
    let limits = &request.run.limits;
    let (model_error, known_errors) = (&OnceCell::new(), &RefCell::default());
    let (system, atoms, states) = (&system, &atoms, limits.states);
    let seed = request.run.seed;
    let (reduction, dead_variables) = (request.run.reduction, request.run.dead_variables);
    run(Execution {
        model,
        plan,
        zones,
        fastest,
        different,
        known_errors,
        system,
        forgetful,
        atoms,
        model_error,
        limits,
        reduction,
        dead_variables,
        seed,
        states,
    })
}

impl Execution<'_> {
    /// The states that a job without zones goes through.
    fn system_of(&self, job: &Job) -> &DiscreteSystem {
        if job.forgets { self.forgetful } else { self.system }
    }

    /// Runs a job.
    fn execute(&self, job: &Job, hooks: &mut Hooks<'_>, report: &mut CheckReport) -> Result<(), RunError> {
        match job.layers.first() {
            None => self.decide_states(job, hooks, report),
            Some(Layer::AvoidingRuns { non_zeno } | Layer::EndlessRuns { non_zeno }) => {
                self.decide_run(job, *non_zeno, hooks, report)
            }
            Some(Layer::Cheapest) => self.decide_cheapest(job, hooks, report),
            Some(Layer::Measures) => self.decide_values(job, hooks, report),
            Some(Layer::Chances(options)) => self.decide_chances(job, *options, hooks, report),
            Some(Layer::Samples(options)) => self.decide_by_samples(job, *options, hooks, report),
            Some(Layer::WeakFairness | Layer::Claim | Layer::OneCondition | Layer::Recording) => {
                self.decide_claim(job, hooks, report)
            }
        }
    }

    fn search(
        &self,
        hunt: Hunt<'_>,
        hooks: &mut Hooks<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        self.search_within(self.limits, hunt, hooks, observer)
    }

    fn search_within(
        &self,
        limits: &Limits,
        hunt: Hunt<'_>,
        hooks: &mut Hooks<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let read_expression = |text: &str| parse_condition(self.model, text);
        let (searched, system, targets) = (hunt.system, hunt.known, hunt.targets);
        let guide = Guide { searched, system, targets, read_expression: &read_expression };
        search(hunt.system, hunt.goals, hunt.stop, &guide, hunt.strategy, limits, hooks, observer, hunt.recorded_as)
    }
}

impl Conclusion {
    /// The verdict where something was found.
    fn with_witness(self) -> Verdict {
        match self {
            Conclusion::Errors => Verdict::Violated,
            Conclusion::Existence | Conclusion::Values => Verdict::Satisfied,
        }
    }

    /// The verdict where nothing was found, and why it is so. `nothing`: what does not exist.
    fn without_witness(self, result: &SearchResult, nothing: &str) -> (Verdict, Option<String>) {
        match (verdict_without_witness(result), self) {
            ((Verdict::Holds, _), Conclusion::Existence) => (Verdict::Violated, Some(nothing.into())),
            (other, _) => other,
        }
    }
}
