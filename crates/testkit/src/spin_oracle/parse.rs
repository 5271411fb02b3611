//! What the verifier prints.
//!
//! The depth in an error message is not the number of steps. By experiment with SPIN 6.5.2 (see the tests of the
//! oracle): after a depth-first search an invalid end state "at depth d" is reached by d + 1 steps, after a
//! breadth-first search by d steps; every other error "at depth d" happens in step d + 1 in both searches.

/// The first error that a search reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The search was complete and found nothing.
    NoError,
    /// A state without successors in which some process is not at an end state.
    InvalidEndState,
    /// A failed `assert`, with its text; also "invalid array index", which SPIN reports as an assertion.
    Assertion(String),
    /// Another error, with SPIN's words.
    Other(String),
    /// The verifier died, for instance of a division by zero.
    Crash(String),
    /// The search hit a limit before it found anything.
    Incomplete,
}

impl Verdict {
    /// A short name for statistics.
    pub fn kind(&self) -> &'static str {
        match self {
            Verdict::NoError => "no error",
            Verdict::InvalidEndState => "invalid end state",
            Verdict::Assertion(_) => "assertion",
            Verdict::Other(_) => "other",
            Verdict::Crash(_) => "crash",
            Verdict::Incomplete => "incomplete",
        }
    }
}

/// The summary of one run of the verifier.
#[derive(Debug, Clone, PartialEq)]
pub struct PanOutput {
    pub verdict: Verdict,
    /// The depth in the error message.
    pub error_depth: Option<i64>,
    pub states: Option<u64>,
    /// Stored plus matched states, as SPIN counts transitions.
    pub transitions: Option<u64>,
    pub atomic_steps: Option<u64>,
    pub depth_reached: Option<u64>,
    pub errors: Option<u64>,
    /// The search was cut off by a limit of depth or memory.
    pub truncated: bool,
}

/// The result of a search that was stopped.
pub fn unfinished() -> PanOutput {
    PanOutput { verdict: Verdict::Incomplete, truncated: true, ..PanOutput::nothing() }
}

impl PanOutput {
    fn nothing() -> Self {
        PanOutput {
            verdict: Verdict::NoError,
            error_depth: None,
            states: None,
            transitions: None,
            atomic_steps: None,
            depth_reached: None,
            errors: None,
            truncated: false,
        }
    }
}

/// Understand the output of a verifier.
pub fn parse_pan(text: &str) -> PanOutput {
    let mut out = PanOutput::nothing();
    let mut error: Option<String> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(message) = error_message(trimmed)
            && error.is_none()
        {
            let (message, depth) = split_depth(message);
            error = Some(message.to_string());
            out.error_depth = depth;
        }
        if let Some(n) = counted(trimmed, " states, stored") {
            out.states = Some(n);
        } else if let Some(n) = counted(trimmed, " transitions (= ") {
            out.transitions = Some(n);
        } else if let Some(n) = counted(trimmed, " atomic steps") {
            out.atomic_steps = Some(n);
        }
        if let Some((_, rest)) = trimmed.split_once("depth reached ") {
            out.depth_reached = leading_number(rest);
        }
        if let Some((_, rest)) = trimmed.split_once("errors: ") {
            out.errors = leading_number(rest);
        }
        out.truncated |= trimmed.contains("max search depth too small")
            || trimmed.contains("reached -DMEMLIM bound")
            || trimmed.contains("out of memory");
    }
    out.verdict = match error {
        Some(message) => classify(&message),
        None if out.states.is_none() => Verdict::Crash(text.lines().next().unwrap_or("").trim().to_string()),
        None if out.truncated => Verdict::Incomplete,
        None => Verdict::NoError,
    };
    out
}

/// The message of a line such as `pan:1: invalid end state (at depth 6)`.
fn error_message(line: &str) -> Option<&str> {
    let (number, message) = line.strip_prefix("pan:")?.split_once(": ")?;
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(message)
}

fn split_depth(message: &str) -> (&str, Option<i64>) {
    match message.rsplit_once(" (at depth ") {
        Some((head, tail)) => (head, tail.trim_end_matches(')').parse().ok()),
        None => (message, None),
    }
}

fn classify(message: &str) -> Verdict {
    if message.starts_with("invalid end state") {
        return Verdict::InvalidEndState;
    }
    match message.strip_prefix("assertion violated") {
        Some(rest) => Verdict::Assertion(rest.trim().to_string()),
        None => Verdict::Other(message.to_string()),
    }
}

/// The number before a text that follows it.
fn counted(line: &str, unit: &str) -> Option<u64> {
    let (number, _) = line.split_once(unit)?;
    number.trim().parse::<f64>().ok().map(|n| n as u64)
}

fn leading_number(text: &str) -> Option<u64> {
    let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "State-vector 52 byte, depth reached 7, errors: 1\n        8 states, stored\n        \
        1 states, matched\n        9 transitions (= stored+matched)\n        2 atomic steps\n";

    #[test]
    fn numbers() {
        let out = parse_pan(SUMMARY);
        assert_eq!((out.states, out.transitions, out.atomic_steps), (Some(8), Some(9), Some(2)));
        assert_eq!((out.depth_reached, out.errors), (Some(7), Some(1)));
        assert_eq!(out.verdict, Verdict::NoError);
    }

    #[test]
    fn large_numbers_are_printed_with_an_exponent() {
        assert_eq!(parse_pan("1.2e+08 states, stored").states, Some(120_000_000));
    }

    #[test]
    fn errors() {
        let out = parse_pan(&format!("pan:1: assertion violated (x<2) (at depth 3)\n{SUMMARY}"));
        assert_eq!((out.verdict, out.error_depth), (Verdict::Assertion("(x<2)".to_string()), Some(3)));
        let out = parse_pan(&format!("pan:1: invalid end state (at depth -1)\npan: wrote x.trail\n{SUMMARY}"));
        assert_eq!((out.verdict, out.error_depth), (Verdict::InvalidEndState, Some(-1)));
        let out = parse_pan(&format!("pan:1: chan is uninitialized (at depth 2)\n{SUMMARY}"));
        assert_eq!(out.verdict, Verdict::Other("chan is uninitialized".to_string()));
    }

    #[test]
    fn limits_and_crashes() {
        assert_eq!(parse_pan("error: max search depth too small\n9 states, stored").verdict, Verdict::Incomplete);
        assert!(matches!(parse_pan("").verdict, Verdict::Crash(_)));
    }
}
