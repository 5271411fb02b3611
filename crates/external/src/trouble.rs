//! What can go wrong with states on disk, and in the memory beside them.

use std::fmt;
use std::io;

use bughound_kernel::{OutOfMemory, StopReason};

/// Why a search cannot go on. A verdict, never a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The limit on bytes is reached, or there are no more.
    Full,
    /// The system could not write or read.
    Failed(String),
    /// What was read is not what was written.
    Corrupt,
    Memory,
    /// The search was told to end.
    Stopped(StopReason),
}

impl Trouble {
    pub fn reason(&self) -> StopReason {
        match self {
            Trouble::Full => StopReason::DiskSpace,
            Trouble::Failed(_) | Trouble::Corrupt => StopReason::DiskFailure,
            Trouble::Memory => StopReason::Memory,
            Trouble::Stopped(reason) => *reason,
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Trouble::Full,
            io::ErrorKind::UnexpectedEof => Trouble::Corrupt,
            io::ErrorKind::OutOfMemory => Trouble::Memory,
            _ => Trouble::Failed(error.to_string()),
        }
    }
}

impl From<OutOfMemory> for Trouble {
    fn from(_: OutOfMemory) -> Self {
        Trouble::Memory
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Failed(what) => write!(f, "the disk failed: {what}"),
            Trouble::Corrupt => f.write_str("a file does not hold what was written to it"),
            Trouble::Full | Trouble::Memory | Trouble::Stopped(_) => f.write_str(self.reason().describe()),
        }
    }
}

impl std::error::Error for Trouble {}

/// Makes room for so many more elements.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) -> Result<(), Trouble> {
    vector.try_reserve(more).map_err(|_| Trouble::Memory)
}
