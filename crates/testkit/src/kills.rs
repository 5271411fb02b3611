//! Runs of the program that are killed at random moments and go on from their checkpoints: in the end they must tell what a run
//! tells that nobody has killed.

use std::path::Path;
use std::process::{Child, Command, Stdio};
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
            fields.retain(|name, _| !name.ends_with("seconds") && !name.contains("memory") && name != "notes");
            fields.values_mut().for_each(strip);
        }
        Value::Array(values) => values.iter_mut().for_each(strip),
        _ => {}
    }
}

fn start(program: &Path, arguments: &[&str], more: &[&str]) -> Result<Child, String> {
    let mut command = Command::new(program);
    command.args(arguments).args(more).args(["--json", "--no-progress"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| format!("{} does not start: {error}", program.display()))
}

fn told(child: Child) -> Result<Told, String> {
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let complaint = String::from_utf8_lossy(&output.stderr);
    let document = serde_json::from_str(&text).map_err(|error| format!("{error}\n{text}\n{complaint}"))?;
    Ok(Told { code: output.status.code(), document: essence(document) })
}

/// What it tells if nobody kills it, and how long that takes.
pub fn undisturbed(program: &Path, arguments: &[&str]) -> Result<(Told, Duration), String> {
    let started = Instant::now();
    let told = told(start(program, arguments, &[])?)?;
    Ok((told, started.elapsed()))
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
    let mut kills = Kills::default();
    loop {
        let is_saved = directory.join("manifest").exists();
        kills.resumed += u32::from(is_saved);
        kills.under_way += u32::from(is_saved && has_states(directory));
        let option = if is_saved { "--resume" } else { "--checkpoint" };
        let mut child = start(program, arguments, &[option, place, "--every", "50ms"])?;
        let end = Instant::now() + longest.mul_f64(random.unit());
        let is_last = kills.kills == most;
        while is_last || Instant::now() < end {
            if child.try_wait().map_err(|error| error.to_string())?.is_some() {
                return Ok((told(child)?, kills));
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        // SIGKILL: nothing can be done about it, or tidied up.
        child.kill().map_err(|error| error.to_string())?;
        let output = child.wait_with_output().map_err(|error| error.to_string())?;
        if output.status.success() || output.status.code().is_some() {
            // It had told its result just before.
            let text = String::from_utf8_lossy(&output.stdout);
            if let Ok(document) = serde_json::from_str(&text) {
                return Ok((Told { code: output.status.code(), document: essence(document) }, kills));
            }
        }
        kills.kills += 1;
    }
}

fn has_states(directory: &Path) -> bool {
    let manifest = std::fs::read_to_string(directory.join("manifest")).unwrap_or_default();
    manifest.contains("section\tstates-0")
}
