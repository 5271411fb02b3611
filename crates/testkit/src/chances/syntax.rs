//! Models in PRISM's language, as the generator makes them and the oracle understands them.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Dtmc,
    Ctmc,
    Mdp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Bool,
    Int,
    Double,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Implies,
    Iff,
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    Min,
    Max,
    Floor,
    Ceil,
    Round,
    Pow,
    Mod,
    Log,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Bool(bool),
    Int(i64),
    /// So many units of the last of so many places: `Decimal(25, 2)` is 0.25.
    Decimal(i64, u32),
    /// A variable, a constant or a formula.
    Name(String),
    Not(Box<Expr>),
    Minus(Box<Expr>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Call(Function, Vec<Expr>),
    /// `func(mod, x, 2)`
    OldCall(Function, Vec<Expr>),
}

impl Expr {
    pub fn name(name: &str) -> Expr {
        Expr::Name(name.to_string())
    }

    pub fn binary(op: Op, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    #[allow(clippy::should_implement_trait)]
    pub fn not(self) -> Expr {
        Expr::Not(Box::new(self))
    }

    pub fn and(self, other: Expr) -> Expr {
        match self {
            Expr::Bool(true) => other,
            _ => Expr::binary(Op::And, self, other),
        }
    }

    /// A whole number, which may be negative.
    pub fn int(value: i64) -> Expr {
        if value < 0 { Expr::Minus(Box::new(Expr::Int(-value))) } else { Expr::Int(value) }
    }

    pub fn conditional(test: Expr, then: Expr, otherwise: Expr) -> Expr {
        Expr::Conditional(Box::new(test), Box::new(then), Box::new(otherwise))
    }

    pub fn one_minus(self) -> Expr {
        Expr::binary(Op::Subtract, Expr::Int(1), self)
    }
}

#[derive(Clone, Debug)]
pub struct Constant {
    pub name: String,
    pub ty: Type,
    pub value: Expr,
    /// Not in the text: with `--const`.
    pub is_given: bool,
}

#[derive(Clone, Debug)]
pub enum Domain {
    Bool,
    Range(Expr, Expr),
    /// `x : int`
    Int,
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub domain: Domain,
    pub initial: Option<Expr>,
}

#[derive(Clone, Debug)]
pub struct Update {
    /// Not written: 1.
    pub chance: Option<Expr>,
    pub assignments: Vec<(String, Expr)>,
}

#[derive(Clone, Debug)]
pub struct Command {
    pub action: Option<String>,
    pub guard: Expr,
    pub updates: Vec<Update>,
}

#[derive(Clone, Debug)]
pub enum Body {
    Written {
        variables: Vec<Variable>,
        commands: Vec<Command>,
    },
    /// A copy of another module, by its index, with other names.
    Copy {
        of: usize,
        names: BTreeMap<String, String>,
    },
}

#[derive(Clone, Debug)]
pub struct Module {
    pub name: String,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub enum Together {
    Common,
    Nothing,
    On(Vec<String>),
}

#[derive(Clone, Debug)]
pub enum System {
    /// By its index.
    Module(usize),
    Parallel(Together, Box<System>, Box<System>),
    Hide(Box<System>, Vec<String>),
    Rename(Box<System>, Vec<(String, String)>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rewarded {
    State,
    /// `[]`
    Silent,
    Action(String),
}

#[derive(Clone, Debug)]
pub struct Item {
    pub of: Rewarded,
    pub guard: Expr,
    pub value: Expr,
}

#[derive(Clone, Debug)]
pub struct Rewards {
    pub name: Option<String>,
    pub items: Vec<Item>,
}

#[derive(Clone, Debug)]
pub struct Model {
    pub kind: Kind,
    /// The word for its kind; empty for decision processes that do not say it.
    pub header: &'static str,
    pub constants: Vec<Constant>,
    pub formulas: Vec<(String, Expr)>,
    pub globals: Vec<Variable>,
    pub modules: Vec<Module>,
    pub initial: Option<Expr>,
    pub system: Option<System>,
    pub rewards: Vec<Rewards>,
    pub labels: Vec<(String, Expr)>,
    /// The sections of the text in the order in which they are written.
    pub order: Vec<usize>,
}

/// How many sections there are.
pub const SECTIONS: usize = 8;

impl Model {
    /// The variables and commands of a module, with the names that a copy changes.
    pub fn module(&self, index: usize) -> (&[Variable], &[Command], Option<&BTreeMap<String, String>>) {
        match &self.modules[index].body {
            Body::Written { variables, commands } => (variables, commands, None),
            Body::Copy { of, names } => {
                let (variables, commands, _) = self.module(*of);
                (variables, commands, Some(names))
            }
        }
    }

    /// The constants that are given apart from the text.
    pub fn given(&self) -> Vec<(String, Option<String>)> {
        let given = self.constants.iter().filter(|constant| constant.is_given);
        given.map(|constant| (constant.name.clone(), Some(constant.value.to_string()))).collect()
    }
}

/// The name that stands for this one.
pub fn renamed<'n>(name: &'n str, names: Option<&'n BTreeMap<String, String>>) -> &'n str {
    names.and_then(|names| names.get(name)).map_or(name, String::as_str)
}
