//! The values of a state with their structure: numbers, arrays as lists, channels as lists of messages.

use bughound_ir::network::{Network, TemplateId};
use bughound_ir::reference::{RefState, Reference};
use bughound_ir::types::{Channel, ValueType, Variable};
use bughound_kernel::Move;

use crate::naming;
use crate::replay::{ReplayError, micro_steps};

/// A value of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structured {
    /// Truth values are 0 and 1.
    Number(i64),
    /// The name of an `mtype`, a scalar or a channel.
    Name(String),
    List(Vec<Structured>),
}

/// Everything in a state that the user declared, by name. Arrays and channels are one entry each.
pub fn structured(network: &Network, state: &RefState) -> Vec<(String, Structured)> {
    let mut out = Vec::new();
    let mut scope = |prefix: &str, variables: &[Variable], values: &[i32], channels: &[Channel], queues: &[Queue]| {
        let is_channel = |variable: &Variable| {
            variable.ty == ValueType::Chan && channels.iter().any(|channel| channel.name == variable.name)
        };
        for variable in variables.iter().filter(|v| !v.hidden && !is_channel(v)) {
            let at = |slot: u32| values.get(slot as usize).copied().unwrap_or(0);
            let value = nested(network, state, variable, 0, variable.slot, &at);
            out.push((format!("{prefix}{}", variable.name), value));
        }
        for (channel, queue) in channels.iter().zip(queues).filter(|(channel, _)| channel.capacity > 0) {
            let field = |(ty, value): (&ValueType, &i32)| one(network, state, *ty, *value);
            let message = |m: &Vec<i32>| Structured::List(channel.fields.iter().zip(m).map(field).collect());
            out.push((format!("{prefix}{}", channel.name), Structured::List(queue.iter().map(message).collect())));
        }
    };
    scope("", &network.variables, &state.globals, &network.channels, &state.channels);
    for (pid, process) in state.processes.iter().enumerate() {
        let template = network.template(process.template);
        let prefix = format!("{}:", naming::process_name(network, process.template, pid));
        scope(&prefix, &template.variables, &process.variables, &template.channels, &process.channels);
    }
    out
}

type Queue = std::collections::VecDeque<Vec<i32>>;

/// The value of a variable from its dimension `dim` on.
fn nested(
    network: &Network,
    state: &RefState,
    variable: &Variable,
    dim: usize,
    slot: u32,
    at: &dyn Fn(u32) -> i32,
) -> Structured {
    match variable.dims.get(dim) {
        None => one(network, state, variable.ty, at(slot)),
        Some(here) => {
            let elements = (0..here.len).map(|i| nested(network, state, variable, dim + 1, slot + i * here.stride, at));
            Structured::List(elements.collect())
        }
    }
}

fn one(network: &Network, state: &RefState, ty: ValueType, value: i32) -> Structured {
    if ty == ValueType::Bit {
        return Structured::Number(value.into());
    }
    let text = naming::value(network, state, ty, value);
    match text.parse::<i64>() {
        Ok(number) => Structured::Number(number),
        Err(_) => Structured::Name(text),
    }
}

/// Where the processes of a state are, in their order: each with its type, and words for its place.
pub fn places(network: &Network, state: &RefState) -> Vec<(TemplateId, String, String)> {
    let place = |(pid, process): (usize, &bughound_ir::reference::Process)| {
        let location = network.location(process.location);
        let line = network.sources.line(location.span);
        let place = match (location.labels.first(), network.names_processes || line == 0) {
            (Some(label), true) => label.clone(),
            (Some(label), false) => format!("{label}, line {line}"),
            (None, _) if line > 0 => format!("line {line}"),
            (None, _) => format!("location {}", location.number),
        };
        (process.template, naming::process_name(network, process.template, pid), place)
    };
    state.processes.iter().enumerate().map(place).collect()
}

/// The states of a path, the initial one first. A step that fails leads to none. Clocks are not looked at: that the path
/// exists must be known.
pub fn states_along(network: &Network, moves: &[Move]) -> Result<Vec<RefState>, ReplayError> {
    let reference = Reference::discrete(network);
    let mut state = reference.initial().map_err(|error| ReplayError::NoInitialState(error.to_string()))?;
    let mut states = vec![state.clone()];
    for (at, step) in micro_steps(moves).into_iter().enumerate() {
        let failed =
            |error: bughound_ir::reference::ReplayError| ReplayError::Step { number: at + 1, error: error.to_string() };
        match reference.apply(&state, step).map_err(failed)?.result {
            Ok(next) => state = next,
            Err(_) => break,
        }
        states.push(state.clone());
    }
    Ok(states)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Wanted, network, trace};

    #[test]
    fn arrays_and_channels_are_lists() {
        let model = "mtype = { red, green }; typedef T { byte a[2] }; byte x = 3; bool b; mtype m = red; T t[2];
            chan q = [2] of { byte, mtype }; chan r = [0] of { byte };
            active proctype P() { byte y[3]; y[1] = 7; t[1].a[0] = 5; q!4,green; b = true; false }";
        let network = network(model);
        let found = trace(&network, Wanted::Deadlock);
        let states = states_along(&network, &found.moves).unwrap();
        assert_eq!(states.len(), 5);
        let values = structured(&network, &states[4]);
        let get = |name: &str| values.iter().find(|(n, _)| n == name).map(|(_, value)| value.clone());
        let number = Structured::Number;
        let list = |values: &[i64]| Structured::List(values.iter().map(|v| number(*v)).collect());
        assert_eq!(get("x"), Some(number(3)));
        assert_eq!(get("b"), Some(number(1)));
        assert_eq!(get("m"), Some(Structured::Name("red".into())));
        assert_eq!(get("t.a"), Some(Structured::List(vec![list(&[0, 0]), list(&[5, 0])])));
        assert_eq!(get("P(0):y"), Some(list(&[0, 7, 0])));
        let message = Structured::List(vec![number(4), Structured::Name("green".into())]);
        assert_eq!(get("q"), Some(Structured::List(vec![message])));
        let places = places(&network, &states[0]);
        assert_eq!((places.len(), places[0].1.as_str(), places[0].2.as_str()), (1, "P(0)", "line 3"));
    }
}
