//! Questions about chances. A bound on the probability of getting somewhere is decided on as many states as it takes, if nothing
//! else is asked; otherwise the state space is written down as an explicit Markov model once, and each question is answered on
//! it. Where a bound is violated, a counterexample is looked for.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Instant;

use bughound_ir::chance::{Asked, ChanceQuestion, Kind, Number, StateFormula};
use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::real::rounding;
use bughound_kernel::StopReason;
use bughound_kernel::registry::{BuildError, Expression, expression};
use bughound_markov::{Effort, Extended};
use bughound_search::Statistics;
use bughound_semantics::DiscreteSystem;
use bughound_trace::{Claim, Reason, Trace, replay};

use super::Execution;
use crate::chances::{
    Asker, ChanceAnswer, ChanceOptions, ExploreBy, Guidance, Hunt, Hunted, NoAnswer, NotBuilt, Outcome, Reachability,
    Wrong, walk, with_likelihoods,
};
use crate::check::{CheckReport, PropertyReport};
use crate::machine::{cpu_time, own_memory, peak_memory};
use crate::plan::{Job, Plan};
use crate::run::{Hooks, RunError, RunStats};
use crate::verdict::Verdict;

/// A question with numbers of atoms in place of its conditions.
type Numbered = ChanceQuestion<usize>;

impl Plan {
    /// Are the questions of the job decided on a part of the states?
    pub(crate) fn is_directed(&self, job: &Job, options: ChanceOptions) -> bool {
        let Some(stochastic) = &self.network.stochastic else { return false };
        let is_bound = |number: &usize| {
            let mut atoms = Vec::new();
            let asked = numbered(&self.questions[*number].question, &mut atoms);
            let asked = asked.and_then(|question| Reachability::new(&question, stochastic.kind));
            asked.is_some_and(|asked| asked.threshold.is_some())
        };
        options.by != ExploreBy::Whole && job.questions.iter().all(is_bound)
    }
}

/// What questions about chances are asked about.
struct Ground {
    system: DiscreteSystem,
    /// The same with probabilities as costs, made when a heuristic is needed.
    weighed: DiscreteSystem,
    kind: Kind,
    atoms: Vec<Expr>,
    heuristic: Option<Expression>,
    options: ChanceOptions,
}

