//! Macro definitions: reading `#define` lines.

use super::{MacroOrigin, Preprocessor, Stop};
use crate::token::{Symbol, Token, TokenKind};
use bughound_ir::source::{Diagnostic, Span};
use std::sync::Arc;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Macro {
    pub name: Symbol,
    /// `None` for `#define N 3`, which takes no arguments.
    pub params: Option<Vec<Symbol>>,
    /// The last parameter takes all remaining arguments (`…` or `name…`).
    pub variadic: bool,
    pub body: Vec<BodyPart>,
    pub span: Span,
    /// Index into the list of definitions, from 1.
    pub id: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyPart {
    Token(Token),
    /// The parameter with this index, and whether a blank stands before it.
    Param(usize, bool, Option<u32>),
    /// `#param`
    Stringify(usize, bool),
    /// `##`
    Paste,
}

impl Preprocessor<'_> {
    /// `#define`, given what follows the word.
    pub(super) fn define(&mut self, directive: &Token, line: &[Token]) -> Result<(), Stop> {
        self.report_invalid(line, true)?;
        let Some(name) = line.first().filter(|t| t.kind == TokenKind::Word) else {
            let span = line.first().map_or(directive.span, |t| t.span);
            return self.error(Diagnostic::error(span, "expected the name of a macro after `#define`"));
        };
        if &**self.symbols.text(name.text) == "defined" {
            return self.error(Diagnostic::error(name.span, "`defined` cannot be a macro"));
        }
        let mut rest = &line[1..];
        let mut params = None;
        let mut variadic = false;
        // Only a parenthesis right after the name starts a parameter list.
        if let Some(open) = rest.first().filter(|t| t.kind == TokenKind::LParen && !t.space_before) {
            let Some((list, is_variadic, used)) = self.macro_params(open, &rest[1..])? else { return Ok(()) };
            params = Some(list);
            variadic = is_variadic;
            rest = &rest[1 + used..];
        }
        let Some(body) = self.macro_body(rest, params.as_deref())? else { return Ok(()) };
        let id = self.origins.len() as u32 + 1;
        let new = Macro { name: name.text, params, variadic, body, span: name.span, id };
        if let Some(old) = self.macros.get(&name.text)
            && !old.same_as(&new)
        {
            let message = format!("macro `{}` is defined again with another meaning", self.symbols.text(name.text));
            let warning = Diagnostic::warning(name.span, message).related(old.span, "first defined here");
            self.diagnostics.push(warning.help("write `#undef` first if that is meant"));
        }
        self.origins.push(MacroOrigin { name: self.symbols.text(name.text).clone(), span: name.span });
        self.macros.insert(name.text, Arc::new(new));
        Ok(())
    }

    /// The parameters after `(`, whether the last is variadic, and the number of tokens used, `)` included. `None` after
    /// an error.
    #[allow(clippy::type_complexity)]
    fn macro_params(&mut self, open: &Token, line: &[Token]) -> Result<Option<(Vec<Symbol>, bool, usize)>, Stop> {
        let mut params: Vec<Symbol> = Vec::new();
        let mut at = 0;
        if line.first().is_some_and(|t| t.kind == TokenKind::RParen) {
            return Ok(Some((params, false, 1)));
        }
        loop {
            let mut variadic = false;
            match line.get(at) {
                Some(t) if t.kind == TokenKind::Word => {
                    if params.contains(&t.text) {
                        let message = format!("macro parameter `{}` appears twice", self.symbols.text(t.text));
                        self.error(Diagnostic::error(t.span, message))?;
                        return Ok(None);
                    }
                    params.push(t.text);
                    at += 1;
                    if line.get(at).is_some_and(|t| t.kind == TokenKind::Ellipsis) {
                        variadic = true;
                        at += 1;
                    }
                }
                Some(t) if t.kind == TokenKind::Ellipsis => {
                    params.push(self.symbols.intern("__VA_ARGS__"));
                    variadic = true;
                    at += 1;
                }
                _ => {}
            }
            match line.get(at).map(|t| t.kind) {
                Some(TokenKind::RParen) if !params.is_empty() => return Ok(Some((params, variadic, at + 1))),
                Some(TokenKind::Comma) if !variadic && !params.is_empty() => at += 1,
                _ => {
                    let span = line.get(at).map_or(open.span, |t| t.span);
                    let error = Diagnostic::error(span, "malformed parameter list of a macro");
                    self.error(error.label("expected names with `,` between them, and `)`"))?;
                    return Ok(None);
                }
            }
        }
    }

    /// `None` after an error.
    fn macro_body(&mut self, line: &[Token], params: Option<&[Symbol]>) -> Result<Option<Vec<BodyPart>>, Stop> {
        let mut body = Vec::with_capacity(line.len());
        let param = |t: &Token| {
            let names = params?;
            names.iter().position(|&p| t.kind == TokenKind::Word && p == t.text)
        };
        let mut at = 0;
        while let Some(token) = line.get(at) {
            at += 1;
            match token.kind {
                TokenKind::Invalid(_) => {}
                TokenKind::HashHash => body.push(BodyPart::Paste),
                TokenKind::Hash if params.is_some() => match line.get(at).and_then(param) {
                    Some(index) => {
                        body.push(BodyPart::Stringify(index, token.space_before));
                        at += 1;
                    }
                    None => {
                        self.error(Diagnostic::error(token.span, "`#` is not followed by a macro parameter"))?;
                        return Ok(None);
                    }
                },
                _ => body.push(match param(token) {
                    Some(index) => BodyPart::Param(index, token.space_before, token.cost),
                    None => BodyPart::Token(*token),
                }),
            }
        }
        if body.first() == Some(&BodyPart::Paste) || body.last() == Some(&BodyPart::Paste) {
            let span = line[0].span.to(line[line.len() - 1].span);
            self.error(Diagnostic::error(span, "`##` cannot stand at the start or the end of a macro"))?;
            return Ok(None);
        }
        Ok(Some(body))
    }
}

