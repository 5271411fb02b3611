//! What a user can ask for, as words.

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Take the choice with this number, from 1.
    Take(usize),
    Undo(usize),
    Random(usize),
    /// Go on at random until the condition is true.
    Until(String),
    /// Show variables that match after every step.
    Watch(Option<String>),
    /// Forget one pattern, or all.
    Unwatch(Option<String>),
    State,
    Choices,
    History,
    Chart,
    Save(String),
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

/// The most that one request may ask for.
const MOST: usize = 1_000_000;

/// The commands with what they do.
pub const HELP: [(&str, &str); 12] = [
    ("NUMBER", "take this choice"),
    ("u, undo [N]", "take back the last step, or N steps"),
    ("r, random [N]", "take a random choice, or N"),
    ("until EXPR, run EXPR", "go on at random until the condition is true, such as `until x > 2`"),
    ("watch [PATTERN]", "show variables that match after every step, such as `watch P(1):*`"),
    ("unwatch [PATTERN]", "show them no longer"),
    ("state", "all variables and channels"),
    ("list", "the choices again"),
    ("history", "the steps so far"),
    ("chart", "the message sequence chart so far"),
    ("save FILE.json", "save the run for `bughound trace` and `bughound simulate --trace`"),
    ("help, quit", ""),
];

/// Reads a command, or says what is wrong with it.
pub fn parse(line: &str) -> Result<Command, String> {
    let line = line.trim();
    let (word, rest) = match line.split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim()),
        None => (line, ""),
    };
    let pattern = || (!rest.is_empty()).then(|| rest.to_string());
    let alone = |command: Command| {
        if rest.is_empty() { Ok(command) } else { Err(format!("`{word}` stands alone")) }
    };
    match word {
        "" => Ok(Command::Nothing),
        "u" | "undo" => Ok(Command::Undo(count(rest)?)),
        "r" | "random" => Ok(Command::Random(count(rest)?)),
        "until" | "run" if rest.is_empty() => Err(format!("a condition is missing: `{word} x > 2`")),
        "until" | "run" => Ok(Command::Until(rest.to_string())),
        "w" | "watch" => Ok(Command::Watch(pattern())),
        "unwatch" => Ok(Command::Unwatch(pattern())),
        "s" | "state" => alone(Command::State),
        "l" | "list" => alone(Command::Choices),
        "history" => alone(Command::History),
        "c" | "chart" => alone(Command::Chart),
        "save" if rest.is_empty() => Err("the name of a file is missing: `save run.json`".into()),
        "save" => Ok(Command::Save(rest.to_string())),
        "h" | "?" | "help" => alone(Command::Help),
        "q" | "quit" | "exit" => alone(Command::Quit),
        number if number.chars().all(|c| c.is_ascii_digit()) => {
            alone(Command::Take(number.parse().map_err(|_| "this number is too large".to_string())?))
        }
        other => Err(format!("unknown command `{}`; try `help`", other.chars().take(40).collect::<String>())),
    }
}

fn count(text: &str) -> Result<usize, String> {
    match text {
        "" => Ok(1),
        number => match number.parse() {
            Ok(count) if (1..=MOST).contains(&count) => Ok(count),
            _ => Err(format!("expected a number from 1 to {MOST}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands() {
        assert_eq!(parse(" 12 "), Ok(Command::Take(12)));
        assert_eq!(parse("u"), Ok(Command::Undo(1)));
        assert_eq!(parse("undo 3"), Ok(Command::Undo(3)));
        assert_eq!(parse("r  5"), Ok(Command::Random(5)));
        assert_eq!(parse("until x > 2 "), Ok(Command::Until("x > 2".into())));
        assert_eq!(parse("run len(q) == 1"), Ok(Command::Until("len(q) == 1".into())));
        assert_eq!(parse("watch"), Ok(Command::Watch(None)));
        assert_eq!(parse("unwatch a*"), Ok(Command::Unwatch(Some("a*".into()))));
        assert_eq!(parse(""), Ok(Command::Nothing));
        for bad in ["undo x", "r 0", "until", "save", "fly", "1 2", "quit now", "99999999999999999999999", "u -1"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
