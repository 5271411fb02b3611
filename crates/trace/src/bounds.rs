//! How much of a trace is shown as text: nobody reads a million lines, and no terminal is a thousand columns wide.

use std::ops::Range;

use crate::replay::Trace;

/// What text leaves out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextBounds {
    /// Steps shown at each end of a part: the way to the loop and the loop, or the whole of a finite run.
    pub ends: usize,
    /// Columns of the lines that show steps.
    pub width: usize,
    /// How to see the rest, in words.
    pub hint: &'static str,
}

/// Lines are wrapped at about this width.
pub const LINE_WIDTH: usize = 110;
/// Statements wider than this have their changes on the next line.
pub const WIDEST_STATEMENT: usize = 44;
/// Values that one step changes, at most; the texts that it prints.
pub const MOST_CHANGES: usize = 24;
pub(crate) const MOST_PRINTED: usize = 10;
/// Processes in an explanation, at most.
pub(crate) const MOST_BLOCKED: usize = 40;
/// The reason may be a little longer than the steps: it stands there only once.
pub(crate) const WIDEST_REASON: usize = 400;

impl TextBounds {
    /// A terminal may be narrow, but not so narrow that nothing is left.
    const NARROWEST: usize = 40;

    pub fn columns(self) -> usize {
        self.width.max(Self::NARROWEST)
    }

    /// The line, cut to the width.
    pub fn clip(self, line: &str) -> String {
        clipped(line, self.columns())
    }

    /// Both ends of a part, or all of it if it is short.
    pub fn ends_of(self, part: Range<usize>) -> Vec<Range<usize>> {
        // A line that says that one step was left out is no shorter than the step.
        match part.len() <= self.ends.saturating_mul(2).saturating_add(1) {
            true => vec![part],
            false => vec![part.start..part.start + self.ends, part.end - self.ends..part.end],
        }
    }
}

/// The steps that are shown, in order; between two ranges that do not touch, some are left out.
pub(crate) fn shown_steps(trace: &Trace, bounds: Option<TextBounds>) -> Vec<Range<usize>> {
    let all = trace.steps.len();
    let loop_start = trace.lasso.map_or(all, |lasso| lasso.loop_start.min(all));
    let parts = [0..loop_start, loop_start..all];
    let Some(bounds) = bounds else { return parts.into() };
    parts.into_iter().flat_map(|part| bounds.ends_of(part)).filter(|range| !range.is_empty()).collect()
}

/// The first of some items, and how many are left out.
pub fn first<T>(items: &[T], most: usize, bounds: Option<TextBounds>) -> (&[T], usize) {
    // One more is no longer than the words that there is one more.
    let shown = if bounds.is_none() || items.len() <= most + 1 { items.len() } else { most };
    (&items[..shown], items.len() - shown)
}

/// Items separated by commas behind a head, in lines of about this width; those after the first are indented. The head is as
/// wide as the indentation, or ends the line: escape sequences in it take no room.
pub fn wrapped(head: &str, items: &[String], indent: usize, line_width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut width) = (head.to_string(), indent);
    for (at, item) in items.iter().enumerate() {
        let item = if at + 1 < items.len() { format!("{item}, ") } else { item.clone() };
        let wide = item.chars().count();
        if width > indent && width + wide > line_width {
            lines.push(std::mem::replace(&mut line, " ".repeat(indent)));
            width = indent;
        }
        line.push_str(&item);
        width += wide;
    }
    lines.push(line);
    lines
}

/// The text cut to so many columns, with `…` where it was cut. Escape sequences take no room and are all kept.
pub(crate) fn clipped(text: &str, columns: usize) -> String {
    if text.len() <= columns || width(text) <= columns {
        return text.into();
    }
    let mut out = String::new();
    let (mut column, mut in_escape) = (0, false);
    for c in text.chars() {
        if in_escape || c == '\x1b' {
            in_escape = c != 'm';
            out.push(c);
            continue;
        }
        column += 1;
        match column {
            _ if column < columns => out.push(c),
            _ if column == columns => out.push('…'),
            _ => {}
        }
    }
    out
}

/// Characters without those of escape sequences.
fn width(text: &str) -> usize {
    let mut in_escape = false;
    let visible = |c: char| {
        let starts = c == '\x1b';
        let inside = in_escape || starts;
        in_escape = inside && c != 'm';
        !inside
    };
    text.chars().map(visible).filter(|visible| *visible).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_but_not_their_colours() {
        assert_eq!(clipped("abc", 3), "abc");
        assert_eq!(clipped("abcd", 3), "ab…");
        assert_eq!(clipped("äöüß", 4), "äöüß");
        assert_eq!(clipped("a\x1b[31mbcd\x1b[0me", 5), "a\x1b[31mbcd\x1b[0me");
        assert_eq!(clipped("a\x1b[31mbcd\x1b[0mef", 3), "a\x1b[31mb…\x1b[0m");
    }

    #[test]
    fn one_more_item_is_shown_rather_than_counted() {
        let bounds = Some(TextBounds { ends: 2, width: 80, hint: "" });
        assert_eq!(first(&[1, 2, 3], 2, bounds), (&[1, 2, 3][..], 0));
        assert_eq!(first(&[1, 2, 3, 4], 2, bounds), (&[1, 2][..], 2));
        assert_eq!(first(&[1, 2, 3, 4], 2, None), (&[1, 2, 3, 4][..], 0));
    }
}
