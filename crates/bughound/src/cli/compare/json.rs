//! The comparison for programs.

use bughound::compare::{Comparison, Row};
use bughound::language::Language;
use serde_json::{Value, json};

use crate::cli::SCHEMA;
use crate::cli::explore::stats_json;

pub fn document(file: &str, language: Language, comparison: &Comparison, warnings: Value) -> Value {
    let properties = comparison.properties.iter().map(|p| json!({ "name": p.name, "kind": p.kind }));
    json!({
        "schema": SCHEMA,
        "file": file,
        "language": language.name(),
        "command": "compare",
        "verdict": comparison.answer().name(),
        "exit_code": comparison.exit_code(),
        "properties": properties.collect::<Value>(),
        "left_out": comparison.left_out,
        "rows": comparison.rows.iter().map(row).collect::<Value>(),
        "contradictions": comparison.contradictions,
        "interrupted": comparison.interrupted,
        "diagnostics": warnings,
    })
}

fn row(row: &Row) -> Value {
    let mut stats = row.stats.as_ref().map(stats_json);
    if let Some(Value::Object(stats)) = &mut stats {
        // That of the whole process says nothing about one search among others.
        stats.shift_remove("peak_memory_bytes");
    }
    json!({
        "search": row.search,
        "verdict": row.answer.name(),
        "reason": row.reason,
        "property": row.property,
        "length": row.length,
        "cost": row.cost,
        "proven_shortest": row.proven_shortest,
        "microseconds_per_evaluation": row.microseconds_per_evaluation(),
        "evaluations_per_second": row.evaluations_per_second(),
        "stats": stats,
    })
}
