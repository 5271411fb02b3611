//! `bughound compare DIR|LIST --portfolio`: many models by many searches, to choose searches by data.
//!
//! Each run is a process of its own, `bughound check --first` with one search and the same limits: it has all memory for itself, and one
//! that breaks takes nothing with it. Every run is written to `runs.csv` in the folder of the results as soon as it is over, and is not
//! made again: the same command goes on where it was ended. Pictures and the summary are made of that file.

mod entries;
mod pictures;
mod runs;
mod summary;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bughound_kernel::StopReason;
use clap::Args;

use super::CompareArguments;
use crate::cli::quantities::time;
use crate::cli::{Outcome, eprint_line, fail, outputs, supervisor};
use bughound::verdict::{EXIT_USAGE, Verdict};
use entries::{Entry, entries};
use runs::{Ended, Limits, Run, Runs};

/// Each search may take so long, if nothing else is said.
const TIME_EACH: Duration = Duration::from_secs(20);
/// And so much memory.
const MEMORY_EACH: &str = "4G";
/// Everything else about a run stands in the list.
const OPTIONS: [&str; 11] = [
    "--portfolio",
    "--into",
    "--searches",
    "--time-each",
    "--max-memory",
    "--max-time",
    "--threads",
    "--seed",
    "--quiet",
    "--no-progress",
    "--color",
];

#[derive(Debug, Args)]
#[command(next_help_heading = "Many models")]
pub struct PortfolioArguments {
    /// Compare searches on many models: all in a directory, or those of a list, which has in each line the words of a `check`
    /// command: a model, properties, options
    #[arg(long, conflicts_with_all = ["csv", "svg", "json"])]
    pub portfolio: bool,
    /// With --portfolio: the folder for runs.csv and the pictures. Runs that stand there are not made again
    #[arg(long, value_name = "FOLDER", default_value = "portfolio", requires = "portfolio")]
    pub into: PathBuf,
}

pub fn run(arguments: &CompareArguments) -> Outcome {
    let output = &arguments.output;
    let failed = |message: &str| fail(EXIT_USAGE, message, None, output, None);
    if let Some(other) = other_option(std::env::args()) {
        let message = format!("{other} is not for --portfolio; write it into the lines of the list that it is about");
        return failed(&message);
    }
    let asked = match entries(Path::new(&arguments.model.file)) {
        Ok(asked) => asked,
        Err(message) => return failed(&message),
    };
    let bounds = &arguments.run.bounds;
    let limits = Limits {
        time: arguments.time_each.unwrap_or(TIME_EACH),
        memory: bounds.max_memory.map_or(MEMORY_EACH.to_string(), |bytes| bytes.to_string()),
        seed: arguments.run.threads.seed(),
        threads: arguments.run.threads.asked(),
    };
    let folder = &arguments.many.into;
    let mut done = match Runs::open(folder, &limits) {
        Ok(done) => done,
        Err(message) => return failed(&message),
    };
    let searches = arguments.expressions();
    let missing = done.missing(&asked, &searches);
    let wanted = asked.len() * searches.len();
    if missing.len() < wanted && !output.quiet {
        eprint_line(&format!("note: {} of {wanted} runs are in {} already", wanted - missing.len(), folder.display()));
    }
    for (at, (entry, search)) in missing.iter().enumerate() {
        if supervisor::stop_signal().is_raised() {
            break;
        }
        let run = runs::make(entry, search, &limits);
        if run.ended == Ended::Interrupted {
            break;
        }
        if !output.quiet && !output.no_progress {
            let (number, all) = (at + 1, missing.len());
            let what = format!("{} by {search}: {}", entry.words, run.ended.name());
            eprint_line(&format!("{number}/{all} {what}, {}", time(run.cpu())));
        }
        if let Err(error) = done.add(run) {
            return failed(&format!("{}: a run cannot be written: {error}", folder.display()));
        }
    }
    let reason = supervisor::stop_signal().reason();
    let table = done.of(&asked, &searches);
    if let Err(error) = draw(folder, &table, &searches) {
        eprint_line(&format!("error: {}: a picture cannot be written: {error}", folder.display()));
        return Outcome { text: summary::render(&table, &searches), code: EXIT_USAGE };
    }
    let left = wanted - table.iter().map(|row| row.runs.len()).sum::<usize>();
    if left > 0 {
        let why = reason.map_or("", StopReason::describe);
        eprint_line(&format!("note: {left} of {wanted} runs were not made: {why}; the same command goes on"));
    }
    let contradictions = summary::contradictions(&table);
    for contradiction in &contradictions {
        eprint_line(&format!("CONTRADICTION: {contradiction}"));
    }
    let code = match (contradictions.is_empty(), left) {
        (false, _) => bughound::verdict::EXIT_INTERNAL,
        (true, 0) => Verdict::Holds.exit_code(),
        (true, _) => Verdict::Limit.exit_code(),
    };
    Outcome { text: summary::render(&table, &searches), code }
}

/// What the searches have made of one model.
pub(super) struct Row<'a> {
    pub entry: &'a Entry,
    pub runs: Vec<&'a Run>,
}

impl Row<'_> {
    fn by(&self, search: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.search == search).copied()
    }
}

fn draw(folder: &Path, table: &[Row<'_>], searches: &[String]) -> std::io::Result<()> {
    outputs::write(&folder.join("cactus.svg"), &pictures::cactus(table, searches).to_svg())?;
    outputs::write(&folder.join("scatter.svg"), &pictures::scatter(table, searches).to_svg())
}

/// An option that would be passed over.
fn other_option(words: impl Iterator<Item = String>) -> Option<String> {
    let long = words.skip(1).filter(|word| word.starts_with('-') && word.len() > 1);
    let name = |word: String| word.split('=').next().unwrap_or_default().to_string();
    long.map(name).find(|name| !OPTIONS.contains(&name.as_str()) && name != "-q")
}

#[cfg(test)]
mod tests {
    use super::other_option;

    #[test]
    fn options_that_would_be_passed_over_are_named() {
        let words = |words: &str| words.split(' ').map(String::from).collect::<Vec<_>>().into_iter();
        assert_eq!(other_option(words("bughound compare models --portfolio --time-each=1s --seed 3")), None);
        assert_eq!(other_option(words("bughound compare models --portfolio -DN=3")), Some("-DN".into()));
        assert_eq!(other_option(words("bughound compare m --portfolio --reduction=off")), Some("--reduction".into()));
    }
}
