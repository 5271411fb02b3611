//! `bughound trace`: a saved counterexample, replayed and shown.

use bughound::saved_trace::{SavedTraceError, replay_file};
use bughound::verdict::EXIT_USAGE;
use bughound_trace::{TextOptions, render_text, to_json};
use serde_json::json;

use super::arguments::TraceArguments;
use super::quantities::counted;
use super::{Outcome, SCHEMA, document_text, fail, load_error};

pub fn run(arguments: &TraceArguments) -> Outcome {
    let output = &arguments.output;
    let replayed = match replay_file(&arguments.file) {
        Ok(replayed) => replayed,
        Err(SavedTraceError::Model(error)) => return load_error(&error, output),
        Err(SavedTraceError::Format(error)) => {
            return fail(EXIT_USAGE, &format!("{}: {error}", arguments.file), None, output, None);
        }
        Err(error) => return fail(EXIT_USAGE, &error.to_string(), None, output, None),
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
        let color = output.color.on(&std::io::stdout());
        let options = TextOptions { shown: arguments.view.shown(), filter: arguments.view.filter(), color };
        let (property, steps) = (&replayed.saved.property, counted(replayed.trace.length, "step"));
        let trace = render_text(&replayed.trace, &options);
        format!("{}: replayed a trace of {steps} for `{property}`\n\n{trace}", replayed.file)
    };
    Outcome { text, code: 0 }
}
