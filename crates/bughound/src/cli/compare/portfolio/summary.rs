//! The results of a portfolio in words: a table by model, and what each search comes to.

use bughound::text_table::text_table;

use super::Row;
use super::pictures::{is_decided, reference};
use super::runs::{Ended, Run};
use crate::cli::quantities::count;

/// The bar that the default is held to: so many times the best, and so many seconds.
const CLOSE: (f64, f64) = (2.0, 0.5);
const FAR: (f64, f64) = (10.0, 2.0);

pub fn render(table: &[Row<'_>], searches: &[String]) -> String {
    let heads = ["family", "model"].into_iter().map(String::from).chain(searches.iter().cloned());
    let mut lines: Vec<Vec<String>> = vec![heads.collect()];
    for row in table {
        let cells = searches.iter().map(|search| row.by(search).map_or("–".into(), cell));
        lines.push([row.entry.family.clone(), row.entry.words.clone()].into_iter().chain(cells).collect());
    }
    let mut sums = vec![
        ["search", "found", "none", "undecided", "first", "missed", "close to the best", "far from it"]
            .map(String::from)
            .to_vec(),
    ];
    for search in searches {
        sums.push(sum(table, search));
    }
    let (factor, seconds) = CLOSE;
    let (far, far_seconds) = FAR;
    format!(
        "{}\n{}\nclose: at most {factor} times the CPU time of the search that decided the model first, plus {seconds} s; far: more than \
         {far} times, plus {far_seconds} s\nmissed: decided by another search only; pictures compare with {}\n",
        text_table(&lines, |column| column > 1),
        text_table(&sums, |column| column > 0),
        reference(searches)
    )
}

/// CPU seconds, expanded states, length.
fn cell(run: &Run) -> String {
    match run.ended {
        Ended::Found => {
            let length = run.length.map_or(String::new(), |length| format!(" L{length}"));
            format!("{:.2}s {}{length}", run.cpu_seconds, run.expanded.map_or(String::new(), count))
        }
        Ended::None => format!("{:.2}s {} none", run.cpu_seconds, run.expanded.map_or(String::new(), count)),
        other => other.name().into(),
    }
}

fn sum(table: &[Row<'_>], search: &str) -> Vec<String> {
    let (mut found, mut none, mut undecided, mut first, mut missed, mut close, mut far) = (0, 0, 0, 0, 0, 0, 0);
    for row in table {
        let Some(run) = row.by(search) else { continue };
        let best = best(row);
        match run.ended {
            Ended::Found => found += 1,
            Ended::None => none += 1,
            _ => undecided += 1,
        }
        let Some(best) = best else { continue };
        if !is_decided(run.ended) {
            missed += 1;
            continue;
        }
        first += usize::from(run.cpu_seconds <= best);
        close += usize::from(run.cpu_seconds <= best * CLOSE.0 + CLOSE.1);
        far += usize::from(run.cpu_seconds > best * FAR.0 + FAR.1);
    }
    let numbers = [found, none, undecided, first, missed, close, far].map(|number: usize| number.to_string());
    [search.to_string()].into_iter().chain(numbers).collect()
}

/// The least CPU time in which a search has decided the model.
fn best(row: &Row<'_>) -> Option<f64> {
    let decided = row.runs.iter().filter(|run| is_decided(run.ended));
    decided.map(|run| run.cpu_seconds).min_by(f64::total_cmp)
}

/// Runs that cannot both be right.
pub fn contradictions(table: &[Row<'_>]) -> Vec<String> {
    let mut out = Vec::new();
    for row in table {
        let of = |ended| row.runs.iter().find(move |run| run.ended == ended);
        let model = &row.entry.words;
        if let (Some(found), Some(none)) = (of(Ended::Found), of(Ended::None)) {
            out.push(format!(
                "{model}: `{}` has found an error, `{}` has proven that there is none",
                found.search, none.search
            ));
        }
        for proven in row.runs.iter().filter(|run| run.ended == Ended::Found && run.proven_shortest) {
            let is_shorter = |run: &&&Run| {
                run.property == proven.property && run.ended == Ended::Found && run.length < proven.length
            };
            if let Some(shorter) = row.runs.iter().find(is_shorter) {
                out.push(format!(
                    "{model}: `{}` has proven its trace shortest, that of `{}` is shorter",
                    proven.search, shorter.search
                ));
            }
        }
    }
    out
}
