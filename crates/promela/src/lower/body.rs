//! One process body: scopes, declarations and statements, from syntax to elements.

use std::collections::HashMap;

use bughound_ir::builder::TemplateBuilder;
use bughound_ir::edge::{Action, Sync};
use bughound_ir::expr::{BinaryOp, Expr, Place};
use bughound_ir::network::{Initialiser, LocationId};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{Channel, ValueType};

use super::elements::{ElemId, Flow, Jump, LabelPlace, Op, SeqId};
use super::expressions::name_of;
use super::symbols::{Exclusive, Owner, Shape, Symbols, VarInfo};
use crate::ast::{self, ExprKind, Initializer, Name, StmtKind};

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

/// Which option of a `select` loop comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SelectOrder {
    StepFirst,
    BreakFirst,
}

/// How a counting loop is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exit {
    Else,
    Break(SelectOrder),
}

/// The state of lowering one body.
pub struct BodyLowering<'a> {
    pub symbols: &'a Symbols,
    /// Outlines of all bodies by template; empty in the first pass.
    pub outlines: &'a [Outline],
    pub flow: Flow,
    pub template: TemplateBuilder,
    /// Labels of other bodies that this one looks at.
    pub remote_labels: Vec<(usize, Name)>,
    /// `xr` and `xs` of global channels.
    pub promises: Vec<(Name, ast::AccessMode)>,
    /// Reads variables of other processes.
    pub reads_remote_variables: bool,
    /// Looks at `_last`, if only in code that is never reached.
    pub mentions_last: bool,
    /// Local variables, for remote references.
    pub variables: HashMap<Name, VarInfo>,
    /// Has a local variable whose initial value SPIN takes for an access to global state.
    pub unsafe_start: bool,
    scopes: Vec<(u32, HashMap<Name, VarInfo>)>,
    next_scope: u32,
    loops: Vec<u32>,
    in_dstep: bool,
    /// Depth of inline calls around the current statement.
    inlines: u32,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
    /// (order of its type, initialiser): SPIN initialises by type.
    initialisers: Vec<(u8, Initialiser)>,
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
            promises: Vec::new(),
            reads_remote_variables: false,
            mentions_last: false,
            variables: HashMap::new(),
            unsafe_start: false,
            scopes: vec![(0, HashMap::new())],
            next_scope: 1,
            loops: Vec::new(),
            in_dstep: false,
            inlines: 0,
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

    fn scope_path(&self) -> Vec<u32> {
        self.scopes.iter().map(|(id, _)| *id).collect()
    }

    fn enter_scope(&mut self) {
        self.scopes.push((self.next_scope, HashMap::new()));
        self.next_scope += 1;
    }

    /// Declares parameters, in order.
    pub fn parameters(&mut self, params: &[ast::Decl]) {
        for decl in params {
            for declarator in &decl.vars {
                if let Some(array) = &declarator.array {
                    self.error(Diagnostic::error(array.span, "a parameter cannot be an array"));
                }
                if let Some(info) = self.declare(decl, declarator) {
                    self.template.parameters += self.symbols.flatten(info.shape).len() as u32;
                }
            }
        }
    }

    /// Gives a variable its place in the frame.
    fn declare(&mut self, decl: &ast::Decl, declarator: &ast::Declarator) -> Option<VarInfo> {
        let shape = self.symbols.shape(&decl.ty, Some(declarator), &mut self.errors);
        let array = self.symbols.array_len(declarator, &mut self.errors);
        let slots = self.symbols.slots_of(shape).saturating_mul(array.unwrap_or(1));
        if slots > super::MAX_SLOTS {
            self.error(super::too_large(declarator));
            return None;
        }
        let slot = self.template.allocate(slots);
        let message = super::message_shapes(self.symbols, declarator, &mut self.errors);
        let info = VarInfo {
            owner: Owner::Local,
            slot,
            shape,
            array,
            span: declarator.name.span,
            message,
            exclusive: Exclusive::default(),
            promised_local: false,
        };
        let name = &declarator.name.name;
        if let Some(other) = self.scopes.iter().rev().find_map(|(_, names)| names.get(name)) {
            let text = format!("`{name}` is declared twice in this process");
            let first = other.span;
            self.error(Diagnostic::error(declarator.name.span, text).related(first, "first declared here"));
        }
        if self.symbols.mtypes.contains_key(name) {
            self.error(Diagnostic::error(declarator.name.span, format!("`{name}` is the name of an mtype constant")));
        }
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        self.template.variables.extend(self.symbols.leaves(name, &info, hidden));
        self.variables.insert(name.clone(), info.clone());
        if let Some((_, names)) = self.scopes.last_mut() {
            names.insert(name.clone(), info.clone());
        }
        Some(info)
    }

    /// A declaration in its place: at the start of the body the variable is initialised with the process, elsewhere by a
    /// step.
    fn declaration(&mut self, decl: &ast::Decl) {
        for declarator in &decl.vars {
            let value = match &declarator.init {
                Some(Initializer::Expr(e)) => Some((self.expr(e), e)),
                _ => None,
            };
            let Some(info) = self.declare(decl, declarator) else { continue };
            self.struct_channels(&info);
            let order = super::type_order(&decl.ty.kind);
            match (&declarator.init, value) {
                (Some(Initializer::Channel(init)), _) => {
                    if !decl.at_start {
                        self.warning(
                            Diagnostic::warning(declarator.span, format!("channel `{}` exists from the start of the process", declarator.name.name))
                                .help("declare it before the first statement"),
                        );
                    }
                    self.unsafe_start = true;
                    self.channels(&declarator.name.name, init, info.slot, info.array.unwrap_or(1), order);
                }
                (Some(Initializer::List { values, .. }), _) => {
                    self.unsafe_start = true;
                    self.list_initialiser(decl, &info, values, order);
                }
                (_, Some((value, source))) => {
                    let ExprKind::Const { .. } = &source.kind else {
                        self.unsafe_start |= !self.is_local_name(source);
                        self.initial_value(decl, declarator, &info, value, order);
                        continue;
                    };
                    self.initial_value(decl, declarator, &info, value, order);
                }
                (None, _) if !decl.at_start => {
                    self.step_for_declaration(declarator, &info, Expr::Const(0));
                }
                _ => {}
            }
        }
    }

    fn is_local_name(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(v) if v.as_name().is_some_and(|n| {
            self.symbols.mtypes.contains_key(&n.name) || self.find_variable(&n.name).is_some_and(|i| i.owner == Owner::Local)
        }))
    }

    fn initial_value(
        &mut self,
        decl: &ast::Decl,
        declarator: &ast::Declarator,
        info: &VarInfo,
        value: Expr,
        order: u8,
    ) {
        if decl.at_start {
            for i in 0..info.array.unwrap_or(1) {
                let target = self.element_place(info, i);
                self.initialisers.push((order, Initialiser::Assign(Action::Assign { target, value: value.clone() })));
            }
        } else {
            // Of an array, SPIN sets only the first element then.
            self.step_for_declaration(declarator, info, value);
        }
    }

    fn list_initialiser(&mut self, decl: &ast::Decl, info: &VarInfo, values: &[ast::Expr], order: u8) {
        let Some(len) = info.array else {
            self.error(Diagnostic::error(decl.span, "only an array can be initialised with a list"));
            return;
        };
        if !decl.at_start {
            self.error(
                Diagnostic::error(decl.span, "a list of initial values is possible only before the first statement")
                    .help("declare the array at the start of the process"),
            );
        }
        let values: Vec<Expr> = values.iter().map(|v| self.expr(v)).collect();
        for i in 0..len {
            // The last value serves for all elements that follow.
            let Some(value) = values.get(i as usize).or(values.last()) else { return };
            let target = self.element_place(info, i);
            self.initialisers.push((order, Initialiser::Assign(Action::Assign { target, value: value.clone() })));
        }
    }

    fn element_place(&self, info: &VarInfo, index: u32) -> Place {
        let ty = match info.shape {
            Shape::Scalar(ty) => ty,
            Shape::Struct(_) => ValueType::Int,
        };
        Place::own(info.slot + index * self.symbols.slots_of(info.shape), ty)
    }

    fn step_for_declaration(&mut self, declarator: &ast::Declarator, info: &VarInfo, value: Expr) {
        let text = match &declarator.init {
            Some(Initializer::Expr(e)) => format!("{} = {}", declarator.name.name, e.to_string()),
            _ => format!("{} = 0", declarator.name.name),
        };
        let op = match info.shape {
            Shape::Scalar(_) => Op::Act(Action::Assign { target: self.element_place(info, 0), value }),
            Shape::Struct(_) => Op::Nothing,
        };
        let global = matches!(&declarator.init, Some(Initializer::Expr(e)) if self.expr_is_global(e));
        let element = self.flow.new_element(op, declarator.span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }

    /// Channels that the fields of a struct declare.
    fn struct_channels(&mut self, info: &VarInfo) {
        let mut found = Vec::new();
        super::channels_in(self.symbols, info, &mut |name, init, slot, count| found.push((name, init, slot, count)));
        for (name, init, slot, count) in found {
            self.unsafe_start = true;
            self.channels(&name, &init, slot, count, 7);
        }
    }

    /// Makes `count` channels and has the variables from `slot` on hold them.
    fn channels(&mut self, name: &str, init: &ast::ChannelInit, slot: u32, count: u32, order: u8) {
        let Some((capacity, fields)) = super::channel_shape(self.symbols, init, &mut self.errors) else { return };
        for i in 0..count {
            let name = if count > 1 { format!("{name}[{i}]") } else { name.to_string() };
            let mut channel = Channel { name, capacity, fields: fields.clone(), slot: 0, span: init.span };
            channel.slot = self.template.allocate(channel.slots());
            let index = self.template.channels.len() as u32;
            self.template.channels.push(channel);
            self.initialisers.push((order, Initialiser::Channel { slot: slot + i, index }));
        }
    }

    /// Lowers the whole body; returns its sequence.
    pub fn body(&mut self, block: &ast::Block) -> Option<SeqId> {
        self.flow.open_sequence();
        self.enter_scope();
        self.statements(&block.stmts);
        self.scopes.pop();
        let end = Span { start: block.span.end.saturating_sub(1), ..block.span };
        let stop = self.flow.new_element(Op::Stop, end, "-end-".into());
        self.flow.add(stop);
        let sequence = self.flow.close_sequence();
        self.initialisers.sort_by_key(|(order, _)| *order);
        self.template.initialisers = self.initialisers.drain(..).map(|(_, i)| i).collect();
        self.check_jumps();
        sequence
    }

    fn check_jumps(&mut self) {
        for at in 0..self.flow.elements.len() {
            if let Op::Goto(jump @ Jump::Label { name, span, .. }) = &self.flow.elements[at].op
                && self.flow.jump_target(jump).is_none()
            {
                let diagnostic = Diagnostic::error(*span, format!("there is no label `{name}` in this process"));
                self.errors.push(diagnostic);
            }
        }
    }

    fn statements(&mut self, statements: &[ast::Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    /// A block in a sequence of its own. An empty one is an error, as in SPIN.
    fn block(&mut self, block: &ast::Block) -> Option<SeqId> {
        self.flow.open_sequence();
        self.enter_scope();
        self.statements(&block.stmts);
        self.scopes.pop();
        self.close(block.span)
    }

    fn close(&mut self, span: Span) -> Option<SeqId> {
        let sequence = self.flow.close_sequence();
        if sequence.is_none() {
            self.error(
                Diagnostic::error(span, "a sequence needs at least one statement").help("write `skip` if nothing is to be done"),
            );
        }
        sequence
    }

    fn statement(&mut self, statement: &ast::Stmt) {
        if let StmtKind::Unless { main, escape } = &statement.kind {
            self.unless(statement, main, escape);
            return;
        }
        let scope = self.scope_path();
        let Some(element) = self.unlabelled(statement) else { return };
        for label in statement.labels.iter().rev() {
            self.label(label, element, scope.clone());
        }
        if !matches!(self.flow.elem(element).op, Op::If | Op::Do | Op::Unless) {
            self.flow.add(element);
        }
    }

    fn label(&mut self, label: &ast::Ident, element: ElemId, scope: Vec<u32>) {
        if let Some(other) = self.flow.labels.iter().find(|l| l.name == label.name && l.scope == scope) {
            let text = format!("label `{}` is used twice", label.name);
            let first = other.span;
            self.error(Diagnostic::error(label.span, text).related(first, "first used here"));
        }
        self.flow.set_label(LabelPlace { name: label.name.clone(), scope, element, span: label.span });
    }

    fn unless(&mut self, statement: &ast::Stmt, main: &ast::Stmt, escape: &ast::Stmt) {
        if self.in_dstep {
            self.error(Diagnostic::error(statement.span, "`unless` cannot be used inside `d_step`"));
            return;
        }
        let lifted = !main.labels.is_empty()
            && matches!(main.kind, StmtKind::Atomic(_) | StmtKind::DStep(_) | StmtKind::Block(_));
        let scope = self.scope_path();
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
            let element = self.flow.new_element(op, statement.span, main.kind.to_string());
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
    fn block_of(&mut self, statement: &ast::Stmt) -> Option<SeqId> {
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
                self.flow.make_atomic(body?, true);
                body
            }
            StmtKind::Block(block) => self.block(block),
            StmtKind::Inlined(inlined) => {
                self.inlines += 1;
                let body = self.block(&inlined.body);
                self.inlines -= 1;
                body
            }
            _ => None,
        }
    }

    fn as_sequence(&mut self, statement: &ast::Stmt) -> Option<SeqId> {
        if let (StmtKind::Block(block), true) = (&statement.kind, statement.labels.is_empty()) {
            return self.block(block);
        }
        self.flow.open_sequence();
        self.statement(statement);
        self.close(statement.span)
    }

    fn simple(&mut self, op: Op, statement: &ast::Stmt) -> Option<ElemId> {
        let element = self.flow.new_element(op, statement.span, statement.kind.to_string());
        self.flow.elem_mut(element).global = self.statement_is_global(statement);
        Some(element)
    }

    /// The element of a statement; choices are added to the open sequence at once, others by the caller.
    fn unlabelled(&mut self, statement: &ast::Stmt) -> Option<ElemId> {
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
                let op = self.assignment(target, value)?;
                self.simple(op, statement)
            }
            StmtKind::Increment(target) => self.count(statement, target, BinaryOp::Add),
            StmtKind::Decrement(target) => self.count(statement, target, BinaryOp::Subtract),
            StmtKind::Send(send) => {
                let channel = self.channel(&send.channel);
                let fields = self.spread_arguments(&send.args);
                self.check_message(&send.channel, fields.len(), statement.span);
                self.simple(Op::Send(Sync::Send { channel, sorted: send.sorted, fields }), statement)
            }
            StmtKind::Receive(receive) => {
                let channel = self.channel(&receive.channel);
                let patterns = self.patterns(&receive.args);
                self.check_message(&receive.channel, patterns.len(), statement.span);
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
                let text = condition.to_string();
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
                self.simple(Op::DStep(body), statement)
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
    fn promise(&mut self, mode: ast::AccessMode, channel: &Name) {
        let local = self.scopes.iter_mut().rev().find_map(|(_, names)| names.get_mut(channel));
        match local {
            Some(info) => info.exclusive.add(mode),
            None => self.promises.push((channel.clone(), mode)),
        }
    }

    fn assignment(&mut self, target: &ast::VarRef, value: &ast::Expr) -> Option<Op> {
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
        let value = self.expr(value);
        Some(Op::Act(Action::Assign { target: place, value }))
    }

    fn count(&mut self, statement: &ast::Stmt, target: &ast::VarRef, op: BinaryOp) -> Option<ElemId> {
        let place = self.scalar(target)?;
        if place.ty == ValueType::Chan {
            self.error(Diagnostic::error(target.span, "channels cannot be counted up or down"));
            return None;
        }
        let value = Expr::binary(op, Expr::read(place.clone()), Expr::Const(1));
        self.simple(Op::Act(Action::Assign { target: place, value }), statement)
    }

    fn run(&mut self, run: &ast::Run, span: Span, result: Option<Place>) -> Option<Action> {
        if self.in_dstep {
            self.error(Diagnostic::error(span, "`run` cannot be used inside `d_step`"));
        }
        let arguments = self.spread_arguments(&run.args);
        let priority = run.priority.as_ref().map(|p| self.expr(p));
        let Some(info) = self.symbols.processes.get(&run.process.name) else {
            self.error(Diagnostic::error(run.process.span, format!("there is no proctype `{}`", run.process.name)));
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
        Some(Action::Run { template: info.template, arguments, priority, result })
    }

    /// Warns if the number of fields does not fit a channel whose declaration is known.
    fn check_message(&mut self, channel: &ast::VarRef, given: usize, span: Span) {
        let Some(name) = channel.path.first().filter(|_| channel.path.len() == 1) else { return };
        let Some(shapes) = self.find_variable(&name.name.name).and_then(|i| i.message.clone()) else { return };
        let fields: usize = shapes.iter().map(|s| self.symbols.flatten(*s).len()).sum();
        if fields != given {
            let text = format!("messages of `{}` have {fields} fields, but there are {given} here", name_of(channel));
            self.warning(Diagnostic::warning(span, text));
        }
    }

    fn options(&mut self, options: &[ast::Sequence]) -> Option<Vec<SeqId>> {
        let mut all_there = true;
        let mut sequences = Vec::new();
        let mut else_at: Option<Span> = None;
        for option in options {
            self.flow.open_sequence();
            self.statements(&option.stmts);
            match self.close(option.span) {
                Some(sequence) => {
                    let first = self.flow.first(sequence);
                    if self.flow.elem(first).op == Op::Else {
                        if let Some(other) = else_at {
                            self.error(
                                Diagnostic::error(self.flow.elem(first).span, "more than one `else`").related(other, "the other one"),
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

    /// `v = from; do :: v <= to -> body; v++ :: else -> break od`, in SPIN's order of options.
    fn for_loop(&mut self, statement: &ast::Stmt, for_loop: &ast::ForLoop) -> Option<ElemId> {
        let number = self.flow.new_loop();
        match &for_loop.over {
            ast::ForRange::Range { from, to } => {
                let place = self.scalar(&for_loop.var)?;
                let value = self.expr(from);
                let text = format!("{} = {}", name_of(&for_loop.var), from.to_string());
                let global = self.variable_is_global(&for_loop.var) || self.expr_is_global(from);
                self.add_assignment(place.clone(), value, for_loop.var.span, text, global);
                self.flow.open_sequence();
                let limit = self.expr(to);
                let text = format!("{} <= {}", name_of(&for_loop.var), to.to_string());
                let global = self.variable_is_global(&for_loop.var) || self.expr_is_global(to);
                let condition = Expr::binary(BinaryOp::LessEqual, Expr::read(place.clone()), limit);
                self.add_condition(condition, for_loop.var.span, text, global);
                self.loop_body(statement, place, &name_of(&for_loop.var), number, &for_loop.body)
            }
            ast::ForRange::In(over) => self.for_in(statement, for_loop, over, number),
        }
    }

    fn for_in(&mut self, statement: &ast::Stmt, for_loop: &ast::ForLoop, over: &ast::VarRef, number: u32) -> Option<ElemId> {
        let variable = self.resolve(&for_loop.var)?;
        if matches!(variable.shape, Shape::Struct(_)) {
            return self.for_messages(statement, for_loop, over, number);
        }
        let place = self.scalar(&for_loop.var)?;
        let array = self.resolve(over)?;
        let Some(len) = array.whole_array else {
            self.error(Diagnostic::error(over.span, format!("`{}` is not an array", name_of(over))));
            return None;
        };
        let name = name_of(&for_loop.var);
        let global = self.variable_is_global(&for_loop.var);
        self.add_assignment(place.clone(), Expr::Const(0), for_loop.var.span, format!("{name} = 0"), global);
        self.flow.open_sequence();
        let condition = Expr::binary(BinaryOp::LessEqual, Expr::read(place.clone()), Expr::Const(len as i32 - 1));
        self.add_condition(condition, for_loop.var.span, format!("{name} <= {}", len - 1), global);
        self.loop_body(statement, place, &name, number, &for_loop.body)
    }

    /// Takes each message out and puts it back behind the others.
    fn for_messages(&mut self, statement: &ast::Stmt, for_loop: &ast::ForLoop, over: &ast::VarRef, number: u32) -> Option<ElemId> {
        let channel = self.channel(over);
        let message = self.find_variable(&over.root().name).and_then(|i| i.message.clone());
        let variable = self.resolve(&for_loop.var)?;
        match message.as_deref() {
            Some([shape]) if *shape == variable.shape => {}
            _ => {
                self.error(
                    Diagnostic::error(over.span, format!("`{}` does not hold messages of the type of `{}`", name_of(over), name_of(&for_loop.var)))
                        .help("the channel must be declared with this struct as its only field"),
                );
                return None;
            }
        }
        let slot = self.template.allocate(1);
        let counter = Place::own(slot, ValueType::Byte);
        self.template.variables.push(bughound_ir::types::Variable {
            name: format!("_for_{slot}"),
            ty: ValueType::Byte,
            slot,
            dims: Vec::new(),
            hidden: true,
            span: statement.span,
        });
        let places = self.scalars(&for_loop.var);
        self.add_assignment(counter.clone(), Expr::Const(0), statement.span, "for: first message".into(), false);
        self.flow.open_sequence();
        let length = Expr::Channel(bughound_ir::expr::ChannelQuery::Length, Box::new(channel.clone()));
        let condition = Expr::binary(BinaryOp::Less, Expr::read(counter.clone()), length);
        self.add_condition(condition, statement.span, format!("for: more messages in {}", name_of(over)), true);
        let patterns = places.iter().cloned().map(bughound_ir::expr::Pattern::Bind).collect();
        let receive = Sync::Receive { channel: channel.clone(), anywhere: false, keep: false, patterns };
        let fields = places.into_iter().map(Expr::read).collect();
        let send = Sync::Send { channel, sorted: false, fields };
        let (var, over) = (name_of(&for_loop.var), name_of(over));
        for (op, text) in [(Op::Receive(receive), format!("{over}?{var}")), (Op::Send(send), format!("{over}!{var}"))] {
            let element = self.flow.new_element(op, statement.span, text);
            self.flow.elem_mut(element).global = true;
            self.flow.add(element);
        }
        self.loop_body(statement, counter, "for", number, &for_loop.body)
    }

    fn loop_body(&mut self, statement: &ast::Stmt, counter: Place, name: &str, number: u32, body: &ast::Block) -> Option<ElemId> {
        self.loops.push(number);
        self.enter_scope();
        self.statements(&body.stmts);
        self.scopes.pop();
        self.loops.pop();
        self.counting_loop(statement, counter, name, number, Exit::Else)
    }

    /// Ends the open sequence with `counter++` and makes the loop of it and of the option that leaves it.
    fn counting_loop(&mut self, statement: &ast::Stmt, counter: Place, name: &str, number: u32, exit: Exit) -> Option<ElemId> {
        let more = Expr::binary(BinaryOp::Add, Expr::read(counter.clone()), Expr::Const(1));
        let global = counter.scope == bughound_ir::expr::Scope::Global;
        self.add_assignment(counter, more, statement.span, format!("{name}++"), global);
        let main = self.close(statement.span);
        self.flow.open_sequence();
        if exit == Exit::Else {
            let element = self.flow.new_element(Op::Else, statement.span, "else".into());
            self.flow.add(element);
        }
        let leave = self.flow.new_element(Op::Goto(Jump::Break(number)), statement.span, "break".into());
        self.flow.add(leave);
        let leave = self.close(statement.span);
        let options = match exit {
            Exit::Break(SelectOrder::StepFirst) => vec![main?, leave?],
            _ => vec![leave?, main?],
        };
        Some(self.flow.add_do(options, number, false, statement.span))
    }

    /// A choice of a value. SPIN writes a range of up to 33 literal values as an `if` with one option each, and a longer
    /// one as `do :: v < to -> v++ :: break od`, but only where it sees the literals, not inside an inline; all others
    /// become the same loop with the options the other way round.
    fn select(&mut self, statement: &ast::Stmt, select: &ast::Select) -> Option<ElemId> {
        let literal = |e: &ast::Expr| match e.kind {
            ExprKind::Const { value, spelling: ast::ConstSpelling::Number } => Some(value),
            _ => None,
        };
        let plain = select.var.as_name().is_some_and(|n| n.name.bytes().all(|b| b.is_ascii_alphanumeric()));
        match (literal(&select.from), literal(&select.to)) {
            (Some(from), Some(to)) if plain && self.inlines == 0 => {
                if from > to {
                    self.error(Diagnostic::error(statement.span, format!("there is no value from {from} to {to}")));
                    return None;
                }
                let place = self.scalar(&select.var)?;
                let global = self.variable_is_global(&select.var);
                if to - from <= 32 {
                    return self.select_by_if(statement, place, &name_of(&select.var), global, from..=to);
                }
                self.select_by_loop(statement, select, SelectOrder::StepFirst)
            }
            _ => self.select_by_loop(statement, select, SelectOrder::BreakFirst),
        }
    }

    fn select_by_if(
        &mut self,
        statement: &ast::Stmt,
        place: Place,
        name: &str,
        global: bool,
        values: std::ops::RangeInclusive<i32>,
    ) -> Option<ElemId> {
        let mut options = Vec::new();
        for value in values {
            self.flow.open_sequence();
            self.add_assignment(place.clone(), Expr::Const(value), statement.span, format!("{name} = {value}"), global);
            options.push(self.close(statement.span)?);
        }
        Some(self.flow.add_if(options, statement.span))
    }

    fn select_by_loop(&mut self, statement: &ast::Stmt, select: &ast::Select, order: SelectOrder) -> Option<ElemId> {
        let place = self.scalar(&select.var)?;
        let name = name_of(&select.var);
        let value = self.expr(&select.from);
        let variable_global = self.variable_is_global(&select.var);
        let global = variable_global || self.expr_is_global(&select.from);
        self.add_assignment(place.clone(), value, select.var.span, format!("{name} = {}", select.from.to_string()), global);
        self.flow.open_sequence();
        let limit = self.expr(&select.to);
        let global = variable_global || self.expr_is_global(&select.to);
        let condition = Expr::binary(BinaryOp::Less, Expr::read(place.clone()), limit);
        self.add_condition(condition, select.var.span, format!("{name} < {}", select.to.to_string()), global);
        let number = self.flow.new_loop();
        self.counting_loop(statement, place, &name, number, Exit::Break(order))
    }

    fn add_assignment(&mut self, target: Place, value: Expr, span: Span, text: String, global: bool) {
        let element = self.flow.new_element(Op::Act(Action::Assign { target, value }), span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }

    fn add_condition(&mut self, expr: Expr, span: Span, text: String, global: bool) {
        let element = self.flow.new_element(Op::Condition { expr, literal: None }, span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }
}
