//! `trace` and `notrace` assertions: automata over messages.

use bughound_ir::expr::{Expr, Pattern};
use bughound_ir::monitor::{Direction, Event, Monitor};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{ValueType, Variable};

use super::Lowering;
use super::automaton::{self, Automaton};
use super::body::{BodyLowering, Outline};
use super::elements::{Flow, Op, SeqId};
use super::symbols::Symbols;
use super::templates::reachable;
use crate::ast::{self, Item};

impl Lowering<'_> {
    /// Adds the monitor of the model's `trace` or `notrace` block, if it has one.
    pub(super) fn add_monitor(&mut self, symbols: &Symbols, outlines: &[Outline]) {
        let mut first: Option<Span> = None;
        for item in &self.model.items {
            let Item::Trace(block) = item else { continue };
            if let Some(other) = first {
                let diagnostic = Diagnostic::error(block.span, "there is more than one `trace` or `notrace` block");
                self.diagnostics.push(diagnostic.related(other, "the other one"));
                return;
            }
            first = Some(block.span);
            if self.options.monitor {
                self.monitor(block, symbols, outlines);
            }
        }
    }

    /// Numbers of elements of the trace assertions, in order.
    pub(super) fn sizes_of_traces(&self, symbols: &Symbols, outlines: &[Outline]) -> Vec<usize> {
        let blocks = self.model.items.iter().filter_map(|item| match item {
            Item::Trace(block) => Some(block),
            _ => None,
        });
        blocks.map(|block| events_of(block, symbols, outlines).0.flow.elements.len()).collect()
    }

    fn monitor(&mut self, block: &ast::TraceAssertion, symbols: &Symbols, outlines: &[Outline]) {
        let (mut lowering, sequence) = events_of(block, symbols, outlines);
        self.diagnostics.extend(lowering.take_diagnostics());
        let Some(sequence) = sequence else { return };
        let mut flow = lowering.flow;
        flow.tie_ends();
        let automaton = automaton::build(&mut flow, sequence, None, false);
        if self.report_circles(&flow, &automaton) {
            return;
        }
        let Some(events) = self.events(&flow, &automaton) else { return };
        let end = flow.elements.iter().find(|e| e.op == Op::Stop).map_or(0, |e| e.number);
        let slot = self.builder.allocate(1);
        let ty = ValueType::Range { lo: 0, hi: flow.elements.len() as i32 };
        let name = if block.negated { "notrace" } else { "trace" }.to_string();
        self.builder.variable(Variable { name, ty, slot, dims: Vec::new(), hidden: false, span: block.span });
        let may_rest = automaton.flags.iter().map(|f| f.end).collect();
        let monitor = Monitor { negated: block.negated, slot, initial: automaton.start, end, events, may_rest };
        self.builder.monitor(monitor);
    }

    fn events(&mut self, flow: &Flow, automaton: &Automaton) -> Option<Vec<Vec<Event>>> {
        let mut all = vec![Vec::new(); automaton.transitions.len()];
        for number in reachable(automaton) {
            for transition in &automaton.transitions[number as usize] {
                let element = flow.elem(transition.chain[0]);
                let (direction, sync) = match &element.op {
                    Op::Send(sync) => (Direction::Send, sync),
                    Op::Receive(sync) => (Direction::Receive, sync),
                    Op::Stop => continue,
                    _ => {
                        let text = "only sends and receives can stand in a trace assertion";
                        self.diagnostics.push(Diagnostic::error(element.span, text));
                        return None;
                    }
                };
                let bughound_ir::edge::Sync::Receive { channel, patterns, .. } = sync else { continue };
                let event = Event { direction, channel: channel.clone(), fields: patterns.clone(), to: transition.to };
                all[number as usize].push(event);
            }
        }
        Some(all)
    }
}

/// The body of a trace assertion.
fn events_of<'s>(
    block: &ast::TraceAssertion,
    symbols: &'s Symbols,
    outlines: &'s [Outline],
) -> (BodyLowering<'s>, Option<SeqId>) {
    let mut lowering = BodyLowering::new(symbols, outlines, "trace", block.span);
    lowering.of_events = true;
    lowering.flow.is_claim = true;
    let sequence = lowering.body(&block.body);
    (lowering, sequence)
}

impl BodyLowering<'_> {
    /// The fields of a send in a trace assertion: constants must match, SPIN takes everything else for a wild card.
    pub(super) fn event_fields(&mut self, arguments: &[ast::Expr]) -> Vec<Pattern> {
        let field = |a: &ast::Expr| match self.symbols.literal(a) {
            Some(value) => Pattern::Match(Expr::Const(value)),
            None => Pattern::Any,
        };
        arguments.iter().map(field).collect()
    }
}
