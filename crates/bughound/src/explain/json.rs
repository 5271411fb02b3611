//! The explanation as JSON; the fields are described in the [parent module](super).

use serde_json::{Value, json};

use super::Explanation;
use super::abstraction::{self, Abstraction};
use super::automaton::{EdgeRow, LocationRow, ProcessType};
use super::declarations::{ChannelFacts, SignalFacts, VariableFacts};
use super::dependencies::EdgeDependencies;

/// The fields of the document that come from the model.
pub fn to_json(
    explanation: &Explanation,
    dependencies: Option<&[EdgeDependencies]>,
    abstractions: Option<&[Abstraction]>,
) -> Value {
    let summary = &explanation.summary;
    let possible = summary.possible.iter().enumerate();
    let property = |p: &super::PropertyFacts| json!({ "number": p.number, "name": p.name, "kind": p.kind });
    json!({
        "file": explanation.file,
        "language": explanation.language,
        "summary": {
            "files": summary.files,
            "start": summary.start,
            "processes": possible.map(|(pid, types)| json!({ "pid": pid, "types": types })).collect::<Value>(),
            "process_types": explanation.processes.len(),
            "locations": summary.locations,
            "edges": summary.edges,
            "state_bits": summary.state_bits,
            "state_bytes": summary.state_bits.div_ceil(8),
            "slots": summary.slots,
        },
        "process_types": explanation.processes.iter().map(process).collect::<Value>(),
        "variables": explanation.variables.iter().map(variable).collect::<Value>(),
        "channels": explanation.channels.iter().map(channel).collect::<Value>(),
        "signals": explanation.signals.iter().map(signal).collect::<Value>(),
        "clocks": explanation.clocks,
        "properties": explanation.properties.iter().map(property).collect::<Value>(),
        "strategy": explanation.strategy,
        "dependencies": dependencies.map(|d| d.iter().map(dependency).collect::<Value>()),
        "abstractions": abstractions.map(abstraction::to_json),
    })
}

fn process(process: &ProcessType) -> Value {
    json!({
        "name": process.name,
        "claim": process.claim,
        "line": process.line,
        "started": process.started,
        "parameters": process.parameters.iter().map(variable).collect::<Value>(),
        "locals": process.locals.iter().map(variable).collect::<Value>(),
        "locations": process.locations.len(),
        "places": process.locations.iter().map(place).collect::<Value>(),
        "initial": process.initial,
        "edges": process.edges.iter().map(edge).collect::<Value>(),
    })
}

fn place(location: &LocationRow) -> Value {
    json!({
        "number": location.number,
        "names": location.labels,
        "line": location.line,
        "invariant": Some(&location.invariant).filter(|text| !text.is_empty()),
        "urgent": location.urgent,
        "committed": location.committed,
    })
}

fn edge(edge: &EdgeRow) -> Value {
    let flags: Vec<&str> = edge.flags.names().into_iter().map(|(_, name)| name).collect();
    json!({
        "from": edge.from,
        "to": edge.to,
        "file": edge.file,
        "line": edge.line,
        "text": edge.text,
        "flags": flags,
    })
}

fn variable(variable: &VariableFacts) -> Value {
    json!({
        "name": variable.name,
        "type": variable.ty,
        "size": variable.size,
        "file": variable.file,
        "line": variable.line,
        "initial": variable.initial,
        "hidden": variable.hidden,
        "readers": variable.readers,
        "writers": variable.writers,
        "in_property": variable.in_property,
    })
}

fn channel(channel: &ChannelFacts) -> Value {
    json!({
        "name": channel.name,
        "owner": channel.owner,
        "capacity": channel.capacity,
        "fields": channel.fields,
        "file": channel.file,
        "line": channel.line,
        "senders": channel.senders,
        "receivers": channel.receivers,
        "observers": channel.observers,
    })
}

fn signal(signal: &SignalFacts) -> Value {
    json!({
        "name": signal.name,
        "broadcast": signal.broadcast,
        "urgent": signal.urgent,
        "senders": signal.senders,
        "receivers": signal.receivers,
    })
}

fn dependency(row: &EdgeDependencies) -> Value {
    json!({
        "process": row.process,
        "from": row.from,
        "to": row.to,
        "line": row.line,
        "text": row.text,
        "reads": row.reads,
        "may_write": row.may_write,
        "must_write": row.must_write,
        "reads_everything": row.reads_everything,
    })
}
