//! Bughound as a user would call it: a model with formulas, a search by name, a verdict.

use bughound::added::{AddedKind, AddedProperty};
use bughound::check::{CheckReport, CheckRequest, PropertyReport, check};
use bughound::language::Language;
use bughound::model::{Model, ModelOptions, load_text};
use bughound::properties::listed;
use bughound::run::{Hooks, ReductionMode, RunError, RunOptions};
use bughound::verdict::Verdict;
use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;
use bughound_kernel::{Limits, delays};
use bughound_search::StopPolicy;

/// A model with formulas that were added to it, as with `--ltl`.
///
/// The atoms are added as well, as with `--reach`, so that each can be had on its own: what a formula is about is not
/// taken from what the front end made of the formula.
pub struct Subject {
    model: Model,
    atoms: usize,
}

/// How a check is made: what it leaves out, and how many threads share its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Manner {
    pub steps: ReductionMode,
    pub values: bool,
    pub threads: usize,
    /// So many states are generated before others join the first.
    pub alone: u64,
}

/// One in so many places where threads race is one where they wait.
const DELAYS: usize = 30;

impl Default for Manner {
    /// As users have it who ask for nothing else.
    fn default() -> Self {
        Manner { steps: ReductionMode::default(), values: true, threads: 1, alone: 0 }
    }
}

/// What Bughound says about a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer {
    pub verdict: Verdict,
    /// Of the counterexample.
    pub cost: Option<u64>,
    pub proven_shortest: bool,
    /// Micro steps before the loop, if it has one.
    pub loop_start: Option<usize>,
}

impl Subject {
    /// Loads a model. `Err`: why it is none.
    pub fn load(text: &str, formulas: &[String], atoms: &[String], merge: bool) -> Result<Subject, String> {
        let add = |kind, texts: &[String]| -> Vec<AddedProperty> {
            texts.iter().map(|text| AddedProperty { kind, text: text.clone() }).collect()
        };
        let added = [add(AddedKind::Ltl, formulas), add(AddedKind::Reach, atoms)].concat();
        Ok(Subject { atoms: atoms.len(), ..Subject::load_with(text, added, merge)? })
    }

    /// The same with whatever is asked.
    pub fn load_with(text: &str, added: Vec<AddedProperty>, merge: bool) -> Result<Subject, String> {
        let options = ModelOptions { merge, added, ..ModelOptions::default() };
        let model = load_text("model.pml", text.as_bytes(), Language::Promela, &options);
        Ok(Subject { model: model.map_err(|error| error.to_string())?, atoms: 0 })
    }

    /// The properties that can be selected by name: true for those of states and steps, false for those of runs. Questions
    /// about existence are left out.
    pub fn properties(&self) -> Vec<(String, bool)> {
        let all = listed(&self.model).into_iter().filter(|property| !property.question.is_existential());
        all.map(|property| (property.name, property.question.is_safety())).collect()
    }

    /// Checks what is asked for.
    pub fn request(&self, request: &CheckRequest) -> Result<CheckReport, RunError> {
        check(&self.model, request, Hooks::default())
    }

    pub fn network(&self) -> &Network {
        &self.model.network
    }

    /// The conditions that the atoms stand for.
    pub fn atoms(&self) -> Vec<Expr> {
        let named = |name: String| {
            let found = self.model.network.properties.iter().find(|property| property.name == name)?;
            match &found.question {
                Question::Reach(condition) => Some(condition.clone()),
                _ => None,
            }
        };
        (1..=self.atoms).filter_map(|number| named(format!("reach-{number}"))).collect()
    }

    /// Checks one property. `Err`: the search cannot be asked about it, or there is no answer.
    pub fn check(&self, property: &str, search: &str, fair: bool, limits: Limits) -> Result<PropertyReport, RunError> {
        self.check_forgetting(CheckRequest::default().run.dead_variables, property, search, fair, limits)
    }

    /// The same with all values or without those that make no difference.
    pub fn check_forgetting(
        &self,
        dead_variables: bool,
        property: &str,
        search: &str,
        fair: bool,
        limits: Limits,
    ) -> Result<PropertyReport, RunError> {
        let manner = Manner { values: dead_variables, ..Manner::default() };
        self.check_in(manner, property, search, fair, limits)
    }

    /// The same in another manner.
    pub fn check_in(
        &self,
        manner: Manner,
        property: &str,
        search: &str,
        fair: bool,
        limits: Limits,
    ) -> Result<PropertyReport, RunError> {
        let (cycle_search, heuristic, improve) = (None, None, None);
        let run = RunOptions {
            search: search.into(),
            searches: bughound::searches::ALL,
            cycle_search,
            cost_search: None,
            heuristic,
            improve,
            hints: Vec::new(),
            seed: 0,
            fair,
            dead_variables: manner.values,
            store: Default::default(),
            threads: manner.threads,
            alone: manner.alone,
            disk: None,
            limits,
            reduction: manner.steps,
        };
        let request = CheckRequest {
            selection: vec![property.to_string()],
            stop: StopPolicy::FirstError,
            run,
            ..CheckRequest::default()
        };
        delays::set(if manner.threads > 1 { DELAYS } else { 0 });
        let report = check(&self.model, &request, Hooks::default());
        delays::set(0);
        let mut report = report?;
        match report.properties.len() {
            1 => Ok(report.properties.remove(0)),
            n => Err(RunError::Internal(format!("{n} properties instead of one"))),
        }
    }

    /// Checks one property. A run that needs more states than `states` ends without a verdict. `Err`: there is no answer,
    /// which is always a bug.
    pub fn ask(&self, property: &str, search: &str, fair: bool, states: Option<u64>) -> Result<Answer, String> {
        self.ask_in(Manner::default(), property, search, fair, states)
    }

    /// The same in another manner.
    pub fn ask_in(
        &self,
        manner: Manner,
        property: &str,
        search: &str,
        fair: bool,
        states: Option<u64>,
    ) -> Result<Answer, String> {
        // Sets of states take their room at once. What the process has besides counts, too.
        let memory = search.starts_with("symbolic").then_some(512 << 20);
        let limits = Limits { states, memory, ..Limits::default() };
        let found = self.check_in(manner, property, search, fair, limits);
        let found = found.map_err(|error| format!("no answer: {error}"))?;
        if found.verdict == Verdict::Inconclusive {
            return Err(format!("inconclusive: {:?}", found.reason));
        }
        if (found.verdict == Verdict::Violated) != found.trace.is_some() {
            return Err(format!(
                "{} {} trace",
                found.verdict,
                if found.trace.is_some() { "with a" } else { "without" }
            ));
        }
        Ok(Answer {
            verdict: found.verdict,
            cost: found.trace.as_ref().map(|trace| trace.cost),
            proven_shortest: found.proven_shortest,
            loop_start: found.cycle,
        })
    }
}
