//! Checking: one search decides all safety properties together; each never claim and each question after existence has
//! a search of its own.

use std::cell::OnceCell;

use bughound_heuristics::Targets;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_kernel::{AtomId, Failure, Limits, TransitionSystem};
use bughound_search::{EdgeCoverage, Goals, InvariantGoal, Observer, SearchResult, StopPolicy, Witness};
use bughound_semantics::DiscreteSystem;
use bughound_trace::{Claim, Lasso, Trace, Violated, replay, with_few_switches};

use crate::added::AddedProperty;
pub use crate::check_extremes::Extremes;
pub use crate::check_order::AfterError;
use crate::check_timed::mentions_deadlock;
use crate::condition::parse_condition;
use crate::coverage::{UnreachedIn, unreached};
pub use crate::fastest::Fastest;
use crate::guide::{Guide, LayerGuide, View, targets};
use crate::initial;
use crate::language::Language;
use crate::liveness::{LiveClaim, add_claim};
use crate::model::Model;
use crate::model_error::ModelError;
use crate::properties::{Asked, NON_PROGRESS, Question, RunQuestion, all, has_label, select};
use crate::run::{Hooks, RunError, RunOptions, RunStats, build_search, heuristic_of, search, verdict_without_witness};
use crate::verdict::Verdict;
use crate::zones::ZoneOptions;

/// What is to be checked, and how.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// Names and groups of properties; empty: all.
    pub selection: Vec<String>,
    /// The properties that were added to the model when it was loaded.
    pub added: Vec<AddedProperty>,
    pub stop: StopPolicy,
    /// What becomes of the others once an error is known.
    pub after: AfterError,
    pub run: RunOptions,
    /// How clock zones are treated, in timed models.
    pub zones: ZoneOptions,
    /// In timed models: what takes the least time, not what has the fewest steps.
    pub fastest: bool,
}

impl Default for CheckRequest {
    fn default() -> Self {
        let run = RunOptions {
            search: "bfs".into(),
            cycle_search: None,
            heuristic: None,
            improve: None,
            seed: 0,
            fair: false,
            limits: Limits::default(),
        };
        CheckRequest {
            selection: Vec::new(),
            added: Vec::new(),
            stop: StopPolicy::FirstError,
            after: AfterError::Stop,
            run,
            zones: ZoneOptions::default(),
            fastest: false,
        }
    }
}

/// The result for one property.
#[derive(Debug)]
pub struct PropertyReport {
    pub name: String,
    pub kind: &'static str,
    pub verdict: Verdict,
    /// Why the verdict is no better than it is.
    pub reason: Option<String>,
    pub proven_shortest: bool,
    /// For infinite runs: no path and cycle of the product with the claim are shorter. The model may have a shorter lasso:
    /// the claim may need several turns around a loop.
    pub proven_for_claim: bool,
    /// The run that decided it; `None` if there was none.
    pub stats: Option<RunStats>,
    /// The counterexample, or the witness of a satisfied question.
    pub trace: Option<Trace>,
    /// The failing step at the end of the trace, if it ends in one.
    pub failure: Option<Failure>,
    /// For a run that goes on for ever: micro steps before its loop. All of them: it comes to rest.
    pub cycle: Option<usize>,
    /// The loop leaves out no process that could always move.
    pub fair: bool,
    /// In timed models: does the loop take finite time however often it is gone through? Nothing if there is no loop, or if
    /// that is not known.
    pub zeno: Option<bool>,
    /// In timed models: the zones of clock values along the trace, the first one included.
    pub zones: Vec<String>,
    /// How fast the run of the trace is, if a fastest one was looked for.
    pub fastest: Option<Fastest>,
    /// For questions after extreme values: as far as they are known.
    pub extremes: Vec<Extremes>,
    /// What the file says that the answer should be: true for yes.
    pub expected: Option<bool>,
}

impl PropertyReport {
    /// Is the answer the one that the file expects? `None` if it expects none, or if there is no answer.
    pub fn as_expected(&self) -> Option<bool> {
        let yes = match self.verdict {
            Verdict::Holds | Verdict::Satisfied => true,
            Verdict::Violated => false,
            Verdict::Inconclusive | Verdict::Limit => return None,
        };
        self.expected.map(|expected| expected == yes)
    }
}

