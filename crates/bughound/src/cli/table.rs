//! Tables for people: a line for each row, columns aligned.

pub struct Column<R> {
    title: &'static str,
    /// Numbers end at the right.
    is_number: bool,
    cell: fn(&R) -> String,
}

impl<R> Column<R> {
    pub fn words(title: &'static str, cell: fn(&R) -> String) -> Self {
        Column { title, is_number: false, cell }
    }

    pub fn numbers(title: &'static str, cell: fn(&R) -> String) -> Self {
        Column { title, is_number: true, cell }
    }
}

/// The titles, and a line for each row.
pub fn aligned<R>(columns: &[Column<R>], rows: &[R]) -> String {
    let mut lines: Vec<Vec<String>> = vec![columns.iter().map(|column| column.title.to_string()).collect()];
    lines.extend(rows.iter().map(|row| columns.iter().map(|column| (column.cell)(row)).collect()));
    let width = |at: usize| lines.iter().map(|line| line[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let mut out = String::new();
    for line in &lines {
        let mut text = String::new();
        for ((cell, column), width) in line.iter().zip(columns).zip(&widths) {
            match column.is_number {
                true => text.push_str(&format!("{cell:>width$}  ")),
                false => text.push_str(&format!("{cell:<width$}  ")),
            }
        }
        out.push_str(&format!("  {}\n", text.trim_end()));
    }
    out
}
