//! What properties have beyond expressions of models: operators about runs, and `P`, `R` and `S`.

use std::rc::Rc;

use bughound_ir::chance::{Comparison, Extreme};
use bughound_ir::source::{Diagnostic, Span};

use super::super::ast::{
    Bound, Expr, ExprKind, Limit, Measure, OldFilter, Quantity, RewardBody, RewardName, Temporal, TemporalOperator,
    node,
};
use super::super::lexer::Tok;
use super::expressions::ADDITIVE;
use super::{Parsed, Parser, is_symbol};

/// A word that begins a bounded operator, and whether its bound is on a reward (`Urew{"r"}<=5`).
fn operator(word: &str) -> Option<(TemporalOperator, Bounded)> {
    let (letter, bounded) = match word.strip_suffix("rew") {
        Some(letter) => (letter, Bounded::Reward),
        None => (word, Bounded::Time),
    };
    let operator = match letter {
        "X" => TemporalOperator::Next,
        "F" => TemporalOperator::Finally,
        "G" => TemporalOperator::Globally,
        "U" => TemporalOperator::Until,
        "W" => TemporalOperator::WeakUntil,
        "R" => TemporalOperator::Release,
        _ => return None,
    };
    Some((operator, bounded))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bounded {
    Time,
    Reward,
}

fn is_prefix(operator: TemporalOperator) -> bool {
    matches!(operator, TemporalOperator::Next | TemporalOperator::Finally | TemporalOperator::Globally)
}

/// The operators `P`, `S` and `R` with what may be part of the word.
fn quantity_word(word: &str) -> Option<(char, Extreme)> {
    let extreme = match &word[word.char_indices().nth(1).map_or(word.len(), |(at, _)| at)..] {
        "" => Extreme::Unsaid,
        "min" => Extreme::Min,
        "max" => Extreme::Max,
        _ => return None,
    };
    let letter = word.chars().next().filter(|c| matches!(c, 'P' | 'S' | 'R'))?;
    Some((letter, extreme))
}

impl Parser<'_> {
    fn temporal_operator(&self) -> Option<(TemporalOperator, Bounded)> {
        match &self.token().tok {
            Tok::Word(word) => operator(word),
            _ => None,
        }
    }

    /// `a U b`, `F a`, or an expression.
    pub(super) fn temporal(&mut self) -> Parsed<Expr> {
        let mut left = self.temporal_operand()?;
        while let Some((operator, bounded)) = self.temporal_operator()
            && !is_prefix(operator)
            && !self.is_reward_question()
        {
            self.advance();
            let bounds = self.bounds(bounded)?;
            let right = self.nested(Self::temporal_operand)?;
            let span = left.span.to(right.span);
            let temporal = Temporal { operator, left: Some(left), right, bounds };
            left = self.not_too_high(node(ExprKind::Temporal(Box::new(temporal)), span))?;
        }
        Ok(left)
    }

    /// `R=?` begins a question, `R b` goes on with `a R b`. On the next line, `R<=3 [ … ]` is another property.
    fn is_reward_question(&self) -> bool {
        let asks = is_symbol(self.ahead(1), "=") && is_symbol(self.ahead(2), "?");
        let compares = ["<", "<=", ">", ">="].iter().any(|symbol| is_symbol(self.ahead(1), symbol));
        self.is_word("R") && (asks || is_symbol(self.ahead(1), "{") || (compares && self.token().new_line))
    }

    fn temporal_operand(&mut self) -> Parsed<Expr> {
        match self.temporal_operator() {
            Some((operator, bounded)) if is_prefix(operator) => self.prefix(operator, bounded),
            _ => self.conditional(),
        }
    }

    fn prefix(&mut self, operator: TemporalOperator, bounded: Bounded) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let bounds = self.bounds(bounded)?;
        let right = self.nested(Self::temporal_operand)?;
        let span = start.to(right.span);
        let temporal = Temporal { operator, left: None, right, bounds };
        self.not_too_high(node(ExprKind::Temporal(Box::new(temporal)), span))
    }

    /// `<=3`, `[1,2]`, `=4`; also lower and upper bounds one after the other.
    fn bounds(&mut self, bounded: Bounded) -> Parsed<Vec<Bound>> {
        let start = self.span();
        let reward = match bounded {
            Bounded::Time => None,
            Bounded::Reward => Some(self.reward_name()?),
        };
        let (mut lower, mut upper) = (None, None);
        while let Tok::Symbol(symbol) = self.token().tok {
            match symbol {
                "<=" | "<" if upper.is_none() => {
                    self.advance();
                    upper = Some(Limit { value: self.bound_value()?, strict: symbol == "<" });
                }
                ">=" | ">" if lower.is_none() => {
                    self.advance();
                    lower = Some(Limit { value: self.bound_value()?, strict: symbol == ">" });
                }
                "=" if lower.is_none() && upper.is_none() => {
                    self.advance();
                    let value = self.bound_value()?;
                    lower = Some(Limit { value: value.clone(), strict: false });
                    upper = Some(Limit { value, strict: false });
                }
                "[" if lower.is_none() && upper.is_none() => {
                    self.advance();
                    lower = Some(Limit { value: self.expression()?, strict: false });
                    self.expect(",")?;
                    upper = Some(Limit { value: self.expression()?, strict: false });
                    self.expect("]")?;
                }
                _ => break,
            }
        }
        if lower.is_none() && upper.is_none() {
            return match reward {
                None => Ok(Vec::new()),
                Some(_) => Err(self.expected("a bound such as `<=5`")),
            };
        }
        Ok(vec![Bound { reward, lower, upper, span: start.to(self.before()) }])
    }

    /// A sum, so that `F<=k a=b` bounds by k. A name in it is no function, so that `F<=k(a=b)` does so as well.
    fn bound_value(&mut self) -> Parsed<Expr> {
        let outside = std::mem::replace(&mut self.in_bound, true);
        let value = self.nested(|parser| parser.binary_above(ADDITIVE));
        self.in_bound = outside;
        value
    }

    /// `{"r"}` or `{1}`
    fn reward_name(&mut self) -> Parsed<RewardName> {
        self.expect("{")?;
        let name = match self.token().tok {
            Tok::Text(_) => RewardName::Named(self.quoted()?),
            _ => RewardName::Number(self.expression()?),
        };
        self.expect("}")?;
        Ok(name)
    }

    /// What a word begins that models do not have; `None` if it is none of that.
    pub(super) fn question(&mut self, word: &Rc<str>) -> Parsed<Option<Expr>> {
        let span = self.span();
        let next = self.ahead(1).clone();
        if &**word == "filter" && is_symbol(&next, "(") {
            self.advance();
            return self.filter(span).map(Some);
        }
        if let Some((operator, bounded)) = operator(word)
            && is_prefix(operator)
        {
            return self.prefix(operator, bounded).map(Some);
        }
        if matches!(&**word, "E" | "A") && is_symbol(&next, "[") {
            self.advance();
            self.advance();
            self.expression()?;
            self.expect("]")?;
            let what = format!("`{word} [ … ]` (is there a run, do all runs)");
            return Ok(Some(node(ExprKind::Unsupported(what), span.to(self.before()))));
        }
        if &**word == "multi" && is_symbol(&next, "(") {
            self.advance();
            self.advance();
            self.arguments()?;
            let what = "`multi(…)` (several objectives at once)".into();
            return Ok(Some(node(ExprKind::Unsupported(what), span.to(self.before()))));
        }
        match quantity_word(word) {
            Some((letter, extreme)) => self.nested(|parser| parser.quantity(letter, extreme)).map(Some),
            None => Ok(None),
        }
    }

    /// `<<1,2>> P…`: questions about games.
    pub(super) fn coalition(&mut self) -> Parsed<Expr> {
        let start = self.span();
        while !self.is_symbol(">") {
            if self.is_end() || self.is_symbol(";") {
                return Err(self.expected("`>>`"));
            }
            self.advance();
        }
        self.expect(">")?;
        self.expect(">")?;
        self.expression()?;
        let kind = ExprKind::Unsupported("`<<…>>` (strategies of players)".into());
        Ok(node(kind, start.to(self.before())))
    }

    /// `P`, `S` or `R`, from its word on.
    fn quantity(&mut self, letter: char, mut extreme: Extreme) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        let reward = match letter == 'R' && self.is_symbol("{") {
            true => Some(self.reward_name()?),
            false => None,
        };
        if extreme == Extreme::Unsaid {
            extreme = match () {
                () if self.word("min") => Extreme::Min,
                () if self.word("max") => Extreme::Max,
                () => Extreme::Unsaid,
            };
        }
        let relation = self.relation(letter)?;
        let opening = self.span();
        self.expect("[")?;
        let measure = match letter {
            'P' => Measure::Probability(self.expression()?),
            'S' => Measure::LongRun(self.expression()?),
            _ => Measure::Reward(reward, self.reward_body()?),
        };
        let filter = self.old_filter()?;
        self.expect("]").map_err(|error| error.related(opening, "to close this bracket"))?;
        let quantity = Quantity { measure, extreme, relation, filter };
        Ok(node(ExprKind::Quantity(Box::new(quantity)), start.to(self.before())))
    }

    /// `=?` is `None`; `<=0.1` and its like.
    fn relation(&mut self, letter: char) -> Parsed<Option<(Comparison, Expr)>> {
        let span = self.span();
        let comparison = match self.token().tok {
            Tok::Symbol("=") if is_symbol(self.ahead(1), "?") => {
                self.advance();
                self.advance();
                return Ok(None);
            }
            Tok::Symbol("=") => {
                let message = format!("`{letter}` cannot be compared with `=`");
                let help = format!("ask for the value with `{letter}=?`, or compare with `<`, `<=`, `>` or `>=`");
                return Err(Diagnostic::error(span, message).help(help));
            }
            Tok::Symbol("<") => Comparison::Less,
            Tok::Symbol("<=") => Comparison::LessEqual,
            Tok::Symbol(">") => Comparison::Greater,
            Tok::Symbol(">=") => Comparison::GreaterEqual,
            _ => return Err(self.expected("`=?` or a bound such as `<=0.1`")),
        };
        self.advance();
        Ok(Some((comparison, self.bound_value()?)))
    }

    fn reward_body(&mut self) -> Parsed<RewardBody> {
        if self.is_word("S") && is_end_of_body(self.ahead(1)) {
            self.advance();
            return Ok(RewardBody::LongRun);
        }
        if self.word("C") {
            return match self.symbol("<=") {
                true => Ok(RewardBody::Cumulated(self.bound_value()?)),
                false if is_end_of_body(&self.token().tok) => Ok(RewardBody::Total),
                false => {
                    Err(self.expected("`<=` or `]`").help("`C<=t` is the reward up to time t, `C` the total reward"))
                }
            };
        }
        if self.word("I") {
            self.expect("=")?;
            return Ok(RewardBody::Instant(self.bound_value()?));
        }
        Ok(RewardBody::Path(self.expression()?))
    }

    /// `{states}{min}{max}`
    fn old_filter(&mut self) -> Parsed<Option<OldFilter>> {
        if !self.symbol("{") {
            return Ok(None);
        }
        let states = self.expression()?;
        self.expect("}")?;
        let mut filter = OldFilter { states, min: false, max: false };
        while self.symbol("{") {
            match () {
                () if self.word("min") => filter.min = true,
                () if self.word("max") => filter.max = true,
                () => return Err(self.expected("`min` or `max`")),
            }
            self.expect("}")?;
        }
        Ok(Some(filter))
    }

    /// Where a property begins that follows another without `;`.
    pub(super) fn begins_property(&self, token: &Tok, next: &Tok) -> bool {
        match token {
            Tok::Word(word) => {
                matches!(&**word, "const" | "label" | "formula" | "filter" | "multi") || quantity_word(word).is_some()
            }
            Tok::Text(_) => is_symbol(next, ":"),
            _ => false,
        }
    }

    pub(super) fn spanning(&self, start: Span) -> Span {
        start.to(self.before())
    }
}

fn is_end_of_body(tok: &Tok) -> bool {
    is_symbol(tok, "]") || is_symbol(tok, "{")
}
