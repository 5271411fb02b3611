//! The tables of expected results, where they are at hand.

use std::path::{Path, PathBuf};

use bughound_stochastic::tree::Model;

use crate::enumerate::enumerate;

/// The directory `shared` beside the repository; says so if there is none.
pub fn shared() -> Option<PathBuf> {
    let found =
        Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|up| up.join("shared")).find(|path| path.is_dir());
    if found.is_none() {
        println!("skipped: there is no directory `shared` above {}", env!("CARGO_MANIFEST_DIR"));
    }
    found
}

/// The rows of a table without its header.
pub fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines().skip(1).filter(|line| !line.is_empty()).map(cells).collect()
}

fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => cells.last_mut().unwrap().extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

/// `N=3,p=0.5`
pub fn constants(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

/// Compares states, transitions, choices, initial states and deadlocks with a row of `prob-models.csv`.
pub fn check_counts(model: &Model, row: &[String]) -> Result<(), String> {
    let found = enumerate(model).map_err(|error| format!("{}: {error}", row[0]))?;
    let counts =
        [found.states.len(), found.transitions(), found.number_of_choices(), found.initial.len(), found.deadlocks];
    let counts = counts.map(|count| count.to_string());
    match counts == row[3..8] {
        true => Ok(()),
        false => Err(format!("{} {}: {counts:?}, expected {:?}", row[0], row[1], &row[3..8])),
    }
}
