//! What PRISM texts say, as they say it: names are not yet resolved, types not yet checked.
//!
//! Models and properties share one type of expressions, as they do in the language: a property is an expression with labels,
//! operators about runs, and questions in it.

use std::rc::Rc;

use bughound_ir::chance::{Comparison, Extreme, Kind, Number};
use bughound_ir::source::Span;

use crate::tree::{Binary, Type, Unary};

#[derive(Clone, Debug)]
pub struct Name {
    pub text: Rc<str>,
    pub span: Span,
}

/// A whole model.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// `None`: not said; it is an MDP then.
    pub kind: Option<Kind>,
    pub constants: Vec<Constant>,
    pub formulas: Vec<Formula>,
    pub labels: Vec<Formula>,
    pub globals: Vec<Variable>,
    pub modules: Vec<Module>,
    pub rewards: Vec<Rewards>,
    pub initial: Option<Expr>,
    pub system: Option<System>,
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub name: Name,
    pub ty: Type,
    pub value: Option<Rc<Expr>>,
}

/// A formula, or a label.
#[derive(Clone, Debug)]
pub struct Formula {
    pub name: Name,
    pub body: Rc<Expr>,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Name,
    pub ty: VariableType,
    pub initial: Option<Expr>,
}

#[derive(Clone, Debug)]
pub enum VariableType {
    Bool,
    Int,
    Range(Expr, Expr),
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: Name,
    pub body: ModuleBody,
}

#[derive(Clone, Debug)]
pub enum ModuleBody {
    Written {
        variables: Vec<Variable>,
        commands: Vec<Command>,
    },
    /// `module B = A [x=y, …] endmodule`
    Renamed {
        base: Name,
        renamings: Vec<(Name, Name)>,
    },
}

