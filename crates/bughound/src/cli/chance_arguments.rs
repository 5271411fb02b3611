//! How questions about chances are explored, and what is shown besides the answers.

use bughound::chances::{ChanceOptions, ExploreBy};
use clap::Args;

#[derive(Debug, Args)]
#[command(next_help_heading = "Models with probabilities")]
pub struct ChanceArguments {
    /// Which states bounds on probabilities are decided on: those that most of the probability flows through (mass), those on the
    /// most probable paths (path), until what is known decides; or all of them (whole). auto: mass, and whole where a question
    /// needs it
    #[arg(long, value_name = "auto|mass|path|whole", default_value = "auto", value_parser = parse_by)]
    chances: ExploreBy,
    /// List the N most probable paths to what a question about a probability asks for, whatever its answer is; --json has the
    /// steps of the first thousand
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    paths: Option<u32>,
    /// Counterexamples to bounds on probabilities with as few states as possible, and with a proof of that or of how many it
    /// takes at least. Explores all states that it can within the limits; the proof takes half of the time that is left, and
    /// some ten seconds without a limit
    #[arg(long)]
    smallest: bool,
}

impl ChanceArguments {
    pub fn options(&self) -> ChanceOptions {
        ChanceOptions { by: self.chances, paths: self.paths.map(|count| count as usize), smallest: self.smallest }
    }
}

fn parse_by(name: &str) -> Result<ExploreBy, String> {
    let known = ExploreBy::ALL.iter().find(|(known, _)| *known == name);
    known.map(|(_, by)| *by).ok_or_else(|| "known are auto, mass, path, whole".into())
}
