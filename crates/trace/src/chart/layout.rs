//! Columns and rows of characters: where lifelines stand, and how a line between two of them is drawn.

use super::{Chart, EventKind, Fate};

/// Room for the number of the step.
pub const LEFT: usize = 7;
/// Columns are never closer than this.
const CLOSEST: usize = 9;
/// Widest distances that are tried, widest first, until the chart fits.
const WIDEST: [usize; 5] = [32, 24, 18, 13, CLOSEST];

/// Where the lifelines stand.
pub struct Columns {
    pub at: Vec<usize>,
    /// Everything right of it is margin.
    pub right: usize,
}

impl Columns {
    /// Wide enough for the labels between neighbours, as long as the chart fits into the width.
    pub fn of(chart: &Chart, width: usize) -> Columns {
        let mut columns = Columns { at: Vec::new(), right: 0 };
        for widest in WIDEST {
            columns = Columns::at_most(chart, widest);
            if columns.right <= width {
                break;
            }
        }
        columns
    }

    fn at_most(chart: &Chart, widest: usize) -> Columns {
        let count = chart.columns();
        let mut gaps = vec![CLOSEST; count.max(1)];
        let name = |column: usize| {
            let names = chart.lifelines.iter().filter(|l| l.pid == column).map(|l| l.name.chars().count());
            names.max().unwrap_or(0)
        };
        for (column, gap) in gaps.iter_mut().enumerate() {
            let next = if column + 1 < count { name(column + 1) } else { 0 };
            *gap = (*gap).max(name(column).div_ceil(2) + next.div_ceil(2) + 2);
        }
        for (from, to, room) in arrows(chart) {
            if from.abs_diff(to) <= 1 {
                let gap = &mut gaps[if from == to { from } else { from.min(to) }];
                *gap = (*gap).max(room.min(widest));
            }
        }
        let first = LEFT + name(0).div_ceil(2);
        let mut at = Vec::new();
        let mut x = first;
        for gap in gaps.iter().take(count) {
            at.push(x);
            x += gap;
        }
        Columns { at, right: x }
    }
}

/// Start, end and wished room of every arrow; an arrow without end starts and ends in the same column.
fn arrows(chart: &Chart) -> Vec<(usize, usize, usize)> {
    let mut out = Vec::new();
    for event in &chart.events {
        match &event.kind {
            EventKind::Send { message } => {
                let sent = &chart.messages[*message];
                let from = chart.column(sent.sender);
                let to = match sent.fate {
                    Fate::Received { lifeline, .. } => chart.column(lifeline),
                    Fate::Waiting | Fate::Lost => from,
                };
                out.push((from, to, sent.label.chars().count() + message.to_string().len() + 9));
            }
            EventKind::Rendezvous { from, to, label } => {
                out.push((chart.column(*from), chart.column(*to), label.chars().count() + 6));
            }
            _ => {}
        }
    }
    out
}

/// One line of the chart while it is drawn.
pub struct Row {
    cells: Vec<char>,
    /// Text right of the chart.
    pub margin: Option<String>,
}

/// The strokes of an arrow.
#[derive(Clone, Copy)]
pub struct Stroke {
    pub line: char,
    pub crossing: char,
    pub heads: (char, char),
}

pub const SENT: Stroke = Stroke { line: '─', crossing: '┼', heads: ('◁', '▷') };
pub const MET: Stroke = Stroke { line: '═', crossing: '╪', heads: ('◀', '▶') };

pub const LIFE: char = '│';

impl Row {
    /// The lifelines of a moment.
    pub fn new(columns: &Columns, alive: impl Fn(usize) -> bool) -> Row {
        let mut row = Row { cells: vec![' '; columns.right], margin: None };
        for (column, at) in columns.at.iter().enumerate() {
            if alive(column) {
                row.put(*at, LIFE);
            }
        }
        row
    }

    pub fn put(&mut self, at: usize, mark: char) {
        if at >= self.cells.len() {
            self.cells.resize(at + 1, ' ');
        }
        self.cells[at] = mark;
    }

    pub fn write(&mut self, at: usize, text: &str) {
        for (offset, c) in text.chars().enumerate() {
            self.put(at + offset, c);
        }
    }

    /// A text centred at a column.
    pub fn centre(&mut self, at: usize, text: &str) {
        self.write(at.saturating_sub(text.chars().count() / 2), text);
    }

    /// An arrow from one column to another, its label in it, or in the margin if there is no room.
    pub fn arrow(&mut self, from: usize, to: usize, label: &str, stroke: Stroke) {
        let (left, right) = (from.min(to), from.max(to));
        for at in left + 1..right {
            let crossed = self.cells.get(at) == Some(&LIFE);
            self.put(at, if crossed { stroke.crossing } else { stroke.line });
        }
        let head = if from < to { right - 1 } else { left + 1 };
        self.put(head, if from < to { stroke.heads.1 } else { stroke.heads.0 });
        self.put(from, '●');
        let (inner, wide) = (right.saturating_sub(left + 3), label.chars().count() + 2);
        if wide <= inner {
            // Near the sender, where the eye looks for it.
            let start = if from < to { from + 2 } else { from - 1 - wide };
            self.write(start, &format!(" {label} "));
        } else {
            self.margin = Some(label.to_string());
        }
    }

    /// A short line to the right that ends in a mark.
    pub fn stub(&mut self, from: usize, room: usize, label: &str, end: char) {
        self.put(from, '●');
        let wide = label.chars().count() + 4;
        if wide + 2 <= room {
            self.write(from + 1, &format!("─ {label} ─{end}"));
        } else {
            self.write(from + 1, &format!("─{end}"));
            self.margin = Some(label.to_string());
        }
    }

    pub fn finish(self, out: &mut String) {
        let mut line: String = self.cells.into_iter().collect();
        if let Some(margin) = self.margin {
            line.push_str("  ");
            line.push_str(&margin);
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}
