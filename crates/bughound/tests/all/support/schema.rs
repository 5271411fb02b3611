//! Whether documents are what the schema in the repository says, by the word of a validator that is not ours.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

/// A file in the directory of schemas.
pub fn schema_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema").join(name)
}

pub const DOCUMENTS: &str = "bughound-1.json";
pub const SAVED_TRACES: &str = "bughound-trace-1.json";

fn validator(name: &str) -> Validator {
    let text = std::fs::read_to_string(schema_file(name)).unwrap_or_default();
    let schema: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What is wrong with a document; nothing if it is as described.
pub fn faults(document: &Value) -> Vec<String> {
    static VALIDATOR: LazyLock<Validator> = LazyLock::new(|| validator(DOCUMENTS));
    VALIDATOR.iter_errors(document).map(|error| format!("{}: {error:.400}", error.instance_path())).collect()
}

/// What is wrong with a saved trace.
pub fn trace_faults(saved: &Value) -> Vec<String> {
    validator(SAVED_TRACES).iter_errors(saved).map(|error| format!("{}: {error:.400}", error.instance_path())).collect()
}
