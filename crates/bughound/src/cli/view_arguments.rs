//! The options for how traces are shown.

use bughound_trace::{Filter, Shown, TextBounds, TextOptions};
use clap::Args;

/// Steps of a trace that are shown at each end.
const ENDS: usize = 40;
/// The width of lines that go to no terminal.
const WIDTH_ELSEWHERE: usize = 200;

/// How a trace is shown.
#[derive(Debug, Args)]
#[command(next_help_heading = "Counterexample")]
pub struct TraceViewArguments {
    /// Show every step and every line in full: by default text shows the first and the last 40 steps, of a loop as well,
    /// and lines no wider than the terminal (200 columns elsewhere)
    #[arg(long)]
    pub full_trace: bool,
    /// Show all variables after each step, not only those that changed
    #[arg(long)]
    pub full_states: bool,
    /// Leave out variables whose name matches, such as 'P(1):*' (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub hide: Vec<String>,
    /// Show only variables whose name matches (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub show: Vec<String>,
}

impl TraceViewArguments {
    pub fn shown(&self) -> Shown {
        if self.full_states { Shown::FullStates } else { Shown::Changes }
    }

    pub fn filter(&self) -> Filter {
        Filter { show: self.show.clone(), hide: self.hide.clone() }
    }

    /// How traces are shown; `hint`: how to see what is left out.
    pub fn text(&self, color: bool, hint: &'static str) -> TextOptions {
        let width = super::terminal::columns(&std::io::stdout()).unwrap_or(WIDTH_ELSEWHERE);
        let bounds = (!self.full_trace).then_some(TextBounds { ends: ENDS, width, hint });
        TextOptions { shown: self.shown(), filter: self.filter(), color, bounds }
    }
}
