//! Statements that were never executed.

use bughound_ir::edge::EdgeId;
use bughound_ir::network::{Network, TemplateId};
use bughound_search::EdgeCoverage;

/// A statement that no path reaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreached {
    pub line: u32,
    pub file: String,
    pub text: String,
}

/// The unreached statements of one process type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreachedIn {
    /// `init` for the initial process.
    pub template: String,
    /// It is a process with a name of its own.
    pub named: bool,
    pub statements: Vec<Unreached>,
    /// How many statements the process type has.
    pub of: usize,
}

/// What a complete search did not execute, by process type in the order of the source. Claims are left out.
pub fn unreached(network: &Network, coverage: &EdgeCoverage) -> Vec<UnreachedIn> {
    let mut out = Vec::new();
    for (index, template) in network.templates.iter().enumerate() {
        if is_claim(network, TemplateId(index as u32)) {
            continue;
        }
        let mut reached = vec![false; template.statements.len()];
        let edges = template.locations.iter().flat_map(|l| &network.location(*l).edges);
        for EdgeId(id) in edges.filter(|e| coverage.was_executed(e.0)) {
            for statement in &network.edges[*id as usize].statements {
                reached[*statement as usize] = true;
            }
        }
        let missed = template.statements.iter().zip(reached).filter(|(_, reached)| !reached);
        let mut statements: Vec<Unreached> = Vec::new();
        for (statement, _) in missed {
            let line = network.sources.line(statement.span);
            let file = network.sources.path(statement.span).display().to_string();
            let unreached = Unreached { line, file, text: statement.text.clone() };
            if !statements.contains(&unreached) {
                statements.push(unreached);
            }
        }
        if !statements.is_empty() {
            out.push(UnreachedIn {
                template: template.name.trim_matches(':').into(),
                named: network.names_processes,
                statements,
                of: template.statements.len(),
            });
        }
    }
    out
}

fn is_claim(network: &Network, template: TemplateId) -> bool {
    use bughound_ir::question::Question;
    network.properties.iter().any(|p| p.question == Question::Never(template))
}
