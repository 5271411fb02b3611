//! What became of several models, a line for each.

use std::time::Duration;

use bughound::check::CheckReport;
use bughound::formats::ModelResult;
use bughound::printable::printable;
use bughound::report::files::ModelDocument;
use bughound::report::words::VerdictWord;
use bughound::verdict::{EXIT_INTERNAL, EXIT_USAGE, Verdict};

use super::quantities::{count, counted, time};
use super::table::{Column, aligned};

/// What is known about one of the models.
#[derive(Clone, Debug)]
pub struct FileRow {
    pub file: String,
    /// With which the check of this model alone would end.
    pub code: u8,
    /// How many properties are decided, of how many.
    pub decided: Option<(usize, usize)>,
    /// Of the trace of the first violated property that has one.
    pub length: Option<u64>,
    /// In the largest search.
    pub states: Option<u64>,
    pub time: Option<Duration>,
}

/// What became of one of the models.
#[derive(Debug)]
pub struct Done {
    pub row: FileRow,
    /// Or why there is none.
    pub report: Result<CheckReport, String>,
    /// With `--json`.
    pub document: Option<ModelDocument>,
}

impl Done {
    pub fn result(&self) -> ModelResult<'_> {
        let report = self.report.as_ref().map_err(String::as_str);
        ModelResult { file: &self.row.file, report, exit_code: self.row.code }
    }
}

/// Exit codes, the worst first: a bug of the program makes everything doubtful; an error that was found is one whatever
/// became of the other models; then what was not checked at all, what was not checked to its end, what has no answer.
const WORST_FIRST: [u8; 6] = [EXIT_INTERNAL, 1, EXIT_USAGE, 4, 3, 0];

/// The exit code for several models together.
pub fn worst(codes: impl IntoIterator<Item = u8>) -> u8 {
    let rank = |code: &u8| WORST_FIRST.iter().position(|known| known == code).unwrap_or(0);
    codes.into_iter().min_by_key(rank).unwrap_or(0)
}

/// The verdict that goes with an exit code.
pub fn verdict_name(code: u8) -> &'static str {
    let verdicts = [Verdict::Holds, Verdict::Violated, Verdict::Inconclusive, Verdict::Limit];
    verdicts.into_iter().find(|verdict| verdict.exit_code() == code).map_or("error", Verdict::name)
}

impl FileRow {
    /// Nothing is known but how it ended.
    pub fn without_result(file: &str, code: u8) -> FileRow {
        FileRow { file: file.into(), code, decided: None, length: None, states: None, time: None }
    }

    pub fn of(file: &str, report: &CheckReport) -> FileRow {
        let verdicts = report.properties.iter().map(|property| property.verdict);
        let violated = report.properties.iter().filter(|property| property.verdict == Verdict::Violated);
        FileRow {
            decided: Some(decided(verdicts)),
            length: violated.filter_map(|property| property.trace.as_ref()).map(|trace| trace.length).next(),
            states: report.stats.as_ref().map(|stats| stats.counts.stored),
            ..FileRow::without_result(file, report.verdict.exit_code())
        }
    }
}

/// How many of these are answers, of how many.
pub fn decided(verdicts: impl Iterator<Item = impl Into<VerdictWord>>) -> (usize, usize) {
    verdicts.fold((0, 0), |(some, all), verdict| {
        let is_answer = !matches!(verdict.into(), VerdictWord::Inconclusive | VerdictWord::Limit);
        (some + usize::from(is_answer), all + 1)
    })
}

/// The table, and a line that counts.
pub fn render(rows: &[FileRow]) -> String {
    fn or_nothing<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
        value.map_or("–".into(), show)
    }
    let columns: [Column<FileRow>; 6] = [
        Column::words("file", |row| printable(&row.file).replace('\n', "\\n")),
        Column::words("verdict", |row| verdict_name(row.code).into()),
        Column::words("decided", |row| or_nothing(row.decided, |(some, all)| format!("{some} of {all}"))),
        Column::numbers("length", |row| or_nothing(row.length, count)),
        Column::numbers("states", |row| or_nothing(row.states, count)),
        Column::numbers("time", |row| or_nothing(row.time, time)),
    ];
    let kinds = WORST_FIRST.iter().filter_map(|code| {
        let many = rows.iter().filter(|row| row.code == *code).count();
        let name = if *code == EXIT_INTERNAL { "internal error" } else { verdict_name(*code) };
        (many > 0).then(|| format!("{many} {name}"))
    });
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    format!("{}\n{}: {kinds}\n", aligned(&columns, rows), counted(rows.len() as u64, "model"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_code_counts() {
        assert_eq!(worst([0, 0]), 0);
        assert_eq!(worst([0, 3, 4]), 4);
        assert_eq!(worst([4, 2, 3]), 2);
        assert_eq!(worst([2, 1, 0]), 1);
        assert_eq!(worst([1, 5]), 5);
        assert_eq!(
            [0, 1, 2, 3, 4, 5].map(verdict_name),
            ["holds", "violated", "error", "inconclusive", "limit", "error"]
        );
    }
}
