//! Automata in the Hanoi Omega-Automata format, version 1: how tools exchange automata.
//!
//! Reading takes every automaton without alternation, whatever its acceptance condition (Büchi, generalised, co-Büchi,
//! Rabin, parity, …), and turns it into a Büchi automaton. Where it is one with accepting states already, states and
//! edges stay as they are.

mod convert;
mod lexer;
mod parser;

use std::fmt;
use std::fmt::Write;

use crate::buchi::Buchi;

/// An automaton from a file, with what the file calls things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaAutomaton {
    pub name: Option<String>,
    /// The names of the atoms, by number.
    pub atoms: Vec<String>,
    pub automaton: Buchi,
}

/// Why a text is not an automaton that can be used, and where. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoaError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for HoaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for HoaError {}

/// Reads the first automaton of a text that its writer did not abort.
pub fn read(text: &str) -> Result<HoaAutomaton, HoaError> {
    convert::to_buchi(parser::parse(text)?)
}

/// Writes an automaton. Atoms without a name are called `a0`, `a1`, …
pub fn write(automaton: &Buchi, names: &[String], title: &str) -> String {
    let mut text = String::from("HOA: v1\n");
    // Writing to a string does not fail.
    if !title.is_empty() {
        let _ = writeln!(text, "name: {}", quoted(title));
    }
    let _ = writeln!(text, "States: {}\nStart: {}", automaton.states.len(), automaton.initial);
    let _ = write!(text, "AP: {}", automaton.atoms);
    for atom in 0..automaton.atoms {
        let name = names.get(atom).cloned().unwrap_or_else(|| format!("a{atom}"));
        let _ = write!(text, " {}", quoted(&name));
    }
    text.push_str("\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n");
    text.push_str("properties: trans-labels explicit-labels state-acc\n--BODY--\n");
    for (number, state) in automaton.states.iter().enumerate() {
        let _ = writeln!(text, "State: {number}{}", if state.accepting { " {0}" } else { "" });
        for edge in &state.edges {
            let literal = |(atom, holds): (u32, bool)| format!("{}{atom}", if holds { "" } else { "!" });
            let cube = |literals: Vec<(u32, bool)>| {
                if literals.is_empty() {
                    "t".to_string()
                } else {
                    literals.into_iter().map(literal).collect::<Vec<_>>().join("&")
                }
            };
            let cubes: Vec<String> = edge.label.cubes().map(cube).collect();
            let label = if cubes.is_empty() { "f".to_string() } else { cubes.join(" | ") };
            let _ = writeln!(text, "[{label}] {}", edge.to);
        }
    }
    text.push_str("--END--\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
