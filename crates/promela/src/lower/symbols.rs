//! Names and types: what the declarations of a model mean.

use std::collections::HashMap;

use bughound_ir::network::TemplateId;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::{Dim, EnumId, ValueType, Variable};

use crate::ast::{self, ConstSpelling, ExprKind, Name, TypeKind};

/// Index of a `typedef`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructId(pub usize);

/// The shape of one element of a variable or field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Scalar(ValueType),
    Struct(StructId),
}

/// A field of a `typedef`: its place relative to the struct.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: Name,
    pub shape: Shape,
    pub array: Option<u32>,
    pub offset: u32,
    pub decl: ast::Declarator,
}

#[derive(Clone, Debug)]
pub struct Struct {
    pub name: Name,
    pub fields: Vec<Field>,
    pub slots: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Global,
    Local,
}

/// A declared variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    pub owner: Owner,
    pub slot: u32,
    pub shape: Shape,
    pub array: Option<u32>,
    pub span: Span,
    /// Message fields of a channel that is initialised at its declaration.
    pub message: Option<Vec<Shape>>,
    /// Declared `xr` / `xs` somewhere: its receives / sends count as local when statements are merged.
    pub exclusive: Exclusive,
    /// `local`: promised to be used by one process only.
    pub promised_local: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exclusive {
    pub receive: bool,
    pub send: bool,
}

impl Exclusive {
    pub fn add(&mut self, mode: ast::AccessMode) {
        match mode {
            ast::AccessMode::Receive => self.receive = true,
            ast::AccessMode::Send => self.send = true,
        }
    }
}

/// A proctype as others see it.
#[derive(Clone, Debug)]
pub struct ProcInfo {
    pub template: TemplateId,
    /// Flattened parameters.
    pub parameters: Vec<ValueType>,
    /// SPIN holds that starting it touches global state: it has initialised local variables of a certain kind.
    pub unsafe_start: bool,
}

/// Everything declared at the top level.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    pub structs: Vec<Struct>,
    pub struct_names: HashMap<Name, StructId>,
    /// Name of a constant to (value, enumeration).
    pub mtypes: HashMap<Name, (i32, EnumId)>,
    pub mtype_ids: HashMap<Option<Name>, EnumId>,
    pub globals: HashMap<Name, VarInfo>,
    pub processes: HashMap<Name, ProcInfo>,
}

impl Symbols {
    pub fn slots_of(&self, shape: Shape) -> u32 {
        match shape {
            Shape::Scalar(_) => 1,
            Shape::Struct(id) => self.structs[id.0].slots,
        }
    }

    /// The type of one element. A `bit` that is an element of an array takes a byte, as in SPIN.
    pub fn shape(&self, ty: &ast::Type, declarator: Option<&ast::Declarator>, errors: &mut Vec<Diagnostic>) -> Shape {
        let in_array = declarator.is_some_and(|d| d.array.is_some());
        Shape::Scalar(match &ty.kind {
            TypeKind::Bit | TypeKind::Bool if in_array => ValueType::Byte,
            TypeKind::Bit | TypeKind::Bool => ValueType::Bit,
            TypeKind::Byte => ValueType::Byte,
            TypeKind::Pid => ValueType::Pid,
            TypeKind::Short => ValueType::Short,
            TypeKind::Int => ValueType::Int,
            TypeKind::Chan => ValueType::Chan,
            TypeKind::Unsigned => {
                let width = declarator.and_then(|d| d.width.as_ref());
                match width.map(|w| self.constant(w, errors)) {
                    Some(Some(bits @ 1..=32)) => ValueType::Unsigned(bits as u8),
                    Some(Some(bits)) => {
                        let span = width.map_or(ty.span, |w| w.span);
                        errors.push(
                            Diagnostic::error(span, format!("a width of {bits} bits is not possible"))
                                .help("an `unsigned` variable has between 1 and 32 bits"),
                        );
                        ValueType::Unsigned(1)
                    }
                    Some(None) => ValueType::Unsigned(1),
                    None => ValueType::Unsigned(8),
                }
            }
            TypeKind::Mtype(subtype) => {
                let key = subtype.as_ref().map(|s| s.name.clone());
                match self.mtype_ids.get(&key) {
                    Some(id) => ValueType::Mtype(*id),
                    None => ValueType::Byte,
                }
            }
            TypeKind::Named(name) => match self.struct_names.get(&name.name) {
                Some(id) => return Shape::Struct(*id),
                None => {
                    errors.push(Diagnostic::error(name.span, format!("there is no type `{}`", name.name)));
                    ValueType::Int
                }
            },
        })
    }

