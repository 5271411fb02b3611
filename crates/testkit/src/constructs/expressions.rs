//! The part of the walk that goes through expressions and formulas.

use bughound_promela::ast::*;

use super::walk::{Inside, Walker};

impl Walker {
    pub(super) fn ltl(&mut self, formula: &Ltl) {
        match &formula.kind {
            LtlKind::Atom(e) => self.expr(e),
            LtlKind::Unary { op, operand } => {
                self.note(match op {
                    LtlUnaryOp::Not => "ltl: not",
                    LtlUnaryOp::Next => "ltl: next",
                    LtlUnaryOp::Always => "ltl: always",
                    LtlUnaryOp::Eventually => "ltl: eventually",
                });
                self.ltl(operand);
            }
            LtlKind::Binary { op, left, right } => {
                self.note(match op {
                    LtlBinaryOp::And => "ltl: and",
                    LtlBinaryOp::Or => "ltl: or",
                    LtlBinaryOp::Implies => "ltl: implies",
                    LtlBinaryOp::Equivalent => "ltl: equivalent",
                    LtlBinaryOp::Until => "ltl: until",
                    LtlBinaryOp::WeakUntil => "ltl: weak until",
                    LtlBinaryOp::Release => "ltl: release",
                });
                self.ltl(left);
                self.ltl(right);
            }
        }
    }

    pub(super) fn index_of(&mut self, var: &VarRef) {
        for segment in &var.path {
            if let Some(index) = &segment.index {
                self.note("index");
                let varies = !matches!(index.kind, ExprKind::Const { .. });
                self.note_if(varies, "index that varies");
                self.note_if(varies && self.in_claim, "claim: index that varies");
                self.inner(index);
            }
        }
        self.note_if(var.path.len() > 1, "struct field");
    }

    pub(super) fn var(&mut self, var: &VarRef) {
        self.note(match &*var.root().name {
            "_pid" => "variable _pid",
            "_nr_pr" => "variable _nr_pr",
            "_last" => "variable _last",
            "_priority" => "variable _priority",
            "_" => "variable _",
            _ => "variable",
        });
        self.index_of(var);
    }

    /// A whole expression.
    pub(super) fn expr(&mut self, expr: &Expr) {
        if self.expression.is_some() {
            return self.inner(expr);
        }
        self.expression = Some(Inside::default());
        self.inner(expr);
        let mut inside = self.expression.take().unwrap_or_default();
        if inside.polls.values().any(|n| *n > 1) {
            let mut special = vec!["several polls of one channel in an expression"];
            special.extend(self.in_claim.then_some("claim: several polls of one channel"));
            self.found.program.extend(special.iter().copied());
            if let Some(d_step) = &mut self.d_step {
                d_step.names.extend(special.iter().copied());
            }
            inside.names.extend(special);
        }
        self.found.expressions.push(inside.names);
    }

    /// A part of an expression.
    fn inner(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const { value, spelling } => {
                self.note(match spelling {
                    ConstSpelling::Number => "number",
                    ConstSpelling::Char => "character",
                    ConstSpelling::True | ConstSpelling::False => "true or false",
                    ConstSpelling::Skip => "skip",
                });
                let limits = [127, 128, 255, 256, 32_767, 32_768, 65_535, 65_536];
                self.note_if(limits.contains(value), "number at the limit of a type");
                self.note_if(*value > 1 << 20 || *value < -(1 << 20), "large number");
            }
            ExprKind::Var(var) => self.var(var),
            ExprKind::Unary { op, operand } => {
                self.note(match op {
                    UnaryOp::Not => "!",
                    UnaryOp::Negate => "unary -",
                    UnaryOp::Complement => "~",
                });
                let outside = self.negated;
                self.negated ^= *op == UnaryOp::Not;
                self.inner(operand);
                self.negated = outside;
            }
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.note("conditional");
                [condition, then, otherwise].into_iter().for_each(|e| self.inner(e));
            }
            ExprKind::Run(run) => {
                self.note("run");
                self.note_if(run.priority.is_some(), "run: with a priority");
                self.note_if(self.atomic > 0, "run: in atomic");
                run.args.iter().for_each(|e| self.inner(e));
            }
            ExprKind::Channel { query, channel } => {
                self.note(match query {
                    ChannelQuery::Len => "len",
                    ChannelQuery::Full => "full",
                    ChannelQuery::Empty => "empty",
                    ChannelQuery::NotFull => "nfull",
                    ChannelQuery::NotEmpty => "nempty",
                });
                self.index_of(channel);
            }
            ExprKind::Poll(poll) => {
                self.note(if poll.random { "random poll" } else { "poll" });
                self.note_if(self.negated, "poll that is negated");
                self.note_if(self.alternative, "poll in a disjunction");
                self.note_if(self.in_claim, "claim: poll");
                self.index_of(&poll.channel);
                for inside in [&mut self.expression, &mut self.d_step].into_iter().flatten() {
                    *inside.polls.entry(poll.channel.to_string()).or_default() += 1;
                }
                poll.args.iter().for_each(|a| self.pattern(a));
            }
            ExprKind::Enabled(pid) => {
                self.note("enabled");
                self.inner(pid);
            }
            ExprKind::PcValue(pid) => {
                self.note("pc_value");
                self.inner(pid);
            }
            ExprKind::GetPriority(pid) => {
                self.note("get_priority");
                self.inner(pid);
            }
            ExprKind::Timeout => {
                self.note("timeout");
                self.note_if(self.atomic > 0, "atomic: timeout");
            }
            ExprKind::NonProgress => self.note("np_"),
            ExprKind::RemoteLabel(remote) => {
                self.note("remote label");
                self.note_if(self.in_claim, "claim: remote label");
                self.remote(&remote.process, &remote.pid);
            }
            ExprKind::RemoteVar(remote) => {
                self.note("remote variable");
                self.note_if(self.in_claim, "claim: remote variable");
                self.remote(&remote.process, &remote.pid);
                if let Some(index) = &remote.var.index {
                    self.inner(index);
                }
            }
        }
    }

    fn remote(&mut self, process: &Ident, pid: &Option<Expr>) {
        self.note_if(!self.active.contains(&process.name), "remote reference to a process that comes and goes");
        match pid {
            None => self.note("remote reference without a number"),
            Some(pid) => {
                self.note("remote reference with a number");
                self.inner(pid);
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) {
        self.note(match op {
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
            BinaryOp::Subtract => "binary -",
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
        });
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) && !matches!(right.kind, ExprKind::Const { .. }) {
            self.note("division by what varies");
            self.note_if(self.in_claim, "claim: division by what varies");
        }
        let outside = self.alternative;
        self.alternative |= op == BinaryOp::Or;
        self.inner(left);
        self.inner(right);
        self.alternative = outside;
    }
}
