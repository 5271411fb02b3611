//! Experiments: the same model with many values of its constants. A table for people, a document for programs, a plot.

use std::path::PathBuf;

use bughound::chances::Outcome as Chance;
use bughound::check::PropertyReport;
use bughound::plot::{Curve, Plot};
use bughound::report;
use bughound::report::experiments::{ExperimentDocument, ExperimentsDocument};
use bughound::text_table::text_table;
use bughound_kernel::StopReason;
use clap::Args;

use super::arguments::CheckArguments;
use super::asked_models::Asked;
use super::check::{Checked, Part, check_one};
use super::constants::{Valuation, ranged};
use super::files_summary::worst;
use super::outputs::{self, Output};
use super::{Outcome, eprint_line, supervisor};

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files for other programs")]
pub struct PlotArguments {
    /// With ranges in --const: draw the answers over the first constant that is a range
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
}

impl PlotArguments {
    pub fn output(&self) -> Output<'_> {
        ("--plot", self.plot.as_ref())
    }
}

/// What became of one valuation.
struct Experiment {
    constants: Valuation,
    result: Result<Vec<PropertyReport>, String>,
}

pub fn run(asked: &Asked, experiments: &[Valuation], arguments: &CheckArguments) -> Outcome {
    let file = &asked.files[0];
    let (mut done, mut documents, mut codes): (Vec<Experiment>, Vec<ExperimentDocument>, Vec<u8>) = Default::default();
    let mut stopped: Option<StopReason> = None;
    for constants in experiments {
        stopped = supervisor::stop_signal().reason();
        if stopped.is_some() {
            break;
        }
        let Checked { code, report, document, .. } =
            check_one(file, &asked.words, Part::OfExperiments(constants), arguments);
        codes.push(code);
        documents.extend(document.map(|document| ExperimentDocument::new(constants, document)));
        let result = report.map(|report| report.properties);
        let has_failed = result.is_err();
        done.push(Experiment { constants: constants.clone(), result });
        // The same mistake would be told again and again.
        if has_failed && done.len() == 1 {
            break;
        }
    }
    let left = experiments.len() - done.len();
    if left > 0 && stopped.is_some() {
        eprint_line(&format!("note: {left} of {} experiments were not made", experiments.len()));
        codes.push(4);
    }
    let code = worst(codes);
    if let Some(path) = &arguments.plot.plot {
        let ranges = ranged(&arguments.model.reading.constants);
        let x_title = ranges.first().copied().unwrap_or_default().to_string();
        let drawn = Plot { x_title, curves: curves(&done, &ranges), ..Plot::default() }.to_svg();
        if let Err(error) = outputs::write(path, &drawn) {
            eprint_line(&format!("error: --plot {}: {error}", path.display()));
        }
    }
    let text = match arguments.output.json {
        true => report::text(&ExperimentsDocument::new(file, code, documents)),
        false => format!("{file}: {} experiments\n{}", done.len(), table(&done)),
    };
    Outcome { text, code }
}

/// The answer in a cell.
fn cell(property: &PropertyReport) -> String {
    match &property.chance {
        Some(Chance::Number(number)) => number.short(),
        Some(Chance::Range(least, greatest)) => format!("{}..{}", least.short(), greatest.short()),
        Some(Chance::Estimate(estimate)) => estimate.short(),
        Some(Chance::Truth(..)) | None => property.verdict.to_string(),
    }
}

fn table(experiments: &[Experiment]) -> String {
    let name = |constant: &String| constant.split_once('=').map_or(constant.clone(), |(name, _)| name.to_string());
    let value = |constant: &String| constant.split_once('=').map_or(String::new(), |(_, value)| value.to_string());
    let Some(first) = experiments.first() else { return String::new() };
    let properties = experiments.iter().find_map(|experiment| experiment.result.as_ref().ok());
    let names = properties.into_iter().flatten().map(|property| property.name.clone());
    let mut rows = vec![first.constants.iter().map(name).chain(names).collect::<Vec<String>>()];
    for experiment in experiments {
        let answers: Vec<String> = match &experiment.result {
            Ok(properties) => properties.iter().map(cell).collect(),
            Err(why) => vec![why.clone()],
        };
        rows.push(experiment.constants.iter().map(value).chain(answers).collect());
    }
    text_table(&rows, |_| true)
}

/// A curve for each property with numbers, and each valuation of the other constants.
fn curves(experiments: &[Experiment], ranges: &[&str]) -> Vec<Curve> {
    let Some(first) = ranges.first() else { return Vec::new() };
    let mut curves: Vec<Curve> = Vec::new();
    for experiment in experiments {
        let named = experiment.constants.iter().filter_map(|constant| constant.split_once('='));
        let x = named.clone().find(|(name, _)| name == first).map_or("0", |(_, value)| value);
        let Ok(x) = bughound_markov::parse_number(x).map(|x| x.to_f64().value()) else { continue };
        let others = named.filter(|(name, _)| name != first && ranges.contains(name));
        let others: Vec<String> = others.map(|(name, value)| format!("{name}={value}")).collect();
        for property in experiment.result.iter().flatten() {
            let Some(Chance::Number(number)) = &property.chance else { continue };
            let Some(y) = number.value else { continue };
            let title = match others.is_empty() {
                true => property.name.clone(),
                false => format!("{} ({})", property.name, others.join(", ")),
            };
            match curves.iter_mut().find(|curve| curve.title == title) {
                Some(curve) => curve.points.push((x, y)),
                None => curves.push(Curve { title, points: vec![(x, y)], ..Curve::default() }),
            }
        }
    }
    curves
}
