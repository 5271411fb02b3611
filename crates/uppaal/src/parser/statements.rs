//! Statements of functions.

use super::{Parsed, Parser};
use crate::ast::{Statement, StatementKind};
use crate::lexer::Tok;

impl Parser<'_> {
    /// `{ … }`
    pub(super) fn block(&mut self) -> Parsed<Vec<Statement>> {
        self.expect("{")?;
        let mut list = Vec::new();
        while !self.symbol("}") {
            if self.at_end() {
                return Err(self.expected("`}`"));
            }
            self.statement_into(&mut list)?;
        }
        Ok(list)
    }

    fn statement_into(&mut self, list: &mut Vec<Statement>) -> Parsed<()> {
        if self.starts_declaration() {
            let start = self.span();
            let mut declared = Vec::new();
            self.declaration(&mut declared)?;
            let span = start.to(self.before());
            list.extend(declared.into_iter().map(|d| Statement { kind: StatementKind::Declare(d), span }));
            return Ok(());
        }
        list.push(self.statement()?);
        Ok(())
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.nested(|parser| {
            let start = parser.span();
            let kind = parser.statement_kind()?;
            Ok(Statement { kind, span: start.to(parser.before()) })
        })
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        if self.is_symbol("{") {
            return Ok(StatementKind::Block(self.block()?));
        }
        if self.symbol(";") {
            return Ok(StatementKind::Empty);
        }
        let Tok::Word(word) = self.token().tok.clone() else { return self.expression_statement() };
        match &*word {
            "if" => {
                self.advance();
                let condition = self.in_parentheses()?;
                let then = Box::new(self.statement()?);
                let otherwise = match self.word("else") {
                    true => Some(Box::new(self.statement()?)),
                    false => None,
                };
                Ok(StatementKind::If { condition, then, otherwise })
            }
            "while" => {
                self.advance();
                let condition = self.in_parentheses()?;
                Ok(StatementKind::While { condition, body: Box::new(self.statement()?) })
            }
            "do" => {
                self.advance();
                let body = Box::new(self.statement()?);
                if !self.word("while") {
                    return Err(self.expected("`while`"));
                }
                let condition = self.in_parentheses()?;
                self.expect(";")?;
                Ok(StatementKind::DoWhile { body, condition })
            }
            "for" => {
                self.advance();
                self.for_loop()
            }
            "return" => {
                self.advance();
                let value = if self.is_symbol(";") { None } else { Some(self.expression()?) };
                self.expect(";")?;
                Ok(StatementKind::Return(value))
            }
            "assert" => {
                self.advance();
                let condition = self.expression()?;
                self.expect(";")?;
                Ok(StatementKind::Assert(condition))
            }
            "break" | "continue" | "switch" => {
                let message = format!("UPPAAL's functions have no `{word}`");
                Err(self.error(self.span(), message).help("use a condition of the loop, or `return`"))
            }
            _ => self.expression_statement(),
        }
    }

    fn expression_statement(&mut self) -> Parsed<StatementKind> {
        let expr = self.expression()?;
        self.expect(";")?;
        Ok(StatementKind::Expression(expr))
    }

    fn in_parentheses(&mut self) -> Parsed<crate::ast::Expr> {
        self.expect("(")?;
        let expr = self.expression()?;
        self.expect(")")?;
        Ok(expr)
    }

    fn for_loop(&mut self) -> Parsed<StatementKind> {
        self.expect("(")?;
        if self.is_name() && *self.ahead(1) == Tok::Symbol(":") {
            let name = self.name()?;
            self.advance();
            let ty = self.ty()?;
            self.expect(")")?;
            return Ok(StatementKind::Iterate { name, ty, body: Box::new(self.statement()?) });
        }
        let part = |parser: &mut Self, end: &str| match parser.is_symbol(end) {
            true => Ok(None),
            false => parser.expression().map(Some),
        };
        let first = part(self, ";")?;
        self.expect(";")?;
        let condition = part(self, ";")?;
        self.expect(";")?;
        let step = part(self, ")")?;
        self.expect(")")?;
        Ok(StatementKind::For { first, condition, step, body: Box::new(self.statement()?) })
    }
}
