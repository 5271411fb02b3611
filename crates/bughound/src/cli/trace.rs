//! `bughound trace`: a saved counterexample, replayed and shown.

use bughound::saved_trace::{SavedTraceError, replay_file};
use bughound::verdict::EXIT_USAGE;
use bughound_trace::{render_text, to_json};
use serde_json::json;

use super::arguments::TraceArguments;
use super::check_text::size;
use super::{Outcome, SCHEMA, document_text, fail, load_error, outputs, painted, patterns, supervisor};

pub fn run(arguments: &TraceArguments) -> Outcome {
    let output = &arguments.output;
    if let Err(message) = outputs::check(&[&arguments.file], &[("--chart-svg", arguments.chart.chart_svg.as_ref())]) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    supervisor::now("while the trace was replayed");
    let replayed = match replay_file(&arguments.file) {
        Ok(replayed) => replayed,
        Err(SavedTraceError::Model(error)) => return load_error(&error, output),
        Err(SavedTraceError::Format(error)) => {
            return fail(EXIT_USAGE, &format!("{}: {error}", arguments.file), None, output, None);
        }
        Err(error) => return fail(EXIT_USAGE, &error.to_string(), None, output, None),
    };
    let network = &replayed.model.network;
    patterns::check(&arguments.view, network, output);
    let charts = match arguments.chart.is_wanted() {
        true => arguments.chart.show_traces(Some(network), [&replayed.trace], &replayed.file),
        false => Ok(String::new()),
    };
    let charts = match charts {
        Ok(charts) => charts,
        Err(message) => return fail(EXIT_USAGE, &message, None, output, None),
    };
    let text = if output.json {
        document_text(&json!({
            "schema": SCHEMA,
            "file": replayed.file,
            "language": replayed.saved.language,
            "command": "trace",
            "property": replayed.saved.property,
            "kind": replayed.kind,
            "exit_code": 0,
            "trace": to_json(&replayed.trace),
        }))
    } else {
        let options = |color| arguments.view.text(color, "; --full-trace shows them");
        let (property, steps) = (&replayed.saved.property, size(&replayed.trace));
        painted(output.color.on(&std::io::stdout()), |color| {
            let trace = render_text(&replayed.trace, &options(color));
            format!("{}: replayed a trace of {steps} for `{property}`\n\n{trace}{charts}", replayed.file)
        })
    };
    Outcome { text, code: 0 }
}
