//! `bughound explore`: the size of the state space.

use bughound::explore::{ExploreReport, explore, explored};
use bughound::long_runs::{self, journal_of_exploration};
use bughound::report;
use bughound::report::diagnostic::DiagnosticDocument;
use bughound::report::explore::{ExploreDocument, kind_name};
use bughound::run::{Hooks, RunOptions};
use bughound::verdict::EXIT_USAGE;
use bughound_markov::formats::Explicit;
use bughound_search::Progress;
use bughound_semantics::reduction::Preserve;

use super::arguments::{ExploreArguments, Preserved, Switch};
use super::progress::ProgressLine;
use super::quantities::{bytes, count, grouped, time};
use super::{Outcome, eprint_line, fail, load_model, outputs, run_error, supervisor};

pub fn run(arguments: &ExploreArguments) -> Outcome {
    let output = &arguments.output;
    if let Err(message) =
        outputs::begin(&[&arguments.model.file], &[arguments.graph.output(), arguments.export.output()], output.json)
    {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    let model = match load_model(&arguments.model.file, &arguments.model.options(Vec::new()), output) {
        Ok(model) => model,
        Err(outcome) => return outcome,
    };
    let (file, language) = (model.file.clone(), model.language);
    let mut line = ProgressLine::new(output.color.on(&std::io::stderr()));
    let mut report = |p: &Progress| line.report(p);
    let progress: Option<&mut dyn FnMut(&Progress)> =
        if output.quiet || output.no_progress { None } else { Some(&mut report) };
    // Counts are to be compared with those of others, who forget nothing.
    let dead_variables = arguments.search.run.dead_variables == Some(Switch::On);
    let options = RunOptions { dead_variables, ..arguments.search.options("bfs") };
    let begun = arguments.saving.saving().map(|saving| journal_of_exploration(&model, &options, &saving)).transpose();
    let mut journal = match begun {
        Ok(journal) => journal,
        Err(error) => return run_error(&error, output),
    };
    supervisor::wait_for(journal.as_ref());
    let result = explore(
        &model,
        &options,
        Preserve { failures: arguments.preserve == Preserved::Errors, ..Preserve::default() },
        Hooks { stop: supervisor::stop_signal(), progress, journal: journal.as_mut(), ..Hooks::default() },
    );
    line.clear();
    let mut found = match result {
        Ok(found) => found,
        Err(error) => {
            long_runs::fail(journal);
            return run_error(&error, output);
        }
    };
    if let Some(journal) = journal {
        found.warnings.extend(long_runs::end(journal, !long_runs::can_go_on_after(found.stats.stop_reason)));
    }
    if !output.quiet {
        for warning in &found.warnings {
            eprint_line(&format!("warning: {warning}"));
        }
    }
    if let Some(explicit) = &found.explicit {
        arguments.export.write(explicit);
    } else if let Some((option, path)) = arguments.export.output_if_any() {
        let why = if model.network.stochastic.is_some() {
            "not everything was seen"
        } else {
            "it is for models with probabilities"
        };
        eprint_line(&format!("error: {option} {}: nothing is written: {why}", path.display()));
    }
    // What is counted is what is drawn.
    arguments.graph.write(&explored(&model, &options), &file, None, output.quiet);
    let code = found.verdict.exit_code();
    let text = if output.json {
        let diagnostics = DiagnosticDocument::all(&model.warnings, &model.sources);
        report::text(&ExploreDocument::new(&file, language, &found, diagnostics))
    } else {
        text(&file, &found)
    };
    Outcome { text, code }
}

fn markov_rows(explicit: &Explicit, report: &ExploreReport) -> String {
    let (model, stats) = (&explicit.model, &report.stats);
    let initial = model.initial().len() as u64;
    let rows = [
        ("kind", kind_name(model.kind()).to_string()),
        ("states", count(model.states() as u64)),
        ("initial states", count(initial)),
        ("choices", count(model.choices() as u64)),
        ("transitions", count(model.transitions() as u64)),
        ("deadlocks", count(model.deadlocks().len() as u64)),
        (
            "memory",
            format!("{} for states, {} in all", bytes(stats.counts.peak_memory), bytes(stats.peak_memory_bytes)),
        ),
        ("time", time(stats.counts.elapsed)),
    ];
    rows.iter().map(|(name, value)| format!("  {name:<18} {value}\n")).collect()
}

/// What was seen of a Markov model whose exploration was ended.
fn unfinished_rows(report: &ExploreReport) -> String {
    let (counts, all) = (&report.stats.counts, report.stats.peak_memory_bytes);
    let rows = [
        ("states", count(counts.stored)),
        ("expanded", count(counts.expanded)),
        ("generated", count(counts.generated)),
        ("memory", format!("{} for states, {} in all", bytes(counts.peak_memory), bytes(all))),
        ("time", time(counts.elapsed)),
    ];
    rows.iter().map(|(name, value)| format!("  {name:<18} {value}\n")).collect()
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
    let reduced = (counts.reduced > 0).then(|| ("reduced states", count(counts.reduced)));
    if let Some(explicit) = &report.explicit {
        return format!("{file}: {extent}\n{}", markov_rows(explicit, report));
    }
    if report.is_of_chances {
        return format!("{file}: {extent}\n{}", unfinished_rows(report));
    }
    let (states, transitions) = match &counts.sets {
        Some(sets) => (grouped(&sets.states), grouped(&sets.transitions)),
        None => (count(counts.stored), count(counts.transitions)),
    };
    let depth = match &counts.sets {
        Some(sets) if sets.frontiers == 0 => "not computed, states were not taken by cost".into(),
        _ => count(counts.depth),
    };
    let rows = [
        ("states", states),
        ("transitions", transitions),
        ("depth", depth),
        ("deadlocks", deadlocks),
        ("failed assertions", count(counts.failed_assertions)),
        ("evaluation errors", count(counts.evaluation_errors)),
        (
            "memory",
            format!("{} for states, {} in all", bytes(counts.peak_memory), bytes(report.stats.peak_memory_bytes)),
        ),
        ("time", time(counts.elapsed)),
    ];
    let nodes = counts.sets.as_ref().map(|sets| {
        let (nodes, peak) = (count(sets.nodes), count(sets.peak_nodes));
        ("diagram", format!("{nodes} nodes, at most {peak} in all diagrams, {} images", count(sets.images)))
    });
    let mut out = format!("{file}: {extent}\n");
    for (name, value) in rows[..1].iter().chain(&displaced).chain(&reduced).chain(&rows[1..]).chain(&nodes) {
        out.push_str(&format!("  {name:<18} {value}\n"));
    }
    out
}
