//! Warnings about what SPIN refuses, or takes in another way, and this lowering gives its plain meaning: one variable for
//! several fields of a message, constants of another `mtype`, jumps across the border of a `d_step`, labels where SPIN
//! allows none, references to processes that cannot be there, `provided` clauses about local variables.

use bughound_ir::expr::{Expr, Pattern, Scope};
use bughound_ir::network::TemplateId;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{EnumId, ValueType};

use super::Lowering;
use super::body::BodyLowering;
use super::elements::{Jump, Op};
use super::expressions::name_of;
use super::symbols::Symbols;
use crate::ast::{self, ExprKind, Name, RecvArgKind, StmtKind};

/// `P[2]@label` or `P[2]:variable`: who is named, and where.
#[derive(Clone, Debug)]
pub struct NamedProcess {
    pub name: Name,
    pub template: TemplateId,
    pub pid: i32,
    pub span: Span,
}

impl BodyLowering<'_> {
    /// `q?x,x`: the last field wins.
    pub(super) fn doubt_bindings(&mut self, arguments: &[ast::RecvArg], patterns: &[Pattern], span: Span) {
        let repeated = patterns
            .iter()
            .enumerate()
            .any(|(at, pattern)| matches!(pattern, Pattern::Bind(_)) && patterns[..at].contains(pattern));
        if !repeated {
            return;
        }
        let names: Vec<String> = arguments.iter().map(name_of_argument).collect();
        let twice = names.iter().enumerate().find(|(at, name)| names[..*at].contains(name));
        let name = twice.map_or(String::new(), |(_, name)| format!(" (`{name}`)"));
        let text = format!("one variable takes several fields of a message{name}");
        let warning = Diagnostic::warning(span, text).label("it keeps the last of them; SPIN refuses this");
        self.warning(warning.help("receive into different variables, or write `_` for a field that is not needed"));
    }

    /// A `provided` clause that looks at what belongs to the process itself.
    pub(super) fn provided(&mut self, clause: &ast::Expr) -> Expr {
        let condition = self.expr(clause);
        if condition.any(|part| matches!(part, Expr::Read(place) if matches!(place.scope, Scope::Own))) {
            let text = "a `provided` clause looks at a parameter or a local variable";
            let warning =
                Diagnostic::warning(clause.span, text).label("each process looks at its own; SPIN refuses this");
            self.warning(warning.help("SPIN's verifier is written without the clause: its answer may be another one"));
        }
        condition
    }

    /// Warns if a value of one `mtype` is used as one of another.
    pub(super) fn doubt_mtype(&mut self, expected: ValueType, value: &ast::Expr) {
        if let ValueType::Mtype(expected) = expected
            && let Some(given) = self.mtype_of(value)
        {
            self.doubt_mtypes(expected, given, value.span);
        }
    }

    /// Warns if two values of different `mtype`s are compared.
    pub(super) fn doubt_comparison(&mut self, op: ast::BinaryOp, left: &ast::Expr, right: &ast::Expr) {
        if matches!(op, ast::BinaryOp::Equal | ast::BinaryOp::NotEqual)
            && let (Some(expected), Some(given)) = (self.mtype_of(left), self.mtype_of(right))
        {
            self.doubt_mtypes(expected, given, right.span);
        }
    }

    /// Warns if fields of a message are of another `mtype` than the channel was declared with.
    pub(super) fn doubt_sent(&mut self, channel: &ast::VarRef, arguments: &[ast::Expr]) {
        for (at, ty) in self.fields_of(channel, arguments.len()).into_iter().enumerate() {
            self.doubt_mtype(ty, &arguments[at]);
        }
    }

    /// The same for what is received or polled.
    pub(super) fn doubt_received(&mut self, channel: &ast::VarRef, arguments: &[ast::RecvArg]) {
        for (at, ty) in self.fields_of(channel, arguments.len()).into_iter().enumerate() {
            let argument = &arguments[at];
            match &argument.kind {
                RecvArgKind::Var(var) => {
                    let value = ast::Expr { kind: ExprKind::Var(var.clone()), span: argument.span };
                    self.doubt_mtype(ty, &value);
                }
                RecvArgKind::Eval(value) | RecvArgKind::Const(value) => self.doubt_mtype(ty, value),
                RecvArgKind::Wildcard => {}
            }
        }
    }

    fn doubt_mtypes(&mut self, expected: EnumId, given: EnumId, span: Span) {
        if expected != given {
            let (expected, given) = (self.symbols.mtype_name(expected), self.symbols.mtype_name(given));
            let text = format!("a value of `{given}` where one of `{expected}` is expected");
            let warning = Diagnostic::warning(span, text).label("only its number counts");
            self.warning(warning.help("names of different `mtype`s can have the same number"));
        }
    }

    /// The types of the fields of a channel, if its declaration is known, each field has one argument, and there is
    /// anything to be mixed up.
    fn fields_of(&self, channel: &ast::VarRef, arguments: usize) -> Vec<ValueType> {
        if !self.symbols.has_several_mtypes() || channel.path.len() != 1 {
            return Vec::new();
        }
        let info = self.find_variable(&channel.root().name);
        let shapes = info.and_then(|info| info.message.as_deref()).unwrap_or_default();
        let fields: Vec<ValueType> = shapes.iter().flat_map(|shape| self.symbols.flatten(*shape)).collect();
        if fields.len() == arguments { fields } else { Vec::new() }
    }

    /// The `mtype` of a constant or variable.
    fn mtype_of(&mut self, value: &ast::Expr) -> Option<EnumId> {
        let ExprKind::Var(var) = &value.kind else { return None };
        if !self.symbols.has_several_mtypes() {
            return None;
        }
        if let Some((_, id)) = var.as_name().and_then(|name| self.symbols.mtypes.get(&name.name)) {
            return Some(*id);
        }
        match self.resolve_quietly(var)?.place.ty {
            ValueType::Mtype(id) => Some(id),
            _ => None,
        }
    }

    /// `{ L: … }`, also as an option: SPIN wants the label before the whole.
    pub(super) fn doubt_first_label(&mut self, statements: &[ast::Stmt], instead: &str, write: &str) {
        if let Some(label) = statements.first().and_then(|first| first.labels.first()) {
            let text = format!("label `{}` is placed where SPIN allows none", label.name);
            let warning = Diagnostic::warning(label.span, text).label("it names the first statement");
            self.warning(warning.help(format!("instead of `{instead}` write `{write}`")));
        }
    }

    /// `L: a unless b`.
    pub(super) fn doubt_label_of_unless(&mut self, main: &ast::Stmt) {
        let blocks = matches!(main.kind, StmtKind::Atomic(_) | StmtKind::DStep(_) | StmtKind::Block(_));
        if !blocks {
            self.doubt_first_label(std::slice::from_ref(main), "L: a unless b", "L: { a unless b }");
        }
    }

    /// Jumps into a `d_step` and out of one. A jump to its first statement is one to the whole; to another one there is no
    /// way, since the inside of a `d_step` is no place to be at.
    pub(super) fn doubt_jumps(&mut self) {
        for at in 0..self.flow.elements.len() {
            let element = &self.flow.elements[at];
            let Op::Goto(jump) = &element.op else { continue };
            let Some(target) = self.flow.jump_target(jump) else { continue };
            let (span, leaves, enters) = (element.span, element.in_dstep, self.flow.elem(target).in_dstep);
            if leaves && !enters {
                let warning = Diagnostic::warning(span, "a jump out of a `d_step`");
                self.warning(warning.help("the `d_step` ends with it; SPIN refuses this"));
            } else if enters && !leaves {
                match self.flow.d_step_before(target) {
                    Some(whole) => self.flow.elements[at].op = Op::Goto(Jump::Element(whole)),
                    None => {
                        let error = Diagnostic::error(span, "a jump into the middle of a `d_step`");
                        self.error(error.help("put the label before the `d_step`, or use `atomic`"));
                    }
                }
            }
        }
    }
}

