//! Words and signs of the format, with their places.

use super::HoaError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A word with a colon at its end: `States:`.
    Header(String),
    Word(String),
    /// `@name`.
    Alias(String),
    Text(String),
    Number(usize),
    /// One of `[ ] { } ( ) ! & |`.
    Sign(char),
    Body,
    EndOfAutomaton,
    Abort,
    EndOfFile,
}

/// Line and column, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    pub fn error(self, message: impl Into<String>) -> HoaError {
        HoaError { line: self.line, column: self.column, message: message.into() }
    }
}

struct Lexer<'a> {
    rest: std::iter::Peekable<std::str::Chars<'a>>,
    place: Place,
}

/// All tokens of a text; the last is the end of the file.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Place)>, HoaError> {
    let mut lexer = Lexer { rest: text.chars().peekable(), place: Place { line: 1, column: 1 } };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let place = lexer.place;
        let token = lexer.token()?;
        let done = token == Token::EndOfFile;
        tokens.push((token, place));
        if done {
            return Ok(tokens);
        }
    }
}

impl Lexer<'_> {
    fn take(&mut self) -> Option<char> {
        let c = self.rest.next()?;
        if c == '\n' {
            self.place = Place { line: self.place.line + 1, column: 1 };
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while self.rest.peek().is_some_and(|c| belongs(*c)) {
            text.extend(self.take());
        }
        text
    }

    fn skip_blanks(&mut self) -> Result<(), HoaError> {
        loop {
            match self.rest.peek() {
                Some(c) if c.is_whitespace() => {
                    self.take();
                }
                Some('/') => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    /// Comments may contain comments.
    fn skip_comment(&mut self) -> Result<(), HoaError> {
        let start = self.place;
        self.take();
        if self.take() != Some('*') {
            return Err(start.error("\"/\" does not belong here"));
        }
        let mut depth = 1;
        let mut before = ' ';
        while depth > 0 {
            let Some(c) = self.take() else { return Err(start.error("this comment does not end")) };
            match (before, c) {
                ('/', '*') => depth += 1,
                ('*', '/') => depth -= 1,
                _ => {
                    before = c;
                    continue;
                }
            }
            before = ' ';
        }
        Ok(())
    }

    fn token(&mut self) -> Result<Token, HoaError> {
        let place = self.place;
        let Some(c) = self.rest.peek().copied() else { return Ok(Token::EndOfFile) };
        match c {
            '[' | ']' | '{' | '}' | '(' | ')' | '!' | '&' | '|' => {
                self.take();
                Ok(Token::Sign(c))
            }
            '"' => self.text(place),
            '@' => {
                self.take();
                Ok(Token::Alias(self.take_while(in_word)))
            }
            '-' => match self.take_while(|c| c == '-' || c.is_ascii_alphabetic()).as_str() {
                "--BODY--" => Ok(Token::Body),
                "--END--" => Ok(Token::EndOfAutomaton),
                "--ABORT--" => Ok(Token::Abort),
                other => Err(place.error(format!("\"{other}\" is not known here"))),
            },
            c if c.is_ascii_digit() => {
                let digits = self.take_while(|c| c.is_ascii_digit());
                digits.parse().map(Token::Number).map_err(|_| place.error("this number is too large"))
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                let word = self.take_while(in_word);
                if self.rest.peek() == Some(&':') {
                    self.take();
                    return Ok(Token::Header(word));
                }
                Ok(Token::Word(word))
            }
            c => Err(place.error(format!("\"{c}\" does not belong here"))),
        }
    }

    fn text(&mut self, start: Place) -> Result<Token, HoaError> {
        self.take();
        let mut text = String::new();
        loop {
            match self.take() {
                Some('"') => return Ok(Token::Text(text)),
                Some('\\') => text.extend(self.take()),
                Some(c) => text.push(c),
                None => return Err(start.error("this text does not end")),
            }
        }
    }
}

fn in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}
