//! Random expressions of all types that nothing goes wrong in.

use crate::chances::syntax::{Expr, Function, Op};
use crate::random_promela::Rng;

/// A variable that expressions may read, and the values that it is meant to have.
#[derive(Clone, Debug)]
pub struct Known {
    pub name: String,
    pub is_bool: bool,
    pub lo: i64,
    pub hi: i64,
}

/// What expressions are made of.
#[derive(Clone, Debug, Default)]
pub struct Words {
    pub variables: Vec<Known>,
    /// Constants and formulas by type.
    pub bools: Vec<String>,
    pub ints: Vec<String>,
    pub doubles: Vec<String>,
}

fn boxed(function: Function, parts: Vec<Expr>, rng: &mut Rng) -> Expr {
    if rng.chance(10) { Expr::OldCall(function, parts) } else { Expr::Call(function, parts) }
}

impl Words {
    pub fn ints_known(&self) -> Vec<&Known> {
        self.variables.iter().filter(|known| !known.is_bool).collect()
    }

    pub fn bools_known(&self) -> Vec<&Known> {
        self.variables.iter().filter(|known| known.is_bool).collect()
    }

    pub fn int(&self, rng: &mut Rng, depth: usize) -> Expr {
        let ints = self.ints_known();
        if depth == 0 || rng.chance(30) {
            return match rng.below(10) {
                0..=5 if !ints.is_empty() => Expr::name(&rng.pick(&ints).name),
                6 | 7 if !self.ints.is_empty() => Expr::Name(rng.pick(&self.ints).clone()),
                _ => Expr::int(rng.below(5) as i64 - 1),
            };
        }
        let next = depth - 1;
        match rng.below(10) {
            0..=2 => {
                let op = *rng.pick(&[Op::Add, Op::Subtract, Op::Multiply]);
                Expr::binary(op, self.int(rng, next), self.int(rng, next))
            }
            3 => {
                let function = *rng.pick(&[Function::Min, Function::Max]);
                let parts = (0..rng.range(1, 3)).map(|_| self.int(rng, next)).collect();
                boxed(function, parts, rng)
            }
            4 => {
                let parts = vec![self.int(rng, next), Expr::Int(rng.range(1, 3) as i64)];
                boxed(Function::Mod, parts, rng)
            }
            5 => {
                let function = *rng.pick(&[Function::Floor, Function::Ceil, Function::Round]);
                let part = if rng.chance(15) { self.int(rng, next) } else { self.double(rng, next) };
                boxed(function, vec![part], rng)
            }
            6 => {
                let exponent = Expr::Int(rng.below(4) as i64);
                if rng.chance(25) {
                    // From the right, too: 2^1^3 is 2.
                    let upper = Expr::binary(Op::Power, Expr::Int(rng.range(1, 2) as i64), exponent);
                    return Expr::binary(Op::Power, self.int(rng, 0), upper);
                }
                match rng.chance(50) {
                    true => Expr::binary(Op::Power, self.int(rng, 0), exponent),
                    false => boxed(Function::Pow, vec![self.int(rng, 0), exponent], rng),
                }
            }
            7 => Expr::conditional(self.truth(rng, next), self.int(rng, next), self.int(rng, next)),
            8 => Expr::Minus(Box::new(self.int(rng, next))),
            _ => self.int(rng, next),
        }
    }

    pub fn double(&self, rng: &mut Rng, depth: usize) -> Expr {
        if depth == 0 || rng.chance(25) {
            return match rng.below(4) {
                0 if !self.doubles.is_empty() => Expr::Name(rng.pick(&self.doubles).clone()),
                1 => Expr::Decimal(rng.below(40) as i64, 1),
                _ => Expr::binary(Op::Divide, self.int(rng, 0), Expr::Int(rng.range(1, 4) as i64)),
            };
        }
        let next = depth - 1;
        match rng.below(7) {
            0 | 1 => {
                let op = *rng.pick(&[Op::Add, Op::Subtract, Op::Multiply]);
                let (a, b) = (self.double(rng, next), self.int(rng, next));
                if rng.chance(50) { Expr::binary(op, a, b) } else { Expr::binary(op, b, a) }
            }
            2 => Expr::binary(Op::Divide, self.int(rng, next), Expr::Int(rng.range(1, 4) as i64)),
            3 => {
                let function = *rng.pick(&[Function::Min, Function::Max]);
                let parts = vec![self.double(rng, next), self.int(rng, next)];
                boxed(function, parts, rng)
            }
            4 => Expr::conditional(self.truth(rng, next), self.double(rng, next), self.int(rng, next)),
            5 => {
                // Powers of ten and of three: their logarithms in floating point are not always whole.
                let power = Expr::Call(Function::Pow, vec![Expr::Int(*rng.pick(&[3, 10])), Expr::Int(3)]);
                let large = Expr::binary(Op::Multiply, self.int(rng, 0), power);
                let value = if rng.chance(50) { large } else { self.int(rng, next) };
                let base = [Expr::Int(2), Expr::Int(3), Expr::Int(10), Expr::Decimal(5, 1)][rng.below(4)].clone();
                let positive = Expr::Call(Function::Max, vec![Expr::Int(1), value]);
                boxed(Function::Log, vec![positive, base], rng)
            }
            _ => boxed(Function::Pow, vec![Expr::Decimal(5, 1), Expr::Int(rng.below(3) as i64)], rng),
        }
    }

