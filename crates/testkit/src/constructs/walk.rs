//! A walk over the syntax tree of a program that notes what it meets.
//!
//! The matches are exhaustive, so that a new kind of statement or expression does not compile until it has a name here.

use std::collections::{BTreeMap, BTreeSet};

use bughound_promela::ast::*;

use super::Found;

/// The constructs of a syntax tree.
pub fn walk(model: &Model) -> Found {
    let mut walker = Walker::default();
    for item in &model.items {
        walker.survey(item);
    }
    for item in &model.items {
        walker.item(item);
    }
    walker.found
}

/// What is met inside of something: an expression, a `d_step`.
#[derive(Default)]
pub(super) struct Inside {
    pub(super) names: BTreeSet<&'static str>,
    /// Polls and receives, by channel.
    pub(super) polls: BTreeMap<String, u32>,
    pub(super) receives: BTreeMap<String, u32>,
}

#[derive(Default)]
pub(super) struct Walker {
    pub(super) found: Found,
    globals: BTreeSet<Name>,
    /// Proctypes that are started with `active` only.
    pub(super) active: BTreeSet<Name>,
    channels: BTreeSet<Name>,
    pub(super) expression: Option<Inside>,
    pub(super) d_step: Option<Inside>,
    pub(super) atomic: u32,
    loops: u32,
    blocks: u32,
    pub(super) in_claim: bool,
    in_body: bool,
    /// Below `!` and below `||`.
    pub(super) negated: bool,
    pub(super) alternative: bool,
}

impl Walker {
    /// What later uses of names depend on.
    fn survey(&mut self, item: &Item) {
        match item {
            Item::Decl(decl) => self.globals.extend(decl.vars.iter().map(|v| v.name.name.clone())),
            Item::Proctype(p) if p.active.is_some() => {
                self.active.insert(p.name.name.clone());
            }
            _ => {}
        }
    }

    pub(super) fn note(&mut self, name: &'static str) {
        self.found.program.insert(name);
        for inside in [&mut self.expression, &mut self.d_step].into_iter().flatten() {
            inside.names.insert(name);
        }
    }

    pub(super) fn note_if(&mut self, condition: bool, name: &'static str) {
        if condition {
            self.note(name);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Proctype(p) => {
                self.note("proctype");
                if let Some(active) = &p.active {
                    self.note("active");
                    self.note_if(active.count.is_some(), "active array");
                }
                self.note_if(p.deterministic, "D_proctype");
                self.note_if(p.priority.is_some(), "priority");
                for decl in &p.params {
                    self.note(if decl.ty.kind == TypeKind::Chan { "channel parameter" } else { "proctype parameter" });
                    self.ty(&decl.ty);
                }
                if let Some(condition) = &p.provided {
                    self.note("provided");
                    self.expr(condition);
                }
                self.body(&p.body);
            }
            Item::Init(init) => {
                self.note("init");
                self.note_if(init.priority.is_some(), "priority");
                self.body(&init.body);
            }
            Item::Never(claim) => {
                self.note("never");
                self.in_claim = true;
                self.body(&claim.body);
                self.in_claim = false;
            }
            Item::Ltl(block) => {
                self.note("ltl");
                self.in_claim = true;
                self.ltl(&block.formula);
                self.in_claim = false;
            }
            Item::Trace(trace) => {
                self.note(if trace.negated { "notrace" } else { "trace" });
                self.in_body = true;
                trace.body.stmts.iter().for_each(|s| self.stmt(s));
                self.in_body = false;
            }
            Item::Decl(decl) => self.decl(decl),
            Item::Mtype(decl) => self.note(if decl.subtype.is_some() { "mtype subtype" } else { "mtype" }),
            Item::Typedef(t) => {
                self.note("typedef");
                let nested = |d: &Decl| matches!(d.ty.kind, TypeKind::Named(_));
                self.note_if(t.fields.iter().any(nested), "typedef in a typedef");
                self.note_if(t.fields.iter().any(|d| d.vars.iter().any(|v| v.array.is_some())), "array in a typedef");
                t.fields.iter().for_each(|d| self.ty(&d.ty));
            }
            Item::Inline(_) => self.note("inline"),
        }
    }

    fn body(&mut self, body: &Block) {
        self.in_body = true;
        body.stmts.iter().for_each(|s| self.stmt(s));
        self.in_body = false;
    }

