//! What a check does, as data: which questions one search decides together, on which system with which layers, by which
//! search, and how its result becomes an answer.
//!
//! [`plan`] decides all of it before anything runs; `execute` runs the jobs. `check`, `compare` and `explain` read the same
//! plan.

mod hints;
mod observers;
mod reductions;
mod stores;
mod strategy;
pub(crate) mod threads;
mod words;

use std::sync::Arc;

use bughound_ir::analysis::dead_variables::{Observers, without_dead_variables};
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::{Property, Question};
use bughound_search::StopPolicy;
use bughound_search::registry::CycleSupport;
use bughound_semantics::timed::Abstraction;

use crate::chances::ChanceOptions;
use crate::chances::samples::SampleOptions;
use crate::check::CheckRequest;
use crate::execute::AfterError;
use crate::liveness::{Evidence, LiveClaim, add_claim};
use crate::model::Model;
use crate::properties::{NON_PROGRESS, has_label, listed, select};
use crate::run::{ReductionMode, RunError, RunOptions};
use reductions::Asked;

pub use hints::hints;
pub use reductions::Reduces;
pub(crate) use strategy::IN_SEARCH;
pub use strategy::Strategy;

/// Finds cycles of zones where the search that was asked for cannot.
const CYCLES_OF_ZONES: &str = "scc";
/// Extreme values are looked for in all states, and their order does not matter.
const ALL_STATES: &str = "bfs";
/// States of the first attempts, where several searches take turns.
const ATTEMPTS: [u64; 2] = [2_000, 200_000];

/// What the states of a search are made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// Values and locations.
    States,
    /// Those, and zones of clock values.
    Zones(Abstraction),
}

/// What is put on top of the base, from below to above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layer {
    /// Steps are marked, so that only weakly fair runs count.
    WeakFairness,
    /// The claim of the question moves along with the system.
    Claim,
    /// Several conditions on cycles become one.
    OneCondition,
    /// A state is recorded, so that coming back to it closes a lasso: for searches that know no cycles.
    Recording,
    /// Runs that avoid the condition of the question for ever; with `non_zeno` only those whose time diverges.
    AvoidingRuns { non_zeno: bool },
    /// What counts as a run of a model with time; with `non_zeno` only what takes time for ever.
    EndlessRuns { non_zeno: bool },
    /// What runs cost is added up, in models with prices by zones with costs: a cheapest run is asked for.
    Cheapest,
    /// Values are measured in every state that is met.
    Measures,
    /// States and the chances of their steps are written down as an explicit model, and numbers computed on it: as many as are
    /// needed, or all.
    Chances(ChanceOptions),
    /// Random runs, and estimates from them.
    Samples(SampleOptions),
}

/// How the result of a search becomes the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// What is found is an error: violated. A complete search that finds nothing: holds.
    Errors,
    /// What is found was asked for: satisfied. A complete search that finds nothing: violated.
    Existence,
    /// The answer is what was measured along a complete search.
    Values,
}

/// One search.
#[derive(Clone, Debug)]
pub struct Job {
    /// The questions that it decides, by their numbers in the plan.
    pub questions: Vec<usize>,
    pub base: Base,
    /// Values that make no difference any more are forgotten, if the model has any.
    pub forgets: bool,
    pub reduces: Reduces,
    pub layers: Vec<Layer>,
    pub search: Strategy,
    pub stop: StopPolicy,
    pub conclusion: Conclusion,
}

impl Job {
    /// The same for some of its questions.
    pub(crate) fn only(&self, questions: Vec<usize>) -> Job {
        Job { questions, ..self.clone() }
    }
}

/// Everything that a check is going to do.
#[derive(Debug)]
pub struct Plan {
    /// What is asked, in the order of the results.
    pub questions: Vec<Property>,
    /// The searches, in the order in which they have their turns.
    pub jobs: Vec<Job>,
    /// The questions that no search decides, and why.
    pub refused: Vec<(usize, String)>,
    /// Each search first makes attempts with so many states, so that no cheap answer waits for a costly one.
    pub attempts: Vec<u64>,
    pub after: AfterError,
    /// The search that was asked for.
    pub search: Strategy,
    /// What the user should know about it.
    pub notes: Vec<String>,
    /// The model with the claims of all questions about runs.
    pub(crate) network: Arc<Network>,
    /// The same without values that make no difference to the jobs that forget them; nothing if there are none.
    pub(crate) forgetful: Option<Arc<Network>>,
    /// What looks at the states of those jobs.
    pub(crate) observers: Observers,
    /// What searches with sets of states are told to do first.
    pub(crate) hints: Vec<Expr>,
    /// By question: its claim, if a claim decides it.
    pub(crate) claims: Vec<Option<LiveClaim>>,
    /// What is left out is compared with the state space itself.
    pub verifies: bool,
}

