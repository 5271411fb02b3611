//! PRISM's language, from texts to trees.

mod corpus;
mod errors;
mod expressions;
mod models;
mod nasty;
mod properties;
mod questions;
mod systems;

use bughound_ir::source::{Diagnostic, SourceMap};
use bughound_stochastic::prism::{ReadResult, Reader, print::Printed, read};
use bughound_stochastic::tree::{Expr, Model, Property};

fn given(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_string(), value.trim().to_string())).collect()
}

fn read_with(text: &str, constants: &str) -> ReadResult {
    read(&mut SourceMap::default(), "test.prism", text.as_bytes(), &given(constants))
}

#[track_caller]
fn model(text: &str) -> Model {
    model_with(text, "")
}

#[track_caller]
fn model_with(text: &str, constants: &str) -> Model {
    let result = read_with(text, constants);
    result.model.unwrap_or_else(|| panic!("{:#?}", result.diagnostics))
}

/// The first error of a model that is wrong, as message, label and help.
#[track_caller]
fn error_with(text: &str, constants: &str) -> String {
    let result = read_with(text, constants);
    assert!(result.model.is_none(), "this was read without an error");
    said(&result.diagnostics)
}

#[track_caller]
fn error(text: &str) -> String {
    error_with(text, "")
}

fn said(diagnostics: &[Diagnostic]) -> String {
    let Some(first) = diagnostics.iter().find(|d| d.is_error()) else { return "no error".into() };
    let related: Vec<&str> = first.related.iter().map(|(_, text)| text.as_str()).collect();
    format!("{} | {} | {} | {}", first.message, first.label, related.join(", "), first.help.as_deref().unwrap_or(""))
}

fn printed(expr: &Expr, model: &Model) -> String {
    Printed { expr, model }.to_string()
}

/// A model with properties.
fn with_properties(text: &str, properties: &str, constants: &str) -> ReadResult {
    let mut reader = Reader::default();
    reader.model("test.prism", text.as_bytes());
    reader.properties("test.props", properties.as_bytes());
    reader.finish(&given(constants))
}

#[track_caller]
fn properties_of(text: &str, properties: &str, constants: &str) -> (Model, Vec<Property>) {
    let result = with_properties(text, properties, constants);
    let model = result.model.unwrap_or_else(|| panic!("{:#?}", result.diagnostics));
    let properties = model.properties.clone();
    (model, properties)
}
