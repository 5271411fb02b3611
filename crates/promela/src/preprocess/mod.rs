//! The built-in preprocessor: what SPIN gets from `cpp`, on tokens that remember where they stand.
//!
//! `mod.rs` holds the public face and the walk over files and lines, `directives` what each `#…` line does,
//! `macros` definitions, `expand` their replacement and `condition` the arithmetic of `#if`.

mod condition;
mod directives;
mod expand;
mod macros;

use crate::diagnostics::Diagnostics;
use crate::lexer::{lex_error, tokenize};
use crate::token::{Keyword, LexError, Symbol, Symbols, Token, TokenKind};
use bughound_ir::source::{Diagnostic, FileId, Severity, SourceMap, Span};
use directives::Conditional;
use macros::Macro;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest file that is read, in bytes.
pub const MAX_FILE_BYTES: usize = 16 << 20;
/// The most tokens that a model may have after the preprocessor.
pub const MAX_TOKENS: usize = 8_000_000;
/// The most tokens that reading files and replacing macros may touch on the way.
const MAX_WORK: usize = 3 * MAX_TOKENS;
/// How deep files may include each other.
const MAX_INCLUDE_DEPTH: usize = 64;

/// What the command line says about the text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `-DNAME=VALUE`; without a value the name stands for 1.
    pub defines: Vec<(String, Option<String>)>,
    /// `-UNAME`, after all defines.
    pub undefines: Vec<String>,
    /// `-I` folders, in order.
    pub include_dirs: Vec<PathBuf>,
    /// The end of a line separates no statements (SPIN's `-o7`).
    pub explicit_semicolons: bool,
}

/// How included files are read; tests do without a disk.
pub trait FileReader {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

impl<F: Fn(&Path) -> io::Result<Vec<u8>>> FileReader for F {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self(path)
    }
}

/// Reads from the file system.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskReader;

impl FileReader for DiskReader {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        use std::io::Read;
        let mut bytes = Vec::new();
        // Opening a pipe would wait for somebody to write to it.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
        }
        std::fs::File::open(path)?.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// Where a macro was defined, for messages.
#[derive(Clone, Debug)]
pub struct MacroOrigin {
    pub name: Arc<str>,
    pub span: Span,
}

/// Definitions by name.
pub(crate) type Macros = HashMap<Symbol, Arc<Macro>>;

/// A fatal diagnostic has been given: give up.
#[derive(Debug)]
pub(crate) struct Stop;

pub(crate) struct Preprocessor<'a> {
    pub sources: &'a mut SourceMap,
    pub symbols: &'a mut Symbols,
    pub diagnostics: &'a mut Diagnostics,
    options: &'a Options,
    reader: &'a dyn FileReader,
    macros: Macros,
    origins: Vec<MacroOrigin>,
    /// Macros that are being expanded.
    active: HashSet<Symbol>,
    /// Files read so far.
    files: HashMap<PathBuf, FileId>,
    include_stack: Vec<PathBuf>,
    output: Vec<Token>,
    work: usize,
}

/// The tokens of a model, without line ends, closed by one `EndOfInput`.
#[derive(Debug)]
pub(crate) struct Preprocessed {
    pub tokens: Vec<Token>,
    pub origins: Vec<MacroOrigin>,
    /// Those that are defined at the end.
    pub macros: Macros,
}

/// Runs the preprocessor over a file that is already in the source map, starting with the given macros.
pub(crate) fn preprocess(
    sources: &mut SourceMap,
    symbols: &mut Symbols,
    diagnostics: &mut Diagnostics,
    file: FileId,
    options: &Options,
    reader: &dyn FileReader,
    macros: Macros,
) -> Preprocessed {
    let path = sources.get(file).map(|f| f.path.clone()).unwrap_or_default();
    let mut run = Preprocessor {
        sources,
        symbols,
        diagnostics,
        options,
        reader,
        macros,
        origins: Vec::new(),
        active: HashSet::new(),
        files: HashMap::from([(path.clone(), file)]),
        include_stack: vec![path],
        output: Vec::new(),
        work: 0,
    };
    let finished = run.command_line().and_then(|()| run.file(file));
    debug_assert!(finished.is_ok() || run.diagnostics.stopped());
    run.drop_stray_comment_ends();
    let (mut tokens, origins, macros) = (run.output, run.origins, run.macros);
    for token in &mut tokens {
        if token.kind == TokenKind::Word
            && let Some(keyword) = Keyword::of(token.text)
        {
            token.kind = TokenKind::Keyword(keyword);
        }
    }
    let end = sources.get(file).map_or(0, |f| f.text.len());
    let mut last = Token::new(TokenKind::EndOfInput, symbols.intern(""), Span::new(file, end, end));
    last.newline_before = true;
    tokens.push(last);
    Preprocessed { tokens, origins, macros }
}

