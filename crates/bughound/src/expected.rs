//! What a file says that the answer to one of its properties is.

use bughound_ir::chance::Number;

use crate::chances::Outcome;

/// Results of PRISM were computed with floating-point numbers: so large is the part of them that they may be wrong by, as in PRISM's
/// own tests.
const PRECISION: (i64, u64) = (1, 100_000);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// UPPAAL: whether a query is satisfied.
    Truth(bool),
    /// PRISM's `// RESULT`, as it is written: a number, a fraction, `true`, `Infinity`.
    Result(String),
}

/// Is an outcome what was written down? `None` if there is nothing to compare: `?`, `Error:…`, a list.
pub(crate) fn agrees(result: &str, outcome: &Outcome) -> Option<bool> {
    let result = result.trim().trim_start_matches('~').trim_start();
    match outcome {
        Outcome::Truth(found, _) => Some(*found == result.parse::<bool>().ok()?),
        Outcome::Range(..) => None,
        Outcome::Number(found) => {
            if matches!(result, "Infinity" | "+Infinity" | "inf") {
                return Some(found.lower.is_none());
            }
            let expected = number(result)?;
            let size = if expected < Number::ZERO { -expected.clone() } else { expected.clone() };
            let slack = size * Number::from_parts(PRECISION.0.into(), PRECISION.1.into());
            let end = |end: Option<f64>| end.and_then(|end| Number::try_from(end).ok());
            Some(match (end(found.lower), end(found.upper)) {
                (Some(lower), Some(upper)) => lower - &slack <= expected && expected <= upper + slack,
                _ => false,
            })
        }
    }
}

/// `0.25`, `1e-3`, `1/6`
pub(crate) fn number(text: &str) -> Option<Number> {
    if let Some((above, below)) = text.split_once('/') {
        let below = number(below.trim())?;
        return if below.is_zero() { None } else { Some(number(above.trim())? / below) };
    }
    Number::try_from(text.parse::<f64>().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chances::ChanceAnswer;
    use bughound_markov::{Extended, Interval};

    #[test]
    fn results_are_compared_as_far_as_they_are_precise() {
        let sixth = Extended::Finite(Number::from_parts(1.into(), 6u8.into()));
        let sixth = Outcome::Number(ChanceAnswer::exact(&sixth));
        for (text, agreed) in [
            ("1/6", Some(true)),
            ("0.16666667", Some(true)),
            ("~0.1666666", Some(true)),
            ("0.1667", Some(false)),
            ("Infinity", Some(false)),
            ("true", None),
            ("?", None),
            ("Error:something", None),
            ("1/0", None),
        ] {
            assert_eq!(agrees(text, &sixth), agreed, "{text}");
        }
        let between = Outcome::Number(ChanceAnswer::between(Interval { lower: 0.2, upper: 0.3 }));
        assert_eq!(agrees("0.25", &between), Some(true));
        assert_eq!(agrees("0.31", &between), Some(false));
        let infinite = Outcome::Number(ChanceAnswer::exact(&Extended::Infinite));
        assert_eq!(agrees("Infinity", &infinite), Some(true));
        assert_eq!(agrees("3", &infinite), Some(false));
        assert_eq!(agrees("false", &Outcome::Truth(false, None)), Some(true));
        assert_eq!(agrees("true", &Outcome::Truth(false, None)), Some(false));
        assert_eq!(agrees("0.5", &Outcome::Truth(false, None)), None);
    }
}
