//! UPPAAL's models: XML and both textual syntaxes, with their queries.

use std::path::Path;

use bughound_ir::question::{Property, Question};
use bughound_ir::source::{Diagnostic, Severity, SourceMap};
use bughound_uppaal::ast::Expectation;

use super::{Conventions, FrontEnd, Read};
use crate::added::{self, AddedKind};
use crate::execute::AfterError;
use crate::expected::Expected;
use crate::input::{self, MAX_FILE_BYTES};
use crate::model::ModelOptions;

pub(super) struct Uppaal;

impl FrontEnd for Uppaal {
    /// The queries of a model are its own, those of the file beside it (`model.q` for `model.xta`), and those that were
    /// added.
    fn read(&self, sources: &mut SourceMap, name: &str, text: &[u8], options: &ModelOptions) -> Read {
        let parsed = bughound_uppaal::parse(sources, name, text);
        let mut diagnostics = parsed.diagnostics;
        let Some(mut ast) = parsed.ast else { return Read { diagnostics, ..Read::default() } };
        diagnostics.extend(bughound_uppaal::constants::set(&mut ast, &options.defines, sources));
        let (mut queries, mut expectations) = (Vec::new(), Vec::new());
        let (mut names, mut repeated) = (added::names(&options.added), Vec::new());
        let beside = Path::new(name).with_extension("q");
        if beside.exists() {
            match input::read(&beside.display().to_string(), MAX_FILE_BYTES) {
                Ok(text) => {
                    let (found, more) = bughound_uppaal::parse_queries(sources, beside, &text);
                    queries.extend(found);
                    diagnostics.extend(more);
                }
                // Queries that were meant to be asked must not be passed over in silence.
                Err(message) => diagnostics.push(Diagnostic::new(Severity::Error, None, message)),
            }
        }
        for added in &options.added {
            if added.kind == AddedKind::Claim {
                let message = "--claim is not for UPPAAL models";
                let help = "ask by a query, such as --query 'A[] p' or --query 'E<> p', or a formula: --ltl '<> [] p'";
                diagnostics.push(Diagnostic::new(Severity::Error, None, message).help(help));
                continue;
            }
            let (text, option) = (added.query(), format!("--{}", added.kind.name()));
            let (mut found, mut more) = match added.kind {
                AddedKind::Ltl => bughound_uppaal::parse_formula(sources, option.as_str(), text.as_bytes()),
                _ => bughound_uppaal::parse_queries(sources, option.as_str(), text.as_bytes()),
            };
            if added.kind != AddedKind::Queries {
                // Of a file, the others can still be answered; what was typed just now can be typed again.
                found.iter_mut().for_each(|query| query.demanded = true);
                more.iter_mut().for_each(|about| about.severity = Severity::Error);
                if found.is_empty() && more.is_empty() {
                    let help = "give a query, such as --query 'A[] not deadlock'";
                    more.push(Diagnostic::new(Severity::Error, None, format!("{option} is empty")).help(help));
                }
            }
            for query in found {
                // The same question twice has one answer.
                match ast.queries.iter_mut().chain(&mut queries).find(|known| known.text == query.text) {
                    Some(known) => {
                        known.demanded |= query.demanded;
                        repeated.push(query.text);
                    }
                    None => {
                        names.push(query.text.clone());
                        queries.push(query);
                    }
                }
            }
            diagnostics.extend(more);
        }
        if diagnostics.iter().any(Diagnostic::is_error) {
            return Read { diagnostics, ..Read::default() };
        }
        let lowered = bughound_uppaal::lower::lower(&ast, &queries, sources);
        diagnostics.extend(lowered.diagnostics);
        let mut network = lowered.network;
        if let Some(network) = &mut network {
            // A query that cannot be answered must not be passed over in silence.
            for query in lowered.queries {
                if let Some(expected) = query.expectation {
                    let expected = Expected::Truth(expected == Expectation::Success);
                    expectations.push((query.text.clone(), expected));
                }
                if let Err(reason) = query.property {
                    let question = Question::Unsupported(reason);
                    network.properties.push(Property { name: query.text, question, span: None });
                }
            }
        }
        Read { network, diagnostics, expectations, added: names, repeated }
    }

    fn conventions(&self) -> Conventions {
        Conventions {
            has_time: true,
            has_queries: true,
            one_search_for_all: false,
            errors_are_no_answers: true,
            after_error: AfterError::GoOn,
            has_lints: false,
        }
    }
}
