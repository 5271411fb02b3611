//! Statistical answers: `check --samples` and `--splitting`.

mod command;
mod coverage;
mod endings;
mod random_chains;

use bughound::added::AddedKind;
use bughound::chances::Outcome;
use bughound::chances::samples::{Estimate, SampleOptions};
use bughound::check::PropertyReport;
use bughound::{CheckReport, CheckRequest, Hooks, Language, Model};

use super::options;

/// A model in the language of PRISM, with these questions.
fn model(text: &str, constants: &str, queries: &[&str]) -> Model {
    let options = options(constants, AddedKind::Query, queries);
    Model::from_text("m.pm", text, Language::Prism, &options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A bundled model.
fn bundled(name: &str, constants: &str, queries: &[&str]) -> Model {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/probabilistic").join(name);
    model(&std::fs::read_to_string(file).unwrap(), constants, queries)
}

fn sampled(model: &Model, seed: u64, samples: SampleOptions) -> CheckReport {
    let mut request = CheckRequest { samples: Some(samples), ..CheckRequest::default() };
    request.run.seed = seed;
    bughound::check::check(model, &request, Hooks::default()).unwrap()
}

fn plainly(runs: u64) -> SampleOptions {
    SampleOptions { runs, confidence: 0.95, splitting: false }
}

fn by_splitting(runs: u64) -> SampleOptions {
    SampleOptions { splitting: true, ..plainly(runs) }
}

#[track_caller]
fn estimate(property: &PropertyReport) -> &Estimate {
    match &property.chance {
        Some(Outcome::Estimate(estimate)) => estimate,
        other => panic!("{}: no estimate but {other:?}, {:?}", property.name, property.reason),
    }
}

fn contains(estimate: &Estimate, value: f64) -> bool {
    estimate.lower.is_some_and(|lower| lower <= value) && estimate.upper.is_some_and(|upper| value <= upper)
}
