//! From JANI's expressions to those of the tree: names resolved, constants and functions replaced, types checked.

use std::collections::HashMap;

use bughound_ir::real::rounded;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;

use super::arrays::{self, ArrayValue, MAX_ELEMENTS, Value};
use super::fields::Fields;
use super::json::{Json, JsonKind};
use super::names::{Meaning, Names, Scope};
use super::operators::{self, Operator};
use super::{MAX_NESTING, Read, build, numbers};
use crate::tree::{Binary, Expr, ExprKind, Type, Unary};

/// What variables mean where an expression stands.
#[derive(Clone, Copy, Debug)]
pub enum Reading<'v> {
    /// There are none: the expression is evaluated while reading.
    Constants,
    /// In a state; transient variables have the values that locations give them.
    State,
    /// In what a location says about transient variables, which therefore cannot be read.
    Location,
    /// In an assignment of this phase; transient variables have their initial values, or what earlier phases gave them.
    Step { phase: usize },
    /// After the assignments of a step: transient variables have these values, or else their initial ones.
    After(&'v HashMap<usize, Expr>),
}

/// A name that is bound by an expression: the parameter of a function, the index of an array constructor.
#[derive(Clone, Debug)]
struct Bound {
    name: String,
    value: Value,
    /// Levels and nodes of the value.
    measure: (usize, usize),
}

pub struct Translator<'a, 'j> {
    pub names: &'a Names<'j>,
    pub scope: Scope,
    reading: Reading<'a>,
    bound: Vec<Bound>,
    /// Bindings before this one belong to the caller of a function.
    visible_from: usize,
    calls: Vec<String>,
    depth: usize,
}

impl<'a, 'j> Translator<'a, 'j> {
    pub fn new(names: &'a Names<'j>, scope: Scope, reading: Reading<'a>) -> Translator<'a, 'j> {
        Translator { names, scope, reading, bound: Vec::new(), visible_from: 0, calls: Vec::new(), depth: 0 }
    }

    /// An expression that is no array.
    pub fn scalar(&mut self, json: &Json) -> Read<Expr> {
        match self.value(json)? {
            Value::Scalar(expr) => Ok(expr),
            Value::Array(_) => {
                Err(Diagnostic::error(json.span, "this is an array, where a single value is expected").into())
            }
        }
    }

    pub fn value(&mut self, json: &Json) -> Read<Value> {
        self.names.spend(1, json.span)?;
        if self.depth >= MAX_NESTING {
            return Err(too_deep(json.span));
        }
        self.depth += 1;
        let value = self.unchecked(json);
        self.depth -= 1;
        value
    }

    fn unchecked(&mut self, json: &Json) -> Read<Value> {
        let span = json.span;
        Ok(Value::Scalar(match &json.kind {
            JsonKind::Bool(value) => build::truth(*value, span),
            JsonKind::Number(text) => number(text, span)?,
            JsonKind::Text(name) => return self.name(name, span),
            JsonKind::Object(_) if json.get("constant").is_some() => named_number(json)?,
            JsonKind::Object(_) => return self.operation(json),
            JsonKind::Null | JsonKind::List(_) => {
                let message = format!("expected an expression, found {}", json.what());
                return Err(Diagnostic::error(span, message).into());
            }
        }))
    }

    fn name(&mut self, name: &str, span: Span) -> Read<Value> {
        if let Some(bound) = self.bound[self.visible_from..].iter().rev().find(|bound| bound.name == name) {
            let (height, size) = bound.measure;
            self.names.spend(size, span)?;
            if self.depth + height > MAX_NESTING {
                return Err(too_deep(span));
            }
            return Ok(bound.value.clone());
        }
        let is_hidden = |names: &HashMap<String, Meaning>| names.contains_key(name);
        let shadowed = matches!(self.scope, Scope::Element(own) if self.names.locals.get(own).is_some_and(is_hidden));
        if !shadowed && let Some(value) = self.names.constants.value(name, span) {
            return Ok(Value::Scalar(value?));
        }
        match self.names.meaning(name, self.scope, span)? {
            _ if matches!(self.reading, Reading::Constants) => {
                let message = format!("`{name}` is a variable: only constants can be used here");
                Err(Diagnostic::error(span, message).label("no constant").into())
            }
            Meaning::Variable(id) => {
                let variable = &self.names.variables[id.0 as usize];
                let ty = super::variables::type_in_expressions(variable.ty);
                match variable.len {
                    None => Ok(Value::Scalar(Expr { kind: ExprKind::Variable(id), ty, span })),
                    Some(_) => Ok(Value::Array(ArrayValue::variable(self.names, id, ty, span))),
                }
            }
            Meaning::Transient(transient) => self.transient(transient, name, span).map(Value::Scalar),
        }
    }

