//! The syntax tree of a Promela model, in the dialect of SPIN 6.5.
//!
//! The tree holds what the user wrote, after the preprocessor and with inline calls expanded in their place. Names
//! are left unresolved: whether `ack` in `q?ack` is an `mtype` constant or a variable is for the lowering to find out.
//!
//! Facts about SPIN that the shape of the tree reflects:
//!
//! - **Scopes.** Every pair of braces in a body opens a scope, nothing else does. A [`Block`] is such a scope: bodies of
//!   proctypes, `atomic`, `d_step`, plain braces, the body of `for`, and the body of an expanded inline (SPIN pastes the
//!   body with its braces at the place of the call, so names in it, and in the arguments, are looked up *there*). The
//!   branches of `if` and `do` are a [`Sequence`]: no scope of their own. A name is visible from its declaration to the
//!   end of its block; a block must not declare a name again that an enclosing block of the same process (or the
//!   parameter list) has; it may hide a global one.
//! - **Declarations** are statements in their place. SPIN runs the initialiser as a step of its own, also the implicit
//!   zero of a variable without one, unless the declaration belongs to the leading declarations of the process body
//!   ([`Decl::at_start`]): those are initialised when the process is created.
//! - **`->` and `;`** mean the same and are not in the tree.
//! - **Labels** belong to one statement. `L: a unless b` puts `L` on `a`, as SPIN's grammar does.

mod expr;
mod stmt;

pub use expr::*;
pub use stmt::*;

use bughound_ir::source::{FileId, Span};
use std::sync::Arc;

/// The text of an identifier; all occurrences of one name share it.
pub type Name = Arc<str>;

/// An identifier where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    pub name: Name,
    pub span: Span,
}

/// A whole model, in the order of the text.
#[derive(Clone, Debug)]
pub struct Model {
    /// The main file; included files have their own ids in the source map.
    pub file: FileId,
    pub items: Vec<Item>,
}

/// What may stand at the top level.
#[derive(Clone, Debug)]
pub enum Item {
    Proctype(Proctype),
    Init(Init),
    Never(NeverClaim),
    Ltl(LtlBlock),
    Trace(TraceAssertion),
    Decl(Decl),
    Mtype(MtypeDecl),
    Typedef(Typedef),
    Inline(InlineDef),
}

/// `active [n] proctype P(params) priority n provided (c) { … }`.
#[derive(Clone, Debug)]
pub struct Proctype {
    pub active: Option<Active>,
    /// Declared with `D_proctype`.
    pub deterministic: bool,
    pub name: Ident,
    pub params: Vec<Decl>,
    pub priority: Option<Expr>,
    pub provided: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// `active` with the number of instances, one when absent: a constant expression or the name of an initialised variable.
#[derive(Clone, Debug)]
pub struct Active {
    pub count: Option<Expr>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Init {
    pub priority: Option<Expr>,
    pub body: Block,
    pub span: Span,
}

/// `never { … }` or `never name { … }`. SPIN calls the nameless ones `never_0`, `never_1`, …
#[derive(Clone, Debug)]
pub struct NeverClaim {
    pub name: Option<Ident>,
    pub body: Block,
    pub span: Span,
}

/// `trace { … }` or `notrace { … }`.
#[derive(Clone, Debug)]
pub struct TraceAssertion {
    /// `notrace`: the behaviour must *not* match.
    pub negated: bool,
    pub body: Block,
    pub span: Span,
}

/// `ltl name { formula }`. SPIN calls the nameless ones `ltl_0`, `ltl_1`, …
#[derive(Clone, Debug)]
pub struct LtlBlock {
    pub name: Option<Ident>,
    pub formula: Ltl,
    pub span: Span,
}

/// `mtype = { a, b }` or `mtype:sub = { a, b }`.
///
/// Numbering in SPIN: every subtype (and the type without a name) counts for itself. The names of one declaration are
/// numbered from its *last* name to its first; a further declaration of the same type continues the count:
/// `mtype = {a, b}; mtype = {c, d}` gives b=1, a=2, d=3, c=4.
#[derive(Clone, Debug)]
pub struct MtypeDecl {
    pub subtype: Option<Ident>,
    pub names: Vec<Ident>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Typedef {
    pub name: Ident,
    pub fields: Vec<Decl>,
    pub span: Span,
}

/// The head of an inline definition; its body appears where it is called ([`StmtKind::Inlined`]).
#[derive(Clone, Debug)]
pub struct InlineDef {
    pub name: Ident,
    pub params: Vec<Ident>,
    pub span: Span,
}

/// One declaration of variables: `hidden byte a = 1, b[3];`.
#[derive(Clone, Debug)]
pub struct Decl {
    pub visibility: Option<Visibility>,
    pub ty: Type,
    pub vars: Vec<Declarator>,
    /// Global, a parameter, a field, or among the leading declarations of a process body: initialised without a step.
    pub at_start: bool,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    Hidden,
    Show,
    Local,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeKind {
    Bit,
    Bool,
    Byte,
    Pid,
    Short,
    Int,
    /// The width stands with each variable: [`Declarator::width`].
    Unsigned,
    /// With the subtype of `mtype:name`.
    Mtype(Option<Ident>),
    Chan,
    /// A `typedef`.
    Named(Ident),
}

#[derive(Clone, Debug)]
pub struct Declarator {
    pub name: Ident,
    /// `unsigned x : width`.
    pub width: Option<Expr>,
    /// The number of elements: a constant expression, or the name of an initialised variable (SPIN takes its initial
    /// value, with a warning).
    pub array: Option<Expr>,
    pub init: Option<Initializer>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Initializer {
    /// For an array, the value of every element.
    Expr(Expr),
    /// `{1, 2, 3}` for an array.
    List { values: Vec<Expr>, span: Span },
    /// `[n] of { types }`; for an array, one channel for every element.
    Channel(ChannelInit),
}

#[derive(Clone, Debug)]
pub struct ChannelInit {
    pub capacity: Expr,
    pub fields: Vec<Type>,
    pub span: Span,
}
