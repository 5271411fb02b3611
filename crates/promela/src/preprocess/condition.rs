//! The arithmetic of `#if` and `#elif`.

use super::{Preprocessor, Stop};
use crate::lexer::char_value;
use crate::token::{Token, TokenKind};
use bughound_ir::source::{Diagnostic, Span};

/// How deep parentheses may be nested.
const MAX_DEPTH: usize = 100;

impl Preprocessor<'_> {
    /// Whether the condition of an `#if` holds. After an error it does not.
    pub(super) fn condition(&mut self, directive: &Token, line: &[Token]) -> Result<bool, Stop> {
        self.report_invalid(line, true)?;
        let line = match self.replace_defined(line) {
            Ok(line) => line,
            Err(error) => return self.error(error).map(|()| false),
        };
        let mut tokens = Vec::new();
        self.expand(&line, &mut tokens, 1)?;
        let mut evaluator = Evaluator { run: self, tokens: &tokens, at: 0, end: directive.span, depth: 0 };
        let value = evaluator.binary(0, true).and_then(|value| match tokens.get(evaluator.at) {
            None => Ok(value),
            Some(extra) => Err(Diagnostic::error(extra.span, "unexpected text after the condition")),
        });
        match value {
            Ok(value) => Ok(value != 0),
            Err(error) => self.error(error).map(|()| false),
        }
    }

    /// Puts 1 or 0 in the place of `defined X` and `defined(X)`; that comes before the replacement of macros.
    fn replace_defined(&mut self, line: &[Token]) -> Result<Vec<Token>, Diagnostic> {
        let defined = self.symbols.intern("defined");
        let (yes, no) = (self.symbols.intern("1"), self.symbols.intern("0"));
        let mut result = Vec::new();
        let mut at = 0;
        while let Some(&token) = line.get(at) {
            at += 1;
            if token.kind != TokenKind::Word || token.text != defined {
                result.push(token);
                continue;
            }
            let kind = |n: usize| line.get(n).map(|t| t.kind);
            let name = match (kind(at), kind(at + 1), kind(at + 2)) {
                (Some(TokenKind::Word), _, _) => {
                    at += 1;
                    line[at - 1]
                }
                (Some(TokenKind::LParen), Some(TokenKind::Word), Some(TokenKind::RParen)) => {
                    at += 3;
                    line[at - 2]
                }
                _ => return Err(Diagnostic::error(token.span, "expected a name after `defined`")),
            };
            let text = if self.macros.contains_key(&name.text) { yes } else { no };
            result.push(Token::new(TokenKind::Number, text, token.span));
        }
        Ok(result)
    }
}

struct Evaluator<'e, 'p> {
    run: &'e Preprocessor<'p>,
    tokens: &'e [Token],
    at: usize,
    /// Blamed when the line ends too early.
    end: Span,
    depth: usize,
}