impl Lowering<'_> {
    /// References to process numbers that never belong to a process of that type: in SPIN they read another process's
    /// memory, here they are never true.
    pub(super) fn doubt_named_processes(&mut self, named: &[NamedProcess], run: &[TemplateId]) {
        let start: Vec<TemplateId> = self.builder.so_far().start.iter().map(|start| start.template).collect();
        for reference in named.iter().filter(|reference| !run.contains(&reference.template)) {
            let NamedProcess { name, pid, .. } = reference;
            let at = |pid: i32| usize::try_from(pid).ok().and_then(|pid| start.get(pid));
            if at(*pid) == Some(&reference.template) {
                continue;
            }
            let numbers: Vec<String> = (0..start.len() as i32)
                .filter(|pid| at(*pid) == Some(&reference.template))
                .map(|pid| pid.to_string())
                .collect();
            let known = match numbers.as_slice() {
                [] => format!("no process of type `{name}` is ever started"),
                [one] => format!("the only process of type `{name}` has the number {one}"),
                all => format!("the processes of type `{name}` have the numbers {}", all.join(", ")),
            };
            let text = format!("process {pid} is never of type `{name}`");
            self.diagnostics.push(Diagnostic::warning(reference.span, text).label(known));
        }
    }
}

impl Symbols {
    fn has_several_mtypes(&self) -> bool {
        self.mtype_ids.len() > 1
    }

    /// `mtype` or `mtype:colour`.
    fn mtype_name(&self, id: EnumId) -> String {
        let name = self.mtype_ids.iter().find(|(_, other)| **other == id).and_then(|(name, _)| name.as_ref());
        name.map_or("mtype".to_string(), |name| format!("mtype:{name}"))
    }
}

fn name_of_argument(argument: &ast::RecvArg) -> String {
    match &argument.kind {
        RecvArgKind::Var(var) => name_of(var),
        _ => String::new(),
    }
}
