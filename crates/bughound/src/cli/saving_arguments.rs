//! Where a long run is saved.

use std::path::PathBuf;
use std::time::Duration;

use bughound::long_runs::{Begins, Saving};
use clap::Args;

use super::quantities::parse_duration;

#[derive(Debug, Args)]
#[command(next_help_heading = "Long runs")]
pub struct SavingArguments {
    /// Save the run in this directory now and then, and when a limit or Ctrl-C ends it: it can go on with --resume, also after a
    /// crash. It is made if it is not there; when the run is over, nothing is left in it
    #[arg(long, value_name = "DIR")]
    checkpoint: Option<PathBuf>,
    /// Time between two checkpoints
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_duration)]
    every: Duration,
    /// Go on with the run that was saved in this directory, and save it there. Model and options must be the same; time,
    /// memory and threads may differ
    #[arg(long, value_name = "DIR", conflicts_with = "checkpoint")]
    resume: Option<PathBuf>,
}

impl SavingArguments {
    /// If it is wanted: where, and how.
    pub fn saving(&self) -> Option<Saving> {
        let saving = |directory: &PathBuf, begins| Saving { directory: directory.clone(), every: self.every, begins };
        let anew = self.checkpoint.as_ref().map(|directory| saving(directory, Begins::Anew));
        anew.or_else(|| self.resume.as_ref().map(|directory| saving(directory, Begins::WithWhatWasSaved)))
    }

    /// The option that is given, if one is.
    pub fn option(&self) -> Option<&'static str> {
        self.checkpoint.as_ref().map(|_| "--checkpoint").or(self.resume.as_ref().map(|_| "--resume"))
    }
}