/// The result for all properties.
#[derive(Debug)]
pub struct CheckReport {
    pub verdict: Verdict,
    pub search: String,
    /// The heuristic that guided it, if one did.
    pub heuristic: Option<String>,
    pub properties: Vec<PropertyReport>,
    /// Of all searches together; nothing if there was none.
    pub stats: Option<RunStats>,
    /// What was not checked although the model has something to say about it.
    pub notes: Vec<String>,
    /// After a complete search without error: statements that are never executed.
    pub unreached: Option<Vec<UnreachedIn>>,
}

impl CheckReport {
    /// Adds the numbers of a search to those of the whole check.
    pub(crate) fn count(&mut self, stats: &RunStats) {
        self.stats = Some(match self.stats.take() {
            None => stats.clone(),
            Some(before) => before.followed_by(stats),
        });
    }
}

/// A check under way.
pub(crate) struct Checking<'a> {
    pub(crate) model: &'a Model,
    pub(crate) request: &'a CheckRequest,
    pub(crate) asked: &'a [Asked],
    /// By property: its claim, if it is about runs, or why it has none.
    pub(crate) claims: &'a [Option<Result<LiveClaim, String>>],
    /// The conditions of the properties, in their order.
    atoms: &'a [Expr],
    pub(crate) system: &'a DiscreteSystem,
    /// A way to an error of the model, once it was looked for.
    pub(crate) model_error: &'a OnceCell<ModelError>,
    /// So many states may be met, whatever the effort of a single attempt.
    pub(crate) states: Option<u64>,
}

/// What one search is about.
pub(crate) struct Hunt<'h> {
    pub system: &'h dyn TransitionSystem,
    /// What heuristics know of it.
    pub known: &'h DiscreteSystem,
    pub goals: &'h Goals,
    pub stop: StopPolicy,
    pub targets: Targets,
    /// Where the states that heuristics know are in those of the system.
    pub view: View<'h>,
    pub options: &'h RunOptions,
}

/// Checks the selected properties.
pub fn check(model: &Model, request: &CheckRequest, mut hooks: Hooks<'_>) -> Result<CheckReport, RunError> {
    build_search(&request.run)?;
    if request.zones.non_zeno && model.language != Language::Uppaal {
        let why = "--non-zeno is about the time that runs take: a Promela model has none";
        return Err(RunError::Usage(why.into()));
    }
    let asked = select(all(&model.network, &request.added), &request.selection)?;
    let mut report = CheckReport {
        verdict: Verdict::Inconclusive,
        search: request.run.search.clone(),
        heuristic: heuristic_of(&request.run),
        properties: vec![],
        stats: None,
        notes: notes(model, request),
        unreached: None,
    };
    report.properties = asked.iter().map(undecided).collect();
    if request.zones.non_zeno && !asked.iter().any(|a| matches!(a.question, Question::Run(_))) {
        report.notes.push("--non-zeno makes no difference: no query is about whole runs (`A<>`, `E[]`, `-->`)".into());
    }
    for property in &mut report.properties {
        property.expected = model.expectation(&property.name);
    }
    hooks.tell(&report.properties);
    if !without_initial_state(&model.network, &asked, &mut report.properties)? {
        let atoms: Vec<Expr> = asked.iter().filter_map(condition).cloned().collect();
        let mut network = model.network.clone();
        let claims: Vec<_> = asked.iter().map(|asked| add_claim(&mut network, asked)).collect();
        let system = DiscreteSystem::new(network, &atoms);
        let model_error = OnceCell::new();
        let checking = Checking {
            model,
            request,
            asked: &asked,
            claims: &claims,
            atoms: &atoms,
            system: &system,
            model_error: &model_error,
            states: request.run.limits.states,
        };
        checking.decide_all(&mut hooks, &mut report)?;
    }
    if let Some(stats) = &report.stats {
        (report.search, report.heuristic) = (stats.search.clone(), stats.heuristic.clone());
    }
    report.verdict = Verdict::together(report.properties.iter().map(|p| p.verdict));
    Ok(report)
}

fn notes(model: &Model, request: &CheckRequest) -> Vec<String> {
    let asked = request.selection.iter().any(|word| word == NON_PROGRESS);
    if !asked && request.selection.is_empty() && has_label(&model.network, |flags| flags.progress) {
        return vec!["the model has progress labels; --property non-progress checks them".into()];
    }
    if request.selection.is_empty() && all(&model.network, &request.added).is_empty() {
        return vec!["there is nothing to check: add a query, such as --query 'A[] not deadlock'".into()];
    }
    Vec::new()
}

