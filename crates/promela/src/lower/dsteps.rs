//! The body of a `d_step` as a program: one micro step that takes the first executable alternative at every choice.

use std::collections::HashMap;

use bughound_ir::edge::{Alternative, Condition, Program, ProgramNode, Sync};
use bughound_ir::source::{Diagnostic, Span};

use super::elements::{ElemId, Flow, Op, SeqId};
use super::rests::live_options;
use super::ways::{Onward, Ways};

/// Translates the body; the end of its last statement must be tied to what follows the block.
pub fn program(flow: &Flow, body: SeqId, errors: &mut Vec<Diagnostic>) -> Program {
    let mut translation = Translation {
        flow,
        program: Program::default(),
        nodes: HashMap::new(),
        pending: Vec::new(),
        ways: Ways::new(flow.elements.len()),
        errors,
    };
    let entry = flow.first(body);
    match translation.settle(entry) {
        Some(first) => {
            translation.node(first);
        }
        None => translation.program.nodes.push(ProgramNode { alternatives: vec![pass(None)], span: Span::default() }),
    }
    while let Some((element, node)) = translation.pending.pop() {
        let alternatives = translation.alternatives(element);
        translation.program.nodes[node as usize].alternatives = alternatives;
    }
    translation.program
}

fn pass(next: Option<u32>) -> Alternative {
    Alternative { condition: Condition::None, guards: Vec::new(), sync: Sync::None, actions: Vec::new(), next }
}

struct Translation<'a> {
    flow: &'a Flow,
    program: Program,
    nodes: HashMap<ElemId, u32>,
    pending: Vec<(ElemId, u32)>,
    ways: Ways<Option<ElemId>>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Translation<'_> {
    fn node(&mut self, element: ElemId) -> u32 {
        if let Some(node) = self.nodes.get(&element) {
            return *node;
        }
        let node = self.program.nodes.len() as u32;
        self.program.nodes.push(ProgramNode { alternatives: Vec::new(), span: self.flow.elem(element).span });
        self.nodes.insert(element, node);
        self.pending.push((element, node));
        node
    }

    /// The next element that does something; `None` when control leaves the d_step.
    fn settle(&mut self, from: ElemId) -> Option<ElemId> {
        let flow = self.flow;
        let found = self.ways.follow(from, &|_, at| {
            let element = flow.elem(at);
            let next = match &element.op {
                _ if !element.in_dstep => None,
                Op::Join | Op::BreakJoin => element.next,
                Op::Goto(jump) => flow.jump_target(jump),
                Op::Block(body) | Op::Atomic(body) | Op::DStep(body) => Some(flow.first(*body)),
                _ => return Onward::Ends(Some(at)),
            };
            next.map_or(Onward::Ends(None), Onward::To)
        });
        found.unwrap_or_else(|circle| {
            let span = flow.elem(circle.0).span;
            self.errors.push(Diagnostic::error(span, "these jumps lead in a circle and nothing is ever done"));
            None
        })
    }

    fn after(&mut self, element: ElemId) -> Option<u32> {
        let next = self.flow.elem(element).next?;
        let settled = self.settle(next)?;
        Some(self.node(settled))
    }

    fn alternatives(&mut self, element: ElemId) -> Vec<Alternative> {
        let flow = self.flow;
        match &flow.elem(element).op {
            Op::If | Op::Do => {
                let mut all = Vec::new();
                for guard in live_options(flow, element) {
                    let settled = self.settle(guard);
                    if matches!(flow.elem(guard).op, Op::Goto(_)) {
                        // A jump as the whole option (such as `break`) is always possible.
                        let next = settled.map(|target| self.node(target));
                        all.push(pass(next));
                        continue;
                    }
                    match settled {
                        Some(first) if first != element => {
                            // The options are tried in order, so `else`, which comes last, is always possible.
                            let guarded = self.alternatives(first).into_iter();
                            all.extend(guarded.map(|a| Alternative { condition: Condition::None, ..a }));
                        }
                        _ => all.push(pass(None)),
                    }
                }
                all
            }
            op => {
                let mut alternative = pass(self.after(element));
                match op {
                    Op::Condition { literal: Some(1), .. } => {}
                    Op::Condition { expr, .. } => alternative.guards.push(expr.clone()),
                    Op::Else => alternative.condition = Condition::Else,
                    Op::Send(sync) | Op::Receive(sync) => alternative.sync = sync.clone(),
                    Op::Act(action) | Op::Print(action) | Op::SetPriority(action) => {
                        alternative.actions.push(action.clone());
                    }
                    Op::Stop | Op::Run(_) | Op::Unless => {
                        let span = flow.elem(element).span;
                        self.errors.push(Diagnostic::error(span, "this cannot be used inside `d_step`"));
                    }
                    _ => {}
                }
                vec![alternative]
            }
        }
    }
}
