//! Modules: their variables and commands, or the module that they are copies of.

use bughound_ir::source::Diagnostic;

use super::super::ast::{Command, Expr, Module, ModuleBody, Name, Update};
use super::super::lexer::Tok;
use super::{Parsed, Parser, is_symbol, is_word};

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Parsed<Module> {
        let start = self.span();
        self.advance();
        let name = self.name()?;
        let body = match self.symbol("=") {
            true => self.renamed()?,
            false => self.written()?,
        };
        self.expect_end("endmodule", start)?;
        Ok(Module { name, body })
    }

    /// `A [x=y, a=b]`
    fn renamed(&mut self) -> Parsed<ModuleBody> {
        let base = self.name()?;
        self.expect("[")?;
        let mut renamings = Vec::new();
        while !self.is_symbol("]") {
            let from = self.name()?;
            self.expect("=")?;
            let to = self.name()?;
            renamings.push((from, to));
            if !self.symbol(",") {
                break;
            }
        }
        self.expect("]")?;
        Ok(ModuleBody::Renamed { base, renamings })
    }

    fn written(&mut self) -> Parsed<ModuleBody> {
        let mut variables = Vec::new();
        let mut commands = Vec::new();
        while !self.is_word("endmodule") && !self.is_end() {
            if self.is_word("invariant") {
                let error = Diagnostic::error(self.span(), "`invariant` is not supported");
                return Err(error.help("invariants belong to probabilistic timed automata"));
            }
            match self.token().tok {
                Tok::Symbol("[") => commands.push(self.command()?),
                Tok::Word(_) => variables.push(self.variable()?),
                _ => return Err(self.expected("a variable, a command or `endmodule`")),
            }
        }
        Ok(ModuleBody::Written { variables, commands })
    }

    /// `[a] guard -> p1 : u1 + p2 : u2;`
    fn command(&mut self) -> Parsed<Command> {
        let start = self.span();
        self.expect("[")?;
        let action = if self.is_symbol("]") { None } else { Some(self.name()?) };
        self.expect("]")?;
        let guard = self.expression()?;
        self.expect("->").map_err(|error| error.help("a command is written `[action] guard -> chance : update;`"))?;
        let mut updates = vec![self.update()?];
        while self.symbol("+") {
            updates.push(self.update()?);
        }
        if updates.len() > 1 {
            for update in &mut updates {
                update.text = self.line(update.span);
            }
        }
        let text = self.line(self.spanning(start));
        self.expect(";")?;
        Ok(Command { action, guard, updates, text, span: self.spanning(start) })
    }

    fn update(&mut self) -> Parsed<Update> {
        let start = self.span();
        if self.is_symbol("[") {
            let error = Diagnostic::error(start, "intervals of probabilities are not supported");
            return Err(error.help("they belong to idtmc and imdp models"));
        }
        let chance = match self.is_effect() {
            true => None,
            false => {
                let chance = self.expression()?;
                self.expect(":").map_err(|error| {
                    error.help("an update is written `chance : (x'=1) & (y'=2)`, or `(x'=1)` alone, or `true`")
                })?;
                Some(chance)
            }
        };
        let mut assignments = Vec::new();
        if !self.word("true") {
            assignments.push(self.assignment()?);
            while self.symbol("&") {
                assignments.push(self.assignment()?);
            }
        }
        Ok(Update { chance, assignments, text: String::new(), span: self.spanning(start) })
    }

    /// Does an update without a chance begin here?
    fn is_effect(&self) -> bool {
        let assigns = is_symbol(self.ahead(0), "(") && is_symbol(self.ahead(2), "'");
        let nothing =
            is_word(self.ahead(0), "true") && (is_symbol(self.ahead(1), ";") || is_symbol(self.ahead(1), "+"));
        assigns || nothing
    }

    /// `(x'=e)`
    fn assignment(&mut self) -> Parsed<(Name, Expr)> {
        let help = "what an update does is written `(x'=1) & (y'=2)`, or `true` if it does nothing";
        self.expect("(").map_err(|error| error.help(help))?;
        let name = self.name()?;
        self.expect("'").map_err(|error| error.help(help))?;
        self.expect("=")?;
        let value = self.expression()?;
        self.expect(")")?;
        Ok((name, value))
    }
}
