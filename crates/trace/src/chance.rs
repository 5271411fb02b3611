//! How likely a step was.

use std::fmt;

use bughound_ir::chance::{Kind, Number};
use bughound_ir::network::Network;
use bughound_ir::reference::{RefState, Reference};
use bughound_kernel::Move;

/// Decimals with more places are shown as fractions.
const MOST_PLACES: usize = 9;

/// The probability of the updates that were drawn, or their rate: the product of those of all processes that move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chance {
    pub number: Number,
    pub is_rate: bool,
}

impl Chance {
    /// Of a step from this state. `None` in models without probabilities, and if it has no value.
    pub fn of(network: &Network, before: &RefState, moves: &[Move]) -> Option<Chance> {
        let kind = network.stochastic.as_ref()?.kind;
        let number = Reference::discrete(network).chance(before, moves).ok()?;
        Some(Chance { number, is_rate: kind == Kind::Ctmc })
    }

    /// Is it written in the statement already, or not worth a word?
    pub fn is_plain(&self, statement: &str) -> bool {
        let said = statement.split_once("->").and_then(|(_, drawn)| drawn.split_once(':'));
        self.number == Number::ONE || said.is_some_and(|(said, _)| said.trim() == decimals(&self.number))
    }
}

/// `probability 0.5`, `rate 1/3`
impl fmt::Display for Chance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", if self.is_rate { "rate" } else { "probability" }, decimals(&self.number))
    }
}

/// A number that is not negative with all its digits, if these are few; otherwise as a fraction.
fn decimals(number: &Number) -> String {
    let mut scaled = number.clone();
    for places in 0..=MOST_PLACES {
        if scaled.is_int() {
            let digits = format!("{:0>width$}", scaled.numerator().to_string(), width = places + 1);
            let (whole, rest) = digits.split_at(digits.len() - places);
            return if rest.is_empty() { whole.into() } else { format!("{whole}.{rest}") };
        }
        scaled *= Number::from(10u8);
    }
    number.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_digits_are_shown() {
        let text = |n: i64, d: u64| decimals(&Number::from_parts(n.into(), d.into()));
        assert_eq!([text(1, 2), text(3, 40), text(5, 1), text(21, 2)], ["0.5", "0.075", "5", "10.5"]);
        assert_eq!([text(1, 3), text(1, 1 << 20)], ["1/3", "1/1048576"]);
    }

    #[test]
    fn what_the_statement_says_is_not_repeated() {
        let chance = |n: i64, d: u64| Chance { number: Number::from_parts(n.into(), d.into()), is_rate: false };
        assert!(chance(1, 2).is_plain("[a] x=1 -> 0.5 : (x'=2)"));
        assert!(!chance(1, 4).is_plain("[a] x=1 -> 0.5 : (x'=2)"));
        assert!(!chance(9, 10).is_plain("[a] x=1 -> 1-p : (x'=2)"));
        assert!(chance(1, 1).is_plain("[a] x=1 -> (x'=2)"));
    }
}