fn undecided(asked: &Asked) -> PropertyReport {
    PropertyReport {
        name: asked.name.clone(),
        kind: asked.question.kind(),
        verdict: Verdict::Inconclusive,
        reason: match &asked.question {
            Question::Unsupported(why) => Some(format!("not checked: {why}")),
            _ => None,
        },
        proven_shortest: false,
        proven_for_claim: false,
        stats: None,
        trace: None,
        failure: None,
        cycle: None,
        fair: false,
        zeno: None,
        zones: Vec::new(),
        fastest: None,
        extremes: Vec::new(),
        expected: None,
    }
}

/// The condition on states in a property, if it is about one.
fn condition(asked: &Asked) -> Option<&Expr> {
    match &asked.question {
        Question::Invariant(e) | Question::Protocol(_, e) | Question::Reach(e) => Some(e),
        _ => None,
    }
}

/// The number of the condition of a property among all conditions.
fn atom(asked: &[Asked], property: usize) -> AtomId {
    AtomId(asked[..property].iter().filter_map(condition).count() as u32)
}

/// A model whose initial values have no meaning has no states at all: that is an evaluation error, not a proof.
fn without_initial_state(
    network: &Network,
    asked: &[Asked],
    properties: &mut [PropertyReport],
) -> Result<bool, RunError> {
    let Some(obstacle) = initial::obstacle(network) else { return Ok(false) };
    for (report, asked) in properties.iter_mut().zip(asked) {
        if asked.question == Question::Assertion {
            report.verdict = Verdict::Violated;
            report.proven_shortest = true;
            let replayed = replay(network, &[], &Claim::NoInitialState);
            report.trace = Some(replayed.map_err(|error| RunError::Internal(error.to_string()))?);
        } else if report.reason.is_none() {
            report.reason = Some(format!("there is no initial state: {obstacle}"));
        }
    }
    Ok(true)
}

impl Checking<'_> {
    /// The same check with other limits.
    pub(crate) fn asking<'b>(&'b self, request: &'b CheckRequest) -> Checking<'b> {
        Checking { request, ..*self }
    }

    /// What a deadlock is inside of a condition, only the engine with zones knows.
    pub(crate) fn with_zones(&self) -> bool {
        self.model.network.needs_zones() || self.atoms.iter().any(mentions_deadlock)
    }

    pub(crate) fn decide_safety(
        &self,
        among: &[usize],
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let mut goals = safety_goals(self.asked, among);
        let Some(first) = goals.properties().first().copied() else { return Ok(()) };
        if self.errors_are_no_answers() {
            goals.assertion.get_or_insert(first);
        }
        let mut coverage = EdgeCoverage::new(self.system.network().edges.len());
        let (result, stats) = self.search(self.on_states(&goals, self.request.stop), hooks, Some(&mut coverage))?;
        let (verdict, reason) = verdict_without_witness(&result);
        for property in goals.properties() {
            let entry = &mut report.properties[property];
            entry.stats = Some(stats.clone());
            match result.witnesses.iter().find(|w| w.property == property) {
                Some(witness) => {
                    entry.verdict = Verdict::Violated;
                    add_trace(self.system.network(), &self.asked[property], witness, entry)?;
                }
                None => (entry.verdict, entry.reason) = (verdict, reason.clone()),
            }
            self.mind_model_errors(property, &result, hooks, entry)?;
        }
        // What lies behind dead ends may be reachable; it just leads to no error.
        let violated = report.properties.iter().any(|p| p.verdict == Verdict::Violated);
        if result.saw_everything && !violated {
            report.unreached = Some(unreached(self.system.network(), &coverage));
        }
        report.count(&stats);
        Ok(())
    }

    pub(crate) fn decide_reach(
        &self,
        property: usize,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let goal = InvariantGoal { property, atom: atom(self.asked, property), expected: false };
        let assertion = self.errors_are_no_answers().then_some(property);
        let goals = Goals { invariants: vec![goal], assertion, ..Goals::none() };
        let (result, stats) = self.search(self.on_states(&goals, StopPolicy::FirstError), hooks, None)?;
        let entry = &mut report.properties[property];
        match result.witnesses.first() {
            Some(witness) => {
                entry.verdict = Verdict::Satisfied;
                add_trace(self.system.network(), &self.asked[property], witness, entry)?;
            }
            None => {
                let (verdict, reason) = without_state(&result);
                (entry.verdict, entry.reason) = (verdict, Some(reason));
            }
        }
        self.mind_model_errors(property, &result, hooks, entry)?;
        self.mind_missing_state(property, hooks, entry)?;
        entry.stats = Some(stats.clone());
        report.count(&stats);
        Ok(())
    }

    /// A search over the states of the system itself.
    fn on_states<'h>(&'h self, goals: &'h Goals, stop: StopPolicy) -> Hunt<'h> {
        let targets = targets(goals, self.atoms);
        Hunt {
            system: self.system,
            known: self.system,
            goals,
            stop,
            targets,
            view: View::Whole,
            options: &self.request.run,
        }
    }

    pub(crate) fn search(
        &self,
        hunt: Hunt<'_>,
        hooks: &mut Hooks<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let read_expression = |text: &str| parse_condition(self.model, text);
        let guide = Guide { system: hunt.known, targets: hunt.targets, read_expression: &read_expression };
        let guide = LayerGuide { guide, view: hunt.view };
        search(hunt.system, hunt.goals, hunt.stop, &guide, hunt.options, hooks, observer)
    }
}

