//! What expressions come to: exact numbers, read off the generator's tree.

use std::collections::BTreeMap;

use dashu_ratio::RBig;

use crate::chances::syntax::{Domain, Expr, Function, Model, Op, renamed};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Bool(bool),
    Int(i64),
    Double(RBig),
}

/// Why the model means nothing.
pub type Wrong = String;

pub type Names = BTreeMap<String, String>;

/// A fraction.
pub fn fraction(numerator: i64, denominator: i64) -> RBig {
    RBig::from(numerator) / RBig::from(denominator)
}

impl Value {
    pub fn number(self) -> Result<RBig, Wrong> {
        match self {
            Value::Bool(_) => Err("a truth is no number".into()),
            Value::Int(value) => Ok(value.into()),
            Value::Double(value) => Ok(value),
        }
    }

    pub fn truth(self) -> Result<bool, Wrong> {
        match self {
            Value::Bool(truth) => Ok(truth),
            _ => Err("a number is no truth".into()),
        }
    }

    pub fn int(self) -> Result<i64, Wrong> {
        match self {
            Value::Int(value) => Ok(value),
            _ => Err("no int".into()),
        }
    }
}

/// A variable as it is in states.
#[derive(Clone, Debug)]
pub struct Slot {
    pub name: String,
    pub is_bool: bool,
    pub lo: i64,
    pub hi: i64,
    pub initial: i64,
}

/// Names and what they stand for.
pub struct Meaning<'m> {
    pub model: &'m Model,
    constants: BTreeMap<&'m str, Value>,
    pub slots: Vec<Slot>,
    indices: BTreeMap<String, usize>,
}

/// The values of all variables; truths are 0 and 1.
pub type State = Vec<i64>;

impl<'m> Meaning<'m> {
    pub fn new(model: &'m Model) -> Result<Self, Wrong> {
        let mut meaning = Meaning { model, constants: BTreeMap::new(), slots: Vec::new(), indices: BTreeMap::new() };
        // Constants may be defined by later ones.
        for _ in &model.constants {
            for constant in &model.constants {
                if let Ok(value) = meaning.value(&constant.value, &[], None) {
                    let value = match (constant.ty, value) {
                        (crate::chances::syntax::Type::Double, Value::Int(value)) => Value::Double(value.into()),
                        (_, value) => value,
                    };
                    meaning.constants.insert(&constant.name, value);
                }
            }
        }
        let mut declared: Vec<(&crate::chances::syntax::Variable, Option<&Names>)> = Vec::new();
        declared.extend(model.globals.iter().map(|variable| (variable, None)));
        for module in 0..model.modules.len() {
            let (variables, _, names) = model.module(module);
            declared.extend(variables.iter().map(|variable| (variable, names)));
        }
        let mut slots = Vec::new();
        for (variable, names) in declared {
            let whole = |expr: &Expr| meaning.value(expr, &[], names)?.int();
            let (is_bool, lo, hi) = match &variable.domain {
                Domain::Bool => (true, 0, 1),
                Domain::Int => (false, i32::MIN.into(), i32::MAX.into()),
                Domain::Range(lo, hi) => (false, whole(lo)?, whole(hi)?),
            };
            let initial = match (&variable.initial, &variable.domain) {
                (None, Domain::Int) => 0,
                (None, _) => lo,
                (Some(value), _) => match meaning.value(value, &[], names)? {
                    Value::Bool(truth) => truth.into(),
                    value => value.int()?,
                },
            };
            if lo > hi || initial < lo || initial > hi {
                return Err("the range of a variable".into());
            }
            slots.push(Slot { name: renamed(&variable.name, names).to_string(), is_bool, lo, hi, initial });
        }
        meaning.indices = slots.iter().enumerate().map(|(at, slot)| (slot.name.clone(), at)).collect();
        meaning.slots = slots;
        Ok(meaning)
    }

    pub fn index(&self, name: &str) -> Result<usize, Wrong> {
        self.indices.get(name).copied().ok_or_else(|| format!("no variable {name}"))
    }

    /// The value of an expression that stands in a module with changed names. Formulas are part of the module.
    pub fn value(&self, expr: &Expr, state: &[i64], names: Option<&Names>) -> Result<Value, Wrong> {
        let value = |part: &Expr| self.value(part, state, names);
        Ok(match expr {
            Expr::Bool(truth) => Value::Bool(*truth),
            Expr::Int(number) => Value::Int(*number),
            Expr::Decimal(units, places) => Value::Double(fraction(*units, 10_i64.pow(*places))),
            Expr::Name(name) => {
                let name = renamed(name, names);
                if let Some(index) = self.indices.get(name) {
                    let value = *state.get(*index).ok_or("a variable in a constant")?;
                    return Ok(if self.slots[*index].is_bool { Value::Bool(value != 0) } else { Value::Int(value) });
                }
                if let Some(value) = self.constants.get(name) {
                    return Ok(value.clone());
                }
                let formula = self.model.formulas.iter().find(|(known, _)| known == name);
                let (_, body) = formula.ok_or_else(|| format!("no name {name}"))?;
                value(body)?
            }
            Expr::Not(part) => Value::Bool(!value(part)?.truth()?),
            Expr::Minus(part) => match value(part)? {
                Value::Int(number) => Value::Int(-number),
                other => Value::Double(-other.number()?),
            },
            Expr::Binary(Op::And, left, right) => Value::Bool(value(left)?.truth()? && value(right)?.truth()?),
            Expr::Binary(Op::Or, left, right) => Value::Bool(value(left)?.truth()? || value(right)?.truth()?),
            Expr::Binary(Op::Implies, left, right) => Value::Bool(!value(left)?.truth()? || value(right)?.truth()?),
            Expr::Binary(op, left, right) => binary(*op, value(left)?, value(right)?)?,
            Expr::Conditional(test, then, otherwise) => value(if value(test)?.truth()? { then } else { otherwise })?,
            Expr::Call(function, parts) | Expr::OldCall(function, parts) => {
                call(*function, parts.iter().map(value).collect::<Result<_, _>>()?)?
            }
        })
    }