    fn transient(&mut self, id: usize, name: &str, span: Span) -> Read<Expr> {
        let transient = &self.names.transients[id];
        self.names.mentioned.borrow_mut().insert(id);
        let value = match self.reading {
            Reading::Constants => &transient.initial,
            Reading::State => &transient.in_state,
            Reading::Location => {
                let message = format!("`{name}` is transient: the values that locations give cannot depend on it");
                return Err(Diagnostic::error(span, message).into());
            }
            Reading::Step { phase } => {
                self.names.read_in_steps.borrow_mut().push((id, phase));
                if let Some(carrier) = transient.carrier {
                    return Ok(Expr { kind: ExprKind::Variable(carrier), ty: transient.initial.ty, span });
                }
                &transient.initial
            }
            Reading::After(values) => values.get(&id).unwrap_or(&transient.initial),
        };
        let (height, size) = build::measure(value);
        self.names.spend(size, span)?;
        if self.depth + height > MAX_NESTING {
            return Err(too_deep(span));
        }
        Ok(Expr { span, ..value.clone() })
    }

    fn operation(&mut self, json: &Json) -> Read<Value> {
        let fields = Fields::of(json, "an expression")?;
        let op = fields.text("op")?;
        let span = json.span;
        Ok(Value::Scalar(match operators::find(op) {
            Some(Operator::Unary(op)) => {
                let operand = self.scalar(fields.required("exp")?)?;
                build::unary(op, operand, span)?
            }
            // Not in the standard, but written all the same.
            Some(Operator::Binary(Binary::Subtract))
                if fields.optional("left").is_none() && fields.optional("exp").is_some() =>
            {
                let operand = self.scalar(fields.required("exp")?)?;
                build::unary(Unary::Minus, operand, span)?
            }
            Some(Operator::Binary(op)) => {
                let left = self.scalar(fields.required("left")?)?;
                let right = self.scalar(fields.required("right")?)?;
                build::binary(op, left, right, span)?
            }
            Some(Operator::Absolute | Operator::Sign | Operator::Truncate) => {
                let operand = self.scalar(fields.required("exp")?)?;
                self.derived(op, operand, span)?
            }
            Some(Operator::Conditional) => {
                let condition = self.scalar(fields.required("if")?)?;
                let then = self.value(fields.required("then")?)?;
                let otherwise = self.value(fields.required("else")?)?;
                return self.either(condition, then, otherwise, span);
            }
            Some(Operator::Access) => {
                let array = self.value(fields.required("exp")?)?;
                let index = self.scalar(fields.required("index")?)?;
                return match array {
                    Value::Array(array) => array.select(index, self.names, span),
                    Value::Scalar(_) => {
                        let message = "only elements of arrays can be accessed, and this is no array";
                        Err(Diagnostic::error(fields.required("exp")?.span, message).into())
                    }
                };
            }
            Some(Operator::Elements) => {
                let mut elements = Vec::new();
                for item in super::fields::list(fields.required("elements")?, "an array value")? {
                    elements.push(self.value(item)?);
                }
                return ArrayValue::of(elements, self.names, span).map(Value::Array);
            }
            Some(Operator::Constructor) => return self.constructor(&fields).map(Value::Array),
            Some(Operator::Call) => return self.call(&fields),
            None => return Err(no_operator(op, fields.required("op")?.span)),
        }))
    }

    /// `abs`, `sgn` and `trc`, which the tree says with other operators.
    fn derived(&self, op: &str, operand: Expr, span: Span) -> Read<Expr> {
        build::expect(&operand, build::Needs::Number, &format!("the operand of `{op}`"))?;
        let (_, size) = build::measure(&operand);
        self.names.spend(3 * size, span)?;
        let is = |comparison, operand: &Expr| build::binary(comparison, operand.clone(), build::whole(0, span), span);
        match op {
            "abs" => build::binary(Binary::Max, operand.clone(), build::unary(Unary::Minus, operand, span)?, span),
            "sgn" => {
                let positive = is(Binary::Greater, &operand)?;
                let rest = build::conditional(
                    is(Binary::Less, &operand)?,
                    build::whole(-1, span),
                    build::whole(0, span),
                    span,
                )?;
                build::conditional(positive, build::whole(1, span), rest, span)
            }
            _ => {
                let negative = is(Binary::Less, &operand)?;
                let up = build::unary(Unary::Ceil, operand.clone(), span)?;
                build::conditional(negative, up, build::unary(Unary::Floor, operand, span)?, span)
            }
        }
    }

    fn either(&mut self, condition: Expr, then: Value, otherwise: Value, span: Span) -> Read<Value> {
        match (then, otherwise) {
            (Value::Scalar(then), Value::Scalar(otherwise)) => {
                build::conditional(condition, then, otherwise, span).map(Value::Scalar)
            }
            (Value::Array(then), Value::Array(otherwise)) => {
                then.either(condition, otherwise, self.names, span).map(Value::Array)
            }
            _ => Err(Diagnostic::error(span, "one branch of `ite` is an array, the other is none").into()),
        }
    }

