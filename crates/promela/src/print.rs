//! Expressions, statements and formulas as text, for traces.
//!
//! The style is SPIN's (`q?y,x`, `x = x+1`, `(a==1)` for a condition) with no more parentheses than needed to read the
//! text back. A compound statement is shown by its first line: what is inside has steps of its own.

use crate::ast::*;
use std::fmt::{self, Display, Formatter, Write};

impl Display for VarRef {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (at, segment) in self.path.iter().enumerate() {
            if at > 0 {
                f.write_char('.')?;
            }
            segment.fmt(f)?;
        }
        Ok(())
    }
}

impl Display for PathSegment {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.name.name)?;
        match &self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl BinaryOp {
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Or => "||",
            BinaryOp::And => "&&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::BitAnd => "&",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
        }
    }

    fn power(self) -> u8 {
        match self {
            BinaryOp::Or => 2,
            BinaryOp::And => 3,
            BinaryOp::BitOr => 5,
            BinaryOp::BitXor => 6,
            BinaryOp::BitAnd => 7,
            BinaryOp::Equal | BinaryOp::NotEqual => 8,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => 9,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => 10,
            BinaryOp::Add | BinaryOp::Subtract => 11,
            BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder => 12,
        }
    }
}

impl UnaryOp {
    pub fn text(self) -> &'static str {
        match self {
            UnaryOp::Not => "!",
            UnaryOp::Negate => "-",
            UnaryOp::Complement => "~",
        }
    }
}

impl ChannelQuery {
    pub fn text(self) -> &'static str {
        match self {
            ChannelQuery::Len => "len",
            ChannelQuery::Full => "full",
            ChannelQuery::Empty => "empty",
            ChannelQuery::NotFull => "nfull",
            ChannelQuery::NotEmpty => "nempty",
        }
    }
}

/// Binding power of the outermost operator; operands without one bind tightest.
fn power(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Binary { op, .. } => op.power(),
        // A sign in front must not run together with an operator before it: `a-(-b)`, `!(!a)`.
        ExprKind::Unary { .. } => 13,
        ExprKind::Const { value, spelling: ConstSpelling::Number } if *value < 0 => 13,
        _ => 20,
    }
}

/// A character as it is written between quotes; `None` if only its number can be read back.
fn character(value: i32) -> Option<String> {
    let byte = u8::try_from(value).ok()?;
    Some(match byte {
        b'\n' => "\\n".to_string(),
        b'\r' => "\\r".to_string(),
        b'\t' => "\\t".to_string(),
        0x0c => "\\f".to_string(),
        b'\'' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => return None,
    })
}

/// Writes an operand, in parentheses if it binds less tightly than `min`.
fn operand(f: &mut Formatter, expr: &Expr, min: u8) -> fmt::Result {
    if power(expr) < min { write!(f, "({expr})") } else { expr.fmt(f) }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match &self.kind {
            ExprKind::Const { value, spelling } => match spelling {
                ConstSpelling::True => f.write_str("true"),
                ConstSpelling::False => f.write_str("false"),
                ConstSpelling::Skip => f.write_str("skip"),
                ConstSpelling::Char => match character(*value) {
                    Some(text) => write!(f, "'{text}'"),
                    None => write!(f, "{value}"),
                },
                ConstSpelling::Number => write!(f, "{value}"),
            },
            ExprKind::Var(var) => var.fmt(f),
            ExprKind::Unary { op, operand: inner } => {
                f.write_str(op.text())?;
                operand(f, inner, 14)
            }
            ExprKind::Binary { op, left, right } => {
                operand(f, left, op.power())?;
                match op {
                    BinaryOp::And | BinaryOp::Or => write!(f, " {} ", op.text())?,
                    _ => f.write_str(op.text())?,
                }
                let sign = right.to_string().starts_with('-') || power(right) == 13;
                let arithmetic = op.power() >= BinaryOp::Add.power();
                operand(f, right, if sign && arithmetic { 14 } else { op.power() + 1 })
            }
            ExprKind::Conditional { condition, then, otherwise } => write!(f, "({condition} -> {then} : {otherwise})"),
            ExprKind::Run(run) => {
                write!(f, "run {}({})", run.process.name, List(&run.args))?;
                match &run.priority {
                    Some(priority) => write!(f, " priority {priority}"),
                    None => Ok(()),
                }
            }
            ExprKind::Channel { query, channel } => write!(f, "{}({channel})", query.text()),
            ExprKind::Poll(poll) => {
                let mark = if poll.random { "??" } else { "?" };
                write!(f, "{}{mark}[{}]", poll.channel, Message(&poll.args, poll.head_notation))
            }
            ExprKind::Enabled(pid) => write!(f, "enabled({pid})"),
            ExprKind::PcValue(pid) => write!(f, "pc_value({pid})"),
            ExprKind::GetPriority(pid) => write!(f, "get_priority({pid})"),
            ExprKind::Timeout => f.write_str("timeout"),
            ExprKind::NonProgress => f.write_str("np_"),
            ExprKind::RemoteLabel(remote) => {
                write!(f, "{}@{}", Process(&remote.process, &remote.pid), remote.label.name)
            }
            ExprKind::RemoteVar(remote) => write!(f, "{}:{}", Process(&remote.process, &remote.pid), remote.var),
        }
    }
}

