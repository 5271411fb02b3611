//! One process body: scopes, declarations and statements, from syntax to elements.

use std::collections::HashMap;

use bughound_ir::builder::TemplateBuilder;
use bughound_ir::expr::Place;
use bughound_ir::network::{Initialiser, LocationId, TemplateId};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::doubts::NamedProcess;
use super::elements::{Flow, Op, SeqId};
use super::numbering::RemoteLabel;
use super::symbols::{Symbols, VarInfo};
use crate::ast::{self, Name};

/// What other bodies need to know of one: where its labels are and which variables it has.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    pub first_location: u32,
    pub labels: HashMap<Name, u32>,
    pub variables: HashMap<Name, VarInfo>,
}

impl Outline {
    pub fn label(&self, name: &str) -> Option<LocationId> {
        self.labels.get(name).map(|element| LocationId(self.first_location + element))
    }
}

/// The state of lowering one body.
pub struct BodyLowering<'a> {
    pub symbols: &'a Symbols,
    /// Outlines of all bodies by template; empty in the first pass.
    pub outlines: &'a [Outline],
    pub flow: Flow,
    pub template: TemplateBuilder,
    /// Labels of other bodies that this one looks at.
    pub remote_labels: Vec<RemoteLabel>,
    /// Processes that it names by a constant number.
    pub named_processes: Vec<NamedProcess>,
    /// Process types that it starts.
    pub runs: Vec<TemplateId>,
    /// `xr` and `xs` of global channels.
    pub promises: Vec<(Name, ast::AccessMode)>,
    /// Reads variables of other processes.
    pub reads_remote_variables: bool,
    /// Global variables and channels that it mentions.
    pub globals: Vec<Name>,
    /// Blocks are no scopes.
    pub flat_scopes: bool,
    /// Warn about constants that do not fit.
    pub warn_truncation: bool,
    /// A trace assertion: sends and receives are events, not steps.
    pub of_events: bool,
    /// Looks at `_last`, if only in code that is never reached.
    pub mentions_last: bool,
    /// It is no body but a formula: nobody evaluates it.
    pub of_formula: bool,
    /// Local variables, for remote references.
    pub variables: HashMap<Name, VarInfo>,
    /// Has a local variable whose initial value SPIN takes for an access to global state.
    pub unsafe_start: bool,
    pub(super) scopes: Vec<(u32, HashMap<Name, VarInfo>)>,
    pub(super) next_scope: u32,
    /// Counters of the loops over messages, by scope.
    pub(super) message_counters: HashMap<u32, Place>,
    pub(super) loops: Vec<u32>,
    pub(super) in_dstep: bool,
    pub(super) errors: Vec<Diagnostic>,
    pub(super) warnings: Vec<Diagnostic>,
    /// (order of its type, initialiser): SPIN initialises by type.
    pub(super) initialisers: Vec<(u8, Initialiser)>,
}

impl<'a> BodyLowering<'a> {
    pub fn new(symbols: &'a Symbols, outlines: &'a [Outline], name: &str, span: Span) -> Self {
        let mut template = TemplateBuilder::new(name);
        template.span = span;
        BodyLowering {
            symbols,
            outlines,
            flow: Flow::default(),
            template,
            remote_labels: Vec::new(),
            named_processes: Vec::new(),
            runs: Vec::new(),
            promises: Vec::new(),
            reads_remote_variables: false,
            globals: Vec::new(),
            flat_scopes: false,
            warn_truncation: false,
            of_events: false,
            mentions_last: false,
            of_formula: false,
            variables: HashMap::new(),
            unsafe_start: false,
            scopes: vec![(0, HashMap::new())],
            next_scope: 1,
            message_counters: HashMap::new(),
            loops: Vec::new(),
            in_dstep: false,
            errors: Vec::new(),
            warnings: Vec::new(),
            initialisers: Vec::new(),
        }
    }

    pub fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    pub fn warning(&mut self, diagnostic: Diagnostic) {
        self.warnings.push(diagnostic);
    }

    pub fn diagnostic_counts(&self) -> (usize, usize) {
        (self.errors.len(), self.warnings.len())
    }

    pub fn forget_diagnostics(&mut self, errors: usize, warnings: usize) {
        self.errors.truncate(errors);
        self.warnings.truncate(warnings);
    }

    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        let mut all = std::mem::take(&mut self.errors);
        all.append(&mut self.warnings);
        all
    }

    pub fn find_variable(&self, name: &str) -> Option<&VarInfo> {
        self.scopes.iter().rev().find_map(|(_, names)| names.get(name)).or_else(|| self.symbols.globals.get(name))
    }

    pub fn visible_names(&self) -> Vec<String> {
        let locals = self.scopes.iter().flat_map(|(_, names)| names.keys());
        locals.chain(self.symbols.globals.keys()).chain(self.symbols.mtypes.keys()).map(|n| n.to_string()).collect()
    }

    pub(super) fn scope_path(&self) -> Vec<u32> {
        self.scopes.iter().map(|(id, _)| *id).collect()
    }

    pub(super) fn enter_scope(&mut self) {
        // With flat scopes a block shares the names of the one around it; labels are still told apart by block.
        let names = if self.flat_scopes { self.scopes.last().map(|(_, n)| n.clone()) } else { None };
        self.scopes.push((self.next_scope, names.unwrap_or_default()));
        self.next_scope += 1;
    }

    pub(super) fn leave_scope(&mut self) {
        if let Some((_, names)) = self.scopes.pop()
            && self.flat_scopes
            && let Some((_, outer)) = self.scopes.last_mut()
        {
            outer.extend(names);
        }
    }

    /// Lowers the whole body; returns its sequence.
    pub fn body(&mut self, block: &ast::Block) -> Option<SeqId> {
        self.flow.open_sequence();
        self.enter_scope();
        self.statements(&block.stmts);
        self.leave_scope();
        let end = Span { start: block.span.end.saturating_sub(1), ..block.span };
        let stop = self.flow.new_element(Op::Stop, end, "-end-".into());
        self.flow.add(stop);
        let sequence = self.flow.close_sequence();
        self.initialisers.sort_by_key(|(order, _)| *order);
        self.template.initialisers = self.initialisers.drain(..).map(|(_, i)| i).collect();
        self.settle_jumps();
        sequence
    }

    fn settle_jumps(&mut self) {
        for (label, span) in self.flow.settle_jumps() {
            let known: Vec<String> = self.flow.labels.iter().map(|known| known.name.to_string()).collect();
            let hint = suggest(&label, known.iter().map(String::as_str));
            self.error(Diagnostic::error(span, format!("there is no label `{label}` in this process{hint}")));
        }
        self.doubt_jumps();
    }
}
