//! A walk over the syntax tree that finds out what each name refers to and how it is used.
//!
//! Names are looked up as SPIN does it: every pair of braces is a scope, a name is visible from its declaration on, and
//! the body of an inline is looked up at the place of its call. What is declared by one text (the body of an inline is
//! expanded once per call) counts as one declaration.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use bughound_ir::source::Span;
use bughound_promela::ast::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Variable,
    Parameter,
}

/// A declared variable and how often it is used.
#[derive(Clone, Debug)]
pub struct Declared {
    pub name: Name,
    pub span: Span,
    pub kind: Kind,
    pub hidden: bool,
    pub initialised: bool,
    /// Declared together with a channel: warnings about channels are made elsewhere.
    pub is_channel: bool,
    /// Reads that only serve to compute the next value of the same variable do not count.
    pub reads: u32,
    pub writes: u32,
}

#[derive(Clone, Debug)]
pub struct Label {
    /// Index into [`Names::bodies`].
    pub body: usize,
    pub name: Name,
    pub span: Span,
}

/// Everything that the walk found.
#[derive(Default)]
pub struct Names<'a> {
    declared: BTreeMap<(Span, Name), Declared>,
    /// Names of the process types, `init` last.
    pub bodies: Vec<Name>,
    pub labels: Vec<Label>,
    pub jumps: BTreeSet<(usize, Name)>,
    pub remote_labels: BTreeSet<(Name, Name)>,
    pub inlined: BTreeSet<Name>,
    /// The options of every `if` and `do`.
    pub choices: Vec<&'a [Sequence]>,
}

impl Names<'_> {
    pub fn variables(&self) -> impl Iterator<Item = &Declared> + '_ {
        self.declared.values()
    }
}

type Key = (Span, Name);

#[derive(Clone, Copy, PartialEq)]
enum Use {
    Read,
    Write,
}

struct Walk<'a> {
    names: Names<'a>,
    scopes: Vec<HashMap<Name, Key>>,
    /// Variables of each body by name, for remote references.
    owned: BTreeMap<(Name, Name), Vec<Key>>,
    remote: BTreeSet<(Name, Name)>,
    body: usize,
    /// Reads of this variable do not count now.
    computing: Option<Key>,
    is_claim: bool,
}

pub fn walk(model: &Model) -> Names<'_> {
    let mut walk = Walk {
        names: Names::default(),
        scopes: vec![HashMap::new()],
        owned: BTreeMap::new(),
        remote: BTreeSet::new(),
        body: 0,
        computing: None,
        is_claim: false,
    };
    for item in &model.items {
        walk.item(item);
    }
    for reference in walk.remote.clone() {
        for key in walk.owned.get(&reference).cloned().unwrap_or_default() {
            walk.count(&key, Use::Read);
        }
    }
    walk.names
}

impl<'a> Walk<'a> {
    fn item(&mut self, item: &'a Item) {
        match item {
            Item::Decl(decl) => self.decl(decl, Kind::Variable),
            Item::Proctype(p) => {
                self.open_body(&p.name.name);
                p.params.iter().for_each(|d| self.decl(d, Kind::Parameter));
                p.active.iter().filter_map(|a| a.count.as_ref()).for_each(|e| self.expr(e));
                p.provided.iter().chain(&p.priority).for_each(|e| self.expr(e));
                self.block(&p.body);
                self.scopes.pop();
            }
            Item::Init(init) => {
                self.open_body(&"init".into());
                self.block(&init.body);
                self.scopes.pop();
            }
            Item::Never(never) => {
                self.open_body(&"never".into());
                self.is_claim = true;
                self.block(&never.body);
                self.is_claim = false;
                self.scopes.pop();
            }
            Item::Ltl(ltl) => self.ltl(&ltl.formula),
            Item::Trace(trace) => {
                self.open_body(&"trace".into());
                self.block(&trace.body);
                self.scopes.pop();
            }
            Item::Typedef(typedef) => {
                let sizes = typedef.fields.iter().flat_map(|d| &d.vars).filter_map(|v| v.array.as_ref());
                sizes.for_each(|e| self.expr(e));
            }
            Item::Mtype(_) | Item::Inline(_) => {}
        }
    }

    fn open_body(&mut self, name: &Name) {
        self.body = self.names.bodies.len();
        self.names.bodies.push(name.clone());
        self.scopes.push(HashMap::new());
    }

