//! Arrays in expressions: variables, literals, constructors; several dimensions are flattened to one.

use bughound_ir::source::{Diagnostic, Span};

use super::Read;
use super::build::{self, Needs};
use super::names::Names;
use crate::tree::{Binary, Expr, ExprKind, Type, VariableId};

/// Longer arrays are refused.
pub const MAX_ELEMENTS: usize = 1 << 20;

/// What an expression gives.
#[derive(Clone, Debug)]
pub enum Value {
    Scalar(Expr),
    Array(ArrayValue),
}

impl Value {
    /// Levels and nodes.
    pub fn measure(&self) -> (usize, usize) {
        match self {
            Value::Scalar(expr) => build::measure(expr),
            Value::Array(ArrayValue { content: Content::Variable { offset, .. }, .. }) => build::measure(offset),
            Value::Array(ArrayValue { content: Content::Elements(elements), .. }) => {
                let measured = elements.iter().map(build::measure);
                measured.fold((0, 0), |(height, size), (h, s)| (height.max(h), size + s))
            }
        }
    }
}

/// An array, of one or more dimensions.
#[derive(Clone, Debug)]
pub struct ArrayValue {
    /// The lengths, from the outermost dimension inwards.
    pub dimensions: Vec<u32>,
    content: Content,
}

#[derive(Clone, Debug)]
enum Content {
    /// A part of a variable: `offset` counts parts of this size.
    Variable { id: VariableId, element: Type, offset: Expr },
    /// All elements, the last index running fastest.
    Elements(Vec<Expr>),
}

impl ArrayValue {
    pub fn variable(names: &Names<'_>, id: VariableId, element: Type, span: Span) -> ArrayValue {
        let dimensions = names.dimensions[id.0 as usize].clone();
        ArrayValue { dimensions, content: Content::Variable { id, element, offset: build::whole(0, span) } }
    }

    /// From its elements, which may be arrays of the same length.
    pub fn of(elements: Vec<Value>, names: &Names<'_>, span: Span) -> Read<ArrayValue> {
        let mut dimensions = vec![elements.len() as u32];
        let mut flat = Vec::new();
        let mut inner: Option<Vec<u32>> = None;
        for element in elements {
            let (lengths, parts) = match element {
                Value::Scalar(expr) => (Vec::new(), vec![expr]),
                Value::Array(array) => (array.dimensions.clone(), array.elements(names, span)?),
            };
            if inner.as_ref().is_some_and(|inner| *inner != lengths) {
                let message = "the rows of this array have different lengths, which is not supported";
                return Err(Diagnostic::error(span, message).into());
            }
            inner = Some(lengths);
            flat.extend(parts);
            if flat.len() > MAX_ELEMENTS {
                return Err(too_long(span));
            }
        }
        dimensions.extend(inner.into_iter().flatten());
        Ok(ArrayValue { dimensions, content: Content::Elements(flat) })
    }

    fn length(&self) -> usize {
        self.dimensions.iter().map(|length| *length as usize).product()
    }

    /// All elements, the last index running fastest.
    pub fn elements(self, names: &Names<'_>, span: Span) -> Read<Vec<Expr>> {
        let length = self.length();
        match self.content {
            Content::Elements(elements) => Ok(elements),
            Content::Variable { id, element, offset } => {
                names.spend(length.saturating_mul(build::measure(&offset).1 + 3), span)?;
                let size = i32::try_from(length).map_err(|_| too_long(span))?;
                let base = build::binary(Binary::Multiply, offset, build::whole(size, span), span)?;
                let at = |index| {
                    let index = build::binary(Binary::Add, base.clone(), build::whole(index, span), span)?;
                    Ok(Expr { kind: ExprKind::Element(id, Box::new(index)), ty: element, span })
                };
                (0..size).map(at).collect()
            }
        }
    }

