//! Commands of a page, run in the order in which they stand there.

use std::path::Path;
use std::process::{Command, Stdio};

use super::output::{LEFT_OUT, is_as_shown};
use super::page::{Block, Page, root};

/// Commands that this test does not run, and why. Each stands on some page.
pub const NOT_RUN: &[(&str, &str)] = &[
    ("cargo install --path crates/bughound", "installs the program; what it builds is what this test runs"),
    ("cargo doc --open -p bughound", "opens a browser; `.ci/run` makes the same pages"),
    ("cargo run --release -p bughound-native --example sliding_tiles", "native/tests/all/examples.rs runs its code"),
    ("cargo run --release -p bughound-native --example paxos", "native/tests/all/examples.rs runs its code"),
];

/// Programs that need not be there.
const OPTIONAL: [&str; 2] = ["spin", "dot"];

/// Options whose value is a file that is written.
const WRITES: [&str; 10] = [
    "--junit",
    "--sarif",
    "--itf",
    "--dot",
    "--trail",
    "--save-trace",
    "--chart-svg",
    "--svg",
    "--subsystem",
    "--mass",
];

const BUILDS_AND_RUNS: &str = "cargo run --release -p bughound -- ";

/// A command and what the page shows of its output.
pub struct Shown {
    pub command: String,
    /// The line of the command, counted from 0.
    pub line: usize,
    /// The lines of its output.
    pub output: std::ops::Range<usize>,
}

/// The commands of a block ```console.
pub fn commands(page: &Page, block: &Block) -> Vec<Shown> {
    let starts: Vec<usize> =
        (block.first..block.end).filter(|at| page.lines[*at].starts_with("$ ")).chain([block.end]).collect();
    assert_eq!(starts[0], block.first, "{}: a session begins with `$ command`", page.at(block.first));
    let shown = |pair: &[usize]| {
        let (line, end) = (pair[0], pair[1]);
        let mut command = page.lines[line][2..].to_string();
        let mut from = line + 1;
        while let Some(part) = command.strip_suffix('\\') {
            command = format!("{} {}", part.trim_end(), page.lines[from].trim());
            from += 1;
        }
        let blank = page.lines[from..end].iter().rev().take_while(|line| line.trim().is_empty()).count();
        Shown { command, line, output: from..end - blank }
    };
    starts.windows(2).map(shown).collect()
}

/// A directory with the bundled models, and what the commands of a page have left there.
pub struct Place {
    directory: tempfile::TempDir,
    code: Option<i32>,
}

pub struct Printed {
    /// The standard output, then the standard error.
    pub lines: Vec<String>,
    pub code: Option<i32>,
}

impl Place {
    pub fn new() -> Place {
        let directory = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("models"), directory.path().join("models")).unwrap();
        Place { directory, code: None }
    }

    /// `None` if it is not to be run. The command may be any line for a shell.
    pub fn run(&mut self, command: &str) -> Result<Option<Printed>, String> {
        let command = command.replace(BUILDS_AND_RUNS, "bughound ");
        let program = command.split(' ').next().unwrap_or_default();
        if program == "cargo" {
            return if is_documented(&command) {
                Ok(None)
            } else {
                Err("is neither run by .ci/run nor in the list".into())
            };
        }
        if OPTIONAL.contains(&program) && !is_installed(program) {
            eprintln!("skipped, {program} is not installed: {command}");
            return Ok(None);
        }
        let bughound = Path::new(env!("CARGO_BIN_EXE_bughound")).parent().unwrap();
        let path = format!("{}:{}", bughound.display(), std::env::var("PATH").unwrap_or_default());
        // Every command has a shell of its own, so this one has to be told how the last one ended.
        let before = self.code.map_or(String::new(), |code| format!("(exit {code}); "));
        let output = Command::new("sh")
            .args(["-c", &format!("{before}{command}")])
            .current_dir(self.directory.path())
            .env("PATH", path)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| error.to_string())?;
        self.code = output.status.code();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let words: Vec<&str> = command.split_whitespace().collect();
        for pair in words.windows(2).filter(|pair| WRITES.contains(&pair[0]) && pair[1].contains('.')) {
            if std::fs::metadata(self.directory.path().join(pair[1])).map_or(0, |file| file.len()) == 0 {
                return Err(format!("has not written {}\n{text}", pair[1]));
            }
        }
        Ok(Some(Printed { lines: text.trim_end().lines().map(str::to_string).collect(), code: self.code }))
    }
}

/// Is a command for Cargo one that is known to work?
pub fn is_documented(command: &str) -> bool {
    let checks = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    NOT_RUN.iter().any(|(known, _)| *known == command) || checks.lines().any(|line| line == command)
}

fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|directory| directory.join(program).is_file())
}

/// What came out of the sessions of a page.
pub struct Outcome {
    /// What is wrong and has to be mended by hand.
    pub wrong: Vec<String>,
    /// What is printed and not shown, and the page with it.
    pub outdated: Vec<String>,
    pub renewed: Vec<String>,
}

/// Runs the sessions of a page.
pub fn run_sessions(page: &Page) -> Outcome {
    let mut place = Place::new();
    let mut outcome = Outcome { wrong: Vec::new(), outdated: Vec::new(), renewed: page.lines.clone() };
    let mut replaced: Vec<(std::ops::Range<usize>, Vec<String>)> = Vec::new();
    for block in page.blocks().iter().filter(|block| block.kind == "console") {
        let commands = commands(page, block);
        for (at, shown) in commands.iter().enumerate() {
            let complaint = |what: String| format!("{}: `{}` {what}", page.at(shown.line), shown.command);
            let printed = match place.run(&shown.command) {
                Ok(Some(printed)) => printed,
                Ok(None) => continue,
                Err(what) => {
                    outcome.wrong.push(complaint(what));
                    continue;
                }
            };
            let text = printed.lines.join("\n");
            let tells_code = commands.get(at + 1).is_some_and(|next| next.command == "echo $?");
            if !matches!(printed.code, Some(0 | 1)) && !tells_code {
                outcome.wrong.push(complaint(format!("ends with {:?}\n{text}", printed.code)));
            }
            let output = &page.lines[shown.output.clone()];
            if output.is_empty() || is_as_shown(output, &printed.lines) {
                continue;
            }
            let complaint = complaint(format!("does not print what is shown, but\n{text}"));
            // Which lines are to be left out is known to people only.
            if output.iter().any(|line| line.trim() == LEFT_OUT) {
                outcome.wrong.push(complaint);
            } else {
                outcome.outdated.push(complaint);
                replaced.push((shown.output.clone(), printed.lines));
            }
        }
    }
    for (range, lines) in replaced.into_iter().rev() {
        outcome.renewed.splice(range, lines);
    }
    outcome
}
