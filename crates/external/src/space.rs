//! How many bytes lie on disk, and how many went there and came back.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bughound_search::DiskUse;

use crate::medium::Medium;
use crate::trouble::Trouble;

/// A medium, and what one search may use of it.
pub struct Space {
    medium: Box<dyn Medium>,
    most: u64,
    used: AtomicU64,
    peak: AtomicU64,
    written: AtomicU64,
    read: AtomicU64,
    next: AtomicU64,
    files: AtomicU64,
}

/// A file; it is removed with this value.
pub struct Piece {
    space: Arc<Space>,
    number: u64,
    bytes: u64,
}

/// Bytes on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub used: u64,
    pub peak: u64,
    pub written: u64,
    pub read: u64,
    pub files: u64,
}

impl Traffic {
    pub(crate) fn with_duplicates(self, duplicates: u64) -> DiskUse {
        let Traffic { used, peak, written, read, files } = self;
        DiskUse { used, peak, written, read, files, duplicates }
    }
}

impl Space {
    pub fn new(medium: Box<dyn Medium>, most: Option<u64>) -> Arc<Self> {
        let zero = AtomicU64::default;
        let most = most.unwrap_or(u64::MAX);
        Arc::new(Space {
            medium,
            most,
            used: zero(),
            peak: zero(),
            written: zero(),
            read: zero(),
            next: zero(),
            files: zero(),
        })
    }

    pub fn traffic(&self) -> Traffic {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Traffic {
            used: read(&self.used),
            peak: read(&self.peak),
            written: read(&self.written),
            read: read(&self.read),
            files: read(&self.files),
        }
    }

    /// Where a file is, or is to be, for who gives it another name.
    pub(crate) fn place(&self, file: u64) -> io::Result<Option<PathBuf>> {
        self.medium.place(file)
    }

    /// No file has this number or a larger one.
    pub(crate) fn next_number(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// Numbers below this one belong to files that are there.
    pub(crate) fn begin_at(&self, number: u64) {
        self.next.fetch_max(number, Ordering::Relaxed);
    }

    fn take(&self, bytes: u64) -> Result<(), Trouble> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if used > self.most {
            self.used.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Trouble::Full);
        }
        self.peak.fetch_max(used, Ordering::Relaxed);
        Ok(())
    }
}

impl Piece {
    pub fn new(space: &Arc<Space>) -> Self {
        let number = space.next.fetch_add(1, Ordering::Relaxed);
        Piece { space: Arc::clone(space), number, bytes: 0 }
    }

    /// A file that is there already, with so many bytes.
    pub(crate) fn adopt(space: &Arc<Space>, bytes: u64) -> Result<Self, Trouble> {
        let number = Piece::new(space).number;
        Piece::adopt_as(space, number, bytes)
    }

    /// The same where the file has a number already.
    pub(crate) fn adopt_as(space: &Arc<Space>, number: u64, bytes: u64) -> Result<Self, Trouble> {
        space.take(bytes)?;
        let piece = Piece { space: Arc::clone(space), number, bytes };
        space.files.fetch_add(u64::from(bytes > 0), Ordering::Relaxed);
        Ok(piece)
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub fn size(&self) -> u64 {
        self.bytes
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Trouble> {
        self.space.take(bytes.len() as u64)?;
        if self.bytes == 0 && !bytes.is_empty() {
            self.space.files.fetch_add(1, Ordering::Relaxed);
        }
        self.bytes += bytes.len() as u64;
        self.space.medium.append(self.number, bytes)?;
        self.space.written.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    pub fn read(&self, at: u64, into: &mut [u8]) -> Result<(), Trouble> {
        self.space.medium.read(self.number, at, into)?;
        self.space.read.fetch_add(into.len() as u64, Ordering::Relaxed);
        Ok(())
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // What cannot be removed now goes with the directory.
            let _ = self.space.medium.remove(self.number);
            self.space.used.fetch_sub(self.bytes, Ordering::Relaxed);
            self.space.files.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
