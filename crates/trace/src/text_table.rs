//! Tables as text.

/// Rows with their columns aligned, two columns in from the left. Cells of columns with numbers end at the right.
pub fn text_table(rows: &[Vec<String>], is_number: impl Fn(usize) -> bool) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |at: usize| rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|at| width(at).unwrap_or(0)).collect();
    let aligned = |(at, cell): (usize, &String)| match (is_number(at), widths[at]) {
        (true, width) => format!("  {cell:>width$}"),
        (false, width) => format!("  {cell:<width$}"),
    };
    let line = |row: &Vec<String>| {
        let cells: String = row.iter().enumerate().map(aligned).collect();
        format!("{}\n", cells.trim_end())
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_and_numbers_end_together() {
        let rows = [["name", "länge", "note"], ["a", "7", ""], ["much longer", "1,000", "–"]];
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(ToString::to_string).collect()).collect();
        let expected = "  name         länge  note\n  a                7\n  much longer  1,000  –\n";
        assert_eq!(text_table(&rows, |column| column == 1), expected);
        assert_eq!(text_table(&[], |_| false), "");
    }
}
