//! Questions about states and steps: errors that must not be there, states that are asked for. With zones or without.

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::{Property, Question};
use bughound_ir::targets::Targets;
use bughound_kernel::{AtomId, TransitionSystem};
use bughound_search::{EdgeCoverage, Goals, InvariantGoal, Observer, SearchResult, Witness};
use bughound_semantics::DiscreteSystem;
use bughound_semantics::reduction::{Preserve, Reduction, Verified};
use bughound_semantics::timed::{Abstraction, TimedSystem};

use super::confirm::add_trace;
use super::different::difference;
use super::timed_trace::{self, NoTimes};
use super::{Execution, Hunt, verified};
use crate::check::{CheckReport, PropertyReport};
use crate::coverage::unreached;
use crate::guide::{targets, without_clocks};
use crate::plan::{Base, Conclusion, Job};
use crate::run::{Hooks, ReductionMode, RunError, RunStats};
use crate::verdict::Verdict;

/// The reason for no verdict on a path that only approximate zones have.
const NOT_REALISED: &str =
    "the path found exists for approximate zones only (--approximate hull); an exact check can tell";
/// Why a question about existence is answered with no.
const NO_STATE: &str = "no reachable state satisfies the condition";

/// The states that a search goes through.
pub(super) enum States<'a> {
    Discrete(&'a DiscreteSystem),
    /// Those that are left when steps are left out that need not be taken.
    Reduced(Box<DiscreteSystem>),
    /// The same, with an eye on it.
    Verified(Box<Verified>),
    Timed(Box<TimedSystem>),
}

/// Failing steps are among what is looked for.
fn keeps_failures(goals: &Goals) -> bool {
    goals.assertion.is_some() || goals.evaluation.is_some()
}

/// What a search of a job needs, built once.
pub(super) struct Prepared<'a> {
    pub states: States<'a>,
    pub goals: Goals,
    pub targets: Targets,
}

impl States<'_> {
    /// Those of a system with a reduction that preserves this.
    pub(super) fn new(system: DiscreteSystem, preserve: &Preserve, mode: ReductionMode) -> Self {
        match mode {
            ReductionMode::Check => States::Verified(Box::new(Verified::new(system, preserve))),
            _ => States::Reduced(Box::new(system)),
        }
    }

    /// After a search: was everything right that the reduction has said?
    pub(super) fn keeps_its_word(&self, stats: &mut RunStats) -> Result<(), RunError> {
        match self {
            States::Verified(system) => verified::kept(system, stats),
            States::Discrete(_) | States::Reduced(_) | States::Timed(_) => Ok(()),
        }
    }

    pub(super) fn system(&self) -> &dyn TransitionSystem {
        match self {
            States::Discrete(system) => *system,
            States::Reduced(system) => &**system,
            States::Verified(system) => &**system,
            States::Timed(system) => &**system,
        }
    }

    /// What heuristics know of them.
    pub(super) fn known(&self) -> &DiscreteSystem {
        match self {
            States::Discrete(system) => system,
            States::Reduced(system) => system,
            States::Verified(system) => system.system(),
            States::Timed(system) => system.discrete(),
        }
    }

    /// Adds the trace of a witness, confirmed by the evaluator, which forgets nothing: `network` is the model as it is.
    /// `approximate`: there may be none.
    pub(super) fn confirm(
        &self,
        network: &Network,
        asked: &Property,
        witness: &Witness,
        approximate: bool,
        entry: &mut PropertyReport,
    ) -> Result<Result<(), NoTimes>, RunError> {
        match self {
            States::Discrete(_) | States::Reduced(_) | States::Verified(_) => {
                add_trace(network, asked, witness, entry).map(Ok)
            }
            States::Timed(system) => timed_trace::add(system, asked, witness, approximate, entry),
        }
    }
}

