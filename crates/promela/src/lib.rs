//! The Promela front end of Bughound: from the text of a model to its syntax tree.
//!
//! [`parse`] runs the preprocessor and the parser over a file. Wrong input ends in diagnostics, never in a panic, and
//! every limit (size of a file, number of tokens, depth of nesting) is reported by name:
//!
//! - a file holds at most [`preprocess::MAX_FILE_BYTES`] bytes,
//! - a model holds at most [`preprocess::MAX_TOKENS`] tokens after macro replacement,
//! - statements and expressions nest at most [`parser::MAX_NESTING`] deep, and an expression is at most
//!   [`parser::MAX_EXPRESSION_HEIGHT`] operators high, so that recursive walks over the tree are safe.

pub mod ast;
pub mod diagnostics;
pub mod lexer;
pub mod lower;
pub mod parser;
pub mod preprocess;
pub mod print;
pub mod token;

pub use preprocess::{DiskReader, FileReader, Options};

use bughound_ir::source::{Diagnostic, FileId, SourceMap};
use diagnostics::Diagnostics;
use parser::Parser;
use std::path::{Path, PathBuf};
use token::Symbols;

/// A model, unless there were errors, and all that there is to say about it.
#[derive(Debug)]
pub struct ParseResult {
    /// `None` if and only if there is an error among the diagnostics.
    pub ast: Option<ast::Model>,
    /// Errors and warnings, in the order in which they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// For [`parse_formula`].
    pub definitions: Definitions,
}

/// Parses a model given as bytes. `path` serves for messages and to find included files, which `reader` reads.
pub fn parse(
    sources: &mut SourceMap,
    path: impl Into<PathBuf>,
    bytes: &[u8],
    options: &Options,
    reader: &dyn FileReader,
) -> ParseResult {
    let path: PathBuf = path.into();
    let text = match preprocess::decode(bytes, &path) {
        Ok(text) => text,
        Err(error) => return ParseResult { ast: None, diagnostics: vec![error], definitions: Definitions::default() },
    };
    let file = sources.add(path, text);
    let mut symbols = Symbols::new();
    let mut diagnostics = Diagnostics::default();
    let no_macros = preprocess::Macros::default();
    let input = preprocess::preprocess(sources, &mut symbols, &mut diagnostics, file, options, reader, no_macros);
    let mut model = None;
    if !diagnostics.stopped() {
        let parser = Parser::new(input.tokens, &input.origins, sources, &mut symbols, &mut diagnostics);
        model = Some(parser.with_explicit_semicolons(options.explicit_semicolons).model(file));
    }
    let ast = model.filter(|_| !diagnostics.has_errors());
    let proctypes = ast.iter().flat_map(|model| &model.items).filter_map(|item| match item {
        ast::Item::Proctype(proctype) => Some(symbols.intern(&proctype.name.name)),
        _ => None,
    });
    let proctypes = proctypes.collect();
    ParseResult {
        ast,
        diagnostics: diagnostics.into_list(),
        definitions: Definitions { symbols, macros: input.macros, proctypes },
    }
}

/// The files that a model includes, directly or through others, as the preprocessor finds them. What stands in comments, or
/// where a condition is false, includes nothing.
pub fn included_files(
    path: impl Into<PathBuf>,
    bytes: &[u8],
    options: &Options,
    reader: &dyn FileReader,
) -> Vec<PathBuf> {
    let path: PathBuf = path.into();
    let Ok(text) = preprocess::decode(bytes, &path) else { return Vec::new() };
    let mut sources = SourceMap::default();
    let file = sources.add(path, text);
    let (mut symbols, mut diagnostics) = (Symbols::new(), Diagnostics::default());
    let no_macros = preprocess::Macros::default();
    // What is wrong with it is said when the model is read.
    preprocess::preprocess(&mut sources, &mut symbols, &mut diagnostics, file, options, reader, no_macros);
    let read = (1..sources.len() as u32).filter_map(|number| sources.get(FileId(number)));
    read.map(|file| file.path.clone()).collect()
}

/// What a text outside the model may refer to: the macros and the process types of the model.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    symbols: Symbols,
    macros: preprocess::Macros,
    proctypes: Vec<token::Symbol>,
}

/// Parses a formula that does not stand in the model, such as one from the command line. `origin` names its source in
/// messages.
pub fn parse_formula(
    sources: &mut SourceMap,
    origin: &str,
    text: &str,
    definitions: &Definitions,
) -> (Option<ast::Ltl>, Vec<Diagnostic>) {
    parse_outside(sources, origin, text, definitions, |parser| parser.formula().ok())
}

/// Parses a never claim that does not stand in the model, such as one from a file of its own.
pub fn parse_claim(
    sources: &mut SourceMap,
    origin: &str,
    text: &str,
    definitions: &Definitions,
) -> (Option<ast::NeverClaim>, Vec<Diagnostic>) {
    parse_outside(sources, origin, text, definitions, |parser| parser.claim().ok())
}

