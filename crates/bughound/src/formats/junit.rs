//! JUnit's XML: a suite for each model, in it a test case for each property.
//!
//! A violated property is a failure, with its trace. One without a verdict is an error: what was not decided has not
//! passed.

use bughound_trace::{TextBounds, TextOptions, render_text};
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{ModelResult, why};
use crate::check::{CheckReport, PropertyReport};
use crate::verdict::Verdict;

/// How much of a trace is shown: both ends, as on a terminal.
const BOUNDS: TextBounds = TextBounds { ends: 40, width: 200, hint: "; --full-trace shows them on the terminal" };

/// The report on some models: a suite for each. One that could not be checked is a suite with an error.
pub fn junit(models: &[ModelResult<'_>]) -> Result<String, SerializeError> {
    let mut all = Report::new("bughound");
    let times = models.iter().filter_map(|model| Some(model.report.ok()?.stats.as_ref()?.counts.elapsed));
    if let Some(time) = times.reduce(|sum, time| sum + time) {
        all.set_time(time);
    }
    all.add_test_suites(models.iter().map(|model| match model.report {
        Ok(report) => suite(model.file, report),
        Err(why) => unchecked(model.file, why),
    }));
    all.to_string()
}

fn suite(file: &str, report: &CheckReport) -> TestSuite {
    let mut suite = TestSuite::new(file);
    if let Some(stats) = &report.stats {
        suite.set_time(stats.counts.elapsed);
    }
    suite.add_test_cases(report.properties.iter().map(|property| case(file, property)));
    suite
}

fn unchecked(file: &str, why: &str) -> TestSuite {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type("error").set_message(why);
    let mut case = TestCase::new("model", status);
    case.set_classname(file);
    let mut suite = TestSuite::new(file);
    suite.add_test_case(case);
    suite
}

fn case(file: &str, property: &PropertyReport) -> TestCase {
    let kind = match property.verdict {
        Verdict::Holds | Verdict::Satisfied => None,
        Verdict::Violated => Some(NonSuccessKind::Failure),
        Verdict::Inconclusive | Verdict::Limit => Some(NonSuccessKind::Error),
    };
    let mut status = kind.map_or_else(TestCaseStatus::success, TestCaseStatus::non_success);
    if kind.is_some() {
        status.set_type(if kind == Some(NonSuccessKind::Failure) { property.kind } else { property.verdict.name() });
        status.set_message(why(property));
        let errors = std::iter::once(property).chain(&property.more_errors);
        let options = TextOptions { bounds: Some(BOUNDS), ..TextOptions::default() };
        let traces: Vec<String> =
            errors.filter_map(|error| error.trace.as_ref()).map(|trace| render_text(trace, &options)).collect();
        if !traces.is_empty() {
            status.set_description(traces.join("\n"));
        }
    }
    let mut case = TestCase::new(&*property.name, status);
    case.set_classname(file);
    // Properties that one search decides all took the time of that search.
    if let Some(stats) = &property.stats {
        case.set_time(stats.counts.elapsed);
    }
    case
}
