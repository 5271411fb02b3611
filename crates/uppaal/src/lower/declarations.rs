//! Declarations: types, constants, variables, clocks, channels.

use std::rc::Rc;

use bughound_ir::edge::Action;
use bughound_ir::expr::{Expr, Place};
use bughound_ir::network::Initialiser;
use bughound_ir::source::Span;
use bughound_ir::types::{Dim, SignalKind, ValueType, Variable};

use crate::ast::{self, Declaration, Dimension, TypeKind};
use crate::lower::scope::{Entity, FunctionEntity, ScopeId, Target, Tree};
use crate::lower::types::{MAX_CLOCKS, MAX_ELEMENTS, MAX_TOTAL, Space, Ty};
use crate::lower::{Lowering, Res};

impl<'a> Lowering<'a> {
    /// Declares something in a scope; `prefix` is the name of the process with a point, or empty.
    pub(super) fn declare(&mut self, declaration: &'a Declaration, scope: ScopeId, prefix: &str) {
        let result = match declaration {
            Declaration::Variable(variable) => self.declare_variable(variable, scope, prefix),
            Declaration::Type(definition) => self
                .ty_with(&definition.ty, &definition.dimensions, scope)
                .and_then(|ty| self.add_name(scope, &definition.name, Entity::Type(ty))),
            Declaration::Function(function) => {
                let seen = self.scopes.open_for_next(scope);
                let entity = Entity::Function(Rc::new(FunctionEntity { function, scope: seen }));
                self.add_name(scope, &function.name, entity)
            }
            Declaration::ChannelPriority(groups, span) => self.channel_priorities(groups, *span, scope),
            Declaration::GlobalUpdate { before, updates, span } => {
                if scope != self.global {
                    let name = if *before { "before_update" } else { "after_update" };
                    let error = self.error(*span, format!("`{name}` belongs to the global declarations"));
                    self.diagnostics.push(error);
                    return;
                }
                let list = if *before { &mut self.before_updates } else { &mut self.after_updates };
                list.extend(updates);
                Ok(())
            }
        };
        self.report(result);
    }

    pub(super) fn add_name(&mut self, scope: ScopeId, name: &ast::Name, entity: Entity<'a>) -> Res<()> {
        if self.scopes.declare(scope, &name.text, entity) {
            return Ok(());
        }
        Err(self.error(name.span, format!("`{}` is declared twice in the same scope", name.text)))
    }

    /// The type of a declaration with its dimensions.
    pub(super) fn ty_with(&mut self, ty: &'a ast::Type, dimensions: &'a [Dimension], scope: ScopeId) -> Res<Ty> {
        let mut result = self.ty(ty, scope)?;
        for dimension in dimensions.iter().rev() {
            let (lo, len) = self.dimension(dimension, scope)?;
            result = Ty::Array { element: Rc::new(result), lo, len };
            if result.size() > MAX_ELEMENTS {
                let message = format!("this has more than {MAX_ELEMENTS} elements");
                return Err(self.error(ty.span, message));
            }
        }
        Ok(result)
    }

    fn dimension(&mut self, dimension: &'a Dimension, scope: ScopeId) -> Res<(i32, u32)> {
        let (range, span) = match dimension {
            Dimension::Type(ty) => (self.ty(ty, scope)?.range(), ty.span),
            Dimension::Size(expr) => {
                let named = match &expr.kind {
                    ast::ExprKind::Name(name) => self.scopes.find(scope, name).cloned(),
                    _ => None,
                };
                match named {
                    Some(Entity::Type(ty)) => (ty.range(), expr.span),
                    _ => {
                        let size = self.constant(expr, scope)?;
                        if size <= 0 {
                            return Err(self.error(expr.span, format!("an array of {size} elements")));
                        }
                        return Ok((0, size as u32));
                    }
                }
            }
        };
        let Some((lo, hi)) = range else {
            let help = "use a number, a bounded integer type or a scalar type";
            return Err(self.error(span, "this type cannot be the index of an array").help(help));
        };
        let len = i64::from(hi) - i64::from(lo) + 1;
        if len > MAX_ELEMENTS as i64 {
            return Err(self.error(span, format!("an array with more than {MAX_ELEMENTS} elements")));
        }
        Ok((lo, len as u32))
    }

