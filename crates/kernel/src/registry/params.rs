//! Parameters of registered things, and the check of arguments against them.

use std::fmt;

use crate::registry::expression::{Argument, Expression, ExpressionError, Value};
use crate::registry::suggest::suggest;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ParamKind {
    /// `default: None`: taken from the command line or the situation, as the summary says.
    Integer {
        default: Option<u64>,
        min: u64,
        max: u64,
    },
    Decimal {
        default: f64,
        min: f64,
        max: f64,
    },
    Flag {
        default: bool,
    },
    /// One of a few names; the first is the default.
    Choice {
        options: &'static [&'static str],
    },
    /// Another registered thing, such as the heuristic of a search; the default is an expression.
    Nested {
        what: &'static str,
        default: &'static str,
    },
    /// All arguments without key from here on: one or more registered things.
    Several {
        what: &'static str,
    },
    /// Text in quotes.
    Text {
        required: bool,
    },
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Integer { min, max: u64::MAX, .. } => write!(f, "an integer of at least {min}"),
            ParamKind::Integer { min, max, .. } => write!(f, "an integer from {min} to {max}"),
            ParamKind::Decimal { min, max: f64::INFINITY, .. } => write!(f, "a number of at least {min}"),
            ParamKind::Decimal { min, max, .. } => write!(f, "a number from {min} to {max}"),
            ParamKind::Flag { .. } => f.write_str("`true` or `false`"),
            ParamKind::Choice { options } => write!(f, "one of `{}`", options.join("`, `")),
            ParamKind::Nested { what, .. } => write!(f, "a {what}"),
            ParamKind::Several { what } => write!(f, "one or more of: {what}"),
            ParamKind::Text { .. } => f.write_str("text in quotes"),
        }
    }
}

impl ParamKind {
    /// The default as one would write it.
    pub fn default_text(&self) -> Option<String> {
        match self {
            ParamKind::Integer { default, .. } => default.map(|n| n.to_string()),
            ParamKind::Decimal { default, .. } => Some(default.to_string()),
            ParamKind::Flag { default } => Some(default.to_string()),
            ParamKind::Choice { options } => options.first().map(ToString::to_string),
            ParamKind::Nested { default, .. } => Some((*default).to_string()),
            ParamKind::Several { .. } | ParamKind::Text { .. } => None,
        }
    }

