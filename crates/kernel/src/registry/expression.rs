//! Expressions that name searches and heuristics: `name`, `name(value, key=value, …)`, nested.
//!
//! ```
//! use bughound_kernel::registry::expression::{Value, parse};
//!
//! let search = parse("greedy(h=max(h-l, hamming), context=true)").unwrap();
//! assert_eq!(search.name, "greedy");
//! assert_eq!(search.arguments[1].key.as_deref(), Some("context"));
//! assert_eq!(search.arguments[1].value, Value::Flag(true));
//! ```

use std::fmt;
use std::ops::Range;

/// Deeper nesting is an error: parsing recurses.
const MAX_NESTING: usize = 50;

#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    pub name: String,
    pub arguments: Vec<Argument>,
    /// Where the name stands, in bytes.
    pub at: Range<usize>,
}

impl Expression {
    /// A name without arguments, written nowhere.
    pub fn named(name: &str) -> Self {
        Expression { name: name.to_owned(), arguments: Vec::new(), at: 0..0 }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub key: Option<String>,
    pub value: Value,
    /// Where the value stands.
    pub at: Range<usize>,
    /// Where the key stands, or the value if there is no key.
    pub key_at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Integer(i128),
    Decimal(f64),
    Flag(bool),
    /// Between single or double quotes.
    Text(String),
    /// Also a bare name.
    Expression(Expression),
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (n, argument) in self.arguments.iter().enumerate() {
            f.write_str(if n == 0 { "(" } else { ", " })?;
            if let Some(key) = &argument.key {
                write!(f, "{key}=")?;
            }
            match &argument.value {
                Value::Integer(value) => write!(f, "{value}")?,
                Value::Decimal(value) => write!(f, "{value:?}")?,
                Value::Flag(value) => write!(f, "{value}")?,
                Value::Text(text) if text.contains('\'') => write!(f, "\"{text}\"")?,
                Value::Text(text) => write!(f, "'{text}'")?,
                Value::Expression(nested) => write!(f, "{nested}")?,
            }
        }
        f.write_str(if self.arguments.is_empty() { "" } else { ")" })
    }
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionError {
    pub message: String,
    pub at: Range<usize>,
}

impl ExpressionError {
    pub fn new(message: impl Into<String>, at: Range<usize>) -> Self {
        ExpressionError { message: message.into(), at }
    }

    /// The message, the expression and a mark below the place.
    pub fn render(&self, source: &str) -> String {
        let columns = |bytes: usize| source.char_indices().take_while(|(at, _)| *at < bytes).count();
        let (from, to) = (columns(self.at.start), columns(self.at.end));
        format!("{}\n  {source}\n  {:from$}{}", self.message, "", "^".repeat((to - from).max(1)))
    }
}

impl fmt::Display for ExpressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at character {})", self.message, self.at.start + 1)
    }
}

impl std::error::Error for ExpressionError {}

pub fn parse(source: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser { source, at: 0 };
    parser.skip_space();
    let expression = parser.expression(0)?;
    if parser.at < source.len() {
        return Err(parser.unexpected("the end"));
    }
    Ok(expression)
}

