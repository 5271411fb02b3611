//! Runs of the program that are killed at random moments and go on from their checkpoints: in the end they must tell what a run
//! tells that nobody has killed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bughound_kernel::Random;
use serde_json::Value;

/// What a program has told, and the exit code.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    pub code: Option<i32>,
    pub document: Value,
}

/// How often a run was killed, and how often there was something to go on with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kills {
    pub kills: u32,
    pub resumed: u32,
    /// Of these, those with a search under way that had states.
    pub under_way: u32,
}

impl Kills {
    pub fn add(&mut self, more: Kills) {
        self.kills += more.kills;
        self.resumed += more.resumed;
        self.under_way += more.under_way;
    }
}

/// Times and sizes differ from run to run; nothing else may. What is said about long runs is no part of the result.
pub fn essence(mut document: Value) -> Value {
    strip(&mut document);
    document
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            // What went to the disk and back is that of the last process, and what workers send depends on who comes first.
            let varies = |name: &str| name.ends_with("seconds") || name.contains("memory");
            fields.retain(|name, _| !varies(name) && !["notes", "disk", "workers"].contains(&name.as_str()));
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

/// Leaves of traces how long they are.
fn keep_lengths(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if let Some(trace) = fields.get_mut("trace").filter(|trace| trace.is_object()) {
                *trace = trace["length"].take();
            }
            fields.values_mut().for_each(keep_lengths);
        }
        Value::Array(values) => values.iter_mut().for_each(keep_lengths),
        _ => {}
    }
}

fn start(program: &Path, arguments: &[&str], more: &[&str], out: &Path) -> Result<Child, String> {
    let file = |path: PathBuf| File::create(path).map_err(|error| error.to_string());
    let mut command = Command::new(program);
    command.args(arguments).args(more).args(["--json", "--no-progress"]);
    // Files: nobody reads a pipe of a program that may be killed.
    command.stdin(Stdio::null()).stdout(file(out.to_path_buf())?).stderr(file(out.with_extension("err"))?);
    command.spawn().map_err(|error| format!("{} does not start: {error}", program.display()))
}

fn told(status: ExitStatus, arguments: &[&str], out: &Path) -> Result<Told, String> {
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
    let (text, complaint) = (read(out.to_path_buf()), read(out.with_extension("err")));
    let document = serde_json::from_str(&text).map_err(|error| format!("{error}\n{text}\n{complaint}"))?;
    let mut document = essence(document);
    // Of several ways of the same length, searches on disk and those by several workers tell any.
    if arguments.iter().any(|argument| ["--disk", "cluster"].contains(argument)) {
        keep_lengths(&mut document);
    }
    Ok(Told { code: status.code(), document })
}

/// What it tells if nobody kills it, and how long that takes. What it writes goes to the file.
pub fn undisturbed(program: &Path, arguments: &[&str], out: &Path) -> Result<(Told, Duration), String> {
    let started = Instant::now();
    let status = start(program, arguments, &[], out)?.wait().map_err(|error| error.to_string())?;
    Ok((told(status, arguments, out)?, started.elapsed()))
}

/// Kills it after a random time, up to the longest, until a run gets to its end; at most so often, the last run is left alone.
/// `directory` is for checkpoints and must not be there.
pub fn killed(
    program: &Path,
    arguments: &[&str],
    directory: &Path,
    (longest, most): (Duration, u32),
    random: &mut Random,
) -> Result<(Told, Kills), String> {
    let place = directory.to_str().ok_or("the directory has no name")?;
    let out = directory.with_extension("out");
    let mut kills = Kills::default();
    loop {
        let is_saved = directory.join("manifest").exists();
        kills.resumed += u32::from(is_saved);
        kills.under_way += u32::from(is_saved && has_states(directory));
        let option = if is_saved { "--resume" } else { "--checkpoint" };
        let mut child = start(program, arguments, &[option, place, "--every", "50ms"], &out)?;
        let end = Instant::now() + longest.mul_f64(random.unit());
        while kills.kills == most || Instant::now() < end {
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                return Ok((told(status, arguments, &out)?, kills));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // SIGKILL: nothing can be done about it, or tidied up. Of several processes all are killed, or any of them.
        let others = started_by(child.id());
        match random.below(3) {
            0 if !others.is_empty() => kill(others[random.below(others.len())])?,
            1 => {
                child.kill().map_err(|error| error.to_string())?;
                others.into_iter().try_for_each(kill)?;
            }
            _ => child.kill().map_err(|error| error.to_string())?,
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        // It may have told its result just before.
        if let Ok(told) = told(status, arguments, &out)
            && !is_without(&told)
        {
            return Ok((Told { code: status.code().or(Some(code_in(&told))), ..told }, kills));
        }
        kills.kills += 1;
    }
}

/// The processes that a process has started, where the system tells.
fn started_by(process: u32) -> Vec<u32> {
    let children = std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    children.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

fn kill(process: u32) -> Result<(), String> {
    // One that has just ended is no reason to complain.
    let mut command = Command::new("kill");
    command.args(["-KILL", &process.to_string()]).stderr(Stdio::null());
    command.status().map(|_| ()).map_err(|error| error.to_string())
}

/// Does it tell that another process was killed?
fn is_without(told: &Told) -> bool {
    code_in(told) == 4 && told.document.to_string().contains("worker was lost")
}

/// The exit code that the document tells.
fn code_in(told: &Told) -> i32 {
    told.document["exit_code"].as_i64().and_then(|code| i32::try_from(code).ok()).unwrap_or(-1)
}

fn has_states(directory: &Path) -> bool {
    let manifest = std::fs::read_to_string(directory.join("manifest")).unwrap_or_default();
    ["states-0", "disk-search", "cluster-0-search"]
        .iter()
        .any(|section| manifest.contains(&format!("section\t{section}\t")))
}
