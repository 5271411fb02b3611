//! From the syntax tree to the IR.
//!
//! Every process of the system line becomes a template of its own, with parameters and selections folded in: what is
//! known before the run costs nothing during it. All variables are global slots named with their process
//! (`Gate.len`), because queries and reference parameters look into processes; clocks and channels are network-wide
//! anyway. Names of processes are those of UPPAAL: `Gate`, `Train(0)`.

mod broadcasts;
mod calls;
mod clocks;
mod code;
mod costs;
mod declarations;
mod duplicates;
mod edges;
mod effects;
mod evaluation;
mod expressions;
mod fold;
mod formula;
mod invariants;
mod meters;
mod priorities;
mod processes;
mod queries;
mod scope;
mod statements;
mod types;
mod walk;

use std::sync::Arc;

use bughound_ir::builder::NetworkBuilder;
use bughound_ir::network::Network;
use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};

use crate::ast;
use broadcasts::Listener;
use code::Code;
use costs::Costs;
use evaluation::{Flow, Local};
use priorities::ChannelPriorities;
use processes::Process;
use scope::{ScopeId, Scopes};
use statements::ReturnFrame;

pub use queries::LoweredQuery;

/// The network (if there were no errors) and everything there is to say about the model.
#[derive(Debug)]
pub struct Lowered {
    pub network: Option<Network>,
    pub diagnostics: Vec<Diagnostic>,
    /// The queries of the model, then those that were given beside it, in order. A query that cannot be checked is no
    /// error of the model: it is here with the reason.
    pub queries: Vec<LoweredQuery>,
}

/// Lowers a parsed model with its own queries and others, such as those of a `.q` file.
pub fn lower<'a>(model: &'a ast::Model, queries: &'a [ast::Query], sources: &SourceMap) -> Lowered {
    let name = sources.get(model.file).map_or(String::new(), |file| file.path.display().to_string());
    let mut builder = NetworkBuilder::new(name);
    builder.sources(Arc::new(sources.clone()));
    builder.name_processes();
    let mut scopes = Scopes::default();
    let outermost = scopes.open(None);
    let global = scopes.open(Some(outermost));
    let mut lowering = Lowering {
        model,
        builder,
        scopes,
        global,
        diagnostics: Vec::new(),
        place: String::new(),
        processes: Vec::new(),
        code: None,
        locals: Vec::new(),
        temporaries: Vec::new(),
        used_temporaries: 0,
        frames: Vec::new(),
        flows: Vec::new(),
        returns: Vec::new(),
        calls: Vec::new(),
        listeners: Vec::new(),
        splits_unequal: false,
        channel_priorities: None,
        costs: None,
        assigns_hint: false,
        before_updates: Vec::new(),
        after_updates: Vec::new(),
        in_query: false,
        may_leave_range: false,
        elements: 0,
        edges: 0,
        work: 0,
        most_work: MAX_WORK,
    };
    let mut lowered_queries = Vec::new();
    lowering.declare_meters(outermost, queries);
    lowering.run(queries, &mut lowered_queries);
    let Lowering { builder, mut diagnostics, .. } = lowering;
    diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
    diagnostics.dedup();
    let mut network = None;
    if !diagnostics.iter().any(Diagnostic::is_error) {
        match builder.finish() {
            Ok(finished) => network = Some(finished),
            Err(error) => {
                let message = format!("internal error while lowering: {error}");
                diagnostics.push(Diagnostic::new(Severity::Error, None, message));
            }
        }
    }
    Lowered { network, diagnostics, queries: lowered_queries }
}

/// What a step of the lowering gives, or why it cannot.
pub(crate) type Res<T> = Result<T, Diagnostic>;

/// The model must not keep the lowering busy for ever: a limit on expressions built and statements evaluated.
const MAX_WORK: u64 = 5_000_000;
/// So much of it for an attempt to make an expression of a function that can be code as well.
const ATTEMPT_WORK: u64 = 20_000;

