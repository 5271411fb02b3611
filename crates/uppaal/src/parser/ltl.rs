//! Formulas of linear temporal logic over conditions in UPPAAL's language, written as in Promela: `[] (p -> <> q)`, `p U q`.
//!
//! Conditions are expressions whose operators bind more strongly than `and`; what binds less is part of the formula. A word
//! such as `U` is an operator only where a name cannot stand, and `X` only where it could not be a name that goes on.

use bughound_ir::source::Diagnostic;

use super::queries::{parsed, refused};
use super::{MAX_HEIGHT, Parsed, Parser};
use crate::ast::{Ltl, LtlBinary, LtlKind, LtlUnary, Query, QueryKind};
use crate::lexer::Tok;
use crate::text::Fragment;

/// Operators of expressions that bind at least so strongly belong to conditions.
const ABOVE_AND: u8 = 2;

/// A text that is one formula; `None` if it is empty.
pub fn formula(fragment: &Fragment, warnings: &mut Vec<Diagnostic>) -> Option<Query> {
    let mut parser = match Parser::new(fragment) {
        Ok(parser) => parser,
        Err(error) => {
            let span = error.span.unwrap_or_default();
            return Some(refused(fragment.text.trim().into(), span, error, warnings));
        }
    };
    if parser.at_end() {
        return None;
    }
    let (span, last) = (parser.span(), parser.tokens.len() - 1);
    let text = parser.text_between(0, last);
    let result = parser.ltl(0).and_then(|formula| parser.end().map(|()| formula));
    let whole = span.to(parser.tokens[last - 1].span);
    Some(match result {
        Ok(formula) => parsed(text, kind(formula), whole),
        Err(error) => refused(text, whole, error, warnings),
    })
}

/// What a look at single states decides needs no runs.
fn kind(formula: Ltl) -> QueryKind {
    if let LtlKind::Unary(LtlUnary::Always, inner) = &formula.kind
        && let LtlKind::Condition(condition) = &inner.kind
    {
        return QueryKind::Always(condition.clone());
    }
    QueryKind::Ltl(formula)
}

impl Parser<'_> {
    /// The operator at the cursor and how strongly it binds.
    fn ltl_operator(&self) -> Option<(LtlBinary, u8)> {
        let text: &str = match &self.token().tok {
            Tok::Symbol(symbol) => symbol,
            Tok::Word(word) => word,
            _ => return None,
        };
        Some(match text {
            "->" | "imply" => (LtlBinary::Implies, 1),
            "<->" => (LtlBinary::Equivalent, 1),
            "||" | "or" => (LtlBinary::Or, 2),
            "&&" | "and" => (LtlBinary::And, 3),
            "U" => (LtlBinary::Until, 4),
            "W" => (LtlBinary::WeakUntil, 4),
            "V" | "R" => (LtlBinary::Release, 4),
            _ => return None,
        })
    }

    /// Operators that bind at least as strongly as `least`; those of equal strength from left to right.
    fn ltl(&mut self, least: u8) -> Parsed<Ltl> {
        let mut left = self.nested(Self::ltl_unary)?;
        while let Some((op, strength)) = self.ltl_operator().filter(|(_, strength)| *strength >= least) {
            self.advance();
            let right = self.nested(|parser| parser.ltl(strength + 1))?;
            let height = 1 + left.height.max(right.height);
            if height > MAX_HEIGHT {
                return Err(self.error(self.before(), format!("this formula is more than {MAX_HEIGHT} operators high")));
            }
            left = Ltl { kind: LtlKind::Binary(op, Box::new(left), Box::new(right)), height };
        }
        Ok(left)
    }

    /// A temporal operator before a formula, and its number of tokens.
    fn ltl_prefix(&self) -> Option<(LtlUnary, usize)> {
        let begins = |tok: &Tok, next: &Tok| match (tok, next) {
            (Tok::Symbol("["), Tok::Symbol("]")) => Some(LtlUnary::Always),
            (Tok::Symbol("<"), Tok::Symbol(">")) => Some(LtlUnary::Eventually),
            _ => None,
        };
        if let Some(op) = begins(self.ahead(0), self.ahead(1)) {
            return Some((op, 2));
        }
        let goes_on = match self.ahead(1) {
            Tok::Word(word) => !["U", "W", "V", "R", "and", "or", "imply"].contains(&&**word),
            Tok::Number(_) | Tok::Symbol("(" | "!") => true,
            tok => begins(tok, self.ahead(2)).is_some(),
        };
        (self.is_word("X") && goes_on).then_some((LtlUnary::Next, 1))
    }

    fn ltl_unary(&mut self) -> Parsed<Ltl> {
        if let Some((op, tokens)) = self.ltl_prefix() {
            return self.ltl_operand(op, tokens);
        }
        // A bracket can begin a condition or a formula, and so can a negation: what is no condition is a formula.
        let (start, depth) = (self.at, self.depth);
        let condition = self.binary_above(ABOVE_AND);
        if condition.is_err() || !(self.at_end() || self.is_symbol(")") || self.ltl_operator().is_some()) {
            let other = condition.err().unwrap_or_else(|| self.expected("an operator"));
            (self.at, self.depth) = (start, depth);
            if self.is_symbol("!") || self.is_word("not") {
                return self.ltl_operand(LtlUnary::Not, 1);
            }
            if !self.symbol("(") {
                return Err(other);
            }
            let inner = self.ltl(0)?;
            self.expect(")")?;
            return Ok(inner);
        }
        condition.map(|condition| Ltl { kind: LtlKind::Condition(condition), height: 1 })
    }

    fn ltl_operand(&mut self, op: LtlUnary, tokens: usize) -> Parsed<Ltl> {
        (0..tokens).for_each(|_| self.advance());
        let operand = self.nested(Self::ltl_unary)?;
        Ok(Ltl { height: 1 + operand.height, kind: LtlKind::Unary(op, Box::new(operand)) })
    }
}
