//! Why there is no checkpoint.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum Error {
    /// The system refused something, such as writing to a full disk.
    Io { doing: &'static str, path: PathBuf, error: io::Error },
    /// The directory holds no complete checkpoint.
    Nothing(PathBuf),
    /// It holds one that must not be overwritten.
    Occupied(PathBuf),
    /// Another process uses the directory.
    InUse(PathBuf),
    /// A file is not what was written.
    Damaged { file: PathBuf, why: String },
    /// It was written by another version of the program.
    Version { found: String },
    /// There is no room in memory for what a file holds.
    OutOfMemory(PathBuf),
    /// What is recorded is about something else.
    Mismatch { name: String, then: String, now: String },
}

impl Error {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_path_buf();
        move |error| Error::Io { doing, path, error }
    }

    pub(crate) fn damaged(file: &Path, why: impl Into<String>) -> Error {
        Error::Damaged { file: file.to_path_buf(), why: why.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { doing, path, error } => write!(f, "cannot {doing} {}: {error}", path.display()),
            Error::Nothing(path) => write!(f, "{} holds no checkpoint", path.display()),
            Error::Occupied(path) => write!(f, "{} holds a checkpoint already", path.display()),
            Error::InUse(path) => write!(f, "{} is used by another process", path.display()),
            Error::Damaged { file, why } => write!(f, "{} is damaged: {why}", file.display()),
            Error::Version { found } => {
                write!(f, "the checkpoint has format {found}; this program reads {}", crate::FORMAT)
            }
            Error::OutOfMemory(file) => write!(f, "there is not enough memory for what {} holds", file.display()),
            Error::Mismatch { name, then, now } => write!(f, "{name}: {then} then, {now} now"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
