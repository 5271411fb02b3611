//! Declarations inside a process: parameters, local variables and channels.

use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Initialiser;
use bughound_ir::source::Diagnostic;
use bughound_ir::types::{Channel, ValueType};

use super::body::BodyLowering;
use super::elements::Op;
use super::symbols::{Exclusive, Owner, Shape, VarInfo};
use crate::ast::{self, ExprKind, Initializer};

impl BodyLowering<'_> {
    /// Declares parameters, in order.
    pub fn parameters(&mut self, params: &[ast::Decl]) {
        for decl in params {
            for declarator in &decl.vars {
                if let Some(array) = &declarator.array {
                    self.error(Diagnostic::error(array.span, "a parameter cannot be an array"));
                }
                if let Some(info) = self.declare(decl, declarator) {
                    self.template.parameters += self.symbols.flatten(info.shape).len() as u32;
                }
            }
        }
    }

    /// Gives a variable its place in the frame.
    pub(super) fn declare(&mut self, decl: &ast::Decl, declarator: &ast::Declarator) -> Option<VarInfo> {
        if self.flat_scopes
            && let Some(known) = self.scopes.last().and_then(|(_, names)| names.get(&declarator.name.name))
        {
            return Some(known.clone()); // the same variable again
        }
        let shape = self.symbols.shape(&decl.ty, Some(declarator), &mut self.errors);
        let array = self.symbols.array_len(declarator, &mut self.errors);
        let slots = self.symbols.slots_of(shape).saturating_mul(array.unwrap_or(1));
        if slots > super::MAX_SLOTS {
            self.error(super::too_large(declarator));
            return None;
        }
        let slot = self.template.allocate(slots);
        let message = super::message_shapes(self.symbols, declarator, &mut self.errors);
        let info = VarInfo {
            owner: Owner::Local,
            slot,
            shape,
            array,
            span: declarator.name.span,
            message,
            exclusive: Exclusive::default(),
            promised_local: false,
        };
        let name = &declarator.name.name;
        if let Some(other) = self.scopes.iter().rev().find_map(|(_, names)| names.get(name)) {
            let text = format!("`{name}` is declared twice in this process");
            let first = other.span;
            self.error(Diagnostic::error(declarator.name.span, text).related(first, "first declared here"));
        }
        if self.symbols.mtypes.contains_key(name) {
            self.error(Diagnostic::error(declarator.name.span, format!("`{name}` is the name of an mtype constant")));
        }
        let hidden = decl.visibility == Some(ast::Visibility::Hidden);
        self.template.variables.extend(self.symbols.leaves(name, &info, hidden));
        self.variables.insert(name.clone(), info.clone());
        if let Some((_, names)) = self.scopes.last_mut() {
            names.insert(name.clone(), info.clone());
        }
        Some(info)
    }

    /// A declaration in its place: at the start of the body the variable is initialised with the process, elsewhere by a
    /// step.
    pub(super) fn declaration(&mut self, decl: &ast::Decl) {
        for declarator in &decl.vars {
            let value = match &declarator.init {
                Some(Initializer::Expr(e)) => Some((self.expr(e), e)),
                _ => None,
            };
            let Some(info) = self.declare(decl, declarator) else { continue };
            self.struct_channels(&info);
            let order = super::type_order(&decl.ty.kind);
            match (&declarator.init, value) {
                (Some(Initializer::Channel(init)), _) => {
                    if !decl.at_start {
                        self.warning(
                            Diagnostic::warning(
                                declarator.span,
                                format!("channel `{}` exists from the start of the process", declarator.name.name),
                            )
                            .help("declare it before the first statement"),
                        );
                    }
                    self.unsafe_start = true;
                    self.channels(&declarator.name.name, init, info.slot, info.array.unwrap_or(1), order);
                }
                (Some(Initializer::List { values, .. }), _) => {
                    self.unsafe_start = true;
                    self.list_initialiser(decl, &info, values, order);
                }
                (_, Some((value, source))) => {
                    let ExprKind::Const { .. } = &source.kind else {
                        self.unsafe_start |= !self.is_local_name(source);
                        self.initial_value(decl, declarator, &info, value, order);
                        continue;
                    };
                    self.initial_value(decl, declarator, &info, value, order);
                }
                (None, _) if !decl.at_start => {
                    self.step_for_declaration(declarator, &info, Expr::Const(0));
                }
                _ => {}
            }
        }
    }

    pub(super) fn is_local_name(&self, expr: &ast::Expr) -> bool {
        matches!(&expr.kind, ExprKind::Var(v) if v.as_name().is_some_and(|n| {
            self.symbols.mtypes.contains_key(&n.name) || self.find_variable(&n.name).is_some_and(|i| i.owner == Owner::Local)
        }))
    }

    pub(super) fn initial_value(
        &mut self,
        decl: &ast::Decl,
        declarator: &ast::Declarator,
        info: &VarInfo,
        value: Expr,
        order: u8,
    ) {
        if decl.at_start {
            for i in 0..info.array.unwrap_or(1) {
                let target = self.element_place(info, i);
                self.initialisers.push((order, Initialiser::Assign(Action::Assign { target, value: value.clone() })));
            }
        } else {
            // Of an array, SPIN sets only the first element then.
            self.step_for_declaration(declarator, info, value);
        }
    }

    pub(super) fn list_initialiser(&mut self, decl: &ast::Decl, info: &VarInfo, values: &[ast::Expr], order: u8) {
        let Some(len) = info.array else {
            self.error(Diagnostic::error(decl.span, "only an array can be initialised with a list"));
            return;
        };
        if !decl.at_start {
            self.error(
                Diagnostic::error(decl.span, "a list of initial values is possible only before the first statement")
                    .help("declare the array at the start of the process"),
            );
        }
        let values: Vec<Expr> = values.iter().map(|v| self.expr(v)).collect();
        for i in 0..len {
            // The last value serves for all elements that follow.
            let Some(value) = values.get(i as usize).or(values.last()) else { return };
            let target = self.element_place(info, i);
            self.initialisers.push((order, Initialiser::Assign(Action::Assign { target, value: value.clone() })));
        }
    }

    pub(super) fn element_place(&self, info: &VarInfo, index: u32) -> Place {
        let ty = match info.shape {
            Shape::Scalar(ty) => ty,
            Shape::Struct(_) => ValueType::Int,
        };
        Place::own(info.slot + index * self.symbols.slots_of(info.shape), ty)
    }

    pub(super) fn step_for_declaration(&mut self, declarator: &ast::Declarator, info: &VarInfo, value: Expr) {
        let text = match &declarator.init {
            Some(Initializer::Expr(e)) => format!("{} = {}", declarator.name.name, e),
            _ => format!("{} = 0", declarator.name.name),
        };
        let op = match info.shape {
            Shape::Scalar(_) => Op::Act(Action::Assign { target: self.element_place(info, 0), value }),
            Shape::Struct(_) => Op::Nothing,
        };
        let global = matches!(&declarator.init, Some(Initializer::Expr(e)) if self.expr_is_global(e));
        let element = self.flow.new_element(op, declarator.span, text);
        self.flow.elem_mut(element).global = global;
        self.flow.add(element);
    }

    /// Channels that the fields of a struct declare.
    pub(super) fn struct_channels(&mut self, info: &VarInfo) {
        let mut found = Vec::new();
        super::channels_in(self.symbols, info, &mut |name, init, slot, count| found.push((name, init, slot, count)));
        for (name, init, slot, count) in found {
            self.unsafe_start = true;
            self.channels(&name, &init, slot, count, 7);
        }
    }

    /// Makes `count` channels and has the variables from `slot` on hold them.
    pub(super) fn channels(&mut self, name: &str, init: &ast::ChannelInit, slot: u32, count: u32, order: u8) {
        let Some((capacity, fields)) = super::channel_shape(self.symbols, init, &mut self.errors) else { return };
        for i in 0..count {
            let name = if count > 1 { format!("{name}[{i}]") } else { name.to_string() };
            let mut channel = Channel { name, capacity, fields: fields.clone(), slot: 0, span: init.span };
            channel.slot = self.template.allocate(channel.slots());
            let index = self.template.channels.len() as u32;
            self.template.channels.push(channel);
            self.initialisers.push((order, Initialiser::Channel { slot: slot + i, index }));
        }
    }
}
