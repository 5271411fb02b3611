//! The options of statistical answers.

use bughound::chances::samples::SampleOptions;
use clap::Args;

/// How probabilities are estimated instead of computed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Models with probabilities")]
pub struct SampleArguments {
    /// Estimate probabilities and expected rewards of Markov chains from so many random runs, without storing states. The
    /// answer is an interval that contains the value so often as --confidence says; bounds stay unproven. A run that is not
    /// decided after --max-depth steps [default: 1000000] counts as a miss below and as a hit above
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    samples: Option<u64>,
    /// The share of intervals that are to contain the value [default: 0.95]
    #[arg(long, value_name = "SHARE", requires = "samples", value_parser = parse_share)]
    confidence: Option<f64>,
    /// Rare events by importance splitting: runs that come nearer to the event are continued several times. --heuristic says
    /// how near a state is [default: hadd]; N runs for each level, in 20 independent replications
    #[arg(long, requires = "samples")]
    splitting: bool,
}

const USUAL_SHARE: f64 = 0.95;

impl SampleArguments {
    pub fn options(&self) -> Option<SampleOptions> {
        let confidence = self.confidence.unwrap_or(USUAL_SHARE);
        self.samples.map(|runs| SampleOptions { runs, confidence, splitting: self.splitting })
    }
}

fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or_else(|| "expected a number between 0 and 1, such as 0.99".into())
}