fn parse_outside<T>(
    sources: &mut SourceMap,
    origin: &str,
    text: &str,
    definitions: &Definitions,
    parse: impl FnOnce(Parser<'_>) -> Option<T>,
) -> (Option<T>, Vec<Diagnostic>) {
    let file = sources.add(Path::new(origin), text);
    let mut symbols = definitions.symbols.clone();
    let mut diagnostics = Diagnostics::default();
    let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
    let (options, macros) = (Options::default(), definitions.macros.clone());
    let input = preprocess::preprocess(sources, &mut symbols, &mut diagnostics, file, &options, &no_files, macros);
    let mut parsed = None;
    if !diagnostics.has_errors() {
        let parser = Parser::new(input.tokens, &input.origins, sources, &mut symbols, &mut diagnostics);
        parsed = parse(parser.with_proctypes(definitions.proctypes.iter().copied()));
    }
    let parsed = parsed.filter(|_| !diagnostics.has_errors());
    (parsed, diagnostics.into_list())
}

#[cfg(test)]
mod testing {
    use super::*;

    /// Parses a text; messages are `line:column message`.
    pub fn run(text: &str) -> (Option<ast::Model>, Vec<String>) {
        let mut sources = SourceMap::default();
        let no_files = |_: &Path| Err(std::io::Error::from(std::io::ErrorKind::NotFound));
        let result = parse(&mut sources, "test.pml", text.as_bytes(), &Options::default(), &no_files);
        let show = |d: &Diagnostic| {
            let span = d.span.unwrap_or_default();
            format!("{}:{} {}", sources.line(span), sources.column(span), d.message)
        };
        (result.ast, result.diagnostics.iter().map(show).collect())
    }

    /// The model, when nothing must be wrong.
    pub fn model(text: &str) -> ast::Model {
        let (model, messages) = run(text);
        assert!(messages.is_empty(), "{text}\n{messages:?}");
        model.expect("a model without errors")
    }

    pub fn messages(text: &str) -> Vec<String> {
        let (model, messages) = run(text);
        assert_eq!(model.is_none(), !messages.is_empty(), "{messages:?}");
        messages
    }

    /// The statements of a process with this body; `f`, `P` and `T` are an inline, a process type and a type.
    pub fn statements(body: &str) -> Vec<ast::Stmt> {
        let mut model = model(&format!("typedef T {{ int a }}\nproctype P() {{ skip }}\ninit {{ {body}\n}}"));
        match model.items.pop() {
            Some(ast::Item::Init(init)) => init.body.stmts,
            other => panic!("{other:?}"),
        }
    }

    pub fn formula(text: &str) -> ast::Ltl {
        let mut model = model(&format!("proctype P() {{ skip }}\nltl {{ {text} }}"));
        match model.items.pop() {
            Some(ast::Item::Ltl(block)) => block.formula,
            other => panic!("{other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &[u8]) -> (SourceMap, ParseResult) {
        let mut sources = SourceMap::default();
        let result = parse(&mut sources, "a.pml", text, &Options::default(), &DiskReader);
        (sources, result)
    }

    #[test]
    fn formulas_from_outside_know_macros_and_process_types() {
        let (mut sources, result) = parsed(b"#define p (x > 0)\nint x; proctype P() { int y; L: skip }");
        let formula = |sources: &mut SourceMap, text| parse_formula(sources, "--ltl", text, &result.definitions);
        let (found, messages) = formula(&mut sources, "[] (p -> <> P[1]@L && P:y == 1)");
        assert_eq!(messages, []);
        assert_eq!(found.unwrap().to_string(), "[] ((x>0) -> (<> P[1]@L && (P:y==1)))");
        let (found, messages) = formula(&mut sources, "[] p q");
        assert!(found.is_none());
        assert_eq!(messages[0].message, "expected an operator or the end of the formula, found `q`");
        assert_eq!(sources.path(messages[0].span.unwrap()), Path::new("--ltl"));
    }

    #[test]
    fn lines_separate_statements_unless_told_otherwise() {
        let text = b"int x;\ninit { x = 1\n x = 2 }";
        let mut sources = SourceMap::default();
        assert!(parse(&mut sources, "a.pml", text, &Options::default(), &DiskReader).ast.is_some());
        let old = Options { explicit_semicolons: true, ..Options::default() };
        let result = parse(&mut sources, "a.pml", text, &old, &DiskReader);
        assert!(result.ast.is_none() && sources.line(result.diagnostics[0].span.unwrap()) == 3);
    }

    #[test]
    fn files_that_cannot_be_models() {
        let (_, result) = parsed(&vec![b'a'; preprocess::MAX_FILE_BYTES + 1]);
        assert!(result.ast.is_none() && result.diagnostics[0].message.contains("larger than"));
        let (sources, result) = parsed(b"int x;\n\xff\xfe int y;");
        let span = result.diagnostics[0].span.unwrap();
        assert_eq!((sources.line(span), sources.column(span)), (2, 1));
        assert_eq!(result.diagnostics[0].message, "the text is not valid UTF-8 here");
        let (_, result) = parsed(b"int x;\0");
        assert_eq!(result.diagnostics[0].message, "NUL byte in the text");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_allowed_in_comments() {
        let (_, result) = parsed(b"int x; /* Gr\xfc\xdfe */ // \xe4\ninit { printf(\"\xe4\") }");
        assert!(result.ast.is_some(), "{:?}", result.diagnostics);
    }
}
