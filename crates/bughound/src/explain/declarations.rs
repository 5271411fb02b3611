//! Variables and channels: type, place, initial value, and who uses them.

use std::collections::BTreeSet;

use bughound_ir::analysis::channel_flow::Origin;
use bughound_ir::analysis::ranges::{by_types, channel_of};
use bughound_ir::analysis::usage::{Usage, VariableId, all_channels};
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::Scope;
use bughound_ir::network::{Initialiser, Network, TemplateId};
use bughound_ir::reference::print::show;
use bughound_ir::types::{Signal, SignalKind, ValueType, Variable};
use schemars::JsonSchema;
use serde::Serialize;

use super::template_name;

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "VariableDocument")]
pub struct VariableFacts {
    /// With the lengths of its dimensions: `a[3].b`.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Number of elements.
    pub size: u64,
    /// Where it is declared.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Its initial value.
    pub initial: String,
    /// It is not part of the state.
    pub hidden: bool,
    /// Process types that read it.
    pub readers: Vec<String>,
    /// Process types that write it.
    pub writers: Vec<String>,
    /// A property reads it.
    pub in_property: bool,
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ChannelDocument")]
pub struct ChannelFacts {
    /// Its name.
    pub name: String,
    /// The process type that declares it, unless it is global.
    pub owner: Option<String>,
    /// Messages that it can hold.
    pub capacity: u32,
    /// The types of the fields of a message.
    pub fields: Vec<String>,
    /// Where it is declared.
    pub file: String,
    /// The line there.
    pub line: u32,
    /// Process types that send to it.
    pub senders: Vec<String>,
    /// Process types that receive from it.
    pub receivers: Vec<String>,
    /// Process types that ask for its contents.
    pub observers: Vec<String>,
}

/// A channel without messages, over which processes move together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "SignalDocument")]
pub struct SignalFacts {
    /// Its name.
    pub name: String,
    /// All who can receive do, perhaps nobody; otherwise exactly one.
    pub broadcast: bool,
    /// Time does not pass while it is ready.
    pub urgent: bool,
    /// Processes that send to it.
    pub senders: Vec<String>,
    /// Processes that receive from it.
    pub receivers: Vec<String>,
}

/// The channels of timed models, with who can use them as far as types tell.
pub fn signals(network: &Network) -> Vec<SignalFacts> {
    let fact = |signal: &Signal| SignalFacts {
        name: signal.name.clone(),
        broadcast: signal.kind == SignalKind::Broadcast,
        urgent: signal.urgent,
        senders: Vec::new(),
        receivers: Vec::new(),
    };
    let mut facts: Vec<SignalFacts> = network.signals.iter().map(fact).collect();
    for edge in &network.edges {
        let (signal, sends) = match &edge.sync {
            Sync::Emit { signal } => (signal, true),
            Sync::Accept { signal } => (signal, false),
            _ => continue,
        };
        let process = template_name(network, network.location(edge.from).template);
        let possible = by_types(signal);
        for (_, fact) in
            facts.iter_mut().enumerate().filter(|(at, _)| (possible.lo..=possible.hi).contains(&(*at as i64)))
        {
            let users = if sends { &mut fact.senders } else { &mut fact.receivers };
            if !users.contains(&process) {
                users.push(process.clone());
            }
        }
    }
    facts
}

/// The name of a type.
pub fn type_name(network: &Network, ty: ValueType) -> String {
    match ty {
        ValueType::Bit => "bit".into(),
        ValueType::Byte => "byte".into(),
        ValueType::Short => "short".into(),
        ValueType::Int => "int".into(),
        ValueType::Unsigned(bits) => format!("unsigned:{bits}"),
        ValueType::Mtype(id) => match network.enumerations.get(id.0 as usize).map(|e| e.name.as_str()) {
            None | Some("" | "mtype" | "_unnamed_") => "mtype".into(),
            Some(name) => format!("mtype:{name}"),
        },
        ValueType::Chan => "chan".into(),
        ValueType::Pid => "pid".into(),
        ValueType::Range { lo, hi } => format!("{lo}..{hi}"),
    }
}

/// The global variables that are not declared together with a channel.
pub fn globals(network: &Network, usage: &Usage) -> Vec<VariableFacts> {
    // Variables of functions are no part of a state where processes have names; they are the user's where they are `hidden`.
    let is_state = |v: &Variable| !(v.hidden && network.names_processes);
    let owned = |v: &Variable| !holds_own_channel(&network.initialisers, v) && is_state(v);
    let all = network.variables.iter().enumerate().filter(|(_, v)| owned(v));
    all.map(|(i, v)| facts(network, v, &network.initialisers, usage, VariableId::Global(i as u32))).collect()
}

/// The parameters or the other variables of a process type.
pub fn locals(network: &Network, template: TemplateId, usage: &Usage, parameters: bool) -> Vec<VariableFacts> {
    let declared = network.template(template);
    let all = declared.variables.iter().enumerate();
    let wanted = all.filter(|(i, v)| {
        ((*i as u32) < declared.parameters) == parameters && !holds_own_channel(&declared.initialisers, v)
    });
    wanted
        .map(|(i, v)| facts(network, v, &declared.initialisers, usage, VariableId::Local(template, i as u32)))
        .collect()
}

fn holds_own_channel(initialisers: &[Initialiser], variable: &Variable) -> bool {
    variable.ty == ValueType::Chan
        && initialisers.iter().any(|i| matches!(i, Initialiser::Channel { slot, .. } if *slot == variable.slot))
}

fn facts(
    network: &Network,
    variable: &Variable,
    initialisers: &[Initialiser],
    usage: &Usage,
    id: VariableId,
) -> VariableFacts {
    let used = usage.variable(id);
    let mut name = variable.name.clone();
    for dim in variable.dims.iter().rev() {
        name.insert_str((dim.after as usize).min(name.len()), &format!("[{}]", dim.len));
    }
    VariableFacts {
        name,
        ty: type_name(network, variable.ty),
        size: variable.dims.iter().map(|d| u64::from(d.len)).product(),
        file: network.sources.path(variable.span).display().to_string(),
        line: network.sources.line(variable.span),
        initial: initial(network, variable, initialisers, id),
        hidden: variable.hidden,
        readers: names(network, &used.readers),
        writers: names(network, &used.writers),
        in_property: used.in_property,
    }
}

fn names(network: &Network, templates: &BTreeSet<TemplateId>) -> Vec<String> {
    templates.iter().map(|t| template_name(network, *t)).collect()
}

/// The initial value; for an array all of them if they differ.
fn initial(network: &Network, variable: &Variable, initialisers: &[Initialiser], id: VariableId) -> String {
    let is_parameter = matches!(id, VariableId::Local(t, index) if index < network.template(t).parameters);
    if is_parameter {
        return String::new();
    }
    let scope = if matches!(id, VariableId::Global(_)) { Scope::Global } else { Scope::Own };
    let mut values: Vec<(u32, String)> =
        variable.elements().into_iter().map(|(slot, _)| (slot, show(network, variable.ty, 0))).collect();
    for initialiser in initialisers {
        let Initialiser::Assign(Action::Assign { target, value }) = initialiser else { continue };
        if target.scope != scope {
            continue;
        }
        let shown = match value.as_const().and_then(|v| variable.ty.convert(v)) {
            Some(value) => show(network, variable.ty, value),
            None => "computed".into(),
        };
        for slot in bughound_ir::analysis::slots_of(target) {
            if let Some(entry) = values.iter_mut().find(|(at, _)| *at == slot) {
                entry.1.clone_from(&shown);
            }
        }
    }
    values.dedup_by(|a, b| a.1 == b.1);
    match &values[..] {
        [(_, only)] => only.clone(),
        _ => "several values".into(),
    }
}

/// All channels.
pub fn channels(network: &Network, usage: &Usage) -> Vec<ChannelFacts> {
    all_channels(network)
        .into_iter()
        .map(|origin| {
            let channel = channel_of(network, origin);
            let used = usage.channel(origin);
            ChannelFacts {
                name: channel.name.clone(),
                owner: match origin {
                    Origin::Global(_) => None,
                    Origin::Template { template, .. } => Some(template_name(network, template)),
                },
                capacity: channel.capacity,
                fields: channel.fields.iter().map(|ty| type_name(network, *ty)).collect(),
                file: network.sources.path(channel.span).display().to_string(),
                line: network.sources.line(channel.span),
                senders: names(network, &used.senders),
                receivers: names(network, &used.receivers),
                observers: names(network, &used.observers),
            }
        })
        .collect()
}
