//! PRISM's language and JANI: models with probabilities, and their questions.

use bughound_ir::chance::{Asked, ChanceQuestion, Measure, PathFormula, StateFormula};
use bughound_ir::expr::Expr;
use bughound_ir::question::Question;
use bughound_ir::real::rounding;
use bughound_ir::source::{Diagnostic, Severity, SourceMap};
use bughound_stochastic::lower::lower;
use bughound_stochastic::tree::{Definition, ExprKind, Model, Property, Recorded};
use bughound_stochastic::{jani, prism};

use super::{Conventions, FrontEnd, Read};
use crate::added::{AddedKind, AddedProperty, names};
use crate::execute::AfterError;
use crate::expected::{Expected, number};
use crate::model::ModelOptions;

pub(super) struct Prism;
pub(super) struct Jani;

/// No question of the model is forgotten because another one has its answer.
pub(super) fn conventions() -> Conventions {
    Conventions {
        one_search_for_all: false,
        errors_are_no_answers: true,
        after_error: AfterError::GoOn,
        ..Conventions::default()
    }
}

/// Reads, and notes whether numbers were rounded.
fn observed(read: impl FnOnce() -> Read) -> Read {
    let (mut read, rounded) = rounding(read);
    if let Some(stochastic) = read.network.as_mut().and_then(|network| network.stochastic.as_mut()) {
        stochastic.rounded = rounded;
    }
    read
}

impl FrontEnd for Prism {
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        observed(|| self.read_model(sources, name, text, options))
    }

    fn conventions(&self) -> Conventions {
        conventions()
    }
}

impl Prism {
    fn read_model(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        let result = {
            let mut reader = prism::Reader::new(std::mem::take(sources));
            reader.model(name, text);
            for added in &options.added {
                reader.properties(format!("--{}", added.kind.name()), query(added).as_bytes());
            }
            reader.finish(&constants(options))
        };
        *sources = (*result.sources).clone();
        finish(name, result.model, 0, result.diagnostics, options)
    }
}

impl FrontEnd for Jani {
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        observed(|| self.read_model(sources, name, text, options))
    }

    fn conventions(&self) -> Conventions {
        conventions()
    }
}

impl Jani {
    fn read_model(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        let constants = constants(options);
        let jani::ReadResult { model, mut diagnostics } = jani::read(sources, name, text, &constants);
        let Some(mut model) = model else { return Read { diagnostics, ..Read::default() } };
        let own = model.properties.len();
        for added in &options.added {
            let path = format!("--{}", added.kind.name());
            let (found, more) = prism::read_properties(sources, path, query(added).as_bytes(), &model, &constants);
            diagnostics.extend(more);
            model.properties.extend(found);
        }
        model.sources = std::sync::Arc::new(sources.clone());
        finish(name, Some(model), own, diagnostics, options)
    }
}

/// The constants that were given.
pub(super) fn constants(options: &ModelOptions) -> Vec<(String, String)> {
    options.defines.iter().map(|(name, value)| (name.clone(), value.clone().unwrap_or_default())).collect()
}

/// What was added as a text in PRISM's language. Conditions on states are asked for as a path formula around them.
pub(super) fn query(added: &AddedProperty) -> String {
    match added.kind {
        AddedKind::Invariant | AddedKind::Reach | AddedKind::Goal => format!("P>=1 [ F ({}) ]", added.text),
        AddedKind::Ltl | AddedKind::Claim => String::new(),
        AddedKind::Query | AddedKind::Queries => added.text.clone(),
    }
}