impl Preprocessor<'_> {
    /// `-D` and `-U` are read as a file of their own, so that mistakes in them have a place too.
    fn command_line(&mut self) -> Result<(), Stop> {
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let mut text = String::new();
        for (name, value) in &self.options.defines {
            text += &format!("#define {} {}\n", one_line(name), one_line(value.as_deref().unwrap_or("1")));
        }
        for name in &self.options.undefines {
            text += &format!("#undef {}\n", one_line(name));
        }
        if text.is_empty() {
            return Ok(());
        }
        let file = self.sources.add("<command line>", text);
        self.file(file)
    }

    /// Reads one file from its first to its last line.
    fn file(&mut self, file: FileId) -> Result<(), Stop> {
        let Some(source) = self.sources.get(file) else { return Ok(()) };
        let text = source.text.clone();
        let tokens = tokenize(&text, file, self.symbols);
        let place = tokens.first().map_or(Span::new(file, 0, 0), |t| t.span);
        self.charge(tokens.len(), place)?;
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut at = 0;
        while at < tokens.len() {
            if is_directive(&tokens[at]) {
                let end = line_end(&tokens, at);
                self.directive(&tokens[at..end], &mut conditionals)?;
                at = end;
            } else {
                let start = at;
                while at < tokens.len() && !is_directive(&tokens[at]) {
                    at += 1;
                }
                let active = conditionals.last().is_none_or(|c| c.active);
                self.report_invalid(&tokens[start..at], active)?;
                if active {
                    let mut output = std::mem::take(&mut self.output);
                    let finished = self.expand(&tokens[start..at], &mut output, 0);
                    self.output = output;
                    finished?;
                }
            }
        }
        for open in conditionals {
            self.diagnostics.push(
                Diagnostic::error(open.span, "this conditional has no `#endif`").label("never closed in this file"),
            );
        }
        if self.diagnostics.stopped() { Err(Stop) } else { Ok(()) }
    }

    /// SPIN ignores a `*/` outside comments (as left by comments that try to nest), and so do we.
    fn drop_stray_comment_ends(&mut self) {
        let is_stray = |star: &Token, slash: &Token| {
            (star.kind, slash.kind) == (TokenKind::Star, TokenKind::Slash)
                && star.span.file == slash.span.file
                && star.span.end == slash.span.start
        };
        if !self.output.windows(2).any(|pair| is_stray(&pair[0], &pair[1])) {
            return;
        }
        let mut kept: Vec<Token> = Vec::with_capacity(self.output.len());
        let mut newline_dropped = false;
        for mut token in std::mem::take(&mut self.output) {
            if kept.last().is_some_and(|last| is_stray(last, &token)) {
                let warning = Diagnostic::warning(kept[kept.len() - 1].span.to(token.span), "`*/` without a comment");
                self.diagnostics.push(warning.label("ignored, as in SPIN").help("comments do not nest"));
                newline_dropped |= kept.pop().is_some_and(|star| star.newline_before);
                continue;
            }
            // A line end before the ignored mark still separates.
            token.newline_before |= std::mem::take(&mut newline_dropped);
            kept.push(token);
        }
        self.output = kept;
    }

    /// Reports what the lexer could not read. In a skipped part only an open comment matters.
    fn report_invalid(&mut self, tokens: &[Token], active: bool) -> Result<(), Stop> {
        for token in tokens {
            if let TokenKind::Invalid(error) = token.kind
                && (active || error == LexError::UnterminatedComment)
            {
                self.diagnostics.push(lex_error(error, token, self.symbols));
                if self.diagnostics.stopped() {
                    return Err(Stop);
                }
            }
        }
        Ok(())
    }

    /// Counts tokens that were read or produced, against macro bombs.
    fn charge(&mut self, tokens: usize, place: Span) -> Result<(), Stop> {
        self.work = self.work.saturating_add(tokens);
        if self.work <= MAX_WORK {
            return Ok(());
        }
        self.diagnostics.fatal(
            Diagnostic::error(place, "the model is too large after macro replacement")
                .label(format!("more than {} million tokens", MAX_WORK / 1_000_000))
                .help(
                    "look for macros that use each other several times, or for a file that is included again and again",
                ),
        );
        Err(Stop)
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Result<(), Stop> {
        self.diagnostics.push(diagnostic);
        if self.diagnostics.stopped() { Err(Stop) } else { Ok(()) }
    }
}

