//! The options about costs, and pictures of schedules.

use std::path::PathBuf;

use bughound::check::PropertyReport;
use bughound_trace::schedule::{ScheduleView, render_gantt};
use clap::Args;

use super::{eprint_line, outputs};

/// Costs and schedules.
#[derive(Debug, Args)]
#[command(next_help_heading = "Costs and schedules")]
pub struct CostArguments {
    /// Reach what is asked for (`E<>`, --reach) at the least cost: a schedule soon, then better ones, until one is proven to be the
    /// cheapest. This is the default for UPPAAL models with costs (`cost' == 2`, `cost += 5`); --first takes any run
    #[arg(long, conflicts_with_all = ["first", "fastest", "shortest", "improve", "exhaustive"])]
    pub cheapest: bool,
    /// Write the schedule of the first property that has one as a Gantt chart
    #[arg(long, value_name = "FILE.svg")]
    pub gantt: Option<PathBuf>,
}

impl CostArguments {
    /// Writes the picture if it is asked for.
    pub fn show(&self, properties: &[PropertyReport], title: &str) {
        let Some(path) = &self.gantt else { return };
        let schedule = |p: &PropertyReport| p.cheapest.as_ref().and_then(|cheapest| cheapest.schedule.clone());
        let Some(schedule): Option<ScheduleView> = properties.iter().find_map(schedule) else {
            eprint_line("note: there is no schedule to draw");
            return;
        };
        if let Err(error) = outputs::write(path, &render_gantt(&schedule, title)) {
            eprint_line(&format!("error: {}: the picture cannot be written: {error}", path.display()));
        }
    }
}