impl Macro {
    /// The same meaning, wherever it was written.
    fn same_as(&self, other: &Macro) -> bool {
        let same = |a: &BodyPart, b: &BodyPart| match (a, b) {
            (BodyPart::Token(a), BodyPart::Token(b)) => a.kind == b.kind && a.text == b.text,
            _ => a == b,
        };
        self.params == other.params
            && self.variadic == other.variadic
            && self.body.len() == other.body.len()
            && self.body.iter().zip(&other.body).all(|(a, b)| same(a, b))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::testing::{ok, run};

    #[test]
    fn a_parenthesis_after_a_blank_belongs_to_the_body() {
        assert_eq!(ok("#define p (x > 0)\np\n"), "( x > 0 )");
        assert_eq!(ok("#define f() z\nf() f\n"), "z f");
    }

    #[test]
    fn mistakes_in_definitions() {
        let messages = |text| run(text, &Options::default(), &[]).1;
        assert_eq!(messages("#define f(a,a) a\n"), ["1:13 macro parameter `a` appears twice"]);
        assert_eq!(messages("#define f(a b) a\n"), ["1:13 malformed parameter list of a macro"]);
        assert_eq!(messages("#define f(a\n"), ["1:10 malformed parameter list of a macro"]);
        assert_eq!(messages("#define f(a) #b\n"), ["1:14 `#` is not followed by a macro parameter"]);
        assert_eq!(messages("#define f ## b\n"), ["1:11 `##` cannot stand at the start or the end of a macro"]);
        assert_eq!(messages("#define\n"), ["1:2 expected the name of a macro after `#define`"]);
    }

    #[test]
    fn another_meaning_is_a_warning_the_same_meaning_is_not() {
        let messages = |text| run(text, &Options::default(), &[]).1;
        assert_eq!(messages("#define N 1\n#define N 1\n"), [""; 0]);
        assert_eq!(messages("#define N 1\n#define N 2\n"), ["2:9 macro `N` is defined again with another meaning"]);
        assert_eq!(messages("#define N 1\n#undef N\n#define N 2\n"), [""; 0]);
    }
}
