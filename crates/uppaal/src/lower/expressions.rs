//! Values of expressions.
//!
//! An expression becomes an [`Operand`]: a value, possibly with parts, or something that can be assigned. Where effects
//! are allowed (updates), they go to [`Lowering::code`] in the order of evaluation; the value that comes back is read
//! later, so operands are saved in a temporary where an effect in between could change them.

use bughound_ir::expr::{BinaryOp, Expr, Index, Place, Scope as PlaceScope, UnaryOp};
use bughound_ir::source::{Diagnostic, Span};
use bughound_ir::suggest::suggest;
use bughound_ir::types::ValueType;

use crate::ast::{self, Binary, ExprKind, Quantifier, Unary};
use crate::lower::fold;
use crate::lower::scope::{Entity, ScopeId, Target, Tree};
use crate::lower::types::{Space, Ty};
use crate::lower::{Lowering, Res};

/// A quantifier, a selection or a loop goes through at most so many values.
const MAX_VALUES: i64 = 100_000;

/// What an expression stands for.
#[derive(Clone, Debug)]
pub enum Operand {
    Value(Tree, Ty),
    Target(Target),
}

impl Operand {
    pub fn number(expr: Expr) -> Operand {
        Operand::Value(Tree::Leaf(expr), Ty::INT)
    }

    pub fn truth(expr: Expr) -> Operand {
        Operand::Value(Tree::Leaf(expr), Ty::Bool)
    }

    pub fn ty(&self) -> &Ty {
        match self {
            Operand::Value(_, ty) => ty,
            Operand::Target(target) => &target.ty,
        }
    }
}

