//! Files of several processes as a medium: those that others have made are read where they lie, one's own are made in the folder of
//! the result that is in the making.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::record::KeptRun;
use crate::medium::Medium;
use crate::run::Run;
use crate::space::{Piece, Space};
use crate::trouble::Trouble;

#[derive(Default)]
pub(super) struct SharedFiles(Mutex<Names>);

#[derive(Default)]
struct Names {
    attempt: PathBuf,
    /// Of files that others may read; they are not removed with the run.
    kept: HashMap<u64, PathBuf>,
    own: HashMap<u64, PathBuf>,
}

impl SharedFiles {
    pub(super) fn new() -> Self {
        Self::default()
    }

    fn names(&self) -> MutexGuard<'_, Names> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// New files are made here from now on.
    pub(super) fn work_in(&self, attempt: &Path) {
        self.names().attempt = attempt.to_owned();
    }

    /// A run that lies in a file.
    pub(super) fn open(&self, kept: &KeptRun, path: PathBuf, space: &Arc<Space>) -> Result<Run, Trouble> {
        let piece = Piece::adopt(space, kept.bytes)?;
        self.names().kept.insert(piece.number(), path);
        Ok(Run::restore(piece, kept.places.clone(), kept.rows))
    }

    /// Gives a run of one's own the name under which others will find it.
    pub(super) fn keep(&self, run: &Run, attempt: &Path, file: &str) -> io::Result<()> {
        let path = attempt.join(file);
        match run.in_memory() {
            Ok(bytes) => fs::write(path, bytes),
            Err(number) => {
                let own = self.names().own.remove(&number).ok_or(io::ErrorKind::NotFound)?;
                fs::rename(own, path)
            }
        }
    }

    fn path(&self, file: u64) -> io::Result<PathBuf> {
        let names = self.names();
        names.kept.get(&file).or_else(|| names.own.get(&file)).cloned().ok_or(io::ErrorKind::NotFound.into())
    }
}

impl Medium for Arc<SharedFiles> {
    fn append(&self, file: u64, bytes: &[u8]) -> io::Result<()> {
        let path = {
            let names = &mut *self.names();
            let attempt = &names.attempt;
            names.own.entry(file).or_insert_with(|| attempt.join(format!("{file}.own"))).clone()
        };
        OpenOptions::new().create(true).append(true).open(path)?.write_all(bytes)
    }

    fn read(&self, file: u64, at: u64, into: &mut [u8]) -> io::Result<()> {
        let mut file = File::open(self.path(file)?)?;
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(into)
    }

    fn remove(&self, file: u64) -> io::Result<()> {
        let mut names = self.names();
        names.kept.remove(&file);
        let own = names.own.remove(&file);
        drop(names);
        own.map_or(Ok(()), fs::remove_file)
    }
}