/// Lowers the model of a file, whose properties from `own` on were added.
pub(super) fn finish(
    file: &str,
    model: Option<Model>,
    own: usize,
    mut diagnostics: Vec<Diagnostic>,
    options: &ModelOptions,
) -> Read {
    for added in &options.added {
        if matches!(added.kind, AddedKind::Ltl | AddedKind::Claim) {
            let message = format!("--{} is not for models with probabilities", added.kind.name());
            let help = "ask by a query, such as --query 'P=? [ F x=1 ]', or --invariant, --reach";
            diagnostics.push(Diagnostic::new(Severity::Error, None, message).help(help));
        }
    }
    let Some(mut model) = model.filter(|_| !diagnostics.iter().any(Diagnostic::is_error)) else {
        return Read { diagnostics, ..Read::default() };
    };
    let kinds = name_added(&mut model.properties[own..], &options.added);
    let names: Vec<String> = model.properties[own..].iter().map(|property| property.name.clone()).collect();
    let recorded = |property: &Property| {
        let fits = |recorded: &&Recorded| recorded.constants.iter().all(|given| is_so(given, &model.definitions));
        let recorded = property.recorded.iter().find(fits)?;
        Some((property.name.clone(), Expected::Result(recorded.value.clone())))
    };
    let expectations = model.properties.iter().filter_map(recorded).collect();
    let lowered = lower(&model);
    diagnostics.extend(lowered.diagnostics);
    let Some(mut network) = lowered.network else { return Read { diagnostics, ..Read::default() } };
    network.name = file.into();
    let started = network.stochastic.as_ref().and_then(|stochastic| stochastic.started.clone());
    for (property, kind) in network.properties[own..].iter_mut().zip(kinds) {
        let Question::Chance(asked) = &property.question else { continue };
        match (kind, condition_asked(asked)) {
            (AddedKind::Invariant, Some(condition)) => {
                let condition =
                    started.iter().fold(condition, |condition, started| started.clone().not().or(condition));
                property.question = Question::Invariant(condition);
            }
            (AddedKind::Reach | AddedKind::Goal, Some(condition)) => {
                let condition = started.iter().fold(condition, |condition, started| started.clone().and(condition));
                property.question = Question::Reach(condition);
            }
            _ => {}
        }
    }
    Read { network: Some(network), diagnostics, expectations, added: names, ..Read::default() }
}

/// Has a constant the value for which a result was recorded?
fn is_so((name, value): &(String, String), definitions: &[Definition]) -> bool {
    let Some(Ok(known)) = definitions.iter().find(|known| known.name == *name).map(|known| &known.value) else {
        return false;
    };
    match &known.kind {
        ExprKind::Bool(truth) => value.parse() == Ok(*truth),
        ExprKind::Int(whole) => number(value) == Some((*whole).into()),
        // What is written is rounded, so it is compared so.
        ExprKind::Real(real) => value.parse() == Ok(real.to_f64().value()) || number(value).as_ref() == Some(real),
        _ => false,
    }
}

/// Names conditions as other languages do, and tells of each property what it was added as.
fn name_added(properties: &mut [Property], added: &[AddedProperty]) -> Vec<AddedKind> {
    let is_condition = |kind: AddedKind| matches!(kind, AddedKind::Invariant | AddedKind::Reach | AddedKind::Goal);
    let conditions = added.iter().zip(names(added)).filter(|(added, _)| is_condition(added.kind));
    let conditions: Vec<(String, AddedKind, String)> =
        conditions.map(|(added, name)| (query(added), added.kind, name)).collect();
    let mut kinds = Vec::new();
    let mut used = vec![false; conditions.len()];
    for property in properties {
        let at = (0..conditions.len()).find(|at| !used[*at] && conditions[*at].0.trim() == property.text.trim());
        kinds.push(match at {
            Some(at) => {
                used[at] = true;
                property.name.clone_from(&conditions[at].2);
                conditions[at].1
            }
            None => AddedKind::Query,
        });
    }
    kinds
}

/// The condition inside of `P>=1 [ F (condition) ]`.
fn condition_asked(question: &ChanceQuestion<Expr>) -> Option<Expr> {
    let Asked::Truth(StateFormula::Bound(quantity, ..)) = &question.asked else { return None };
    let Measure::Probability(PathFormula::Finally(formula, _)) = &quantity.measure else { return None };
    condition(formula)
}

fn condition(formula: &StateFormula<Expr>) -> Option<Expr> {
    Some(match formula {
        StateFormula::Atom(condition) => condition.clone(),
        StateFormula::Not(f) => condition(f)?.not(),
        StateFormula::And(a, b) => condition(a)?.and(condition(b)?),
        StateFormula::Or(a, b) => condition(a)?.or(condition(b)?),
        StateFormula::Initial | StateFormula::Deadlock | StateFormula::Bound(..) => return None,
    })
}
