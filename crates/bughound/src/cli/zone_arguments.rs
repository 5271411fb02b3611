//! The options of timed models.

use bughound::zones::ZoneOptions;
use bughound_semantics::timed::{Extrapolation, Inclusion};
use clap::{Args, ValueEnum};

/// How clock zones are treated.
#[derive(Debug, Args)]
#[command(next_help_heading = "Timed models")]
pub struct ZoneArguments {
    /// What is forgotten of clock zones; what is not exact for a question gives way to what is [default: the coarsest that
    /// is exact]
    #[arg(long, value_name = "none|m|m+|lu|lu+")]
    pub extrapolation: Option<ExtrapolationChoice>,
    /// When a zone counts as covered by another one
    #[arg(long, value_name = "equal|subset|simulation")]
    pub inclusion: Option<InclusionChoice>,
    /// Save memory by taking in more clock values than can be reached: what holds then holds, but an error for whose steps no
    /// times are found is inconclusive
    #[arg(long, value_name = "hull")]
    pub approximate: Option<ApproximationChoice>,
    /// Of runs (`A<>`, `E[]`, `-->`), let only those count whose time goes on for ever: not those with infinitely many
    /// steps in finite time, nor those that end where time stops
    #[arg(long)]
    pub non_zeno: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ApproximationChoice {
    /// One zone for each discrete state, the convex hull of all that were reached
    Hull,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExtrapolationChoice {
    /// Nothing, as long as numbers stay small
    None,
    /// By the largest constant of each clock
    M,
    /// The same, and more of zones that lie past the constant as a whole
    #[value(name = "m+")]
    MPlus,
    /// By the largest lower and upper constants of each clock
    Lu,
    /// The same, and more of zones that lie past the constant as a whole
    #[value(name = "lu+")]
    LuPlus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InclusionChoice {
    /// If it is the same
    Equal,
    /// If all its points are in the other one
    Subset,
    /// If all its points are simulated by points of the other one
    Simulation,
}

impl ZoneArguments {
    pub fn options(&self) -> ZoneOptions {
        ZoneOptions {
            extrapolation: self.extrapolation.map(|choice| match choice {
                ExtrapolationChoice::None => Extrapolation::None,
                ExtrapolationChoice::M => Extrapolation::Maximal,
                ExtrapolationChoice::MPlus => Extrapolation::MaximalPlus,
                ExtrapolationChoice::Lu => Extrapolation::LowerUpper,
                ExtrapolationChoice::LuPlus => Extrapolation::LowerUpperPlus,
            }),
            inclusion: self.inclusion.map(|choice| match choice {
                InclusionChoice::Equal => Inclusion::Equal,
                InclusionChoice::Subset => Inclusion::Subset,
                InclusionChoice::Simulation => Inclusion::Simulation,
            }),
            hull: self.approximate == Some(ApproximationChoice::Hull),
            non_zeno: self.non_zeno,
        }
    }
}
