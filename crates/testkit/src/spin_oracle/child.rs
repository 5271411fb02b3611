//! Child processes with a time limit, and scratch directories.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How a child process ended and what it printed (standard output, then standard error).
#[derive(Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub text: String,
}

/// Run a command in a directory. `None` when the time limit passed (the child is killed).
///
/// The output goes through files, so a child that prints a lot cannot block on a full pipe.
pub fn run(command: &mut Command, dir: &Path, limit: Duration) -> io::Result<Option<Finished>> {
    let (out, err) = (dir.join("child.out"), dir.join("child.err"));
    command.current_dir(dir).stdin(Stdio::null()).stdout(File::create(&out)?).stderr(File::create(&err)?);
    let mut child = command.spawn()?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(300);
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(5));
    };
    let mut text = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
    text.push_str(&String::from_utf8_lossy(&fs::read(&err)?));
    Ok(Some(Finished { status, text }))
}

/// Find a program on the search path.
pub fn find_program(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).map(|dir| dir.join(name)).find(|p| p.is_file())
}

/// A directory that is removed when the value is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Make a new empty directory below the system's directory for temporary files.
    pub fn new() -> io::Result<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = std::env::temp_dir().join(format!("bughound-oracle-{}-{number}", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Scratch { path }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scratch_directories_differ_and_vanish() {
        let (a, b) = (Scratch::new().unwrap(), Scratch::new().unwrap());
        assert_ne!(a.path(), b.path());
        let path = a.path().to_path_buf();
        drop(a);
        assert!(!path.exists() && b.path().exists());
    }

    #[test]
    fn output_and_time_limit() {
        let (Some(echo), Some(sleep)) = (find_program("echo"), find_program("sleep")) else { return };
        let dir = Scratch::new().unwrap();
        let done = run(Command::new(echo).arg("hello"), dir.path(), Duration::from_secs(5)).unwrap().unwrap();
        assert!(done.status.success() && done.text == "hello\n");
        assert!(run(Command::new(sleep).arg("5"), dir.path(), Duration::from_millis(30)).unwrap().is_none());
    }
}