struct Lowering<'a> {
    model: &'a ast::Model,
    builder: NetworkBuilder,
    scopes: Scopes<'a>,
    global: ScopeId,
    diagnostics: Vec<Diagnostic>,
    /// What is being lowered, in words, for messages.
    place: String,
    processes: Vec<Process<'a>>,
    /// Where effects go; `None` where there must be none.
    code: Option<Code>,
    /// Variables of functions that are evaluated during the lowering.
    locals: Vec<Local>,
    /// Slots for values in the middle of a step; they are forgotten after it.
    temporaries: Vec<u32>,
    used_temporaries: usize,
    /// Slots of variables of functions, by the place of their declaration and their size.
    frames: Vec<((Span, u64), u32)>,
    /// Functions that are being evaluated, the innermost last.
    flows: Vec<Flow>,
    /// Functions that are being written out as code, the innermost last.
    returns: Vec<ReturnFrame>,
    /// Functions that are being expanded, for the message about recursion.
    calls: Vec<Span>,
    /// Edges of the current process that accept broadcasts.
    listeners: Vec<Listener>,
    /// `x != 3` is `x < 3 or x > 3`, in the negation of a guard.
    splits_unequal: bool,
    channel_priorities: Option<ChannelPriorities>,
    /// Of a model that has costs.
    costs: Option<Costs>,
    /// The value of a hint is being computed.
    assigns_hint: bool,
    /// What every step does before and after the updates of its edges.
    before_updates: Vec<&'a ast::Expr>,
    after_updates: Vec<&'a ast::Expr>,
    /// Locations, clocks and `deadlock` may be asked about.
    in_query: bool,
    /// A value was used somewhere whose range does not fit for sure: only code that stores it can tell.
    may_leave_range: bool,
    /// Elements of variables so far.
    elements: u64,
    /// Edges so far.
    edges: usize,
    work: u64,
    /// More is refused.
    most_work: u64,
}

impl<'a> Lowering<'a> {
    fn run(&mut self, queries: &'a [ast::Query], lowered: &mut Vec<LoweredQuery>) {
        let model = self.model;
        self.refuse_duplicates();
        for declaration in &model.declarations {
            self.declare(declaration, self.global, "");
        }
        if self.failed() {
            return;
        }
        self.instantiate_all();
        if self.failed() {
            return;
        }
        self.rank_steps();
        for index in 0..self.processes.len() {
            self.lower_process(index);
        }
        self.set_prices();
        if self.failed() {
            return;
        }
        for query in model.queries.iter().chain(queries) {
            let query = self.lower_query(query);
            lowered.push(query);
        }
    }

    fn failed(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Reports an error, if there is one.
    fn report<T>(&mut self, result: Res<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.diagnostics.push(error);
                None
            }
        }
    }

    fn error(&self, span: Span, message: impl Into<String>) -> Diagnostic {
        let diagnostic = Diagnostic::error(span, message);
        if self.place.is_empty() { diagnostic } else { diagnostic.label(format!("in {}", self.place)) }
    }

    /// Tells of something once, however often it is written out.
    fn warn(&mut self, warning: Diagnostic) {
        let warning = Diagnostic { severity: Severity::Warning, ..warning };
        if self.diagnostics.iter().all(|known| known.span != warning.span || known.message != warning.message) {
            self.diagnostics.push(warning);
        }
    }

    /// Counts one unit of work.
    fn tick(&mut self, span: Span) -> Res<()> {
        self.spend(1, span)
    }

    /// Counts work of this size.
    fn spend(&mut self, work: u64, span: Span) -> Res<()> {
        self.work += work;
        if self.work > self.most_work {
            let help = "quantifiers, selections and functions in guards are written out before the search: make their \
                        ranges smaller";
            return Err(self.error(span, "the model is too large when it is written out").help(help));
        }
        Ok(())
    }
}
