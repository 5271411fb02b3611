//! Conditions on states in the words of the model.

use bughound_ir::expr::Expr;
use bughound_ir::network::Network;
use bughound_ir::question::Question;

use crate::added::{AddedKind, AddedProperty, names};
use crate::model::{LoadError, Model, ModelOptions, load_text};

/// Reads a condition such as `x > 2 && len(q) == 0` with the names and macros of the model.
pub fn parse_condition(model: &Model, text: &str) -> Result<Expr, String> {
    let (with, added) = with_condition(model, text)?;
    if !has_same_places(&with.network, &model.network) {
        return Err("the condition looks at a label that is no place to rest; put `skip` there".into());
    }
    let name = names(&added).pop().unwrap_or_default();
    let found = with.network.properties.iter().find(|property| property.name == name);
    match found.map(|property| &property.question) {
        Some(Question::Reach(condition)) => Ok(condition.clone()),
        _ => Err("this is not a condition on states".into()),
    }
}

/// The model once more, with this condition as the last of the added properties.
pub(crate) fn with_condition(model: &Model, text: &str) -> Result<(Model, Vec<AddedProperty>), String> {
    if text.trim().is_empty() {
        return Err("a condition is missing, such as `x > 2`".into());
    }
    let mut added = model.options.added.clone();
    added.push(AddedProperty { kind: AddedKind::Reach, text: text.to_string() });
    let options = ModelOptions { added: added.clone(), ..model.options.clone() };
    let source = main_text(model).ok_or("the text of the model is not at hand")?;
    let with = load_text(&model.file, source.as_bytes(), model.language, &options).map_err(|error| match &error {
        LoadError::Model { diagnostics, .. } => {
            let first = diagnostics.iter().find(|d| d.is_error());
            first.map_or_else(|| error.to_string(), |d| d.message.clone())
        }
        LoadError::File { .. } => error.to_string(),
    })?;
    Ok((with, added))
}

/// The text of the main file, as it was read.
fn main_text(model: &Model) -> Option<std::sync::Arc<str>> {
    let files = (0..model.sources.len() as u32).filter_map(|id| model.sources.get(bughound_ir::source::FileId(id)));
    let mut named = files.filter(|file| file.path.display().to_string() == model.network.name);
    named.next().map(|file| file.text.clone())
}

/// Conditions mean the same in both, though the steps may differ: a condition on variables of processes keeps statements
/// from being merged, which is of no concern to those who only look at the states that there are.
fn has_same_places(a: &Network, b: &Network) -> bool {
    let counts = |n: &Network| (n.templates.len(), n.locations.len(), n.variables.len(), n.channels.len());
    counts(a) == counts(b)
}

/// Steps have the same numbers in both.
pub(crate) fn is_same_shape(a: &Network, b: &Network) -> bool {
    let edge = |e: &bughound_ir::edge::Edge| (e.from, e.span, e.weight, e.destinations.len());
    has_same_places(a, b) && a.edges.iter().map(edge).eq(b.edges.iter().map(edge))
}
