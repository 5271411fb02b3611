//! The comparison for people: a table, and below it what does not fit into one.

use std::time::Duration;

use bughound::compare::{Answer, Comparison, Row};

use crate::cli::quantities::{bytes, count, counted, time};
use crate::cli::table::{Column, aligned};

pub fn render(file: &str, comparison: &Comparison) -> String {
    let properties: Vec<&str> = comparison.properties.iter().map(|p| p.name.as_str()).collect();
    let columns = columns(comparison);
    let mut out = format!("{file}: {}\n\n{}", properties.join(", "), aligned(&columns, &comparison.rows));
    let notes = notes(&comparison.rows);
    if !notes.is_empty() {
        out.push_str(&format!("\n{}\n", notes.join("\n")));
    }
    out.push_str(&format!("\n{}\n", summary(comparison)));
    out
}

const NOTHING: &str = "–";

fn or_nothing<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or(NOTHING.to_string(), show)
}

fn columns(comparison: &Comparison) -> Vec<Column<Row>> {
    let (word, number) = (Column::words, Column::numbers);
    let mut out =
        vec![word("search", |row: &Row| row.search.clone()), word("result", |row: &Row| row.answer.name().to_string())];
    if comparison.properties.len() > 1 && comparison.rows.iter().any(|row| row.property.is_some()) {
        out.push(word("error", |row: &Row| or_nothing(row.property.clone(), |name| name)));
    }
    if comparison.rows.iter().any(|row| row.cost.is_some()) {
        out.push(number("cost", |row: &Row| or_nothing(row.cost, count)));
    }
    out.push(number("length", |row: &Row| or_nothing(row.length, count)));
    out.push(word("proven", |row: &Row| {
        or_nothing(row.length, |_| if row.proven_shortest { "shortest" } else { "no" }.to_string())
    }));
    out.push(number("expanded", |row: &Row| or_nothing(row.counts(), |c| count(c.expanded))));
    out.push(number("generated", |row: &Row| or_nothing(row.counts(), |c| count(c.generated))));
    out.push(number("stored", |row: &Row| or_nothing(row.counts(), |c| count(c.stored))));
    out.push(number("CPU time", |row: &Row| or_nothing(row.cpu_time(), precise)));
    out.push(number("memory", |row: &Row| or_nothing(row.counts(), |c| bytes(c.peak_memory))));
    out.push(number("µs per h", |row: &Row| or_nothing(row.microseconds_per_evaluation(), |n| format!("{n:.2}"))));
    out.push(number("h per s", |row: &Row| or_nothing(row.evaluations_per_second(), |n| count(n.round() as u64))));
    out
}

/// Why searches have no answer, the same reason once.
fn notes(rows: &[Row]) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<&str>)> = Vec::new();
    for row in rows {
        let Some(reason) = &row.reason else { continue };
        let reason = format!("{}: {reason}", row.answer.name());
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, searches)) => searches.push(&row.search),
            None => reasons.push((reason, vec![&row.search])),
        }
    }
    reasons.iter().map(|(reason, searches)| format!("{reason} ({})", searches.join(", "))).collect()
}

/// Times that differ by orders of magnitude, with three figures each.
fn precise(elapsed: Duration) -> String {
    let milliseconds = elapsed.as_secs_f64() * 1e3;
    match milliseconds {
        ..10.0 => format!("{milliseconds:.2} ms"),
        ..100.0 => format!("{milliseconds:.1} ms"),
        ..1000.0 => format!("{milliseconds:.0} ms"),
        ..10_000.0 => format!("{:.2} s", milliseconds / 1e3),
        _ => time(elapsed),
    }
}

fn summary(comparison: &Comparison) -> String {
    if !comparison.contradictions.is_empty() {
        return format!("CONTRADICTION: {}", comparison.contradictions.join("; "));
    }
    let finished = comparison.rows.iter().filter(|row| matches!(row.answer, Answer::Found | Answer::None)).count();
    let agree = match (finished, comparison.rows.len()) {
        (1, 1) => String::new(),
        (1, all) => format!("1 of {all} searches finished: "),
        (some, all) if some == all => format!("all {all} searches agree: "),
        (some, all) => format!("the {some} of {all} searches that finished agree: "),
    };
    match comparison.answer() {
        Answer::Found => format!("{agree}{}", shortest(comparison)),
        Answer::None if comparison.properties.iter().any(|p| p.kind == "reachability") => {
            format!("{agree}there is no such state")
        }
        Answer::None => format!("{agree}there is no error"),
        Answer::Unconfirmed => "an error could not be confirmed".into(),
        Answer::Limit | Answer::Inconclusive | Answer::Skipped => "no search has an answer".into(),
    }
}

fn shortest(comparison: &Comparison) -> String {
    let found = comparison.rows.iter().filter(|row| row.answer == Answer::Found);
    let Some(best) = found.clone().min_by_key(|row| row.cost.or(row.length)) else { return String::new() };
    let same = |row: &&Row| (row.cost, row.length, &row.property) == (best.cost, best.length, &best.property);
    let is_proven = found.filter(same).any(|row| row.proven_shortest);
    let name = best.property.as_deref().unwrap_or_default();
    let steps = counted(best.length.unwrap_or(0), "step");
    match (best.cost, is_proven) {
        (None, true) => format!("`{name}` after {steps}, shortest (proven)"),
        (None, false) => format!("`{name}` after {steps} at best, not proven shortest"),
        (Some(cost), true) => format!("`{name}` after {steps} of cost {}, cheapest (proven)", count(cost)),
        (Some(cost), false) => format!("`{name}` after {steps} of cost {} at best, not proven cheapest", count(cost)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_figures() {
        let shown = [95, 12_345, 123_456, 1_234_567, 12_345_678].map(|us| precise(Duration::from_micros(us)));
        assert_eq!(shown, ["0.10 ms", "12.3 ms", "123 ms", "1.23 s", "12.3 s"]);
    }
}
