//! What a trail shows. A trail does not say what is wrong with its run, so everything is tried that can be.

use std::fmt;
use std::sync::Arc;

use bughound_ir::network::Network;
use bughound_ir::question::{Property, Question};
use bughound_ir::reference::Reference;
use bughound_kernel::{Failure, Limits, Move};
use bughound_search::Trail;
use bughound_trace::{Trace, micro_steps, replay};

use super::read::{Followed, SpinTrail, TrailError, follow};
use crate::check::{CheckRequest, check, claim};
use crate::input::{MAX_TRACE_BYTES, read_text};
use crate::model::{LoadError, Model, ModelOptions, load};
use crate::properties::{ACCEPTANCE, NON_PROGRESS, all, named, selector};
use crate::run::{Hooks, RunError, RunOptions};

/// So often a loop is gone through until its state comes back: the verifier does not look at variables that nobody will
/// read, so in the first round one of them may still have another value.
const MOST_ROUNDS: usize = 4;

/// A trail that was replayed.
#[derive(Debug)]
pub struct ReplayedTrail {
    pub trace: Trace,
    pub model: Model,
    /// The property that it violates.
    pub property: String,
    pub kind: &'static str,
    /// Selects it.
    selector: String,
    failure: Option<Failure>,
}

/// Why a trail cannot be shown.
#[derive(Debug)]
pub enum SpinTrailError {
    /// The file cannot be read, or is asked for what it cannot show.
    File(String),
    Model(LoadError),
    /// The trail is none, or none of the model.
    Trail {
        file: String,
        model: String,
        error: TrailError,
    },
    /// It can be followed, but shows no error.
    NoError {
        file: String,
        why: String,
    },
    Improve(RunError),
}

