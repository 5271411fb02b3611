//! What global and local declarations have in common: place, initial values, channels.

use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Initialiser;
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::types::ValueType;

use super::symbols::{Exclusive, Owner, Shape, StructId, Symbols, VarInfo};
use crate::ast::{self, Initializer, TypeKind};

/// More slots than this for one variable are refused.
pub const MAX_SLOTS: u32 = 1 << 18;

pub fn too_large(declarator: &ast::Declarator) -> Diagnostic {
    Diagnostic::error(declarator.span, format!("`{}` is too large", declarator.name.name))
        .help(format!("a variable or channel can have at most {MAX_SLOTS} values"))
}

/// An initialiser and when it runs: SPIN initialises the variables of a scope by type, in the order of [`type_order`],
/// and by declaration within a type.
pub type Ordered = (u8, Initialiser);

pub fn type_order(kind: &TypeKind) -> u8 {
    match kind {
        TypeKind::Unsigned => 0,
        TypeKind::Bit | TypeKind::Bool => 1,
        TypeKind::Byte | TypeKind::Pid => 2,
        TypeKind::Chan => 3,
        TypeKind::Mtype(_) => 4,
        TypeKind::Short => 5,
        TypeKind::Int => 6,
        TypeKind::Named(_) => STRUCT_ORDER,
    }
}

const STRUCT_ORDER: u8 = 7;

/// Gives a variable its type and, with `allocate`, its slots. `None`, with an error, if it is too large.
pub fn describe(
    symbols: &Symbols,
    owner: Owner,
    decl: &ast::Decl,
    declarator: &ast::Declarator,
    allocate: impl FnOnce(u32) -> u32,
    errors: &mut Vec<Diagnostic>,
) -> Option<VarInfo> {
    let shape = symbols.shape(&decl.ty, Some(declarator), errors);
    let array = symbols.array_len(declarator, errors);
    let slots = symbols.slots_of(shape).saturating_mul(array.unwrap_or(1));
    if slots > MAX_SLOTS {
        errors.push(too_large(declarator));
        return None;
    }
    let name = &declarator.name;
    if symbols.mtypes.contains_key(&name.name) {
        errors.push(Diagnostic::error(name.span, format!("`{}` is the name of an mtype constant", name.name)));
    }
    let message = match &declarator.init {
        Some(Initializer::Channel(init)) => Some(init.fields.iter().map(|t| symbols.shape(t, None, errors)).collect()),
        _ => None,
    };
    Some(VarInfo {
        owner,
        slot: allocate(slots),
        shape,
        array,
        span: name.span,
        message,
        exclusive: Exclusive::default(),
        promised_local: owner == Owner::Global && decl.visibility == Some(ast::Visibility::Local),
    })
}

/// The values with which a variable is declared: none, one, or a list.
pub fn initial_values(declarator: &ast::Declarator) -> &[ast::Expr] {
    match &declarator.init {
        Some(Initializer::Expr(value)) => std::slice::from_ref(value),
        Some(Initializer::List { values, .. }) => values,
        Some(Initializer::Channel(_)) | None => &[],
    }
}

/// Reports initial values that the variable cannot have; false if there is such an error.
pub fn values_fit(declarator: &ast::Declarator, info: &VarInfo, diagnostics: &mut Vec<Diagnostic>) -> bool {
    match (&declarator.init, info.shape, info.array) {
        (Some(_), Shape::Struct(_), _) => {
            let warning =
                Diagnostic::warning(declarator.span, "the initial value of a struct is ignored, as SPIN does");
            diagnostics.push(warning.help("assign the fields one by one"));
            true
        }
        (Some(Initializer::List { span, .. }), _, None) => {
            diagnostics.push(Diagnostic::error(*span, "only an array can be initialised with a list"));
            false
        }
        _ => true,
    }
}

/// Sets all elements of a variable; the last value serves for all elements that follow.
pub fn assignments(symbols: &Symbols, info: &VarInfo, values: &[Expr], order: u8) -> Vec<Ordered> {
    let is_struct = matches!(info.shape, Shape::Struct(_));
    let elements = if values.is_empty() || is_struct { 0 } else { info.array.unwrap_or(1) };
    (0..elements)
        .map(|at| {
            let value = values[(at as usize).min(values.len() - 1)].clone();
            let target = element(symbols, info, at);
            (order, Initialiser::Assign(Action::Assign { target, value }))
        })
        .collect()
}

