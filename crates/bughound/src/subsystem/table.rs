//! Steps of a path in columns, as traces show theirs.

use bughound_trace::bounds::{LINE_WIDTH, WIDEST_STATEMENT, wrapped};

/// One line, or one step with all who take part in it.
pub(super) enum Row {
    /// Between steps.
    Mark(String),
    Step(StepRow),
}

pub(super) struct StepRow {
    pub number: usize,
    /// Module, place and command of each who takes part; one at least.
    pub parts: Vec<[String; 3]>,
    /// How likely it is, what it changes.
    pub notes: Vec<String>,
}

/// The lines of the rows. `columns`: the width of a terminal, if there is a limit.
pub(super) fn lines(rows: &[Row], columns: Option<usize>, color: bool) -> Vec<String> {
    let steps = || rows.iter().filter_map(|row| if let Row::Step(step) = row { Some(step) } else { None });
    let wide = |text: &String| text.chars().count();
    let widest = |column: usize, most: usize| {
        let widths = steps().flat_map(|step| &step.parts).map(|part| wide(&part[column]));
        widths.filter(|width| *width <= most).max().unwrap_or(0)
    };
    let number = steps().map(|step| step.number).max().unwrap_or(0).to_string().len().max(2);
    let (module, place, command) = (widest(0, usize::MAX), widest(1, usize::MAX), widest(2, WIDEST_STATEMENT));
    let indent = 2 + number + 3 + module + 2 + place + 2 + command + 3;
    let line_width = columns.map_or(LINE_WIDTH, |columns| columns.min(LINE_WIDTH));
    let mut out = Vec::new();
    for row in rows {
        let step = match row {
            Row::Mark(text) => {
                let text = format!("{}── {text} ──", " ".repeat(2 + number + 3));
                out.push(if color { format!("\x1b[1m{text}\x1b[0m") } else { text });
                continue;
            }
            Row::Step(step) => step,
        };
        for (at, [who, where_, what]) in step.parts.iter().enumerate() {
            let shown = if at == 0 { step.number.to_string() } else { String::new() };
            let where_ = format!("{where_:<place$}");
            let where_ = if color { format!("\x1b[2m{where_}\x1b[0m") } else { where_ };
            let line = format!("  {shown:>number$}   {who:<module$}  {where_}  {what:<command$}   ");
            let is_last = at + 1 == step.parts.len();
            match (is_last, wide(what) > command && !step.notes.is_empty()) {
                (false, _) => out.push(line),
                (true, false) => out.extend(wrapped(&line, &step.notes, indent, line_width)),
                (true, true) => {
                    out.push(line);
                    out.extend(wrapped(&" ".repeat(indent), &step.notes, indent, line_width));
                }
            }
        }
    }
    out
}
