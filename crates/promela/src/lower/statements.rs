//! Statements, from syntax to elements.

use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::ValueType;

use super::body::BodyLowering;
use super::elements::{ElemId, Jump, Op, SeqId};
use super::expressions::name_of;
use super::labels::LabelPlace;
use crate::ast::{self, ExprKind, Name, StmtKind};

impl BodyLowering<'_> {
    pub(super) fn statements(&mut self, statements: &[ast::Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// A block in a sequence of its own. An empty one is an error, as in SPIN.
    pub(super) fn block(&mut self, block: &ast::Block) -> Option<SeqId> {
        self.doubt_first_label(&block.stmts, "{ L: …", "L: { …");
        self.flow.open_sequence();
        self.enter_scope();
        self.statements(&block.stmts);
        self.leave_scope();
        self.close(block.span)
    }

    pub(super) fn close(&mut self, span: Span) -> Option<SeqId> {
        let sequence = self.flow.close_sequence();
        if sequence.is_none() {
            self.error(
                Diagnostic::error(span, "a sequence needs at least one statement")
                    .help("write `skip` if nothing is to be done"),
            );
        }
        sequence
    }

    pub(super) fn statement(&mut self, statement: &ast::Stmt) {
        if let StmtKind::Unless { main, escape } = &statement.kind {
            self.unless(statement, main, escape);
            return;
        }
        let scope = self.scope_path();
        let cost = self.cost_of(statement);
        let Some(element) = self.unlabelled(statement) else { return };
        self.flow.elem_mut(element).cost = cost;
        for label in statement.labels.iter().rev() {
            self.label(label, element, scope.clone());
        }
        if !matches!(self.flow.elem(element).op, Op::If | Op::Do | Op::Unless) {
            self.flow.add(element);
        }
    }

    pub(super) fn label(&mut self, label: &ast::Ident, element: ElemId, scope: Vec<u32>) {
        if let Some(other) = self.flow.labels.in_block(&label.name, &scope) {
            let text = format!("label `{}` is used twice", label.name);
            let first = other.span;
            self.error(Diagnostic::error(label.span, text).related(first, "first used here"));
        }
        self.flow.set_label(LabelPlace { name: label.name.clone(), scope, element, span: label.span });
    }

    pub(super) fn unless(&mut self, statement: &ast::Stmt, main: &ast::Stmt, escape: &ast::Stmt) {
        if self.in_dstep {
            self.error(Diagnostic::error(statement.span, "`unless` cannot be used inside `d_step`"));
            return;
        }
        let lifted = !main.labels.is_empty()
            && matches!(main.kind, StmtKind::Atomic(_) | StmtKind::DStep(_) | StmtKind::Block(_));
        let scope = self.scope_path();
        self.doubt_label_of_unless(main);
        if lifted {
            // The label before a block belongs to the construct as a whole, which becomes a block of the same kind.
            self.flow.open_sequence();
            let Some(body) = self.block_of(main) else { return };
            let Some(escape) = self.as_sequence(escape) else { return };
            self.flow.add_unless(body, escape, statement.span);
            let Some(whole) = self.close(statement.span) else { return };
            let op = match main.kind {
                StmtKind::Atomic(_) => Op::Atomic(whole),
                StmtKind::DStep(_) => Op::DStep(whole),
                _ => Op::Block(whole),
            };
            let cost = self.cost_of(main);
            let element = self.flow.new_element(op, statement.span, main.to_string());
            self.flow.elem_mut(element).cost = cost;
            for label in main.labels.iter().chain(&statement.labels).rev() {
                self.label(label, element, scope.clone());
            }
            self.flow.add(element);
            return;
        }
        let Some(main) = self.as_sequence(main) else { return };
        let Some(escape) = self.as_sequence(escape) else { return };
        let element = self.flow.add_unless(main, escape, statement.span);
        for label in statement.labels.iter().rev() {
            self.label(label, element, scope.clone());
        }
    }

    /// The statements of a block, marked if it is atomic.
    pub(super) fn block_of(&mut self, statement: &ast::Stmt) -> Option<SeqId> {
        match &statement.kind {
            StmtKind::Atomic(block) => {
                let body = self.block(block)?;
                self.flow.make_atomic(body, false);
                Some(body)
            }
            StmtKind::DStep(block) => {
                let outer = std::mem::replace(&mut self.in_dstep, true);
                let body = self.block(block);
                self.in_dstep = outer;
                // A claim changes nothing, so its deterministic steps are atomic ones.
                self.flow.make_atomic(body?, !self.flow.is_claim);
                body
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Inlined(inlined) => {
                self.flow.calls.push(inlined.call);
                let body = self.block(&inlined.body);
                self.flow.calls.pop();
                body
            }
            _ => None,
        }
    }

    pub(super) fn as_sequence(&mut self, statement: &ast::Stmt) -> Option<SeqId> {
        if let (StmtKind::Block(block), true) = (&statement.kind, statement.labels.is_empty()) {
            self.cost_of(statement);
            return self.block(block);
        }
        self.flow.open_sequence();
        self.statement(statement);
        self.close(statement.span)
    }

    pub(super) fn simple(&mut self, op: Op, statement: &ast::Stmt) -> Option<ElemId> {
        let element = self.flow.new_element(op, statement.span, statement.to_string());
        self.flow.elem_mut(element).global = self.statement_is_global(statement);
        Some(element)
    }

    /// The element of a statement; choices are added to the open sequence at once, others by the caller.
    pub(super) fn unlabelled(&mut self, statement: &ast::Stmt) -> Option<ElemId> {
        match &statement.kind {
            StmtKind::Decl(decl) => {
                self.declaration(decl);
                None
            }
            StmtKind::ExclusiveAccess { mode, channels } => {
                for channel in channels {
                    self.channel(channel);
                    self.promise(*mode, &channel.root().name);
                }
                None
            }
            StmtKind::Expr(expr) => {
                let op = match &expr.kind {
                    ExprKind::Run(run) => Op::Run(self.run(run, expr.span, None)?),
                    _ => Op::Condition { expr: self.expr(expr), literal: self.symbols.literal(expr) },
                };
                self.simple(op, statement)
            }
            StmtKind::Assign { target, value } => {
                let op = self.assignment(target, value, statement.span)?;
                self.simple(op, statement)
            }
            StmtKind::Increment(target) => self.count(statement, target, BinaryOp::Add),
            StmtKind::Decrement(target) => self.count(statement, target, BinaryOp::Subtract),
            StmtKind::Send(send) if self.of_events => {
                let channel = self.channel(&send.channel);
                let patterns = self.event_fields(&send.args);
                self.simple(Op::Send(Sync::Receive { channel, anywhere: false, keep: false, patterns }), statement)
            }
            StmtKind::Send(send) => {
                let channel = self.channel(&send.channel);
                let fields = self.spread_arguments(&send.args);
                self.check_message(&send.channel, fields.len(), statement.span);
                self.doubt_sent(&send.channel, &send.args);
                self.simple(Op::Send(Sync::Send { channel, sorted: send.sorted, fields }), statement)
            }
            StmtKind::Receive(receive) => {
                let channel = self.channel(&receive.channel);
                let patterns = self.patterns(&receive.args);
                self.check_message(&receive.channel, patterns.len(), statement.span);
                self.doubt_received(&receive.channel, &receive.args);
                self.doubt_bindings(&receive.args, &patterns, statement.span);
                let sync = Sync::Receive { channel, anywhere: receive.random, keep: receive.copy, patterns };
                self.simple(Op::Receive(sync), statement)
            }
            StmtKind::If(options) => {
                let options = self.options(options)?;
                Some(self.flow.add_if(options, statement.span))
            }
            StmtKind::Do(options) => {
                let number = self.flow.new_loop();
                self.loops.push(number);
                let options = self.options(options);
                self.loops.pop();
                Some(self.flow.add_do(options?, number, true, statement.span))
            }
            StmtKind::For(for_loop) => self.for_loop(statement, for_loop),
            StmtKind::Select(select) => self.select(statement, select),
            StmtKind::Break => {
                let Some(number) = self.loops.last() else {
                    self.error(Diagnostic::error(statement.span, "`break` outside of a loop"));
                    return None;
                };
                self.simple(Op::Goto(Jump::Break(*number)), statement)
            }
            StmtKind::Goto(label) => {
                let jump = Jump::Label { name: label.name.clone(), scope: self.scope_path(), span: label.span };
                self.simple(Op::Goto(jump), statement)
            }
            StmtKind::Else => self.simple(Op::Else, statement),
            StmtKind::Assert(condition) => {
                let lowered = self.expr(condition);
                let written = statement.written.as_deref().and_then(|text| text.strip_prefix("assert("));
                let written = written.and_then(|text| text.strip_suffix(')')).map(str::to_string);
                let text = written.unwrap_or_else(|| condition.to_string());
                self.simple(Op::Act(Action::Assert { condition: lowered, text, span: statement.span }), statement)
            }
            StmtKind::Printf { format, args } => {
                let arguments = args.iter().map(|a| self.expr(a)).collect();
                self.simple(Op::Print(Action::Print { format: format.text.to_string(), arguments }), statement)
            }
            StmtKind::Printm(value) => {
                let arguments = vec![self.expr(value)];
                self.simple(Op::Print(Action::Print { format: "%e".into(), arguments }), statement)
            }
            StmtKind::SetPriority { pid, priority } => {
                let (pid, priority) = (self.expr(pid), self.expr(priority));
                self.simple(Op::SetPriority(Action::SetPriority { pid, priority }), statement)
            }
            StmtKind::Atomic(_) => {
                let body = self.block_of(statement)?;
                self.simple(Op::Atomic(body), statement)
            }
            StmtKind::DStep(_) => {
                let body = self.block_of(statement)?;
                let op = if self.flow.is_claim { Op::Atomic(body) } else { Op::DStep(body) };
                self.simple(op, statement)
            }
            StmtKind::Block(_) | StmtKind::Inlined(_) => {
                let body = self.block_of(statement)?;
                self.simple(Op::Block(body), statement)
            }
            StmtKind::Unless { .. } => {
                self.statement(statement);
                None
            }
        }
    }

    /// Notes that this process alone sends to or receives from a channel.
    pub(super) fn promise(&mut self, mode: ast::AccessMode, channel: &Name) {
        let local = self.scopes.iter_mut().rev().find_map(|(_, names)| names.get_mut(channel));
        match local {
            Some(info) => info.exclusive.add(mode),
            None => self.promises.push((channel.clone(), mode)),
        }
    }

    pub(super) fn assignment(&mut self, target: &ast::VarRef, value: &ast::Expr, span: Span) -> Option<Op> {
        if target.as_name().is_some_and(|n| &*n.name == "_") {
            self.expr(value);
            return Some(Op::Nothing);
        }
        if let Some(name) = target.as_name()
            && (self.symbols.mtypes.contains_key(&name.name) || matches!(&*name.name, "_pid" | "_nr_pr" | "_last"))
        {
            self.error(Diagnostic::error(name.span, format!("`{}` cannot be assigned to", name.name)));
            return None;
        }
        if target.as_name().is_some_and(|n| &*n.name == "_priority") {
            let priority = self.expr(value);
            return Some(Op::SetPriority(Action::SetPriority { pid: Expr::OwnPid, priority }));
        }
        let place = self.scalar(target)?;
        if let ExprKind::Run(run) = &value.kind {
            return Some(Op::Act(self.run(run, value.span, Some(place))?));
        }
        self.check_constant(&place, value, span);
        self.doubt_mtype(place.ty, value);
        let value = self.expr(value);
        Some(Op::Act(Action::Assign { target: place, value }))
    }

    pub(super) fn count(&mut self, statement: &ast::Stmt, target: &ast::VarRef, op: BinaryOp) -> Option<ElemId> {
        let place = self.scalar(target)?;
        if place.ty == ValueType::Chan {
            self.error(Diagnostic::error(target.span, "channels cannot be counted up or down"));
            return None;
        }
        let value = Expr::binary(op, Expr::read(place.clone()), Expr::Const(1));
        self.simple(Op::Act(Action::Assign { target: place, value }), statement)
    }

    pub(super) fn run(&mut self, run: &ast::Run, span: Span, result: Option<Place>) -> Option<Action> {
        if self.in_dstep {
            self.error(Diagnostic::error(span, "`run` cannot be used inside `d_step`"));
        }
        let arguments = self.spread_arguments(&run.args);
        let given = run.priority.as_ref().and_then(|p| self.symbols.constant(p, &mut self.errors).map(|v| (v, p.span)));
        let priority = match given {
            None | Some((0, _)) => None, // SPIN takes 0 for none
            Some((value @ 1..=255, _)) => Some(Expr::Const(value)),
            Some((value, span)) => {
                self.error(
                    Diagnostic::error(span, format!("a priority of {value} is not possible"))
                        .help("priorities lie between 1 and 255"),
                );
                None
            }
        };
        let Some(info) = self.symbols.processes.get(&run.process.name) else {
            self.no_proctype(&run.process);
            return None;
        };
        if info.parameters.len() != arguments.len() {
            let text = format!(
                "`{}` has {} parameter{}, but {} {} given",
                run.process.name,
                info.parameters.len(),
                if info.parameters.len() == 1 { "" } else { "s" },
                arguments.len(),
                if arguments.len() == 1 { "is" } else { "are" }
            );
            self.error(Diagnostic::error(span, text));
            return None;
        }
        if run.args.len() == arguments.len() {
            run.args.iter().zip(&info.parameters).for_each(|(value, ty)| self.doubt_mtype(*ty, value));
        }
        self.runs.push(info.template);
        Some(Action::Run { template: info.template, arguments, priority, result })
    }

    /// Warns if the number of fields does not fit a channel whose declaration is known.
    pub(super) fn check_message(&mut self, channel: &ast::VarRef, given: usize, span: Span) {
        let Some(name) = channel.path.first().filter(|_| channel.path.len() == 1) else { return };
        let Some(shapes) = self.find_variable(&name.name.name).and_then(|i| i.message.clone()) else { return };
        let fields: usize = shapes.iter().map(|s| self.symbols.flatten(*s).len()).sum();
        if fields != given {
            let text = format!("messages of `{}` have {fields} fields, but there are {given} here", name_of(channel));
            self.warning(Diagnostic::warning(span, text));
        }
    }

    pub(super) fn options(&mut self, options: &[ast::Sequence]) -> Option<Vec<SeqId>> {
        let mut all_there = true;
        let mut sequences = Vec::new();
        let mut else_at: Option<Span> = None;
        for option in options {
            self.doubt_first_label(&option.stmts, ":: L: …", "L: if :: …");
            self.flow.open_sequence();
            self.statements(&option.stmts);
            match self.close(option.span) {
                Some(sequence) => {
                    let first = self.flow.first(sequence);
                    if self.flow.elem(first).op == Op::Else {
                        if let Some(other) = else_at {
                            self.error(
                                Diagnostic::error(self.flow.elem(first).span, "more than one `else`")
                                    .related(other, "the other one"),
                            );
                            all_there = false;
                        }
                        else_at = Some(self.flow.elem(first).span);
                    }
                    sequences.push(sequence);
                }
                None => all_there = false,
            }
        }
        (all_there && !sequences.is_empty()).then_some(sequences)
    }
}
