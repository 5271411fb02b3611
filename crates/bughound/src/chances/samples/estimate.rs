//! What runs say about a value: an estimate with an interval, and how it came about.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::numbers::{count, counted};

/// A number that was estimated from random runs. Nothing about it is certain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Estimate {
    /// The estimate; null if it is infinite, or if no run was decided. If some are undecided: the middle between counting none
    /// and all of them.
    pub value: Option<f64>,
    /// The lower end of the interval; null if the value is infinite.
    pub lower: Option<f64>,
    /// The upper end of the interval; null if it is infinite.
    pub upper: Option<f64>,
    /// The share of such intervals that contain the value.
    pub confidence: f64,
    /// The runs that were drawn; with splitting, those that began in the initial state.
    pub samples: u64,
    /// Those in which the formula was true; null for rewards. With splitting, the runs that reached the goal from the last
    /// level, which are no independent ones.
    pub hits: Option<u64>,
    /// Those that were not decided: they count as misses for the lower end, and as hits for the upper end.
    pub undecided: u64,
    /// The seed of all that was drawn.
    pub seed: u64,
    /// Where the interval comes from.
    pub method: Method,
    /// Optional, for splitting: how it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splitting: Option<SplittingDocument>,
}

/// Where an interval comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Method {
    /// From the number of hits among independent runs. At least the stated share of such intervals contains the value.
    ClopperPearson,
    /// From the mean and the variance of what independent runs earn. About the stated share, if there are many runs.
    Student,
    /// The same for the results of independent repetitions of importance splitting.
    Splitting,
    /// Some run showed it for certain.
    Certain,
}

/// How runs were split.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct SplittingDocument {
    /// Independent repetitions.
    pub replications: u64,
    /// Runs from each level of each of them.
    pub runs: u64,
    /// Levels, the goal included.
    pub levels: u64,
}

impl Estimate {
    /// No run was decided: all values are possible.
    fn is_nothing_known(&self) -> bool {
        self.hits.is_some() && self.value.is_none()
    }

    /// For a cell of a table.
    pub fn short(&self) -> String {
        match self.value {
            None if self.is_nothing_known() => "unknown".into(),
            None => "infinite".into(),
            Some(value) => format!("~{}", Digits::of(self).show(value)),
        }
    }
}

/// How many digits are worth showing: the width of the interval has two.
struct Digits {
    /// The exponent of the last digit.
    last: i32,
    is_tiny: bool,
}

/// Numbers below this are shown with an exponent.
const TINY: f64 = 1e-4;

impl Digits {
    fn of(estimate: &Estimate) -> Digits {
        let value = estimate.value.unwrap_or(0.0);
        let (lower, upper) = (estimate.lower.unwrap_or(0.0), estimate.upper.unwrap_or(value));
        let largest = value.abs().max(upper.abs());
        let width = if upper > lower { upper - lower } else { largest * 1e-3 };
        let last = if width > 0.0 { width.log10().floor() as i32 - 1 } else { 0 };
        Digits { last, is_tiny: largest < TINY }
    }

    fn show(&self, number: f64) -> String {
        if number == 0.0 || number == 1.0 {
            return number.to_string();
        }
        if self.is_tiny {
            let digits = (number.abs().log10().floor() as i32 - self.last).clamp(0, 16);
            return format!("{number:.*e}", digits as usize);
        }
        format!("{number:.*}", (-self.last).clamp(0, 17) as usize)
    }
}

/// `about 0.167 (95 % of such intervals contain the value: 0.159 to 0.174; 10,000 runs, seed 0)`.
impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = Digits::of(self);
        let end = |end: Option<f64>| end.map_or("infinity".into(), |end| digits.show(end));
        if self.is_nothing_known() {
            let all =
                if self.samples == 1 { "the only run".into() } else { format!("all {} runs", count(self.samples)) };
            let are = if self.samples == 1 { "is" } else { "are" };
            return write!(f, "unknown, between 0 and 1 ({all} {are} undecided, seed {})", self.seed);
        }
        match self.value {
            None => write!(f, "infinite (")?,
            Some(value) => write!(f, "about {} (", digits.show(value))?,
        }
        let share = format!("{} % of such intervals contain the value", percent(self.confidence));
        match self.method {
            Method::Certain => f.write_str("some run never gets there")?,
            Method::ClopperPearson => write!(f, "{share}: {} to {}", end(self.lower), end(self.upper))?,
            Method::Student | Method::Splitting => {
                write!(f, "about {share}: {} to {}", end(self.lower), end(self.upper))?;
            }
        }
        match self.splitting {
            None => write!(f, "; {}, seed {}", counted(self.samples, "run"), self.seed)?,
            Some(SplittingDocument { replications, runs, levels }) => write!(
                f,
                "; {replications} times {} for each of {}, seed {}",
                counted(runs, "run"),
                counted(levels, "level"),
                self.seed
            )?,
        }
        match self.undecided {
            0 => f.write_str(")"),
            undecided => {
                write!(f, "; {} undecided: missed for the lower end, hit for the upper end)", count(undecided))
            }
        }
    }
}

/// `95`, `99.9`
fn percent(share: f64) -> String {
    let rounded = (share * 1e10).round() / 1e8;
    rounded.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(value: f64, lower: f64, upper: f64) -> Estimate {
        Estimate {
            value: Some(value),
            lower: Some(lower),
            upper: Some(upper),
            confidence: 0.95,
            samples: 10_000,
            hits: Some(1667),
            undecided: 0,
            seed: 0,
            method: Method::ClopperPearson,
            splitting: None,
        }
    }

    #[test]
    fn estimates_have_as_many_digits_as_the_interval_is_wide() {
        let usual = estimate(0.1667, 0.15943, 0.17415);
        let text = "about 0.167 (95 % of such intervals contain the value: 0.159 to 0.174; 10,000 runs, seed 0)";
        assert_eq!((usual.to_string().as_str(), usual.short().as_str()), (text, "~0.167"));
        let rare = Estimate {
            method: Method::Splitting,
            confidence: 0.999,
            splitting: Some(SplittingDocument { replications: 20, runs: 500, levels: 9 }),
            ..estimate(2.2945e-9, 2.1e-9, 2.5e-9)
        };
        let text = "about 2.29e-9 (about 99.9 % of such intervals contain the value: 2.10e-9 to 2.50e-9; 20 times 500 runs for \
                    each of 9 levels, seed 0)";
        assert_eq!(rare.to_string(), text);
        let some = Estimate { samples: 2, hits: Some(1), undecided: 1, ..estimate(0.75, 0.0126, 1.0) };
        assert!(
            some.to_string().ends_with("2 runs, seed 0; 1 undecided: missed for the lower end, hit for the upper end)")
        );
        let never = Estimate { samples: 1, hits: Some(0), undecided: 1, value: None, ..estimate(0.5, 0.0, 1.0) };
        assert_eq!(never.to_string(), "unknown, between 0 and 1 (the only run is undecided, seed 0)");
        let never = Estimate { samples: 5000, undecided: 5000, ..never };
        assert_eq!(never.to_string(), "unknown, between 0 and 1 (all 5,000 runs are undecided, seed 0)");
        assert_eq!(never.short(), "unknown");
        let nothing = estimate(0.0, 0.0, 0.000368);
        assert!(
            nothing.to_string().starts_with("about 0 (95 % of such intervals contain the value: 0 to 0.00037;"),
            "{nothing}"
        );
        let infinite = Estimate { value: None, lower: None, upper: None, method: Method::Certain, ..usual };
        assert_eq!(infinite.to_string(), "infinite (some run never gets there; 10,000 runs, seed 0)");
    }
}
