//! What files contain: a model and sets of states with names.

use std::fmt;

use crate::model::Model;
use crate::numbers::parse_number;
use crate::{RBig, StateSet};

/// A model with labels.
#[derive(Clone, Debug)]
pub struct Explicit {
    pub model: Model,
    /// In the order of the file. `init` and `deadlock` are not among them: the model knows these.
    pub labels: Vec<(String, StateSet)>,
}

impl Explicit {
    pub fn label(&self, name: &str) -> Option<StateSet> {
        let n = self.model.states();
        match name {
            "init" => Some(StateSet::from_states(n, self.model.initial())),
            "deadlock" => Some(StateSet::from_states(n, self.model.deadlocks())),
            _ => self.labels.iter().find(|(label, _)| label == name).map(|(_, set)| set.clone()),
        }
    }
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// Which file, where there are several: `tra`, `lab`, `srew`, `trew`, `drn`.
    pub file: &'static str,
    /// Counted from 1; 0 if it is about the whole file.
    pub line: usize,
    pub message: String,
}

impl FormatError {
    pub(crate) fn new(file: &'static str, line: usize, message: impl Into<String>) -> FormatError {
        FormatError { file, line, message: message.into() }
    }
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.file, self.message),
            line => write!(f, "{} line {line}: {}", self.file, self.message),
        }
    }
}

impl std::error::Error for FormatError {}

/// A line of words.
pub(crate) struct Line<'a> {
    pub file: &'static str,
    pub number: usize,
    pub words: Vec<&'a str>,
}

impl Line<'_> {
    pub fn error(&self, message: impl Into<String>) -> FormatError {
        FormatError::new(self.file, self.number, message)
    }

    pub fn word(&self, index: usize, what: &str) -> Result<&str, FormatError> {
        self.words.get(index).copied().ok_or_else(|| self.error(format!("{what} is missing")))
    }

    /// A state, a choice, a count.
    pub fn index(&self, index: usize, what: &str) -> Result<usize, FormatError> {
        let word = self.word(index, what)?;
        let value = word.parse::<u32>().map_err(|_| self.error(format!("‘{word}’ is no {what}")))?;
        Ok(value as usize)
    }

    pub fn number(&self, index: usize, what: &str) -> Result<RBig, FormatError> {
        number(self.word(index, what)?, what).map_err(|message| self.error(message))
    }
}

/// A number that is not negative.
pub(crate) fn number(word: &str, what: &str) -> Result<RBig, String> {
    let value = parse_number(word).map_err(|error| error.to_string())?;
    if value < RBig::ZERO { Err(format!("{what} {word} is negative")) } else { Ok(value) }
}

/// Lines with something on them, without comments that begin with `comment`.
pub(crate) fn lines<'a>(
    file: &'static str,
    text: &'a str,
    comment: &'static str,
) -> impl Iterator<Item = Line<'a>> + use<'a> {
    text.lines().enumerate().filter(move |(_, line)| !line.trim_start().starts_with(comment)).filter_map(
        move |(index, line)| {
            let words: Vec<&str> = line.split_whitespace().collect();
            (!words.is_empty()).then_some(Line { file, number: index + 1, words })
        },
    )
}
