//! From the syntax tree to the IR.
//!
//! The work is done in two passes over all bodies, because expressions may look at labels and variables of other
//! processes: the first pass finds out how many elements each body has and where its labels lie, the second makes the
//! network. Control flow follows SPIN to the state: see `elements` and `automaton`.

mod automaton;
mod body;
mod costs;
mod declarations;
mod doubts;
mod dsteps;
mod elements;
mod expressions;
mod formulas;
mod hidden;
mod labels;
mod locality;
mod locals;
mod loops;
mod merging;
mod monitors;
mod numbering;
mod properties;
mod rests;
mod statements;
mod symbols;
mod templates;
mod truncation;
mod variables;
mod ways;

use std::sync::Arc;

use bughound_ir::builder::NetworkBuilder;
use bughound_ir::network::{Network, TemplateId};
use bughound_ir::source::{Diagnostic, Severity, SourceMap};

use crate::ast;
use body::{BodyLowering, Outline};
use elements::SeqId;
use numbering::{Copies, RemoteLabel};
use symbols::{Exclusive, Symbols};

/// How a model is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LowerOptions {
    /// Join chains of deterministic local statements into one step, as SPIN does by default.
    pub merge: bool,
    /// A message sent to a full channel is lost (SPIN's `-m`).
    pub lossy_sends: bool,
    /// Have `trace` and `notrace` assertions watch the messages.
    pub monitor: bool,
    /// Try the escape of the innermost of nested `unless` constructs first (SPIN's `-J`).
    pub inner_unless_first: bool,
    /// `priority` means nothing (SPIN's `-o6`).
    pub ignore_priorities: bool,
    /// Blocks are no scopes: a name is known in its whole process (SPIN's `-O`).
    pub flat_scopes: bool,
    /// Warn about constants that do not fit the variables they are stored in.
    pub warn_truncation: bool,
}

impl Default for LowerOptions {
    fn default() -> Self {
        LowerOptions {
            merge: true,
            lossy_sends: false,
            monitor: true,
            inner_unless_first: false,
            ignore_priorities: false,
            flat_scopes: false,
            warn_truncation: false,
        }
    }
}

/// The network (if there were no errors) and everything there is to say about the model.
pub struct Lowered {
    pub network: Option<Network>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Lowers a parsed model.
pub fn lower(model: &ast::Model, sources: &SourceMap, options: LowerOptions) -> Lowered {
    let mut lowering = Lowering {
        model,
        options,
        symbols: Symbols::default(),
        builder: NetworkBuilder::new(sources.get(model.file).map_or(String::new(), |f| f.path.display().to_string())),
        diagnostics: Vec::new(),
        has_costs: false,
    };
    lowering.builder.sources(Arc::new(sources.clone()));
    if options.lossy_sends {
        lowering.builder.lossy_sends();
    }
    if options.ignore_priorities {
        lowering.builder.ignore_priorities();
    }
    let network = lowering.run();
    let mut diagnostics = lowering.diagnostics;
    diagnostics.sort_by_key(|d| (d.severity != Severity::Error, d.span));
    diagnostics.dedup();
    Lowered { network, diagnostics }
}

struct Lowering<'a> {
    model: &'a ast::Model,
    options: LowerOptions,
    symbols: Symbols,
    builder: NetworkBuilder,
    diagnostics: Vec<Diagnostic>,
    /// Some statement has a cost.
    has_costs: bool,
}

