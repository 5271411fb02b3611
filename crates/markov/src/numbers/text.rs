//! Exact numbers as text: `3`, `0.1`, `1e-3`, `1/3`, `0.5/3`. What is written is read back as the same fraction.

use std::fmt;

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// What is not a number, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberError(pub String);

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NumberError {}

/// Exponents beyond this are refused: the number would fill the memory.
const LARGEST_EXPONENT: i64 = 4096;

/// Reads a decimal number or a fraction of two, exactly.
pub fn parse_number(text: &str) -> Result<RBig, NumberError> {
    match text.split_once('/') {
        None => decimal(text),
        Some((above, below)) => {
            let (above, below) = (decimal(above.trim())?, decimal(below.trim())?);
            if below.is_zero() {
                return Err(NumberError(format!("division by zero in ‘{text}’")));
            }
            Ok(above / below)
        }
    }
}

fn decimal(text: &str) -> Result<RBig, NumberError> {
    let wrong = || NumberError(format!("‘{text}’ is not a number"));
    let (negative, rest) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match rest.find(['e', 'E']) {
        None => (rest, 0),
        Some(at) => (&rest[..at], rest[at + 1..].parse::<i64>().map_err(|_| wrong())?),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: String = whole.chars().chain(part.chars()).collect();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let shift = exponent.saturating_sub(part.len() as i64);
    if exponent.abs() > LARGEST_EXPONENT {
        return Err(NumberError(format!("the exponent of ‘{text}’ is too large")));
    }
    let digits = digits.parse::<UBig>().map_err(|_| wrong())?;
    let power = UBig::from(10u8).pow(shift.unsigned_abs() as usize);
    let number = if shift >= 0 { RBig::from(digits * power) } else { RBig::from_parts(IBig::from(digits), power) };
    Ok(if negative { -number } else { number })
}

/// Writes a decimal number where that is exact and short, otherwise a fraction.
pub fn write_number(number: &RBig) -> String {
    let mut below = number.denominator().clone();
    let mut places = 0usize;
    let ten = UBig::from(10u8);
    // A decimal has a denominator of twos and fives only; with twelve places a fraction is no longer to read.
    let mut scaled = number.numerator().clone();
    while !below.is_one() && places < 12 {
        let (twos, fives) = (&below % 2u8 == 0, &below % 5u8 == 0);
        match (twos, fives) {
            (true, true) => below = &below / &ten,
            (true, false) => {
                below = &below / UBig::from(2u8);
                scaled *= 5;
            }
            (false, true) => {
                below = &below / UBig::from(5u8);
                scaled *= 2;
            }
            (false, false) => break,
        }
        places += 1;
    }
    if !below.is_one() {
        return number.to_string();
    }
    let text = scaled.to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    if places == 0 {
        return text;
    }
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, part) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{part}")
}

/// Writes a decimal number: the number itself where that is short, otherwise the nearest double with all its digits. For
/// readers that know no fractions. What no double can say stays a fraction.
pub fn write_decimal(number: &RBig) -> String {
    let exact = write_number(number);
    if !exact.contains('/') {
        return exact;
    }
    let near = number.to_f64().value();
    match near.abs() {
        0.0 => exact,
        size if size.is_infinite() => exact,
        1e-5..1e15 => format!("{near}"),
        _ => format!("{near:e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_what_they_say() {
        let cases = [
            ("0.1", (1, 10)),
            ("1", (1, 1)),
            ("-2.50", (-5, 2)),
            ("1e-3", (1, 1000)),
            ("2E2", (200, 1)),
            ("1/3", (1, 3)),
            ("0.5/3", (1, 6)),
            (".5", (1, 2)),
            ("5.", (5, 1)),
        ];
        for (text, (n, d)) in cases {
            assert_eq!(parse_number(text).unwrap(), RBig::from_parts_signed(n.into(), d.into()), "{text}");
        }
        for text in ["", ".", "e5", "1/0", "x", "1.2.3", "1e", "1e99999", "--1", "1/2/3", "∞", "0x1"] {
            assert!(parse_number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn decimals_are_exact_or_close() {
        let decimal = |n: i64, d: i64| write_decimal(&RBig::from_parts_signed(n.into(), d.into()));
        assert_eq!(decimal(1, 40), "0.025");
        assert_eq!(decimal(1, 3), "0.3333333333333333");
        assert_eq!(decimal(2, 3_000_000_000), "6.666666666666666e-10");
        assert!(write_decimal(&(RBig::from(10).pow(-400) / RBig::from(3))).contains('/'));
    }

    #[test]
    fn what_is_written_is_read_back() {
        for (n, d) in [(1, 10), (1, 3), (-7, 8), (0, 1), (12345, 1), (1, 1 << 30), (-1, 100), (999, 1000)] {
            let number = RBig::from_parts_signed(n.into(), d.into());
            assert_eq!(parse_number(&write_number(&number)).unwrap(), number, "{number}");
        }
        assert_eq!(write_number(&RBig::from_parts_signed(1.into(), 40.into())), "0.025");
    }
}
