//! What came out: a number with its bounds, a truth, a count.

use std::fmt;

use bughound_ir::chance::Number;
use bughound_markov::{Extended, Interval, Values};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::samples::Estimate;

/// Fractions with more characters are not shown: the interval around them is.
const LONGEST: usize = 400;

/// A number that is certain: an exact fraction, or two bounds between which the value lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ChanceAnswer {
    /// The value: the exact one, rounded, or the middle between the bounds; null if it is infinite or beyond all doubles, or if
    /// there is no upper bound.
    pub value: Option<f64>,
    /// The value is at least this; null if it is infinite.
    pub lower: Option<f64>,
    /// The value is at most this; null if it is infinite or if there is no such bound.
    pub upper: Option<f64>,
    /// Optional: the exact value, such as `1/6`, `1` or `Infinity`, if it is known and not too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
}

impl ChanceAnswer {
    pub fn exact(value: &Extended) -> ChanceAnswer {
        let text = match value {
            Extended::Finite(value) => value.to_string(),
            Extended::Infinite => "Infinity".into(),
        };
        let rounded = value.finite().map(|value| value.to_f64().value()).filter(|value| value.is_finite());
        let around = ChanceAnswer::between(value.interval());
        ChanceAnswer { value: rounded, exact: Some(text).filter(|text| text.len() <= LONGEST), ..around }
    }

    pub fn between(interval: Interval) -> ChanceAnswer {
        let finite = |value: f64| Some(value).filter(|value| value.is_finite());
        ChanceAnswer {
            value: finite(interval.middle()),
            lower: finite(interval.lower),
            upper: finite(interval.upper),
            exact: interval.is_infinite().then(|| "Infinity".into()),
        }
    }

    /// The same as it is known without the fraction. What is infinite stays so.
    pub fn without_exact(self) -> ChanceAnswer {
        let exact = self.exact.filter(|_| self.lower.is_none());
        ChanceAnswer { exact, ..self }
    }

    pub fn of(values: &Values, state: usize) -> ChanceAnswer {
        match values.exact(state) {
            Some(exact) => ChanceAnswer::exact(exact),
            None => ChanceAnswer::between(values.interval(state)),
        }
    }

    /// For a cell of a table.
    pub fn short(&self) -> String {
        match (&self.exact, self.value) {
            (Some(exact), _) if exact.len() <= 12 => exact.clone(),
            // Nine digits, wherever they begin.
            (_, Some(value)) => number(format!("{value:.8e}").parse().unwrap_or(value)),
            (_, None) if self.lower.is_none() => "infinite".into(),
            (_, None) => self.to_string(),
        }
    }

    /// A count, or another whole number.
    pub fn whole(number: u64) -> ChanceAnswer {
        ChanceAnswer::exact(&Extended::Finite(Number::from(number)))
    }
}

/// `1/6 (0.166667)`, `0.25`, `between 0.12345678 and 0.12345679`, `infinity`.
impl fmt::Display for ChanceAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.value, self.lower, self.upper, &self.exact) {
            (None, None, ..) => f.write_str("infinite"),
            (None, .., Some(exact)) => f.write_str(exact),
            (None, Some(lower), ..) => write!(f, "at least {}", number(lower)),
            (Some(value), .., Some(exact)) if exact.contains('/') => write!(f, "{exact} (about {})", short(value)),
            (.., Some(exact)) => f.write_str(exact),
            (Some(_), Some(lower), Some(upper), None) if lower == upper => write!(f, "{lower}"),
            (Some(_), Some(lower), Some(upper), None) => write!(f, "between {} and {}", number(lower), number(upper)),
            (Some(value), ..) => write!(f, "at least {}", number(value)),
        }
    }
}

fn short(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e7).contains(&value.abs()) { format!("{value:.6e}") } else { format!("{value:.9}") }
}

fn number(value: f64) -> String {
    if value != 0.0 && !(1e-4..1e15).contains(&value.abs()) { format!("{value:e}") } else { value.to_string() }
}

/// The answer to a question about chances.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Number(ChanceAnswer),
    /// From the least to the greatest.
    Range(ChanceAnswer, ChanceAnswer),
    /// With the value that decided it, if it is one.
    Truth(bool, Option<ChanceAnswer>),
    /// From random runs: nothing is certain.
    Estimate(Box<Estimate>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_they_are_known() {
        let fraction = |n: i64, d: u64| Extended::Finite(Number::from_parts(n.into(), d.into()));
        assert_eq!(ChanceAnswer::exact(&fraction(1, 6)).to_string(), "1/6 (about 0.166666667)");
        assert_eq!(ChanceAnswer::exact(&fraction(3, 1)).to_string(), "3");
        assert_eq!(ChanceAnswer::exact(&Extended::Infinite).to_string(), "infinite");
        // What is only known from below is not infinite, and neither is what no double can say.
        let open = ChanceAnswer::between(Interval { lower: 2.0, upper: f64::INFINITY });
        assert_eq!((open.to_string().as_str(), open.short().as_str()), ("at least 2", "at least 2"));
        let huge = Extended::Finite(Number::from(10).pow(500));
        assert_eq!(ChanceAnswer::exact(&huge).to_string(), "at least 1.7976931348623157e308");
        let large = Extended::Finite(Number::from(10).pow(320));
        assert_eq!(ChanceAnswer::exact(&large).to_string(), format!("1{}", "0".repeat(320)));
        let between = ChanceAnswer::between(Interval { lower: 0.25, upper: 0.5 });
        assert_eq!(between.to_string(), "between 0.25 and 0.5");
        assert_eq!(between.value, Some(0.375));
        let text = serde_json::to_value(ChanceAnswer::exact(&fraction(1, 8))).unwrap();
        assert_eq!(text, serde_json::json!({ "value": 0.125, "lower": 0.125, "upper": 0.125, "exact": "1/8" }));
    }
}