/// Plans a check.
pub fn plan(model: &Model, request: &CheckRequest) -> Result<Plan, RunError> {
    let search = Strategy::for_states(&request.run)?;
    if request.zones.non_zeno && !model.conventions().has_time {
        let why = "--non-zeno is about the time that runs take: a Promela model has none";
        return Err(RunError::Usage(why.into()));
    }
    if request.samples.is_some() && model.network.stochastic.is_none() {
        let why = "--samples draws runs by their probabilities: it is for models of PRISM and JANI";
        return Err(RunError::Usage(why.into()));
    }
    let hints = hints(model, &request.run, &search)?;
    let questions = select(listed(model), &request.selection)?;
    let mut planner = Planner {
        model,
        request,
        questions: &questions,
        search: &search,
        cycles: None,
        jobs: Vec::new(),
        refused: Vec::new(),
        notes: notes(model, request, &questions),
        network: Arc::clone(&model.network),
        claims: Vec::new(),
    };
    planner.add_claims();
    planner.add_jobs()?;
    let Planner { mut jobs, refused, mut notes, network, claims, .. } = planner;
    notes.extend(stores::keep_states_of_cycles(&mut jobs, &claims));
    notes.extend(threads::notes(&jobs, &claims));
    let reduction = jobs.iter().any(|job| job.forgets && job.reduces.is_on());
    let observers = Observers { reduction, ..observers::observers(model, &request.run, &questions, &claims, &hints) };
    let forgets = jobs.iter().any(|job| job.forgets);
    let forgetful = forgets.then(|| without_dead_variables(&network, &observers).map(Arc::new)).flatten();
    if !hints.is_empty() && jobs.iter().all(|job| !job.layers.is_empty()) {
        notes.push("--hint makes no difference: it is for questions about states and steps".into());
    }
    if request.different > 1 {
        notes.extend(one_of_each(&questions, &jobs));
    }
    // A fastest run is looked for along with the answer: no attempt can tell what is missing.
    let one_is_enough = request.stop != StopPolicy::Exhaustive && !request.fastest;
    // What is left of a search when it has found an error is a search of its own, and so are those for further errors.
    let in_turns = (jobs.len() > 1 || request.different > 1) && one_is_enough;
    let attempts = if in_turns { ATTEMPTS.to_vec() } else { Vec::new() };
    // Nothing stays undecided because an error was found, if even further ones are looked for.
    let after = if request.different > 1 { AfterError::GoOn } else { request.after };
    let verifies = request.run.reduction == ReductionMode::Check;
    Ok(Plan {
        questions,
        jobs,
        refused,
        attempts,
        after,
        search,
        notes,
        network,
        forgetful,
        observers,
        hints,
        claims,
        verifies,
    })
}

fn notes(model: &Model, request: &CheckRequest, questions: &[Property]) -> Vec<String> {
    let mut notes = Vec::new();
    let asked = request.selection.iter().any(|word| word == NON_PROGRESS);
    if !asked && request.selection.is_empty() && has_label(&model.network, |flags| flags.progress) {
        notes.push("the model has progress labels; --property non-progress checks them".into());
    } else if request.selection.is_empty() && questions.is_empty() {
        let query = if model.network.stochastic.is_some() { "P=? [ F x=1 ]" } else { "A[] not deadlock" };
        notes.push(format!("there is nothing to check: add a query, such as --query '{query}'"));
    }
    if request.zones.non_zeno && !questions.iter().any(|asked| asked.question.is_liveness()) {
        notes.push("--non-zeno makes no difference: no query is about whole runs (`A<>`, `E[]`, `-->`)".into());
    }
    if request.samples.is_some() && !questions.iter().any(|asked| matches!(asked.question, Question::Chance(_))) {
        notes.push("--samples makes no difference: no question is about probabilities".into());
    }
    if request.cheapest == Some(true) {
        if !model.has_costs() {
            notes.push("--cheapest makes no difference: the model has no costs".into());
        } else if !questions.iter().any(|asked| matches!(asked.question, Question::Reach(_))) {
            notes.push("--cheapest makes no difference: nothing asks for a state that is to be reached".into());
        }
    }
    if request.run.fair && model.conventions().has_time && questions.iter().any(|asked| asked.question.is_liveness()) {
        notes.push("--fair makes no difference: in a model with time, invariants say who must go on".into());
    }
    notes
}

