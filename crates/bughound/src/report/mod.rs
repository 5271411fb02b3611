//! The documents that the program writes with `--json`, one file for each command.
//!
//! The types are the format: JSON is written from them, and the [`schema`] in `docs/schema` is made of them. A field is
//! always present, null where there is nothing to say, unless its description begins with "Optional".
//!
//! What changes the meaning of a field, or takes one away, gets a new version; new fields do not.

pub mod check;
pub mod compare;
pub mod counterexample;
pub mod diagnostic;
pub mod error;
pub mod experiments;
pub mod explain;
pub mod explore;
pub mod files;
pub mod list;
pub mod property;
pub mod schema;
pub mod simulate;
pub mod stats;
pub mod trace;
pub mod words;

use serde::Serialize;

/// A document as text, as the program prints it.
pub fn text(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document).unwrap_or_default();
    text.push('\n');
    text
}
