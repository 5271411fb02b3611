//! Files that are written: never over what is read, each to a file of its own, and none that an earlier run has left.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// An option that names a file to be written, and the file.
pub type Output<'a> = (&'static str, Option<&'a PathBuf>);

/// So long somebody is waited for who reads a pipe.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whoever writes a file holds it: no two threads write one file at the same time.
static WRITING: Mutex<()> = Mutex::new(());
/// An option has the standard output for what it writes.
static OUTPUT_IS_A_FILE: AtomicBool = AtomicBool::new(false);

/// To be called before anything is done. What an earlier run has written is removed, so that nobody takes it for the result
/// of this one. An option that names the standard output has it for itself. The error is for the user.
pub fn begin(inputs: &[&str], outputs: &[Output<'_>], json: bool) -> Result<(), String> {
    check(inputs, outputs)?;
    for (option, path) in named(outputs) {
        let shown = path.display();
        if is_stream(path, STANDARD_OUTPUT) {
            if json {
                return Err(format!("{option} {shown} and --json both write to the standard output; name a file"));
            }
            OUTPUT_IS_A_FILE.store(true, Ordering::Relaxed);
        } else if fs::metadata(path).is_ok_and(|found| found.is_file()) {
            // A link stays, and leads to the new file. Where nothing may be removed, the file may still be emptied.
            let file = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
            let removed = fs::remove_file(&file).or_else(|_| fs::write(&file, ""));
            removed.map_err(|error| format!("{option} {shown}: the old file cannot be removed: {error}"))?;
        }
    }
    Ok(())
}

fn check(inputs: &[&str], outputs: &[Output<'_>]) -> Result<(), String> {
    let outputs = named(outputs);
    for (at, (option, path)) in outputs.iter().enumerate() {
        let shown = path.display();
        if let Some(input) = inputs.iter().find(|input| **input != "-" && is_same(Path::new(input), path)) {
            return Err(format!("{option} {shown} would overwrite {input}, which is read; name another file"));
        }
        if let Some((other, _)) = outputs[..at].iter().find(|(_, other)| is_same(other, path)) {
            return Err(format!("{other} and {option} both write to {shown}; name two files"));
        }
    }
    Ok(())
}

fn named<'a>(outputs: &[Output<'a>]) -> Vec<(&'static str, &'a PathBuf)> {
    outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?))).collect()
}

/// Does an option write to the standard output? Then what is usually there goes to the standard error.
pub fn output_is_a_file() -> bool {
    OUTPUT_IS_A_FILE.load(Ordering::Relaxed)
}

/// A file takes back what was written to it; a pipe does not.
pub fn can_be_written_again(path: &Path) -> bool {
    !is_stream(path, STANDARD_OUTPUT)
        && !is_stream(path, STANDARD_ERROR)
        && fs::metadata(path).map_or(true, |found| found.is_file())
}

/// Writes a file, or to a device, a pipe or a stream of this program that is named like one.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let _writing = lock();
    if is_stream(path, STANDARD_OUTPUT) {
        let mut out = io::stdout().lock();
        return out.write_all(text.as_bytes()).and_then(|()| out.flush());
    }
    if is_stream(path, STANDARD_ERROR) {
        return io::stderr().write_all(text.as_bytes());
    }
    if is_pipe(path) { write_to_pipe(path, text) } else { fs::write(path, text) }
}

fn lock() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opening a pipe waits until somebody reads, which may be never.
fn write_to_pipe(path: &Path, text: &str) -> io::Result<()> {
    let (opened, is_open) = channel();
    let path = path.to_path_buf();
    std::thread::spawn(move || opened.send(fs::OpenOptions::new().write(true).open(path)));
    match is_open.recv_timeout(PATIENCE) {
        Ok(pipe) => pipe?.write_all(text.as_bytes()),
        Err(RecvTimeoutError::Timeout) => Err(io::Error::other("this is a pipe, and nobody reads from it")),
        Err(RecvTimeoutError::Disconnected) => Err(io::Error::other("it cannot be opened")),
    }
}

const STANDARD_OUTPUT: &str = "/dev/stdout";
const STANDARD_ERROR: &str = "/dev/stderr";

/// Is this, whatever its name, a stream that this program was started with? Opening it once more would write from the
/// beginning of the file that it leads to.
fn is_stream(path: &Path, stream: &str) -> bool {
    if is_device(path) {
        return false;
    }
    match (number(path), number(Path::new(stream))) {
        (Some(this), Some(stream)) => this == stream,
        _ => false,
    }
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

/// A terminal, or `/dev/null`: there is no place in it at which one writes.
#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

#[cfg(not(unix))]
fn is_device(_: &Path) -> bool {
    false
}

/// Do two names mean one file, or would they if it existed? What is no regular file, such as `/dev/null`, takes everything.
pub fn is_same(a: &Path, b: &Path) -> bool {
    if [a, b].iter().any(|path| fs::metadata(path).is_ok_and(|found| !found.is_file())) {
        return false;
    }
    identity(a) == identity(b)
}

#[derive(PartialEq, Eq)]
enum Identity {
    /// By device and number: links are the file that they lead to.
    Existing(u64, u64),
    Named(PathBuf),
}

/// Device and number of what exists.
#[cfg(unix)]
fn number(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(path).ok().map(|found| (found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn number(_: &Path) -> Option<(u64, u64)> {
    None
}

fn identity(path: &Path) -> Identity {
    if let Some((device, number)) = number(path) {
        return Identity::Existing(device, number);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_path_buf());
    Identity::Named(directory.join(path.file_name().unwrap_or_default()))
}