impl Execution<'_> {
    pub(super) fn decide_chances(
        &self,
        job: &Job,
        options: ChanceOptions,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let mut atoms: Vec<Expr> = Vec::new();
        let questions: Vec<(usize, Numbered)> =
            job.questions.iter().filter_map(|number| Some((*number, self.numbered(*number, &mut atoms)?))).collect();
        let Some(stochastic) = &self.plan.network.stochastic else { return Ok(()) };
        let heuristic = job.search.heuristic.as_deref().map(expression::parse).transpose();
        let heuristic = heuristic.map_err(|error| unfit(job, &error))?;
        let ground = Ground {
            system: DiscreteSystem::new(self.plan.network.clone(), &atoms),
            weighed: DiscreteSystem::new(with_likelihoods(&self.plan.network), &atoms),
            kind: stochastic.kind,
            atoms,
            heuristic,
            options,
        };
        if self.plan.is_directed(job, options) {
            for (number, question) in &questions {
                self.decide_directed(job, &ground, *number, question, hooks, report)?;
                // What is told at once has its paths with it.
                self.list_paths(&ground, *number, question, hooks, report)?;
                hooks.tell(&report.properties);
            }
            return Ok(());
        }
        self.decide_on_all_states(job, &ground, &questions, hooks, report)?;
        if let Some(wanted) = ground.heuristic.as_ref().filter(|_| options.paths.is_none()) {
            report.note(&format!("`--heuristic {wanted}` guides nothing here: all states are explored"));
        }
        for (number, question) in &questions {
            self.list_paths(&ground, *number, question, hooks, report)?;
        }
        Ok(())
    }

    /// Decides a bound on as many states as it takes.
    fn decide_directed(
        &self,
        job: &Job,
        ground: &Ground,
        number: usize,
        question: &Numbered,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let Some(asked) = Reachability::new(question, ground.kind) else { return Ok(()) };
        let started = Instant::now();
        let cpu_before = cpu_time();
        let mut stats = stats_of(job);
        stats.search = if ground.options.by == ExploreBy::Path { "path" } else { "mass" }.into();
        stats.complete = false;
        let hunt = self.hunt(ground, &asked, question);
        let (hunted, rounded) = rounding(|| hunt.decide(self.limits, hooks, &mut stats.counts));
        let rounded = rounded || self.plan.network.stochastic.as_ref().is_some_and(|stochastic| stochastic.rounded);
        let Guidance { used, note: unguided } = hunt.guidance.take();
        stats.heuristic = used;
        let entry = &mut report.properties[number];
        let mut note = None;
        match hunted {
            Ok(Hunted { stopped: Some(reason), known, .. }) => {
                stats.stop_reason = Some(reason);
                let known = known.map(|known| if asked.is_complement { known.complement() } else { known });
                entry.verdict = Verdict::Limit;
                entry.reason = Some(match known {
                    Some(known) => {
                        format!("{}; the probability is {} so far", reason.describe(), ChanceAnswer::between(known))
                    }
                    None => reason.describe().to_string(),
                });
            }
            // What exact numbers about the whole do not tell, they may tell about the complement.
            Ok(Hunted { holds: None, .. }) => {
                let asked = [(number, question.clone())];
                return self.decide_on_all_states(job, ground, &asked, hooks, report);
            }
            Ok(mut hunted) => {
                if rounded {
                    hunted.without_exact_numbers();
                }
                conclude(&asked, hunted, entry, &mut note);
            }
            Err(NotBuilt::Stopped(reason)) => {
                stats.stop_reason = Some(reason);
                (entry.verdict, entry.reason) = (Verdict::Limit, Some(reason.describe().to_string()));
            }
            Err(NotBuilt::Wrong(wrong)) => {
                let why = format!("not decided: the model is wrong: {}", wrong.what);
                (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(why));
                entry.trace = self.way_to_error(&wrong)?;
            }
            Err(NotBuilt::Refused(why)) => {
                (entry.verdict, entry.reason) = (Verdict::Inconclusive, Some(undecided(&why)));
            }
            Err(NotBuilt::Unconfirmed(why)) => return Err(RunError::Internal(why)),
            Err(NotBuilt::Heuristic(error)) => return Err(unfit(job, &error)),
        }
        finish(&mut stats, started, cpu_before);
        entry.stats = Some(stats.clone());
        report.count(&stats);
        note.iter().chain(&unguided).for_each(|note| report.note(note));
        if rounded {
            report.note(ROUNDED);
        }
        Ok(())
    }

    fn hunt<'h>(&'h self, ground: &'h Ground, asked: &'h Reachability, question: &Numbered) -> Hunt<'h> {
        Hunt {
            system: &ground.system,
            weighed: &ground.weighed,
            kind: ground.kind,
            asked,
            target: target(asked, question, &ground.atoms),
            options: ground.options,
            heuristic: ground.heuristic.as_ref(),
            model: self.model,
            guidance: RefCell::default(),
        }
    }

    /// The counterexample to a bound that the whole model has shown to be violated.
    fn show(
        &self,
        ground: &Ground,
        question: &Numbered,
        hooks: &mut Hooks<'_>,
        entry: &mut PropertyReport,
    ) -> Result<Option<String>, RunError> {
        let asked = Reachability::new(question, ground.kind).filter(|asked| asked.threshold.is_some());
        let Some(asked) = asked else { return Ok(None) };
        let mut counts = Statistics::default();
        match self.hunt(ground, &asked, question).decide(self.limits, hooks, &mut counts) {
            Ok(Hunted { holds: Some(true), .. }) => {
                let why = format!("`{}` is violated on all states, and holds on a part of them", entry.name);
                Err(RunError::Internal(why))
            }
            Ok(Hunted { stopped: None, counterexample, no_counterexample, .. }) => {
                entry.counterexample = counterexample.map(Arc::new);
                Ok(no_counterexample.map(Into::into))
            }
            Ok(Hunted { stopped: Some(reason), .. }) | Err(NotBuilt::Stopped(reason)) => {
                Ok(Some(format!("no counterexample to `{}`: {}", entry.name, reason.describe())))
            }
            // Heuristics for what is decided already would only be faster.
            Err(NotBuilt::Wrong(_) | NotBuilt::Refused(_) | NotBuilt::Heuristic(_)) => Ok(None),
            Err(NotBuilt::Unconfirmed(why)) => Err(RunError::Internal(why)),
        }
    }

    /// The most probable paths, if they are wanted.
    fn list_paths(
        &self,
        ground: &Ground,
        number: usize,
        question: &Numbered,
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let Some(count) = ground.options.paths else { return Ok(()) };
        let name = report.properties[number].name.clone();
        let Some(asked) = Reachability::new(question, ground.kind) else {
            report.note(&format!("no paths for `{name}`: it does not ask for the probability of getting somewhere, at any time or up to one"));
            return Ok(());
        };
        let hunt = self.hunt(ground, &asked, question);
        let found = hunt.paths(count, self.limits, hooks);
        hunt.guidance.take().note.iter().for_each(|note| report.note(note));
        match found {
            Ok(Ok(found)) => report.properties[number].most_probable = Some(Arc::new(found)),
            Ok(Err(why)) => report.note(&format!("no paths for `{name}`: {why}")),
            Err(NotBuilt::Stopped(reason)) => {
                report.note(&format!("no paths for `{name}`: {}", reason.describe()));
            }
            Err(NotBuilt::Wrong(Wrong { what, .. })) => {
                report.note(&format!("no paths for `{name}`: the model is wrong: {what}"));
            }
            Err(NotBuilt::Refused(why)) => report.note(&format!("no paths for `{name}`: {why}")),
            Err(NotBuilt::Unconfirmed(why)) => return Err(RunError::Internal(why)),
            Err(NotBuilt::Heuristic(error)) => report.note(&format!("no paths for `{name}`: {error}")),
        }
        Ok(())
    }

    fn decide_on_all_states(
        &self,
        job: &Job,
        ground: &Ground,
        questions: &[(usize, Numbered)],
        hooks: &mut Hooks<'_>,
        report: &mut CheckReport,
    ) -> Result<(), RunError> {
        let started = Instant::now();
        let cpu_before = cpu_time();
        let mut stats = stats_of(job);
        let built = walk(&ground.system, self.limits, hooks, &mut stats.counts);
        let mut verdicts = Vec::new();
        for (number, question) in questions {
            let answer = match &built {
                Ok(built) => {
                    let stop = hooks.stop.clone();
                    let until = self.limits.until;
                    let is_over = move || stop.is_raised() || until.is_some_and(|until| Instant::now() >= until);
                    let memory = self.limits.memory.map_or(u64::MAX, |limit| limit.saturating_sub(own_memory()));
                    let effort = Effort { stop: &is_over, memory: memory as usize, ..Effort::default() };
                    Asker { built, effort }.answer(question)
                }
                Err(NotBuilt::Stopped(reason)) => {
                    verdicts.push((*number, Verdict::Limit, Some(reason.describe().to_string()), None));
                    (stats.complete, stats.stop_reason) = (false, Some(*reason));
                    continue;
                }
                Err(NotBuilt::Wrong(wrong)) => {
                    Err(NoAnswer::Refused(format!("not decided: the model is wrong: {}", wrong.what)))
                }
                Err(NotBuilt::Refused(why)) => Err(NoAnswer::Refused(why.clone())),
                Err(NotBuilt::Unconfirmed(why)) => return Err(RunError::Internal(why.clone())),
                Err(NotBuilt::Heuristic(error)) => return Err(unfit(job, error)),
            };
            verdicts.push(match answer {
                Ok(Outcome::Truth(true, value)) => (*number, Verdict::Holds, None, Some(Outcome::Truth(true, value))),
                Ok(Outcome::Truth(false, value)) => {
                    (*number, Verdict::Violated, None, Some(Outcome::Truth(false, value)))
                }
                Ok(outcome) => (*number, Verdict::Satisfied, None, Some(outcome)),
                Err(NoAnswer::Refused(why)) => (*number, Verdict::Inconclusive, Some(undecided(&why)), None),
                Err(stopped) => {
                    let reason = self.why_stopped(&stopped, hooks);
                    (stats.complete, stats.stop_reason) = (false, Some(reason));
                    (*number, Verdict::Limit, Some(reason.describe().to_string()), None)
                }
            });
        }
        if let Ok(built) = &built
            && built.rounded
        {
            report.notes.push(ROUNDED.into());
        }
        if let Ok(built) = &built
            && built.model.deadlocks().len() > 0
        {
            report.notes.push(deadlocks(built.model.deadlocks().len()));
        }
        let trace = match &built {
            Err(NotBuilt::Wrong(wrong)) => self.way_to_error(wrong)?,
            _ => None,
        };
        drop(built);
        for (number, verdict, reason, outcome) in verdicts {
            let entry = &mut report.properties[number];
            (entry.verdict, entry.reason, entry.chance) = (verdict, reason, outcome);
            entry.trace.clone_from(&trace);
            let question = questions.iter().find(|(of, _)| *of == number).map(|(_, question)| question);
            if let Some(question) = question.filter(|_| verdict == Verdict::Violated)
                && let Some(note) = self.show(ground, question, hooks, entry)?
            {
                report.note(&note);
            }
        }
        finish(&mut stats, started, cpu_before);
        report.count(&stats);
        questions.iter().for_each(|(number, _)| report.properties[*number].stats = Some(stats.clone()));
        Ok(())
    }

    /// The way to the state in which the model is wrong, if it is about one.
    fn way_to_error(&self, wrong: &Wrong) -> Result<Option<Arc<Trace>>, RunError> {
        let Some(way) = &wrong.way else { return Ok(None) };
        // There is nothing to claim of the state but that it is reached.
        let (never, network) = (Expr::truth(false), &self.plan.network);
        let replayed = replay(network, way, &Claim::Condition { condition: &never, expected: true });
        let mut trace = replayed.map_err(|error| {
            RunError::Internal(format!("the way to an error of the model could not be confirmed: {error}"))
        })?;
        trace.reason = Reason { headline: wrong.what.clone(), ..Reason::default() };
        Ok(Some(trace.into()))
    }

    /// The question with numbers of atoms in place of its conditions.
    pub(super) fn numbered(&self, number: usize, atoms: &mut Vec<Expr>) -> Option<Numbered> {
        numbered(&self.plan.questions[number].question, atoms)
    }

    fn why_stopped(&self, stopped: &NoAnswer, hooks: &Hooks<'_>) -> StopReason {
        match (stopped, hooks.stop.reason()) {
            (NoAnswer::Memory, _) => StopReason::Memory,
            (_, Some(reason)) => reason,
            (_, None) => StopReason::Time,
        }
    }
}

