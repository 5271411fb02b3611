//! Expressions and references to variables: from names to slots.

use bughound_ir::expr::{BinaryOp, ChannelQuery, Expr, Index, Pattern, Place, Scope, UnaryOp};
use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::{edit_distance, suggest};
use bughound_ir::types::ValueType;

use super::body::BodyLowering;
use super::doubts::NamedProcess;
use super::numbering::RemoteLabel;
use super::symbols::{Owner, Shape, VarInfo};
use crate::ast::{self, ExprKind, RecvArgKind};

/// Names longer than this get no suggestions.
const LONGEST_TYPED_NAME: usize = 100;
/// What a misspelt word may have meant besides a variable.
const STATEMENTS_OF_ONE_WORD: [&str; 4] = ["skip", "break", "else", "timeout"];

pub fn unary(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::Negate => UnaryOp::Minus,
        ast::UnaryOp::Complement => UnaryOp::Complement,
    }
}

pub fn binary(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Or => BinaryOp::Or,
        ast::BinaryOp::And => BinaryOp::And,
        ast::BinaryOp::BitOr => BinaryOp::BitOr,
        ast::BinaryOp::BitXor => BinaryOp::BitXor,
        ast::BinaryOp::BitAnd => BinaryOp::BitAnd,
        ast::BinaryOp::Equal => BinaryOp::Equal,
        ast::BinaryOp::NotEqual => BinaryOp::NotEqual,
        ast::BinaryOp::Less => BinaryOp::Less,
        ast::BinaryOp::LessEqual => BinaryOp::LessEqual,
        ast::BinaryOp::Greater => BinaryOp::Greater,
        ast::BinaryOp::GreaterEqual => BinaryOp::GreaterEqual,
        ast::BinaryOp::ShiftLeft => BinaryOp::ShiftLeft,
        ast::BinaryOp::ShiftRight => BinaryOp::ShiftRight,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Subtract => BinaryOp::Subtract,
        ast::BinaryOp::Multiply => BinaryOp::Multiply,
        ast::BinaryOp::Divide => BinaryOp::Divide,
        ast::BinaryOp::Remainder => BinaryOp::Remainder,
    }
}

fn query(query: ast::ChannelQuery) -> ChannelQuery {
    match query {
        ast::ChannelQuery::Len => ChannelQuery::Length,
        ast::ChannelQuery::Full => ChannelQuery::Full,
        ast::ChannelQuery::Empty => ChannelQuery::Empty,
        ast::ChannelQuery::NotFull => ChannelQuery::NotFull,
        ast::ChannelQuery::NotEmpty => ChannelQuery::NotEmpty,
    }
}

/// A resolved reference: a place with its shape (a struct, or an array without index, is several slots).
pub struct Resolved {
    pub place: Place,
    pub shape: Shape,
    /// Length, when the last part of the path is an array used without index.
    pub whole_array: Option<u32>,
}

