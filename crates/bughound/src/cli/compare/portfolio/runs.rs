//! The runs of a portfolio: how one is made, and the file that keeps them.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bughound::report::check::CheckDocument;
use serde::{Deserialize, Serialize};

use super::Row;
use super::entries::Entry;
use crate::cli::supervisor;

/// A process that has not ended so long after its limit is killed.
const GRACE: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// What all runs have in common.
#[derive(Clone, Debug)]
pub struct Limits {
    pub time: Duration,
    /// As `--max-memory` takes it.
    pub memory: String,
    pub seed: u64,
    pub threads: usize,
}

impl Limits {
    fn describe(&self) -> String {
        let Limits { time, memory, seed, threads } = self;
        format!("{}s {memory} seed={seed} threads={threads}", time.as_secs_f64())
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ended {
    /// With an error, or with the state asked for.
    Found,
    /// There is none: everything was seen.
    None,
    Limit,
    Inconclusive,
    /// The model or the search was refused.
    Refused,
    /// The program broke, or did not heed its limits.
    Broken,
    /// Ctrl-C: it is not kept.
    Interrupted,
}

impl Ended {
    pub fn name(self) -> &'static str {
        match self {
            Ended::Found => "found",
            Ended::None => "none",
            Ended::Limit => "limit",
            Ended::Inconclusive => "inconclusive",
            Ended::Refused => "refused",
            Ended::Broken => "broken",
            Ended::Interrupted => "interrupted",
        }
    }
}

/// A line of `runs.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub family: String,
    pub model: String,
    pub search: String,
    pub limits: String,
    pub ended: Ended,
    pub property: Option<String>,
    pub length: Option<u64>,
    pub proven_shortest: bool,
    pub expanded: Option<u64>,
    pub generated: Option<u64>,
    pub stored: Option<u64>,
    /// Of the whole process after it has read the model, as the program itself tells; the whole time if it was killed.
    pub cpu_seconds: f64,
    pub wall_seconds: f64,
    pub memory_bytes: Option<u64>,
    pub reason: Option<String>,
    pub version: String,
}

impl Run {
    pub fn cpu(&self) -> Duration {
        Duration::try_from_secs_f64(self.cpu_seconds).unwrap_or_default()
    }

    fn is(&self, entry: &Entry, search: &str) -> bool {
        self.model == entry.words && self.search == search
    }
}

/// Checks an entry by a search, in a process of its own.
pub fn make(entry: &Entry, search: &str, limits: &Limits) -> Run {
    let started = Instant::now();
    let mut run = Run {
        family: entry.family.clone(),
        model: entry.words.clone(),
        search: search.into(),
        limits: limits.describe(),
        ended: Ended::Broken,
        property: None,
        length: None,
        proven_shortest: false,
        expanded: None,
        generated: None,
        stored: None,
        cpu_seconds: 0.0,
        wall_seconds: 0.0,
        memory_bytes: None,
        reason: None,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    let printed = printed(entry, search, limits, started);
    run.wall_seconds = started.elapsed().as_secs_f64();
    run.cpu_seconds = run.wall_seconds;
    if supervisor::stop_signal().is_raised() {
        run.ended = Ended::Interrupted;
        return run;
    }
    match printed {
        Err(why) => run.reason = Some(why),
        Ok((code, text)) => match serde_json::from_str::<CheckDocument>(&text) {
            Ok(document) => run.note(&document),
            Err(_) => {
                // Documents of errors have other fields.
                run.ended = match code {
                    Some(2) => Ended::Refused,
                    // It did not listen when its time was over, and was ended by its supervisor.
                    Some(4) => Ended::Limit,
                    _ => Ended::Broken,
                };
                let message = |text: &str| {
                    let value: serde_json::Value = serde_json::from_str(text).ok()?;
                    Some(value.get("error")?.as_str()?.to_string())
                };
                run.reason = message(&text).or(Some(format!("exit code {code:?}")));
            }
        },
    }
    run
}

/// What the process has printed, and its exit code.
fn printed(entry: &Entry, search: &str, limits: &Limits, started: Instant) -> Result<(Option<i32>, String), String> {
    let time = format!("{}ms", limits.time.as_millis());
    let (seed, threads) = (limits.seed.to_string(), limits.threads.to_string());
    let mut command = Command::new(std::env::current_exe().map_err(|error| error.to_string())?);
    command.arg("check").args(&entry.arguments);
    command.args(["--json", "--quiet", "--no-progress", "--first", "--first-error"]);
    command.args(["--search", search, "--max-time", &time, "--max-memory", &limits.memory]);
    command.args(["--seed", &seed, "--threads", &threads]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let Some(mut out) = child.stdout.take() else { return Err("no output".into()) };
    // Somebody has to read what is printed, or a long trace keeps the process waiting.
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        out.read_to_string(&mut text).map(|_| text)
    });
    let end = started + limits.time + GRACE;
    let mut is_killed = false;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(error) => return Err(error.to_string()),
        }
        if !is_killed && (Instant::now() >= end || supervisor::stop_signal().is_raised()) {
            is_killed = true;
            let _ = child.kill();
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
    match is_killed {
        true => Err("it did not end at its limit and was killed".into()),
        false => Ok((status.code(), text)),
    }
}