/// `P` or `P[i]`
struct Process<'a>(&'a Ident, &'a Option<Expr>);

impl Display for Process<'_> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.1 {
            Some(pid) => write!(f, "{}[{pid}]", self.0.name),
            None => f.write_str(&self.0.name),
        }
    }
}

/// Parts with commas between them.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        for (at, part) in self.0.iter().enumerate() {
            if at > 0 {
                f.write_char(',')?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

/// Message fields: `a,b,c` or `a(b,c)`.
struct Message<'a, T>(&'a [T], bool);

impl<T: Display> Display for Message<'_, T> {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self.0 {
            [head, rest @ ..] if self.1 && !rest.is_empty() => write!(f, "{head}({})", List(rest)),
            all => List(all).fmt(f),
        }
    }
}

impl Display for RecvArg {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match &self.kind {
            RecvArgKind::Var(var) => var.fmt(f),
            RecvArgKind::Eval(expr) => write!(f, "eval({expr})"),
            RecvArgKind::Const(expr) => expr.fmt(f),
            RecvArgKind::Wildcard => f.write_char('_'),
        }
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match &self.kind {
            TypeKind::Bit => "bit",
            TypeKind::Bool => "bool",
            TypeKind::Byte => "byte",
            TypeKind::Pid => "pid",
            TypeKind::Short => "short",
            TypeKind::Int => "int",
            TypeKind::Unsigned => "unsigned",
            TypeKind::Mtype(None) => "mtype",
            TypeKind::Mtype(Some(subtype)) => return write!(f, "mtype:{}", subtype.name),
            TypeKind::Chan => "chan",
            TypeKind::Named(name) => &name.name,
        })
    }
}

impl Display for Declarator {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(&self.name.name)?;
        if let Some(width) = &self.width {
            write!(f, ":{width}")?;
        }
        if let Some(length) = &self.array {
            write!(f, "[{length}]")?;
        }
        match &self.init {
            None => Ok(()),
            Some(Initializer::Expr(value)) => write!(f, " = {value}"),
            Some(Initializer::List { values, .. }) => write!(f, " = {{{}}}", List(values)),
            Some(Initializer::Channel(init)) => write!(f, " = [{}] of {{{}}}", init.capacity, List(&init.fields)),
        }
    }
}

impl Display for Decl {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        f.write_str(match self.visibility {
            None => "",
            Some(Visibility::Hidden) => "hidden ",
            Some(Visibility::Show) => "show ",
            Some(Visibility::Local) => "local ",
        })?;
        write!(f, "{} {}", self.ty, List(&self.vars))
    }
}

impl Display for Stmt {
    /// The statement without its labels, with the macros that the user wrote.
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match &self.written {
            Some(written) => f.write_str(written),
            None => self.kind.fmt(f),
        }
    }
}

