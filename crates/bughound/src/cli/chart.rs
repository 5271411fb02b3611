//! The options for message sequence charts, and what becomes of them.

use std::path::PathBuf;

use bughound::printable::printable;
use bughound_ir::network::Network;
use bughound_trace::Trace;
use bughound_trace::chart::{Chart, ChartOptions, chart_of, render_chart, render_svg};
use clap::Args;

use super::{eprint_line, outputs};

/// Message sequence charts.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Message sequence chart")]
pub struct ChartArguments {
    /// Show who sent what to whom
    #[arg(long, conflicts_with = "json")]
    pub chart: bool,
    /// Write the chart as a picture
    #[arg(long, value_name = "FILE.svg")]
    pub chart_svg: Option<PathBuf>,
    /// Show steps without communication in the chart, too
    #[arg(long)]
    pub chart_local: bool,
}

impl ChartArguments {
    pub fn is_wanted(&self) -> bool {
        self.chart || self.chart_svg.is_some()
    }

    /// Writes the picture if it is asked for, and returns the text if that is.
    pub fn show(&self, chart: &Chart, title: &str) -> Result<String, String> {
        if let Some(path) = &self.chart_svg {
            outputs::write(path, &render_svg(chart, title, self.chart_local))
                .map_err(|error| format!("{}: the chart cannot be written: {error}", path.display()))?;
        }
        if !self.chart {
            return Ok(String::new());
        }
        let options = ChartOptions { local_steps: self.chart_local, width: width() };
        Ok(format!("\n{}", printable(&render_chart(chart, &options))))
    }

    /// The charts of traces; the picture is that of the first.
    pub fn show_traces<'t>(
        &self,
        network: Option<&Network>,
        traces: impl IntoIterator<Item = &'t Trace>,
        title: &str,
    ) -> Result<String, String> {
        let Some(network) = network.filter(|_| self.is_wanted()) else { return Ok(String::new()) };
        let mut out = String::new();
        let mut is_first = true;
        for trace in traces {
            let mut chart = chart_of(network, &trace.moves).map_err(|error| error.to_string())?;
            chart.end_with(&trace.reason);
            chart.lasso = trace.lasso;
            let picture = if is_first { self.chart_svg.clone() } else { None };
            is_first = false;
            let one = ChartArguments { chart_svg: picture, ..*self };
            out.push_str(&one.show(&chart, title)?);
        }
        if is_first {
            eprint_line("note: there is no trace to draw a chart of");
        }
        Ok(out)
    }
}

/// The width of the terminal, or that of a page.
fn width() -> usize {
    let columns = super::terminal::columns(&std::io::stdout());
    columns.filter(|columns| *columns >= 40).unwrap_or(ChartOptions::default().width)
}
