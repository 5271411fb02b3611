//! `bughound trace`: a saved counterexample, or a trail of SPIN, replayed and shown.

use bughound::model::Model;
use bughound::report;
use bughound::report::trace::ReplayDocument;
use bughound::saved_trace::{SavedTraceError, replay_file};
use bughound::verdict::EXIT_USAGE;
use bughound_trace::{Trace, render_text};

use super::arguments::TraceArguments;
use super::check_text::size;
use super::{Outcome, fail, load_error, outputs, painted, patterns, supervisor, trail};

/// What is shown.
struct Shown {
    trace: Trace,
    model: Model,
    /// The model file that was read.
    file: String,
    property: String,
    kind: &'static str,
}

pub fn run(arguments: &TraceArguments) -> Outcome {
    let output = &arguments.output;
    let trail = arguments.trail.trail.as_ref().map(|path| path.display().to_string());
    let inputs: Vec<&str> = std::iter::once(arguments.file.as_str()).chain(trail.as_deref()).collect();
    if let Err(message) = outputs::begin(&inputs, &[("--chart-svg", arguments.chart.chart_svg.as_ref())], output.json) {
        return fail(EXIT_USAGE, &message, None, output, None);
    }
    supervisor::now("while the trace was replayed");
    let shown = match &trail {
        Some(path) => trail::read(arguments, path).map(|read| Shown {
            file: read.model.file.clone(),
            trace: read.trace,
            model: read.model,
            property: read.property,
            kind: read.kind,
        }),
        None => saved(arguments),
    };
    let Shown { trace, model, file, property, kind } = match shown {
        Ok(shown) => shown,
        Err(outcome) => return outcome,
    };
    let network = &model.network;
    patterns::check(&arguments.view, network, output);
    let charts = match arguments.chart.is_wanted() {
        true => arguments.chart.show_traces(Some(network), [&trace], &file),
        false => Ok(String::new()),
    };
    let charts = match charts {
        Ok(charts) => charts,
        Err(message) => return fail(EXIT_USAGE, &message, None, output, None),
    };
    let text = if output.json {
        report::text(&ReplayDocument::new(&file, model.language, &property, kind, &trace))
    } else {
        let options = |color| arguments.view.text(color, "; --full-trace shows them");
        let steps = size(&trace);
        painted(output.color.on(&std::io::stdout()), |color| {
            let trace = render_text(&trace, &options(color));
            format!("{file}: replayed a trace of {steps} for `{property}`\n\n{trace}{charts}")
        })
    };
    Outcome { text, code: 0 }
}

fn saved(arguments: &TraceArguments) -> Result<Shown, Outcome> {
    let output = &arguments.output;
    if !arguments.trail.speaks_of_no_model() {
        let message = "a saved trace knows how its model was read: these options are for --trail";
        return Err(fail(EXIT_USAGE, message, None, output, None));
    }
    match replay_file(&arguments.file) {
        Ok(read) => {
            let (trace, model, file, kind) = (read.trace, read.model, read.file, read.kind);
            Ok(Shown { trace, model, file, property: read.saved.property, kind })
        }
        Err(SavedTraceError::Model(error)) => Err(load_error(&error, output)),
        Err(SavedTraceError::Format(error)) => {
            let is_trail = bughound::input::read_text(&arguments.file, bughound::input::MAX_TRACE_BYTES)
                .is_ok_and(|text| bughound::spin_trail::read::SpinTrail::parse(&text).is_ok());
            let help = format!("this is a trail of SPIN: bughound trace --trail {} MODEL.pml", arguments.file);
            let help = is_trail.then_some(help.as_str());
            Err(fail(EXIT_USAGE, &format!("{}: {error}", arguments.file), help, output, None))
        }
        Err(error) => Err(fail(EXIT_USAGE, &error.to_string(), None, output, None)),
    }
}