impl Display for StmtKind {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        match self {
            StmtKind::Decl(decl) => decl.fmt(f),
            StmtKind::ExclusiveAccess { mode: AccessMode::Receive, channels } => write!(f, "xr {}", List(channels)),
            StmtKind::ExclusiveAccess { mode: AccessMode::Send, channels } => write!(f, "xs {}", List(channels)),
            StmtKind::Expr(expr) => match &expr.kind {
                ExprKind::Const { spelling: ConstSpelling::Skip, .. } | ExprKind::Run(_) => expr.fmt(f),
                ExprKind::Conditional { .. } => expr.fmt(f),
                _ => write!(f, "({expr})"),
            },
            StmtKind::Assign { target, value } => write!(f, "{target} = {value}"),
            StmtKind::Increment(target) => write!(f, "{target}++"),
            StmtKind::Decrement(target) => write!(f, "{target}--"),
            StmtKind::Send(send) => send.fmt(f),
            StmtKind::Receive(receive) => receive.fmt(f),
            StmtKind::If(_) => f.write_str("if"),
            StmtKind::Do(_) => f.write_str("do"),
            StmtKind::For(each) => match &each.over {
                ForRange::Range { from, to } => write!(f, "for ({} : {from} .. {to})", each.var),
                ForRange::In(over) => write!(f, "for ({} in {over})", each.var),
            },
            StmtKind::Select(select) => write!(f, "select ({} : {} .. {})", select.var, select.from, select.to),
            StmtKind::Break => f.write_str("break"),
            StmtKind::Goto(label) => write!(f, "goto {}", label.name),
            StmtKind::Else => f.write_str("else"),
            StmtKind::Assert(expr) => write!(f, "assert({expr})"),
            StmtKind::Printf { format, args } => {
                write!(f, "printf(\"{}\"", format.text)?;
                args.iter().try_for_each(|arg| write!(f, ",{arg}"))?;
                f.write_char(')')
            }
            StmtKind::Printm(arg) => write!(f, "printm({arg})"),
            StmtKind::SetPriority { pid, priority } => write!(f, "set_priority({pid},{priority})"),
            StmtKind::Atomic(_) => f.write_str("atomic"),
            StmtKind::DStep(_) => f.write_str("d_step"),
            StmtKind::Block(_) => f.write_str("{ … }"),
            StmtKind::Unless { main, escape } => write!(f, "{main} unless {escape}"),
            StmtKind::Inlined(inlined) => match &inlined.result {
                Some(target) => write!(f, "{target} = {}(…)", inlined.name.name),
                None => write!(f, "{}(…)", inlined.name.name),
            },
        }
    }
}

impl Display for Send {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mark = if self.sorted { "!!" } else { "!" };
        // `q!!a` would be a sorted send.
        let negated = self.args.first().is_some_and(|first| first.to_string().starts_with('!'));
        let gap = if negated { " " } else { "" };
        write!(f, "{}{mark}{gap}{}", self.channel, Message(&self.args, self.head_notation))
    }
}

impl Display for Receive {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let mark = if self.random { "??" } else { "?" };
        let (open, close) = if self.copy { ("<", ">") } else { ("", "") };
        write!(f, "{}{mark}{open}{}{close}", self.channel, Message(&self.args, self.head_notation))
    }
}