fn numbered(question: &Question, atoms: &mut Vec<Expr>) -> Option<Numbered> {
    let Question::Chance(question) = question else { return None };
    let numbered: Result<_, std::convert::Infallible> = question.try_map(&mut |condition| {
        let known = atoms.iter().position(|atom| atom == condition);
        Ok(known.unwrap_or_else(|| {
            atoms.push(condition.clone());
            atoms.len() - 1
        }))
    });
    numbered.ok()
}

/// What is looked for as a condition on states, for heuristics; nothing where it is not one.
fn target(asked: &Reachability, question: &Numbered, atoms: &[Expr]) -> Option<Expr> {
    let is_about_paths = match &question.asked {
        Asked::Value(_) => true,
        Asked::Truth(formula) => matches!(formula, StateFormula::Bound(..)),
    };
    if is_about_paths { expression_of(&asked.right, atoms) } else { None }
}

fn expression_of(formula: &StateFormula<usize>, atoms: &[Expr]) -> Option<Expr> {
    let binary = |op, a, b| Some(Expr::binary(op, expression_of(a, atoms)?, expression_of(b, atoms)?));
    match formula {
        StateFormula::Atom(atom) => Some(atoms[*atom].clone()),
        StateFormula::Not(f) => Some(expression_of(f, atoms)?.not()),
        StateFormula::And(a, b) => binary(bughound_ir::expr::BinaryOp::And, a, b),
        StateFormula::Or(a, b) => binary(bughound_ir::expr::BinaryOp::Or, a, b),
        StateFormula::Initial | StateFormula::Deadlock | StateFormula::Bound(..) => None,
    }
}