/// A body to lower: a proctype, `init` or a claim.
#[derive(Clone, Copy)]
enum Source<'a> {
    Proctype(&'a ast::Proctype),
    Init(&'a ast::Init),
    Never(&'a ast::NeverClaim),
}

impl<'a> Source<'a> {
    fn block(self) -> &'a ast::Block {
        match self {
            Source::Proctype(p) => &p.body,
            Source::Init(i) => &i.body,
            Source::Never(n) => &n.body,
        }
    }
}

/// A lowered body before it becomes a template.
struct Body<'a, 's> {
    source: Source<'a>,
    lowering: BodyLowering<'s>,
    sequence: Option<SeqId>,
}

impl<'a> Lowering<'a> {
    fn failed(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    fn run(&mut self) -> Option<Network> {
        self.declare_mtypes();
        self.declare_typedefs();
        self.declare_globals();
        let sources = self.declare_processes();

        let outlines = self.outline(&sources);
        let symbols = std::mem::take(&mut self.symbols);
        let (mut bodies, merge) = self.bodies(&symbols, &outlines, &sources);
        for body in &mut bodies {
            self.diagnostics.extend(body.lowering.take_diagnostics());
        }
        let formulas = self.formulas(&symbols, &outlines);
        self.diagnostics.extend(formulas.diagnostics);
        let merge = merge && !formulas.reads_remote_variables;
        let copies = apply_remote_labels(&mut bodies, &formulas.remote_labels);
        if self.failed() {
            return None;
        }
        let of_traces = self.sizes_of_traces(&symbols, &outlines);
        let (numbers, mut numbering) =
            numbering::number(self.model, &bodies, &formulas.properties, &formulas.remote_labels, &of_traces, copies);
        numbering.merged = merge;
        self.builder.numbering(numbering);
        if formulas.mentions_last || bodies.iter().any(|b| b.lowering.mentions_last) {
            self.builder.keep_last_process();
        }
        let of_bodies = bodies.iter().flat_map(|b| b.lowering.named_processes.clone());
        let named: Vec<_> = of_bodies.chain(formulas.named_processes).collect();
        let runs: Vec<_> = bodies.iter().flat_map(|b| b.lowering.runs.clone()).collect();
        self.has_costs = bodies.iter().any(|b| b.lowering.flow.elements.iter().any(|e| e.cost.is_some()));
        let mut claims = Vec::new();
        let mut channels = bodies.iter().flat_map(|b| &b.lowering.template.channels);
        let rendezvous =
            channels.any(|c| c.capacity == 0) || self.builder.so_far().channels.iter().any(|c| c.capacity == 0);
        for (at, body) in bodies.into_iter().enumerate() {
            let is_claim = matches!(body.source, Source::Never(_));
            self.add_template(body, numbers.of(at), merge && !is_claim, rendezvous);
            if is_claim {
                claims.push(TemplateId(at as u32));
            }
        }
        if self.failed() {
            return None;
        }
        self.start_processes(&sources, &symbols);
        self.doubt_named_processes(&named, &runs);
        self.add_properties(formulas.properties, &claims);
        self.add_monitor(&symbols, &outlines);
        if self.failed() {
            return None;
        }
        let mut builder = std::mem::replace(&mut self.builder, NetworkBuilder::new(""));
        builder.keep_in_state(&hidden::telling_slots(builder.so_far()));
        match builder.finish() {
            Ok(network) => Some(network),
            Err(error) => {
                self.diagnostics.push(Diagnostic::new(
                    Severity::Error,
                    None,
                    format!("internal error while lowering: {error}"),
                ));
                None
            }
        }
    }

    /// First pass: sizes, labels and variables of all bodies.
    fn outline(&mut self, sources: &[Source<'a>]) -> Vec<Outline> {
        let symbols = std::mem::take(&mut self.symbols);
        let (mut bodies, _) = self.bodies(&symbols, &[], sources);
        let formulas = self.formulas(&symbols, &[]);
        apply_remote_labels(&mut bodies, &formulas.remote_labels);
        let mut first_location = 1;
        let mut outlines = Vec::new();
        let mut promises = Vec::new();
        let mut unsafe_starts = Vec::new();
        for body in bodies {
            let flow = &body.lowering.flow;
            let labels = flow.labels.iter().map(|l| (l.name.clone(), l.element.0)).collect();
            let elements = flow.elements.len() as u32;
            outlines.push(Outline { first_location, labels, variables: body.lowering.variables.clone() });
            first_location += elements;
            promises.extend(body.lowering.promises.clone());
            unsafe_starts.push(body.lowering.unsafe_start);
        }
        self.symbols = symbols;
        for (channel, mode) in promises {
            if let Some(info) = self.symbols.globals.get_mut(&channel) {
                info.exclusive.add(mode);
            }
        }
        for name in formulas.globals {
            if let Some(info) = self.symbols.globals.get_mut(&name) {
                info.exclusive = Exclusive::default();
                info.promised_local = false;
            }
        }
        for process in self.symbols.processes.values_mut() {
            process.unsafe_start = unsafe_starts[process.template.0 as usize];
        }
        outlines
    }

    /// Lowers all bodies to elements. Also says whether statements may be merged at all.
    fn bodies<'s>(
        &mut self,
        symbols: &'s Symbols,
        outlines: &'s [Outline],
        sources: &[Source<'a>],
    ) -> (Vec<Body<'a, 's>>, bool) {
        let mut bodies = Vec::new();
        let mut merge = self.options.merge;
        for source in sources {
            let (name, span, params): (String, _, &[ast::Decl]) = match source {
                Source::Proctype(p) => (p.name.name.to_string(), p.span, &p.params),
                Source::Init(i) => (":init:".into(), i.span, &[]),
                Source::Never(n) => (properties::claim_name(n), n.span, &[]),
            };
            let mut lowering = BodyLowering::new(symbols, outlines, &name, span);
            lowering.flat_scopes = self.options.flat_scopes;
            lowering.warn_truncation = self.options.warn_truncation;
            lowering.flow.is_claim = matches!(source, Source::Never(_));
            lowering.parameters(params);
            let sequence = lowering.body(source.block());
            if let Source::Proctype(p) = source {
                lowering.template.provided = p.provided.as_ref().map(|clause| lowering.provided(clause));
                merge &= p.provided.is_none(); // SPIN does not merge then
            }
            merge &= !lowering.reads_remote_variables;
            bodies.push(Body { source: *source, lowering, sequence });
        }
        (bodies, merge)
    }
}

/// Makes the labels that bodies and formulas name places to rest. Returns the elements that were added for that.
fn apply_remote_labels(bodies: &mut [Body<'_, '_>], of_formulas: &[RemoteLabel]) -> Copies {
    let of_bodies: Vec<_> = bodies.iter().flat_map(|b| b.lowering.remote_labels.clone()).collect();
    let mut copies = Copies::new();
    for RemoteLabel { template, label, .. } in of_bodies.iter().chain(of_formulas) {
        if let Some(copy) = bodies[*template].lowering.flow.make_remote(label) {
            copies.insert((*template, label.clone()), copy);
        }
    }
    copies
}
