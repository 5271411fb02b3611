//! From elements and transitions to templates of the network.

use bughound_ir::builder::{EdgeSpec, LocalLocation};
use bughound_ir::edge::{Action, Condition};
use bughound_ir::network::{Location, Statement, TemplateId};
use bughound_ir::source::Diagnostic;

use super::automaton::{self, Automaton, Transition};
use super::elements::{ElemId, Flow, Op};
use super::symbols::Symbols;
use super::{Body, Lowering, Source, costs, dsteps, merging};
use crate::ast::Item;

impl<'a> Lowering<'a> {
    /// Adds the template of a body to the network. Every element becomes a location.
    pub(super) fn add_template(&mut self, body: Body<'a, '_>, numbers: &[Option<u32>], merge: bool, rendezvous: bool) {
        let mut flow = body.lowering.flow;
        let mut template = body.lowering.template;
        let Some(sequence) = body.sequence else { return };
        flow.tie_ends();
        let merged = merge.then(|| merging::analyse(&mut flow, sequence, rendezvous));
        let mut automaton = automaton::build(&mut flow, sequence, merged.as_ref(), self.options.inner_unless_first);
        if self.report_circles(&flow, &automaton) {
            return;
        }
        if flow.is_claim
            && let Err((element, why)) = automaton::join_atomic_chains(&flow, &mut automaton)
        {
            self.diagnostics.push(Diagnostic::error(flow.elem(element).span, why));
            return;
        }

        for element in &flow.elements {
            template.push_location(Location {
                template: TemplateId(0),
                labels: Vec::new(),
                number: element.number,
                flags: automaton.flags[element.number as usize],
                invariant: Vec::new(),
                conditions: Vec::new(),
                rate: None,
                invariant_text: String::new(),
                edges: Vec::new(),
                span: element.span,
            });
        }
        for label in flow.labels.iter() {
            let location = template.location_mut(LocalLocation(label.element.0));
            location.labels.push(label.name.to_string());
        }
        let statement_of = add_statements(&flow, &mut template.statements);
        for number in reachable(&automaton) {
            for transition in &automaton.transitions[number as usize] {
                let mut edge = self.edge(&flow, number, transition, &statement_of);
                edge.edge.number = numbers[transition.chain[0].0 as usize];
                template.edge(edge);
            }
        }
        if let Source::Proctype(p) = body.source {
            template.priority = self.constant_priority(p.priority.as_ref());
            template.deterministic = p.deterministic;
        }
        if let Source::Init(i) = body.source {
            template.priority = self.constant_priority(i.priority.as_ref());
        }
        self.builder.template(template, LocalLocation(automaton.start - 1));
    }

    /// Reports jumps that lead in a circle; says whether there are any.
    pub(super) fn report_circles(&mut self, flow: &Flow, automaton: &Automaton) -> bool {
        for circle in &automaton.circles {
            let diagnostic = Diagnostic::error(flow.elem(circle.0).span, "these jumps lead in a circle");
            self.diagnostics.push(diagnostic.help("put a statement such as `skip` between them"));
        }
        !automaton.circles.is_empty()
    }

    fn constant_priority(&mut self, priority: Option<&crate::ast::Expr>) -> u32 {
        let Some(expr) = priority else { return 1 };
        match Symbols::default().constant(expr, &mut self.diagnostics) {
            Some(value @ 1..=255) => value as u32,
            Some(value) => {
                let text = format!("a priority of {value} is not possible");
                self.diagnostics.push(Diagnostic::error(expr.span, text).help("priorities lie between 1 and 255"));
                1
            }
            None => 1,
        }
    }

