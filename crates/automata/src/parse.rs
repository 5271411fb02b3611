//! Reads formulas as SPIN writes them in `ltl { … }`.
//!
//! Atoms are words. Operators with one operand bind most; then `U`, `V` and `W`; then `&&`, `||`, and last `->` and
//! `<->`. Operators of the same rank group to the left, as in SPIN (`a -> b -> c` is `(a -> b) -> c`).

use std::fmt;

use crate::formula::Formula;

/// Parentheses and operators may nest so deep: enough for every formula a person writes, and no danger for the stack.
const DEEPEST: usize = 1000;

/// Why a text is not a formula, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Byte offset in the text.
    pub at: usize,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "column {}: {}", self.at + 1, self.message)
    }
}

impl std::error::Error for ParseError {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'a> {
    Atom(&'a str),
    True,
    False,
    Open,
    Close,
    Not,
    Next,
    Eventually,
    Always,
    Until,
    Release,
    WeakUntil,
    And,
    Or,
    Implies,
    Equivalent,
    End,
}

const SYMBOLS: &[(&str, Token<'static>)] = &[
    ("<->", Token::Equivalent),
    ("->", Token::Implies),
    ("<>", Token::Eventually),
    ("[]", Token::Always),
    ("&&", Token::And),
    ("/\\", Token::And),
    ("||", Token::Or),
    ("\\/", Token::Or),
    ("!", Token::Not),
    ("(", Token::Open),
    (")", Token::Close),
];

const WORDS: &[(&str, Token<'static>)] = &[
    ("true", Token::True),
    ("false", Token::False),
    ("U", Token::Until),
    ("until", Token::Until),
    ("stronguntil", Token::Until),
    ("V", Token::Release),
    ("R", Token::Release),
    ("release", Token::Release),
    ("W", Token::WeakUntil),
    ("weakuntil", Token::WeakUntil),
    ("X", Token::Next),
    ("next", Token::Next),
    ("always", Token::Always),
    ("eventually", Token::Eventually),
    ("implies", Token::Implies),
    ("equivalent", Token::Equivalent),
];

/// Operators of higher rank bind more.
fn rank(token: Token<'_>) -> Option<u8> {
    match token {
        Token::Implies | Token::Equivalent => Some(0),
        Token::Or => Some(1),
        Token::And => Some(2),
        Token::Until | Token::Release | Token::WeakUntil => Some(3),
        _ => None,
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Where the present token begins and ends.
    at: usize,
    end: usize,
    token: Token<'a>,
    names: Vec<String>,
    depth: usize,
}

/// Reads a formula. Atoms are numbered in the order in which they occur; their names come with the formula.
pub fn parse(text: &str) -> Result<(Formula, Vec<String>), ParseError> {
    let mut parser = Parser { text, at: 0, end: 0, token: Token::End, names: Vec::new(), depth: 0 };
    parser.advance()?;
    let formula = parser.binary(0)?;
    match parser.token {
        Token::End => Ok((formula, parser.names)),
        Token::Close => Err(parser.error("there is no \"(\" for this \")\"")),
        _ => Err(parser.error("an operator is missing here")),
    }
}

impl<'a> Parser<'a> {
    fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError { at: self.at, message: message.into() }
    }

    fn advance(&mut self) -> Result<(), ParseError> {
        let rest = self.text[self.end..].trim_start();
        self.at = self.text.len() - rest.len();
        let word = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        let (token, length) = if rest.is_empty() {
            (Token::End, 0)
        } else if let Some((symbol, token)) = SYMBOLS.iter().find(|(symbol, _)| rest.starts_with(symbol)) {
            (*token, symbol.len())
        } else if word > 0 {
            let known = WORDS.iter().find(|(name, _)| *name == &rest[..word]);
            (known.map_or(Token::Atom(&rest[..word]), |(_, token)| *token), word)
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            return Err(self.error(format!("\"{c}\" does not belong in a formula")));
        };
        self.end = self.at + length;
        self.token = token;
        Ok(())
    }

    fn deeper(&mut self) -> Result<(), ParseError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(format!("more than {DEEPEST} operators are nested here")));
        }
        Ok(())
    }

    /// Operators with two operands, of at least the given rank.
    fn binary(&mut self, least: u8) -> Result<Formula, ParseError> {
        let before = self.depth;
        let mut left = self.unary()?;
        while let Some(rank) = rank(self.token).filter(|rank| *rank >= least) {
            let operator = self.token;
            self.advance()?;
            let right = self.binary(rank + 1)?;
            left = match (operator, left) {
                // A chain of the same operator is one operator: text of any length stays flat.
                (Token::And, Formula::And(mut parts)) => {
                    parts.push(right);
                    Formula::And(parts)
                }
                (Token::Or, Formula::Or(mut parts)) => {
                    parts.push(right);
                    Formula::Or(parts)
                }
                (Token::And, left) => left.and(right),
                (Token::Or, left) => left.or(right),
                (operator, left) => {
                    self.deeper()?;
                    match operator {
                        Token::Implies => left.implies(right),
                        Token::Equivalent => left.equivalent(right),
                        Token::Until => left.until(right),
                        Token::Release => left.release(right),
                        _ => left.weak_until(right),
                    }
                }
            };
        }
        self.depth = before;
        Ok(left)
    }

    fn unary(&mut self) -> Result<Formula, ParseError> {
        let before = self.depth;
        self.deeper()?;
        let token = self.token;
        let formula = match token {
            Token::True => Formula::True,
            Token::False => Formula::False,
            Token::Atom(name) => Formula::Atom(self.atom(name)),
            Token::Open => {
                self.advance()?;
                let inner = self.binary(0)?;
                if self.token != Token::Close {
                    return Err(self.error("\")\" is missing here"));
                }
                inner
            }
            Token::Not | Token::Next | Token::Eventually | Token::Always => {
                self.advance()?;
                let operand = self.unary()?;
                self.depth = before;
                return Ok(match token {
                    Token::Not => operand.negated(),
                    Token::Next => operand.next(),
                    Token::Eventually => operand.eventually(),
                    _ => operand.always(),
                });
            }
            Token::End => return Err(self.error("the formula ends too early")),
            _ => return Err(self.error("an operand is missing here")),
        };
        self.advance()?;
        self.depth = before;
        Ok(formula)
    }

    fn atom(&mut self, name: &str) -> u32 {
        let known = self.names.iter().position(|n| n == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_string());
            self.names.len() - 1
        }) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) {
        assert_eq!(parse(a).unwrap().0, parse(b).unwrap().0, "{a}");
    }

    #[test]
    fn ranks_are_those_of_spin() {
        same("[] a U b", "([] a) U b");
        same("a -> b -> c", "(a -> b) -> c");
        same("a U b U c", "(a U b) U c");
        same("a || b && c", "a || (b && c)");
        same("a <-> b -> c", "(a <-> b) -> c");
        same("a W b V c", "(a W b) V c");
        same("always a implies eventually b", "([]a) -> (<>b)");
        same("a && [] b U c", "a && (([] b) U c)");
    }

    #[test]
    fn mistakes_are_located() {
        for (text, at) in [("a &&", 4), ("(a", 2), ("a b", 2), ("a)", 1), ("a # b", 2), ("", 0), ("a U U b", 4)] {
            assert_eq!(parse(text).unwrap_err().at, at, "{text}");
        }
        assert!(parse(&"(".repeat(100_000)).is_err());
        assert!(parse(&format!("{}a", "!".repeat(100_000))).is_err());
        assert!(parse(&format!("{}a", "a && ".repeat(100_000))).is_ok());
    }
}
