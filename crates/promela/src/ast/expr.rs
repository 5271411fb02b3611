//! References to variables, expressions, and formulas of temporal logic.

use super::{Ident, RecvArg};
use bughound_ir::source::Span;

/// `a`, `a[i]`, `a[i].b.c[j]`.
#[derive(Clone, Debug)]
pub struct VarRef {
    /// Never empty.
    pub path: Vec<PathSegment>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct PathSegment {
    pub name: Ident,
    pub index: Option<Expr>,
}

impl VarRef {
    /// The first name of the path.
    pub fn root(&self) -> &Ident {
        &self.path[0].name
    }

    /// The name, when the reference is nothing but a name.
    pub fn as_name(&self) -> Option<&Ident> {
        match self.path.as_slice() {
            [PathSegment { name, index: None }] => Some(name),
            _ => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// Without redundant parentheses around the expression.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Const {
        value: i32,
        spelling: ConstSpelling,
    },
    /// Also `mtype` constants and the predefined `_pid`, `_nr_pr`, `_last`, `_priority`.
    Var(VarRef),
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// `(c -> a : b)`
    Conditional {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
    },
    Run(Box<Run>),
    /// `len(q)`, `full(q)`, …
    Channel {
        query: ChannelQuery,
        channel: VarRef,
    },
    /// `q?[…]` and `q??[…]`
    Poll(Box<Poll>),
    /// `enabled(pid)`
    Enabled(Box<Expr>),
    /// `pc_value(pid)`
    PcValue(Box<Expr>),
    /// `get_priority(pid)`
    GetPriority(Box<Expr>),
    Timeout,
    /// `np_`
    NonProgress,
    /// `P[i]@label`, `P@label`
    RemoteLabel(Box<RemoteLabel>),
    /// `P[i]:var`, `P:var`
    RemoteVar(Box<RemoteVar>),
}

/// How a constant was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstSpelling {
    Number,
    Char,
    True,
    False,
    Skip,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Negate,
    /// `~`
    Complement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelQuery {
    Len,
    Full,
    Empty,
    NotFull,
    NotEmpty,
}

#[derive(Clone, Debug)]
pub struct Run {
    pub process: Ident,
    pub args: Vec<Expr>,
    pub priority: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Poll {
    pub channel: VarRef,
    pub random: bool,
    pub head_notation: bool,
    pub args: Vec<RecvArg>,
}

#[derive(Clone, Debug)]
pub struct RemoteLabel {
    pub process: Ident,
    pub pid: Option<Expr>,
    pub label: Ident,
}

#[derive(Clone, Debug)]
pub struct RemoteVar {
    pub process: Ident,
    pub pid: Option<Expr>,
    /// A name with an optional index; never a path.
    pub var: PathSegment,
}

/// A formula of linear temporal logic.
///
/// A part without temporal operators and without `->` and `<->` is one [`LtlKind::Atom`], so `!(a && b)` is an atom but
/// `!([]a)` is a negation.
#[derive(Clone, Debug)]
pub struct Ltl {
    pub kind: LtlKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum LtlKind {
    Atom(Expr),
    Unary { op: LtlUnaryOp, operand: Box<Ltl> },
    Binary { op: LtlBinaryOp, left: Box<Ltl>, right: Box<Ltl> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LtlUnaryOp {
    Not,
    /// `X`, `next`
    Next,
    /// `[]`, `always`
    Always,
    /// `<>`, `eventually`
    Eventually,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LtlBinaryOp {
    And,
    Or,
    /// `->`, `implies`
    Implies,
    /// `<->`, `equivalent`
    Equivalent,
    /// `U`, `until`, `stronguntil`
    Until,
    /// `W`, `weakuntil`
    WeakUntil,
    /// `V`, `R`, `release`
    Release,
}

impl Ltl {
    /// The formula as an expression about single states, or the place of a temporal operator.
    pub fn state_condition(&self) -> Result<Expr, Span> {
        let span = self.span;
        let binary = |op, left: Expr, right: Expr| {
            let kind = ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) };
            Expr { kind, span }
        };
        let not = |e: Expr| {
            let span = e.span;
            Expr { kind: ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(e) }, span }
        };
        match &self.kind {
            LtlKind::Atom(expression) => Ok(expression.clone()),
            LtlKind::Unary { op: LtlUnaryOp::Not, operand } => operand.state_condition().map(not),
            LtlKind::Unary { .. } => Err(span),
            LtlKind::Binary { op, left, right } => {
                let (left, right) = (left.state_condition()?, right.state_condition()?);
                match op {
                    LtlBinaryOp::And => Ok(binary(BinaryOp::And, left, right)),
                    LtlBinaryOp::Or => Ok(binary(BinaryOp::Or, left, right)),
                    LtlBinaryOp::Implies => Ok(binary(BinaryOp::Or, not(left), right)),
                    LtlBinaryOp::Equivalent => Ok(binary(BinaryOp::Equal, not(left), not(right))),
                    LtlBinaryOp::Until | LtlBinaryOp::WeakUntil | LtlBinaryOp::Release => Err(span),
                }
            }
        }
    }
}
