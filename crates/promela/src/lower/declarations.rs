//! Top-level declarations: types, constants, variables and channels.

use std::collections::HashMap;

use bughound_ir::edge::Action;
use bughound_ir::expr::Place;
use bughound_ir::network::{Initialiser, TemplateId};
use bughound_ir::source::Diagnostic;
use bughound_ir::types::{Enumeration, ValueType};

use super::body::BodyLowering;
use super::symbols::{Exclusive, Field, Owner, ProcInfo, Shape, Struct, StructId, Symbols, VarInfo};
use super::{Lowering, Source};
use crate::ast::{self, Initializer, Item, Name, TypeKind};

/// Values with their names.
type Names = Vec<(i32, String)>;

/// More slots than this for one variable are refused.
pub const MAX_SLOTS: u32 = 1 << 18;

pub fn too_large(declarator: &ast::Declarator) -> Diagnostic {
    Diagnostic::error(declarator.span, format!("`{}` is too large", declarator.name.name))
        .help(format!("a variable or channel can have at most {MAX_SLOTS} values"))
}

/// SPIN initialises the variables of a scope by type, in this order, and by declaration within a type.
pub fn type_order(kind: &TypeKind) -> u8 {
    match kind {
        TypeKind::Unsigned => 0,
        TypeKind::Bit | TypeKind::Bool => 1,
        TypeKind::Byte | TypeKind::Pid => 2,
        TypeKind::Chan => 3,
        TypeKind::Mtype(_) => 4,
        TypeKind::Short => 5,
        TypeKind::Int => 6,
        TypeKind::Named(_) => 7,
    }
}

/// Shapes of the message fields, if the variable is declared as a channel with messages.
pub fn message_shapes(
    symbols: &Symbols,
    declarator: &ast::Declarator,
    errors: &mut Vec<Diagnostic>,
) -> Option<Vec<Shape>> {
    match &declarator.init {
        Some(Initializer::Channel(init)) => Some(init.fields.iter().map(|t| symbols.shape(t, None, errors)).collect()),
        _ => None,
    }
}