fn safety_goals(asked: &[Asked], among: &[usize]) -> Goals {
    let find = |question: Question| among.iter().copied().find(|property| asked[*property].question == question);
    let assertion = find(Question::Assertion);
    let on_states = |a: &Asked| matches!(a.question, Question::Invariant(_) | Question::Protocol(..));
    let invariants = among.iter().copied().filter(|property| on_states(&asked[*property]));
    Goals {
        deadlock: find(Question::Deadlock),
        assertion,
        evaluation: assertion,
        invariants: invariants
            .map(|property| InvariantGoal { property, atom: atom(asked, property), expected: true })
            .collect(),
        cycle: None,
    }
}

pub(crate) fn without_state(result: &SearchResult) -> (Verdict, String) {
    match verdict_without_witness(result) {
        (Verdict::Holds, _) => (Verdict::Violated, "no reachable state satisfies the condition".into()),
        (verdict, reason) => (verdict, reason.unwrap_or_default()),
    }
}

/// Replays a witness with the independent evaluator. A witness that does not replay is a bug, never a result.
pub(crate) fn add_trace(
    network: &Network,
    asked: &Asked,
    witness: &Witness,
    entry: &mut PropertyReport,
) -> Result<(), RunError> {
    let claim = claim(asked, witness.failure, entry.cycle, entry.fair);
    let bug = |why: String| {
        RunError::Internal(format!("the error found for property `{}` could not be confirmed: {why}", asked.name))
    };
    let moves = witness.path.concat();
    let trace = replay(network, &moves, &claim).map_err(|error| bug(error.to_string()))?;
    // Searches add up weights: what they call length is the cost.
    if trace.cost != witness.length {
        return Err(bug(format!("its cost is {}, not {}", trace.cost, witness.length)));
    }
    entry.trace = Some(with_few_switches(network, trace, &claim));
    entry.failure = witness.failure;
    entry.proven_shortest = witness.proven_shortest;
    Ok(())
}

/// What a trace for this property claims to show. `cycle`: micro steps before its loop, if it has one.
pub fn claim(asked: &Asked, failure: Option<Failure>, cycle: Option<usize>, fair: bool) -> Claim<'_> {
    if let Some(failure) = failure {
        return Claim::Failure(failure);
    }
    let lasso = |of, loop_start| Claim::Lasso(Lasso { of, loop_start, fair, constants: &[] });
    match (&asked.question, cycle) {
        (Question::Invariant(condition) | Question::Protocol(_, condition), _) => {
            Claim::Condition { condition, expected: true }
        }
        (Question::Reach(condition), _) => Claim::Condition { condition, expected: false },
        (Question::Assertion, _) => Claim::NoInitialState,
        (Question::Deadlock | Question::Extremes(_) | Question::Unsupported(_), _) => Claim::Deadlock,
        (Question::Run(RunQuestion { formula, asked_for: true, .. }), start) => {
            lasso(Violated::Nothing { formula }, start.unwrap_or(0))
        }
        (Question::Run(RunQuestion { formula, .. }), start) => lasso(Violated::Formula { formula }, start.unwrap_or(0)),
        (Question::Never(template), Some(start)) => lasso(Violated::Never(*template), start),
        (Question::Never(template), None) => Claim::Never(*template),
        (Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula), Some(start)) => {
            lasso(Violated::Formula { formula }, start)
        }
        (Question::Ltl(formula) | Question::Acceptance(formula) | Question::NonProgress(formula), None) => {
            Claim::Prefix { formula }
        }
    }
}