    pub(super) fn ty(&mut self, ty: &'a ast::Type, scope: ScopeId) -> Res<Ty> {
        if ty.prefix.hybrid {
            return Err(self.error(ty.span, "hybrid clocks are not supported"));
        }
        Ok(match &ty.kind {
            // Constants are not stored: the default range is none of their business.
            TypeKind::Int(None) if ty.prefix.constant => Ty::Int { lo: i32::MIN, hi: i32::MAX },
            TypeKind::Int(None) => Ty::INT,
            TypeKind::Int(Some(range)) => {
                let (lo, hi) = (self.constant(&range.0, scope)?, self.constant(&range.1, scope)?);
                if lo > hi {
                    return Err(self.error(ty.span, format!("the range from {lo} to {hi} is empty")));
                }
                Ty::Int { lo, hi }
            }
            TypeKind::Bool => Ty::Bool,
            TypeKind::Void => Ty::Void,
            TypeKind::Clock => Ty::Clock,
            TypeKind::Channel => Ty::Channel { urgent: ty.prefix.urgent, broadcast: ty.prefix.broadcast },
            TypeKind::Double => return Err(self.error(ty.span, "numbers with a fraction (`double`) are not supported")),
            TypeKind::Text => return Err(self.error(ty.span, "texts (`string`) are not supported")),
            TypeKind::Scalar(size) => {
                let size = self.constant(size, scope)?;
                if size <= 0 {
                    return Err(self.error(ty.span, format!("a scalar set of {size} members")));
                }
                Ty::Scalar { size }
            }
            TypeKind::Struct(fields) => {
                let mut list: Vec<(String, Ty)> = Vec::new();
                for field in fields {
                    if list.iter().any(|(name, _)| *name == field.name.text) {
                        let message = format!("the field `{}` is declared twice", field.name.text);
                        return Err(self.error(field.name.span, message));
                    }
                    list.push((field.name.text.clone(), self.ty_with(&field.ty, &field.dimensions, scope)?));
                }
                Ty::Struct(Rc::new(list))
            }
            TypeKind::Named(name) => match self.scopes.find(scope, &name.text) {
                Some(Entity::Type(Ty::Channel { urgent, broadcast })) => {
                    Ty::Channel { urgent: *urgent || ty.prefix.urgent, broadcast: *broadcast || ty.prefix.broadcast }
                }
                Some(Entity::Type(ty)) => ty.clone(),
                Some(other) => {
                    return Err(self.error(name.span, format!("`{}` is {}, not a type", name.text, other.kind())));
                }
                None => return Err(self.unknown(scope, &name.text, name.span)),
            },
        })
    }

    pub(super) fn declare_variable(&mut self, variable: &'a ast::Variable, scope: ScopeId, prefix: &str) -> Res<()> {
        if self.declare_price(variable, scope)? {
            return Ok(());
        }
        let ty = self.ty_with(&variable.ty, &variable.dimensions, scope)?;
        let span = variable.name.span;
        if ty.space() == Some(Space::Clock) && variable.initial.is_some() {
            return Err(self.error(span, "clocks start at 0; they have no initial values"));
        }
        let initial = match &variable.initial {
            Some(initial) => Some(self.initial(initial, &ty, scope)?),
            None => None,
        };
        if variable.ty.prefix.constant {
            let Some(tree) = initial else {
                return Err(self.error(span, format!("the constant `{}` has no value", variable.name.text)));
            };
            return self.add_name(scope, &variable.name, Entity::Value(Rc::new(tree), ty));
        }
        let name = format!("{prefix}{}", variable.name.text);
        let entity = self.allocate(&name, ty, initial, span, false)?;
        self.add_name(scope, &variable.name, Entity::Target(entity))
    }

