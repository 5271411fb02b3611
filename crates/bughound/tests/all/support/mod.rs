//! Runs the binary on models in a directory of its own.

pub mod hard;
pub mod schema;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

pub struct Workspace {
    pub directory: TempDir,
}

pub struct Ran {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// The document on the standard output, which must be what the schema says.
    #[track_caller]
    pub fn json(&self) -> Value {
        let document =
            serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err));
        assert_eq!(schema::faults(&document), [""; 0], "{}", self.out);
        document
    }

    /// The exit code must be this one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "\n--- out\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub fn says(self, text: &str) -> Ran {
        assert!(self.out.contains(text), "`{text}` is missing in\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub fn does_not_say(self, text: &str) -> Ran {
        assert!(!self.out.contains(text), "`{text}` is not to be said in\n{}\n--- err\n{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub fn complains(self, text: &str) -> Ran {
        assert!(self.err.contains(text), "`{text}` is missing in\n{}\n--- out\n{}", self.err, self.out);
        self
    }
}

impl Workspace {
    pub fn new() -> Workspace {
        Workspace { directory: tempfile::tempdir().unwrap() }
    }

    pub fn with(file: &str, text: &str) -> Workspace {
        let workspace = Workspace::new();
        workspace.write(file, text);
        workspace
    }

    pub fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    pub fn write(&self, file: &str, text: &str) {
        std::fs::write(self.path(file), text).unwrap();
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with_input(arguments, "")
    }

    pub fn run_with_input(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bughound"))
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).ok();
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Checks one model with these options.
pub fn check(model: &str, options: &[&str]) -> Ran {
    Workspace::with("m.pml", model).run(&[&["check", "m.pml"], options].concat())
}

/// Checks queries to a UPPAAL model in its textual syntax, one by one. `+` before a query: the answer is yes.
#[track_caller]
pub fn answers(model: &str, queries: &[&str]) {
    let workspace = Workspace::with("m.xta", model);
    for query in queries {
        let (wanted, query) = query.split_at(1);
        let ran = workspace.run(&["check", "m.xta", "--json", "--no-progress", "--max-time", "60s", "--query", query]);
        assert!([0, 1].contains(&ran.code), "{query}: {}\n{}", ran.out, ran.err);
        let document = ran.json();
        let asked = document["properties"].as_array().unwrap().iter().rev().find(|p| p["name"] == query);
        let verdict = asked.unwrap_or_else(|| panic!("{query}: {document}"))["verdict"].as_str().unwrap();
        let yes = ["holds", "satisfied"].contains(&verdict);
        assert_eq!(yes, wanted == "+", "{query}: {verdict}\n{document:#}");
    }
}

pub const DEADLOCK: &str = "chan q = [1] of { byte };
active proctype P() { q!1; q!2 }
active proctype Q() { byte x; false; q?x }
";

pub const ASSERTION: &str = "byte x;
active [2] proctype P() { byte t; t = x; x = t + 1; assert(x < 2) }
";

pub const HOLDS: &str = "byte x;
active [2] proctype P() {
  atomic { x = x + 1; assert(x == 1); x = x - 1 }
}
";

/// Many states: 2 to the power of 40.
pub const HUGE: &str = "byte a[40];
active proctype P() { byte i; do :: i < 40 && a[i] < 3 -> if :: a[i] = 1 :: a[i] = 2 fi; i++ :: i == 40 -> i = 0 od }
";