    /// One element, or one row.
    pub fn select(self, index: Expr, names: &Names<'_>, span: Span) -> Read<Value> {
        build::expect(&index, Needs::Whole, "the index of an array")?;
        let length = self.dimensions.first().copied().unwrap_or_default() as i32;
        // It may stand where it is never evaluated; there is no such element in any state.
        let is_outside = matches!(index.kind, ExprKind::Int(value) if !(0..length).contains(&value));
        let rest = self.dimensions[1..].to_vec();
        match self.content {
            Content::Variable { id, element, offset } => {
                let is_first = matches!(offset.kind, ExprKind::Int(0));
                let row = build::binary(Binary::Multiply, offset, build::whole(length, span), span)?;
                let flat = build::binary(Binary::Add, row, index.clone(), span)?;
                // An inner index that is too large would be an element of another row.
                let is_outermost = names.dimensions[id.0 as usize].len() == rest.len() + 1;
                let flat = match is_outermost {
                    _ if is_outside => build::whole(-1, span),
                    true if is_first => index,
                    true => flat,
                    false => guarded(index, length, flat, build::whole(-1, span), names, span)?,
                };
                Ok(match rest.is_empty() {
                    true => Value::Scalar(Expr { kind: ExprKind::Element(id, Box::new(flat)), ty: element, span }),
                    false => Value::Array(ArrayValue {
                        dimensions: rest,
                        content: Content::Variable { id, element, offset: flat },
                    }),
                })
            }
            Content::Elements(elements) => {
                let row: usize = rest.iter().map(|length| *length as usize).product();
                let columns =
                    (0..row).map(|column| elements.iter().skip(column).step_by(row).cloned().collect::<Vec<_>>());
                let chosen = columns.map(|column| match (is_outside, column.first()) {
                    (true, first) => outside(first.map_or(Type::Int, |first| first.ty), span),
                    (false, _) => choose(column, 0, &index, names, span),
                });
                let mut chosen = chosen.collect::<Read<Vec<Expr>>>()?;
                match rest.is_empty() {
                    true => chosen.pop().map(Value::Scalar).ok_or_else(|| too_long(span)),
                    false => Ok(Value::Array(ArrayValue { dimensions: rest, content: Content::Elements(chosen) })),
                }
            }
        }
    }

    /// The one or the other.
    pub fn either(self, condition: Expr, other: ArrayValue, names: &Names<'_>, span: Span) -> Read<ArrayValue> {
        if self.dimensions != other.dimensions {
            return Err(Diagnostic::error(span, "the branches of `ite` are arrays of different lengths").into());
        }
        let dimensions = self.dimensions.clone();
        names.spend(self.length() * build::measure(&condition).1, span)?;
        let pairs = self.elements(names, span)?.into_iter().zip(other.elements(names, span)?);
        let chosen = pairs.map(|(then, otherwise)| build::conditional(condition.clone(), then, otherwise, span));
        Ok(ArrayValue { dimensions, content: Content::Elements(chosen.collect::<Read<_>>()?) })
    }
}

/// `flat` if the index is inside of its dimension.
fn guarded(index: Expr, length: i32, flat: Expr, outside: Expr, names: &Names<'_>, span: Span) -> Read<Expr> {
    if matches!(index.kind, ExprKind::Int(_)) {
        return Ok(flat);
    }
    names.spend(2 * build::measure(&index).1, span)?;
    let above = build::binary(Binary::LessEqual, build::whole(0, span), index.clone(), span)?;
    let below = build::binary(Binary::Less, index, build::whole(length, span), span)?;
    build::conditional(build::binary(Binary::And, above, below, span)?, flat, outside, span)
}

/// The element with an index that is known only in a state: halves the elements, so that the depth stays small.
fn choose(mut elements: Vec<Expr>, first: i32, index: &Expr, names: &Names<'_>, span: Span) -> Read<Expr> {
    let length = elements.len() as i32;
    if let ExprKind::Int(value) = index.kind {
        return Ok(elements.swap_remove((value - first) as usize));
    }
    names.spend(build::measure(index).1 + 3, span)?;
    match length {
        0 => outside(Type::Int, span),
        1 => {
            let ty = elements[0].ty;
            let here = build::binary(Binary::Equal, index.clone(), build::whole(first, span), span)?;
            build::conditional(here, elements.swap_remove(0), outside(ty, span)?, span)
        }
        _ => {
            let half = elements.split_off(elements.len() / 2);
            let middle = first + elements.len() as i32;
            let low = build::binary(Binary::Less, index.clone(), build::whole(middle, span), span)?;
            let below = choose(elements, first, index, names, span)?;
            build::conditional(low, below, choose(half, middle, index, names, span)?, span)
        }
    }
}

/// An expression of this type that has no value.
fn outside(ty: Type, span: Span) -> Read<Expr> {
    let nothing = build::binary(Binary::Modulo, build::whole(0, span), build::whole(0, span), span)?;
    match ty {
        Type::Bool => build::binary(Binary::Equal, nothing, build::whole(0, span), span),
        Type::Int | Type::Real => Ok(nothing),
    }
}

pub fn too_long(span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(span, format!("arrays have at most {MAX_ELEMENTS} elements")))
}