    fn default_value(&self) -> Option<ArgValue> {
        match self {
            ParamKind::Integer { default, .. } => default.map(ArgValue::Integer),
            ParamKind::Decimal { default, .. } => Some(ArgValue::Decimal(*default)),
            ParamKind::Flag { default } => Some(ArgValue::Flag(*default)),
            ParamKind::Choice { options } => options.first().map(|&option| ArgValue::Choice(option)),
            ParamKind::Nested { default, .. } => {
                super::expression::parse(default).ok().map(|nested| ArgValue::Nested(vec![nested]))
            }
            ParamKind::Several { .. } | ParamKind::Text { .. } => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Param {
    pub name: &'static str,
    pub summary: &'static str,
    pub kind: ParamKind,
}

/// Arguments are wrong in the same way in which expressions are.
pub type BuildError = ExpressionError;

/// Checked arguments, defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args {
    values: Vec<(&'static str, ArgValue)>,
    given: Vec<&'static str>,
}

#[derive(Clone, Debug, PartialEq)]
enum ArgValue {
    Integer(u64),
    Decimal(f64),
    Flag(bool),
    Choice(&'static str),
    Nested(Vec<Expression>),
    Text(String),
}

impl Args {
    /// Checks the arguments of `expression` against `params`. Arguments without key are taken in order.
    pub fn check(expression: &Expression, params: &'static [Param]) -> Result<Args, BuildError> {
        let mut given: Vec<Option<ArgValue>> = vec![None; params.len()];
        for (position, argument) in expression.arguments.iter().enumerate() {
            let at = find_param(expression, argument, position, params)?;
            let value = check_value(&params[at], argument)?;
            match (&mut given[at], value, params[at].kind) {
                (Some(ArgValue::Nested(before)), ArgValue::Nested(more), ParamKind::Several { .. }) => {
                    before.extend(more);
                }
                (Some(_), ..) => {
                    let message = format!("`{}` is given twice", params[at].name);
                    return Err(BuildError::new(message, argument.key_at.clone()));
                }
                (place, value, _) => *place = Some(value),
            }
        }
        let missing = |param: &Param, value: &Option<ArgValue>| {
            value.is_none() && matches!(param.kind, ParamKind::Several { .. } | ParamKind::Text { required: true })
        };
        if let Some((param, _)) = params.iter().zip(&given).find(|(param, value)| missing(param, value)) {
            let message = format!("`{}` needs `{}`: {}", expression.name, param.name, param.kind);
            return Err(BuildError::new(message, expression.at.clone()));
        }
        let names = params.iter().zip(&given).filter(|(_, value)| value.is_some()).map(|(param, _)| param.name);
        let names = names.collect();
        let filled = params
            .iter()
            .zip(given)
            .filter_map(|(param, value)| value.or_else(|| param.kind.default_value()).map(|value| (param.name, value)));
        Ok(Args { values: filled.collect(), given: names })
    }

    /// Was it written, or is it the default?
    pub fn is_given(&self, name: &str) -> bool {
        self.given.contains(&name)
    }

    fn get(&self, name: &str) -> Option<&ArgValue> {
        self.values.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// The value of an integer parameter; `None` if it was not given and has no default.
    pub fn integer(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(ArgValue::Integer(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn decimal(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Some(ArgValue::Decimal(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(ArgValue::Flag(value)) => Some(*value),
            _ => None,
        }
    }

    pub fn choice(&self, name: &str) -> Option<&'static str> {
        match self.get(name) {
            Some(ArgValue::Choice(value)) => Some(value),
            _ => None,
        }
    }

    pub fn nested(&self, name: &str) -> Option<&Expression> {
        self.several(name).first()
    }

    pub fn several(&self, name: &str) -> &[Expression] {
        match self.get(name) {
            Some(ArgValue::Nested(values)) => values,
            _ => &[],
        }
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Some(ArgValue::Text(text)) => Some(text),
            _ => None,
        }
    }
}

fn find_param(
    expression: &Expression,
    argument: &Argument,
    position: usize,
    params: &[Param],
) -> Result<usize, BuildError> {
    let name = &expression.name;
    let fail = |message| Err(BuildError::new(message, argument.key_at.clone()));
    let rest = params.iter().position(|param| matches!(param.kind, ParamKind::Several { .. }));
    match &argument.key {
        None if rest.is_some_and(|rest| position >= rest) => Ok(rest.unwrap_or(0)),
        None if let Some(at) = by_option(argument, position, params) => Ok(at),
        None if position < params.len() => Ok(position),
        None if params.is_empty() => fail(format!("`{name}` takes no arguments")),
        None if params.len() == 1 => fail(format!("`{name}` takes one argument")),
        None => fail(format!("`{name}` takes at most {} arguments", params.len())),
        Some(key) => match params.iter().position(|param| param.name == key) {
            Some(at) => Ok(at),
            None if params.is_empty() => fail(format!("`{name}` takes no arguments")),
            None => {
                let known: Vec<_> = params.iter().map(|param| param.name).collect();
                let hint = suggest(key, known.iter().copied());
                fail(format!("`{name}` has no parameter `{key}`{hint}; it takes: {}", known.join(", ")))
            }
        },
    }
}

/// A name can only be meant for a choice that has it, where it is none of those that are expected at its position.
fn by_option(argument: &Argument, position: usize, params: &[Param]) -> Option<usize> {
    let Value::Expression(value) = &argument.value else { return None };
    let has_it = |kind: &ParamKind| matches!(kind, ParamKind::Choice { options } if options.contains(&&*value.name));
    let is_expected = |param: &Param| match param.kind {
        ParamKind::Nested { .. } | ParamKind::Several { .. } => true,
        kind => has_it(&kind),
    };
    if !value.arguments.is_empty() || params.get(position).is_some_and(is_expected) {
        return None;
    }
    let mut having = params.iter().enumerate().filter(|(_, param)| has_it(&param.kind));
    having.next().map(|(at, _)| at).filter(|_| having.next().is_none())
}

fn check_value(param: &Param, argument: &Argument) -> Result<ArgValue, BuildError> {
    let value = match (&param.kind, &argument.value) {
        (ParamKind::Integer { min, max, .. }, Value::Integer(value)) => {
            u64::try_from(*value).ok().filter(|value| (min..=max).contains(&value)).map(ArgValue::Integer)
        }
        (ParamKind::Decimal { min, max, .. }, Value::Integer(value)) => {
            Some(*value as f64).filter(|value| (min..=max).contains(&value)).map(ArgValue::Decimal)
        }
        (ParamKind::Decimal { min, max, .. }, Value::Decimal(value)) => {
            Some(*value).filter(|value| (min..=max).contains(&value)).map(ArgValue::Decimal)
        }
        (ParamKind::Flag { .. }, Value::Flag(value)) => Some(ArgValue::Flag(*value)),
        (ParamKind::Choice { options }, Value::Expression(value)) if value.arguments.is_empty() => {
            options.iter().find(|&&option| option == value.name).map(|&option| ArgValue::Choice(option))
        }
        (ParamKind::Nested { .. } | ParamKind::Several { .. }, Value::Expression(value)) => {
            Some(ArgValue::Nested(vec![value.clone()]))
        }
        (ParamKind::Text { .. }, Value::Text(text)) => Some(ArgValue::Text(text.clone())),
        _ => None,
    };
    value.ok_or_else(|| BuildError::new(format!("`{}` must be {}", param.name, param.kind), argument.at.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::expression::parse;

    const PARAMS: &[Param] = &[
        Param { name: "seed", summary: "", kind: ParamKind::Integer { default: None, min: 0, max: u64::MAX } },
        Param { name: "width", summary: "", kind: ParamKind::Integer { default: Some(5), min: 1, max: 9 } },
        Param { name: "reopen", summary: "", kind: ParamKind::Flag { default: true } },
        Param { name: "ties", summary: "", kind: ParamKind::Choice { options: &["fifo", "lifo"] } },
    ];

    fn check(source: &str) -> Result<Args, String> {
        Args::check(&parse(source).unwrap(), PARAMS).map_err(|error| error.message)
    }

    #[test]
    fn defaults_and_values() {
        let args = check("x").unwrap();
        assert_eq!((args.integer("seed"), args.integer("width")), (None, Some(5)));
        assert_eq!((args.flag("reopen"), args.choice("ties")), (Some(true), Some("fifo")));
        let args = check("x(7, ties=lifo, reopen=false)").unwrap();
        assert_eq!((args.integer("seed"), args.flag("reopen")), (Some(7), Some(false)));
        assert_eq!(args.choice("ties"), Some("lifo"));
    }

    #[test]
    fn mistakes_are_explained() {
        let takes = "it takes: seed, width, reopen, ties";
        assert_eq!(
            check("x(sed=1)").unwrap_err(),
            format!("`x` has no parameter `sed` (did you mean `seed`?); {takes}")
        );
        assert_eq!(check("x(colour=1)").unwrap_err(), format!("`x` has no parameter `colour`; {takes}"));
        assert_eq!(check("x(width=10)").unwrap_err(), "`width` must be an integer from 1 to 9");
        assert_eq!(check("x(seed=-1)").unwrap_err(), "`seed` must be an integer of at least 0");
        assert_eq!(check("x(reopen=1)").unwrap_err(), "`reopen` must be `true` or `false`");
        assert_eq!(check("x(ties=lilo)").unwrap_err(), "`ties` must be one of `fifo`, `lifo`");
        assert_eq!(check("x(1, seed=1)").unwrap_err(), "`seed` is given twice");
        assert_eq!(check("x(1, 2, true, fifo, 3)").unwrap_err(), "`x` takes at most 4 arguments");
    }

    #[test]
    fn names_tell_which_choice_they_are_for() {
        const PARAMS: &[Param] = &[
            Param { name: "ties", summary: "", kind: ParamKind::Choice { options: &["fifo", "lifo"] } },
            Param { name: "width", summary: "", kind: ParamKind::Integer { default: Some(5), min: 1, max: 9 } },
            Param { name: "kept", summary: "", kind: ParamKind::Choice { options: &["list", "sets", "none"] } },
            Param { name: "lost", summary: "", kind: ParamKind::Choice { options: &["some", "none"] } },
        ];
        let check = |source: &str| Args::check(&parse(source).unwrap(), PARAMS).map_err(|error| error.message);
        for (source, ties, kept) in [
            ("x(sets)", "fifo", "sets"),
            ("x(lifo, sets)", "lifo", "sets"),
            ("x(sets, 7)", "fifo", "sets"),
            ("x(sets, width=7, lifo)", "lifo", "sets"),
            ("x(lifo, 7, sets)", "lifo", "sets"),
        ] {
            let args = check(source).unwrap();
            assert_eq!((args.choice("ties"), args.choice("kept")), (Some(ties), Some(kept)), "{source}");
            assert!(args.is_given("kept") && args.is_given("width") == source.contains('7'));
        }
        // It could be either, or is none, or is there twice.
        assert_eq!(check("x(none)").unwrap_err(), "`ties` must be one of `fifo`, `lifo`");
        assert_eq!(check("x(many)").unwrap_err(), "`ties` must be one of `fifo`, `lifo`");
        assert_eq!(check("x(sets, kept=list)").unwrap_err(), "`kept` is given twice");
        assert_eq!(check("x(fifo, lifo)").unwrap_err(), "`ties` is given twice");
    }

    #[test]
    fn nested_things_and_text() {
        const PARAMS: &[Param] = &[
            Param {
                name: "h",
                summary: "",
                kind: ParamKind::Nested { what: "heuristic", default: "auto(admissible=true)" },
            },
            Param { name: "w", summary: "", kind: ParamKind::Decimal { default: 2.0, min: 1.0, max: f64::INFINITY } },
        ];
        const SUM: &[Param] = &[Param { name: "parts", summary: "", kind: ParamKind::Several { what: "heuristic" } }];
        const TEXT: &[Param] = &[Param { name: "text", summary: "", kind: ParamKind::Text { required: true } }];
        let args = Args::check(&parse("wastar").unwrap(), PARAMS).unwrap();
        assert_eq!(args.nested("h").map(|h| (h.name.as_str(), h.arguments.len())), Some(("auto", 1)));
        assert_eq!(args.decimal("w"), Some(2.0));
        let args = Args::check(&parse("wastar(formula, 3)").unwrap(), PARAMS).unwrap();
        assert_eq!((args.nested("h").unwrap().name.as_str(), args.decimal("w")), ("formula", Some(3.0)));
        let args = Args::check(&parse("sum(a, b(1), c)").unwrap(), SUM).unwrap();
        assert_eq!(args.several("parts").iter().map(|p| p.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        let error = Args::check(&parse("sum").unwrap(), SUM).unwrap_err();
        assert_eq!(error.message, "`sum` needs `parts`: one or more of: heuristic");
        let args = Args::check(&parse("expression('x + \"y\"')").unwrap(), TEXT).unwrap();
        assert_eq!(args.text("text"), Some("x + \"y\""));
    }
}