/// Turns the bytes of a file into text. What is not UTF-8 becomes a replacement character, which the lexer refuses
/// outside comments and strings.
pub(crate) fn decode(bytes: &[u8], path: &Path) -> Result<String, Diagnostic> {
    if bytes.len() > MAX_FILE_BYTES {
        let message = format!("{} is larger than {} MB", path.display(), MAX_FILE_BYTES >> 20);
        return Err(Diagnostic::new(Severity::Error, None, message).help("no file of a model may be larger"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn is_directive(token: &Token) -> bool {
    token.kind == TokenKind::Hash && token.newline_before
}

/// The index of the line end, or of the end of the file.
fn line_end(tokens: &[Token], from: usize) -> usize {
    tokens[from..].iter().position(|t| t.kind == TokenKind::Newline).map_or(tokens.len(), |n| from + n)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// Preprocesses a text; the answer is the tokens with blanks between them, a `|` before each first token of a line,
    /// and the messages as `line:column message`.
    pub fn run(text: &str, options: &Options, files: &[(&str, &str)]) -> (String, Vec<String>) {
        let mut sources = SourceMap::default();
        let mut symbols = Symbols::new();
        let mut diagnostics = Diagnostics::default();
        let reader = |path: &Path| {
            let found = files.iter().find(|(name, _)| Path::new(name) == path);
            found.map(|(_, text)| text.as_bytes().to_vec()).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))
        };
        let file = sources.add("main.pml", text);
        let result = preprocess(&mut sources, &mut symbols, &mut diagnostics, file, options, &reader, Macros::new());
        let words: Vec<String> = result.tokens[..result.tokens.len() - 1]
            .iter()
            .map(|t| format!("{}{}", if t.newline_before { "|" } else { "" }, t.spelling(&symbols)))
            .collect();
        let messages = diagnostics
            .into_list()
            .into_iter()
            .map(|d| {
                let span = d.span.unwrap_or_default();
                format!("{}:{} {}", sources.line(span), sources.column(span), d.message)
            })
            .collect();
        (words.join(" ").trim_start_matches('|').to_string(), messages)
    }

    /// The tokens, when nothing must be wrong.
    pub fn ok(text: &str) -> String {
        let (tokens, messages) = run(text, &Options::default(), &[]);
        assert!(messages.is_empty(), "{messages:?}");
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{ok, run};
    use super::*;

    #[test]
    fn text_without_directives_passes_through() {
        assert_eq!(ok("int x;\n x = 1"), "int x ; |x = 1");
    }

    #[test]
    fn command_line_definitions() {
        let options = Options {
            defines: vec![("N".into(), Some("3".into())), ("DEBUG".into(), None), ("GONE".into(), None)],
            undefines: vec!["GONE".into()],
            include_dirs: vec![],
            explicit_semicolons: false,
        };
        assert_eq!(run("N DEBUG GONE", &options, &[]).0, "3 1 GONE");
        let wrong = Options { defines: vec![("1x".into(), None)], ..Options::default() };
        assert!(run("", &wrong, &[]).1[0].contains("expected the name of a macro"));
    }

    #[test]
    fn invalid_text_is_reported_unless_skipped() {
        let (_, messages) = run("a $ b\n#if 0\n it's \"wrong\n#endif\n", &Options::default(), &[]);
        assert_eq!(messages, ["1:3 unexpected character `$`"]);
        let (_, messages) = run("#if 0\n/* open\n#endif\n", &Options::default(), &[]);
        assert!(messages[0].contains("comment has no end"), "{messages:?}");
    }

    #[test]
    fn stray_ends_of_comments_are_ignored() {
        let (tokens, messages) = run("/* a /* b */ */\nx = 2 */* c */ 3\n", &Options::default(), &[]);
        assert_eq!(tokens, "x = 2 * 3");
        assert_eq!(messages, ["1:14 `*/` without a comment"]);
    }

    #[test]
    fn unbalanced_conditionals() {
        let (_, messages) = run("\n#ifdef A\n", &Options::default(), &[]);
        assert_eq!(messages, ["2:2 this conditional has no `#endif`"]);
    }

    #[test]
    fn files_that_are_too_large_are_refused() {
        let bytes = vec![b' '; MAX_FILE_BYTES + 1];
        assert!(decode(&bytes, Path::new("big.pml")).unwrap_err().message.contains("larger than"));
    }

    #[test]
    fn macro_bombs_end_with_a_message() {
        let mut text = String::from("#define a0 x x x x x x x x\n");
        for i in 1..30 {
            let before = format!("a{} ", i - 1).repeat(8);
            text += &format!("#define a{i} {before}\n");
        }
        text += "a29\n";
        let (_, messages) = run(&text, &Options::default(), &[]);
        assert_eq!(messages, ["31:1 the model is too large after macro replacement"]);
    }
}
