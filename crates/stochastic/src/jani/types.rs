//! The types that JANI knows, and those of them that models here may use.

use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::Read;
use super::build::{self, Needs};
use super::expressions::{Reading, Translator};
use super::fields::Fields;
use super::json::{Json, JsonKind};
use super::names::{Names, Scope};
use crate::tree::{Expr, ExprKind, StateType, Type};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    Bool,
    /// Bounds that are not given are those of 32 bits.
    Int {
        lo: i32,
        hi: i32,
    },
    Real,
    Array(Box<Declared>),
}

impl Declared {
    pub fn read(json: &Json, names: &Names<'_>) -> Read<Declared> {
        match &json.kind {
            JsonKind::Text(name) => Self::basic(name, json),
            _ => Self::composed(json, names),
        }
    }

    fn basic(name: &str, json: &Json) -> Read<Declared> {
        match name {
            "bool" => Ok(Declared::Bool),
            "int" => Ok(Declared::Int { lo: i32::MIN, hi: i32::MAX }),
            "real" => Ok(Declared::Real),
            "clock" | "continuous" => {
                let message = format!("variables of type `{name}` are not supported");
                let help = "dtmc, ctmc and mdp models have no clocks";
                Err(Diagnostic::error(json.span, message).help(help).into())
            }
            _ => {
                let known = ["bool", "int", "real"];
                let message = format!("there is no type `{name}`{}", suggest(name, known.into_iter()));
                Err(Diagnostic::error(json.span, message)
                    .help("types are `bool`, `int`, `real`, bounded ones and arrays")
                    .into())
            }
        }
    }

    fn composed(json: &Json, names: &Names<'_>) -> Read<Declared> {
        let fields = Fields::of(json, "a type")?;
        match fields.text("kind")? {
            "bounded" => {
                let base = Self::read(fields.required("base")?, names)?;
                let bounds = [fields.optional("lower-bound"), fields.optional("upper-bound")];
                match base {
                    Declared::Int { .. } => {
                        let [lo, hi] = bounds.map(|bound| bound.map(|json| Self::bound(json, names)).transpose());
                        let (lo, hi) = (lo?.unwrap_or(i32::MIN), hi?.unwrap_or(i32::MAX));
                        if lo > hi {
                            let message = format!("there is no number between {lo} and {hi}");
                            return Err(Diagnostic::error(json.span, message).into());
                        }
                        Ok(Declared::Int { lo, hi })
                    }
                    Declared::Real => Ok(Declared::Real),
                    _ => Err(Diagnostic::error(json.span, "only `int` and `real` can be bounded").into()),
                }
            }
            "array" => Ok(Declared::Array(Box::new(Self::read(fields.required("base")?, names)?))),
            "datatype" => {
                let message = match fields.optional("ref").map(|json| &json.kind) {
                    Some(JsonKind::Text(name)) => format!("data types are not supported: `{name}`"),
                    _ => "data types are not supported".to_string(),
                };
                Err(Diagnostic::error(json.span, message).into())
            }
            other => {
                let known = ["bounded", "array", "datatype"];
                let hint = suggest(other, known.into_iter());
                Err(Diagnostic::error(json.span, format!("there is no kind of type `{other}`{hint}")).into())
            }
        }
    }

    fn bound(json: &Json, names: &Names<'_>) -> Read<i32> {
        let value = Translator::new(names, Scope::Global, Reading::Constants).scalar(json)?;
        build::expect(&value, Needs::Whole, "a bound")?;
        match value.kind {
            ExprKind::Int(value) => Ok(value),
            _ => Err(no_value(&value, "a bound")),
        }
    }

    /// The type of its values in expressions; `None` for arrays.
    pub fn scalar(&self) -> Option<Type> {
        match self {
            Declared::Bool => Some(Type::Bool),
            Declared::Int { .. } => Some(Type::Int),
            Declared::Real => Some(Type::Real),
            Declared::Array(_) => None,
        }
    }

    /// As a part of states; `None` for reals, which cannot be one.
    pub fn state_type(&self) -> Option<StateType> {
        match self {
            Declared::Bool => Some(StateType::Bool),
            Declared::Int { lo, hi } => Some(StateType::Int { lo: *lo, hi: *hi }),
            Declared::Real => None,
            Declared::Array(base) => base.state_type(),
        }
    }

    /// Refuses a value of another type.
    pub fn check(&self, value: &Expr, who: &str) -> Read<()> {
        let needs = match self {
            Declared::Bool => Needs::Truth,
            Declared::Int { .. } => Needs::Whole,
            Declared::Real => Needs::Number,
            Declared::Array(base) => return base.check(value, who),
        };
        build::expect(value, needs, who)
    }
}

/// A constant expression that cannot be computed, such as a division by 0.
pub fn no_value(expr: &Expr, who: &str) -> Box<Diagnostic> {
    let message = format!("{who} has no value: it divides by 0, or is too large");
    Box::new(Diagnostic::error(expr.span, message))
}
