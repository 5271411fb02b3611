//! Statements.

use super::{Decl, Expr, Ident, Name, VarRef};
use bughound_ir::source::Span;

/// Statements in braces: a scope.
#[derive(Clone, Debug)]
pub struct Block {
    pub stmts: Vec<Stmt>,
    /// Includes the braces.
    pub span: Span,
}

/// Statements without a scope of their own: what follows a `::`.
#[derive(Clone, Debug)]
pub struct Sequence {
    pub stmts: Vec<Stmt>,
    /// From the `::` to the last statement.
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    /// In order, outermost first.
    pub labels: Vec<Ident>,
    /// From an annotation `/*@cost n*/` before it.
    pub cost: Option<u32>,
    pub kind: StmtKind,
    /// Without the labels.
    pub span: Span,
    /// As the user wrote it, if macros are in it.
    pub written: Option<std::sync::Arc<str>>,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    Decl(Decl),
    /// `xr q, r;` or `xs q;`: a promise about who uses the channels.
    ExclusiveAccess {
        mode: AccessMode,
        channels: Vec<VarRef>,
    },
    /// A condition; `skip` is the constant 1 here. A label without a statement stands before such a `skip`.
    Expr(Expr),
    /// Also from `return e` in an inline called as `x = f(…)`: then the target is `x`.
    Assign {
        target: VarRef,
        value: Expr,
    },
    /// `x++`
    Increment(VarRef),
    /// `x--`
    Decrement(VarRef),
    Send(Send),
    Receive(Receive),
    If(Vec<Sequence>),
    Do(Vec<Sequence>),
    For(Box<ForLoop>),
    Select(Box<Select>),
    Break,
    Goto(Ident),
    Else,
    Assert(Expr),
    Printf {
        format: StringLiteral,
        args: Vec<Expr>,
    },
    /// The argument is a variable or a constant.
    Printm(Expr),
    SetPriority {
        pid: Expr,
        priority: Expr,
    },
    Atomic(Block),
    DStep(Block),
    Block(Block),
    Unless {
        main: Box<Stmt>,
        escape: Box<Stmt>,
    },
    /// A call of an inline, expanded.
    Inlined(Box<Inlined>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMode {
    /// Only this process reads.
    Receive,
    /// Only this process writes.
    Send,
}

/// `q!a,b` and `q!!a,b`.
#[derive(Clone, Debug)]
pub struct Send {
    pub channel: VarRef,
    pub sorted: bool,
    /// Written `q!a(b, c)`, which means `q!a,b,c`.
    pub head_notation: bool,
    pub args: Vec<Expr>,
}

/// `q?a,b`, `q??a,b`, `q?<a,b>` and `q??<a,b>`.
#[derive(Clone, Debug)]
pub struct Receive {
    pub channel: VarRef,
    /// `??`: the first message that matches, wherever it is in the buffer.
    pub random: bool,
    /// `<…>`: the message stays in the channel.
    pub copy: bool,
    /// Written `q?a(b, c)`, which means `q?a,b,c`.
    pub head_notation: bool,
    pub args: Vec<RecvArg>,
}

#[derive(Clone, Debug)]
pub struct RecvArg {
    pub kind: RecvArgKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum RecvArgKind {
    /// A variable that takes the field, or the name of an `mtype` constant that must match.
    Var(VarRef),
    /// `eval(e)`: must match.
    Eval(Expr),
    /// Must match.
    Const(Expr),
    /// `_`
    Wildcard,
}

/// `for (v : a .. b) { … }` or `for (v in x) { … }`.
#[derive(Clone, Debug)]
pub struct ForLoop {
    pub var: VarRef,
    pub over: ForRange,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub enum ForRange {
    /// Both ends included; `to` is evaluated again in every round.
    Range { from: Expr, to: Expr },
    /// The indices of an array, or the messages of a channel (when the variable is a struct).
    In(VarRef),
}

/// `select (v : a .. b)`
#[derive(Clone, Debug)]
pub struct Select {
    pub var: VarRef,
    pub from: Expr,
    pub to: Expr,
}

#[derive(Clone, Debug)]
pub struct Inlined {
    pub name: Ident,
    /// The call with its arguments; the spans inside `body` lie in the definition.
    pub call: Span,
    /// The name in the definition.
    pub definition: Span,
    /// The `x` of `x = f(…)`.
    pub result: Option<VarRef>,
    pub body: Block,
}

#[derive(Clone, Debug)]
pub struct StringLiteral {
    /// As written between the quotes, escapes not replaced.
    pub text: Name,
    pub span: Span,
}