    fn ty(&mut self, ty: &Type) {
        self.note(match &ty.kind {
            TypeKind::Bit => "type bit",
            TypeKind::Bool => "type bool",
            TypeKind::Byte => "type byte",
            TypeKind::Pid => "type pid",
            TypeKind::Short => "type short",
            TypeKind::Int => "type int",
            TypeKind::Unsigned => "type unsigned",
            TypeKind::Mtype(None) => "type mtype",
            TypeKind::Mtype(Some(_)) => "type mtype subtype",
            TypeKind::Chan => "type chan",
            TypeKind::Named(_) => "type struct",
        });
    }

    fn decl(&mut self, decl: &Decl) {
        self.ty(&decl.ty);
        match decl.visibility {
            Some(Visibility::Hidden) => self.note("hidden"),
            Some(Visibility::Show) => self.note("show"),
            Some(Visibility::Local) => self.note("local"),
            None => {}
        }
        self.note_if(decl.vars.len() > 1, "several variables in a declaration");
        self.note_if(self.in_body && !decl.at_start, "declaration in a body");
        for var in &decl.vars {
            if decl.ty.kind == TypeKind::Chan {
                self.channels.insert(var.name.name.clone());
            }
            self.note_if(var.array.is_some(), "array");
            if self.in_body && self.globals.contains(&var.name.name) {
                self.note("local that shadows a global");
                self.note_if(self.blocks > 0, "local of a block that shadows a global");
            }
            let hidden = decl.visibility == Some(Visibility::Hidden);
            self.note_if(hidden && var.init.is_some(), "hidden with an initial value");
            match &var.init {
                None => self.note_if(decl.ty.kind == TypeKind::Chan, "channel without initial value"),
                Some(Initializer::Expr(e)) => {
                    self.note(match (&decl.ty.kind, self.in_body) {
                        (TypeKind::Chan, _) => "channel alias",
                        (_, true) => "initial value of a local",
                        (_, false) => "initial value of a global",
                    });
                    self.expr(e);
                }
                Some(Initializer::List { values, .. }) => {
                    self.note("array initialiser");
                    values.iter().for_each(|e| self.expr(e));
                }
                Some(Initializer::Channel(init)) => {
                    self.note("channel");
                    self.note_if(self.in_body, "channel local");
                    self.note_if(var.array.is_some(), "channel array");
                    let zero = matches!(init.capacity.kind, ExprKind::Const { value: 0, .. });
                    self.note_if(zero, "rendezvous");
                    self.note_if(init.fields.len() > 1, "message with several fields");
                    self.note_if(init.fields.iter().any(|f| f.kind == TypeKind::Chan), "channel field");
                    let is_struct = |f: &Type| matches!(f.kind, TypeKind::Named(_));
                    self.note_if(init.fields.iter().any(is_struct), "struct message");
                }
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        for label in &stmt.labels {
            let is = |prefix: &str| label.name.starts_with(prefix);
            self.note(match () {
                _ if is("end") => "end label",
                _ if is("accept") => "accept label",
                _ if is("progress") => "progress label",
                _ => "label",
            });
        }
        self.note_if(stmt.cost.is_some(), "cost");
        let atomic = self.atomic > 0;
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl),
            StmtKind::ExclusiveAccess { mode, .. } => {
                self.note(if *mode == AccessMode::Receive { "xr" } else { "xs" });
            }
            StmtKind::Expr(e) => {
                self.note("condition as a statement");
                self.note_if(atomic, "atomic: condition");
                self.expr(e);
            }
            StmtKind::Assign { target, value } => {
                self.note("assignment");
                self.var(target);
                if let ExprKind::Run(_) = value.kind {
                    self.note("run: in expression");
                }
                self.expr(value);
            }
            StmtKind::Increment(var) => {
                self.note("increment");
                self.var(var);
            }
            StmtKind::Decrement(var) => {
                self.note("decrement");
                self.var(var);
            }
            StmtKind::Send(send) => {
                self.note(if send.sorted { "sorted send" } else { "send" });
                self.note_if(send.head_notation, "message notation");
                self.note_if(atomic, "atomic: send");
                self.index_of(&send.channel);
                send.args.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Receive(receive) => self.receive(receive),
            StmtKind::If(options) => {
                self.note("if");
                self.note_if(atomic, "atomic: if");
                options.iter().for_each(|o| o.stmts.iter().for_each(|s| self.stmt(s)));
            }
            StmtKind::Do(options) => {
                self.note("do");
                self.note_if(atomic, "atomic: do");
                self.note_if(self.loops > 0, "nested loop");
                self.loops += 1;
                options.iter().for_each(|o| o.stmts.iter().for_each(|s| self.stmt(s)));
                self.loops -= 1;
            }
            StmtKind::For(each) => {
                match &each.over {
                    ForRange::Range { from, to } => {
                        self.note("for: range");
                        self.expr(from);
                        self.expr(to);
                    }
                    ForRange::In(over) => {
                        let is_channel = self.channels.contains(&over.root().name);
                        self.note(if is_channel { "for: channel" } else { "for: array" });
                        self.index_of(over);
                    }
                }
                self.block(&each.body);
            }
            StmtKind::Select(select) => {
                self.note("select");
                self.var(&select.var);
                self.expr(&select.from);
                self.expr(&select.to);
            }
            StmtKind::Break => {
                self.note("break");
                self.note_if(atomic, "atomic: break");
            }
            StmtKind::Goto(_) => {
                self.note("goto");
                self.note_if(atomic, "atomic: goto");
            }
            StmtKind::Else => {
                self.note("else");
                self.note_if(atomic, "atomic: else");
            }
            StmtKind::Assert(e) => {
                self.note("assert");
                self.note_if(self.in_claim, "claim: assert");
                self.expr(e);
            }
            StmtKind::Printf { args, .. } => {
                self.note("printf");
                args.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Printm(e) => {
                self.note("printm");
                self.expr(e);
            }
            StmtKind::SetPriority { pid, priority } => {
                self.note("set_priority");
                self.expr(pid);
                self.expr(priority);
            }
            StmtKind::Atomic(block) => {
                self.note(if atomic { "nested atomic" } else { "atomic" });
                self.atomic += 1;
                self.block(block);
                self.atomic -= 1;
            }
            StmtKind::DStep(block) => {
                self.note("d_step");
                self.note_if(atomic, "d_step: nested in atomic");
                let outside = self.d_step.replace(Inside::default());
                self.block(block);
                let inside = std::mem::replace(&mut self.d_step, outside).unwrap_or_default();
                self.end_of_d_step(inside);
            }
            StmtKind::Block(block) => {
                self.note("block");
                self.block(block);
            }
            StmtKind::Unless { main, escape } => {
                self.note("unless");
                self.note_if(atomic, "atomic: unless");
                self.stmt(main);
                self.stmt(escape);
            }
            StmtKind::Inlined(call) => {
                self.note("inline call");
                self.note_if(call.result.is_some(), "inline call with a result");
                self.block(&call.body);
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.blocks += 1;
        block.stmts.iter().for_each(|s| self.stmt(s));
        self.blocks -= 1;
    }

    fn end_of_d_step(&mut self, mut inside: Inside) {
        let mut special = Vec::new();
        if inside.receives.values().any(|n| *n > 1) {
            special.push("several receives of one channel in a d_step");
        }
        if inside.receives.keys().any(|channel| inside.polls.contains_key(channel)) {
            special.push("poll and receive of one channel in a d_step");
        }
        self.found.program.extend(special.iter().copied());
        inside.names.extend(special);
        self.found.d_steps.push(inside.names);
    }

    fn receive(&mut self, receive: &Receive) {
        self.note(match (receive.random, receive.copy) {
            (false, false) => "receive",
            (true, false) => "random receive",
            (false, true) => "receive: keep",
            (true, true) => "random receive: keep",
        });
        self.note_if(receive.head_notation, "message notation");
        self.note_if(self.atomic > 0, "atomic: receive");
        self.index_of(&receive.channel);
        if let Some(d_step) = &mut self.d_step {
            *d_step.receives.entry(receive.channel.to_string()).or_default() += 1;
        }
        receive.args.iter().for_each(|a| self.pattern(a));
    }

    pub(super) fn pattern(&mut self, arg: &RecvArg) {
        match &arg.kind {
            RecvArgKind::Var(var) => {
                self.note("field: variable");
                self.var(var);
            }
            RecvArgKind::Eval(e) => {
                self.note("eval");
                self.expr(e);
            }
            RecvArgKind::Const(e) => {
                self.note("field: constant");
                self.expr(e);
            }
            RecvArgKind::Wildcard => self.note("variable _"),
        }
    }
}
