//! The values of numbers as they are written.

use bughound_ir::chance::Number;
use bughound_ir::source::{Diagnostic, Span};
use dashu_int::{IBig, UBig};

use super::super::ast::ExprKind;
use super::Parsed;

/// Exponents and counts of digits above this are refused: exact arithmetic with them would take all memory.
const MAX_DIGITS: usize = 5_000;

/// Whole numbers are ints, all others are exact fractions: 0.1 is 1/10.
pub(super) fn number(text: &str, span: Span) -> Parsed<ExprKind> {
    if text.bytes().all(|b| b.is_ascii_digit()) {
        return match text.parse::<i32>() {
            Ok(value) => Ok(ExprKind::Int(value)),
            Err(_) => Err(Diagnostic::error(span, "this number does not fit into 32 bits")
                .label(format!("ints go up to {}", i32::MAX))
                .help("with a point (`5000000000.0`) it is a double")),
        };
    }
    let too_long = || {
        let message = format!("this number has more than {MAX_DIGITS} digits");
        Diagnostic::error(span, message).label("numbers are computed exactly, digit by digit")
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.len() + fraction.len() > MAX_DIGITS {
        return Err(too_long());
    }
    let digits = format!("0{whole}{fraction}");
    let digits = UBig::from_str_radix(&digits, 10).map_err(|_| Diagnostic::error(span, "this is not a number"))?;
    let exponent: i64 = exponent.parse().map_err(|_| too_long())?;
    let shift = exponent.checked_sub(fraction.len() as i64).ok_or_else(too_long)?;
    let size = usize::try_from(shift.unsigned_abs()).ok().filter(|size| *size <= MAX_DIGITS).ok_or_else(too_long)?;
    let power = UBig::from(10u8).pow(size);
    Ok(ExprKind::Real(match shift >= 0 {
        true => Number::from(IBig::from(digits * power)),
        false => Number::from_parts(IBig::from(digits), power),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bughound_ir::source::FileId;

    fn read(text: &str) -> Result<String, String> {
        match number(text, Span::new(FileId(0), 0, 0)) {
            Ok(ExprKind::Int(value)) => Ok(format!("int {value}")),
            Ok(ExprKind::Real(value)) => Ok(value.to_string()),
            Ok(_) => unreachable!(),
            Err(error) => Err(error.message),
        }
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(read("2147483647").unwrap(), "int 2147483647");
        assert_eq!(read("0.1").unwrap(), "1/10");
        assert_eq!(read(".25").unwrap(), "1/4");
        assert_eq!(read("1e-3").unwrap(), "1/1000");
        assert_eq!(read("2.5E+2").unwrap(), "250");
    }

    #[test]
    fn huge_numbers_are_refused_at_once() {
        assert!(read("2147483648").unwrap_err().contains("32 bits"));
        for text in ["1e999999999", "1e-999999999", "1e99999999999999999999", "1e-9223372036854775807"] {
            assert!(read(text).unwrap_err().contains("digits"), "{text}");
        }
        let long = format!("0.{}", "1".repeat(1_000_000));
        assert!(read(&long).unwrap_err().contains("digits"));
    }
}