impl Evaluator<'_, '_> {
    /// Evaluates operators that bind at least as tightly as `min`. Parts that do not count (`live` is false) are only
    /// read: `0 && 1/0` is no error.
    fn binary(&mut self, min: u8, live: bool) -> Result<i64, Diagnostic> {
        let mut left = self.unary(live)?;
        while let Some(token) = self.tokens.get(self.at) {
            let Some(power) = binding_power(token.kind) else { break };
            if power < min {
                break;
            }
            self.at += 1;
            let (kind, span) = (token.kind, token.span);
            if kind == TokenKind::Query {
                let then = self.binary(0, live && left != 0)?;
                self.expect(TokenKind::Colon, "`:`")?;
                let otherwise = self.binary(power, live && left == 0)?;
                left = if left != 0 { then } else { otherwise };
                continue;
            }
            let right_counts = match kind {
                TokenKind::And => live && left != 0,
                TokenKind::Or => live && left == 0,
                _ => live,
            };
            let right = self.binary(power + 1, right_counts)?;
            left = match apply(kind, left, right) {
                Some(value) => value,
                None if !live => 0,
                None => return Err(Diagnostic::error(span, "division by zero in a condition")),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<i64, Diagnostic> {
        let Some(&token) = self.tokens.get(self.at) else {
            let span = self.tokens.last().map_or(self.end, |t| t.span);
            return Err(Diagnostic::error(span, "the condition ends too early").label("expected a value after this"));
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Diagnostic::error(token.span, "the condition is nested too deeply"));
        }
        let value = match token.kind {
            TokenKind::Number => self.number(&token)?,
            TokenKind::Char => i64::from(char_value(self.run.symbols.text(token.text))),
            // A name that is no macro counts as 0.
            TokenKind::Word => 0,
            TokenKind::LParen => {
                let value = self.binary(0, live)?;
                self.expect(TokenKind::RParen, "`)`")?;
                value
            }
            TokenKind::Bang => i64::from(self.unary(live)? == 0),
            TokenKind::Tilde => !self.unary(live)?,
            TokenKind::Minus => self.unary(live)?.wrapping_neg(),
            TokenKind::Plus => self.unary(live)?,
            TokenKind::BangBang => i64::from(self.unary(live)? != 0),
            _ => {
                let message = format!("expected a value in the condition, found {}", token.describe(self.run.symbols));
                return Err(Diagnostic::error(token.span, message));
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Decimal, octal and hexadecimal numbers, with the suffixes of C.
    fn number(&self, token: &Token) -> Result<i64, Diagnostic> {
        let text = self.run.symbols.text(token.text).to_ascii_lowercase();
        let hex = text.strip_prefix("0x");
        let digits = hex.unwrap_or(&text).trim_end_matches(['u', 'l']);
        let radix = match hex {
            Some(_) => 16,
            None if digits.len() > 1 && digits.starts_with('0') => 8,
            None => 10,
        };
        let shown = self.run.symbols.text(token.text);
        i64::from_str_radix(digits, radix)
            .map_err(|_| Diagnostic::error(token.span, format!("`{shown}` is not a number that fits 64 bits")))
    }

    fn expect(&mut self, kind: TokenKind, shown: &str) -> Result<(), Diagnostic> {
        match self.tokens.get(self.at) {
            Some(token) if token.kind == kind => {
                self.at += 1;
                Ok(())
            }
            other => {
                let span = other.or(self.tokens.last()).map_or(self.end, |t| t.span);
                Err(Diagnostic::error(span, format!("expected {shown} in the condition")))
            }
        }
    }
}

fn binding_power(kind: TokenKind) -> Option<u8> {
    Some(match kind {
        TokenKind::Query => 1,
        TokenKind::Or => 2,
        TokenKind::And => 3,
        TokenKind::Bar => 4,
        TokenKind::Caret => 5,
        TokenKind::Amp => 6,
        TokenKind::Equal | TokenKind::NotEqual => 7,
        TokenKind::Less | TokenKind::LessEqual | TokenKind::Greater | TokenKind::GreaterEqual => 8,
        TokenKind::ShiftLeft | TokenKind::ShiftRight => 9,
        TokenKind::Plus | TokenKind::Minus => 10,
        TokenKind::Star | TokenKind::Slash | TokenKind::Percent => 11,
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(kind: TokenKind, left: i64, right: i64) -> Option<i64> {
    Some(match kind {
        TokenKind::Or => i64::from(left != 0 || right != 0),
        TokenKind::And => i64::from(left != 0 && right != 0),
        TokenKind::Bar => left | right,
        TokenKind::Caret => left ^ right,
        TokenKind::Amp => left & right,
        TokenKind::Equal => i64::from(left == right),
        TokenKind::NotEqual => i64::from(left != right),
        TokenKind::Less => i64::from(left < right),
        TokenKind::LessEqual => i64::from(left <= right),
        TokenKind::Greater => i64::from(left > right),
        TokenKind::GreaterEqual => i64::from(left >= right),
        TokenKind::ShiftLeft => left.wrapping_shl(right as u32),
        TokenKind::ShiftRight => left.wrapping_shr(right as u32),
        TokenKind::Plus => left.wrapping_add(right),
        TokenKind::Minus => left.wrapping_sub(right),
        TokenKind::Star => left.wrapping_mul(right),
        TokenKind::Slash if right != 0 => left.wrapping_div(right),
        TokenKind::Percent if right != 0 => left.wrapping_rem(right),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::testing::run;

    fn holds(condition: &str) -> bool {
        let (tokens, messages) = run(&format!("#define N 3\n#if {condition}\nyes\n#endif\n"), &Options::default(), &[]);
        assert!(messages.is_empty(), "{condition}: {messages:?}");
        tokens == "yes"
    }

    #[test]
    fn arithmetic_and_logic() {
        assert!(holds("N == 3 && 1 + 2 * 3 == 7"));
        assert!(holds("(1 ? 2 : 3) == 2 && -1 < 0 && !0 && ~0 == -1"));
        assert!(holds("1 << 4 == 16 && 0x10 == 16 && 010 == 8 && 'a' == 97 && 10UL == 10"));
        assert!(!holds("UNKNOWN"));
        assert!(holds("10 - 3 - 2 == 5"));
    }

    #[test]
    fn defined_is_not_expanded() {
        assert!(holds("defined N && defined(N) && !defined M"));
    }

    #[test]
    fn parts_that_do_not_count_cannot_fail() {
        assert!(!holds("0 && 1/0"));
        assert!(holds("1 || 1/0"));
        assert!(holds("1 ? 1 : 1/0"));
    }

    #[test]
    fn mistakes() {
        let messages = |line: &str| run(&format!("#if {line}\n#endif\n"), &Options::default(), &[]).1;
        assert_eq!(messages("1 / 0"), ["1:7 division by zero in a condition"]);
        assert_eq!(messages("1 +"), ["1:7 the condition ends too early"]);
        assert_eq!(messages(""), ["1:2 the condition ends too early"]);
        assert_eq!(messages("(1"), ["1:6 expected `)` in the condition"]);
        assert_eq!(messages("1 2"), ["1:7 unexpected text after the condition"]);
        assert_eq!(messages("defined"), ["1:5 expected a name after `defined`"]);
        assert_eq!(messages(&"(".repeat(100_000)), ["1:105 the condition is nested too deeply"]);
        assert_eq!(messages(&"!".repeat(99_999)), ["1:205 the condition is nested too deeply"]);
    }
}