impl BodyLowering<'_> {
    /// An expression; errors are reported and give 0.
    pub fn expr(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Const { value, .. } => Expr::Const(*value),
            ExprKind::Var(var) => self.variable_value(var),
            ExprKind::Unary { op, operand } => Expr::Unary(unary(*op), Box::new(self.expr(operand))),
            ExprKind::Binary { op, left, right } => {
                // Long chains such as a+b+c+… lean to the left: walk down iteratively.
                self.doubt_comparison(*op, left, right);
                let mut stack = vec![(*op, right)];
                let mut leftmost = left;
                while let ExprKind::Binary { op, left, right } = &leftmost.kind {
                    self.doubt_comparison(*op, left, right);
                    stack.push((*op, right));
                    leftmost = left;
                }
                let mut value = self.expr(leftmost);
                while let Some((op, right)) = stack.pop() {
                    value = Expr::binary(binary(op), value, self.expr(right));
                }
                value
            }
            ExprKind::Conditional { condition, then, otherwise } => Expr::Conditional(
                Box::new(self.expr(condition)),
                Box::new(self.expr(then)),
                Box::new(self.expr(otherwise)),
            ),
            ExprKind::Run(_) => {
                self.error(
                    Diagnostic::error(expr.span, "`run` cannot be part of a larger expression")
                        .help("use it as a statement of its own, or as `x = run P()`"),
                );
                Expr::Const(0)
            }
            ExprKind::Channel { query: q, channel } => Expr::Channel(query(*q), Box::new(self.channel(channel))),
            ExprKind::Poll(poll) => {
                self.doubt_received(&poll.channel, &poll.args);
                Expr::Poll {
                    channel: Box::new(self.channel(&poll.channel)),
                    anywhere: poll.random,
                    patterns: self.patterns(&poll.args),
                }
            }
            ExprKind::Enabled(pid) => Expr::Enabled(Box::new(self.expr(pid))),
            ExprKind::PcValue(pid) => Expr::LocationNumber(Box::new(self.expr(pid))),
            ExprKind::GetPriority(pid) => Expr::Priority(Box::new(self.expr(pid))),
            ExprKind::Timeout => {
                if self.of_formula {
                    let text = "`timeout` is true or false for a process that waits, not in a property";
                    let help = "the property `deadlock` is about states in which nobody can move";
                    self.error(Diagnostic::error(expr.span, text).help(help));
                }
                Expr::Timeout
            }
            ExprKind::NonProgress => Expr::NonProgress,
            ExprKind::RemoteLabel(remote) => self.remote_label(remote),
            ExprKind::RemoteVar(remote) => self.remote_variable(remote),
        }
    }

    fn variable_value(&mut self, var: &ast::VarRef) -> Expr {
        if let Some(name) = var.as_name() {
            if let Some((value, _)) = self.symbols.mtypes.get(&name.name) {
                return Expr::Const(*value);
            }
            if matches!(&*name.name, "_pid" | "_priority") && (self.of_formula || self.flow.is_claim) {
                let text = format!("`{}` belongs to a process: it has no meaning in a property", name.name);
                let help = "name a process by its number, as in `P[1]@label`, or compare a variable that holds one";
                self.error(Diagnostic::error(name.span, text).help(help));
                return Expr::Const(0);
            }
            match &*name.name {
                "_pid" => return Expr::OwnPid,
                "_nr_pr" => return Expr::ProcessCount,
                "_last" => {
                    self.mentions_last = true;
                    return Expr::LastProcess;
                }
                "_priority" => return Expr::Priority(Box::new(Expr::OwnPid)),
                "_" => {
                    self.error(Diagnostic::error(name.span, "`_` can be written, but it has no value to read"));
                    return Expr::Const(0);
                }
                _ => {}
            }
        }
        match self.scalar(var) {
            Some(place) => Expr::read(place),
            None => Expr::Const(0),
        }
    }

    /// A reference to one scalar.
    pub fn scalar(&mut self, var: &ast::VarRef) -> Option<Place> {
        let resolved = self.resolve(var)?;
        let mut place = resolved.place;
        if let Some(len) = resolved.whole_array {
            self.warning(
                Diagnostic::warning(var.span, format!("`{}` is an array and has no index here", name_of(var)))
                    .label("element 0 is meant")
                    .help("write the index"),
            );
            place.indices.push(Index { value: Expr::Const(0), len, stride: self.symbols.slots_of(resolved.shape) });
        }
        match resolved.shape {
            Shape::Scalar(_) => Some(place),
            Shape::Struct(_) => {
                self.error(
                    Diagnostic::error(var.span, format!("`{}` is a struct", name_of(var)))
                        .label("a single value is needed here")
                        .help("name one of its fields"),
                );
                None
            }
        }
    }

    /// Finds the variable and its fields and indices.
    pub fn resolve(&mut self, var: &ast::VarRef) -> Option<Resolved> {
        let root = var.root();
        let Some(info) = self.find_variable(&root.name).cloned() else {
            self.undeclared(root);
            return None;
        };
        let scope = match info.owner {
            Owner::Global => {
                self.globals.push(root.name.clone());
                Scope::Global
            }
            Owner::Local => Scope::Own,
        };
        self.resolve_path(scope, &info, &var.path)
    }

    fn resolve_path(&mut self, scope: Scope, info: &VarInfo, path: &[ast::PathSegment]) -> Option<Resolved> {
        let mut slot = info.slot;
        let mut shape = info.shape;
        let mut array = info.array;
        let mut indices = Vec::new();
        for (at, segment) in path.iter().enumerate() {
            if at > 0 {
                let Shape::Struct(id) = shape else {
                    self.error(Diagnostic::error(
                        segment.name.span,
                        format!("`{}` is no struct: it has no field `{}`", path[at - 1].name.name, segment.name.name),
                    ));
                    return None;
                };
                if let Some(len) = array {
                    // An array of structs used without index: element 0, as in SPIN.
                    indices.push(Index { value: Expr::Const(0), len, stride: self.symbols.slots_of(shape) });
                }
                let definition = &self.symbols.structs[id.0];
                let Some(field) = definition.fields.iter().find(|f| f.name == segment.name.name) else {
                    let known: Vec<&str> = definition.fields.iter().map(|f| &*f.name).collect();
                    let text = format!("type `{}` has no field `{}`", definition.name, segment.name.name);
                    let help = format!("its fields are: {}", known.join(", "));
                    self.error(Diagnostic::error(segment.name.span, text).help(help));
                    return None;
                };
                slot += field.offset;
                array = field.array;
                shape = field.shape;
            }
            if let Some(index) = &segment.index {
                let value = self.expr(index);
                let Some(len) = array.take() else {
                    self.error(Diagnostic::error(index.span, format!("`{}` is not an array", segment.name.name)));
                    return None;
                };
                if let Expr::Const(i) = value
                    && (i < 0 || i as u32 >= len)
                {
                    self.warning(
                        Diagnostic::warning(index.span, format!("index {i} is outside of `{}`", segment.name.name))
                            .label(format!("its elements are 0 to {}", len - 1)),
                    );
                }
                indices.push(Index { value, len, stride: self.symbols.slots_of(shape) });
            }
        }
        let ty = match shape {
            Shape::Scalar(ty) => ty,
            Shape::Struct(_) => ValueType::Int,
        };
        Some(Resolved { place: Place { scope, slot, indices, ty }, shape, whole_array: array })
    }

    /// Every scalar of a reference that may be a struct or (inside one) an array, in order.
    pub fn scalars(&mut self, var: &ast::VarRef) -> Vec<Place> {
        let Some(resolved) = self.resolve(var) else { return Vec::new() };
        if let (Shape::Scalar(_), Some(_)) = (resolved.shape, resolved.whole_array) {
            return self.scalar(var).into_iter().collect();
        }
        let mut out = Vec::new();
        self.spread(&resolved.place, resolved.shape, &mut out);
        out
    }

    fn spread(&self, place: &Place, shape: Shape, out: &mut Vec<Place>) {
        match shape {
            Shape::Scalar(ty) => out.push(Place { ty, ..place.clone() }),
            Shape::Struct(id) => {
                for field in &self.symbols.structs[id.0].fields {
                    let stride = self.symbols.slots_of(field.shape);
                    for i in 0..field.array.unwrap_or(1) {
                        let inner = Place { slot: place.slot + field.offset + i * stride, ..place.clone() };
                        self.spread(&inner, field.shape, out);
                    }
                }
            }
        }
    }

    /// Arguments of a send or a `run`: structs spread into their fields.
    pub fn spread_arguments(&mut self, arguments: &[ast::Expr]) -> Vec<Expr> {
        let mut out = Vec::new();
        for argument in arguments {
            if let ExprKind::Var(var) = &argument.kind
                && !self.is_named_value(var)
                && let Some(resolved) = self.resolve_quietly(var)
                && matches!(resolved.shape, Shape::Struct(_))
            {
                out.extend(self.scalars(var).into_iter().map(Expr::read));
                continue;
            }
            out.push(self.expr(argument));
        }
        out
    }

    pub(super) fn resolve_quietly(&mut self, var: &ast::VarRef) -> Option<Resolved> {
        let (errors, warnings) = self.diagnostic_counts();
        let resolved = self.resolve(var);
        self.forget_diagnostics(errors, warnings);
        resolved
    }

    /// Does the name stand for a constant or something predefined?
    fn is_named_value(&self, var: &ast::VarRef) -> bool {
        var.as_name().is_some_and(|n| {
            self.symbols.mtypes.contains_key(&n.name)
                || matches!(&*n.name, "_pid" | "_nr_pr" | "_last" | "_priority" | "_")
        })
    }

    /// The number of the channel that a reference names.
    pub fn channel(&mut self, var: &ast::VarRef) -> Expr {
        let Some(place) = self.scalar(var) else { return Expr::Const(0) };
        if !matches!(place.ty, ValueType::Chan | ValueType::Byte | ValueType::Int | ValueType::Pid) {
            self.error(Diagnostic::error(var.span, format!("`{}` is not a channel", name_of(var))));
            return Expr::Const(0);
        }
        Expr::read(place)
    }

    pub fn patterns(&mut self, arguments: &[ast::RecvArg]) -> Vec<Pattern> {
        let mut out = Vec::new();
        for argument in arguments {
            match &argument.kind {
                RecvArgKind::Wildcard => out.push(Pattern::Any),
                RecvArgKind::Eval(e) | RecvArgKind::Const(e) => out.push(Pattern::Match(self.expr(e))),
                RecvArgKind::Var(var) => {
                    let value = var.as_name().and_then(|n| self.symbols.mtypes.get(&n.name)).map(|(value, _)| *value);
                    match value {
                        Some(value) => out.push(Pattern::Match(Expr::Const(value))),
                        None if self.is_named_value(var) && name_of(var) == "_" => out.push(Pattern::Any),
                        None if self.is_named_value(var) => {
                            let text = format!("`{}` cannot be received into", name_of(var));
                            let help = format!("write `eval({})` to match its value", name_of(var));
                            self.error(Diagnostic::error(argument.span, text).help(help));
                            out.push(Pattern::Any);
                        }
                        None => out.extend(self.scalars(var).into_iter().map(Pattern::Bind)),
                    }
                }
            }
        }
        out
    }

    fn remote_pid(&mut self, process: &ast::Ident, pid: Option<&ast::Expr>) -> Option<(Expr, usize)> {
        let Some(info) = self.symbols.processes.get(&process.name) else {
            self.no_proctype(process);
            return None;
        };
        let template = info.template;
        if let Some(at) = pid
            && let Some(number) = self.symbols.fold(at)
        {
            let name = process.name.clone();
            self.named_processes.push(NamedProcess { name, template, pid: number, span: at.span });
        }
        let pid = match pid {
            Some(e) => self.expr(e),
            None => Expr::FirstOf(template),
        };
        Some((pid, template.0 as usize))
    }

    fn remote_label(&mut self, remote: &ast::RemoteLabel) -> Expr {
        let Some((pid, template)) = self.remote_pid(&remote.process, remote.pid.as_ref()) else {
            return Expr::Const(0);
        };
        let at = self.flow.elements.len() as u32;
        self.remote_labels.push(RemoteLabel { template, label: remote.label.name.clone(), at });
        let Some(outline) = self.outlines.get(template) else { return Expr::Const(0) }; // first pass
        match outline.label(&remote.label.name) {
            Some(location) => Expr::At { pid: Box::new(pid), location },
            None => {
                let hint = suggest(&remote.label.name, outline.labels.keys().map(|name| &**name));
                let text = format!("proctype `{}` has no label `{}`{hint}", remote.process.name, remote.label.name);
                self.error(Diagnostic::error(remote.label.span, text));
                Expr::Const(0)
            }
        }
    }

    fn remote_variable(&mut self, remote: &ast::RemoteVar) -> Expr {
        let Some((pid, template)) = self.remote_pid(&remote.process, remote.pid.as_ref()) else {
            return Expr::Const(0);
        };
        self.reads_remote_variables = true;
        let Some(outline) = self.outlines.get(template) else { return Expr::Const(0) }; // first pass
        let name = &remote.var.name;
        let Some(info) = outline.variables.get(&name.name).cloned() else {
            let hint = suggest(&name.name, outline.variables.keys().map(|name| &**name));
            let text = format!("proctype `{}` has no variable `{}`{hint}", remote.process.name, name.name);
            self.error(Diagnostic::error(name.span, text));
            return Expr::Const(0);
        };
        let scope = Scope::Process { pid: Box::new(pid), template: bughound_ir::network::TemplateId(template as u32) };
        let Some(resolved) = self.resolve_path(scope, &info, std::slice::from_ref(&remote.var)) else {
            return Expr::Const(0);
        };
        let mut place = resolved.place;
        if let Some(len) = resolved.whole_array {
            place.indices.push(Index { value: Expr::Const(0), len, stride: self.symbols.slots_of(resolved.shape) });
        }
        if matches!(resolved.shape, Shape::Struct(_)) {
            self.error(Diagnostic::error(name.span, "a struct in another process cannot be read as a whole"));
            return Expr::Const(0);
        }
        Expr::read(place)
    }

    pub(super) fn no_proctype(&mut self, process: &ast::Ident) {
        let hint = suggest(&process.name, self.symbols.processes.keys().map(|name| &**name));
        self.error(Diagnostic::error(process.span, format!("there is no proctype `{}`{hint}", process.name)));
    }

    fn undeclared(&mut self, name: &ast::Ident) {
        let mut diagnostic = Diagnostic::error(name.span, format!("`{}` is not declared", name.name));
        if let Some(similar) = self.similar_name(&name.name) {
            diagnostic = diagnostic.help(format!("did you mean `{similar}`?"));
        }
        self.error(diagnostic);
    }

    /// A declared name that differs in a letter or two.
    fn similar_name(&self, name: &str) -> Option<String> {
        let most = 1 + name.len() / 5;
        // A comparison takes time in proportion to both lengths, and nobody misspells such a name by hand.
        let comparable = |other: &String| name.len() <= LONGEST_TYPED_NAME && name.len().abs_diff(other.len()) <= most;
        let words = STATEMENTS_OF_ONE_WORD.map(str::to_string);
        let candidates = self.visible_names().into_iter().chain(words).filter(comparable);
        let best = candidates.map(|c| (edit_distance(name, &c), c)).min()?;
        (best.0 <= most).then_some(best.1)
    }
}

pub fn name_of(var: &ast::VarRef) -> String {
    var.path.iter().map(|s| &*s.name.name).collect::<Vec<_>>().join(".")
}
