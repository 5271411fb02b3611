//! Patterns of variables (`--show`, `--hide`): one that matches nothing was hardly meant so.

use bughound_ir::network::Network;
use bughound_kernel::registry::suggest;
use bughound_trace::{matches, names};

use super::arguments::OutputArguments;
use super::eprint_line;
use super::view_arguments::TraceViewArguments;

/// As many names are compared with a misspelt one; large models have arrays with millions.
const MOST_COMPARED: usize = 10_000;
/// As many are told.
const MOST_TOLD: usize = 8;

/// Warns of patterns that match nothing that traces of the model can show.
pub fn check(view: &TraceViewArguments, network: &Network, output: &OutputArguments) {
    if output.quiet {
        return;
    }
    for (option, patterns) in [("--show", &view.show), ("--hide", &view.hide)] {
        for pattern in patterns.iter().filter(|pattern| !names(network).any(|name| matches(pattern, &name))) {
            eprint_line(&format!("warning: {option}: {}", unmatched(pattern, names(network).take(MOST_COMPARED))));
        }
    }
}

fn unmatched(pattern: &str, known: impl Iterator<Item = String>) -> String {
    let known: Vec<String> = known.collect();
    let hint = suggest(pattern, known.iter().map(String::as_str));
    let told = known.iter().take(MOST_TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    let there = match known.len() {
        0 => "the model has none".to_string(),
        many if many > MOST_TOLD => format!("there are {told}, …"),
        _ => format!("there are {told}"),
    };
    format!("no variable matches `{pattern}`{hint}; {there}")
}
