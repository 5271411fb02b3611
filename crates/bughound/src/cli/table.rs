//! Tables for people: a line for each row, columns aligned.

use bughound::text_table::text_table;

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
    text_table(&lines, |at| columns[at].is_number)
}
