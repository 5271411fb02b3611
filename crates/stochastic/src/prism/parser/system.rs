//! `system … endsystem`: how modules are put together.
//!
//! Weakest first: `||`, `|||`, `|[a,b]|`, then `/{a}` and `{a<-b}` behind what they are about.

use super::super::ast::{Synchronisation, System};
use super::super::lexer::Tok;
use super::{KEYWORDS, Parsed, Parser, is_symbol};

impl Parser<'_> {
    pub(super) fn system(&mut self) -> Parsed<System> {
        self.nested(Self::full_parallel)
    }

    /// How many `|` follow one another here.
    fn bars(&self) -> usize {
        (0..4).take_while(|by| is_symbol(self.ahead(*by), "|")).count()
    }

    fn full_parallel(&mut self) -> Parsed<System> {
        let mut operands = vec![self.interleaved()?];
        while self.bars() == 2 {
            self.advance();
            self.advance();
            operands.push(self.interleaved()?);
        }
        Ok(balanced(&Synchronisation::Common, operands))
    }

    fn interleaved(&mut self) -> Parsed<System> {
        let mut operands = vec![self.on_actions()?];
        while self.bars() == 3 {
            self.advance();
            self.advance();
            self.advance();
            operands.push(self.on_actions()?);
        }
        Ok(balanced(&Synchronisation::Nothing, operands))
    }

    fn on_actions(&mut self) -> Parsed<System> {
        let left = self.changed()?;
        if self.bars() != 1 || !is_symbol(self.ahead(1), "[") {
            return Ok(left);
        }
        self.advance();
        self.advance();
        let actions = self.names_until("]")?;
        self.expect("|")?;
        let right = self.nested(Self::on_actions)?;
        Ok(System::Parallel(Synchronisation::On(actions), Box::new(left), Box::new(right)))
    }

    /// A system with what is hidden and renamed in it.
    fn changed(&mut self) -> Parsed<System> {
        let mut system = match &self.token().tok {
            Tok::Symbol("(") => {
                self.advance();
                let inner = self.system()?;
                self.expect(")")?;
                inner
            }
            Tok::Word(word) if !KEYWORDS.contains(&&**word) => System::Module(self.name()?),
            _ => return Err(self.expected("a module or `(`")),
        };
        let mut changes = 0;
        loop {
            changes += 1;
            if changes > super::MAX_NESTING {
                return Err(self.expected("fewer changes of the same system"));
            }
            if self.symbol("/") {
                self.expect("{")?;
                system = System::Hide(Box::new(system), self.names_until("}")?);
            } else if self.symbol("{") {
                let mut renamings = Vec::new();
                while !self.is_symbol("}") {
                    let from = self.name()?;
                    self.expect("<")?;
                    self.expect("-")?;
                    renamings.push((from, self.name()?));
                    if !self.symbol(",") {
                        break;
                    }
                }
                self.expect("}")?;
                system = System::Rename(Box::new(system), renamings);
            } else {
                return Ok(system);
            }
        }
    }
}

/// Many operands of one operator, without a deep tree: both operators are associative.
fn balanced(how: &Synchronisation, mut operands: Vec<System>) -> System {
    if operands.len() == 1
        && let Some(only) = operands.pop()
    {
        return only;
    }
    let right = operands.split_off(operands.len() / 2);
    let (left, right) = (balanced(how, operands), balanced(how, right));
    System::Parallel(how.clone(), Box::new(left), Box::new(right))
}