impl<'a> Lowering<'a> {
    /// The number or truth value of an expression.
    pub(super) fn value(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Expr> {
        let operand = self.operand(expr, scope)?;
        self.single(operand, expr.span)
    }

    pub(super) fn single(&mut self, operand: Operand, span: Span) -> Res<Expr> {
        match operand {
            Operand::Value(Tree::Leaf(expr), _) => Ok(expr),
            Operand::Target(target) => match (target.ty.stored(), &target.ty) {
                (Some(ty), _) => Ok(Expr::read(target.place(ty))),
                (None, Ty::Clock) => {
                    let help = "a clock can only be compared with integers and other clocks, and be set";
                    Err(self.error(span, "the value of a clock is not a number here").help(help))
                }
                (None, ty) => Err(self.error(span, format!("a number is wanted here, not {}", ty.words()))),
            },
            Operand::Value(_, ty) => Err(self.error(span, format!("a number is wanted here, not {}", ty.words()))),
        }
    }

    /// The value of an expression with all its parts.
    pub(super) fn tree(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Tree> {
        let operand = self.operand(expr, scope)?;
        self.all_parts(operand, expr.span)
    }

    /// The value of an operand with all its parts.
    pub(super) fn all_parts(&mut self, operand: Operand, span: Span) -> Res<Tree> {
        match operand {
            Operand::Value(tree, _) => Ok(tree),
            Operand::Target(target) if target.ty.space() == Some(Space::Data) => Ok(read_tree(&target)),
            operand => self.single(operand, span).map(Tree::Leaf),
        }
    }

    /// The value of an expression that must be known before the run.
    pub(super) fn constant(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<i32> {
        let value = self.value(expr, scope)?;
        value.as_const().ok_or_else(|| {
            let help = "constants, parameters with constant arguments and selected names can be used here";
            self.not_constant(&value, expr.span, "this must be known before the run").help(help)
        })
    }

    /// What to say of an expression that is not constant: either it depends on the state, or it has no value.
    pub(super) fn not_constant(&self, expr: &Expr, span: Span, message: &str) -> Diagnostic {
        if expr.any(|e| matches!(e, Expr::Read(_))) {
            return self.error(span, message);
        }
        self.error(span, "this has no value: division by zero")
    }

    pub(super) fn unknown(&self, scope: ScopeId, name: &str, span: Span) -> Diagnostic {
        let names = self.scopes.names(scope);
        let message = format!("`{name}` is not declared{}", suggest(name, names.into_iter()));
        self.error(span, message)
    }

    pub(super) fn operand(&mut self, expr: &'a ast::Expr, scope: ScopeId) -> Res<Operand> {
        self.tick(expr.span)?;
        let span = expr.span;
        match &expr.kind {
            ExprKind::Number(value) => Ok(Operand::number(Expr::Const(*value))),
            ExprKind::Bool(value) => Ok(Operand::truth(Expr::truth(*value))),
            ExprKind::Name(name) => self.named(name, span, scope),
            ExprKind::Index(base, index) => {
                let mut base = self.operand(base, scope)?;
                if self.code.is_some() && self.has_effects(index, scope) {
                    base = self.saved_operand(base)?;
                }
                let at = self.value(index, scope)?;
                self.index(base, at, index.span)
            }
            ExprKind::Member(base, member) => match self.process_of(base, scope)? {
                Some(process) => self.process_member(process, member),
                None => {
                    let base = self.operand(base, scope)?;
                    self.field(base, member)
                }
            },
            ExprKind::Call(function, arguments) => self.call(function, arguments, span, scope),
            ExprKind::Rate(of) => Err(self.rate_refused(of, span, scope)),
            ExprKind::Unary(op, operand) => {
                let value = self.value(operand, scope)?;
                Ok(match op {
                    Unary::Plus => Operand::number(value),
                    Unary::Minus => Operand::number(fold::unary(UnaryOp::Minus, value)),
                    Unary::Not => Operand::truth(fold::not(value)),
                })
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, span, scope),
            ExprKind::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise, scope),
            ExprKind::Assign(op, target, value) => self.assign(*op, target, value, scope),
            ExprKind::Step { target, add, before } => self.step(target, *add, *before, span, scope),
            ExprKind::Quantified { quantifier, name, ty, body } => {
                let (op, none) = match quantifier {
                    Quantifier::ForAll => (BinaryOp::And, 1),
                    Quantifier::Exists => (BinaryOp::Or, 0),
                    Quantifier::Sum => (BinaryOp::Add, 0),
                };
                let mut parts = Vec::new();
                let mark = self.scopes.mark();
                for inner in self.each_value(name, ty, scope)? {
                    let value = self.value(body, inner)?;
                    let value = if *quantifier == Quantifier::Sum { value } else { fold::truth(value) };
                    let decides = matches!((op, value.as_const()), (BinaryOp::And, Some(0)) | (BinaryOp::Or, Some(1)));
                    parts.push(value);
                    // Parts after this one are never looked at.
                    if decides {
                        break;
                    }
                }
                self.scopes.forget(mark);
                let result = fold::balanced(op, parts, none);
                Ok(if *quantifier == Quantifier::Sum { Operand::number(result) } else { Operand::truth(result) })
            }
            ExprKind::Deadlock if self.in_query => Ok(Operand::truth(Expr::Deadlock)),
            ExprKind::Deadlock => Err(self.error(span, "`deadlock` can only be asked about in queries")),
            ExprKind::Unsupported(what) => Err(self.error(span, format!("{what} are not supported"))),
        }
    }

    /// One scope for each value of a type, in which the name stands for the value.
    pub(super) fn each_value(&mut self, name: &ast::Name, ty: &'a ast::Type, scope: ScopeId) -> Res<Vec<ScopeId>> {
        let resolved = self.ty(ty, scope)?;
        let Some((lo, hi)) = resolved.range() else {
            let help = "use a bounded integer type such as `int[0,3]`, `bool`, or a scalar type";
            return Err(self.error(ty.span, "this type has no values that one could go through").help(help));
        };
        if matches!(ty.kind, ast::TypeKind::Int(None)) {
            let help = "give it bounds, such as `int[0,3]`";
            return Err(self.error(ty.span, "`int` without bounds has too many values to go through").help(help));
        }
        let mut scopes = Vec::new();
        if i64::from(hi) - i64::from(lo) >= MAX_VALUES {
            let message = format!("this type has more than {MAX_VALUES} values: too many to go through");
            return Err(self.error(ty.span, message));
        }
        for value in lo..=hi {
            // A scope of its own, and the body once more.
            self.spend(4, ty.span)?;
            let inner = self.scopes.open(Some(scope));
            self.scopes.declare(inner, &name.text, Entity::Value(Tree::number(value).into(), resolved.clone()));
            scopes.push(inner);
        }
        Ok(scopes)
    }

    fn named(&mut self, name: &str, span: Span, scope: ScopeId) -> Res<Operand> {
        match self.scopes.find(scope, name) {
            Some(Entity::Value(tree, ty)) => Ok(Operand::Value((**tree).clone(), ty.clone())),
            Some(Entity::Target(target)) => Ok(Operand::Target(target.clone())),
            Some(Entity::Local(local)) => {
                let local = &self.locals[*local];
                Ok(Operand::Value(local.tree.clone(), local.ty.clone()))
            }
            Some(Entity::Meter(meter)) => Err(self.meter_read(*meter, span)),
            Some(Entity::Hint(slot)) => self.hint_read(name, *slot, span),
            Some(entity @ (Entity::Type(_) | Entity::Function(_))) => {
                let message = format!("`{name}` is {}, not a value", entity.kind());
                Err(self.error(span, message))
            }
            None => Err(self.unknown(scope, name, span)),
        }
    }

    pub(super) fn index(&mut self, base: Operand, at: Expr, span: Span) -> Res<Operand> {
        let Ty::Array { element, lo, len } = base.ty().clone() else {
            return Err(self.error(span, format!("an index on {}", base.ty().words())));
        };
        let last = i64::from(lo) + i64::from(len) - 1;
        let (least, most) = fold::bounds(&at);
        if most < i64::from(lo) || least > last {
            // An error only if it is evaluated: it may stand where the run never comes.
            let help = format!("the array has the indices {lo} to {last}");
            let warning = self.error(span, "this index is always outside of the array").help(help);
            self.warn(warning);
        }
        let position = fold::binary(BinaryOp::Subtract, at, Expr::Const(lo));
        match base {
            Operand::Target(mut target) => {
                let stride = element.size() as u32;
                match position.as_const().and_then(|position| u32::try_from(position).ok()) {
                    Some(position) if position < len => target.slot += position * stride,
                    _ => target.indices.push(Index { value: position, len, stride }),
                }
                Ok(Operand::Target(Target { ty: (*element).clone(), ..target }))
            }
            Operand::Value(Tree::Node(parts), _) => Ok(Operand::Value(choose(&position, &parts), (*element).clone())),
            Operand::Value(..) => Err(self.error(span, "an index on a single value")),
        }
    }

    fn field(&mut self, base: Operand, member: &ast::Name) -> Res<Operand> {
        let Ty::Struct(fields) = base.ty().clone() else {
            let message = format!("`.{}` on {}, which has no fields", member.text, base.ty().words());
            return Err(self.error(member.span, message));
        };
        let Some(at) = fields.iter().position(|(name, _)| *name == member.text) else {
            let hint = suggest(&member.text, fields.iter().map(|(name, _)| name.as_str()));
            return Err(self.error(member.span, format!("there is no field `{}`{hint}", member.text)));
        };
        let ty = fields[at].1.clone();
        match base {
            Operand::Target(target) => {
                let offset: u64 = fields[..at].iter().map(|(_, ty)| ty.size()).sum();
                Ok(Operand::Target(Target { slot: target.slot + offset as u32, ty, ..target }))
            }
            Operand::Value(Tree::Node(mut parts), _) if at < parts.len() => {
                Ok(Operand::Value(parts.swap_remove(at), ty))
            }
            Operand::Value(..) => Err(self.error(member.span, "a field of a single value")),
        }
    }

    fn binary(
        &mut self,
        op: Binary,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        span: Span,
        scope: ScopeId,
    ) -> Res<Operand> {
        if self.in_query && self.is_clocky(left, scope) | self.is_clocky(right, scope) {
            let formula = self.comparison(op, left, right, span, scope, true)?;
            return Ok(Operand::truth(formula.into_expr()));
        }
        if matches!(op, Binary::Equal | Binary::NotEqual)
            && let Some(result) = self.structural_equality(op == Binary::Equal, left, right, scope)?
        {
            return Ok(result);
        }
        let mut a = self.value(left, scope)?;
        let short_circuit = matches!(op, Binary::And | Binary::Or | Binary::Imply);
        if self.has_effects(right, scope) {
            if short_circuit {
                return self.short_circuit(op, a, right, scope);
            }
            a = self.saved(a)?;
        }
        let decided = match (op, a.as_const()) {
            (Binary::And, Some(0)) => Some(0),
            (Binary::Or, Some(value)) if value != 0 => Some(1),
            (Binary::Imply, Some(0)) => Some(1),
            _ => None,
        };
        if let Some(value) = decided {
            return Ok(Operand::truth(Expr::Const(value)));
        }
        let b = self.value(right, scope)?;
        Ok(combine(op, a, b))
    }

    /// Comparison of whole arrays or structures; `None` if both sides are single values.
    fn structural_equality(
        &mut self,
        equal: bool,
        left: &'a ast::Expr,
        right: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Option<Operand>> {
        let structured = |ty: Option<Ty>| matches!(ty, Some(Ty::Array { .. } | Ty::Struct(_)));
        if !structured(self.static_ty(left, scope)) {
            return Ok(None);
        }
        let (a, b) = (self.tree(left, scope)?, self.tree(right, scope)?);
        let (a, b) = (a.leaves(), b.leaves());
        if a.len() != b.len() {
            return Err(self.error(right.span, "these two have different shapes and cannot be compared"));
        }
        let equal_parts = a.into_iter().zip(b).map(|(a, b)| fold::binary(BinaryOp::Equal, a.clone(), b.clone()));
        let all = fold::balanced(BinaryOp::And, equal_parts.collect(), 1);
        Ok(Some(Operand::truth(if equal { all } else { fold::not(all) })))
    }

    fn conditional(
        &mut self,
        condition: &'a ast::Expr,
        then: &'a ast::Expr,
        otherwise: &'a ast::Expr,
        scope: ScopeId,
    ) -> Res<Operand> {
        let test = self.value(condition, scope)?;
        if let Some(value) = test.as_const() {
            return self.operand(if value != 0 { then } else { otherwise }, scope);
        }
        if self.has_effects(then, scope) || self.has_effects(otherwise, scope) {
            return self.conditional_effects(test, then, otherwise, scope);
        }
        let ty = self.static_ty(then, scope).unwrap_or(Ty::INT);
        let (a, b) = (self.tree(then, scope)?, self.tree(otherwise, scope)?);
        Ok(Operand::Value(either(&test, a, b), ty))
    }
}

/// An operator on two values.
pub fn combine(op: Binary, a: Expr, b: Expr) -> Operand {
    let number = |op| Operand::number(fold::binary(op, a.clone(), b.clone()));
    let truth = |op| Operand::truth(fold::binary(op, a.clone(), b.clone()));
    let extreme = |op| Operand::number(fold::conditional(fold::binary(op, a.clone(), b.clone()), a.clone(), b.clone()));
    match op {
        Binary::Add => number(BinaryOp::Add),
        Binary::Subtract => number(BinaryOp::Subtract),
        Binary::Multiply => number(BinaryOp::Multiply),
        Binary::Divide => number(BinaryOp::Divide),
        Binary::Remainder => number(BinaryOp::Remainder),
        Binary::BitAnd => number(BinaryOp::BitAnd),
        Binary::BitOr => number(BinaryOp::BitOr),
        Binary::BitXor => number(BinaryOp::BitXor),
        Binary::ShiftLeft => number(BinaryOp::ShiftLeft),
        Binary::ShiftRight => number(BinaryOp::ShiftRight),
        Binary::Minimum => extreme(BinaryOp::LessEqual),
        Binary::Maximum => extreme(BinaryOp::GreaterEqual),
        Binary::Less => truth(BinaryOp::Less),
        Binary::LessEqual => truth(BinaryOp::LessEqual),
        Binary::Greater => truth(BinaryOp::Greater),
        Binary::GreaterEqual => truth(BinaryOp::GreaterEqual),
        Binary::Equal => truth(BinaryOp::Equal),
        Binary::NotEqual => truth(BinaryOp::NotEqual),
        Binary::And => truth(BinaryOp::And),
        Binary::Or => truth(BinaryOp::Or),
        Binary::Imply => Operand::truth(fold::binary(BinaryOp::Or, fold::not(a), b)),
    }
}

/// `then` or `otherwise`, part by part.
pub fn either(test: &Expr, then: Tree, otherwise: Tree) -> Tree {
    match (then, otherwise) {
        (Tree::Leaf(a), Tree::Leaf(b)) => Tree::Leaf(fold::conditional(test.clone(), a, b)),
        (Tree::Node(a), Tree::Node(b)) if a.len() == b.len() => {
            Tree::Node(a.into_iter().zip(b).map(|(a, b)| either(test, a, b)).collect())
        }
        (then, _) => then,
    }
}

/// The part at a position that is known only during the run: a search tree of comparisons. Constants thus take no
/// slots. A position outside fails as any index does.
pub fn choose(position: &Expr, parts: &[Tree]) -> Tree {
    fn pick(position: &Expr, first: usize, parts: &[Tree]) -> Tree {
        if let [only] = parts {
            return only.clone();
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        let middle = first + left.len();
        let test = fold::binary(BinaryOp::Less, position.clone(), Expr::Const(middle as i32));
        match test.as_const() {
            Some(0) => pick(position, middle, right),
            Some(_) => pick(position, first, left),
            None => either(&test, pick(position, first, left), pick(position, middle, right)),
        }
    }
    if let Some(known) = position.as_const() {
        let inside = usize::try_from(known).ok().and_then(|known| parts.get(known));
        let failure = outside(position, parts.len() as u32);
        return inside.cloned().unwrap_or_else(|| guarded(&Expr::Const(0), &failure, parts[0].clone()));
    }
    let picked = pick(position, 0, parts);
    let (lo, hi) = fold::bounds(position);
    if lo >= 0 && hi < parts.len() as i64 {
        return picked;
    }
    let inside = fold::binary(
        BinaryOp::And,
        fold::binary(BinaryOp::GreaterEqual, position.clone(), Expr::Const(0)),
        fold::binary(BinaryOp::Less, position.clone(), Expr::Const(parts.len() as i32)),
    );
    guarded(&inside, &outside(position, parts.len() as u32), picked)
}

fn guarded(inside: &Expr, failure: &Expr, tree: Tree) -> Tree {
    match tree {
        Tree::Leaf(expr) => Tree::Leaf(fold::conditional(inside.clone(), expr, failure.clone())),
        Tree::Node(parts) => Tree::Node(parts.into_iter().map(|part| guarded(inside, failure, part)).collect()),
    }
}

/// An expression that fails with "array index out of range" if the position is outside: it reads an array whose elements
/// all lie in the first slot of the key.
pub fn outside(position: &Expr, len: u32) -> Expr {
    let indices = vec![Index { value: position.clone(), len, stride: 0 }];
    Expr::read(Place { scope: PlaceScope::Global, slot: 0, indices, ty: ValueType::Int })
}

/// The values of a variable, part by part.
pub fn read_tree(target: &Target) -> Tree {
    match &target.ty {
        Ty::Array { element, len, .. } => {
            let stride = element.size() as u32;
            let part = |i| Target { slot: target.slot + i * stride, ty: (**element).clone(), ..target.clone() };
            Tree::Node((0..*len).map(|i| read_tree(&part(i))).collect())
        }
        Ty::Struct(fields) => {
            let mut slot = target.slot;
            let mut parts = Vec::new();
            for (_, ty) in fields.iter() {
                parts.push(read_tree(&Target { slot, ty: ty.clone(), ..target.clone() }));
                slot += ty.size() as u32;
            }
            Tree::Node(parts)
        }
        ty => Tree::Leaf(Expr::read(target.place(ty.stored().unwrap_or(ValueType::Int)))),
    }
}
