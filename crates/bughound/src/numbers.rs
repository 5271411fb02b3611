//! Counts and probabilities as people read them.

use bughound_ir::chance::Number;

/// `1,234,567`
pub fn count(n: u64) -> String {
    grouped(&n.to_string())
}

/// The same for digits, however many.
pub fn grouped(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 state`, `2 states`
pub fn counted(n: u64, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{} {one}s", count(n)) }
}

/// Digits of a number in a table or a picture; the whole number belongs into the document.
const DIGITS: usize = 4;
/// All digits that a float has.
const ALL_DIGITS: usize = 17;

/// `0.02653`, `1.5`, `3.2e-9`: four digits, wherever they begin.
pub fn figure(value: f64) -> String {
    with_digits(value, DIGITS)
}

/// Two numbers with as many digits as it takes to tell them apart, four at least.
pub fn told_apart(one: f64, other: f64) -> (String, String) {
    let both = |digits: usize| (with_digits(one, digits), with_digits(other, digits));
    let differ = |digits: &usize| both(*digits).0 != both(*digits).1;
    both((DIGITS..ALL_DIGITS).find(differ).unwrap_or(DIGITS))
}

/// The same for exact numbers that are not negative, however small.
pub fn exactly_told_apart(one: &Number, other: &Number) -> (String, String) {
    let both = |digits: usize| (exact_with_digits(one, digits), exact_with_digits(other, digits));
    let differ = |digits: &usize| both(*digits).0 != both(*digits).1;
    both((DIGITS..ALL_DIGITS).find(differ).unwrap_or(DIGITS))
}

/// Four digits of an exact number that is not negative, however small.
pub fn exact_figure(value: &Number) -> String {
    exact_with_digits(value, DIGITS)
}

fn exact_with_digits(value: &Number, digits: usize) -> String {
    let near = value.to_f64().value();
    // Doubles have all their digits from here on.
    if value.is_zero() || near >= f64::MIN_POSITIVE {
        return with_digits(near, digits);
    }
    // So that the number times this power of ten is about 1: digits of what is left.
    let length = |text: String| text.len() as isize;
    let power = length(value.denominator().to_string()) - length(value.numerator().to_string());
    let text = format!("{:.*e}", digits - 1, (value * Number::from(10).pow(power)).to_f64().value());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa: f64 = mantissa.parse().unwrap_or(0.0);
    format!("{mantissa}e{}", exponent.parse::<isize>().unwrap_or(0) - power)
}

fn with_digits(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "infinite".into();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let rounded: f64 = scientific.parse().unwrap_or(value);
    if rounded == 0.0 || (1e-4..1e9).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(count(12), "12");
        assert_eq!(grouped("123456789012345678901234"), "123,456,789,012,345,678,901,234");
        assert_eq!((counted(1, "state"), counted(1000, "state")), ("1 state".into(), "1,000 states".into()));
    }

    #[test]
    fn figures_have_four_digits() {
        let shown = [0.0, 1.0, 0.026_534_9, 1.5, 3.2e-9, 1.0 / 3.0, 12345.678, f64::INFINITY].map(figure);
        assert_eq!(shown, ["0", "1", "0.02653", "1.5", "3.2e-9", "0.3333", "12350", "infinite"]);
    }

    #[test]
    fn what_is_too_small_for_a_double_is_shown() {
        let tiny = |n: u32, power: isize| Number::from(n) * Number::from(10).pow(-power);
        assert_eq!(exact_figure(&tiny(1, 600)), "1e-600");
        assert_eq!(exact_figure(&(tiny(1, 600) / Number::from(3))), "3.333e-601");
        assert_eq!(exact_figure(&tiny(25, 2)), "0.25");
        assert_eq!(exact_figure(&Number::ZERO), "0");
        assert_eq!(exactly_told_apart(&tiny(1, 600), &tiny(5, 601)), ("1e-600".into(), "5e-601".into()));
        assert_eq!(exactly_told_apart(&tiny(1_000_001, 606), &tiny(1, 600)), ("1.000001e-600".into(), "1e-600".into()));
    }

    #[test]
    fn what_differs_looks_different() {
        assert_eq!(told_apart(0.5, 0.25), ("0.5".into(), "0.25".into()));
        assert_eq!(told_apart(0.100_000_1, 0.1), ("0.1000001".into(), "0.1".into()));
        assert_eq!(told_apart(0.1, 0.1), ("0.1".into(), "0.1".into()));
    }
}
