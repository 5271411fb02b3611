//! Expressions: plain integer arithmetic where it cannot overflow, exact fractions everywhere else.

use bughound_ir::chance::Number;
use bughound_ir::expr::{BinaryOp, Expr as Code, Index, Place, UnaryOp};
use bughound_ir::network::LocationId;
use bughound_ir::real::{Exact, Real, RealOp, Rounding};

use crate::tree::{Binary, Expr, ExprKind, Model, StateType, Type, Unary};

pub(super) struct Expressions<'e> {
    pub model: &'e Model,
    /// By variable.
    pub places: &'e [Place],
    /// By automaton and location.
    pub locations: &'e [Vec<LocationId>],
}

/// Bounds on the value of an integer expression.
type Bounds = (i64, i64);

impl Expressions<'_> {
    /// Boolean or integer.
    pub fn integer(&self, expr: &Expr) -> Code {
        match &expr.kind {
            ExprKind::Bool(value) => Code::truth(*value),
            ExprKind::Int(value) => Code::Const(*value),
            // Types were checked: a fraction stands only where one is asked for.
            ExprKind::Real(_) => self.rounded(Rounding::Down, expr),
            ExprKind::Variable(variable) => Code::read(self.element(variable.0, None)),
            ExprKind::Element(variable, index) => Code::read(self.element(variable.0, Some(index))),
            ExprKind::At { automaton, location } => {
                let pid = Box::new(Code::Const(*automaton as i32));
                Code::At { pid, location: self.locations[*automaton as usize][*location as usize] }
            }
            ExprKind::Unary(op, operand) => self.unary(*op, operand, expr),
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr),
            ExprKind::Conditional(test, then, otherwise) => {
                let part = |e: &Expr| Box::new(self.integer(e));
                Code::Conditional(part(test), part(then), part(otherwise))
            }
        }
    }

    fn unary(&self, op: Unary, operand: &Expr, whole: &Expr) -> Code {
        match op {
            Unary::Not => self.integer(operand).not(),
            Unary::Minus if self.bounds(whole).is_some() => {
                Code::Unary(UnaryOp::Minus, Box::new(self.integer(operand)))
            }
            Unary::Minus => self.rounded(Rounding::Down, whole),
            Unary::Floor | Unary::Ceil | Unary::Round if operand.ty == Type::Int => self.integer(operand),
            Unary::Floor => self.rounded(Rounding::Down, operand),
            Unary::Ceil => self.rounded(Rounding::Up, operand),
            Unary::Round => self.rounded(Rounding::Nearest, operand),
        }
    }

    fn binary(&self, op: Binary, left: &Expr, right: &Expr, whole: &Expr) -> Code {
        let both = |op: BinaryOp| Code::binary(op, self.integer(left), self.integer(right));
        let compare = |op: BinaryOp| match left.ty == Type::Real || right.ty == Type::Real {
            true => Code::Exact(Box::new(Exact::Compare(op, self.real(left), self.real(right)))),
            false => both(op),
        };
        match op {
            Binary::And => both(BinaryOp::And),
            Binary::Or => both(BinaryOp::Or),
            Binary::Implies => self.integer(left).not().or(self.integer(right)),
            // Truth values are 0 and 1.
            Binary::Iff => both(BinaryOp::Equal),
            Binary::Equal => compare(BinaryOp::Equal),
            Binary::NotEqual => compare(BinaryOp::NotEqual),
            Binary::Less => compare(BinaryOp::Less),
            Binary::LessEqual => compare(BinaryOp::LessEqual),
            Binary::Greater => compare(BinaryOp::Greater),
            Binary::GreaterEqual => compare(BinaryOp::GreaterEqual),
            Binary::Add if self.bounds(whole).is_some() => both(BinaryOp::Add),
            Binary::Subtract if self.bounds(whole).is_some() => both(BinaryOp::Subtract),
            Binary::Multiply if self.bounds(whole).is_some() => both(BinaryOp::Multiply),
            Binary::Modulo => match (&right.kind, self.bounds(left)) {
                (ExprKind::Int(by), Some((lo, _))) if *by > 0 && lo >= 0 => both(BinaryOp::Remainder),
                _ => self.rounded(Rounding::Down, whole),
            },
            Binary::Min | Binary::Max if whole.ty == Type::Int => {
                let op = if op == Binary::Min { BinaryOp::LessEqual } else { BinaryOp::GreaterEqual };
                Code::Conditional(Box::new(both(op)), Box::new(self.integer(left)), Box::new(self.integer(right)))
            }
            _ => self.rounded(Rounding::Down, whole),
        }
    }

    fn rounded(&self, rounding: Rounding, expr: &Expr) -> Code {
        Code::Exact(Box::new(Exact::Round(rounding, self.operation(expr))))
    }

    /// As a fraction, whatever its type is. What is an integer is computed as one, with its errors, wherever it stands: otherwise
    /// `x*x > 1` would be out of range where `x*x > 1.5` is not, and `pow(x, -1)` would be 0 here and 1/2 there.
    pub fn real(&self, expr: &Expr) -> Real {
        match &expr.kind {
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Conditional(..) if expr.ty != Type::Real => {
                Real::Whole(self.integer(expr))
            }
            _ => self.operation(expr),
        }
    }

    /// The operator of an expression, over fractions.
    fn operation(&self, expr: &Expr) -> Real {
        let part = |e: &Expr| Box::new(self.real(e));
        match &expr.kind {
            ExprKind::Bool(value) => Real::fraction((*value).into(), 1),
            ExprKind::Int(value) => Real::Const(Number::from(*value)),
            ExprKind::Real(value) => Real::Const(value.clone()),
            ExprKind::Unary(Unary::Minus, operand) => Real::Minus(part(operand)),
            ExprKind::Binary(op, left, right) => match real_operator(*op, expr.ty) {
                Some(op) => match (self.real(left), self.real(right)) {
                    (Real::Const(a), Real::Const(b)) => match op.apply(a.clone(), b.clone()) {
                        Ok(value) => Real::Const(value),
                        Err(_) => Real::binary(op, Real::Const(a), Real::Const(b)),
                    },
                    (left, right) => Real::binary(op, left, right),
                },
                None => Real::Whole(self.integer(expr)),
            },
            ExprKind::Conditional(test, then, otherwise) => {
                Real::Conditional(self.integer(test), part(then), part(otherwise))
            }
            ExprKind::Variable(_) | ExprKind::Element(..) | ExprKind::At { .. } | ExprKind::Unary(..) => {
                Real::Whole(self.integer(expr))
            }
        }
    }

    /// A variable, or an element of it.
    pub fn element(&self, variable: u32, index: Option<&Expr>) -> Place {
        let mut place = self.places[variable as usize].clone();
        if let (Some(index), Some(len)) = (index, self.model.variables[variable as usize].len) {
            place.indices.push(Index { value: self.integer(index), len, stride: 1 });
        }
        place
    }

    /// What an integer expression can come to, if no part of it can leave 32 bits.
    fn bounds(&self, expr: &Expr) -> Option<Bounds> {
        let (lo, hi) = match &expr.kind {
            ExprKind::Bool(_) | ExprKind::At { .. } => (0, 1),
            ExprKind::Int(value) => ((*value).into(), (*value).into()),
            ExprKind::Real(_) => return None,
            ExprKind::Variable(v) | ExprKind::Element(v, _) => match self.model.variables[v.0 as usize].ty {
                StateType::Bool => (0, 1),
                StateType::Int { lo, hi } => (lo.into(), hi.into()),
            },
            ExprKind::Unary(Unary::Minus, operand) => {
                let (lo, hi) = self.bounds(operand)?;
                (-hi, -lo)
            }
            ExprKind::Unary(Unary::Not, _) => (0, 1),
            ExprKind::Unary(_, operand) if operand.ty == Type::Int => self.bounds(operand)?,
            // Checked when it is rounded.
            ExprKind::Unary(..) => (i32::MIN.into(), i32::MAX.into()),
            ExprKind::Conditional(_, then, otherwise) => {
                let (a, b) = (self.bounds(then)?, self.bounds(otherwise)?);
                (a.0.min(b.0), a.1.max(b.1))
            }
            ExprKind::Binary(op, left, right) => return self.bounds_of(*op, left, right, expr),
        };
        fitting(lo, hi)
    }

    fn bounds_of(&self, op: Binary, left: &Expr, right: &Expr, whole: &Expr) -> Option<Bounds> {
        if whole.ty == Type::Bool {
            return Some((0, 1));
        }
        if whole.ty == Type::Real {
            return None;
        }
        let both = || Some((self.bounds(left)?, self.bounds(right)?));
        let (lo, hi) = match op {
            Binary::Add => both().map(|(a, b)| (a.0 + b.0, a.1 + b.1))?,
            Binary::Subtract => both().map(|(a, b)| (a.0 - b.1, a.1 - b.0))?,
            Binary::Multiply => {
                let (a, b) = both()?;
                let products = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
                (products.into_iter().min()?, products.into_iter().max()?)
            }
            Binary::Min => both().map(|(a, b)| (a.0.min(b.0), a.1.min(b.1)))?,
            Binary::Max => both().map(|(a, b)| (a.0.max(b.0), a.1.max(b.1)))?,
            Binary::Modulo => (0, self.bounds(right)?.1.max(1) - 1),
            // Computed in fractions, and checked.
            _ => (i32::MIN.into(), i32::MAX.into()),
        };
        fitting(lo, hi)
    }
}