impl Execution<'_> {
    pub(super) fn decide_states(
        &self,
        job: &Job,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let Some(prepared) = self.prepare(job, report) else { return Ok(()) };
        let mut coverage = EdgeCoverage::new(prepared.states.known().network().edges.len());
        let covers = job.base == Base::States && job.conclusion == Conclusion::Errors;
        let observer: Option<&mut dyn Observer> = if covers { Some(&mut coverage) } else { None };
        let (result, stats) = self.search_states(job, &prepared, hooks, observer)?;
        for &number in &job.questions {
            self.answer(number, job, &prepared, (&result, &stats), hooks, report)?;
        }
        // What lies beyond dead ends may be reachable; it just leads to no error.
        let violated = report.properties.iter().any(|p| p.verdict == Verdict::Violated);
        if covers && result.saw_everything && !violated {
            report.unreached = Some(unreached(&self.plan.network, &coverage));
        }
        report.count(&stats);
        if self.wants_several(job) {
            self.note_first_errors(&result);
        }
        Ok(())
    }

    /// What a search of a job needs. Nothing if it cannot be searched, which is then noted in the report.
    pub(super) fn prepare(&self, job: &Job, report: &mut CheckReport) -> Option<Prepared<'_>> {
        let mut prepared = match job.base {
            Base::States => self.goals_without_zones(job, report),
            Base::Zones(abstraction) => match self.goals_with_zones(job, abstraction) {
                Ok(prepared) => prepared,
                Err(why) => {
                    for number in &job.questions {
                        report.properties[*number].reason = Some(format!("not checked: {why}"));
                    }
                    return None;
                }
            },
        };
        if self.wants_several(job) {
            prepared.goals.difference = Some(difference(prepared.states.known().network()));
        }
        Some(prepared)
    }

    pub(super) fn search_states(
        &self,
        job: &Job,
        prepared: &Prepared<'_>,
        hooks: &mut Hooks<'_>,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(SearchResult, RunStats), RunError> {
        let Prepared { states, goals, targets } = prepared;
        let hunt = Hunt {
            system: states.system(),
            known: states.known(),
            goals,
            stop: job.stop,
            targets: targets.clone(),
            strategy: &job.search,
            recorded_as: Some(format!("{:?}, {:?}", job.questions, job.layers)),
        };
        let (result, mut stats) = self.search(hunt, hooks, observer)?;
        states.keeps_its_word(&mut stats)?;
        Ok((result, stats))
    }

    /// What a search says about a question.
    pub(super) fn answer(
        &self,
        number: usize,
        job: &Job,
        prepared: &Prepared<'_>,
        (result, stats): (&SearchResult, &RunStats),
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let (asked, states) = (&self.plan.questions[number], &prepared.states);
        let entry = &mut report.properties[number];
        entry.stats = Some(stats.clone());
        match result.witnesses.iter().find(|witness| witness.property == number) {
            Some(witness) => {
                (entry.verdict, entry.reason) = (job.conclusion.with_witness(), None);
                if let Err(NoTimes) = states.confirm(&self.plan.network, asked, witness, self.zones.hull, entry)? {
                    (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(NOT_REALISED.into()));
                }
            }
            None => (entry.verdict, entry.reason) = job.conclusion.without_witness(result, NO_STATE),
        }
        self.mind_model_errors(number, result, hooks, entry)?;
        self.mind_missing_state(number, hooks, entry)?;
        let is_timed = matches!(states, States::Timed(_));
        let answered = matches!(entry.verdict, Verdict::Violated | Verdict::Satisfied) && entry.trace.is_some();
        if is_timed && self.fastest && answered && !self.find_fastest(number, hooks, entry)? {
            report.note("--fastest: traces to deadlocks are short, not fast");
        }
        Ok(())
    }

    fn goals_without_zones(&self, job: &Job, report: &mut CheckReport) -> Prepared<'_> {
        let mut goals = Goals::none();
        for &number in &job.questions {
            match &self.plan.questions[number].question {
                Question::Deadlock => goals.deadlock = Some(number),
                Question::Assertion => (goals.assertion, goals.evaluation) = (Some(number), Some(number)),
                question if question.state_condition().is_some() => {
                    // An invariant is expected to be true; a state that is asked for is what is looked for.
                    let expected = job.conclusion == Conclusion::Errors;
                    goals.invariants.push(InvariantGoal { property: number, atom: self.atom(number), expected });
                }
                _ => {}
            }
        }
        self.stop_at_errors(goals.properties().first().copied(), &mut goals);
        goals.hints = self.hints();
        let targets = targets(&goals, self.atoms);
        Prepared { states: self.discrete_states(job, &goals, report), goals, targets }
    }

    /// The states for these goals: with all their steps, or with enough of them.
    fn discrete_states(&self, job: &Job, goals: &Goals, report: &mut CheckReport) -> States<'_> {
        let whole = self.system_of(job);
        if !job.reduces.is_on() {
            return States::Discrete(whole);
        }
        let atoms = goals.invariants.iter().map(|goal| self.atoms[goal.atom.0 as usize].clone());
        let failures = keeps_failures(goals);
        let network = whole.shared_network();
        let preserve = Preserve { failures, conditions: atoms.collect() };
        match Reduction::new(network, preserve.clone()) {
            Ok(reduction) => {
                let system = DiscreteSystem::new(network.clone(), self.atoms).reduced_by(reduction);
                States::new(system, &preserve, self.reduction)
            }
            Err(why) => {
                if self.reduction.is_wanted() {
                    report.note(&format!("no step is left out: {why}"));
                }
                States::Discrete(whole)
            }
        }
    }

    fn goals_with_zones(&self, job: &Job, abstraction: Abstraction) -> Result<Prepared<'_>, String> {
        let mut atoms = Vec::new();
        let mut goals = Goals::none();
        let mut targets = Targets::default();
        for &number in &job.questions {
            match &self.plan.questions[number].question {
                Question::Deadlock => (goals.deadlock, targets.deadlock) = (Some(number), true),
                Question::Assertion => {
                    (goals.assertion, goals.evaluation) = (Some(number), Some(number));
                    targets.failures = true;
                }
                question => {
                    let Some(error) = error_condition(question) else { continue };
                    let atom = AtomId(atoms.len() as u32);
                    goals.invariants.push(InvariantGoal { property: number, atom, expected: false });
                    targets.conditions.push(without_clocks(&error));
                    atoms.push(error);
                }
            }
        }
        self.stop_at_errors(job.questions.first().copied(), &mut goals);
        let system = TimedSystem::new(self.model.network.clone(), &atoms, abstraction);
        let system = system.map_err(|why| why.to_string())?;
        Ok(Prepared { states: States::Timed(Box::new(system)), goals, targets })
    }

    /// Where a failed assertion is no answer, it ends the search all the same.
    fn stop_at_errors(&self, first: Option<usize>, goals: &mut Goals) {
        if self.errors_are_no_answers() {
            goals.assertion = goals.assertion.or(first);
        }
    }

    /// The number of the condition of a question among all conditions.
    fn atom(&self, number: usize) -> AtomId {
        let before = self.plan.questions[..number].iter();
        AtomId(before.filter(|asked| asked.question.state_condition().is_some()).count() as u32)
    }

    /// The numbers of the hints, which come last.
    fn hints(&self) -> Vec<AtomId> {
        let all = self.atoms.len() as u32;
        (all - self.plan.hints.len() as u32..all).map(AtomId).collect()
    }
}

/// What is true of a point that answers the question: an error, or a state that was asked for.
pub(crate) fn error_condition(question: &Question) -> Option<Expr> {
    match question {
        Question::Invariant(e) | Question::Protocol(_, e) => Some(e.total().not()),
        Question::Reach(e) => Some(e.clone()),
        _ => None,
    }
}