    /// Makes room for a variable, with these constants as initial values.
    pub(super) fn allocate(
        &mut self,
        name: &str,
        ty: Ty,
        initial: Option<Tree>,
        span: Span,
        hidden: bool,
    ) -> Res<Target> {
        let space = ty.space();
        if space == Some(Space::Data) {
            self.elements += ty.size();
        }
        let channels = self.builder.so_far().signals.len() as u64;
        if self.elements > MAX_TOTAL || (space == Some(Space::Channel) && channels + ty.size() > MAX_TOTAL) {
            let what = if space == Some(Space::Channel) { "channels" } else { "variables" };
            let help = "there are too many processes, or their arrays are too large";
            return Err(self.error(span, format!("the model has more than {MAX_TOTAL} {what}")).help(help));
        }
        let slot = match space {
            None => {
                let message = format!("`{name}` cannot be declared: it would mix data with clocks or channels");
                return Err(self.error(span, message).help("declare them apart"));
            }
            Some(Space::Data) => {
                let slot = self.builder.allocate(ty.size() as u32);
                self.add_leaves(name.to_string(), &ty, slot, Vec::new(), span, hidden);
                if !hidden {
                    let initial = initial.unwrap_or_else(|| default_value(&ty));
                    self.initialise(slot, &ty, &initial);
                }
                slot
            }
            Some(Space::Clock) => {
                let first = self.builder.so_far().clocks.len() as u32;
                if u64::from(first) + ty.size() > MAX_CLOCKS {
                    let help = "each state of the search holds a bound for every pair of clocks";
                    return Err(self.error(span, format!("the model has more than {MAX_CLOCKS} clocks")).help(help));
                }
                for name in element_names(name, &ty) {
                    self.builder.clock(name);
                }
                first
            }
            Some(Space::Channel) => {
                let first = self.builder.so_far().signals.len() as u32;
                let (urgent, broadcast) = channel_kind(&ty);
                let kind = if broadcast { SignalKind::Broadcast } else { SignalKind::Binary };
                for (at, name) in (first..).zip(element_names(name, &ty)) {
                    self.builder.signal(name, kind);
                    if urgent {
                        self.builder.make_urgent(at);
                    }
                }
                first
            }
        };
        Ok(Target::new(slot, ty))
    }

    /// Declares the single values of a variable to the network.
    fn add_leaves(&mut self, name: String, ty: &Ty, slot: u32, dims: Vec<Dim>, span: Span, hidden: bool) {
        match ty {
            Ty::Array { element, lo, len } => {
                let (stride, after) = (element.size() as u32, name.len() as u32);
                let dim = Dim { len: *len, stride, after, first: *lo };
                self.add_leaves(name, element, slot, [dims, vec![dim]].concat(), span, hidden);
            }
            Ty::Struct(fields) => {
                let mut at = slot;
                for (field, ty) in fields.iter() {
                    self.add_leaves(format!("{name}.{field}"), ty, at, dims.clone(), span, hidden);
                    at += ty.size() as u32;
                }
            }
            _ => {
                let ty = ty.stored().unwrap_or(ValueType::Int);
                self.builder.variable(Variable { name, ty, slot, dims, hidden, span });
            }
        }
    }

    /// Initial values other than 0; slots are 0 before.
    fn initialise(&mut self, slot: u32, ty: &Ty, tree: &Tree) {
        let types = leaf_types(ty);
        for ((offset, leaf), ty) in (0..).zip(tree.leaves()).zip(types) {
            if *leaf != Expr::Const(0) {
                let target = Place::global(slot + offset, ty);
                self.builder.initialise(Initialiser::Assign(Action::Assign { target, value: leaf.clone() }));
            }
        }
    }

    /// The value of an initialiser, which must be constant and fit the type.
    pub(super) fn initial(&mut self, initialiser: &'a ast::Initialiser, ty: &Ty, scope: ScopeId) -> Res<Tree> {
        let tree = self.initial_tree(initialiser, ty, scope)?;
        let span = initialiser_span(initialiser);
        if let Some(open) = tree.leaves().into_iter().find(|leaf| leaf.as_const().is_none()) {
            return Err(self.not_constant(open, span, "an initial value must be known before the run"));
        }
        Ok(tree)
    }

    /// The value of an initialiser; parts may depend on the state.
    pub(super) fn initial_tree(&mut self, initialiser: &'a ast::Initialiser, ty: &Ty, scope: ScopeId) -> Res<Tree> {
        match (initialiser, ty) {
            (ast::Initialiser::Value(expr), _) => {
                let tree = self.tree(expr, scope)?;
                self.fit(tree, ty, expr.span)
            }
            (ast::Initialiser::List(list, span), Ty::Array { element, len, .. }) => {
                if list.len() != *len as usize {
                    let message = format!("{} values for an array of {len} elements", list.len());
                    return Err(self.error(*span, message));
                }
                let parts: Res<Vec<Tree>> = list.iter().map(|i| self.initial_tree(i, element, scope)).collect();
                Ok(Tree::Node(parts?))
            }
            (ast::Initialiser::List(list, span), Ty::Struct(fields)) => {
                if list.len() != fields.len() {
                    let message = format!("{} values for a structure of {} fields", list.len(), fields.len());
                    return Err(self.error(*span, message));
                }
                let parts: Res<Vec<Tree>> =
                    list.iter().zip(fields.iter()).map(|(i, (_, ty))| self.initial_tree(i, ty, scope)).collect();
                Ok(Tree::Node(parts?))
            }
            (ast::Initialiser::List(_, span), ty) => {
                Err(self.error(*span, format!("a list of values for {}", ty.words())))
            }
        }
    }