fn fitting(lo: i64, hi: i64) -> Option<Bounds> {
    (lo >= i32::MIN.into() && hi <= i32::MAX.into()).then_some((lo, hi))
}

fn real_operator(op: Binary, ty: Type) -> Option<RealOp> {
    Some(match op {
        Binary::Add => RealOp::Add,
        Binary::Subtract => RealOp::Subtract,
        Binary::Multiply => RealOp::Multiply,
        Binary::Divide => RealOp::Divide,
        Binary::Modulo => RealOp::Modulo,
        Binary::Power if ty == Type::Int => RealOp::WholePower,
        Binary::Power => RealOp::Power,
        Binary::Logarithm => RealOp::Logarithm,
        Binary::Min => RealOp::Min,
        Binary::Max => RealOp::Max,
        _ => return None,
    })
}

impl Expr {
    /// Calls `visit` with every variable in it.
    pub(super) fn variables(&self, visit: &mut dyn FnMut(crate::tree::VariableId)) {
        match &self.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::At { .. } => {}
            ExprKind::Variable(variable) => visit(*variable),
            ExprKind::Element(variable, index) => {
                visit(*variable);
                index.variables(visit);
            }
            ExprKind::Unary(_, operand) => operand.variables(visit),
            ExprKind::Binary(_, left, right) => {
                left.variables(visit);
                right.variables(visit);
            }
            ExprKind::Conditional(test, then, otherwise) => {
                test.variables(visit);
                then.variables(visit);
                otherwise.variables(visit);
            }
        }
    }
}
