//! A subsystem in the language of Graphviz: steps as wide as they are likely to be taken, states as dark as they contribute.

use std::fmt::Write;

use bughound_trace::Filter;

use super::labels::{edge_label, edge_tip, state_labels, state_tip};
use crate::chances::Counterexample;
use crate::explain::dot::{escaped, quoted};

const THINNEST: f64 = 0.7;
const WIDEST: f64 = 6.0;

/// How much of the greatest value something has, from 0 to 1. The root of it: what has little can still be told from what has
/// nothing.
pub(super) fn share(value: f64, greatest: f64) -> f64 {
    if greatest > 0.0 { (value / greatest).clamp(0.0, 1.0).sqrt() } else { 0.0 }
}

/// Wider for what is taken more often.
pub(super) fn width(flow: f64, most: f64) -> f64 {
    THINNEST + (WIDEST - THINNEST) * share(flow, most)
}

/// The graph of all states; `property` is what it is a counterexample to.
pub fn dot(shown: &Counterexample, property: &str, filter: &Filter) -> String {
    let title = format!("{}\\n{}", escaped(property), escaped(&shown.headline()));
    let mut out = format!("digraph subsystem {{\n  label=\"{title}\";\n  labelloc=t;\n");
    out.push_str("  node [shape=box, style=\"rounded,filled\", fontname=monospace, fontsize=10];\n");
    out.push_str(
        "  edge [fontname=monospace, fontsize=10, color=\"#667788\"];\n  start [shape=point];\n  start -> 0;\n",
    );
    let most = shown.most_contribution();
    let lines = |lines: &[String]| lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("\\n");
    for (at, (state, label)) in shown.states.iter().zip(state_labels(shown, filter)).enumerate() {
        let share = share(state.contribution(), most);
        let tip = lines(&state_tip(shown, at, filter));
        let end = if state.is_end { ", peripheries=2, color=\"#c0392b\"" } else { "" };
        let label = lines(&label);
        // Hue, saturation, value: white to blue.
        let _ = writeln!(
            out,
            "  {at} [label=\"{label}\", tooltip=\"{tip}\", fillcolor=\"0.58 {:.3} 1.0\"{end}];",
            share * 0.55
        );
    }
    let most = shown.most_flow();
    for edge in &shown.edges {
        let (label, tip) = (quoted(&edge_label(edge)), lines(&edge_tip(shown, edge)));
        let width = width(edge.flow, most);
        let _ =
            writeln!(out, "  {} -> {} [label={label}, tooltip=\"{tip}\", penwidth={width:.2}];", edge.from, edge.to);
    }
    out.push_str("}\n");
    out
}
