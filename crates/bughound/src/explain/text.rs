//! The explanation as text.

use std::fmt::Write;

use super::automaton::ProcessType;
use super::declarations::VariableFacts;
use super::dependencies::EdgeDependencies;
use super::{Explanation, forgotten};
use crate::text_table::text_table;

/// A table of words.
pub(super) fn table(rows: &[Vec<String>]) -> String {
    text_table(rows, |_| false)
}

fn header(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

pub(super) fn or_dash(names: &[String]) -> String {
    if names.is_empty() { "-".into() } else { names.join(", ") }
}

/// Summary, process types, variables, channels, properties and strategy.
pub fn overview(explanation: &Explanation) -> String {
    let named = is_named(explanation);
    let mut out = summary(explanation);
    let title = if named { "processes" } else { "process types" };
    let _ = write!(out, "\n{title}\n{}", processes(&explanation.processes));
    if named {
        let _ = write!(out, "\nlocations\n{}", locations(&explanation.processes));
    }
    if !explanation.clocks.is_empty() {
        let _ = writeln!(out, "\nclocks\n  {}", explanation.clocks.join(", "));
    }
    let mut variables: Vec<(String, &VariableFacts)> =
        explanation.variables.iter().map(|v| (v.name.clone(), v)).collect();
    for process in &explanation.processes {
        let own = process.parameters.iter().chain(&process.locals);
        variables.extend(own.map(|v| (format!("{}:{}", process.name, v.name), v)));
    }
    if !variables.is_empty() {
        let mut rows = vec![header(&["name", "type", "line", "initially", "read by", "written by"])];
        rows.extend(variables.iter().map(|(name, v)| variable_row(name, v)));
        let _ = write!(out, "\nvariables\n{}", table(&rows));
    }
    if !explanation.channels.is_empty() {
        let mut rows = vec![header(&["name", "capacity", "messages", "line", "senders", "receivers"])];
        for channel in &explanation.channels {
            let owner = channel.owner.as_ref().map_or(String::new(), |o| format!("{o}:"));
            rows.push(vec![
                format!("{owner}{}", channel.name),
                if channel.capacity == 0 { "rendezvous".into() } else { channel.capacity.to_string() },
                channel.fields.join(", "),
                channel.line.to_string(),
                or_dash(&channel.senders),
                or_dash(&channel.receivers),
            ]);
        }
        let _ = write!(out, "\nchannels\n{}", table(&rows));
    }
    if !explanation.signals.is_empty() {
        let mut rows = vec![header(&["name", "kind", "senders", "receivers"])];
        for signal in &explanation.signals {
            let kind = if signal.broadcast { "broadcast" } else { "one to one" };
            let kind = if signal.urgent { format!("{kind}, urgent") } else { kind.to_string() };
            rows.push(vec![signal.name.clone(), kind, or_dash(&signal.senders), or_dash(&signal.receivers)]);
        }
        let _ = write!(out, "\nchannels\n{}", table(&rows));
    }
    let rows: Vec<Vec<String>> = explanation.properties.iter().map(property_row).collect();
    let title = if named { "queries" } else { "properties" };
    let _ = write!(out, "\n{title}\n{}", if rows.is_empty() { "  none\n".into() } else { table(&rows) });
    let _ = writeln!(out, "\nwhat `check` does");
    for line in &explanation.strategy {
        let _ = writeln!(out, "  {line}");
    }
    if !explanation.forgotten.is_empty() {
        let rows: Vec<Vec<String>> = explanation.forgotten.iter().map(forgotten::row).collect();
        let _ = write!(out, "\nvalues that it forgets\n{}", table(&rows));
    }
    out
}

/// Do processes have names of their own?
fn is_named(explanation: &Explanation) -> bool {
    explanation.processes.iter().any(|process| process.named)
}

/// All locations, with what is special about them.
fn locations(processes: &[ProcessType]) -> String {
    let mut rows = vec![header(&["name", "line", "invariant", ""])];
    for process in processes {
        for location in &process.locations {
            let kinds = [
                (location.number == process.initial, "initial"),
                (location.urgent, "urgent"),
                (location.committed, "committed"),
            ];
            let kinds: Vec<&str> = kinds.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
            let invariant = if location.invariant.is_empty() { "-" } else { location.invariant.as_str() };
            rows.push(vec![
                format!("{}.{}", process.name, process.place(location.number)),
                location.line.to_string(),
                invariant.to_string(),
                kinds.join(", "),
            ]);
        }
    }
    table(&rows)
}

fn property_row(property: &super::PropertyFacts) -> Vec<String> {
    vec![property.number.to_string(), property.name.clone(), property.kind.to_string()]
}

fn variable_row(name: &str, variable: &VariableFacts) -> Vec<String> {
    let mut readers = variable.readers.clone();
    if variable.in_property {
        readers.push("a property".into());
    }
    vec![
        name.to_string(),
        if variable.hidden { format!("hidden {}", variable.ty) } else { variable.ty.clone() },
        variable.line.to_string(),
        if variable.initial.is_empty() { "argument".into() } else { variable.initial.clone() },
        or_dash(&readers),
        or_dash(&variable.writers),
    ]
}

fn summary(explanation: &Explanation) -> String {
    let summary = &explanation.summary;
    // Runs of process numbers that the same types can have.
    let mut runs: Vec<(usize, usize, &[String])> = Vec::new();
    for (pid, types) in summary.possible.iter().enumerate() {
        match runs.last_mut() {
            Some((_, last, same)) if *same == types.as_slice() => *last = pid,
            _ => runs.push((pid, pid, types)),
        }
    }
    let possible: Vec<String> = runs
        .iter()
        .map(|(first, last, types)| {
            let numbers = if first == last { first.to_string() } else { format!("{first}-{last}") };
            format!("{numbers}: {}", types.join(" or "))
        })
        .collect();
    let beside = match explanation.clocks.len() {
        0 => "",
        _ => ", without the clocks",
    };
    let bits = format!("{} bits ({} bytes) at most{beside}", summary.state_bits, summary.state_bits.div_ceil(8));
    let named = is_named(explanation);
    let rows = [
        ("language", explanation.language.to_string()),
        ("files", summary.files.join(", ")),
        (if named { "processes" } else { "at the start" }, summary.start.join(", ")),
        ("process numbers", possible.join("; ")),
        ("locations", summary.locations.to_string()),
        ("edges", summary.edges.to_string()),
        ("state", bits),
    ];
    // Who has a name is not known by a number.
    let shown = rows.into_iter().filter(|(name, _)| !(named && *name == "process numbers"));
    let rows: Vec<Vec<String>> = shown.map(|(name, value)| vec![name.to_string(), value]).collect();
    format!("{}\n{}", explanation.file, table(&rows))
}

fn processes(types: &[ProcessType]) -> String {
    let mut rows = vec![header(&["name", "line", "started", "locations", "edges"])];
    for process in types {
        rows.push(vec![
            signature(process),
            process.line.to_string(),
            if process.claim { "claim".into() } else { process.started.to_string() },
            process.locations.len().to_string(),
            process.edges.len().to_string(),
        ]);
    }
    // Each of them is there once.
    if types.iter().any(|process| process.named) {
        rows.iter_mut().for_each(|row| drop(row.remove(2)));
    }
    table(&rows)
}

/// `P(byte n, chan q)`
pub fn signature(process: &ProcessType) -> String {
    let parameters: Vec<String> = process.parameters.iter().map(|p| format!("{} {}", p.ty, p.name)).collect();
    if process.claim || process.named {
        process.name.clone()
    } else {
        format!("{}({})", process.name, parameters.join(", "))
    }
}

/// All automata as tables.
pub fn automata(types: &[ProcessType]) -> String {
    let mut out = String::new();
    for process in types {
        let _ = writeln!(out, "{}, starts at {}", signature(process), process.place(process.initial));
        let mut rows = vec![header(&["from", "to", "line", "flags", "statement"])];
        if process.named {
            rows = vec![header(&["from", "to", "line", "labels"])];
        }
        for edge in &process.edges {
            let flags: String = edge.flags.names().iter().map(|(letter, _)| letter).collect();
            let mut row = vec![process.place(edge.from), process.place(edge.to), edge.line.to_string()];
            if !process.named {
                row.push(flags);
            }
            row.push(edge.text.clone());
            rows.push(row);
        }
        let _ = writeln!(out, "{}", table(&rows));
    }
    if types.iter().any(|process| process.named) {
        return out;
    }
    out.push_str("flags: A atomic, D d_step, o else; of the location left: e end, a accept, p progress\n");
    out
}

/// The dependency matrix.
pub fn dependencies(rows: &[EdgeDependencies]) -> String {
    let mut out = String::new();
    let mut process = "";
    for row in rows {
        if row.process != process {
            process = &row.process;
            let _ = writeln!(out, "{process}");
        }
        let _ = writeln!(out, "  {} -> {}  line {}  {}", row.from_name, row.to_name, row.line, row.text);
        let everything = if row.reads_everything { vec!["everything".to_string()] } else { row.reads.clone() };
        let certain = |name: &&String| !row.must_write.contains(*name);
        let perhaps: Vec<String> = row.may_write.iter().filter(certain).cloned().collect();
        for (what, names) in [("reads", &everything), ("writes", &row.must_write), ("may write", &perhaps)] {
            if !names.is_empty() {
                let _ = writeln!(out, "      {what:<9} {}", names.join(", "));
            }
        }
    }
    out
}