/// Writes down what a directed exploration found out.
fn conclude(asked: &Reachability, hunted: Hunted, entry: &mut PropertyReport, note: &mut Option<String>) {
    let known = hunted.known.map(|known| if asked.is_complement { known.complement() } else { known });
    let value = hunted.value.map(|value| if asked.is_complement { Number::ONE - value } else { value });
    let value = match (value, known) {
        (Some(value), _) => Some(ChanceAnswer::exact(&Extended::Finite(value))),
        (None, known) => known.map(ChanceAnswer::between),
    };
    match hunted.holds {
        Some(holds) => {
            entry.verdict = if holds { Verdict::Holds } else { Verdict::Violated };
            entry.chance = Some(Outcome::Truth(holds, value));
        }
        None => {
            entry.verdict = Verdict::Inconclusive;
            let between = value.map_or(String::new(), |value| format!(": the value is {value}"));
            entry.reason = Some(format!("not decided{between}"));
        }
    }
    entry.counterexample = hunted.counterexample.map(Arc::new);
    *note = hunted.no_counterexample.map(Into::into);
}

/// A heuristic that the user wants does not fit the model.
fn unfit(job: &Job, error: &BuildError) -> RunError {
    RunError::Usage(format!("--heuristic: {}", error.render(job.search.heuristic.as_deref().unwrap_or_default())))
}

fn stats_of(job: &Job) -> RunStats {
    RunStats {
        counts: Statistics::default(),
        complete: true,
        peak_memory_bytes: 0,
        cpu_time: None,
        search: job.search.text.clone(),
        heuristic: None,
        stop_reason: None,
        compared: None,
    }
}

fn finish(stats: &mut RunStats, started: Instant, cpu_before: Option<std::time::Duration>) {
    stats.counts.elapsed = started.elapsed();
    stats.peak_memory_bytes = peak_memory();
    stats.cpu_time = cpu_before.zip(cpu_time()).map(|(before, after)| after.saturating_sub(before));
}
/// Answers to such a model are certain, but about other numbers than those that stand there.
const ROUNDED: &str = "numbers without an exact value (roots, logarithms) are rounded to the nearest double: the answers are about the \
     rounded model";

/// States in which nothing can happen are no error here, but seldom meant.
fn deadlocks(count: usize) -> String {
    let states = if count == 1 { "1 state has".into() } else { format!("{count} states have") };
    format!("{states} no step: nothing changes there any more, and the label \"deadlock\" holds")
}

fn undecided(why: &str) -> String {
    if why.starts_with("not decided") { why.into() } else { format!("not decided: {why}") }
}