/// An element of a variable; of one without elements the variable itself.
pub fn element(symbols: &Symbols, info: &VarInfo, index: u32) -> Place {
    let ty = match info.shape {
        Shape::Scalar(ty) => ty,
        Shape::Struct(_) => ValueType::Int,
    };
    let slot = info.slot + index * symbols.slots_of(info.shape);
    match info.owner {
        Owner::Global => Place::global(slot, ty),
        Owner::Local => Place::own(slot, ty),
    }
}

/// A channel that a declaration makes.
pub struct NewChannel {
    pub name: String,
    pub capacity: u32,
    pub fields: Vec<ValueType>,
    pub span: Span,
    /// Slot of the variable that is to hold its number.
    pub holder: u32,
    pub order: u8,
}

/// The channels that a declaration makes: that of the variable itself, or those in the fields of a struct.
pub fn channels(
    symbols: &Symbols,
    decl: &ast::Decl,
    declarator: &ast::Declarator,
    info: &VarInfo,
    errors: &mut Vec<Diagnostic>,
) -> Vec<NewChannel> {
    let mut found = Found { symbols, channels: Vec::new(), errors };
    match (&declarator.init, info.shape) {
        (Some(Initializer::Channel(init)), _) => {
            found.add(&declarator.name.name, init, info.array, info.slot, type_order(&decl.ty.kind));
        }
        (_, Shape::Struct(id)) => {
            for at in 0..info.array.unwrap_or(1) {
                found.in_struct(id, info.slot + at * symbols.slots_of(info.shape));
            }
        }
        _ => {}
    }
    found.channels
}

struct Found<'a> {
    symbols: &'a Symbols,
    channels: Vec<NewChannel>,
    errors: &'a mut Vec<Diagnostic>,
}

impl Found<'_> {
    fn in_struct(&mut self, id: StructId, base: u32) {
        let definition = &self.symbols.structs[id.0];
        for field in &definition.fields {
            let slot = base + field.offset;
            if let Some(Initializer::Channel(init)) = &field.decl.init {
                self.add(&format!("{}.{}", definition.name, field.name), init, field.array, slot, STRUCT_ORDER);
            }
            if let Shape::Struct(inner) = field.shape {
                for at in 0..field.array.unwrap_or(1) {
                    self.in_struct(inner, slot + at * self.symbols.slots_of(field.shape));
                }
            }
        }
    }

    fn add(&mut self, name: &str, init: &ast::ChannelInit, array: Option<u32>, slot: u32, order: u8) {
        let Some((capacity, fields)) = channel_shape(self.symbols, init, self.errors) else { return };
        self.channels.extend((0..array.unwrap_or(1)).map(|at| NewChannel {
            name: if array.is_some() { format!("{name}[{at}]") } else { name.to_string() },
            capacity,
            fields: fields.clone(),
            span: init.span,
            holder: slot + at,
            order,
        }));
    }
}

/// Capacity and fields of a channel.
fn channel_shape(
    symbols: &Symbols,
    init: &ast::ChannelInit,
    errors: &mut Vec<Diagnostic>,
) -> Option<(u32, Vec<ValueType>)> {
    let capacity = symbols.constant(&init.capacity, errors)?;
    let shapes: Vec<Shape> = init.fields.iter().map(|t| symbols.shape(t, None, &mut Vec::new())).collect();
    let mut fields: Vec<ValueType> = shapes.iter().flat_map(|s| symbols.flatten(*s)).collect();
    if fields.len() == 1 && fields[0] == ValueType::Bit {
        fields[0] = ValueType::Byte; // SPIN stores the only field of a message in a byte
    }
    if !(0..=65_535).contains(&capacity) || capacity as u64 * fields.len() as u64 > MAX_SLOTS as u64 {
        errors.push(
            Diagnostic::error(init.capacity.span, format!("a channel cannot hold {capacity} messages"))
                .help("the capacity is 0 (rendezvous) or more, up to 65535"),
        );
        return None;
    }
    Some((capacity as u32, fields))
}
