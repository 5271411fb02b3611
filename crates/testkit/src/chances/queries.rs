//! Questions about chances, and random ones.

use std::fmt;

use dashu_ratio::RBig;

use crate::chances::decisions::Extreme;
use crate::chances::syntax::Expr;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Compare {
    pub const ALL: [Compare; 4] = [Compare::Less, Compare::LessEqual, Compare::Greater, Compare::GreaterEqual];

    pub fn is_upper(self) -> bool {
        matches!(self, Compare::Less | Compare::LessEqual)
    }

    /// `None` is infinite.
    pub fn holds(self, value: Option<&RBig>, bound: &RBig) -> bool {
        match (self, value) {
            (_, None) => !self.is_upper(),
            (Compare::Less, Some(value)) => value < bound,
            (Compare::LessEqual, Some(value)) => value <= bound,
            (Compare::Greater, Some(value)) => value > bound,
            (Compare::GreaterEqual, Some(value)) => value >= bound,
        }
    }
}

#[derive(Clone, Debug)]
pub enum Formula {
    Expr(Expr),
    Label(String),
    Init,
    Deadlock,
    Not(Box<Formula>),
    And(Box<Formula>, Box<Formula>),
    Or(Box<Formula>, Box<Formula>),
    Implies(Box<Formula>, Box<Formula>),
    Bound(Box<Quantity>, Compare, RBig),
}

#[derive(Clone, Debug)]
pub struct Quantity {
    pub extreme: Option<Extreme>,
    pub measure: Measure,
}

#[derive(Clone, Debug)]
pub enum Measure {
    Probability(Path),
    Reward(Structure, Reward),
    LongRun(Formula),
}

/// A reward structure by its index, and how it is named.
#[derive(Clone, Debug)]
pub struct Structure {
    pub index: usize,
    pub text: String,
}

#[derive(Clone, Debug)]
pub enum Reward {
    Reach(Formula),
    Total,
    Cumulated(RBig),
    Instant(RBig),
    LongRun,
}

#[derive(Clone, Debug)]
pub enum Path {
    Now(Formula),
    Next(Formula),
    Finally(Formula, Time),
    Globally(Formula, Time),
    Until(Formula, Formula, Time),
    WeakUntil(Formula, Formula, Time),
    Release(Formula, Formula, Time),
    Not(Box<Path>),
}

/// When: limits with whether they are strict.
#[derive(Clone, Debug, Default)]
pub struct Time {
    /// Not time or steps, but what was earned on the way.
    pub earned: Option<Structure>,
    pub lower: Option<(RBig, bool)>,
    pub upper: Option<(RBig, bool)>,
}

impl Time {
    pub fn is_any(&self) -> bool {
        self.lower.is_none() && self.upper.is_none()
    }
}

#[derive(Clone, Debug)]
// There are few of them at a time.
#[allow(clippy::large_enum_variant)]
pub enum Asked {
    Value(Quantity),
    Truth(Formula),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    State,
    Min,
    Max,
    Sum,
    Average,
    Count,
    ForAll,
    Exists,
    Range,
}

#[derive(Clone, Debug)]
pub enum Filter {
    None,
    /// `filter(…)`; without states: all of them.
    New(Combine, Option<Formula>),
    /// `{states}{min}`
    Old(Combine, Formula),
}

#[derive(Clone, Debug)]
pub struct Query {
    pub name: String,
    pub asked: Asked,
    pub filter: Filter,
}

/// A number as PRISM reads it: ints do not go far.
pub fn number(value: &RBig) -> String {
    let text = value.to_string();
    let point = |digits: &str| match digits.trim_start_matches('-').len() > 9 {
        true => format!("{digits}.0"),
        false => digits.to_string(),
    };
    match text.split_once('/') {
        Some((numerator, denominator)) => format!("{}/{}", point(numerator), point(denominator)),
        None => point(&text),
    }
}

