//! The Informal Trace Format (ITF, from the Apalache model checker): the states of a trace as JSON.
//!
//! There is a variable for every global variable, array (a list) and channel (a list of messages, each a list), a variable
//! such as `P(0)` for where a process is, and one such as `P(0):x` for each of its variables. All of them are in every
//! state: a process that does not exist is `absent`, and so are its variables. In a timed model `time` and the clocks are
//! fractions. What led to a state is in its `#meta`.
//!
//! Behind the last state of a lasso comes the one with the number `loop`; a run that comes to rest stays in the last.

use std::collections::{BTreeMap, BTreeSet};

use bughound_ir::network::Network;
use bughound_ir::rational::Rational;
use bughound_trace::{ReplayError, Structured, Timing, Trace, places, states_along, structured};
use serde_json::{Map, Value, json};

use super::statement;

/// The trace of the property `name` of the model in `file`.
pub fn itf(network: &Network, file: &str, name: &str, trace: &Trace) -> Result<String, ReplayError> {
    let mut states = states_along(network, &trace.moves)?;
    let returns = trace.lasso.is_some_and(|lasso| lasso.loop_length > 0);
    if returns {
        // The run is back where its loop began.
        states.pop();
    }
    let mut processes = BTreeSet::new();
    let mut shown: Vec<BTreeMap<String, Value>> = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let mut values = BTreeMap::new();
        for (_, process, place) in places(network, state) {
            values.insert(process.clone(), json!(place));
            processes.insert(process);
        }
        values.extend(structured(network, state).into_iter().map(|(name, value)| (name, json_of(&value))));
        if let Some(timing) = &trace.timing {
            let time = at.checked_sub(1).map_or(Rational::ZERO, |step| timing.steps[step].time);
            values.extend(clocks(timing, time, &timing.clocks_after(at)));
        }
        shown.push(values);
    }
    // What is shown may be true only some time after the last step.
    if let (Some(timing), Some(last)) = (&trace.timing, shown.last().filter(|_| !returns))
        && last.get("time") != Some(&fraction(timing.end.time))
    {
        let mut values = last.clone();
        values.extend(clocks(timing, timing.end.time, &timing.end.clocks));
        shown.push(values);
    }
    // In the order of the declarations, as far as the initial state has them.
    let first = states.first().map(|state| structured(network, state)).unwrap_or_default();
    let mut vars: Vec<String> = first.into_iter().map(|(name, _)| name).collect();
    for name in shown.iter().flat_map(BTreeMap::keys) {
        if !vars.contains(name) {
            vars.push(name.clone());
        }
    }
    let absent = |name: &str| match processes.contains(name) {
        true => json!("absent"),
        false => json!({ "#unserializable": "absent" }),
    };
    let states = shown.iter().enumerate().map(|(at, values)| {
        let mut meta = json!({ "index": at });
        if at > trace.steps.len() {
            meta["step"] = json!("time passes");
        } else if let Some(step) = at.checked_sub(1).and_then(|step| trace.steps.get(step)) {
            meta["step"] = json!(statement(step));
            if let Some(who) = step.participants.first() {
                meta["source"] = json!(format!("{}:{}", who.source.file, who.source.line));
            }
        }
        let mut out = Map::from_iter([("#meta".to_string(), meta)]);
        out.extend(vars.iter().map(|var| (var.clone(), values.get(var).cloned().unwrap_or_else(|| absent(var)))));
        Value::Object(out)
    });
    let mut document = json!({
        "#meta": {
            "format": "ITF",
            "format-description": "https://apalache-mc.org/docs/adr/015adr-trace.html",
            "source": file,
            "property": name,
            "description": trace.reason.headline,
        },
        "params": [],
        "vars": vars,
        "states": states.collect::<Vec<_>>(),
    });
    if let Some(lasso) = trace.lasso {
        document["loop"] = json!(if returns { lasso.loop_start } else { shown.len() - 1 });
        if let Some(step) = trace.steps.last().filter(|_| returns) {
            document["#meta"]["loop-step"] = json!(statement(step));
        }
    }
    Ok(format!("{document:#}\n"))
}

fn clocks(timing: &Timing, time: Rational, values: &[Rational]) -> Vec<(String, Value)> {
    let clocks = timing.clocks.iter().cloned().zip(values.iter().copied());
    clocks.chain([("time".to_string(), time)]).map(|(clock, value)| (clock, fraction(value))).collect()
}

/// The largest number that every reader of JSON can tell from the next one.
const LARGEST: u64 = (1 << 53) - 1;

fn json_of(value: &Structured) -> Value {
    match value {
        Structured::Number(number) => integer((*number).into()),
        Structured::Name(name) => json!(name),
        Structured::List(values) => values.iter().map(json_of).collect(),
    }
}

fn integer(number: i128) -> Value {
    match i64::try_from(number) {
        Ok(number) if number.unsigned_abs() <= LARGEST => json!(number),
        _ => json!({ "#bigint": number.to_string() }),
    }
}

fn fraction(number: Rational) -> Value {
    json!({ "numerator": integer(number.numerator()), "denominator": integer(number.denominator()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_others_would_round_are_text() {
        assert_eq!(integer(-7), json!(-7));
        assert_eq!(integer((1 << 53) - 1), json!(9_007_199_254_740_991_i64));
        assert_eq!(integer(1 << 53), json!({ "#bigint": "9007199254740992" }));
        assert_eq!(integer(-(1 << 70)), json!({ "#bigint": "-1180591620717411303424" }));
    }
}