    fn decl(&mut self, decl: &'a Decl, kind: Kind) {
        for var in &decl.vars {
            var.array.iter().chain(&var.width).for_each(|e| self.expr(e));
            match &var.init {
                Some(Initializer::Expr(e)) => self.expr(e),
                Some(Initializer::List { values, .. }) => values.iter().for_each(|e| self.expr(e)),
                Some(Initializer::Channel(channel)) => self.expr(&channel.capacity),
                None => {}
            }
            let key = (var.name.span, var.name.name.clone());
            let declared = Declared {
                name: var.name.name.clone(),
                span: var.name.span,
                kind,
                hidden: decl.visibility == Some(Visibility::Hidden),
                initialised: var.init.is_some(),
                is_channel: matches!(var.init, Some(Initializer::Channel(_))),
                reads: 0,
                writes: 0,
            };
            self.names.declared.entry(key.clone()).or_insert(declared);
            if self.scopes.len() > 1 {
                let owner = self.names.bodies[self.body].clone();
                self.owned.entry((owner, var.name.name.clone())).or_default().push(key.clone());
            }
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(var.name.name.clone(), key);
            }
        }
    }

    fn count(&mut self, key: &Key, usage: Use) {
        if let Some(declared) = self.names.declared.get_mut(key) {
            match usage {
                Use::Read if self.computing.as_ref() == Some(key) => {}
                Use::Read => declared.reads += 1,
                Use::Write => declared.writes += 1,
            }
        }
    }

    fn lookup(&self, name: &Name) -> Option<Key> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).cloned()
    }

    fn reference(&mut self, var: &'a VarRef, usage: Use) {
        if let Some(key) = self.lookup(&var.root().name) {
            self.count(&key, usage);
        }
        var.path.iter().filter_map(|segment| segment.index.as_ref()).for_each(|e| self.expr(e));
    }

    fn block(&mut self, block: &'a Block) {
        self.scopes.push(HashMap::new());
        block.stmts.iter().for_each(|s| self.stmt(s));
        self.scopes.pop();
    }

    fn choice(&mut self, options: &'a [Sequence]) {
        self.names.choices.push(options);
        options.iter().flat_map(|o| &o.stmts).for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        if !self.is_claim {
            let body = self.body;
            let labels = stmt.labels.iter().map(|l| Label { body, name: l.name.clone(), span: l.span });
            self.names.labels.extend(labels);
        }
        match &stmt.kind {
            StmtKind::Decl(decl) => self.decl(decl, Kind::Variable),
            StmtKind::ExclusiveAccess { .. } | StmtKind::Break | StmtKind::Else => {}
            StmtKind::Expr(e) | StmtKind::Assert(e) | StmtKind::Printm(e) => self.expr(e),
            StmtKind::Assign { target, value } => {
                self.reference(target, Use::Write);
                self.computing = self.lookup(&target.root().name);
                self.expr(value);
                self.computing = None;
            }
            StmtKind::Increment(var) | StmtKind::Decrement(var) => self.reference(var, Use::Write),
            StmtKind::Send(send) => {
                self.reference(&send.channel, Use::Read);
                send.args.iter().for_each(|e| self.expr(e));
            }
            StmtKind::Receive(receive) => {
                self.reference(&receive.channel, Use::Read);
                receive.args.iter().for_each(|a| self.received(a, Use::Write));
            }
            StmtKind::If(options) | StmtKind::Do(options) => self.choice(options),
            StmtKind::For(looped) => {
                self.reference(&looped.var, Use::Write);
                match &looped.over {
                    ForRange::Range { from, to } => {
                        self.reference(&looped.var, Use::Read);
                        self.expr(from);
                        self.expr(to);
                    }
                    ForRange::In(var) => {
                        self.reference(&looped.var, Use::Read);
                        self.reference(var, Use::Read);
                    }
                }
                self.block(&looped.body);
            }
            StmtKind::Select(select) => {
                self.reference(&select.var, Use::Write);
                self.expr(&select.from);
                self.expr(&select.to);
            }
            StmtKind::Goto(label) => {
                self.names.jumps.insert((self.body, label.name.clone()));
            }
            StmtKind::Printf { args, .. } => args.iter().for_each(|e| self.expr(e)),
            StmtKind::SetPriority { pid, priority } => {
                self.expr(pid);
                self.expr(priority);
            }
            StmtKind::Atomic(block) | StmtKind::DStep(block) | StmtKind::Block(block) => self.block(block),
            StmtKind::Unless { main, escape } => {
                self.stmt(main);
                self.stmt(escape);
            }
            StmtKind::Inlined(inlined) => {
                self.names.inlined.insert(inlined.name.name.clone());
                inlined.result.iter().for_each(|var| self.reference(var, Use::Write));
                self.block(&inlined.body);
            }
        }
    }

    fn received(&mut self, arg: &'a RecvArg, usage: Use) {
        match &arg.kind {
            RecvArgKind::Var(var) => self.reference(var, usage),
            RecvArgKind::Eval(e) | RecvArgKind::Const(e) => self.expr(e),
            RecvArgKind::Wildcard => {}
        }
    }

    fn ltl(&mut self, formula: &'a Ltl) {
        match &formula.kind {
            LtlKind::Atom(e) => self.expr(e),
            LtlKind::Unary { operand, .. } => self.ltl(operand),
            LtlKind::Binary { left, right, .. } => {
                self.ltl(left);
                self.ltl(right);
            }
        }
    }

    fn expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Const { .. } | ExprKind::Timeout | ExprKind::NonProgress => {}
            ExprKind::Var(var) | ExprKind::Channel { channel: var, .. } => self.reference(var, Use::Read),
            ExprKind::Unary { operand, .. } => self.expr(operand),
            ExprKind::Enabled(e) | ExprKind::PcValue(e) | ExprKind::GetPriority(e) => self.expr(e),
            ExprKind::Binary { left, right, .. } => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Run(run) => run.args.iter().chain(&run.priority).for_each(|e| self.expr(e)),
            ExprKind::Poll(poll) => {
                self.reference(&poll.channel, Use::Read);
                poll.args.iter().for_each(|a| self.received(a, Use::Read));
            }
            ExprKind::RemoteLabel(remote) => {
                self.names.remote_labels.insert((remote.process.name.clone(), remote.label.name.clone()));
                remote.pid.iter().for_each(|e| self.expr(e));
            }
            ExprKind::RemoteVar(remote) => {
                self.remote.insert((remote.process.name.clone(), remote.var.name.name.clone()));
                remote.pid.iter().chain(&remote.var.index).for_each(|e| self.expr(e));
            }
        }
    }
}
