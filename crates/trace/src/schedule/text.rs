//! A schedule as a table.

use std::fmt::Write as _;

use bughound_ir::rational::Rational;

use super::{ScheduleView, Stay};
use crate::text_table::text_table;

/// Who does what from when to when, at which cost, in the order of the beginnings; then the sum. What costs nothing and
/// never changes is named in one line.
pub fn render_schedule(schedule: &ScheduleView) -> String {
    let (idle, rows): (Vec<&Stay>, Vec<&Stay>) = schedule.stays.iter().partition(|stay| stay.is_idle(schedule.end));
    let pays = rows.iter().any(|stay| !stay.at_once.is_zero());
    let mut out = String::new();
    if !rows.is_empty() {
        let head = ["from", "to", "process", "location", "cost"].map(String::from).to_vec();
        let head = if pays { [head, vec!["of it at once".into()]].concat() } else { head };
        let lines = rows.iter().map(|stay| row(stay, pays));
        let table: Vec<Vec<String>> = std::iter::once(head).chain(lines).collect();
        out.push_str(&text_table(&table, |column| !(2..4).contains(&column)));
    }
    if !idle.is_empty() {
        let all: Vec<String> = idle.iter().map(|stay| format!("{} in {}", stay.process, stay.location)).collect();
        let _ = writeln!(out, "  all the time, at no cost: {}", all.join(", "));
    }
    let _ = writeln!(out, "  cost {}, end at {}", schedule.cost.decimal(), schedule.end.decimal());
    out
}

fn row(stay: &Stay, pays: bool) -> Vec<String> {
    let cost = stay.cost().map_or_else(|| "too large".into(), Rational::decimal);
    let mut row = vec![stay.from.decimal(), stay.to.decimal(), stay.process.clone(), stay.location.clone(), cost];
    if pays {
        row.push(if stay.at_once.is_zero() { String::new() } else { stay.at_once.decimal() });
    }
    row
}