    /// Checks that a value fits a type, as far as that is known; integers become truth values where one is wanted.
    pub(super) fn fit(&mut self, tree: Tree, ty: &Ty, span: Span) -> Res<Tree> {
        match (tree, ty) {
            (Tree::Leaf(expr), ty) if ty.is_scalar_data() => {
                if *ty == Ty::Bool {
                    return Ok(Tree::Leaf(super::fold::truth(expr)));
                }
                if let (Some(value), Some((lo, hi))) = (expr.as_const(), ty.range())
                    && !(lo..=hi).contains(&value)
                {
                    return Err(self.error(span, format!("{value} is outside of the range from {lo} to {hi}")));
                }
                self.may_leave_range |= leaves_range(&expr, ty);
                Ok(Tree::Leaf(expr))
            }
            (Tree::Node(parts), Ty::Array { element, len, .. }) if parts.len() == *len as usize => {
                let parts: Res<Vec<Tree>> = parts.into_iter().map(|part| self.fit(part, element, span)).collect();
                Ok(Tree::Node(parts?))
            }
            (Tree::Node(parts), Ty::Struct(fields)) if parts.len() == fields.len() => {
                let fields = fields.clone();
                let parts: Res<Vec<Tree>> =
                    parts.into_iter().zip(fields.iter()).map(|(part, (_, ty))| self.fit(part, ty, span)).collect();
                Ok(Tree::Node(parts?))
            }
            (_, ty) => Err(self.error(span, format!("this value does not fit: {} is wanted", ty.words()))),
        }
    }
}

/// Can the value be outside of a range that the user has written? The default range of `int` is not looked at: arithmetic
/// nearly always could leave it.
pub fn leaves_range(expr: &Expr, ty: &Ty) -> bool {
    let Ty::Int { lo, hi } = ty else { return false };
    let (least, most) = super::fold::bounds(expr);
    *ty != Ty::INT && (least < i64::from(*lo) || most > i64::from(*hi))
}

/// 0, or the lower bound of a range without 0.
pub fn default_value(ty: &Ty) -> Tree {
    match ty {
        Ty::Int { lo, hi } => Tree::number(if *lo <= 0 && 0 <= *hi { 0 } else { *lo }),
        Ty::Array { element, len, .. } => Tree::Node(vec![default_value(element); *len as usize]),
        Ty::Struct(fields) => Tree::Node(fields.iter().map(|(_, ty)| default_value(ty)).collect()),
        _ => Tree::number(0),
    }
}

/// How each slot of a type is stored.
pub fn leaf_types(ty: &Ty) -> Vec<ValueType> {
    match ty {
        Ty::Array { element, len, .. } => leaf_types(element).repeat(*len as usize),
        Ty::Struct(fields) => fields.iter().flat_map(|(_, ty)| leaf_types(ty)).collect(),
        ty => ty.stored().into_iter().collect(),
    }
}

fn element_names(name: &str, ty: &Ty) -> Vec<String> {
    match ty {
        Ty::Array { element, lo, len } => {
            let indices = (0..*len).map(|i| i64::from(*lo) + i64::from(i));
            indices.flat_map(|i| element_names(&format!("{name}[{i}]"), element)).collect()
        }
        _ => vec![name.to_string()],
    }
}

fn channel_kind(ty: &Ty) -> (bool, bool) {
    match ty {
        Ty::Array { element, .. } => channel_kind(element),
        Ty::Channel { urgent, broadcast } => (*urgent, *broadcast),
        _ => (false, false),
    }
}

fn initialiser_span(initialiser: &ast::Initialiser) -> Span {
    match initialiser {
        ast::Initialiser::Value(expr) => expr.span,
        ast::Initialiser::List(_, span) => *span,
    }
}