/// Errors that are whole runs are not told apart.
fn one_of_each(questions: &[Property], jobs: &[Job]) -> Option<String> {
    let of_runs = jobs.iter().filter(|job| job.conclusion == Conclusion::Errors && !job.layers.is_empty());
    let names: Vec<String> =
        of_runs.flat_map(|job| &job.questions).map(|q| format!("`{}`", questions[*q].name)).collect();
    (!names.is_empty()).then(|| format!("--all shows one error at most of what is about runs: {}", names.join(", ")))
}

/// Does a condition speak of deadlocks?
pub(crate) fn mentions_deadlock(expr: &Expr) -> bool {
    expr.any(|e| matches!(e, Expr::Deadlock))
}

/// A plan in the making.
struct Planner<'a> {
    model: &'a Model,
    request: &'a CheckRequest,
    questions: &'a [Property],
    search: &'a Strategy,
    /// The search for cycles, once one is needed.
    cycles: Option<Strategy>,
    jobs: Vec<Job>,
    refused: Vec<(usize, String)>,
    notes: Vec<String>,
    network: Arc<Network>,
    claims: Vec<Option<LiveClaim>>,
}

impl Planner<'_> {
    fn add_claims(&mut self) {
        for (number, property) in self.questions.iter().enumerate() {
            let evidence = if self.is_timed_run(number) { Evidence::WholeRun } else { Evidence::Beginning };
            let claim = match add_claim(&mut self.network, property, evidence) {
                Some(Ok(claim)) => Some(claim),
                Some(Err(why)) => {
                    self.refused.push((number, why));
                    None
                }
                None => {
                    if let Question::Unsupported(why) = &property.question {
                        self.refused.push((number, why.clone()));
                    }
                    None
                }
            };
            self.claims.push(claim);
        }
    }

    /// Is it about runs in time?
    fn is_timed_run(&self, number: usize) -> bool {
        match self.questions[number].question {
            Question::Run(_) => true,
            Question::Ltl(_) => self.model.conventions().has_time,
            _ => false,
        }
    }

    /// The searches, what the user has asked on the command line first.
    fn add_jobs(&mut self) -> Result<(), RunError> {
        // What a deadlock is inside of a condition, only the engine with zones knows.
        let speaks_of_deadlocks = |asked: &Property| asked.question.state_condition().is_some_and(mentions_deadlock);
        let has_prices = self.model.network.pricing.is_some();
        let with_zones =
            has_prices || self.model.network.needs_zones() || self.questions.iter().any(speaks_of_deadlocks);
        for is_added in [true, false] {
            if with_zones {
                self.add_groups_with_zones(is_added)?;
            } else {
                self.add_groups(is_added)?;
            }
            for number in self.all(is_added, &|q| matches!(q, Question::Run(_) | Question::Ltl(_))) {
                if self.is_timed_run(number) {
                    self.add_runs(number)?;
                }
            }
            self.add_chances(is_added)?;
            for number in self.all(is_added, &|q| matches!(q, Question::Extremes(_))) {
                let options = RunOptions { heuristic: None, ..self.request.run.clone() };
                let search = Strategy::instead(ALL_STATES, &options)?;
                self.jobs.push(Job {
                    questions: vec![number],
                    base: Base::Zones(Abstraction::MEASURES),
                    forgets: false,
                    reduces: Reduces::Nothing(None),
                    layers: vec![Layer::Measures],
                    search,
                    stop: StopPolicy::FirstError,
                    conclusion: Conclusion::Values,
                });
            }
        }
        Ok(())
    }

    /// One walk through all states for all questions about chances, wherever they come from, or random runs for each of them.
    fn add_chances(&mut self, is_added: bool) -> Result<(), RunError> {
        let is_chance = |q: &Question| matches!(q, Question::Chance(_));
        let mut questions = self.all(true, &is_chance);
        questions.extend(self.all(false, &is_chance));
        questions.sort_unstable();
        if is_added && !questions.is_empty() {
            let options = RunOptions { heuristic: None, ..self.request.run.clone() };
            let mut search = Strategy::instead(ALL_STATES, &options)?;
            // The heuristic leads random runs, or promises probabilities.
            search.heuristic = self.request.run.heuristic.clone();
            if let Some(samples) = self.request.samples {
                search.text = samples.name().into();
            }
            self.jobs.push(Job {
                questions,
                base: Base::States,
                forgets: false,
                reduces: Reduces::Nothing(None),
                layers: vec![self.request.samples.map_or(Layer::Chances(self.request.chances), Layer::Samples)],
                search,
                stop: StopPolicy::Exhaustive,
                conclusion: Conclusion::Values,
            });
        }
        Ok(())
    }

    /// The numbers of such questions, those of the command line or those of the file.
    fn all(&self, is_added: bool, wanted: &dyn Fn(&Question) -> bool) -> Vec<usize> {
        let asked = self.questions.iter().enumerate();
        let some =
            asked.filter(|(_, asked)| wanted(&asked.question) && self.model.added.contains(&asked.name) == is_added);
        some.map(|(number, _)| number).collect()
    }

    /// A search for errors in states, or for states that are asked for.
    fn push(&mut self, questions: Vec<usize>, base: Base, conclusion: Conclusion) {
        if questions.is_empty() {
            return;
        }
        let stop = if conclusion == Conclusion::Errors { self.request.stop } else { StopPolicy::FirstError };
        let has_chances = self.network.stochastic.is_some();
        let forgets = self.request.run.dead_variables && base == Base::States && !has_chances;
        let search = self.search.clone();
        let reduces = self.reduces(base, &[], None, &search);
        self.jobs.push(Job { questions, base, forgets, reduces, layers: Vec::new(), search, stop, conclusion });
    }

    /// Which steps a job leaves out. `claim`: the question whose claim moves along.
    fn reduces(&mut self, base: Base, layers: &[Layer], claim: Option<usize>, search: &Strategy) -> Reduces {
        let mode = self.request.run.reduction;
        let reduces = reductions::reduces(&Asked {
            network: &self.network,
            mode,
            base,
            layers,
            question: claim.map(|number| &self.questions[number].question),
            search,
            has_cycles: claim.and_then(|number| self.claims[number].as_ref()).is_some_and(LiveClaim::has_cycles),
            errors: self.request.different,
            is_bounded: self.request.run.limits.depth.is_some(),
        });
        if let (true, Some(why)) = (mode.is_wanted(), reduces.refusal()) {
            let note = format!("no step is left out: {why}");
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        reduces
    }

    fn add_groups(&mut self, is_added: bool) -> Result<(), RunError> {
        let mut safety = self.all(is_added, &Question::is_safety);
        if self.model.conventions().one_search_for_all {
            let others = self.all(!is_added, &Question::is_safety);
            safety = if is_added { [safety, others].concat() } else { Vec::new() };
            safety.sort_unstable();
        }
        self.push(safety, Base::States, Conclusion::Errors);
        for number in self.all(is_added, &|_| true) {
            if self.claims[number].is_some() && !self.is_timed_run(number) {
                self.add_claim_search(number)?;
            }
        }
        for number in self.all(is_added, &|q| matches!(q, Question::Reach(_))) {
            self.add_reach(number, Base::States)?;
        }
        Ok(())
    }

    /// What may be forgotten of a zone depends on the question, so questions of different kinds have searches of their own:
    /// one for failures and invariants, one for deadlocks, one for each question about existence.
    fn add_groups_with_zones(&mut self, is_added: bool) -> Result<(), RunError> {
        // Deadlocks ask for finer zones: such an invariant must not make the others pay for them.
        let is_stuck = |q: &Question| matches!(q, Question::Invariant(e) if mentions_deadlock(e));
        let states = self.all(is_added, &|q| {
            matches!(q, Question::Assertion | Question::Invariant(_) | Question::Protocol(..)) && !is_stuck(q)
        });
        let deadlock = self.all(is_added, &|q| *q == Question::Deadlock);
        let zones = self.request.zones;
        self.push(states, Base::Zones(zones.reachability()), Conclusion::Errors);
        self.push(deadlock, Base::Zones(zones.deadlock()), Conclusion::Errors);
        for number in self.all(is_added, &is_stuck) {
            self.push(vec![number], Base::Zones(zones.reachability()), Conclusion::Errors);
        }
        for number in self.all(is_added, &|q| matches!(q, Question::Reach(_))) {
            self.add_reach(number, Base::Zones(zones.reachability()))?;
        }
        Ok(())
    }

    /// A search for a state that is asked for, or for the cheapest run to it.
    fn add_reach(&mut self, number: usize, base: Base) -> Result<(), RunError> {
        let condition = self.questions[number].question.state_condition();
        let is_stuck = condition.is_some_and(mentions_deadlock);
        if self.wants_cheapest() && is_stuck {
            let name = &self.questions[number].name;
            self.notes.push(format!("`{name}`: runs to deadlocks are short, not cheap"));
        }
        if !self.wants_cheapest() || is_stuck {
            self.push(vec![number], base, Conclusion::Existence);
            return Ok(());
        }
        if self.request.run.limits.depth.is_some() {
            let why = "--max-depth bounds the steps of a run; a cheapest one is looked for without such a bound (--first takes any run)";
            return Err(RunError::Usage(why.into()));
        }
        let search = Strategy::for_costs(&self.request.run)?;
        let (layers, stop, conclusion) = (vec![Layer::Cheapest], StopPolicy::FirstError, Conclusion::Existence);
        let forgets = self.request.run.dead_variables && base == Base::States && self.network.stochastic.is_none();
        let reduces = Reduces::Nothing(None);
        self.jobs.push(Job { questions: vec![number], base, forgets, reduces, layers, search, stop, conclusion });
        Ok(())
    }

    /// Are states to be reached at the least cost?
    fn wants_cheapest(&self) -> bool {
        match self.request.cheapest {
            Some(wanted) => wanted && self.model.has_costs(),
            None => self.network.pricing.is_some(),
        }
    }

    fn for_cycles(&mut self) -> Result<Strategy, RunError> {
        if self.cycles.is_none() {
            self.cycles = Some(Strategy::for_cycles(&self.request.run)?);
        }
        self.cycles.clone().ok_or_else(|| RunError::Internal("a search got lost".into()))
    }

    fn add_claim_search(&mut self, number: usize) -> Result<(), RunError> {
        let has_cycles = self.claims[number].as_ref().is_some_and(LiveClaim::has_cycles);
        let search = if has_cycles { self.for_cycles()? } else { self.search.clone() };
        let fair = self.request.run.fair;
        let mut layers = if fair { vec![Layer::WeakFairness, Layer::Claim] } else { vec![Layer::Claim] };
        if has_cycles {
            match search.cycles {
                CycleSupport::AnyConditions => {}
                // Each process is a condition of its own.
                CycleSupport::OneCondition if fair => layers.push(Layer::OneCondition),
                CycleSupport::OneCondition => {}
                // Who knows nothing of cycles refuses the layer by name.
                CycleSupport::ByRecording | CycleSupport::Nothing => layers.push(Layer::Recording),
            }
        }
        let (base, stop, conclusion) = (Base::States, StopPolicy::FirstError, Conclusion::Errors);
        // A cycle is closed where all values are the same again, whoever looks at them.
        let forgets = self.request.run.dead_variables && !has_cycles;
        let reduces = self.reduces(base, &layers, Some(number), &search);
        self.jobs.push(Job { questions: vec![number], base, forgets, reduces, layers, search, stop, conclusion });
        Ok(())
    }

    fn add_runs(&mut self, number: usize) -> Result<(), RunError> {
        let non_zeno = self.request.zones.non_zeno;
        let layers = match (&self.questions[number].question, &self.claims[number]) {
            (Question::Run(_), _) => vec![Layer::AvoidingRuns { non_zeno }],
            (_, Some(_)) => vec![Layer::EndlessRuns { non_zeno }, Layer::Claim],
            // It was refused.
            (_, None) => return Ok(()),
        };
        let mut search = self.for_cycles()?;
        let lacks = match search.cycles {
            CycleSupport::ByRecording | CycleSupport::Nothing => Some("runs that go on for ever"),
            // Some steps from a state tick and others do not.
            CycleSupport::OneCondition if non_zeno => Some("runs whose time goes on for ever"),
            CycleSupport::OneCondition | CycleSupport::AnyConditions => None,
        };
        if let Some(lacks) = lacks {
            let note = format!("{} cannot look for {lacks}; {CYCLES_OF_ZONES} does it", search.text);
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            search = Strategy::instead(CYCLES_OF_ZONES, &self.request.run)?;
        }
        let conclusion =
            if self.questions[number].question.is_existential() { Conclusion::Existence } else { Conclusion::Errors };
        self.jobs.push(Job {
            questions: vec![number],
            base: Base::Zones(Abstraction::RUNS),
            forgets: false,
            reduces: Reduces::Nothing(None),
            layers,
            search,
            stop: StopPolicy::FirstError,
            conclusion,
        });
        Ok(())
    }
}
