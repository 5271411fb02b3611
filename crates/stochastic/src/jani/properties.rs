//! Properties: what is asked about which states. A property that cannot be answered stays in the list, with the reason.

use bughound_ir::chance::{
    Asked, ChanceQuestion, Comparison, Extreme, FilterFunction, Measure, Number, Quantity, StateFormula,
};
use bughound_ir::source::Diagnostic;
use bughound_ir::suggest::suggest;

use super::build::{self, Needs};
use super::expressions::{Reading, Translator};
use super::fields::{Fields, list, text};
use super::json::{Json, JsonKind};
use super::names::Scope;
use super::rewards::{Counted, Model, Rewards};
use super::types::no_value;
use super::{Read, Refusal, operators, text as rendering};
use crate::tree::{Expr, Initial, Property, Type, Unsupported};

pub type Formula = StateFormula<Expr>;

pub struct PropertyReader<'a, 'j> {
    pub model: &'a Model<'a, 'j>,
    pub rewards: Rewards,
    pub initial: &'a Initial,
}

/// What is asked is refused by name.
pub fn unsupported<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Unsupported(reason.into()))
}

impl PropertyReader<'_, '_> {
    pub fn read(&mut self, item: &Json, diagnostics: &mut Vec<Diagnostic>) -> Read<Property> {
        let fields = Fields::of(item, "a property")?;
        let name = fields.text("name")?.to_string();
        let exp = fields.required("expression")?;
        let question = self.question(exp).map_err(|refusal| match refusal {
            Refusal::Unsupported(reason) => Unsupported(reason),
            Refusal::Wrong(error) => {
                let reason = Unsupported(error.message.clone());
                let message = format!("property `{name}`: {}", error.message);
                diagnostics.push(Diagnostic { severity: bughound_ir::source::Severity::Warning, message, ..*error });
                reason
            }
        });
        Ok(Property { name, text: rendering::show(exp), question, recorded: Vec::new(), span: item.span })
    }

    fn question(&mut self, exp: &Json) -> Result<ChanceQuestion<Expr>, Refusal> {
        if operator(exp) != Some("filter") {
            let asked = self.asked(exp)?;
            return Ok(ChanceQuestion { asked, function: FilterFunction::State, states: None });
        }
        let fields = Fields::of(exp, "a filter")?;
        let states = fields.required("states")?;
        let states = match operator(states) {
            Some("initial") => None,
            _ => Some(self.formula(states)?),
        };
        let asked = self.asked(fields.required("values")?)?;
        let function = self.function(fields.required("fun")?, &asked, states.is_none())?;
        Ok(ChanceQuestion { asked, function, states })
    }

    fn function(&self, json: &Json, asked: &Asked<Expr>, of_initial: bool) -> Result<FilterFunction, Refusal> {
        let name = text(json, "`fun`")?;
        let is_truth = matches!(asked, Asked::Truth(_));
        let function = match operators::standard(name) {
            "min" => FilterFunction::Min,
            "max" => FilterFunction::Max,
            "sum" => FilterFunction::Sum,
            "avg" => FilterFunction::Average,
            "count" => FilterFunction::Count,
            "∀" => FilterFunction::ForAll,
            "∃" => FilterFunction::Exists,
            "values" if is_truth || (of_initial && matches!(self.initial, Initial::Values)) => {
                return Ok(FilterFunction::State);
            }
            "values" => return Ok(FilterFunction::Range),
            "argmin" | "argmax" => return unsupported(format!("filters with `{name}` are not supported")),
            _ => {
                let known = ["min", "max", "sum", "avg", "count", "∀", "∃", "argmin", "argmax", "values"];
                let message = format!("there is no filter function `{name}`{}", suggest(name, known.into_iter()));
                return Err(Refusal::Wrong(Box::new(Diagnostic::error(json.span, message))));
            }
        };
        let needs_truth = matches!(function, FilterFunction::Count | FilterFunction::ForAll | FilterFunction::Exists);
        if needs_truth != is_truth {
            let (wanted, found) = if needs_truth { ("truth values", "numbers") } else { ("numbers", "truth values") };
            let message = format!("the filter `{name}` is about {wanted}, but these are {found}");
            return Err(Refusal::Wrong(Box::new(Diagnostic::error(json.span, message))));
        }
        Ok(function)
    }

    fn asked(&mut self, json: &Json) -> Result<Asked<Expr>, Refusal> {
        match operator(json) {
            Some("Pmin" | "Pmax" | "Emin" | "Emax" | "Smin" | "Smax") => Ok(Asked::Value(self.quantity(json)?)),
            _ => Ok(Asked::Truth(self.formula(json)?)),
        }
    }