    fn edge(&mut self, flow: &Flow, from: u32, transition: &Transition, statement_of: &[Option<u32>]) -> EdgeSpec {
        let first = flow.elem(transition.chain[0]);
        // A process that has ended stays, nominally, where it is.
        let to = if transition.to == 0 { first.number } else { transition.to };
        let mut spec = EdgeSpec::new(LocalLocation(from - 1), LocalLocation(to - 1));
        spec.edge.span = first.span;
        spec.edge.calls = first.calls.clone();
        spec.edge.keeps_control = transition.keeps_control;
        spec.edge.escape = transition.escape;
        if self.has_costs {
            spec.edge.weight = costs::cost(flow, transition);
        }
        let mut texts = Vec::new();
        for member in &transition.chain {
            let element = flow.elem(*member);
            spec.edge.statements.extend(statement_of[member.0 as usize]);
            if !matches!(element.op, Op::Join | Op::BreakJoin) || transition.chain.len() == 1 {
                texts.push(element.text.as_str());
            }
            match &element.op {
                Op::Condition { literal: Some(1), .. } => {}
                Op::Condition { expr, .. } => spec.edge.guards.push(expr.clone()),
                Op::Send(sync) | Op::Receive(sync) => spec.edge.sync = sync.clone(),
                Op::Run(action) | Op::Act(action) | Op::Print(action) | Op::SetPriority(action) => {
                    spec = spec.action(action.clone());
                }
                Op::Else => spec.edge.condition = Condition::Else,
                Op::Stop => {
                    spec.edge.condition = Condition::Youngest;
                    spec = spec.action(Action::End);
                }
                Op::DStep(body) => {
                    let program = dsteps::program(flow, *body, &mut self.diagnostics);
                    spec.edge.program = Some(self.builder.program(program));
                }
                _ => {}
            }
        }
        spec.text(texts.join("; "))
    }

    /// The processes that exist at the start, in the order of the text.
    pub(super) fn start_processes(&mut self, sources: &[Source<'a>], symbols: &Symbols) {
        let mut refused = false;
        for (at, source) in sources.iter().enumerate() {
            let template = TemplateId(at as u32);
            match source {
                Source::Proctype(p) => {
                    let Some(active) = &p.active else { continue };
                    let count = active.count.as_ref().map_or(Some(1), |c| symbols.constant(c, &mut self.diagnostics));
                    let Some(count) = count else {
                        refused = true;
                        continue;
                    };
                    if !(0..=255).contains(&count) {
                        let text = format!("there cannot be {count} instances");
                        self.diagnostics
                            .push(Diagnostic::error(active.span, text).help("at most 255 processes can exist"));
                        refused = true;
                        continue;
                    }
                    let parameters = symbols.processes.get(&p.name.name).map_or(0, |i| i.parameters.len());
                    for _ in 0..count {
                        self.builder.start(template, vec![0; parameters]);
                    }
                }
                Source::Init(_) => self.builder.start(template, Vec::new()),
                Source::Never(_) => {}
            }
        }
        let started = self.builder.so_far().start.len();
        if started == 0 && !refused {
            let span = self.model.items.iter().find_map(|item| match item {
                Item::Proctype(p) => Some(p.name.span),
                _ => None,
            });
            let severity = bughound_ir::source::Severity::Error;
            self.diagnostics.push(
                Diagnostic::new(severity, span, "the model starts no process")
                    .help("write `active proctype …`, or an `init` that runs one"),
            );
        } else if started > 255 {
            let severity = bughound_ir::source::Severity::Error;
            let text = format!("{started} processes are active, but at most 255 can exist");
            self.diagnostics.push(Diagnostic::new(severity, None, text));
        }
    }
}

/// Numbers of the elements at which a process can rest, in ascending order.
pub(super) fn reachable(automaton: &Automaton) -> Vec<u32> {
    let mut seen = vec![false; automaton.transitions.len()];
    let mut todo = vec![automaton.start];
    while let Some(number) = todo.pop() {
        if number != 0 && !std::mem::replace(&mut seen[number as usize], true) {
            todo.extend(automaton.transitions[number as usize].iter().map(|t| t.to));
        }
    }
    (1..seen.len() as u32).filter(|n| seen[*n as usize]).collect()
}

/// Lists the statements of a body (the inside of a d_step counts as one) and says which one each element is.
fn add_statements(flow: &Flow, statements: &mut Vec<Statement>) -> Vec<Option<u32>> {
    let mut order: Vec<ElemId> = (0..flow.elements.len() as u32).map(ElemId).collect();
    order.sort_by_key(|e| (flow.elem(*e).span, e.0));
    let mut statement_of = vec![None; flow.elements.len()];
    for id in order {
        let element = flow.elem(id);
        let is_statement = match element.op {
            Op::Condition { .. }
            | Op::Run(_)
            | Op::Send(_)
            | Op::Receive(_)
            | Op::Act(_)
            | Op::Print(_)
            | Op::SetPriority(_)
            | Op::Nothing
            | Op::Stop => !element.in_dstep,
            Op::DStep(_) => true,
            _ => false,
        };
        if is_statement {
            statement_of[id.0 as usize] = Some(statements.len() as u32);
            statements.push(Statement { text: element.text.clone(), span: element.span });
        }
    }
    statement_of
}
