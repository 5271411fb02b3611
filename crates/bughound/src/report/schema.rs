//! The JSON Schema of the documents, made from their types.

use bughound_trace::SavedTrace;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform};
use schemars::{JsonSchema, Schema};

use super::check::CheckDocument;
use super::compare::CompareDocument;
use super::error::{ErrorDocument, StoppedDocument};
use super::experiments::ExperimentsDocument;
use super::explain::ExplainDocument;
use super::explore::ExploreDocument;
use super::files::FilesDocument;
use super::list::{HeuristicsDocument, LanguagesDocument, SearchesDocument, StoresDocument};
use super::simulate::SimulateDocument;
use super::trace::ReplayDocument;

/// What `bughound` writes on the standard output with `--json`: one of these documents.
///
/// A field is always present, null where there is nothing to say, unless its description begins with "Optional".
#[derive(JsonSchema)]
#[schemars(untagged)]
#[allow(dead_code, reason = "only its schema is used")]
enum Document {
    Check(CheckDocument),
    Files(FilesDocument),
    Experiments(ExperimentsDocument),
    Compare(CompareDocument),
    Explore(ExploreDocument),
    Explain(ExplainDocument),
    Trace(ReplayDocument),
    Simulate(SimulateDocument),
    Error(ErrorDocument),
    Stopped(StoppedDocument),
    Searches(SearchesDocument),
    Heuristics(HeuristicsDocument),
    Languages(LanguagesDocument),
    Stores(StoresDocument),
}

/// The schema of everything that is written with `--json`.
pub fn documents() -> Schema {
    let mut schema = of::<Document>("Documents of bughound, version 1");
    // No document is of two kinds.
    if let Some(kinds) = schema.remove("anyOf") {
        schema.insert("oneOf".into(), kinds);
    }
    schema
}

/// The schema of saved traces.
pub fn saved_traces() -> Schema {
    of::<SavedTrace>("Saved traces of bughound, version 1")
}

fn of<T: JsonSchema>(title: &str) -> Schema {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    RecursiveTransform(strict).transform(&mut schema);
    schema
}

/// Objects have no other fields than those that are described.
fn strict(schema: &mut Schema) {
    if schema.get("properties").is_some() && schema.get("additionalProperties").is_none() {
        schema.insert("additionalProperties".into(), false.into());
    }
}
