//! `bughound explore`: the size of the state space.

use bughound::explore::{ExploreReport, explore};
use bughound::run::{Hooks, RunStats};
use bughound::verdict::{EXIT_USAGE, Verdict};
use bughound_ir::network::Network;
use bughound_search::{Progress, QueueAccess};
use serde_json::{Value, json};

use super::arguments::ExploreArguments;
use super::progress::ProgressLine;
use super::quantities::{bytes, count, time};
use super::{
    Outcome, SCHEMA, diagnostics, document_text, eprint_line, fail, load_model, outputs, run_error, supervisor,
};

pub fn run(arguments: &ExploreArguments) -> Outcome {
    let output = &arguments.output;
    if let Err(message) = outputs::check(&[&arguments.model.file], &[arguments.graph.output()]) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    let model = match load_model(&arguments.model.file, &arguments.model.options(Vec::new()), output) {
        Ok(model) => model,
        Err(outcome) => return outcome,
    };
    let (file, language) = (model.file.clone(), model.language);
    let warnings = diagnostics::to_json(&model.warnings, &model.sources);
    let mut line = ProgressLine::new(output.color.on(&std::io::stderr()));
    let mut report = |p: &Progress| line.report(p);
    let progress: Option<&mut dyn FnMut(&Progress)> =
        if output.quiet || output.no_progress { None } else { Some(&mut report) };
    let result = explore(
        &model,
        &arguments.search.options("bfs"),
        Hooks { stop: supervisor::stop_signal(), progress, decided: None },
    );
    line.clear();
    let report = match result {
        Ok(report) => report,
        Err(error) => return run_error(&error, output),
    };
    if !output.quiet {
        for warning in &report.warnings {
            eprint_line(&format!("warning: {warning}"));
        }
    }
    // What is counted is what is drawn: claims and monitors are ignored.
    let network = Network { monitor: None, ..(*model.network).clone() };
    arguments.graph.write(&network, &file, None, output.quiet);
    let code = report.verdict.exit_code();
    let text = if output.json {
        let mut stats = stats_json(&report.stats);
        if !report.counts_deadlocks {
            stats["deadlocks"] = Value::Null;
        }
        let document = json!({
            "schema": SCHEMA,
            "file": file,
            "language": language.name(),
            "command": "explore",
            "verdict": verdict_name(&report),
            "exit_code": code,
            "reason": report.reason,
            "search": report.search,
            "stats": stats,
            "warnings": report.warnings,
            "diagnostics": warnings,
        });
        document_text(&document)
    } else {
        text(&file, &report)
    };
    Outcome { text, code }
}

fn verdict_name(report: &ExploreReport) -> &'static str {
    match report.verdict {
        Verdict::Holds => "complete",
        verdict => verdict.name(),
    }
}

/// The `stats` of a run for the JSON documents.
pub fn stats_json(stats: &RunStats) -> Value {
    let counts = &stats.counts;
    json!({
        "expanded": counts.expanded,
        "generated": counts.generated,
        "stored": counts.stored,
        "displaced": counts.displaced,
        "dead_ends": counts.dead_ends,
        "depth": counts.depth,
        "seconds": counts.elapsed.as_secs_f64(),
        "cpu_seconds": stats.cpu_time.map(|time| time.as_secs_f64()),
        "peak_memory_bytes": stats.peak_memory_bytes,
        "search_memory_bytes": counts.peak_memory,
        "complete": stats.complete,
        "transitions": counts.transitions,
        "deadlocks": counts.deadlocks,
        "failed_assertions": counts.failed_assertions,
        "evaluation_errors": counts.evaluation_errors,
        "reopened": counts.reopened,
        "evaluated": counts.evaluated,
        "evaluation_seconds": counts.evaluation_time.as_secs_f64(),
        "preparation_seconds": counts.preparation.time.as_secs_f64(),
        "preparation_cut_short": counts.preparation.cut_short,
        "queues": counts.queues.iter().map(queue_json).collect::<Value>(),
        "bit_fill": counts.bit_fill.map(|permille| f64::from(permille) / 1000.0),
    })
}

fn queue_json(queue: &QueueAccess) -> Value {
    json!({ "name": queue.name, "pushed": queue.pushed, "popped": queue.popped })
}

fn text(file: &str, report: &ExploreReport) -> String {
    let counts = &report.stats.counts;
    let extent = match &report.reason {
        None => "complete".to_string(),
        Some(reason) => format!("incomplete: {reason}"),
    };
    let displaced = (counts.displaced > 0).then(|| ("displaced", count(counts.displaced)));
    let deadlocks = match report.counts_deadlocks {
        true => count(counts.deadlocks),
        false => "not counted; `check --query 'A[] not deadlock'` looks for them".into(),
    };
    let rows = [
        ("states", count(counts.stored)),
        ("transitions", count(counts.transitions)),
        ("depth", count(counts.depth)),
        ("deadlocks", deadlocks),
        ("failed assertions", count(counts.failed_assertions)),
        ("evaluation errors", count(counts.evaluation_errors)),
        (
            "memory",
            format!("{} for states, {} in all", bytes(counts.peak_memory), bytes(report.stats.peak_memory_bytes)),
        ),
        ("time", time(counts.elapsed)),
    ];
    let mut out = format!("{file}: {extent}\n");
    for (name, value) in rows[..1].iter().chain(&displaced).chain(&rows[1..]) {
        out.push_str(&format!("  {name:<18} {value}\n"));
    }
    out
}
