//! Questions as JANI's properties, as far as JANI has them.

use crate::chances::decisions::Extreme;
use crate::chances::jani::{draws_rewards, expression, number, reward_name};
use crate::chances::queries::{
    Asked, Combine, Compare, Filter, Formula, Measure, Path, Quantity, Query, Reward, Structure, Time,
};
use crate::chances::syntax::{Kind, Model};

/// The property for a query; `None` if it cannot be asked so. `has_one_start`: the model has one initial state.
pub fn property(model: &Model, query: &Query, has_one_start: bool) -> Option<String> {
    let asking = Asking { model };
    let (values, is_truth) = match &query.asked {
        Asked::Value(quantity) => (asking.quantity(quantity, Extreme::Max)?, false),
        Asked::Truth(formula) => (asking.formula(formula)?, true),
    };
    let (function, states) = match &query.filter {
        Filter::None => (None, Some(&Formula::Init)),
        Filter::New(function, states) => (Some(*function), states.as_ref()),
        Filter::Old(function, states) => (Some(*function), Some(states)),
    };
    let of_initial = matches!(states, Some(Formula::Init));
    let function = match (function, is_truth) {
        (None | Some(Combine::State), true) => "∀",
        (None, false) if has_one_start => "max",
        (Some(Combine::Min), _) => "min",
        (Some(Combine::Max), _) => "max",
        (Some(Combine::Sum), _) => "sum",
        (Some(Combine::Average), _) => "avg",
        (Some(Combine::Count), _) => "count",
        (Some(Combine::ForAll), _) => "∀",
        (Some(Combine::Exists), _) => "∃",
        (Some(Combine::Range), _) if !of_initial => "values",
        _ => return None,
    };
    let states = match states {
        None => "true".to_string(),
        Some(states) => asking.formula(states)?,
    };
    Some(format!(
        "{{\"name\":\"{}\",\"expression\":{{\"op\":\"filter\",\"fun\":\"{function}\",\"values\":{values},\"states\":{states}}}}}",
        query.name
    ))
}

struct Asking<'m> {
    model: &'m Model,
}

impl Asking<'_> {
    fn formula(&self, formula: &Formula) -> Option<String> {
        let pair = |op: &str, a: &Formula, b: &Formula| {
            Some(format!("{{\"op\":\"{op}\",\"left\":{},\"right\":{}}}", self.formula(a)?, self.formula(b)?))
        };
        Some(match formula {
            Formula::Expr(expr) => expression(self.model, expr),
            Formula::Label(name) => format!("\"{name}\""),
            Formula::Init => "{\"op\":\"initial\"}".into(),
            Formula::Deadlock => "{\"op\":\"deadlock\"}".into(),
            Formula::Not(part) => format!("{{\"op\":\"¬\",\"exp\":{}}}", self.formula(part)?),
            Formula::And(a, b) => pair("∧", a, b)?,
            Formula::Or(a, b) => pair("∨", a, b)?,
            Formula::Implies(a, b) => pair("⇒", a, b)?,
            Formula::Bound(quantity, compare, bound) => {
                let worst = if compare.is_upper() { Extreme::Max } else { Extreme::Min };
                let quantity = self.quantity(quantity, worst)?;
                // Either side may stand first.
                match compare {
                    Compare::Less => format!("{{\"op\":\"<\",\"left\":{quantity},\"right\":{}}}", number(bound)),
                    Compare::LessEqual => format!("{{\"op\":\"≤\",\"left\":{quantity},\"right\":{}}}", number(bound)),
                    Compare::Greater => format!("{{\"op\":\"<\",\"left\":{},\"right\":{quantity}}}", number(bound)),
                    Compare::GreaterEqual => {
                        format!("{{\"op\":\"≥\",\"left\":{quantity},\"right\":{}}}", number(bound))
                    }
                }
            }
        })
    }

    fn quantity(&self, quantity: &Quantity, unsaid: Extreme) -> Option<String> {
        let extreme = match quantity.extreme.unwrap_or(unsaid) {
            Extreme::Min => "min",
            Extreme::Max => "max",
        };
        Some(match &quantity.measure {
            Measure::Probability(path) => format!("{{\"op\":\"P{extreme}\",\"exp\":{}}}", self.path(path)?),
            Measure::LongRun(formula) => format!("{{\"op\":\"S{extreme}\",\"exp\":{}}}", self.formula(formula)?),
            Measure::Reward(structure, reward) => {
                let (name, counted) = (reward_name(structure.index), self.counted());
                let instant = if self.model.kind == Kind::Ctmc { "time-instant" } else { "step-instant" };
                let (op, rest) = match reward {
                    Reward::Reach(target) => ("E", format!("{counted},\"reach\":{}", self.formula(target)?)),
                    Reward::Total => ("E", counted.to_string()),
                    Reward::Cumulated(time) => ("E", format!("{counted},\"{instant}\":{}", number(time))),
                    Reward::Instant(time) => ("E", format!(",\"{instant}\":{}", number(time))),
                    Reward::LongRun => ("S", counted.to_string()),
                };
                format!("{{\"op\":\"{op}{extreme}\",\"exp\":\"{name}\"{rest}}}")
            }
        })
    }

    /// Rewards of states and of steps, as PRISM has them.
    fn counted(&self) -> &'static str {
        match self.model.kind {
            Kind::Ctmc => ",\"accumulate\":[\"time\",\"steps\"]",
            Kind::Dtmc | Kind::Mdp => ",\"accumulate\":[\"exit\",\"steps\"]",
        }
    }

    fn path(&self, path: &Path) -> Option<String> {
        let one = |op: &str, formula: &Formula, time: &Time| {
            Some(format!("{{\"op\":\"{op}\",\"exp\":{}{}}}", self.formula(formula)?, self.when(time)))
        };
        let two = |op: &str, left: &Formula, right: &Formula, time: &Time| {
            let (left, right) = (self.formula(left)?, self.formula(right)?);
            Some(format!("{{\"op\":\"{op}\",\"left\":{left},\"right\":{right}{}}}", self.when(time)))
        };
        match path {
            // What is drawn cannot be bounded.
            Path::Finally(_, time) | Path::Globally(_, time) | Path::Until(_, _, time)
                if time.earned.is_some() && draws_rewards(self.model) =>
            {
                None
            }
            Path::Next(next) => one("X", next, &Time::default()),
            Path::Finally(end, time) => one("F", end, time),
            Path::Globally(always, time) => one("G", always, time),
            Path::Until(left, right, time) => two("U", left, right, time),
            Path::WeakUntil(left, right, time) => two("W", left, right, time),
            Path::Release(left, right, time) => two("R", left, right, time),
            Path::Now(_) | Path::Not(_) => None,
        }
    }

    fn when(&self, time: &Time) -> String {
        if time.is_any() {
            return String::new();
        }
        let mut limits = Vec::new();
        for (name, limit) in [("lower", &time.lower), ("upper", &time.upper)] {
            if let Some((value, strict)) = limit {
                limits.push(format!("\"{name}\":{},\"{name}-exclusive\":{strict}", number(value)));
            }
        }
        let limits = format!("{{{}}}", limits.join(","));
        match &time.earned {
            Some(Structure { index, .. }) => {
                let (name, counted) = (reward_name(*index), self.counted());
                format!(",\"reward-bounds\":[{{\"exp\":\"{name}\"{counted},\"bounds\":{limits}}}]")
            }
            None if self.model.kind == Kind::Ctmc => format!(",\"time-bounds\":{limits}"),
            None => format!(",\"step-bounds\":{limits}"),
        }
    }
}