    /// Length of an array; `None` for a scalar.
    pub fn array_len(&self, declarator: &ast::Declarator, errors: &mut Vec<Diagnostic>) -> Option<u32> {
        let expr = declarator.array.as_ref()?;
        match self.constant(expr, errors) {
            Some(len @ 1..=65_535) => Some(len as u32),
            Some(len) => {
                errors.push(
                    Diagnostic::error(
                        expr.span,
                        format!("array `{}` cannot have {len} elements", declarator.name.name),
                    )
                    .help("an array has between 1 and 65535 elements"),
                );
                Some(1)
            }
            None => Some(1),
        }
    }

    /// The value of a constant expression; reports an error if it is not one.
    pub fn constant(&self, expr: &ast::Expr, errors: &mut Vec<Diagnostic>) -> Option<i32> {
        let value = self.fold(expr);
        if value.is_none() {
            errors.push(
                Diagnostic::error(expr.span, "a constant is needed here")
                    .label("cannot be computed before the model runs"),
            );
        }
        value
    }

    /// The value of an expression that does not depend on the state.
    pub fn fold(&self, expr: &ast::Expr) -> Option<i32> {
        use bughound_ir::expr::{apply_binary, apply_unary};
        match &expr.kind {
            ExprKind::Const { value, .. } => Some(*value),
            ExprKind::Var(var) => {
                let name = &var.as_name()?.name;
                self.mtypes.get(name).map(|(value, _)| *value)
            }
            ExprKind::Unary { op, operand } => Some(apply_unary(super::expressions::unary(*op), self.fold(operand)?)),
            ExprKind::Binary { op, left, right } => {
                apply_binary(super::expressions::binary(*op), self.fold(left)?, self.fold(right)?)
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                if self.fold(condition)? != 0 {
                    self.fold(then)
                } else {
                    self.fold(otherwise)
                }
            }
            _ => None,
        }
    }

    /// Value of an expression that is a literal for SPIN: a number, `true`, `skip`, the name of an `mtype` constant.
    pub fn literal(&self, expr: &ast::Expr) -> Option<i32> {
        match &expr.kind {
            ExprKind::Const { value, spelling } => match spelling {
                ConstSpelling::Number
                | ConstSpelling::Char
                | ConstSpelling::True
                | ConstSpelling::False
                | ConstSpelling::Skip => Some(*value),
            },
            ExprKind::Var(var) => self.mtypes.get(&var.as_name()?.name).map(|(value, _)| *value),
            _ => None,
        }
    }

    /// The scalars that a value of this shape consists of, in order (arrays inside structs element by element).
    pub fn flatten(&self, shape: Shape) -> Vec<ValueType> {
        match shape {
            Shape::Scalar(ty) => vec![ty],
            Shape::Struct(id) => self.structs[id.0]
                .fields
                .iter()
                .flat_map(|f| {
                    let one = self.flatten(f.shape);
                    std::iter::repeat_n(one, f.array.unwrap_or(1) as usize).flatten()
                })
                .collect(),
        }
    }

    /// The IR variables that a declared variable consists of: one per scalar field, arrays kept as dimensions.
    pub fn leaves(&self, name: &str, info: &VarInfo, hidden: bool) -> Vec<Variable> {
        let mut out = Vec::new();
        self.collect_leaves(
            name.to_string(),
            Vec::new(),
            info.slot,
            info.shape,
            info.array,
            &mut |name, ty, slot, dims| {
                out.push(Variable { name, ty, slot, dims, hidden, span: info.span });
            },
        );
        out
    }

    fn collect_leaves(
        &self,
        name: String,
        mut dims: Vec<Dim>,
        slot: u32,
        shape: Shape,
        array: Option<u32>,
        add: &mut dyn FnMut(String, ValueType, u32, Vec<Dim>),
    ) {
        if let Some(len) = array {
            dims.push(Dim { len, stride: self.slots_of(shape), after: name.len() as u32, first: 0 });
        }
        match shape {
            Shape::Scalar(ty) => add(name, ty, slot, dims),
            Shape::Struct(id) => {
                for field in &self.structs[id.0].fields {
                    let name = format!("{name}.{}", field.name);
                    self.collect_leaves(name, dims.clone(), slot + field.offset, field.shape, field.array, add);
                }
            }
        }
    }
}