impl fmt::Display for SpinTrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpinTrailError::File(message) => f.write_str(message),
            SpinTrailError::Model(error) => error.fmt(f),
            SpinTrailError::Trail { file, error, .. } => write!(f, "{file}: {error}"),
            SpinTrailError::NoError { file, why } => write!(f, "{file}: {why}"),
            SpinTrailError::Improve(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SpinTrailError {}

/// Reads a trail and its model, and replays it. `wanted`: the property that it violates, if the user says so. Whether
/// statements are merged is decided by the trail.
pub fn replay_trail(
    trail_file: &str,
    model_file: &str,
    options: &ModelOptions,
    wanted: Option<&str>,
) -> Result<ReplayedTrail, SpinTrailError> {
    let text = read_text(trail_file, MAX_TRACE_BYTES).map_err(SpinTrailError::File)?;
    let wrong = |error| SpinTrailError::Trail { file: trail_file.into(), model: model_file.into(), error };
    let trail = SpinTrail::parse(&text).map_err(wrong)?;
    let options = ModelOptions { merge: trail.merged, ..options.clone() };
    let model = load(model_file, &options).map_err(SpinTrailError::Model)?;
    if model.network.numbering.is_none() {
        let message = format!("SPIN's trails are for models in Promela; {model_file} is {}", model.language.title());
        return Err(SpinTrailError::File(message));
    }
    let none = |why| SpinTrailError::NoError { file: trail_file.into(), why };
    let found = match follow(&model.network, &trail) {
        Ok(followed) => explain(&model, &trail, followed, wanted).map_err(none)?,
        Err(error) => {
            let shorter = without_stale_line(&trail, &error);
            let found = shorter.and_then(|shorter| {
                let followed = follow(&model.network, &shorter).ok()?;
                explain(&model, &shorter, followed, wanted).ok()
            });
            found.ok_or_else(|| wrong(error))?
        }
    };
    let (trace, asked, failure) = found;
    let (selector, kind) = (selector(&model, &asked), asked.question.kind());
    Ok(ReplayedTrail { trace, property: asked.name, kind, selector, failure, model })
}

/// Behind the last move of a claim that has got to its end, SPIN's verifier may write one more line, left over from another
/// path. If it is there that the trail goes wrong: the trail without it.
fn without_stale_line(trail: &SpinTrail, error: &TrailError) -> Option<SpinTrail> {
    let last = trail.lines.last().filter(|last| last.line == error.line)?;
    let before = trail.lines.iter().rev().nth(1)?;
    let is_stale = trail.claim.is_some() && last.process > 0 && before.process == 0;
    let lines = trail.lines[..trail.lines.len() - 1].to_vec();
    is_stale.then(|| SpinTrail { lines, ..trail.clone() })
}

/// The first violation that the run of a trail shows: of what the user or the head of the trail names, of an assertion in
/// its last step, of the rules for end states.
fn explain(
    model: &Model,
    trail: &SpinTrail,
    followed: Followed,
    wanted: Option<&str>,
) -> Result<(Trace, Property, Option<Failure>), String> {
    let network = &model.network;
    let wanted = wanted.map(|name| (name, named(network, name)));
    if let Some((name, found)) = &wanted
        && found.is_empty()
    {
        return Err(format!("the model has no property `{name}`"));
    }
    let of_every_model = |question: Question| all(network).into_iter().find(|known| known.question == question);
    let of_head = trail.claim.map_or(Vec::new(), |number| of_claim(network, number));
    let loop_start = followed.loop_start;
    let (is_named, of_runs) = match (wanted, loop_start) {
        (Some((_, wanted)), _) => (true, wanted),
        (None, _) if trail.claim.is_some() => (!of_head.is_empty(), of_head),
        (None, Some(_)) => (false, named(network, ACCEPTANCE)),
        (None, None) => (false, Vec::new()),
    };
    let last = followed.last.as_ref();
    let failures = last.map(|step| step.result.as_ref().err().into_iter().chain(step.soft_failures.iter().rev()));
    let failure = failures.and_then(|mut all| all.next()).map(|info| info.failure);

    if let (Some(failure), None) = (failure, loop_start)
        && let Some(asked) = of_every_model(Question::Assertion)
    {
        let claimed = claim(&asked, Some(failure), None, false);
        let trace = replay(network, &followed.moves, &claimed).map_err(|error| error.to_string())?;
        return Ok((trace, asked, Some(failure)));
    }
    if loop_start.is_none()
        && let Some(Ok(state)) = last.map(|step| &step.result)
        && Reference::new(network).is_ok_and(|reference| reference.visible(state).is_none())
    {
        // Properties and end states are about states that others can see.
        return Err("the trail stops inside an atomic sequence that goes on, and no assertion fails there".into());
    }
    let mut why = String::new();
    for asked in of_runs {
        match violated(network, &followed, &asked) {
            Ok(trace) => return Ok((trace, asked, None)),
            Err(error) => why = format!(" (property `{}`: {error})", asked.name),
        }
    }
    if let (None, Some(asked)) = (loop_start, of_every_model(Question::Deadlock))
        && let Ok(trace) = replay(network, &followed.moves, &claim(&asked, None, None, false))
    {
        return Ok((trace, asked, None));
    }
    if !is_named && trail.claim.is_none() {
        // The moves of their claims are SPIN's own: trails that were written here do not have them, nor their names.
        let formulas = all(network).into_iter().filter(|known| matches!(known.question, Question::Ltl(_)));
        for asked in formulas {
            if let Ok(trace) = violated(network, &followed, &asked) {
                return Ok((trace, asked, None));
            }
        }
    }
    let end = if loop_start.is_some() { "loop" } else { "last state" };
    let nothing =
        format!("the model can follow the trail (steps: {}), but nothing is wrong in its {end}", followed.steps);
    Err(match (is_named, trail.claim) {
        (true, _) => nothing + &why,
        (false, Some(_)) => nothing + "; its claim is none of the model: name it with --ltl",
        (false, None) => {
            nothing
                + "; if it violates a formula that is not in the model, or a property that is checked only if it is \
                       named: add --ltl FORMULA or --property NAME"
        }
    })
}

/// The property of the claim that the head of a trail names.
fn of_claim(network: &Network, number: u32) -> Vec<Property> {
    let Some(numbering) = &network.numbering else { return Vec::new() };
    match numbering.property_of(number) {
        Some(name) => named(network, name).into_iter().filter(|known| known.span.is_some()).collect(),
        None if numbering.types == number => named(network, NON_PROGRESS),
        None => Vec::new(),
    }
}

/// The trace by which the run of a trail violates a property, or why it does not.
fn violated(network: &Network, followed: &Followed, asked: &Property) -> Result<Trace, String> {
    let mut why = String::new();
    for (moves, cycle) in rounds(followed) {
        for fair in [true, false].into_iter().filter(|fair| cycle.is_some() || !fair) {
            match replay(network, &moves, &claim(asked, None, cycle, fair)) {
                Ok(trace) => return Ok(trace),
                Err(error) => why = error.to_string(),
            }
        }
    }
    Err(why)
}

/// The run as it is, and with its loop unrolled.
fn rounds(followed: &Followed) -> Vec<(Vec<Move>, Option<usize>)> {
    let Some(start) = followed.loop_start else { return vec![(followed.moves.clone(), None)] };
    let steps = micro_steps(&followed.moves);
    let turn: Vec<_> = steps[start..].concat();
    let length = steps.len() - start;
    let mut moves = followed.moves.clone();
    let mut all = vec![(moves.clone(), Some(start))];
    for round in 1..MOST_ROUNDS {
        moves.extend(&turn);
        all.push((moves.clone(), Some(start + round * length)));
    }
    all
}

impl ReplayedTrail {
    /// Looks for a shorter way to the error, as `check --improve` does.
    pub fn improve(&mut self, limits: Limits, hooks: Hooks<'_>) -> Result<(), SpinTrailError> {
        if self.trace.lasso.is_some() {
            let message = "the trail shows a loop; only traces that end in an error can be improved".into();
            return Err(SpinTrailError::File(message));
        }
        let trail = Trail { property: 0, moves: self.trace.moves.clone(), failure: self.failure };
        let mut request = CheckRequest { selection: vec![self.selector.clone()], ..CheckRequest::default() };
        request.run = RunOptions { search: "trail-directed".into(), improve: Some(trail), limits, ..request.run };
        let report = check(&self.model, &request, hooks).map_err(SpinTrailError::Improve)?;
        let improved = report.properties.into_iter().find_map(|property| property.trace);
        if let Some(trace) = improved.filter(|trace| trace.cost <= self.trace.cost) {
            self.trace = Arc::unwrap_or_clone(trace);
        }
        Ok(())
    }
}