impl Run {
    fn note(&mut self, document: &CheckDocument) {
        let found = document.properties.iter().find(|property| property.trace.is_some());
        self.ended = match (found, document.exit_code) {
            (Some(_), _) => Ended::Found,
            (None, 0 | 1) => Ended::None,
            (None, 4) => Ended::Limit,
            (None, 3) => Ended::Inconclusive,
            _ => Ended::Broken,
        };
        self.property = found.map(|property| property.name.clone());
        self.length = found.and_then(|property| property.trace.as_ref()).map(|trace| trace.length);
        self.proven_shortest = found.is_some_and(|property| property.proven_shortest);
        if self.ended != Ended::Found {
            self.reason = document.properties.iter().find_map(|property| property.reason.clone());
        }
        if let Some(stats) = &document.stats {
            self.expanded = Some(stats.expanded);
            self.generated = Some(stats.generated);
            self.stored = Some(stats.stored);
            self.memory_bytes = stats.peak_memory_bytes;
            self.cpu_seconds = stats.cpu_seconds.unwrap_or(stats.seconds);
        }
    }
}

/// All runs that a folder knows.
pub struct Runs {
    file: PathBuf,
    limits: String,
    all: Vec<Run>,
}

impl Runs {
    /// What is there already; the folder is made if there is none. Runs with other limits stay, but do not count.
    pub fn open(folder: &Path, limits: &Limits) -> Result<Runs, String> {
        let shown = folder.display();
        fs::create_dir_all(folder).map_err(|error| format!("{shown}: {error}"))?;
        let file = folder.join("runs.csv");
        let mut all = Vec::new();
        if file.exists() {
            let mut reader = csv::Reader::from_path(&file).map_err(|error| format!("{}: {error}", file.display()))?;
            for run in reader.deserialize() {
                // A line that was cut off must not be taken for a run, nor be followed by others.
                let run = run.map_err(|error| format!("{}: this is no table of runs: {error}", file.display()))?;
                all.push(run);
            }
        }
        Ok(Runs { file, limits: limits.describe(), all })
    }

    pub fn missing<'a>(&self, entries: &'a [Entry], searches: &'a [String]) -> Vec<(&'a Entry, &'a String)> {
        let pairs = entries.iter().flat_map(|entry| searches.iter().map(move |search| (entry, search)));
        pairs.filter(|(entry, search)| self.find(entry, search).is_none()).collect()
    }

    fn find(&self, entry: &Entry, search: &str) -> Option<&Run> {
        self.all.iter().find(|run| run.is(entry, search) && run.limits == self.limits)
    }

    pub fn of<'a>(&'a self, entries: &'a [Entry], searches: &[String]) -> Vec<Row<'a>> {
        let runs = |entry| searches.iter().filter_map(|search| self.find(entry, search)).collect();
        entries.iter().map(|entry| Row { entry, runs: runs(entry) }).collect()
    }

    /// Writes a run behind the others.
    pub fn add(&mut self, run: Run) -> io::Result<()> {
        let is_first = !self.file.exists();
        let file: File = OpenOptions::new().create(true).append(true).open(&self.file)?;
        // One write for a line: a kill leaves all of it or nothing.
        let mut writer = csv::WriterBuilder::new().has_headers(is_first).from_writer(Vec::new());
        writer.serialize(&run)?;
        let line = writer.into_inner().map_err(|error| error.into_error())?;
        io::Write::write_all(&mut &file, &line)?;
        self.all.push(run);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { time: Duration::from_secs(1), memory: "1G".into(), seed: 0, threads: 1 }
    }

    fn run(model: &str, search: &str) -> Run {
        Run {
            family: String::new(),
            model: model.into(),
            search: search.into(),
            limits: limits().describe(),
            ended: Ended::Found,
            property: Some("a \"b\", c".into()),
            length: Some(3),
            proven_shortest: true,
            expanded: None,
            generated: Some(7),
            stored: None,
            cpu_seconds: 0.25,
            wall_seconds: 0.5,
            memory_bytes: None,
            reason: Some("two\nlines".into()),
            version: "0".into(),
        }
    }

    #[test]
    fn runs_are_kept_and_not_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let entry = |words: &str| Entry { family: String::new(), words: words.into(), arguments: vec![] };
        let (entries, searches) = ([entry("a"), entry("b, c")], ["bfs".to_string(), "astar(h=x, y)".to_string()]);
        let mut runs = Runs::open(folder.path(), &limits()).unwrap();
        assert_eq!(runs.missing(&entries, &searches).len(), 4);
        runs.add(run("b, c", "astar(h=x, y)")).unwrap();
        runs.add(run("a", "bfs")).unwrap();
        let runs = Runs::open(folder.path(), &limits()).unwrap();
        assert_eq!(runs.all, [run("b, c", "astar(h=x, y)"), run("a", "bfs")]);
        let missing: Vec<_> =
            runs.missing(&entries, &searches).iter().map(|(e, s)| (e.words.as_str(), s.as_str())).collect();
        assert_eq!(missing, [("a", "astar(h=x, y)"), ("b, c", "bfs")]);
        let others = Limits { time: Duration::from_secs(2), ..limits() };
        assert_eq!(Runs::open(folder.path(), &others).unwrap().missing(&entries, &searches).len(), 4);
        fs::write(folder.path().join("runs.csv"), "no,table\n1,2\n").unwrap();
        assert!(Runs::open(folder.path(), &limits()).is_err());
    }
}