    /// `{"op": "ac", "var": "i", "length": n, "exp": …}`: the expression for each index.
    fn constructor(&mut self, fields: &Fields<'_>) -> Read<ArrayValue> {
        let name = fields.text("var")?;
        let length = self.scalar(fields.required("length")?)?;
        build::expect(&length, build::Needs::Whole, "the length of an array")?;
        let ExprKind::Int(length @ 0..) = length.kind else {
            let message = "the length of an array has to be a constant that is not negative";
            return Err(Diagnostic::error(length.span, message).into());
        };
        if length as usize > MAX_ELEMENTS {
            return Err(arrays::too_long(fields.span));
        }
        let body = fields.required("exp")?;
        let mut elements = Vec::new();
        for index in 0..length {
            let value = Value::Scalar(build::whole(index, fields.span));
            self.bound.push(Bound { name: name.to_string(), value, measure: (1, 1) });
            let element = self.value(body);
            self.bound.pop();
            elements.push(element?);
        }
        ArrayValue::of(elements, self.names, fields.span)
    }

    fn call(&mut self, fields: &Fields<'_>) -> Read<Value> {
        let at = fields.required("function")?.span;
        let name = fields.text("function")?;
        let function = self.names.function(name, self.scope, at)?;
        if self.calls.iter().any(|call| call == name) {
            let message = format!("the function `{name}` calls itself: recursive functions are not supported");
            return Err(Diagnostic::error(at, message).related(function.span, "it is defined here").into());
        }
        let arguments = fields.items("args")?;
        if arguments.len() != function.parameters.len() {
            let (wanted, given) = (function.parameters.len(), arguments.len());
            let message = format!("the function `{name}` has {wanted} parameters, but {given} arguments are given");
            return Err(Diagnostic::error(fields.span, message).related(function.span, "it is defined here").into());
        }
        let mut bindings = Vec::new();
        for ((parameter, ty), argument) in function.parameters.iter().zip(arguments) {
            let value = self.value(argument)?;
            if let Value::Scalar(value) = &value {
                ty.check(value, &format!("the parameter `{parameter}` of `{name}`"))?;
            }
            let measure = value.measure();
            bindings.push(Bound { name: parameter.to_string(), value, measure });
        }
        let before = (self.visible_from, self.bound.len());
        self.visible_from = self.bound.len();
        self.bound.extend(bindings);
        self.calls.push(name.to_string());
        let result = self.value(function.body);
        self.calls.pop();
        self.bound.truncate(before.1);
        self.visible_from = before.0;
        let result = result?;
        if let Value::Scalar(value) = &result {
            function.result.check(value, &format!("the result of the function `{name}`"))?;
        }
        Ok(result)
    }
}

fn too_deep(span: Span) -> Box<Diagnostic> {
    let message = format!("the expression is nested more than {MAX_NESTING} deep when functions are expanded");
    Box::new(Diagnostic::error(span, message))
}

/// A literal; whole numbers that do not fit in 32 bits are real ones.
fn number(text: &str, span: Span) -> Read<Expr> {
    if let Ok(value) = text.parse::<i32>() {
        return Ok(build::whole(value, span));
    }
    match numbers::decimal(text) {
        Some(value) => Ok(build::real(value, span)),
        None => Err(Diagnostic::error(span, "this number is too large or has too many digits").into()),
    }
}

fn named_number(json: &Json) -> Read<Expr> {
    let fields = Fields::of(json, "a constant of nature")?;
    let value = match fields.text("constant")? {
        "e" => std::f64::consts::E,
        "π" | "pi" => std::f64::consts::PI,
        other => {
            let message = format!("there is no constant `{other}`: known are `e` and `π`");
            return Err(Diagnostic::error(json.span, message).into());
        }
    };
    let number = rounded(value).unwrap_or_default();
    Ok(Expr { kind: ExprKind::Real(number), ty: Type::Real, span: json.span })
}

fn no_operator(op: &str, span: Span) -> Box<Diagnostic> {
    let message = match op {
        "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "asin" | "acos" | "atan" | "acot" | "asec" | "acsc" => {
            format!("`{op}` is not supported (JANI's feature trigonometric-functions)")
        }
        "sinh" | "cosh" | "tanh" | "coth" | "sech" | "csch" | "asinh" | "acosh" | "atanh" | "acoth" | "asech"
        | "acsch" => {
            format!("`{op}` is not supported (JANI's feature hyperbolic-functions)")
        }
        "der" => "`der` is not supported: there are no clocks here".to_string(),
        "da" | "oc" | "ov" | "empty" | "some" | "none" => format!("`{op}` is not supported (JANI's feature datatypes)"),
        "nondet" => "`nondet` is not supported (JANI's feature nondet-selection)".to_string(),
        _ if operators::is_of_properties(op) => format!("`{op}` can only be used in properties"),
        _ => format!("there is no operator `{op}`{}", suggest(op, operators::names())),
    };
    Box::new(Diagnostic::error(span, message))
}
