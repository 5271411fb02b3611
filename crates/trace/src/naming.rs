//! Names as the user would write them: `x`, `a[1].b`, `P(1):y`, the channel `q`, the mtype `ack`.

use bughound_ir::frames::ChannelHome;
use bughound_ir::network::{LocationId, Network, TemplateId};
use bughound_ir::reference::{RefState, print};
use bughound_ir::types::{Channel, ValueType, Variable};

/// Name of a process: its own, or that of its type and its number. What SPIN calls `:init:` is `init` to the user.
pub fn process_name(network: &Network, template: TemplateId, pid: usize) -> String {
    if network.names_processes {
        return network.template(template).name.clone();
    }
    format!("{}({pid})", network.template(template).name.trim_matches(':'))
}

/// Name of a process that exists.
pub fn process_in(network: &Network, state: &RefState, pid: usize) -> String {
    match state.processes.get(pid) {
        Some(process) => process_name(network, process.template, pid),
        None => format!("process {pid}"),
    }
}

/// The declaration of a channel and the messages in it. `None` if its process does not exist.
pub fn channel<'a>(
    network: &'a Network,
    state: &'a RefState,
    number: i32,
) -> Option<(&'a Channel, &'a std::collections::VecDeque<Vec<i32>>)> {
    match network.frames.channel_home(number)? {
        ChannelHome::Global(index) => {
            Some((network.channels.get(index as usize)?, state.channels.get(index as usize)?))
        }
        ChannelHome::Process { pid, index } => {
            let owner = state.processes.get(pid as usize)?;
            let declared = network.template(owner.template).channels.get(index as usize)?;
            Some((declared, owner.channels.get(index as usize)?))
        }
    }
}

/// Name of a channel by its number.
pub fn channel_name(network: &Network, state: &RefState, number: i32) -> String {
    if number == 0 {
        return "no channel".into();
    }
    let Some((declared, _)) = channel(network, state, number) else { return format!("channel {number}") };
    match network.frames.channel_home(number) {
        Some(ChannelHome::Process { pid, .. }) => {
            format!("{}:{}", process_in(network, state, pid as usize), declared.name)
        }
        _ => declared.name.clone(),
    }
}

/// A value of a type.
pub fn value(network: &Network, state: &RefState, ty: ValueType, value: i32) -> String {
    match ty {
        ValueType::Bit if network.stochastic.is_some() => (value != 0).to_string(),
        ValueType::Chan if value == 0 => "0".into(),
        ValueType::Chan => channel_name(network, state, value),
        ValueType::Unsigned(bits) if bits >= 32 => (value as u32).to_string(),
        _ => print::show(network, ty, value),
    }
}

/// A message: `1`, or `[1,ack]` when it has several fields.
pub fn message(network: &Network, state: &RefState, declared: &Channel, message: &[i32]) -> String {
    let fields: Vec<String> =
        declared.fields.iter().zip(message).map(|(ty, field)| value(network, state, *ty, *field)).collect();
    format!("[{}]", fields.join(","))
}

/// The messages of a channel, oldest first: `[1,2] [3,4]`; `empty` when there is none.
pub fn messages<'m>(
    network: &Network,
    state: &RefState,
    declared: &Channel,
    queue: impl IntoIterator<Item = &'m Vec<i32>>,
) -> String {
    let all: Vec<String> = queue.into_iter().map(|m| message(network, state, declared, m)).collect();
    if all.is_empty() { EMPTY.into() } else { all.join(" ") }
}

/// Contents of a channel without messages.
pub const EMPTY: &str = "empty";

/// The name of the variable that owns a slot of its scope, with its indices.
pub fn element(variables: &[Variable], slot: u32) -> Option<(&Variable, String)> {
    variables.iter().find_map(|variable| {
        let last = variable.slot + variable.dims.iter().map(|d| (d.len.max(1) - 1) * d.stride).sum::<u32>();
        if slot < variable.slot || slot > last {
            return None;
        }
        let name = variable.elements().into_iter().find(|(at, _)| *at == slot)?.1;
        Some((variable, name))
    })
}

/// The name of a location, in models whose processes have names, too. Where a process has no other (a module of PRISM), it says
/// nothing.
pub fn location(network: &Network, location: LocationId) -> Option<String> {
    let found = network.location(location);
    let is_only = || network.stochastic.is_some() && network.template(found.template).locations.len() == 1;
    found.labels.first().filter(|_| network.names_processes && !is_only()).cloned()
}
