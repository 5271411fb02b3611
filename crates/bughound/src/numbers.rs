//! Counts and probabilities as people read them.

/// `1,234,567`
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
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
        assert_eq!((counted(1, "state"), counted(1000, "state")), ("1 state".into(), "1,000 states".into()));
    }

    #[test]
    fn figures_have_four_digits() {
        let shown = [0.0, 1.0, 0.026_534_9, 1.5, 3.2e-9, 1.0 / 3.0, 12345.678, f64::INFINITY].map(figure);
        assert_eq!(shown, ["0", "1", "0.02653", "1.5", "3.2e-9", "0.3333", "12350", "infinite"]);
    }

    #[test]
    fn what_differs_looks_different() {
        assert_eq!(told_apart(0.5, 0.25), ("0.5".into(), "0.25".into()));
        assert_eq!(told_apart(0.100_000_1, 0.1), ("0.1000001".into(), "0.1".into()));
        assert_eq!(told_apart(0.1, 0.1), ("0.1".into(), "0.1".into()));
    }
}
