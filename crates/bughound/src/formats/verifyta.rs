//! The lines that scripts around UPPAAL's `verifyta` look for.

use std::fmt::Write;

use bughound_ir::network::Network;

use crate::check::{CheckReport, Extremes, PropertyReport};
use crate::verdict::Verdict;

/// What was asked of the check, as far as `verifyta` tells.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub seed: u64,
    /// `no`, `some`, `shortest` or `fastest`.
    pub trace: &'static str,
}

/// The report on a model in UPPAAL's language.
pub fn verifyta(network: &Network, report: &CheckReport, options: Options) -> String {
    let mut out = String::from("Options for the verification:\n");
    let _ = writeln!(out, "  Generating {} trace", options.trace);
    let _ = writeln!(out, "  Search order is {}", report.search);
    let _ = writeln!(out, "  Seed is {}", options.seed);
    for (at, property) in report.properties.iter().enumerate() {
        let _ = writeln!(out, "\nVerifying formula {} at {}", at + 1, place(network, property));
        let _ = writeln!(out, " -- Formula {}.", answer(property.verdict));
        for extremes in &property.extremes {
            out.push_str(&bounds(extremes));
        }
    }
    out
}

fn answer(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds | Verdict::Satisfied => "is satisfied",
        Verdict::Violated => "is NOT satisfied",
        Verdict::Inconclusive | Verdict::Limit => "MAY be satisfied",
    }
}

/// Where the query stands: its number in an XML file, its line in a file of queries.
fn place(network: &Network, property: &PropertyReport) -> String {
    let span_of = |name: &str| network.properties.iter().find(|p| p.name == name).and_then(|p| p.span);
    let Some(span) = span_of(&property.name).filter(|span| network.sources.line(*span) > 0) else {
        return "the command line".into();
    };
    let file = network.sources.path(span);
    if !file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xml")) {
        return format!("line {}", network.sources.line(span));
    }
    let spans = network.properties.iter().filter_map(|p| p.span);
    let number = spans.filter(|other| network.sources.path(*other) == file && other.start <= span.start).count();
    format!("/nta/queries/query[{number}]/formula")
}

/// The lines for `sup`, `inf` and `bounds`. A bound that is only approached is strict.
fn bounds(extremes: &Extremes) -> String {
    let Some(values) = extremes.values else { return format!(" -- {}: no such state\n", extremes.of) };
    let mut out = String::new();
    if extremes.greatest {
        let _ = match values.upper {
            Some(upper) => {
                let relation = if values.upper_open { "<" } else { "<=" };
                writeln!(out, " -- sup: {} {relation} {upper}", extremes.of)
            }
            None => writeln!(out, " -- sup: {} < inf", extremes.of),
        };
    }
    if extremes.least {
        let relation = if values.lower_open { ">" } else { ">=" };
        let _ = writeln!(out, " -- inf: {} {relation} {}", extremes.of, values.lower);
    }
    out
}
