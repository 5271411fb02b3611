//! Source files, spans and diagnostics: how everything in a model points back to what the user wrote.
//!
//! Front ends put every file they read into a [`SourceMap`]; every token, expression, location and edge carries a
//! [`Span`]. A [`Diagnostic`] is a message with spans; rendering it (colours, excerpts) is the binary's business.

use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Index of a file in its [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FileId(pub u32);

/// A half-open byte range in one source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: usize, end: usize) -> Self {
        Span { file, start: start as u32, end: end as u32 }
    }

    /// The smallest span that holds both; `self` alone when they lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// One source file with its text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: Arc<str>,
    line_starts: Vec<u32>,
}

impl SourceFile {
    fn new(path: PathBuf, text: Arc<str>) -> Self {
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1))
            .collect();
        SourceFile { path, text, line_starts }
    }

    /// 1-based line of a byte offset.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&s| s <= offset) as u32
    }

    /// 1-based column of a byte offset, in characters.
    pub fn column_of(&self, offset: u32) -> u32 {
        let start = self.line_starts[self.line_of(offset) as usize - 1] as usize;
        let end = (offset as usize).min(self.text.len());
        self.text.get(start..end).map_or(end - start, |s| s.chars().count()) as u32 + 1
    }

    /// The text of a 1-based line, without its line break.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(&start) = self.line_starts.get(line as usize - 1) else { return "" };
        let rest = &self.text[start as usize..];
        rest.split('\n').next().unwrap_or("").trim_end_matches('\r')
    }
}

/// All files of one model.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    pub fn add(&mut self, path: impl Into<PathBuf>, text: impl Into<Arc<str>>) -> FileId {
        self.files.push(SourceFile::new(path.into(), text.into()));
        FileId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(id.0 as usize)
    }

    pub fn path(&self, span: Span) -> &Path {
        self.get(span.file).map_or(Path::new(""), |f| &f.path)
    }

    /// 1-based line where the span starts; 0 when the file is unknown.
    pub fn line(&self, span: Span) -> u32 {
        self.get(span.file).map_or(0, |f| f.line_of(span.start))
    }

    pub fn column(&self, span: Span) -> u32 {
        self.get(span.file).map_or(0, |f| f.column_of(span.start))
    }

    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// How bad a diagnostic is. Only errors stop the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Note,
    Warning,
    Error,
}

/// What was wrong in the input, where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    /// Where; `None` when it concerns the file as a whole.
    pub span: Option<Span>,
    /// Text under the excerpt, such as "expected `;`".
    pub label: String,
    /// Other places worth seeing ("first declared here").
    pub related: Vec<(Span, String)>,
    pub help: Option<String>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, Some(span), message)
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, Some(span), message)
    }

    pub fn new(severity: Severity, span: Option<Span>, message: impl Into<String>) -> Self {
        Diagnostic { severity, message: message.into(), span, label: String::new(), related: Vec::new(), help: None }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn related(mut self, span: Span, text: impl Into<String>) -> Self {
        self.related.push((span, text.into()));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_one_based_and_count_characters() {
        let mut map = SourceMap::default();
        let file = map.add("a.pml", "int x;\näb = 1\n");
        let span = Span::new(file, 9, 10); // the `b`
        assert_eq!((map.line(span), map.column(span)), (2, 2));
        assert_eq!(map.get(file).unwrap().line_text(2), "äb = 1");
        assert_eq!(map.text(span), "b");
    }

    #[test]
    fn spans_out_of_range_do_not_panic() {
        let mut map = SourceMap::default();
        let file = map.add("a.pml", "x");
        let span = Span::new(file, 5, 9);
        assert_eq!(map.text(span), "");
        assert_eq!(map.line(span), 1);
        assert_eq!(map.column(span), 2);
        assert_eq!(map.line(Span::new(FileId(7), 0, 0)), 0);
    }
}
