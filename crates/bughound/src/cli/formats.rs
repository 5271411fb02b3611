//! The options for files that other programs read, and writing them.

use std::path::{Path, PathBuf};

use bughound::check::{CheckReport, PropertyReport};
use bughound::formats::state_graph::state_graph;
use bughound::formats::{ModelResult, junit, sarif};
use bughound::verdict::Verdict;
use bughound_ir::network::Network;
use bughound_trace::Trace;
use clap::Args;

use super::outputs::{self, Output};
use super::{eprint_line, supervisor};

/// Files for other programs.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Files for other programs")]
pub struct FormatArguments {
    /// Write a JUnit report: a suite for each model, a test case for each property; what could not be decided is an error, not a pass
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,
    /// Write the violated properties with their traces as SARIF 2.1.0
    #[arg(long, value_name = "FILE.sarif")]
    pub sarif: Option<PathBuf>,
    /// Write the states of a trace in the Informal Trace Format: that of the first property that is violated, or else of the
    /// first with a witness
    #[arg(long, value_name = "FILE.json")]
    pub itf: Option<PathBuf>,
}

/// The state graph.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Files for other programs")]
pub struct GraphArguments {
    /// Write the graph of the states for Graphviz; `check` marks the path of the trace that --itf would write, and shows what
    /// lies around it
    #[arg(long, value_name = "FILE.dot")]
    pub dot: Option<PathBuf>,
    /// Show at most this many states; the graph says where it was cut
    #[arg(long, value_name = "N", default_value_t = 500, requires = "dot")]
    pub dot_states: usize,
}

impl FormatArguments {
    /// The files that are written.
    pub fn outputs(&self) -> [Output<'_>; 3] {
        [("--junit", self.junit.as_ref()), ("--sarif", self.sarif.as_ref()), ("--itf", self.itf.as_ref())]
    }

    /// Writes the reports on all models. What cannot be written is said; the others are written nevertheless.
    pub fn write_reports(&self, models: &[ModelResult<'_>]) {
        if let Some(path) = &self.junit {
            write(path, junit::junit(models).map_err(|error| error.to_string()));
        }
        if let Some(path) = &self.sarif {
            write(path, Ok(sarif::sarif(models)));
        }
    }
}

impl GraphArguments {
    pub fn output(&self) -> Output<'_> {
        ("--dot", self.dot.as_ref())
    }

    /// Writes the graph, if it is asked for, with the trace of the report if there is one.
    pub fn write(&self, network: &Network, file: &str, report: Option<&CheckReport>, quiet: bool) {
        let Some(path) = &self.dot else { return };
        let trace = report.and_then(|report| shown_trace(&report.properties)).map(|(_, trace)| trace);
        match state_graph(network, trace, self.dot_states, &supervisor::stop_signal()) {
            Ok(graph) => {
                write(path, Ok(graph.to_dot(file)));
                if let Some(what) = graph.left_out().filter(|_| !quiet) {
                    eprint_line(&format!("note: {}: {what}; --dot-states N shows more", path.display()));
                }
            }
            Err(why) => write(path, Err(why)),
        }
    }
}

/// The trace for files with one: of the first violated property that has one, or else of the first that has one.
pub fn shown_trace(properties: &[PropertyReport]) -> Option<(&PropertyReport, &Trace)> {
    let with_trace = || properties.iter().filter_map(|property| Some((property, property.trace.as_deref()?)));
    with_trace().find(|(property, _)| property.verdict == Verdict::Violated).or_else(|| with_trace().next())
}

/// The result must not be lost because a file could not be written, nor what it says to scripts.
fn write(path: &Path, text: Result<String, String>) {
    let written = text.and_then(|text| outputs::write(path, &text).map_err(|error| error.to_string()));
    if let Err(error) = written {
        eprint_line(&format!("error: {} cannot be written: {error}", path.display()));
    }
}
