//! The words of `--reduction`.

use bughound::run::ReductionMode;
use clap::ValueEnum;

/// Whether steps are left out that need not be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionArgument {
    Auto,
    On,
    Off,
    Check,
}

impl ReductionArgument {
    pub fn mode(self) -> ReductionMode {
        match self {
            ReductionArgument::On => ReductionMode::On,
            ReductionArgument::Auto => ReductionMode::Auto,
            ReductionArgument::Off => ReductionMode::Off,
            ReductionArgument::Check => ReductionMode::Check,
        }
    }
}
