//! SPIN's trails, as `trace --trail` reads them.

use std::cell::RefCell;
use std::path::PathBuf;

use bughound::added::{AddedKind, AddedProperty, names};
use bughound::run::Hooks;
use bughound::spin_trail::explain::{ReplayedTrail, SpinTrailError, replay_trail};
use bughound::verdict::EXIT_USAGE;
use bughound_kernel::Limits;
use bughound_search::Progress;
use clap::Args;

use super::arguments::{ReadingArguments, TraceArguments};
use super::progress::ProgressLine;
use super::{Outcome, fail, load_error, run_error, supervisor};

/// A trail of SPIN and its model.
#[derive(Debug, Args)]
#[command(next_help_heading = "Trails of SPIN")]
pub struct TrailArguments {
    /// Replay this trail, written by SPIN's verifier (or by `check --trail`) for the model
    #[arg(long, value_name = "FILE.trail")]
    pub trail: Option<PathBuf>,
    /// The property that the trail violates; by default the trail says so
    #[arg(long, value_name = "NAME", requires = "trail")]
    pub property: Option<String>,
    /// The formula that the trail violates, if it is not in the model
    #[arg(long, value_name = "FORMULA", requires = "trail")]
    pub ltl: Option<String>,
    /// Look for a shorter way to the error of the trail
    #[arg(long, requires = "trail")]
    pub improve: bool,
    /// Whether statements are merged is said by the trail
    #[command(flatten)]
    pub reading: ReadingArguments,
}

impl TrailArguments {
    /// A saved trace knows how its model was read.
    pub fn speaks_of_no_model(&self) -> bool {
        let ReadingArguments { define, undefine, include, language, dialect, .. } = &self.reading;
        self.trail.is_some()
            || (define.is_empty()
                && undefine.is_empty()
                && include.is_empty()
                && language.is_none()
                && dialect.is_empty())
    }
}

/// Reads a trail, and shortens it if that is asked for. The error is the end of the command.
pub fn read(arguments: &TraceArguments, path: &str) -> Result<ReplayedTrail, Outcome> {
    let TrailArguments { property, ltl, improve, reading, .. } = &arguments.trail;
    let added: Vec<AddedProperty> =
        ltl.iter().map(|text| AddedProperty { kind: AddedKind::Ltl, text: text.clone() }).collect();
    let of_formula = names(&added).into_iter().next();
    let wanted = property.as_deref().or(of_formula.as_deref());
    let output = &arguments.output;
    let failed = |error: SpinTrailError| match error {
        SpinTrailError::Model(error) => load_error(&error, output),
        SpinTrailError::Improve(error) => run_error(&error, output),
        SpinTrailError::Trail { ref model, .. } => {
            let help =
                format!("a trail fits only the {model} for which it was written, read with the same options (-D …)");
            fail(EXIT_USAGE, &error.to_string(), Some(&help), output, None)
        }
        error => fail(EXIT_USAGE, &error.to_string(), None, output, None),
    };
    let mut replayed = replay_trail(path, &arguments.file, &reading.options(added), wanted).map_err(failed)?;
    if *improve {
        let bounds = arguments.bounds.bounds();
        let limits = Limits { until: bounds.until(), memory: bounds.memory, ..Limits::default() };
        let line = RefCell::new(ProgressLine::new(output.color.on(&std::io::stderr())));
        let mut report = |p: &Progress| line.borrow_mut().report(p);
        let progress: Option<&mut dyn FnMut(&Progress)> =
            if output.quiet || output.no_progress { None } else { Some(&mut report) };
        let hooks = Hooks { stop: supervisor::stop_signal(), progress, ..Hooks::default() };
        let improved = replayed.improve(limits, hooks);
        line.borrow_mut().clear();
        improved.map_err(failed)?;
    }
    Ok(replayed)
}
