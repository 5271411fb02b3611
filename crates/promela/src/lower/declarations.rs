//! Top-level declarations: types, constants, variables and channels.

use std::collections::HashMap;

use bughound_ir::frames::MAX_CHANNELS;
use bughound_ir::network::{Initialiser, TemplateId};
use bughound_ir::source::Diagnostic;
use bughound_ir::types::{Enumeration, ValueType};

use super::body::BodyLowering;
use super::symbols::{Field, Owner, ProcInfo, Struct, StructId, VarInfo};
use super::truncation;
use super::variables::{self, MAX_SLOTS, Ordered, too_large};
use super::{Lowering, Source};
use crate::ast::{self, Item, Name};

/// Values with their names.
type Names = Vec<(i32, String)>;

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
        let mut initialisers: Vec<Ordered> = Vec::new();
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

    fn declare_global(&mut self, decl: &ast::Decl, declarator: &ast::Declarator, initialisers: &mut Vec<Ordered>) {
        let allocate = |slots| self.builder.allocate(slots);
        let described =
            variables::describe(&self.symbols, Owner::Global, decl, declarator, allocate, &mut self.diagnostics);
        let Some(info) = described else { return };
        if variables::values_fit(declarator, &info, &mut self.diagnostics) {
            let ty = variables::element(&self.symbols, &info, 0).ty;
            let values =
                variables::initial_values(declarator).iter().map(|v| self.global_expr(v, ty)).collect::<Vec<_>>();
            let order = variables::type_order(&decl.ty.kind);
            initialisers.extend(variables::assignments(&self.symbols, &info, &values, order));
            self.make_channels(decl, declarator, &info, initialisers);
            if self.options.warn_truncation {
                let check = |v| truncation::warning(&self.symbols, ty, v, info.span);
                self.diagnostics.extend(variables::initial_values(declarator).iter().filter_map(check));
            }
        }
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        let name = declarator.name.name.clone();
        for variable in self.symbols.leaves(&name, &info, hidden) {
            self.builder.variable(variable);
        }
        if let Some(other) = self.symbols.globals.insert(name.clone(), info) {
            let diagnostic = Diagnostic::error(declarator.name.span, format!("`{name}` is declared twice"));
            self.diagnostics.push(diagnostic.related(other.span, "first declared here"));
        }
    }

    fn make_channels(
        &mut self,
        decl: &ast::Decl,
        declarator: &ast::Declarator,
        info: &VarInfo,
        initialisers: &mut Vec<Ordered>,
    ) {
        for channel in variables::channels(&self.symbols, decl, declarator, info, &mut self.diagnostics) {
            let number = self.builder.channel(channel.name, channel.capacity, channel.fields, channel.span);
            let index = number as u32 - 1;
            initialisers.push((channel.order, Initialiser::Channel { slot: channel.holder, index }));
            if number as usize > MAX_CHANNELS {
                let text = format!("there are more than {MAX_CHANNELS} channels");
                self.diagnostics.push(Diagnostic::error(channel.span, text));
                return;
            }
        }
    }

    /// An expression outside of any process: the initial value of a variable of this type.
    fn global_expr(&mut self, expr: &ast::Expr, ty: ValueType) -> bughound_ir::expr::Expr {
        let mut lowering = BodyLowering::new(&self.symbols, &[], "", expr.span);
        let lowered = lowering.expr(expr);
        lowering.doubt_mtype(ty, expr);
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
