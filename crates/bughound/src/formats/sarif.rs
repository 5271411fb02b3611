//! SARIF 2.1.0, the Static Analysis Results Interchange Format: a result for each property that is violated, with its trace
//! as a code flow, and one of kind `open` for each that could not be decided.

use bughound_trace::{Place, Trace, TraceStep};
use serde_json::{Value, json};

use super::{ModelResult, loop_start, part, statement, why};
use crate::check::{CheckReport, PropertyReport};
use crate::verdict::Verdict;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What is wrong if a property of this kind is violated.
const RULES: &[(&str, &str)] = &[
    ("deadlock", "Nothing can go on, and some process may not end where it is."),
    ("assertion", "An assertion is false, or an expression has no value."),
    ("invariant", "A condition that should hold in every state does not."),
    ("reachability", "No state satisfies a condition that some state should satisfy."),
    ("never", "A run satisfies a never claim."),
    ("ltl", "A run does not satisfy a formula of linear temporal logic."),
    ("acceptance", "A run passes an accept label for ever."),
    ("non-progress", "A run passes no progress label any more."),
    ("unspecified-reception", "A process can only receive, and none of the messages that wait for it."),
    ("channel-overflow", "A process wants to send to a full channel."),
    ("inevitability", "A run never gets to a state that every run should get to."),
    ("leads-to", "After one condition, another one never comes true."),
    ("possibly-always", "No run keeps a condition true for ever."),
    ("extremes", "There are no such extreme values."),
    ("probability", "A bound on a probability does not hold."),
    ("expected-reward", "A bound on an expected reward does not hold."),
    ("long-run", "A bound on a long-run average does not hold."),
    ("chances", "A condition on probabilities does not hold."),
];