    pub fn truth(&self, expr: &Expr, state: &[i64], names: Option<&Names>) -> Result<bool, Wrong> {
        self.value(expr, state, names)?.truth()
    }

    pub fn number(&self, expr: &Expr, state: &[i64], names: Option<&Names>) -> Result<RBig, Wrong> {
        self.value(expr, state, names)?.number()
    }
}

fn binary(op: Op, left: Value, right: Value) -> Result<Value, Wrong> {
    if let (Value::Bool(a), Value::Bool(b)) = (&left, &right) {
        return Ok(Value::Bool(match op {
            Op::Equal | Op::Iff => a == b,
            Op::Unequal => a != b,
            _ => return Err("truths".into()),
        }));
    }
    if let (Value::Int(a), Value::Int(b)) = (&left, &right) {
        match op {
            Op::Add => return Ok(Value::Int(a + b)),
            Op::Subtract => return Ok(Value::Int(a - b)),
            Op::Multiply => return Ok(Value::Int(a * b)),
            Op::Power => return power(left, right),
            _ => {}
        }
    }
    if op == Op::Power {
        return power(left, right);
    }
    let (a, b) = (left.number()?, right.number()?);
    Ok(match op {
        Op::Equal => Value::Bool(a == b),
        Op::Unequal => Value::Bool(a != b),
        Op::Less => Value::Bool(a < b),
        Op::LessEqual => Value::Bool(a <= b),
        Op::Greater => Value::Bool(a > b),
        Op::GreaterEqual => Value::Bool(a >= b),
        Op::Add => Value::Double(a + b),
        Op::Subtract => Value::Double(a - b),
        Op::Multiply => Value::Double(a * b),
        Op::Divide if b.is_zero() => return Err("division by zero".into()),
        Op::Divide => Value::Double(a / b),
        _ => return Err("numbers".into()),
    })
}

/// By repeated multiplication: exponents are small whole numbers.
fn power(base: Value, exponent: Value) -> Result<Value, Wrong> {
    let times = match &exponent {
        Value::Int(times) => *times,
        other => other.clone().number()?.try_into().map_err(|_| "no whole exponent")?,
    };
    let all_ints = matches!((&base, &exponent), (Value::Int(_), Value::Int(_)));
    let base = base.number()?;
    if times < 0 && (all_ints || base.is_zero()) {
        return Err("a negative exponent".into());
    }
    let mut product = RBig::ONE;
    for _ in 0..times.abs() {
        product = if times > 0 { product * &base } else { product / &base };
    }
    Ok(match all_ints {
        true => Value::Int(product.try_into().map_err(|_| "too large")?),
        false => Value::Double(product),
    })
}

/// By trying: a whole number if it is one, otherwise what floating-point numbers make of it.
fn logarithm(value: &RBig, base: &RBig) -> Result<RBig, Wrong> {
    if *value <= RBig::ZERO || *base <= RBig::ZERO || *base == RBig::ONE {
        return Err("no logarithm".into());
    }
    let (mut up, mut down) = (RBig::ONE, RBig::ONE);
    for exponent in 0_i64..64 {
        if up == *value || down == *value {
            return Ok(RBig::from(if up == *value { exponent } else { -exponent }));
        }
        (up, down) = (up * base, down / base);
    }
    let about = value.to_f64().value().ln() / base.to_f64().value().ln();
    RBig::try_from(about).map_err(|_| "no logarithm".into())
}

fn call(function: Function, parts: Vec<Value>) -> Result<Value, Wrong> {
    let all_ints = parts.iter().all(|part| matches!(part, Value::Int(_)));
    let least = |pick: fn(&RBig, &RBig) -> bool| -> Result<Value, Wrong> {
        let mut best: Option<RBig> = None;
        for part in &parts {
            let number = part.clone().number()?;
            if best.as_ref().is_none_or(|best| pick(&number, best)) {
                best = Some(number);
            }
        }
        let best = best.ok_or("no operand")?;
        Ok(if all_ints { Value::Int(best.try_into().map_err(|_| "too large")?) } else { Value::Double(best) })
    };
    let first = parts[0].clone();
    match function {
        Function::Min => least(|a, b| a < b),
        Function::Max => least(|a, b| a > b),
        Function::Pow => power(first, parts[1].clone()),
        Function::Mod => {
            let (a, by) = (first.int()?, parts[1].clone().int()?);
            if by <= 0 {
                return Err("mod by what is not positive".into());
            }
            // The least number that is not negative and differs by a multiple.
            let mut rest = a % by;
            if rest < 0 {
                rest += by;
            }
            Ok(Value::Int(rest))
        }
        Function::Log => Ok(Value::Double(logarithm(&first.number()?, &parts[1].clone().number()?)?)),
        Function::Floor | Function::Ceil | Function::Round => {
            let number = first.number()?;
            let (numerator, denominator) = (number.numerator().clone(), number.denominator().clone());
            let numerator: i128 = numerator.try_into().map_err(|_| "too large")?;
            let denominator: i128 = denominator.try_into().map_err(|_| "too large")?;
            let down = |a: i128, b: i128| a / b - i128::from(a % b != 0 && a < 0);
            let rounded = match function {
                Function::Floor => down(numerator, denominator),
                Function::Ceil => -down(-numerator, denominator),
                _ => down(2 * numerator + denominator, 2 * denominator),
            };
            Ok(Value::Int(rounded as i64))
        }
    }
}