impl Formula {
    /// Has it `P<=p` or the like in it?
    pub fn has_bounds(&self) -> bool {
        match self {
            Formula::Bound(..) => true,
            Formula::Expr(_) | Formula::Label(_) | Formula::Init | Formula::Deadlock => false,
            Formula::Not(part) => part.has_bounds(),
            Formula::And(a, b) | Formula::Or(a, b) | Formula::Implies(a, b) => a.has_bounds() || b.has_bounds(),
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Formula::Expr(expr) => write!(f, "{}", crate::chances::print::at_least(expr, 0)),
            Formula::Label(name) => write!(f, "\"{name}\""),
            Formula::Init => f.write_str("\"init\""),
            Formula::Deadlock => f.write_str("\"deadlock\""),
            Formula::Not(part) => write!(f, "!({part})"),
            Formula::And(a, b) => write!(f, "({a}) & ({b})"),
            Formula::Or(a, b) => write!(f, "({a}) | ({b})"),
            Formula::Implies(a, b) => write!(f, "({a}) => ({b})"),
            Formula::Bound(quantity, compare, bound) => {
                let compare = match compare {
                    Compare::Less => "<",
                    Compare::LessEqual => "<=",
                    Compare::Greater => ">",
                    Compare::GreaterEqual => ">=",
                };
                quantity.write(f, &format!("{compare}{}", number(bound)), "")
            }
        }
    }
}

impl Quantity {
    fn write(&self, f: &mut fmt::Formatter<'_>, relation: &str, filter: &str) -> fmt::Result {
        let extreme = match self.extreme {
            None => "",
            Some(Extreme::Min) => "min",
            Some(Extreme::Max) => "max",
        };
        match &self.measure {
            Measure::Probability(path) => write!(f, "P{extreme}{relation} [ {path}{filter} ]"),
            Measure::LongRun(states) => write!(f, "S{extreme}{relation} [ {states}{filter} ]"),
            Measure::Reward(structure, reward) => {
                write!(f, "R{}{extreme}{relation} [ {reward}{filter} ]", structure.text)
            }
        }
    }
}

impl fmt::Display for Reward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reward::Reach(target) => write!(f, "F ({target})"),
            Reward::Total => f.write_str("C"),
            Reward::Cumulated(time) => write!(f, "C<={}", number(time)),
            Reward::Instant(time) => write!(f, "I={}", number(time)),
            Reward::LongRun => f.write_str("S"),
        }
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(structure) = &self.earned {
            write!(f, "rew{}", structure.text)?;
        }
        match (&self.lower, &self.upper) {
            (Some((a, false)), Some((b, false))) if a == b => write!(f, "={}", number(a)),
            (Some((a, false)), Some((b, false))) => write!(f, "[{},{}]", number(a), number(b)),
            (lower, upper) => {
                if let Some((value, strict)) = lower {
                    write!(f, "{}{}", if *strict { ">" } else { ">=" }, number(value))?;
                }
                if let Some((value, strict)) = upper {
                    write!(f, "{}{}", if *strict { "<" } else { "<=" }, number(value))?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What follows a bound must not look like a part of it.
        let after = |time: &Time, formula: &Formula| match time.is_any() && !formula.to_string().starts_with('-') {
            true => formula.to_string(),
            false => format!("({formula})"),
        };
        match self {
            Path::Now(now) => write!(f, "{now}"),
            Path::Next(next) => write!(f, "X {next}"),
            Path::Finally(end, time) => write!(f, "F{time} {}", after(time, end)),
            Path::Globally(end, time) => write!(f, "G{time} {}", after(time, end)),
            Path::Until(a, b, time) => write!(f, "{a} U{time} {}", after(time, b)),
            Path::WeakUntil(a, b, time) => write!(f, "{a} W{time} {}", after(time, b)),
            Path::Release(a, b, time) => write!(f, "({a}) R{time} {}", after(time, b)),
            Path::Not(path) => write!(f, "!({path})"),
        }
    }
}

fn combine(combine: Combine) -> &'static str {
    match combine {
        Combine::State => "state",
        Combine::Min => "min",
        Combine::Max => "max",
        Combine::Sum => "sum",
        Combine::Average => "avg",
        Combine::Count => "count",
        Combine::ForAll => "forall",
        Combine::Exists => "exists",
        Combine::Range => "range",
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Value(quantity) => quantity.write(f, "=?", ""),
            Asked::Truth(formula) => write!(f, "{formula}"),
        }
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\": ", self.name)?;
        match (&self.filter, &self.asked) {
            (Filter::New(how, None), asked) => write!(f, "filter({}, {asked})", combine(*how)),
            (Filter::New(how, Some(states)), asked) => write!(f, "filter({}, {asked}, {states})", combine(*how)),
            (Filter::Old(how, states), Asked::Value(quantity)) => {
                let how = match how {
                    Combine::Min => "{min}",
                    Combine::Max => "{max}",
                    Combine::Range => "{min}{max}",
                    _ => "",
                };
                quantity.write(f, "=?", &format!(" {{{states}}}{how}"))
            }
            (_, asked) => write!(f, "{asked}"),
        }
    }
}
