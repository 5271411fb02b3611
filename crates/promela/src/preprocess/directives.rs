//! What the lines that start with `#` do, apart from definitions.

use super::{MAX_INCLUDE_DEPTH, Preprocessor, Stop, decode};
use crate::token::{Token, TokenKind};
use bughound_ir::source::{Diagnostic, FileId, Span};
use std::io;
use std::path::{Path, PathBuf};

/// An open `#if`, `#ifdef` or `#ifndef`.
pub(super) struct Conditional {
    pub span: Span,
    /// The text of the current branch counts.
    pub active: bool,
    /// The text around the conditional counts.
    outer_active: bool,
    /// Some branch has been taken already.
    taken: bool,
    else_at: Option<Span>,
}

impl Preprocessor<'_> {
    /// Handles one line, from its `#` up to the line end.
    pub(super) fn directive(&mut self, line: &[Token], open: &mut Vec<Conditional>) -> Result<(), Stop> {
        let active = open.last().is_none_or(|c| c.active);
        self.report_invalid(&line[1..], false)?;
        let Some(&word) = line.get(1) else { return Ok(()) }; // a lone `#` does nothing
        let rest = &line[2..];
        if word.kind == TokenKind::Number {
            return Ok(()); // `# 12 "file"`, left by another preprocessor
        }
        if word.kind != TokenKind::Word {
            return if active { self.unknown(&word) } else { Ok(()) };
        }
        let name = self.symbols.text(word.text).clone();
        match &*name {
            "if" | "ifdef" | "ifndef" => {
                let holds = active
                    && match &*name {
                        "if" => self.condition(&word, rest)?,
                        "ifdef" => self.is_defined(&word, rest)?,
                        _ => !self.is_defined(&word, rest)?,
                    };
                open.push(Conditional {
                    span: word.span,
                    active: holds,
                    outer_active: active,
                    taken: holds,
                    else_at: None,
                });
                Ok(())
            }
            "elif" | "else" | "endif" => self.continue_conditional(&name, &word, rest, open),
            _ if !active => Ok(()),
            "define" => self.define(&word, rest),
            "undef" => self.undefine(&word, rest),
            "include" => self.include(&word, rest),
            "error" | "warning" => {
                let text = self.line_text(rest);
                let message = if text.is_empty() { format!("#{name}") } else { format!("#{name}: {text}") };
                if &*name == "error" {
                    self.error(Diagnostic::error(word.span, message))
                } else {
                    self.diagnostics.push(Diagnostic::warning(word.span, message));
                    Ok(())
                }
            }
            "pragma" | "line" | "ident" => Ok(()),
            _ => self.unknown(&word),
        }
    }

    fn unknown(&mut self, word: &Token) -> Result<(), Stop> {
        let message = format!("unknown directive `#{}`", word.spelling(self.symbols));
        self.error(Diagnostic::error(word.span, message))
    }

    fn continue_conditional(
        &mut self,
        name: &str,
        word: &Token,
        rest: &[Token],
        open: &mut Vec<Conditional>,
    ) -> Result<(), Stop> {
        let Some(current) = open.last_mut() else {
            return self.error(Diagnostic::error(word.span, format!("`#{name}` without an `#if`")));
        };
        if name == "endif" {
            open.pop();
            return Ok(());
        }
        if let Some(first) = current.else_at {
            let error = Diagnostic::error(word.span, format!("`#{name}` after `#else`"));
            return self.error(error.related(first, "the `#else` is here"));
        }
        let may_take = current.outer_active && !current.taken;
        current.active = false;
        let holds = if name == "else" {
            current.else_at = Some(word.span);
            may_take
        } else {
            may_take && self.condition(word, rest)?
        };
        if let Some(current) = open.last_mut() {
            current.active = holds;
            current.taken |= holds;
        }
        Ok(())
    }

    fn is_defined(&mut self, word: &Token, rest: &[Token]) -> Result<bool, Stop> {
        match rest.first() {
            Some(name) if name.kind == TokenKind::Word => Ok(self.macros.contains_key(&name.text)),
            other => {
                let span = other.map_or(word.span, |t| t.span);
                self.error(Diagnostic::error(
                    span,
                    format!("expected a name after `#{}`", word.spelling(self.symbols)),
                ))?;
                Ok(false)
            }
        }
    }

    fn undefine(&mut self, word: &Token, rest: &[Token]) -> Result<(), Stop> {
        match rest.first() {
            Some(name) if name.kind == TokenKind::Word => {
                self.macros.remove(&name.text);
                Ok(())
            }
            other => {
                let span = other.map_or(word.span, |t| t.span);
                self.error(Diagnostic::error(span, "expected the name of a macro after `#undef`"))
            }
        }
    }

    fn include(&mut self, word: &Token, rest: &[Token]) -> Result<(), Stop> {
        let mut expanded = Vec::new();
        let mut operand = rest;
        if rest.first().is_some_and(|t| t.kind == TokenKind::Word) {
            self.expand(rest, &mut expanded, 1)?;
            operand = &expanded;
        }
        let (name, span, quoted) = match operand {
            [t, ..] if t.kind == TokenKind::String => {
                (self.symbols.text(t.text).trim_matches('"').to_string(), t.span, true)
            }
            [first, .., last] if first.kind == TokenKind::Less && last.kind == TokenKind::Greater => {
                let inner = if first.macro_id == 0 {
                    let inner = Span { start: first.span.end, end: last.span.start, ..first.span };
                    self.sources.text(inner).trim().to_string()
                } else {
                    operand[1..operand.len() - 1].iter().map(|t| t.spelling(self.symbols)).collect()
                };
                (inner, first.span.to(last.span), false)
            }
            _ => {
                let span = rest.first().map_or(word.span, |t| t.span);
                return self.error(Diagnostic::error(span, "expected \"file\" or <file> after `#include`"));
            }
        };
        if name.is_empty() {
            return self.error(Diagnostic::error(span, "`#include` with an empty name"));
        }
        let Some((path, file)) = self.find_include(&name, span, quoted)? else { return Ok(()) };
        if self.include_stack.len() >= MAX_INCLUDE_DEPTH {
            let message = if self.include_stack.contains(&path) {
                format!("{} includes itself, directly or through others", path.display())
            } else {
                format!("files include each other more than {MAX_INCLUDE_DEPTH} levels deep")
            };
            self.diagnostics.fatal(Diagnostic::error(span, message));
            return Err(Stop);
        }
        self.include_stack.push(path);
        let finished = self.file(file);
        self.include_stack.pop();
        finished
    }

    /// Looks next to the including file (for `<…>` only at last), then in the given folders. `None` after an error.
    fn find_include(&mut self, name: &str, span: Span, quoted: bool) -> Result<Option<(PathBuf, FileId)>, Stop> {
        let here = self.sources.path(span).parent().unwrap_or(Path::new("")).join(name);
        let mut candidates: Vec<PathBuf> = self.options.include_dirs.iter().map(|dir| dir.join(name)).collect();
        candidates.insert(if quoted { 0 } else { candidates.len() }, here);
        for path in &candidates {
            if let Some(&file) = self.files.get(path) {
                return Ok(Some((path.clone(), file)));
            }
            match self.reader.read(path) {
                Ok(bytes) => match decode(&bytes, path) {
                    Ok(text) => {
                        let file = self.sources.add(path.clone(), text);
                        self.files.insert(path.clone(), file);
                        return Ok(Some((path.clone(), file)));
                    }
                    Err(mut error) => {
                        error.span = Some(span);
                        return self.error(error).map(|()| None);
                    }
                },
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(error) => {
                    let message = format!("cannot read {}: {error}", path.display());
                    return self.error(Diagnostic::error(span, message)).map(|()| None);
                }
            }
        }
        let tried: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let error = Diagnostic::error(span, format!("cannot find the included file `{name}`"));
        self.error(error.help(format!("looked for {}; give a folder with -I", tried.join(", ")))).map(|()| None)
    }

    /// The rest of a line as it was written.
    fn line_text(&self, tokens: &[Token]) -> String {
        match tokens {
            [] => String::new(),
            [first, .., last] => self.sources.text(first.span.to(last.span)).trim().to_string(),
            [only] => self.sources.text(only.span).trim().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Options;
    use super::super::testing::{ok, run};
    use std::path::PathBuf;

    #[test]
    fn conditionals() {
        assert_eq!(ok("#define A\n#ifdef A\nx\n#else\ny\n#endif\n#ifndef A\nz\n#endif\n"), "x");
        assert_eq!(ok("#if 0\na\n#elif 1\nb\n#elif 1\nc\n#else\nd\n#endif\ne\n"), "b |e");
        assert_eq!(ok("#if 0\n#if 1\na\n#else\nb\n#endif\n#define X 1\n#foo\n#endif\nX\n"), "X");
        assert_eq!(ok("#if 0\n#elif 0\n#elif 1/1\nq\n#endif\n"), "q");
    }

    #[test]
    fn conditional_mistakes() {
        let messages = |text| run(text, &Options::default(), &[]).1;
        assert_eq!(messages("#else\n"), ["1:2 `#else` without an `#if`"]);
        assert_eq!(messages("#if 1\n#else\n#else\n#endif\n"), ["3:2 `#else` after `#else`"]);
        assert_eq!(messages("#ifdef\n#endif\n"), ["1:2 expected a name after `#ifdef`"]);
        assert_eq!(messages("#foo\n"), ["1:2 unknown directive `#foo`"]);
    }

    #[test]
    fn messages_and_ignored_lines() {
        let (tokens, messages) =
            run("#\n# 1 \"x\"\n#pragma once\n#line 3\n#warning it's odd\n#error don't\nx\n", &Options::default(), &[]);
        assert_eq!(tokens, "x");
        assert_eq!(messages, ["5:2 #warning: it's odd", "6:2 #error: don't"]);
    }

    #[test]
    fn included_files() {
        let files = [("a.h", "#include \"b.h\"\nA\n"), ("b.h", "B\n"), ("inc/c.h", "C\n")];
        let options = Options { include_dirs: vec![PathBuf::from("inc")], ..Options::default() };
        let text = "#define H <c.h>\n#include \"a.h\"\n#include <c.h>\n#include H\n#include \"b.h\"\nx\n";
        assert_eq!(run(text, &options, &files), ("B |A |C |C |B |x".to_string(), vec![]));
    }

    #[test]
    fn missing_and_cyclic_includes() {
        let (_, messages) = run("x\n#include \"nope.h\"\n#include 3\n", &Options::default(), &[]);
        assert_eq!(
            messages,
            ["2:10 cannot find the included file `nope.h`", "3:10 expected \"file\" or <file> after `#include`"]
        );
        let files = [("a.h", "#include \"a.h\"\n")];
        let (_, messages) = run("#include \"a.h\"\n", &Options::default(), &files);
        assert_eq!(messages, ["1:10 a.h includes itself, directly or through others"]);
    }
}
