//! Directories for the files of one search: made anew, locked while the search lives, removed at every ending.
//!
//! A directory holds a file `owner` that its process keeps locked. Who is killed leaves the directory behind, but not the lock:
//! the next search that begins below the same directory removes what nobody owns any more.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

const PREFIX: &str = "bughound-states-";
const OWNER: &str = "owner";

/// Directories that this process has: for who ends it from outside of the search.
static LIVING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn living() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    LIVING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the files of all searches of this process, which is about to end without them.
pub fn remove_all() {
    for path in living().drain(..) {
        let _ = fs::remove_dir_all(path);
    }
}

#[derive(Debug)]
pub(crate) struct Directory {
    path: PathBuf,
    /// Locked as long as it is open.
    _owner: File,
}

impl Directory {
    pub(crate) fn new(below: &Path) -> io::Result<Self> {
        fs::create_dir_all(below)?;
        remove_abandoned(below);
        let process = std::process::id();
        for number in 0_u32.. {
            let path = below.join(format!("{PREFIX}{process}-{number}"));
            match fs::create_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made?,
            }
            living().push(path.clone());
            let owner = File::create(path.join(OWNER)).and_then(|owner| owner.lock().map(|()| owner));
            return match owner {
                Ok(owner) => Ok(Directory { path, _owner: owner }),
                Err(error) => {
                    forget(&path);
                    Err(error)
                }
            };
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        forget(&self.path);
    }
}

fn forget(path: &Path) {
    let _ = fs::remove_dir_all(path);
    living().retain(|other| other != path);
}

/// Removes directories whose owners are gone. One without a lock file is being made, or was never used: it is left alone.
fn remove_abandoned(below: &Path) {
    let Ok(entries) = fs::read_dir(below) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_ours = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
        if !is_ours || living().contains(&path) {
            continue;
        }
        // Another search locks the file as soon as it is there: for a moment it is nobody's, so who has it locks first.
        let Ok(owner) = File::options().write(true).open(path.join(OWNER)) else { continue };
        let is_young = owner
            .metadata()
            .and_then(|data| data.modified())
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age < std::time::Duration::from_secs(2)));
        match owner.try_lock() {
            Ok(()) if !is_young => {
                let _ = fs::remove_dir_all(&path);
            }
            Ok(()) | Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn directories_vanish_and_abandoned_ones_are_removed() {
        let below = std::env::temp_dir().join(format!("bughound-directory-test-{}", std::process::id()));
        let first = Directory::new(&below).unwrap();
        fs::write(first.path().join("1.run"), "x").unwrap();
        let abandoned = below.join(format!("{PREFIX}1-0"));
        fs::create_dir(&abandoned).unwrap();
        let owner = File::create(abandoned.join(OWNER)).unwrap();
        owner.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
        drop(owner);
        let foreign = below.join("of-the-user");
        fs::create_dir(&foreign).unwrap();
        let second = Directory::new(&below).unwrap();
        assert!(!abandoned.exists() && foreign.exists() && first.path().exists());
        assert_ne!(first.path(), second.path());
        let path = first.path().to_path_buf();
        drop(first);
        assert!(!path.exists() && second.path().exists());
        drop(second);
        fs::remove_dir(foreign).unwrap();
        fs::remove_dir(below).unwrap();
    }
}