/// Capacity and fields of a channel.
pub fn channel_shape(
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

/// Channels that the fields of a struct variable declare: name, declaration, first slot, number.
pub fn channels_in(symbols: &Symbols, info: &VarInfo, found: &mut dyn FnMut(String, ast::ChannelInit, u32, u32)) {
    if let Shape::Struct(id) = info.shape {
        let stride = symbols.slots_of(info.shape);
        for i in 0..info.array.unwrap_or(1) {
            channels_in_struct(symbols, id, info.slot + i * stride, found);
        }
    }
}

fn channels_in_struct(
    symbols: &Symbols,
    id: StructId,
    base: u32,
    found: &mut dyn FnMut(String, ast::ChannelInit, u32, u32),
) {
    let definition = &symbols.structs[id.0];
    for field in &definition.fields {
        let slot = base + field.offset;
        let count = field.array.unwrap_or(1);
        if let Some(Initializer::Channel(init)) = &field.decl.init {
            found(format!("{}.{}", definition.name, field.name), init.clone(), slot, count);
        }
        if let Shape::Struct(inner) = field.shape {
            for i in 0..count {
                channels_in_struct(symbols, inner, slot + i * symbols.slots_of(field.shape), found);
            }
        }
    }
}

impl<'a> Lowering<'a> {
    pub(super) fn declare_mtypes(&mut self) {
        // Per subtype: the next number and the names so far.
        let mut counts: HashMap<Option<Name>, (i32, Names)> = HashMap::new();
        let mut order: Vec<Option<Name>> = Vec::new();
        let mut places: Vec<(Name, Option<Name>, i32)> = Vec::new();
        for item in &self.model.items {
            let Item::Mtype(decl) = item else { continue };
            let key = decl.subtype.as_ref().map(|s| s.name.clone());
            if !counts.contains_key(&key) {
                order.push(key.clone());
            }
            let (next, names) = counts.entry(key.clone()).or_insert((1, Vec::new()));
            for name in decl.names.iter().rev() {
                if places.iter().any(|(other, _, _)| *other == name.name) {
                    self.diagnostics.push(Diagnostic::error(name.span, format!("`{}` is declared twice", name.name)));
                    continue;
                }
                if *next > 255 {
                    self.diagnostics.push(Diagnostic::error(name.span, "there are more than 255 mtype constants"));
                    return;
                }
                names.push((*next, name.name.to_string()));
                places.push((name.name.clone(), key.clone(), *next));
                *next += 1;
            }
        }
        for key in order {
            let (_, names) = counts.remove(&key).unwrap_or_default();
            let name = key.as_ref().map_or("mtype".to_string(), |k| format!("mtype:{k}"));
            let id = self.builder.enumeration(Enumeration { name, names });
            self.symbols.mtype_ids.insert(key, id);
        }
        for (name, key, value) in places {
            if let Some(id) = self.symbols.mtype_ids.get(&key) {
                self.symbols.mtypes.insert(name, (value, *id));
            }
        }
    }

    pub(super) fn declare_typedefs(&mut self) {
        for item in &self.model.items {
            let Item::Typedef(typedef) = item else { continue };
            let mut fields: Vec<Field> = Vec::new();
            let mut slots = 0u32;
            for decl in &typedef.fields {
                for declarator in &decl.vars {
                    let shape = self.symbols.shape(&decl.ty, Some(declarator), &mut self.diagnostics);
                    let array = self.symbols.array_len(declarator, &mut self.diagnostics);
                    let name = declarator.name.name.clone();
                    if fields.iter().any(|f| f.name == name) {
                        let text = format!("field `{name}` is declared twice");
                        self.diagnostics.push(Diagnostic::error(declarator.name.span, text));
                    }
                    let offset = slots;
                    slots = slots.saturating_add(self.symbols.slots_of(shape).saturating_mul(array.unwrap_or(1)));
                    if slots > MAX_SLOTS {
                        self.diagnostics.push(too_large(declarator));
                        slots = offset;
                        continue;
                    }
                    fields.push(Field { name, shape, array, offset, decl: declarator.clone() });
                }
            }
            let id = StructId(self.symbols.structs.len());
            let name = typedef.name.name.clone();
            self.symbols.structs.push(Struct { name: name.clone(), fields, slots });
            if self.symbols.struct_names.insert(name, id).is_some() {
                let text = format!("type `{}` is declared twice", typedef.name.name);
                self.diagnostics.push(Diagnostic::error(typedef.name.span, text));
            }
        }
    }

    pub(super) fn declare_globals(&mut self) {
        let mut initialisers: Vec<(u8, Initialiser)> = Vec::new();
        let model = self.model;
        for item in &model.items {
            let Item::Decl(decl) = item else { continue };
            for declarator in &decl.vars {
                self.declare_global(decl, declarator, &mut initialisers);
            }
        }
        initialisers.sort_by_key(|(order, _)| *order);
        for (_, initialiser) in initialisers {
            self.builder.initialise(initialiser);
        }
    }

    fn declare_global(
        &mut self,
        decl: &ast::Decl,
        declarator: &ast::Declarator,
        initialisers: &mut Vec<(u8, Initialiser)>,
    ) {
        let shape = self.symbols.shape(&decl.ty, Some(declarator), &mut self.diagnostics);
        let array = self.symbols.array_len(declarator, &mut self.diagnostics);
        let slots = self.symbols.slots_of(shape).saturating_mul(array.unwrap_or(1));
        if slots > MAX_SLOTS {
            self.diagnostics.push(too_large(declarator));
            return;
        }
        let slot = self.builder.allocate(slots);
        let message = message_shapes(&self.symbols, declarator, &mut self.diagnostics);
        let info = VarInfo {
            owner: Owner::Global,
            slot,
            shape,
            array,
            span: declarator.name.span,
            message,
            exclusive: Exclusive::default(),
            promised_local: decl.visibility == Some(ast::Visibility::Local),
        };
        let order = type_order(&decl.ty.kind);
        self.initial_values(declarator, &info, order, initialisers);
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        let name = declarator.name.name.clone();
        for variable in self.symbols.leaves(&name, &info, hidden) {
            self.builder.variable(variable);
        }
        if self.symbols.mtypes.contains_key(&name) {
            let text = format!("`{name}` is the name of an mtype constant");
            self.diagnostics.push(Diagnostic::error(declarator.name.span, text));
        }
        if let Some(other) = self.symbols.globals.insert(name.clone(), info) {
            let diagnostic = Diagnostic::error(declarator.name.span, format!("`{name}` is declared twice"));
            self.diagnostics.push(diagnostic.related(other.span, "first declared here"));
        }
    }

    fn initial_values(
        &mut self,
        declarator: &ast::Declarator,
        info: &VarInfo,
        order: u8,
        initialisers: &mut Vec<(u8, Initialiser)>,
    ) {
        let mut channels = Vec::new();
        channels_in(&self.symbols, info, &mut |name, init, slot, count| channels.push((name, init, slot, count, 7)));
        let ty = match info.shape {
            Shape::Scalar(ty) => ty,
            Shape::Struct(_) => ValueType::Int,
        };
        let count = info.array.unwrap_or(1);
        let element = |i: u32| Place::global(info.slot + i, ty);
        match &declarator.init {
            Some(Initializer::Channel(init)) => {
                channels.push((declarator.name.name.to_string(), init.clone(), info.slot, count, order));
            }
            Some(Initializer::Expr(_) | Initializer::List { .. }) if matches!(info.shape, Shape::Struct(_)) => {
                self.diagnostics
                    .push(Diagnostic::error(declarator.span, "a struct cannot be initialised with a value"));
            }
            Some(Initializer::Expr(value)) => {
                let value = self.global_expr(value);
                for i in 0..count {
                    let action = Action::Assign { target: element(i), value: value.clone() };
                    initialisers.push((order, Initialiser::Assign(action)));
                }
            }
            Some(Initializer::List { values, span }) => {
                if info.array.is_none() {
                    self.diagnostics.push(Diagnostic::error(*span, "only an array can be initialised with a list"));
                }
                let values: Vec<_> = values.iter().map(|v| self.global_expr(v)).collect();
                for i in 0..count {
                    // The last value serves for all elements that follow.
                    let Some(value) = values.get(i as usize).or(values.last()) else { break };
                    let action = Action::Assign { target: element(i), value: value.clone() };
                    initialisers.push((order, Initialiser::Assign(action)));
                }
            }
            None => {}
        }
        for (name, init, slot, count, order) in channels {
            let Some((capacity, fields)) = channel_shape(&self.symbols, &init, &mut self.diagnostics) else { continue };
            for i in 0..count {
                let name = if info.array.is_some() || count > 1 { format!("{name}[{i}]") } else { name.clone() };
                let number = self.builder.channel(name, capacity, fields.clone(), init.span);
                initialisers.push((order, Initialiser::Channel { slot: slot + i, index: number as u32 - 1 }));
                if number as usize > bughound_ir::frames::MAX_CHANNELS {
                    let text = format!("there are more than {} channels", bughound_ir::frames::MAX_CHANNELS);
                    self.diagnostics.push(Diagnostic::error(init.span, text));
                    return;
                }
            }
        }
    }

    /// An expression outside of any process.
    fn global_expr(&mut self, expr: &ast::Expr) -> bughound_ir::expr::Expr {
        let mut lowering = BodyLowering::new(&self.symbols, &[], "", expr.span);
        let lowered = lowering.expr(expr);
        let diagnostics = lowering.take_diagnostics();
        self.diagnostics.extend(diagnostics);
        lowered
    }

    /// Numbers the proctypes, `init` and claims in the order of the text, processes before claims.
    pub(super) fn declare_processes(&mut self) -> Vec<Source<'a>> {
        let mut sources: Vec<Source<'a>> = Vec::new();
        let mut init: Option<&ast::Init> = None;
        for item in &self.model.items {
            match item {
                Item::Proctype(p) => {
                    let parameters = p
                        .params
                        .iter()
                        .flat_map(|d| d.vars.iter().map(move |v| (d, v)))
                        .flat_map(|(d, v)| self.symbols.flatten(self.symbols.shape(&d.ty, Some(v), &mut Vec::new())))
                        .collect();
                    let template = TemplateId(sources.len() as u32);
                    let info = ProcInfo { template, parameters, unsafe_start: false };
                    if self.symbols.processes.insert(p.name.name.clone(), info).is_some() {
                        let text = format!("proctype `{}` is declared twice", p.name.name);
                        self.diagnostics.push(Diagnostic::error(p.name.span, text));
                    }
                    sources.push(Source::Proctype(p));
                }
                Item::Init(i) => {
                    if let Some(other) = init {
                        let diagnostic = Diagnostic::error(i.span, "there is more than one `init`");
                        self.diagnostics.push(diagnostic.related(other.span, "the other one"));
                    }
                    init = Some(i);
                    let template = TemplateId(sources.len() as u32);
                    let info = ProcInfo { template, parameters: Vec::new(), unsafe_start: false };
                    self.symbols.processes.insert(":init:".into(), info);
                    sources.push(Source::Init(i));
                }
                _ => {}
            }
        }
        for item in &self.model.items {
            if let Item::Never(n) = item {
                sources.push(Source::Never(n));
            }
        }
        sources
    }
}
