//! A trace as JSON: the `trace` of a result document.

use serde_json::{Value, json};

use crate::changes::Change;
use crate::explain::{BlockedProcess, ConditionInRun, CycleFacts, FalsePart, InCycle};
use crate::replay::{Participant, Place, Trace, TraceStep};
use crate::timing::{Moment, Timing};

/// The trace as a JSON object. All keys are always there, except those that only some reasons have.
pub fn to_json(trace: &Trace) -> Value {
    let mut out = json!({
        "length": trace.length,
        "cost": trace.cost,
        "loop_start": trace.lasso.map(|lasso| lasso.loop_start),
        "loop": trace.lasso.map(|l| json!({ "start": l.loop_start, "length": l.loop_length, "fair": l.fair })),
        "reason": trace.reason.headline,
        "reason_source": trace.reason.source.as_ref().map(place),
    });
    if !trace.reason.blocked.is_empty() {
        out["blocked"] = trace.reason.blocked.iter().map(blocked).collect();
    }
    if !trace.reason.parts.is_empty() {
        out["parts"] = trace.reason.parts.iter().map(part).collect();
    }
    if let Some(facts) = &trace.reason.cycle {
        out["cycle"] = cycle(facts);
    }
    out["initial"] = trace.initial.iter().map(|v| (v.name.clone(), scalar(&v.value))).collect();
    out["steps"] = trace.steps.iter().enumerate().map(|(at, s)| step(at + 1, s)).collect();
    if let Some(timing) = &trace.timing {
        for (at, moment) in timing.steps.iter().enumerate() {
            times(&mut out["steps"][at], timing, moment);
        }
        times(&mut out, timing, &timing.end);
    }
    out
}

/// Times twice: as numbers for those who calculate, and exactly, as text. At the end of the run `delay` is the time from
/// its last step on.
fn times(out: &mut Value, timing: &Timing, moment: &Moment) {
    for (name, value) in [("delay", moment.delay), ("time", moment.time)] {
        out[name] = json!(value.as_f64());
        out[format!("{name}_exact")] = json!(value.to_string());
    }
    out["clocks"] = timing.values(moment).into_iter().map(|v| (v.name, scalar(&v.value))).collect();
}

fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line })
}

fn participant(who: &Participant) -> Value {
    let mut out = json!({ "process": who.process, "pid": who.pid, "source": place(&who.source), "text": who.text });
    if !who.calls.is_empty() {
        out["called_at"] = who.calls.iter().map(place).collect();
    }
    if let Some((from, to)) = &who.route {
        (out["from"], out["to"]) = (json!(from), json!(to));
    }
    out
}

fn step(number: usize, step: &TraceStep) -> Value {
    let mut out = json!({ "number": number });
    if let (Some(first), Some(object)) = (step.participants.first(), out.as_object_mut())
        && let Value::Object(fields) = participant(first)
    {
        object.extend(fields);
    }
    if step.participants.len() > 1 {
        out["partners"] = step.participants[1..].iter().map(participant).collect();
    }
    out["changes"] = step.changes.iter().map(change).collect();
    if !step.started.is_empty() {
        out["started"] = json!(step.started);
    }
    if !step.ended.is_empty() {
        out["ended"] = json!(step.ended);
    }
    if !step.printed.is_empty() {
        out["printed"] = json!(step.printed);
    }
    if !step.failures.is_empty() {
        out["failures"] = json!(step.failures);
    }
    out["keeps_control"] = json!(step.keeps_control);
    out["delay"] = Value::Null;
    out
}

fn change(change: &Change) -> Value {
    let value = |text: &Option<String>| text.as_deref().map(scalar);
    json!({ "name": change.name, "old": value(&change.old), "new": value(&change.new) })
}

/// A number as a number, everything else (the name of an `mtype`, the contents of a channel) as text.
fn scalar(text: &str) -> Value {
    text.parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

fn blocked(process: &BlockedProcess) -> Value {
    let wait = |w: &crate::explain::Wait| json!({ "text": w.text, "source": place(&w.source), "why": w.why });
    json!({
        "process": process.process,
        "pid": process.pid,
        "source": place(&process.source),
        "may_rest": process.may_rest,
        "waits": process.waits.iter().map(wait).collect::<Vec<_>>(),
    })
}

fn cycle(facts: &CycleFacts) -> Value {
    let condition = |c: &ConditionInRun| {
        let (in_loop, since) = match c.in_loop {
            InCycle::Always => ("always", Some(c.since)),
            InCycle::Never => ("never", Some(c.since)),
            InCycle::Sometimes { .. } => ("sometimes", None),
        };
        json!({ "text": c.text, "in_loop": in_loop, "since": since })
    };
    json!({
        "conditions": facts.conditions.iter().map(condition).collect::<Vec<_>>(),
        "moving": facts.moving,
        "idle": facts.idle.iter().map(blocked).collect::<Vec<_>>(),
        "starved": facts.starved,
    })
}

fn part(part: &FalsePart) -> Value {
    let values: serde_json::Map<String, Value> =
        part.values.iter().map(|(name, value)| (name.clone(), scalar(value))).collect();
    json!({ "text": part.text, "value": part.is_true, "values": values })
}
