//! Numbers as they are written, without a loss: `0.1` is one tenth, `1/3` a third.

use bughound_ir::chance::Number;
use dashu_int::{IBig, UBig};

/// Numbers with more digits or larger exponents are refused; no tool writes them.
const MAX_DIGITS: usize = 5_000;

/// Larger values than this many bits are refused where constants are computed.
const MAX_BITS: usize = 1 << 16;

/// A decimal number such as `-12.5e-3`; nothing if it is none, or too long.
pub fn decimal(text: &str) -> Option<Number> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (negative, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let is_short = digits.len() <= MAX_DIGITS && exponent.unsigned_abs() <= MAX_DIGITS as u64;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) || !is_short {
        return None;
    }
    let digits: IBig = digits.parse().ok()?;
    let digits = if negative { -digits } else { digits };
    let exponent = exponent - fraction.len() as i64;
    let power = UBig::from(10u8).pow(exponent.unsigned_abs() as usize);
    Some(match exponent >= 0 {
        true => Number::from(digits * IBig::from(power)),
        false => Number::from_parts(digits, power),
    })
}

/// A number as users give it: decimal, or a fraction of two decimal numbers.
pub fn given(text: &str) -> Option<Number> {
    match text.split_once('/') {
        None => decimal(text.trim()),
        Some((numerator, denominator)) => {
            let denominator = decimal(denominator.trim()).filter(|number| !number.is_zero())?;
            Some(decimal(numerator.trim())? / denominator)
        }
    }
}

/// Is it small enough to compute with?
pub fn is_reasonable(number: &Number) -> bool {
    let bits = |value: &UBig| dashu_int::ops::BitTest::bit_len(value);
    let numerator = dashu_int::ops::UnsignedAbs::unsigned_abs(number.numerator().clone());
    bits(&numerator) <= MAX_BITS && bits(number.denominator()) <= MAX_BITS
}

/// Its value as a whole number of 32 bits, if it is one.
pub fn as_whole(number: &Number) -> Option<i32> {
    number.is_int().then(|| i32::try_from(number.numerator()).ok()).flatten()
}

/// Readable: decimal where that is exact and short, a fraction otherwise.
pub fn show(number: &Number) -> String {
    let million = Number::from(IBig::from(1_000_000));
    let scaled = number * &million;
    if number.is_int() || !scaled.is_int() {
        return number.to_string();
    }
    let text = scaled.numerator().to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |digits| ("-", digits));
    let padded = format!("{digits:0>7}");
    let (whole, fraction) = padded.split_at(padded.len() - 6);
    format!("{sign}{whole}.{}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact() {
        let fraction = |n: i32, d: u32| Number::from_parts(n.into(), d.into());
        assert_eq!(decimal("0.1"), Some(fraction(1, 10)));
        assert_eq!(decimal("-12.5e-1"), Some(fraction(-5, 4)));
        assert_eq!(decimal("1E3"), Some(fraction(1000, 1)));
        assert_eq!(given("1/3"), Some(fraction(1, 3)));
        assert_eq!(given("0.5 / 0.25"), Some(fraction(2, 1)));
        for wrong in ["", "-", "x", "1e", "1/0", "0x1", "1e999999999", "1e99999999999999999999", "--1", "1..2"] {
            assert_eq!(given(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shown_as_people_write_them() {
        let show = |text| show(&given(text).unwrap());
        assert_eq!(show("0.25"), "0.25");
        assert_eq!(show("-1.5"), "-1.5");
        assert_eq!(show("3"), "3");
        assert_eq!(show("1/3"), "1/3");
        assert_eq!(show("-0.05"), "-0.05");
    }
}