struct Parser<'s> {
    source: &'s str,
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        self.at = self.source.len() - self.source[self.at..].trim_start().len();
    }

    /// Takes `wanted` and the space after it, if it is next.
    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
            self.skip_space();
        }
        found
    }

    fn unexpected(&self, wanted: &str) -> ExpressionError {
        match self.peek() {
            Some(found) => {
                let at = self.at..self.at + found.len_utf8();
                ExpressionError::new(format!("expected {wanted}, found `{found}`"), at)
            }
            None => ExpressionError::new(format!("expected {wanted}, but the expression ends"), self.at..self.at),
        }
    }

    /// A run of the characters of names and numbers.
    fn word(&mut self, wanted: &str) -> Result<(String, Range<usize>), ExpressionError> {
        let rest = &self.source[self.at..];
        let is_end = |c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'));
        let len = rest.find(is_end).unwrap_or(rest.len());
        if len == 0 {
            return Err(self.unexpected(wanted));
        }
        let (word, at) = (rest[..len].to_owned(), self.at..self.at + len);
        self.at += len;
        self.skip_space();
        Ok((word, at))
    }

    fn expression(&mut self, nesting: usize) -> Result<Expression, ExpressionError> {
        let (name, at) = self.word("a name")?;
        self.call(name, at, nesting)
    }

    /// The rest of an expression after its name.
    fn call(&mut self, name: String, at: Range<usize>, nesting: usize) -> Result<Expression, ExpressionError> {
        if !name.starts_with(char::is_alphabetic) {
            return Err(ExpressionError::new(format!("`{name}` is no name: names begin with a letter"), at));
        }
        if nesting > MAX_NESTING {
            return Err(ExpressionError::new("the expression is nested too deeply", at));
        }
        let mut arguments: Vec<Argument> = Vec::new();
        if self.take('(') && !self.take(')') {
            loop {
                let argument = self.argument(nesting)?;
                if let Some(key) = &argument.key
                    && arguments.iter().any(|other| other.key.as_ref() == Some(key))
                {
                    return Err(ExpressionError::new(format!("`{key}` is given twice"), argument.key_at));
                }
                arguments.push(argument);
                if self.take(')') {
                    break;
                }
                if !self.take(',') {
                    return Err(self.unexpected("`,` or `)`"));
                }
            }
        }
        Ok(Expression { name, arguments, at })
    }

    /// Text between quotes, if it is next.
    fn quoted(&mut self) -> Result<Option<(Value, Range<usize>)>, ExpressionError> {
        let Some(quote) = self.peek().filter(|c| matches!(c, '\'' | '"')) else { return Ok(None) };
        let start = self.at;
        let Some(len) = self.source[start + 1..].find(quote) else {
            return Err(ExpressionError::new("the quotes are not closed", start..self.source.len()));
        };
        let text = self.source[start + 1..start + 1 + len].to_owned();
        let at = start..start + len + 2;
        self.at = at.end;
        self.skip_space();
        Ok(Some((Value::Text(text), at)))
    }

    fn argument(&mut self, nesting: usize) -> Result<Argument, ExpressionError> {
        if let Some((value, at)) = self.quoted()? {
            return Ok(Argument { key: None, value, at: at.clone(), key_at: at });
        }
        let (word, key_at) = self.word("an argument")?;
        if !self.take('=') {
            let value = self.value(word, key_at.clone(), nesting)?;
            return Ok(Argument { key: None, value, at: key_at.clone(), key_at });
        }
        if let Some((value, at)) = self.quoted()? {
            return Ok(Argument { key: Some(word), value, at, key_at });
        }
        let (text, at) = self.word("a value")?;
        let value = self.value(text, at.clone(), nesting)?;
        Ok(Argument { key: Some(word), value, at, key_at })
    }

    fn value(&mut self, word: String, at: Range<usize>, nesting: usize) -> Result<Value, ExpressionError> {
        match word.as_str() {
            "true" => return Ok(Value::Flag(true)),
            "false" => return Ok(Value::Flag(false)),
            _ => {}
        }
        if word.starts_with(char::is_alphabetic) {
            return self.call(word, at, nesting + 1).map(Value::Expression);
        }
        if let Ok(number) = word.parse() {
            return Ok(Value::Integer(number));
        }
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() && word.contains('.') => Ok(Value::Decimal(number)),
            _ => Err(ExpressionError::new(format!("`{word}` is neither a number nor a name"), at)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(source: &str) -> String {
        parse(source).unwrap_err().to_string()
    }

    #[test]
    fn names_numbers_and_nesting() {
        let parsed = parse(" wastar( h = pdb(dprc), w=5 , a=-0.5, greedy=false ) ").unwrap();
        let values: Vec<_> =
            parsed.arguments.iter().map(|argument| (argument.key.as_deref(), &argument.value)).collect();
        assert_eq!(values[1], (Some("w"), &Value::Integer(5)));
        assert_eq!(values[2], (Some("a"), &Value::Decimal(-0.5)));
        assert_eq!(values[3], (Some("greedy"), &Value::Flag(false)));
        let Value::Expression(pdb) = values[0].1 else { panic!("{values:?}") };
        assert_eq!((pdb.name.as_str(), pdb.arguments.len()), ("pdb", 1));
        assert_eq!(parse("dfs()").unwrap().arguments, []);
    }

    #[test]
    fn errors_say_what_and_where() {
        assert_eq!(message(""), "expected a name, but the expression ends (at character 1)");
        assert_eq!(message("dfs(seed=3"), "expected `,` or `)`, but the expression ends (at character 11)");
        assert_eq!(message("dfs(seed=)"), "expected a value, found `)` (at character 10)");
        assert_eq!(message("dfs(,)"), "expected an argument, found `,` (at character 5)");
        assert_eq!(message("dfs) x"), "expected the end, found `)` (at character 4)");
        assert_eq!(message("3(x)"), "`3` is no name: names begin with a letter (at character 1)");
        assert_eq!(message("dfs(seed=1x)"), "`1x` is neither a number nor a name (at character 10)");
        assert_eq!(message("dfs(seed=1,seed=2)"), "`seed` is given twice (at character 12)");
        assert_eq!(message("expression('x"), "the quotes are not closed (at character 12)");
        assert!(message(&"a(".repeat(100_000)).contains("nested too deeply"));
        let error = parse("dfs(séed=1x)").unwrap_err();
        assert!(
            error.render("dfs(séed=1x)").ends_with("\n  dfs(séed=1x)\n           ^^"),
            "{}",
            error.render("dfs(séed=1x)")
        );
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(source in "[a-z0-9(),=. é'\"-]{0,40}") {
            match parse(&source) {
                Ok(expression) => {
                    let printed = expression.to_string();
                    proptest::prop_assert_eq!(parse(&printed).unwrap().to_string(), printed);
                }
                Err(error) => {
                    error.render(&source);
                }
            }
        }
    }
}
