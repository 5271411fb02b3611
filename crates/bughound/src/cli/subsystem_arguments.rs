//! The options for pictures of counterexamples to bounds on probabilities.

use std::path::{Path, PathBuf};

use bughound::chances::Counterexample;
use bughound::subsystem::dot::dot;
use bughound::subsystem::svg::svg;
use bughound_trace::Filter;
use clap::Args;

use super::outputs::Output;

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Models with probabilities")]
pub struct SubsystemArguments {
    /// Draw the states that suffice to violate a bound on a probability, for the first property with such a counterexample:
    /// as a picture, or for Graphviz. Steps that are taken more often are wider, states that contribute more are darker. Without
    /// a counterexample, an old file is removed
    #[arg(long, value_name = "FILE.svg|FILE.dot", value_parser = picture_parser)]
    pub subsystem: Option<PathBuf>,
    /// Draw for the same counterexample how much of the probability its k most probable paths have together, over k
    #[arg(long, value_name = "FILE.svg")]
    pub mass: Option<PathBuf>,
}

impl SubsystemArguments {
    /// The files that are written.
    pub fn outputs(&self) -> [Output<'_>; 2] {
        [("--subsystem", self.subsystem.as_ref()), ("--mass", self.mass.as_ref())]
    }
}

/// The ending of a file decides what is written to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    Dot,
    Svg,
}

fn ending(path: &Path) -> Option<Ending> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "dot" => Some(Ending::Dot),
        "svg" => Some(Ending::Svg),
        _ => None,
    }
}

fn picture_parser(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match ending(&path) {
        Some(_) => Ok(path),
        None => Err("the ending says what is written: .svg for a picture, .dot for Graphviz".into()),
    }
}

/// The picture for a file; `property` is what it is a counterexample to.
pub fn picture(path: &Path, shown: &Counterexample, property: &str, filter: &Filter) -> String {
    match ending(path) {
        Some(Ending::Dot) => dot(shown, property, filter),
        Some(Ending::Svg) | None => svg(shown, property, filter),
    }
}
