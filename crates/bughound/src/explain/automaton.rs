//! Process types and their automata: what SPIN's verifier lists with `pan -d`.

use std::collections::BTreeSet;

use bughound_ir::analysis::edges_of;
use bughound_ir::analysis::usage::Usage;
use bughound_ir::edge::{Action, Condition, Edge};
use bughound_ir::network::{LocationFlags, LocationId, Network, TemplateId};

use super::declarations::{VariableFacts, locals};
use super::template_name;
use super::warnings::is_claim;

/// An edge with SPIN's state numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeRow {
    pub from: u32,
    /// 0: the process ends.
    pub to: u32,
    pub file: String,
    pub line: u32,
    pub text: String,
    pub flags: EdgeFlags,
}

/// What is special about an edge or about the location that it leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeFlags {
    /// The process keeps control.
    pub atomic: bool,
    pub d_step: bool,
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    pub otherwise: bool,
}

impl EdgeFlags {
    /// (letter, name) of those that are set.
    pub fn names(self) -> Vec<(char, &'static str)> {
        let all = [
            (self.atomic, 'A', "atomic"),
            (self.d_step, 'D', "d_step"),
            (self.end, 'e', "end"),
            (self.accept, 'a', "accept"),
            (self.progress, 'p', "progress"),
            (self.otherwise, 'o', "else"),
        ];
        all.into_iter().filter(|(set, ..)| *set).map(|(_, letter, name)| (letter, name)).collect()
    }
}

/// A location that a process can be at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationRow {
    pub number: u32,
    pub labels: Vec<String>,
    pub line: u32,
    pub end: bool,
    pub accept: bool,
    pub progress: bool,
    /// Timed models: what must hold here, as written; time may not pass; it must be left at once.
    pub invariant: String,
    pub urgent: bool,
    pub committed: bool,
}

/// A process type with its automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessType {
    pub name: String,
    pub claim: bool,
    /// It is a process with a name of its own, and so have its locations.
    pub named: bool,
    pub line: u32,
    /// How many process numbers one can have.
    pub started: usize,
    pub parameters: Vec<VariableFacts>,
    pub locals: Vec<VariableFacts>,
    /// Number of the initial location.
    pub initial: u32,
    pub locations: Vec<LocationRow>,
    pub edges: Vec<EdgeRow>,
}

impl ProcessType {
    /// A location as its users call it: by name where it has one of its own, otherwise by number.
    pub fn place(&self, number: u32) -> String {
        let name = self.locations.iter().find(|l| self.named && l.number == number).and_then(|l| l.labels.first());
        match name {
            _ if number == 0 => "end".into(),
            Some(name) => name.clone(),
            None => number.to_string(),
        }
    }
}

/// Does taking the edge end the process?
fn ends(edge: &Edge) -> bool {
    edge.destinations.iter().any(|d| d.actions.iter().any(|a| matches!(a, Action::End)))
}

/// The number of the location that an edge leads to; 0 if the process ends.
pub fn target_number(network: &Network, edge: &Edge) -> u32 {
    if ends(edge) { 0 } else { network.location(edge.target().to).number }
}

fn row(network: &Network, edge: &Edge) -> EdgeRow {
    let from = network.location(edge.from);
    let LocationFlags { end, accept, progress, .. } = from.flags;
    EdgeRow {
        from: from.number,
        to: target_number(network, edge),
        file: network.sources.path(edge.span).display().to_string(),
        line: network.sources.line(edge.span),
        text: edge.text.clone(),
        flags: EdgeFlags {
            atomic: edge.keeps_control,
            // Elsewhere it is a function that chooses.
            d_step: edge.program.is_some() && !network.names_processes,
            end,
            accept,
            progress,
            otherwise: edge.condition == Condition::Else,
        },
    }
}

/// The locations that a path of the automaton leads to, the initial one first.
fn reachable(network: &Network, template: TemplateId) -> Vec<LocationId> {
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    let mut todo = std::collections::VecDeque::from([network.template(template).initial]);
    while let Some(location) = todo.pop_front() {
        if seen.insert(location) {
            order.push(location);
            for edge in network.location(location).edges.iter().map(|e| network.edge(*e)) {
                if !ends(edge) {
                    todo.extend(edge.destinations.iter().map(|d| d.to));
                }
            }
        }
    }
    order
}

/// Describes a process type.
pub fn process_type(network: &Network, template: TemplateId, usage: &Usage) -> ProcessType {
    let declared = network.template(template);
    // Whoever gives a location a name wants to see it.
    let locations = if network.names_processes { declared.locations.clone() } else { reachable(network, template) };
    let known: BTreeSet<LocationId> = locations.iter().copied().collect();
    let edges = edges_of(network, template).filter(|(_, edge)| known.contains(&edge.from));
    let location = |id: &LocationId| {
        let location = network.location(*id);
        let LocationFlags { end, accept, progress, urgent, committed, .. } = location.flags;
        LocationRow {
            number: location.number,
            labels: location.labels.clone(),
            line: network.sources.line(location.span),
            end,
            accept,
            progress,
            invariant: location.invariant_text.clone(),
            urgent,
            committed,
        }
    };
    ProcessType {
        name: template_name(network, template),
        claim: is_claim(network, template),
        named: network.names_processes,
        line: network.sources.line(declared.span),
        started: network.frames.processes.iter().filter(|f| f.templates.contains(&template)).count(),
        parameters: locals(network, template, usage, true),
        locals: locals(network, template, usage, false),
        initial: network.location(declared.initial).number,
        locations: locations.iter().map(location).collect(),
        edges: edges.map(|(_, edge)| row(network, edge)).collect(),
    }
}