/// The report on some models: a run for each.
pub fn sarif(models: &[ModelResult<'_>]) -> String {
    let runs: Vec<Value> = models.iter().map(run).collect();
    let document = json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": runs });
    format!("{document:#}\n")
}

fn run(model: &ModelResult<'_>) -> Value {
    let file = model.file;
    let properties = model.report.map_or(&[][..], |report| &report.properties);
    let noteworthy: Vec<&PropertyReport> =
        properties.iter().filter(|p| !matches!(p.verdict, Verdict::Holds | Verdict::Satisfied)).collect();
    let mut kinds: Vec<&str> = noteworthy.iter().map(|property| property.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let results = noteworthy.iter().flat_map(|property| {
        let errors = std::iter::once(*property).chain(&property.more_errors).zip(1..);
        errors.map(|(error, number)| result(file, error, number, &kinds))
    });
    let notifications = match model.report {
        Ok(report) => notifications(report),
        Err(why) => vec![json!({
            "level": "error",
            "message": { "text": format!("{file} was not checked: {why}") },
            "locations": [location(&of_file(file), None)],
        })],
    };
    json!({
        "tool": { "driver": {
            "name": "Bughound",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": kinds.iter().map(|kind| rule(kind)).collect::<Vec<_>>(),
        } },
        // Each run of a file has a name of its own, so that viewers keep them apart.
        "automationDetails": { "id": format!("{}/", uri(file)) },
        "invocations": [{
            "executionSuccessful": model.report.is_ok(),
            "exitCode": model.exit_code,
            "toolExecutionNotifications": notifications,
        }],
        "results": results.collect::<Vec<_>>(),
    })
}

fn rule(kind: &str) -> Value {
    let known = RULES.iter().find(|(name, _)| *name == kind).map(|(_, text)| (*text).to_string());
    let text = known.unwrap_or_else(|| format!("A property of kind {kind} is violated."));
    json!({ "id": kind, "shortDescription": { "text": text } })
}

fn notifications(report: &CheckReport) -> Vec<Value> {
    let note = |text: &String| json!({ "level": "note", "message": { "text": text } });
    let undecided = |p: &&PropertyReport| matches!(p.verdict, Verdict::Inconclusive | Verdict::Limit);
    let open = report.properties.iter().filter(undecided).map(|p| {
        let text = format!("`{}` was not decided: {}", p.name, why(p));
        json!({ "level": "warning", "message": { "text": text }, "associatedRule": { "id": p.kind } })
    });
    report.notes.iter().map(note).chain(open).collect()
}

/// `number`: which error of the property it is, if there are several.
fn result(file: &str, property: &PropertyReport, number: usize, kinds: &[&str]) -> Value {
    let which = if number > 1 { format!("#{number}") } else { String::new() };
    let place = property.trace.as_ref().map_or_else(|| of_file(file), |trace| failing_place(file, trace));
    let is_violated = property.verdict == Verdict::Violated;
    let mut out = json!({
        "ruleId": property.kind,
        "ruleIndex": kinds.iter().position(|kind| *kind == property.kind),
        "kind": if is_violated { "fail" } else { "open" },
        "level": if is_violated { "error" } else { "none" },
        "message": { "text": format!("`{}`: {}", property.name, why(property)) },
        "locations": [location(&place, None)],
        "partialFingerprints": { "property/v1": format!("{file}#{}{which}", property.name) },
    });
    if let Some(trace) = &property.trace {
        out["codeFlows"] = json!([{
            "message": { "text": trace.reason.headline },
            "threadFlows": [{ "locations": flow(trace) }],
        }]);
    }
    out
}

fn of_file(file: &str) -> Place {
    Place { file: file.into(), line: 0 }
}

/// The place of the failing statement; where there is none, that of somebody who is blocked, or of the last step.
fn failing_place(file: &str, trace: &Trace) -> Place {
    let blocked = trace.reason.blocked.iter().find(|process| !process.may_rest).map(|process| &process.source);
    let last = trace.steps.last().and_then(|step| step.participants.first()).map(|who| &who.source);
    trace.reason.source.as_ref().or(blocked).or(last).cloned().unwrap_or_else(|| of_file(file))
}

/// A location for each participant of each step, in the order of the run.
fn flow(trace: &Trace) -> Vec<Value> {
    let begin = loop_start(trace);
    let mut locations = Vec::new();
    for (at, step) in trace.steps.iter().enumerate() {
        for (place, who) in step.participants.iter().enumerate() {
            let mut text = if place == 0 { statement(step) } else { part(who) };
            if let Some(timing) = &trace.timing {
                text = format!("@ {} {text}", timing.steps[at].time.decimal());
            }
            if place == 0 && begin == Some(at) {
                text.push_str(" (the loop begins here)");
            }
            let mut entry = json!({
                "location": location(&who.source, Some(&text)),
                "executionOrder": at + 1,
                "nestingLevel": 0,
            });
            let state = if place == 0 { changes(step) } else { Value::Null };
            if !state.is_null() {
                entry["state"] = state;
            }
            locations.push(entry);
        }
    }
    locations
}

/// What the step changed: the values after it.
fn changes(step: &TraceStep) -> Value {
    let new = step.changes.iter().filter_map(|change| Some((change.name.clone(), change.new.as_ref()?)));
    let values: serde_json::Map<String, Value> = new.map(|(name, value)| (name, json!({ "text": value }))).collect();
    if values.is_empty() { Value::Null } else { values.into() }
}

fn location(place: &Place, message: Option<&str>) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&place.file) } });
    if place.line > 0 {
        physical["region"] = json!({ "startLine": place.line });
    }
    let mut out = json!({ "physicalLocation": physical });
    if let Some(text) = message {
        out["message"] = json!({ "text": text });
    }
    out
}

/// A reference to a file: as it was named, relative names to the directory of the run.
fn uri(file: &str) -> String {
    let mut out = String::new();
    let path = file.strip_prefix("./").unwrap_or(file);
    if std::path::Path::new(path).is_absolute() {
        out.push_str(if path.starts_with('/') { "file://" } else { "file:///" });
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte.into()),
            b'\\' if cfg!(windows) => out.push('/'),
            b':' if cfg!(windows) => out.push(':'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_references() {
        assert_eq!(uri("models/a b.pml"), "models/a%20b.pml");
        assert_eq!(uri("./a.pml"), "a.pml");
        assert_eq!(uri("ü#.pml"), "%C3%BC%23.pml");
        #[cfg(unix)]
        assert_eq!(uri("/tmp/a.pml"), "file:///tmp/a.pml");
    }
}
