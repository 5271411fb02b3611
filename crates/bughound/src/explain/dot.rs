//! Automata in the language of Graphviz.
//!
//! A double circle is an accepting location, a double octagon an end location, a filled one has a progress label; `end` is
//! where a process is gone.

use std::fmt::Write;

use super::automaton::ProcessType;

/// A string in quotes.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// What may stand between quotes. Control characters become spaces.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// The automaton of a process type as a directed graph.
pub fn dot(process: &ProcessType) -> String {
    let mut out = format!("digraph {} {{\n", quoted(&process.name));
    let _ =
        writeln!(out, "  label={};\n  labelloc=t;\n  node [shape=circle];", quoted(&super::text::signature(process)));
    let _ = writeln!(out, "  start [shape=point];\n  start -> {};", process.initial);
    for location in &process.locations {
        let mut attributes = Vec::new();
        if !location.labels.is_empty() {
            let names = location.labels.join(" ");
            let name = if process.named { names } else { format!("{} {names}", location.number) };
            attributes.push(format!("label={}", quoted(&name)));
        }
        if location.accept {
            attributes.push("shape=doublecircle".into());
        } else if location.end {
            attributes.push("shape=doubleoctagon".into());
        }
        if location.progress {
            attributes.push("style=filled".into());
        }
        let attributes = if attributes.is_empty() { String::new() } else { format!(" [{}]", attributes.join(", ")) };
        let _ = writeln!(out, "  {}{attributes};", location.number);
    }
    if process.edges.iter().any(|edge| edge.to == 0) {
        out.push_str("  end [shape=doubleoctagon];\n");
    }
    for edge in &process.edges {
        let to = if edge.to == 0 { "end".to_string() } else { edge.to.to_string() };
        let flags: String = edge.flags.names().iter().map(|(letter, _)| letter).filter(|c| **c != 'e').collect();
        let style = if edge.flags.atomic { ", style=bold" } else { "" };
        let note = if flags.is_empty() { String::new() } else { format!("  [{flags}]") };
        let label = quoted(&format!("{}{note}", edge.text));
        let tip = quoted(&format!("{}:{}", edge.file, edge.line));
        let _ = writeln!(out, "  {} -> {to} [label={label}, tooltip={tip}{style}];", edge.from);
    }
    out.push_str("}\n");
    out
}

/// A name that is safe for a file.
pub fn file_name(process: &ProcessType) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
    format!("{}.dot", process.name.chars().map(safe).collect::<String>())
}
