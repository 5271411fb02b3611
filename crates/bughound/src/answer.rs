//! Answers: yes or no, a number, or everything between two numbers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use crate::chances::ChanceAnswer;
use crate::chances::samples::Estimate;
use crate::execute::{Cheapest, Extremes};

/// What a property comes to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Answer {
    /// Yes or no: the property holds, what was asked for exists; or not.
    Truth {
        /// The answer.
        value: bool,
    },
    /// One number, such as the greatest value of a quantity, or the least cost of a run.
    Number(Figure),
    /// A probability, an expected reward or the like: with bounds that are certain.
    Chance(ChanceAnswer),
    /// The values of several states, from the least to the greatest.
    Range {
        /// The least of them.
        lower: ChanceAnswer,
        /// The greatest of them.
        upper: ChanceAnswer,
    },
    /// A probability or an expected reward that was estimated from random runs.
    Estimate(Estimate),
    /// All values lie between these two; or a single one, such as the least cost of a run, does.
    Interval {
        /// The least of them.
        lower: Figure,
        /// The greatest of them.
        upper: Figure,
    },
}

/// A number, and whether it is the value of something or only its limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Figure {
    /// The number; null if there is none: the quantity grows without bound.
    #[serde(serialize_with = "plainly")]
    pub value: Option<f64>,
    /// Some run really has this value; otherwise it is only approached.
    pub attained: bool,
    /// Optional: the exact number, such as `1/3`, where `value` had to be rounded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
}

impl Figure {
    /// An integer, or nothing for one that does not exist.
    fn whole(value: Option<i128>, attained: bool) -> Figure {
        let rounded = value.map(|value| value as f64);
        let is_rounded = |value: &i128| *value as f64 as i128 != *value;
        Figure { value: rounded, attained, exact: value.filter(is_rounded).map(|value| value.to_string()) }
    }
}

/// Up to here, every integer is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Integers without a point: `20`, not `20.0`.
fn plainly<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) if value.fract() == 0.0 && value.abs() <= EXACT => serializer.serialize_i64(*value as i64),
        other => other.serialize(serializer),
    }
}

impl Answer {
    /// The answer to a question after a cheapest run: its cost, or what that lies between. Nothing if no run is known.
    pub fn of_cheapest(cheapest: &Cheapest) -> Option<Answer> {
        let figure = |cost: u64, attained| Figure::whole(Some(cost.into()), attained);
        let upper = figure(cheapest.cost?, cheapest.attained);
        Some(match cheapest.is_proven() {
            true => Answer::Number(upper),
            false => Answer::Interval { lower: figure(cheapest.lower_bound, false), upper },
        })
    }

    /// The answer to a question after extreme values; nothing if no state has a value.
    pub fn of_extremes(extremes: &Extremes) -> Option<Answer> {
        let values = extremes.values?;
        let lower = Figure::whole(Some(values.lower), !values.lower_open);
        let upper = Figure::whole(values.upper, !values.upper_open);
        Some(match (extremes.least, extremes.greatest) {
            (true, true) => Answer::Interval { lower, upper },
            (true, false) => Answer::Number(lower),
            (false, _) => Answer::Number(upper),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_dbm::Interval;
    use serde_json::{json, to_value};

    fn extremes(least: bool, greatest: bool, upper: Option<i128>) -> Extremes {
        let values = Interval { lower: -3, lower_open: false, upper, upper_open: true };
        Extremes { of: "x".into(), least, greatest, values: Some(values) }
    }

    #[test]
    fn extremes_are_numbers_or_intervals() {
        let answer =
            |least, greatest, upper| to_value(Answer::of_extremes(&extremes(least, greatest, upper)).unwrap()).unwrap();
        assert_eq!(answer(false, true, Some(7)), json!({ "type": "number", "value": 7, "attained": false }));
        assert_eq!(answer(true, false, Some(7)), json!({ "type": "number", "value": -3, "attained": true }));
        assert_eq!(answer(false, true, None), json!({ "type": "number", "value": null, "attained": false }));
        let both = json!({
            "type": "interval",
            "lower": { "value": -3, "attained": true },
            "upper": { "value": 7, "attained": false },
        });
        assert_eq!(answer(true, true, Some(7)), both);
        let nowhere = Extremes { values: None, ..extremes(true, true, None) };
        assert_eq!(Answer::of_extremes(&nowhere), None);
    }

    #[test]
    fn what_no_float_can_say_is_said_exactly() {
        let large = (1 << 60) + 1;
        let Some(Answer::Number(figure)) = Answer::of_extremes(&extremes(false, true, Some(large))) else { panic!() };
        assert_eq!(figure.exact, Some(large.to_string()));
        let small = Figure { value: Some(0.25), attained: true, exact: None };
        assert_eq!(to_value(small).unwrap(), json!({ "value": 0.25, "attained": true }));
    }
}
