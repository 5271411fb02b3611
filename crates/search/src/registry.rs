//! What a registered algorithm says about itself, and the check of its arguments.

use std::fmt;

use crate::configuration::Configuration;
use crate::expression::{Argument, Expression, ExpressionError, Value};

/// What a search promises on finite state spaces, given enough time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Finds an error if there is one; otherwise proves that there is none.
    pub complete: bool,
    /// The first error it reports is a shortest one.
    pub optimal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// `default: None`: taken from the command line or the situation, as the summary says.
    Integer {
        default: Option<u64>,
        min: u64,
        max: u64,
    },
    Flag {
        default: bool,
    },
    /// One of a few names; the first is the default.
    Choice {
        options: &'static [&'static str],
    },
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Integer { min, max: u64::MAX, .. } => write!(f, "an integer of at least {min}"),
            ParamKind::Integer { min, max, .. } => write!(f, "an integer from {min} to {max}"),
            ParamKind::Flag { .. } => f.write_str("`true` or `false`"),
            ParamKind::Choice { options } => write!(f, "one of `{}`", options.join("`, `")),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    pub name: &'static str,
    pub summary: &'static str,
    pub kind: ParamKind,
}

/// What algorithms are built from besides their arguments.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildCx {
    /// For everything random that has no seed of its own.
    pub seed: u64,
}

/// Arguments are wrong in the same way in which expressions are.
pub type BuildError = ExpressionError;

/// A registry line: everything the command line, the pages and the tests need to know.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub name: &'static str,
    pub summary: &'static str,
    pub cite: &'static str,
    pub params: &'static [Param],
    pub claims: Claims,
    pub build: fn(&BuildCx, &Args) -> Configuration,
}

/// Checked arguments, defaults filled in.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Args {
    values: Vec<(&'static str, ArgValue)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ArgValue {
    Integer(u64),
    Flag(bool),
    Choice(&'static str),
}

impl Args {
    /// Checks the arguments of `expression` against `params`. Arguments without key are taken in order.
    pub fn check(expression: &Expression, params: &'static [Param]) -> Result<Args, BuildError> {
        let mut given: Vec<Option<ArgValue>> = vec![None; params.len()];
        for (position, argument) in expression.arguments.iter().enumerate() {
            let at = find_param(expression, argument, position, params)?;
            if given[at].is_some() {
                let message = format!("`{}` is given twice", params[at].name);
                return Err(BuildError::new(message, argument.key_at.clone()));
            }
            given[at] = Some(check_value(&params[at], argument)?);
        }
        let filled = params.iter().zip(given).filter_map(|(param, value)| {
            let default = match param.kind {
                ParamKind::Integer { default, .. } => default.map(ArgValue::Integer),
                ParamKind::Flag { default } => Some(ArgValue::Flag(default)),
                ParamKind::Choice { options } => options.first().map(|&option| ArgValue::Choice(option)),
            };
            value.or(default).map(|value| (param.name, value))
        });
        Ok(Args { values: filled.collect() })
    }

    fn get(&self, name: &str) -> Option<ArgValue> {
        self.values.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// The value of an integer parameter; `None` if it was not given and has no default.
    pub fn integer(&self, name: &str) -> Option<u64> {
        match self.get(name) {
            Some(ArgValue::Integer(value)) => Some(value),
            _ => None,
        }
    }

    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Some(ArgValue::Flag(value)) => Some(value),
            _ => None,
        }
    }

    pub fn choice(&self, name: &str) -> Option<&'static str> {
        match self.get(name) {
            Some(ArgValue::Choice(value)) => Some(value),
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
    match &argument.key {
        None if position < params.len() => Ok(position),
        None if params.is_empty() => fail(format!("`{name}` takes no arguments")),
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

fn check_value(param: &Param, argument: &Argument) -> Result<ArgValue, BuildError> {
    let value = match (&param.kind, &argument.value) {
        (ParamKind::Integer { min, max, .. }, Value::Integer(value)) => {
            u64::try_from(*value).ok().filter(|value| (min..=max).contains(&value)).map(ArgValue::Integer)
        }
        (ParamKind::Flag { .. }, Value::Flag(value)) => Some(ArgValue::Flag(*value)),
        (ParamKind::Choice { options }, Value::Expression(value)) if value.arguments.is_empty() => {
            options.iter().find(|&&option| option == value.name).map(|&option| ArgValue::Choice(option))
        }
        _ => None,
    };
    value.ok_or_else(|| BuildError::new(format!("`{}` must be {}", param.name, param.kind), argument.at.clone()))
}

/// " (did you mean `…`?)" for a known name that is close to `wrong`, or nothing.
pub fn suggest<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> String {
    let closest = known.map(|name| (edit_distance(wrong, name), name)).min();
    match closest {
        Some((distance, name)) if distance <= 1 + name.len() / 4 => format!(" (did you mean `{name}`?)"),
        _ => String::new(),
    }
}

/// Insertions, deletions and substitutions between two words (Levenshtein 1966).
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.chars().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[row.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expression::parse;

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
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
    }
}