    /// A test of one variable.
    pub fn test(&self, rng: &mut Rng) -> Expr {
        if self.variables.is_empty() {
            return Expr::Bool(true);
        }
        let known = rng.pick(&self.variables);
        let name = Expr::name(&known.name);
        if known.is_bool {
            return if rng.chance(50) { name } else { name.not() };
        }
        let value = Expr::int(known.lo + rng.below((known.hi - known.lo + 1) as usize) as i64);
        let op =
            *rng.pick(&[Op::Equal, Op::Equal, Op::Unequal, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual]);
        Expr::binary(op, name, value)
    }

    pub fn truth(&self, rng: &mut Rng, depth: usize) -> Expr {
        if depth == 0 || rng.chance(25) {
            return match rng.below(8) {
                0 if !self.bools.is_empty() => Expr::Name(rng.pick(&self.bools).clone()),
                1 if rng.chance(30) => Expr::Bool(rng.chance(50)),
                _ => self.test(rng),
            };
        }
        let next = depth - 1;
        let compare = [Op::Equal, Op::Unequal, Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual][rng.below(6)];
        match rng.below(11) {
            // From the right: `a => b => c`.
            10 => {
                let right = Expr::binary(Op::Implies, self.truth(rng, next), self.truth(rng, next));
                Expr::binary(Op::Implies, self.truth(rng, next), right)
            }
            0 | 1 => Expr::binary(compare, self.int(rng, next), self.int(rng, next)),
            2 => Expr::binary(compare, self.double(rng, next), self.double(rng, next)),
            3 => Expr::binary(compare, self.double(rng, next), self.int(rng, next)),
            4 => self.truth(rng, next).not(),
            5..=7 => {
                let op = *rng.pick(&[Op::And, Op::And, Op::Or, Op::Or, Op::Implies, Op::Iff]);
                Expr::binary(op, self.truth(rng, next), self.truth(rng, next))
            }
            8 => Expr::conditional(self.truth(rng, next), self.truth(rng, next), self.truth(rng, next)),
            _ => {
                let op = *rng.pick(&[Op::Equal, Op::Unequal]);
                Expr::binary(op, self.truth(rng, next), self.truth(rng, next))
            }
        }
    }

    /// A value that a variable can have, and what must be true for that.
    pub fn value_for(&self, rng: &mut Rng, target: &Known, careless: bool) -> (Expr, Expr) {
        let always = |value: Expr| (value, Expr::Bool(true));
        let own = || Expr::name(&target.name);
        if target.is_bool {
            let others = self.bools_known();
            return always(match rng.below(5) {
                0 => Expr::Bool(rng.chance(50)),
                1 => own().not(),
                2 if !others.is_empty() => Expr::name(&rng.pick(&others).name),
                3 => self.truth(rng, 1),
                _ => self.test(rng),
            });
        }
        let (lo, hi) = (target.lo, target.hi);
        let fitting: Vec<&Known> = self.ints_known().into_iter().filter(|k| lo <= k.lo && k.hi <= hi).collect();
        let clamped = |value: Expr| {
            Expr::Call(Function::Max, vec![Expr::int(lo), Expr::Call(Function::Min, vec![value, Expr::int(hi)])])
        };
        let more = Expr::binary(Op::Add, own(), Expr::Int(1));
        let less = Expr::binary(Op::Subtract, own(), Expr::Int(1));
        always(match rng.below(13) {
            0 | 1 => Expr::int(lo + rng.below((hi - lo + 1) as usize) as i64),
            2 | 3 => Expr::name(&rng.pick(&fitting).name),
            4 => Expr::Call(Function::Min, vec![Expr::int(hi), more]),
            5 => Expr::Call(Function::Max, vec![Expr::int(lo), less]),
            6 if careless => more,
            6 => return (more, Expr::binary(Op::Less, own(), Expr::int(hi))),
            7 => return (less, Expr::binary(Op::Greater, own(), Expr::int(lo))),
            8 => {
                let rest = boxed(Function::Mod, vec![self.int(rng, 2), Expr::Int(hi - lo + 1)], rng);
                if lo == 0 { rest } else { Expr::binary(Op::Add, rest, Expr::int(lo)) }
            }
            9 => Expr::binary(Op::Subtract, Expr::int(hi + lo), own()),
            10 if lo <= 0 && hi >= 0 => {
                let function = *rng.pick(&[Function::Floor, Function::Ceil, Function::Round]);
                Expr::Call(function, vec![Expr::binary(Op::Divide, own(), Expr::Int(2))])
            }
            11 => {
                let (a, b) = (self.value_for(rng, target, false), self.value_for(rng, target, false));
                match (a.1, b.1) {
                    (Expr::Bool(true), Expr::Bool(true)) => Expr::conditional(self.test(rng), a.0, b.0),
                    _ => clamped(a.0),
                }
            }
            _ => clamped(self.int(rng, 2)),
        })
    }
}
