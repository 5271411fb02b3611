//! Files of properties: constants, labels, properties with the results that comments record.

use std::rc::Rc;

use bughound_ir::source::{Diagnostic, Span};

use super::super::ast::{Properties, Property};
use super::super::lexer::Tok;
use super::{Parsed, Parser, is_symbol};
use crate::tree::Recorded;

impl Parser<'_> {
    pub(super) fn properties(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Properties {
        let mut file = Properties::default();
        let mut results_from = 0;
        while !self.is_end() {
            let at = self.at;
            let mut one = || -> Parsed<()> {
                if self.symbol(";") {
                    return Ok(());
                }
                if self.is_word("const") {
                    file.constants.push(self.constant()?);
                } else if self.is_word("label") {
                    file.labels.push(self.label()?);
                } else if self.is_word("formula") {
                    file.formulas.push(self.formula()?);
                } else {
                    let property = self.property(results_from)?;
                    results_from = property.span.end;
                    file.properties.push(property);
                }
                Ok(())
            };
            if let Err(error) = one() {
                diagnostics.push(error);
                self.skip_property(at);
            }
        }
        file
    }

    fn property(&mut self, results_from: u32) -> Parsed<Property> {
        let start = self.span();
        let name = match matches!(self.token().tok, Tok::Text(_)) && is_symbol(self.ahead(1), ":") {
            true => {
                let name = self.quoted()?;
                self.advance();
                Some(name)
            }
            false => None,
        };
        let formula_start = self.span();
        let formula = self.expression()?;
        let text = self.line(self.spanning(formula_start));
        let span = self.spanning(start);
        if !self.symbol(";") && !self.token().new_line {
            return Err(self.expected("`;` or the end of the line"));
        }
        let recorded = self.recorded(results_from, start.start);
        Ok(Property { name, formula: Rc::new(formula), recorded, text, span })
    }

    /// After an error: on to the next property.
    fn skip_property(&mut self, began_at: usize) {
        if self.at == began_at {
            self.advance();
        }
        while !self.is_end() && !self.symbol(";") {
            if self.token().new_line && self.begins_property(&self.token().tok, self.ahead(1)) {
                return;
            }
            self.advance();
        }
    }

    /// The results that comments between two places record.
    fn recorded(&self, from: u32, to: u32) -> Vec<Recorded> {
        let first = self.results.partition_point(|span| span.start < from);
        let between = self.results[first..].iter().take_while(|span| span.end <= to);
        between.filter_map(|span| self.result(*span)).collect()
    }

    /// `// RESULT (N=3,K=2): v`
    fn result(&self, span: Span) -> Option<Recorded> {
        let comment = self.text.get(span.start as usize..span.end as usize)?;
        let rest = comment.trim_start_matches('/').trim_start().strip_prefix("RESULT")?.trim_start();
        let (constants, value) = match rest.strip_prefix('(') {
            Some(rest) => {
                let (list, rest) = rest.split_once(')')?;
                let pairs = list.split(',').filter_map(|pair| pair.split_once('='));
                let pairs = pairs.map(|(name, value)| (name.trim().to_string(), value.trim().to_string()));
                (pairs.collect(), rest.trim_start().strip_prefix(':')?)
            }
            None => (Vec::new(), rest.strip_prefix(':')?),
        };
        Some(Recorded { constants, value: value.trim().to_string(), span })
    }
}
