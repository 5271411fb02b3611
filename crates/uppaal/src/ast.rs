//! The syntax tree: one shape for the XML format and the textual ones.

use bughound_ir::source::{FileId, Span};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// A model file.
#[derive(Clone, Debug)]
pub struct Model {
    pub file: FileId,
    pub declarations: Vec<Declaration>,
    pub templates: Vec<Template>,
    /// `P1 = P(3);`, in order.
    pub instances: Vec<Instance>,
    /// The system line: groups of processes of the same priority, the lowest first.
    pub system: Vec<Vec<Name>>,
    pub queries: Vec<Query>,
}

#[derive(Clone, Debug)]
pub enum Declaration {
    Variable(Variable),
    Type(TypeDefinition),
    Function(Function),
    /// Groups of channels of the same priority, the lowest first; `None` is `default`.
    ChannelPriority(Vec<Vec<Option<Expr>>>, Span),
    /// `before_update { … }` or `after_update { … }`.
    GlobalUpdate {
        before: bool,
        updates: Vec<Expr>,
        span: Span,
    },
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub ty: Type,
    pub name: Name,
    pub dimensions: Vec<Dimension>,
    pub initial: Option<Initialiser>,
}

#[derive(Clone, Debug)]
pub enum Initialiser {
    Value(Expr),
    List(Vec<Initialiser>, Span),
}

#[derive(Clone, Debug)]
pub struct TypeDefinition {
    pub ty: Type,
    pub name: Name,
    pub dimensions: Vec<Dimension>,
}

/// `[8]` or `[id_t]`. A name may be either: only the lowering knows.
#[derive(Clone, Debug)]
pub enum Dimension {
    Size(Expr),
    Type(Type),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix {
    pub constant: bool,
    pub meta: bool,
    pub urgent: bool,
    pub broadcast: bool,
    /// Clocks of hybrid models.
    pub hybrid: bool,
}

#[derive(Clone, Debug)]
pub struct Type {
    pub prefix: Prefix,
    pub kind: TypeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum TypeKind {
    /// Without bounds: the default range.
    Int(Option<Box<(Expr, Expr)>>),
    Bool,
    Void,
    Clock,
    Channel,
    Double,
    Text,
    Scalar(Box<Expr>),
    Struct(Vec<Variable>),
    Named(Name),
}

#[derive(Clone, Debug)]
pub struct Parameter {
    pub ty: Type,
    pub reference: bool,
    pub name: Name,
    pub dimensions: Vec<Dimension>,
}

#[derive(Clone, Debug)]
pub struct Function {
    pub result: Type,
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    Empty,
    Expression(Expr),
    Declare(Declaration),
    Block(Vec<Statement>),
    If {
        condition: Expr,
        then: Box<Statement>,
        otherwise: Option<Box<Statement>>,
    },
    While {
        condition: Expr,
        body: Box<Statement>,
    },
    DoWhile {
        body: Box<Statement>,
        condition: Expr,
    },
    For {
        first: Option<Expr>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Box<Statement>,
    },
    /// `for (i : int[0,3])`
    Iterate {
        name: Name,
        ty: Type,
        body: Box<Statement>,
    },
    Return(Option<Expr>),
    Assert(Expr),
}

#[derive(Clone, Debug)]
pub struct Template {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub declarations: Vec<Declaration>,
    pub locations: Vec<Location>,
    /// Identifiers of branch points.
    pub branchpoints: Vec<Name>,
    pub initial: Option<Name>,
    pub edges: Vec<Edge>,
}

#[derive(Clone, Debug)]
pub struct Location {
    /// By which edges refer to it.
    pub id: String,
    pub name: Option<Name>,
    /// All must hold (old models separate conjuncts by commas).
    pub invariant: Vec<Expr>,
    /// As written.
    pub invariant_text: String,
    pub urgent: bool,
    pub committed: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Edge {
    /// Identifiers of locations or branch points.
    pub source: Name,
    pub target: Name,
    pub select: Vec<(Name, Type)>,
    /// All must hold.
    pub guard: Vec<Expr>,
    pub sync: Option<Sync>,
    pub update: Vec<Expr>,
    pub has_probability: bool,
    /// In a timed game: the environment takes it.
    pub uncontrollable: bool,
    /// The labels as written.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Sync {
    pub channel: Expr,
    /// `!` or `?`
    pub sends: bool,
    pub span: Span,
}

/// `P1(const int i) = P(3, i);`
#[derive(Clone, Debug)]
pub struct Instance {
    pub name: Name,
    pub parameters: Vec<Parameter>,
    pub template: Name,
    pub arguments: Vec<Expr>,
}

/// What a model says that the answer to a query should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expectation {
    Success,
    Failure,
}

#[derive(Clone, Debug)]
pub struct Query {
    /// As written, with white space made uniform.
    pub text: String,
    pub comment: String,
    pub expectation: Option<Expectation>,
    pub kind: QueryKind,
    /// Somebody typed it just now: it is an error if it cannot be understood, not only a pity.
    pub demanded: bool,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum QueryKind {
    /// `E<>`
    Possibly(Expr),
    /// `A[]`
    Always(Expr),
    /// `E[]`
    PossiblyAlways(Expr),
    /// `A<>`
    Eventually(Expr),
    /// `-->`
    LeadsTo(Expr, Expr),
    /// `sup{c}: e, f`, `inf`, `bounds`
    Extremes { least: bool, greatest: bool, condition: Option<Expr>, of: Vec<Expr> },
    /// A formula that is true of every run.
    Ltl(Ltl),
    /// It cannot be checked, for this reason.
    Refused(String),
}

/// A formula of linear temporal logic. No query of UPPAAL's: it comes from the command line.
#[derive(Clone, Debug)]
pub struct Ltl {
    pub kind: LtlKind,
    /// How many operators lie above each other.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum LtlKind {
    Condition(Expr),
    Unary(LtlUnary, Box<Ltl>),
    Binary(LtlBinary, Box<Ltl>, Box<Ltl>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LtlUnary {
    Not,
    Next,
    Eventually,
    Always,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LtlBinary {
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    Minus,
    Plus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    /// `<?`
    Minimum,
    /// `>?`
    Maximum,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Imply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    ForAll,
    Exists,
    Sum,
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Longest way down to a leaf: the parser bounds it.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Number(i32),
    Bool(bool),
    Name(String),
    Index(Box<Expr>, Box<Expr>),
    Member(Box<Expr>, Name),
    Call(Box<Expr>, Vec<Expr>),
    /// `x'`: the rate of a clock.
    Rate(Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `a = b`, or `a op= b`.
    Assign(Option<Binary>, Box<Expr>, Box<Expr>),
    /// `++a` and its kin: `add` is 1 or -1, `before` whether the operator stands in front.
    Step {
        target: Box<Expr>,
        add: i32,
        before: bool,
    },
    Quantified {
        quantifier: Quantifier,
        name: Name,
        ty: Box<Type>,
        body: Box<Expr>,
    },
    Deadlock,
    /// Something that the engine has no meaning for, such as `3.5`; the text says what.
    Unsupported(&'static str),
}
