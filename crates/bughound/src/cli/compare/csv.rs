//! The comparison for spreadsheets: one line for each search, as in RFC 4180.

use bughound::compare::{Comparison, Row};

const COLUMNS: [&str; 18] = [
    "search",
    "verdict",
    "property",
    "length",
    "cost",
    "proven_shortest",
    "expanded",
    "generated",
    "stored",
    "displaced",
    "reopened",
    "evaluated",
    "microseconds_per_evaluation",
    "evaluations_per_second",
    "cpu_seconds",
    "wall_seconds",
    "memory_bytes",
    "reason",
];

pub fn render(comparison: &Comparison) -> String {
    let mut out = COLUMNS.join(",") + "\r\n";
    for row in &comparison.rows {
        let cells = cells(row).map(|cell| quoted(&cell));
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

/// Empty where there is nothing to say.
fn cells(row: &Row) -> [String; COLUMNS.len()] {
    let number = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
    let decimal = |n: Option<f64>| n.map_or(String::new(), |n| format!("{n:.6}"));
    let counts = row.counts();
    [
        row.search.clone(),
        row.answer.name().into(),
        row.property.clone().unwrap_or_default(),
        number(row.length),
        number(row.cost),
        row.length.map_or(String::new(), |_| row.proven_shortest.to_string()),
        number(counts.map(|c| c.expanded)),
        number(counts.map(|c| c.generated)),
        number(counts.map(|c| c.stored)),
        number(counts.map(|c| c.displaced)),
        number(counts.map(|c| c.reopened)),
        number(counts.map(|c| c.evaluated)),
        decimal(row.microseconds_per_evaluation()),
        row.evaluations_per_second().map_or(String::new(), |n| format!("{n:.0}")),
        decimal(row.cpu_time().map(|time| time.as_secs_f64())),
        decimal(counts.map(|c| c.elapsed.as_secs_f64())),
        number(counts.map(|c| c.peak_memory)),
        row.reason.clone().unwrap_or_default(),
    ]
}

fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_with_commas_and_quotes() {
        assert_eq!(quoted("bfs"), "bfs");
        assert_eq!(quoted("a(b, c=\"d\")"), "\"a(b, c=\"\"d\"\")\"");
    }
}
