//! Where files lie: a directory, or something that fails on purpose.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::Mutex;

use crate::directory::Directory;

/// Files with numbers in place of names. Written at their ends only.
pub trait Medium: Send + Sync {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()>;

    /// Fills all of `into` from this place on.
    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()>;

    fn remove(&self, file: u64) -> io::Result<()>;

    /// Where a file is, or is to be, for who gives it another name; `None`: files have no names here.
    fn place(&self, _file: u64) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}

/// A directory of its own below one that the user names. It is made when the first file is written, and gone with this value.
pub struct OnDisk {
    below: PathBuf,
    directory: Mutex<Option<Directory>>,
}

impl OnDisk {
    pub fn new(below: PathBuf) -> Self {
        OnDisk { below, directory: Mutex::new(None) }
    }

    fn path(&self, file: u64) -> io::Result<PathBuf> {
        let mut directory = self.directory.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let directory = match &mut *directory {
            Some(directory) => directory,
            none => none.insert(Directory::new(&self.below)?),
        };
        Ok(directory.path().join(format!("{file}.run")))
    }
}

impl Medium for OnDisk {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
        OpenOptions::new().create(true).append(true).open(self.path(file)?)?.write_all(bytes)
    }

    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
        let mut file = File::open(self.path(file)?)?;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(into)
    }

    fn remove(&self, file: u64) -> io::Result<()> {
        fs::remove_file(self.path(file)?)
    }

    fn place(&self, file: u64) -> io::Result<Option<PathBuf>> {
        self.path(file).map(Some)
    }
}