impl Display for Ltl {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let part = |f: &mut Formatter, part: &Ltl| match &part.kind {
            LtlKind::Unary { .. } => part.fmt(f),
            LtlKind::Atom(expr) if power(expr) >= 13 => expr.fmt(f),
            _ => write!(f, "({part})"),
        };
        // SPIN takes `!!` for a sorted send.
        let negated = |part: &Ltl| match &part.kind {
            LtlKind::Unary { op, .. } => *op == LtlUnaryOp::Not,
            LtlKind::Atom(expr) => matches!(expr.kind, ExprKind::Unary { op: UnaryOp::Not, .. }),
            LtlKind::Binary { .. } => false,
        };
        match &self.kind {
            LtlKind::Atom(expr) => expr.fmt(f),
            LtlKind::Unary { op: LtlUnaryOp::Not, operand } if negated(operand) => write!(f, "!({operand})"),
            LtlKind::Unary { op, operand } => {
                f.write_str(match op {
                    LtlUnaryOp::Not => "!",
                    LtlUnaryOp::Next => "X ",
                    LtlUnaryOp::Always => "[] ",
                    LtlUnaryOp::Eventually => "<> ",
                })?;
                part(f, operand)
            }
            LtlKind::Binary { op, left, right } => {
                part(f, left)?;
                f.write_str(match op {
                    LtlBinaryOp::And => " && ",
                    LtlBinaryOp::Or => " || ",
                    LtlBinaryOp::Implies => " -> ",
                    LtlBinaryOp::Equivalent => " <-> ",
                    LtlBinaryOp::Until => " U ",
                    LtlBinaryOp::WeakUntil => " W ",
                    LtlBinaryOp::Release => " V ",
                })?;
                part(f, right)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{formula, statements};

    /// Prints the only statement of a process.
    fn shown(text: &str) -> String {
        statements(text)[0].to_string()
    }

    /// The text must come back, and reading it again must give the same text.
    fn same(text: &str) {
        assert_eq!(shown(text), text);
    }

    #[test]
    fn statements_as_spin_shows_them() {
        for text in [
            "q?y,x",
            "q??a(b,eval(c+1),_)",
            "q?<a,-1>",
            "q??<x>",
            "q!a,b+1",
            "q!!a(b,c)",
            "q! !a",
            "x = x+1",
            "x++",
            "a[i+1].b.c[j]--",
            "(a==1)",
            "(q?[a,b])",
            "assert(x<3 || y>=2 && z!=1)",
            "skip",
            "run P(1,x) priority 3",
            "goto L1",
            "(c -> a : b)",
            "printf(\"%d\\n\",x)",
            "select (i : 1 .. n-1)",
            "int x = 3,y[2] = {1,2}",
            "unsigned z:3",
        ] {
            same(text);
        }
    }

    #[test]
    fn only_needed_parentheses() {
        assert_eq!(shown("x = ((a*b)+(c*d))"), "x = a*b+c*d");
        same("x = (a+b)*c");
        same("x = a-(b-c)");
        assert_eq!(shown("x = (a-b)-c"), "x = a-b-c");
        same("x = a-(-b)");
        same("x = -(-b)");
        same("x = !(!b)");
        same("x = !(a && b)");
        same("x = a==b==c || d");
        same("x = a==(b==c)");
    }

    #[test]
    fn formulas() {
        assert_eq!(formula("[](p -> <>q)").to_string(), "[] (p -> <> q)");
        assert_eq!(formula("[]!p U (x==1)").to_string(), "[] !p U (x==1)");
        assert_eq!(formula("a U b U c").to_string(), "(a U b) U c");
        assert_eq!(formula("P@l && [] (P[2]:x > 1)").to_string(), "P@l && [] (P[2]:x>1)");
    }

    #[test]
    fn negations_in_a_row_can_be_read_back() {
        for (text, expected) in [
            ("! ! <>p", "!(!<> p)"),
            ("!!<>p", "!(!<> p)"),
            ("! ! ! [](p -> q)", "!(!(![] (p -> q)))"),
            ("[]! !p", "[] !(!p)"),
        ] {
            let shown = formula(text).to_string();
            assert_eq!(shown, expected);
            assert_eq!(formula(&shown).to_string(), shown);
        }
    }

    #[test]
    fn characters_can_be_read_back() {
        for text in ["'a'", "' '", "'\"'", "'\\''", "'\\\\'", "'\\n'", "'\\r'", "'\\t'", "'\\f'"] {
            same(&format!("x = {text}"));
        }
        // The lexer takes what stands between the quotes as it is: a bell, DEL, a letter outside ASCII.
        for (text, number) in [("\u{7}", 7), ("\u{7f}", 127), ("é", 233), ("λ", 955)] {
            assert_eq!(shown(&format!("x = '{text}'")), format!("x = {number}"));
        }
    }
}