#[derive(Clone, Debug)]
pub struct Command {
    /// `None`: `[]`.
    pub action: Option<Name>,
    pub guard: Expr,
    pub updates: Vec<Update>,
    /// The source on one line, without comments.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Update {
    pub chance: Option<Expr>,
    pub assignments: Vec<(Name, Expr)>,
    /// The source on one line, if the command has other updates, too.
    pub text: String,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Rewards {
    pub name: Option<Name>,
    pub items: Vec<RewardItem>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct RewardItem {
    pub of: Rewarded,
    pub guard: Expr,
    pub value: Expr,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Rewarded {
    State,
    Silent,
    Action(Name),
}

/// `system … endsystem`
#[derive(Clone, Debug)]
pub enum System {
    Module(Name),
    Parallel(Synchronisation, Box<System>, Box<System>),
    Hide(Box<System>, Vec<Name>),
    /// Each first name becomes the second.
    Rename(Box<System>, Vec<(Name, Name)>),
}

#[derive(Clone, Debug)]
pub enum Synchronisation {
    /// `||`
    Common,
    /// `|||`
    Nothing,
    /// `|[a,b]|`
    On(Vec<Name>),
}

#[derive(Clone, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
    /// Operators above one another.
    pub height: u32,
}

#[derive(Clone, Debug)]
pub enum ExprKind {
    Bool(bool),
    Int(i32),
    Real(Number),
    Name(Rc<str>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// A call of something that is no function. (It may be meant for another tool.)
    UnknownCall(Rc<str>, Vec<Expr>),
    /// `"l"`: a label, or the name of a property.
    Quoted(Rc<str>),
    Temporal(Box<Temporal>),
    Quantity(Box<Quantity>),
    Filter(Box<Filter>),
    /// Something that is known, but not supported: its name.
    Unsupported(String),
}

/// `F<=3 b`, `a U b`.
#[derive(Clone, Debug)]
pub struct Temporal {
    pub operator: TemporalOperator,
    /// Of operators with two operands.
    pub left: Option<Expr>,
    pub right: Expr,
    pub bounds: Vec<Bound>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemporalOperator {
    Next,
    Finally,
    Globally,
    Until,
    WeakUntil,
    Release,
}

#[derive(Clone, Debug)]
pub struct Bound {
    /// The reward that is bounded; `None`: time.
    pub reward: Option<RewardName>,
    pub lower: Option<Limit>,
    pub upper: Option<Limit>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Limit {
    pub value: Expr,
    pub strict: bool,
}

/// `{"r"}` or `{1}`.
#[derive(Clone, Debug)]
pub enum RewardName {
    Named(Name),
    /// Counted from 1.
    Number(Expr),
}

/// `P<=0.1 [ … ]`, `R{"r"}max=? [ … ]`, `S=? [ … ]`.
#[derive(Clone, Debug)]
pub struct Quantity {
    pub measure: Measure,
    pub extreme: Extreme,
    /// `None`: `=?`.
    pub relation: Option<(Comparison, Expr)>,
    pub filter: Option<OldFilter>,
}

#[derive(Clone, Debug)]
pub enum Measure {
    Probability(Expr),
    LongRun(Expr),
    Reward(Option<RewardName>, RewardBody),
}

#[derive(Clone, Debug)]
pub enum RewardBody {
    /// A formula about runs; `F b` is the one that is supported.
    Path(Expr),
    Cumulated(Expr),
    Total,
    Instant(Expr),
    LongRun,
}

/// `{states}{min}{max}` at the end of a formula about runs.
#[derive(Clone, Debug)]
pub struct OldFilter {
    pub states: Expr,
    pub min: bool,
    pub max: bool,
}

/// `filter(function, property, states)`
#[derive(Clone, Debug)]
pub struct Filter {
    pub function: Name,
    pub property: Expr,
    pub states: Option<Expr>,
}

/// A file of properties, or the text of one.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    pub constants: Vec<Constant>,
    pub formulas: Vec<Formula>,
    pub labels: Vec<Formula>,
    pub properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub struct Property {
    pub name: Option<Name>,
    pub formula: Rc<Expr>,
    pub recorded: Vec<crate::tree::Recorded>,
    pub text: String,
    pub span: Span,
}

impl Expr {
    /// The expressions right below this one.
    pub fn parts(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Real(_)
            | ExprKind::Name(_)
            | ExprKind::Quoted(_)
            | ExprKind::Unsupported(_) => Vec::new(),
            ExprKind::Unary(_, a) => vec![a],
            ExprKind::Binary(_, a, b) => vec![a, b],
            ExprKind::Conditional(a, b, c) => vec![a, b, c],
            ExprKind::UnknownCall(_, arguments) => arguments.iter().collect(),
            ExprKind::Temporal(temporal) => temporal.parts(),
            ExprKind::Quantity(quantity) => quantity.parts(),
            ExprKind::Filter(filter) => std::iter::once(&filter.property).chain(&filter.states).collect(),
        }
    }

    /// Calls `visit` with this expression and all below it.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        visit(self);
        for part in self.parts() {
            part.walk(visit);
        }
    }

    /// Is `test` true of this expression or of one below it?
    pub fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        test(self) || self.parts().into_iter().any(|part| part.any(test))
    }
}

impl Temporal {
    fn parts(&self) -> Vec<&Expr> {
        let mut parts: Vec<&Expr> = self.left.iter().chain([&self.right]).collect();
        for bound in &self.bounds {
            parts.extend(bound.lower.iter().chain(&bound.upper).map(|limit| &limit.value));
            if let Some(RewardName::Number(number)) = &bound.reward {
                parts.push(number);
            }
        }
        parts
    }
}

impl Quantity {
    fn parts(&self) -> Vec<&Expr> {
        let mut parts = Vec::new();
        match &self.measure {
            Measure::Probability(e) | Measure::LongRun(e) => parts.push(e),
            Measure::Reward(name, body) => {
                if let Some(RewardName::Number(number)) = name {
                    parts.push(number);
                }
                match body {
                    RewardBody::Path(e) | RewardBody::Cumulated(e) | RewardBody::Instant(e) => parts.push(e),
                    RewardBody::Total | RewardBody::LongRun => {}
                }
            }
        }
        parts.extend(self.relation.as_ref().map(|(_, bound)| bound));
        parts.extend(self.filter.as_ref().map(|filter| &filter.states));
        parts
    }
}

/// An expression with its height.
pub fn node(kind: ExprKind, span: Span) -> Expr {
    let mut expr = Expr { kind, span, height: 0 };
    expr.height = 1 + expr.parts().into_iter().map(|part| part.height).max().unwrap_or(0);
    expr
}