    /// Something that is true or false of a state.
    pub fn formula(&mut self, json: &Json) -> Result<Formula, Refusal> {
        if !is_about_runs(json) {
            let atom = Translator::new(self.model.names, Scope::Property, Reading::State).scalar(json)?;
            if atom.ty != Type::Bool
                && matches!(json.kind, JsonKind::Object(_) | JsonKind::Text(_) | JsonKind::Number(_))
            {
                build::expect(&atom, Needs::Truth, "what is asked of states")?;
            }
            return Ok(StateFormula::Atom(atom));
        }
        let fields = Fields::of(json, "a property")?;
        let op = fields.text("op")?;
        let sides = || Ok::<_, Box<Diagnostic>>((fields.required("left")?, fields.required("right")?));
        match operators::standard(op) {
            "initial" => Ok(StateFormula::Initial),
            "deadlock" => Ok(StateFormula::Deadlock),
            "timelock" => unsupported("`timelock` is not supported: there are no clocks here"),
            "¬" => Ok(self.formula(fields.required("exp")?)?.not()),
            "∧" => {
                let (left, right) = sides()?;
                Ok(self.formula(left)?.and(self.formula(right)?))
            }
            "∨" => {
                let (left, right) = sides()?;
                Ok(self.formula(left)?.or(self.formula(right)?))
            }
            "⇒" => {
                let (left, right) = sides()?;
                Ok(self.formula(left)?.not().or(self.formula(right)?))
            }
            "<" | "≤" | ">" | "≥" => {
                let (left, right) = sides()?;
                self.bound(operators::standard(op), left, right)
            }
            "=" | "≠" | "⇔" => unsupported(format!("`{op}` between what is asked about runs is not supported")),
            "∀" | "∃" => {
                unsupported(format!("`{op}` over paths is not supported: ask for the probability, `Pmin` or `Pmax`"))
            }
            "filter" => unsupported("filters inside of filters are not supported"),
            "Pmin" | "Pmax" | "Emin" | "Emax" | "Smin" | "Smax" => {
                unsupported(format!("`{op}` is a number where a truth value is expected"))
            }
            "+" | "-" | "*" | "/" | "min" | "max" => unsupported("computing with probabilities is not supported"),
            path if operators::is_of_paths(path) => {
                unsupported("LTL formulas are not supported: a path has one temporal operator, over states")
            }
            _ => unsupported(format!("`{op}` of what is asked about runs is not supported")),
        }
    }

    /// A quantity compared with a number, in either order.
    fn bound(&mut self, op: &str, left: &Json, right: &Json) -> Result<Formula, Refusal> {
        let comparison = match op {
            "<" => Comparison::Less,
            "≤" => Comparison::LessEqual,
            ">" => Comparison::Greater,
            _ => Comparison::GreaterEqual,
        };
        let (quantity, comparison, number) = match (is_about_runs(left), is_about_runs(right)) {
            (true, false) => (left, comparison, right),
            (false, true) => {
                let turned = match comparison {
                    Comparison::Less => Comparison::Greater,
                    Comparison::LessEqual => Comparison::GreaterEqual,
                    Comparison::Greater => Comparison::Less,
                    Comparison::GreaterEqual => Comparison::LessEqual,
                };
                (right, turned, left)
            }
            _ => return unsupported("comparing two probabilities is not supported"),
        };
        let number = self.number(number, "what a probability is compared with")?;
        Ok(StateFormula::Bound(Box::new(self.quantity(quantity)?), comparison, number))
    }

    /// A number that is known while reading.
    pub fn number(&self, json: &Json, who: &str) -> Read<Number> {
        let value = Translator::new(self.model.names, Scope::Property, Reading::Constants).scalar(json)?;
        build::expect(&value, Needs::Number, who)?;
        build::value_of(&value).ok_or_else(|| no_value(&value, who))
    }

    fn quantity(&mut self, json: &Json) -> Result<Quantity<Expr>, Refusal> {
        let fields = Fields::of(json, "a property")?;
        let op = fields.text("op")?;
        let extreme = if op.ends_with("min") { Extreme::Min } else { Extreme::Max };
        let measure = match op {
            "Pmin" | "Pmax" => Measure::Probability(self.path(fields.required("exp")?)?),
            "Emin" | "Emax" => self.expectation(&fields)?,
            "Smin" | "Smax" => self.long_run(&fields)?,
            "+" | "-" | "*" | "/" | "min" | "max" => {
                return unsupported("computing with probabilities is not supported");
            }
            _ => return unsupported(format!("`{op}` of what is asked about runs is not supported")),
        };
        Ok(Quantity { extreme, measure })
    }

    /// What `accumulate` says.
    pub fn counted(&self, json: &Json) -> Read<Vec<Counted>> {
        let mut counted = Vec::new();
        for item in list(json, "`accumulate`")? {
            let one = match text(item, "`accumulate`")? {
                "steps" => Counted::Steps,
                "time" => Counted::Time,
                "exit" => Counted::Exit,
                other => {
                    let known = ["steps", "time", "exit"];
                    let message =
                        format!("nothing can be accumulated over `{other}`{}", suggest(other, known.into_iter()));
                    return Err(Diagnostic::error(item.span, message)
                        .help("known are `steps`, `time` and `exit`")
                        .into());
                }
            };
            if !counted.contains(&one) {
                counted.push(one);
            }
        }
        if counted.is_empty() {
            return Err(Diagnostic::error(json.span, "`accumulate` needs `steps`, `time` or `exit`").into());
        }
        Ok(counted)
    }
}

/// The operator at the top, if there is one.
pub fn operator(json: &Json) -> Option<&str> {
    match &json.get("op")?.kind {
        JsonKind::Text(op) => Some(op),
        _ => None,
    }
}

/// Does an operator of properties occur in it?
pub fn is_about_runs(json: &Json) -> bool {
    match &json.kind {
        JsonKind::Object(fields) => {
            operator(json).is_some_and(operators::is_of_properties)
                || fields.iter().any(|field| is_about_runs(&field.value))
        }
        JsonKind::List(items) => items.iter().any(is_about_runs),
        _ => false,
    }
}
