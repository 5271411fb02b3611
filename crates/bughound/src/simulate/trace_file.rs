//! Saved traces as guides of a simulation, and runs as saved traces.

use bughound_kernel::{Failure, FailureKind};
use bughound_trace::{SavedTrace, Trace, micro_steps, replay};

use super::ending::Ending;
use super::session::Session;
use crate::check::{PropertyReport, claim};
use crate::condition::{is_same_shape, with_condition};
use crate::input::{MAX_TRACE_BYTES, read_text};
use crate::model::{Model, ModelOptions};
use crate::properties::all;
use crate::saved_trace::{Origin, fingerprint, options_of, property_of};
use crate::verdict::Verdict;
use bughound_ir::question::{Property, Question};

/// A saved trace that a simulation follows.
#[derive(Clone, Debug)]
pub struct Guide {
    pub path: String,
    pub saved: SavedTrace,
}

/// Reads a trace file.
pub fn read_guide(path: &str) -> Result<Guide, String> {
    let text = read_text(path, MAX_TRACE_BYTES)?;
    let saved = SavedTrace::from_text(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok(Guide { path: path.to_string(), saved })
}

impl Guide {
    /// The options of the user, and where he gave none, those of the trace. Merging and added properties are always
    /// those of the trace: its steps mean nothing without them.
    pub fn options(&self, given: ModelOptions) -> Result<ModelOptions, String> {
        let saved = options_of(&self.saved).map_err(|why| format!("{}: {why}", self.path))?;
        let macros_given = !given.defines.is_empty() || !given.undefines.is_empty();
        let (defines, undefines) =
            if macros_given { (given.defines, given.undefines) } else { (saved.defines, saved.undefines) };
        let include_dirs = if given.include_dirs.is_empty() { saved.include_dirs } else { given.include_dirs };
        Ok(ModelOptions { language: saved.language, defines, undefines, include_dirs, ..saved })
    }

    /// Follows the trace in a session that is at its beginning. `each` sees the session after every step.
    pub fn follow(
        &self,
        model: &Model,
        session: &mut Session<'_>,
        each: &mut dyn FnMut(&Session<'_>),
    ) -> Result<(), String> {
        if fingerprint(model) != self.saved.fingerprint {
            return Err(format!(
                "{} does not belong to {}: the model or its options have changed since the trace was saved",
                self.path, model.file
            ));
        }
        for (at, moves) in micro_steps(&self.saved.moves()).into_iter().enumerate() {
            let step = session.follow(moves);
            step.map_err(|why| format!("{} does not fit: step {} is not possible: {why}", self.path, at + 1))?;
            each(session);
        }
        Ok(())
    }

    /// What the trace shows, once it has been followed: the reason is that of its property.
    pub fn shown(&self, model: &Model, session: &Session<'_>) -> Result<(Trace, Ending), String> {
        let asked = self.asked(model)?;
        let failure = session.taken().last().and_then(|last| {
            let infos = last.failures.iter().map(|info| info.failure);
            infos.into_iter().find(|f| self.saved.failure == Some(saved_failure(*f)))
        });
        if failure.is_none() && self.saved.failure.is_some() {
            return Err(format!("{} does not end in the failure that it claims", self.path));
        }
        let trace =
            replay(&model.network, &session.moves(), &claim(&asked, failure, self.saved.loop_start, self.saved.fair));
        let trace = trace.map_err(|error| format!("{} does not fit: {error}", self.path))?;
        let info = session.taken().last().and_then(|last| last.failures.iter().find(|i| Some(i.failure) == failure));
        let ending = match (info, &asked.question) {
            (Some(info), _) => Ending::Failure(info.clone()),
            (None, Question::Deadlock) => Ending::Deadlock,
            (None, question) => Ending::EndOfTrace { violates: !matches!(question, Question::Reach(_)) },
        };
        Ok((trace, ending))
    }

    fn asked(&self, model: &Model) -> Result<Property, String> {
        let found = property_of(&self.saved, model);
        found.ok_or_else(|| format!("the model has no property `{}`", self.saved.property))
    }
}

fn saved_failure(failure: Failure) -> (String, u32, u32) {
    let kind = match failure.kind {
        FailureKind::Assertion => "assertion",
        FailureKind::Evaluation => "evaluation",
    };
    (kind.to_string(), failure.edge, failure.code)
}

/// The text of a trace file for the run so far.
///
/// A run that ends in an error is saved as a counterexample. Any other is saved as the answer to `--reach true`: the
/// format knows only traces that show something, and every run shows that.
pub fn save_text(model: &Model, options: &ModelOptions, session: &Session<'_>) -> Result<String, String> {
    let failure = session.taken().last().and_then(|last| last.failures.first()).map(|info| info.failure);
    let question = match (failure, session.ending()) {
        (Some(_), _) => Some(Question::Assertion),
        (None, Some(Ending::Deadlock)) => Some(Question::Deadlock),
        _ => None,
    };
    let shown = question.and_then(|question| all(&model.network).into_iter().find(|asked| asked.question == question));
    match shown {
        Some(asked) => save_as(model, options, session, &asked, failure),
        None => {
            let (with, added) = with_condition(model, "true")?;
            if !is_same_shape(&with.network, &model.network) {
                return Err("this run cannot be saved".into());
            }
            let options = ModelOptions { added, ..options.clone() };
            let asked = all(&with.network);
            let asked = asked.iter().find(|asked| matches!(asked.question, Question::Reach(_)));
            save_as(&with, &options, session, asked.ok_or("this run cannot be saved")?, None)
        }
    }
}

fn save_as(
    model: &Model,
    options: &ModelOptions,
    session: &Session<'_>,
    asked: &Property,
    failure: Option<Failure>,
) -> Result<String, String> {
    let trace = replay(&model.network, &session.moves(), &claim(asked, failure, None, false))
        .map_err(|error| error.to_string())?;
    let report = PropertyReport {
        verdict: if matches!(asked.question, Question::Reach(_)) { Verdict::Satisfied } else { Verdict::Violated },
        trace: Some(trace.into()),
        failure,
        ..PropertyReport::undecided(asked)
    };
    let saved = Origin::of(model, options).save(&report);
    saved.map(|saved| saved.to_text()).ok_or_else(|| "there is no run to save".into())
}
