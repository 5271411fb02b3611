//! Checking timed models: states have clock zones.
//!
//! What may be forgotten of a zone depends on the question (`semantics/src/timed`), so questions of different kinds have
//! searches of their own: one for failures and invariants, one for deadlocks, one for each question after existence.

use bughound_heuristics::Targets;
use bughound_ir::expr::Expr;
use bughound_kernel::AtomId;
use bughound_search::{Goals, InvariantGoal, SearchResult, StopPolicy};
use bughound_semantics::timed::{Abstraction, TimedSystem};

use crate::check::{CheckReport, Checking, Hunt, without_state};
use crate::guide::{View, without_clocks};
use crate::properties::Question;
use crate::run::{Hooks, RunError, RunStats, verdict_without_witness};
use crate::timed_trace::NoTimes;
use crate::verdict::Verdict;

/// The reason for no verdict on a path that only approximate zones have.
const NOT_REALISED: &str =
    "the path found exists for approximate zones only (--approximate hull); an exact check can tell";

/// Properties that one search decides.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub properties: Vec<usize>,
    pub abstraction: Abstraction,
}

/// Finds the properties whose questions are of some kind.
type Finder<'f> = dyn Fn(&dyn Fn(&Question) -> bool) -> Vec<usize> + 'f;

impl Checking<'_> {
    /// What one search each decides, of the properties that `all` finds.
    pub(crate) fn groups(&self, all: &Finder<'_>) -> Vec<Group> {
        // Deadlocks ask for finer zones: such an invariant must not make the others pay for them.
        let asks = |q: &Question| error_condition(q).is_some_and(|e| mentions_deadlock(&e));
        let states = all(&|q| matches!(q, Question::Assertion | Question::Invariant(_)) && !asks(q));
        let stuck = all(&|q| matches!(q, Question::Invariant(_)) && asks(q));
        let deadlock = all(&|q| *q == Question::Deadlock);
        let reach = all(&|q| matches!(q, Question::Reach(_)));
        let one =
            |property: usize| Group { properties: vec![property], abstraction: self.request.zones.reachability() };
        let mut groups = Vec::new();
        if !states.is_empty() {
            groups.push(Group { properties: states, abstraction: self.request.zones.reachability() });
        }
        if !deadlock.is_empty() {
            groups.push(Group { properties: deadlock, abstraction: self.request.zones.deadlock() });
        }
        groups.extend(stuck.into_iter().chain(reach).map(one));
        groups
    }

    pub(crate) fn decide_group(
        &self,
        group: &Group,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let mut atoms = Vec::new();
        let mut goals = Goals::none();
        let mut targets = Targets::default();
        for &property in &group.properties {
            match &self.asked[property].question {
                Question::Deadlock => (goals.deadlock, targets.deadlock) = (Some(property), true),
                Question::Assertion => {
                    (goals.assertion, goals.evaluation) = (Some(property), Some(property));
                    targets.failures = true;
                }
                question => {
                    let Some(error) = error_condition(question) else { continue };
                    let atom = AtomId(atoms.len() as u32);
                    goals.invariants.push(InvariantGoal { property, atom, expected: false });
                    targets.conditions.push(without_clocks(&error));
                    atoms.push(error);
                }
            }
        }
        if self.errors_are_no_answers() {
            goals.assertion.get_or_insert(group.properties[0]);
        }
        let system = match TimedSystem::new(self.model.network.clone(), &atoms, group.abstraction) {
            Ok(system) => system,
            Err(why) => {
                for property in &group.properties {
                    report.properties[*property].reason = Some(format!("not checked: {why}"));
                }
                return Ok(());
            }
        };
        let reach = matches!(self.asked[group.properties[0]].question, Question::Reach(_));
        let stop = if reach { StopPolicy::FirstError } else { self.request.stop };
        let hunt = Hunt {
            system: &system,
            known: system.discrete(),
            goals: &goals,
            stop,
            targets,
            view: View::Whole,
            options: &self.request.run,
        };
        let (result, stats) = self.search(hunt, hooks, None)?;
        for &property in &group.properties {
            self.conclude_timed(&system, property, &result, report, &stats)?;
            let entry = &mut report.properties[property];
            self.mind_model_errors(property, &result, hooks, entry)?;
            self.mind_missing_state(property, hooks, entry)?;
            let answered = matches!(entry.verdict, Verdict::Violated | Verdict::Satisfied) && entry.trace.is_some();
            if self.request.fastest && answered && !self.find_fastest(property, hooks, entry)? {
                let note = "--fastest: traces to deadlocks are short, not fast";
                if !report.notes.iter().any(|known| known == note) {
                    report.notes.push(note.into());
                }
            }
        }
        report.count(&stats);
        Ok(())
    }

    fn conclude_timed(
        &self,
        system: &TimedSystem,
        property: usize,
        result: &SearchResult,
        report: &mut CheckReport,
        stats: &RunStats,
    ) -> Result<(), RunError> {
        let asked = &self.asked[property];
        let reach = matches!(asked.question, Question::Reach(_));
        let entry = &mut report.properties[property];
        entry.stats = Some(stats.clone());
        match result.witnesses.iter().find(|witness| witness.property == property) {
            Some(witness) => {
                entry.verdict = if reach { Verdict::Satisfied } else { Verdict::Violated };
                if let Err(NoTimes) = crate::timed_trace::add(system, asked, witness, self.request.zones.hull, entry)? {
                    (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(NOT_REALISED.into()));
                }
            }
            None if reach => {
                let (verdict, reason) = without_state(result);
                (entry.verdict, entry.reason) = (verdict, Some(reason));
            }
            None => (entry.verdict, entry.reason) = verdict_without_witness(result),
        }
        Ok(())
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

/// Does a condition speak of deadlocks?
pub(crate) fn mentions_deadlock(expr: &Expr) -> bool {
    expr.any(|e| matches!(e, Expr::Deadlock))
}
