//! Diagnostics with an excerpt of the source, several per run.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use bughound_ir::source::{Diagnostic, Severity, SourceMap, Span};

/// Nobody reads more of them at once.
const MOST_SHOWN: usize = 50;

/// Renders diagnostics one below the other.
pub fn render(diagnostics: &[Diagnostic], sources: &SourceMap, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = String::new();
    for diagnostic in diagnostics.iter().take(MOST_SHOWN) {
        out.push_str(&renderer.render(&report(diagnostic, sources)));
        out.push_str("\n\n");
    }
    if diagnostics.len() > MOST_SHOWN {
        out.push_str(&format!("… and {} more; --json lists all\n\n", diagnostics.len() - MOST_SHOWN));
    }
    out
}

fn report<'a>(diagnostic: &'a Diagnostic, sources: &'a SourceMap) -> Vec<Group<'a>> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(&diagnostic.message));
    if let Some(span) = diagnostic.span
        && let Some((snippet, range)) = excerpt(sources, span)
    {
        let mut annotation = AnnotationKind::Primary.span(range);
        if !diagnostic.label.is_empty() {
            annotation = annotation.label(&diagnostic.label);
        }
        let mut snippet = snippet.annotation(annotation);
        let here = |other: &Span| other.file == span.file;
        for (other, text) in diagnostic.related.iter().filter(|(other, _)| here(other)) {
            if let Some((_, range)) = excerpt(sources, *other) {
                snippet = snippet.annotation(AnnotationKind::Context.span(range).label(text));
            }
        }
        group = group.element(snippet);
        for (other, text) in diagnostic.related.iter().filter(|(other, _)| !here(other)) {
            if let Some((snippet, range)) = excerpt(sources, *other) {
                group = group.element(snippet.annotation(AnnotationKind::Context.span(range).label(text)));
            }
        }
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help));
    }
    vec![group]
}

type Excerpt<'a> = (Snippet<'a, annotate_snippets::Annotation<'a>>, std::ops::Range<usize>);

/// The file of a span and the range in it, made safe to show.
fn excerpt(sources: &SourceMap, span: Span) -> Option<Excerpt<'_>> {
    let file = sources.get(span.file)?;
    let floor = |mut at: usize| {
        at = at.min(file.text.len());
        while !file.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (start, end) = (floor(span.start as usize), floor(span.end as usize));
    let snippet = Snippet::source(&*file.text).path(file.path.to_string_lossy().into_owned());
    Some((snippet, start..end.max(start)))
}
