//! A directory that holds a checkpoint.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use crate::manifest::Manifest;
use crate::saved::Saved;
use crate::{Draft, Error, Identity, files};

/// It belongs to one process at a time.
pub struct Folder {
    directory: PathBuf,
    saved: Option<Saved>,
    /// Held as long as the folder is used; the system takes it back from a process that was killed.
    lock: File,
}

impl Drop for Folder {
    /// Closing the file is not enough: a process that this one is just starting has a copy of it for a moment, and would keep
    /// the lock so long.
    fn drop(&mut self) {
        // Whoever cannot give it back keeps it until the process ends, and is told "in use" then.
        let _ = self.lock.unlock();
    }
}

impl Folder {
    /// For a new run: makes the directory. One that holds a checkpoint is refused.
    pub fn create(directory: &Path) -> Result<Folder, Error> {
        std::fs::create_dir_all(directory).map_err(Error::io("make", directory))?;
        let folder = Folder::locked(directory)?;
        match folder.saved {
            Some(_) => Err(Error::Occupied(directory.to_path_buf())),
            None => Ok(folder),
        }
    }

    /// For a run that goes on. A directory without a checkpoint is refused.
    pub fn open(directory: &Path) -> Result<Folder, Error> {
        if !directory.join(files::MANIFEST).exists() {
            return Err(Error::Nothing(directory.to_path_buf()));
        }
        Folder::locked(directory)
    }

    fn locked(directory: &Path) -> Result<Folder, Error> {
        let path = directory.join(files::LOCK);
        let lock = File::create(&path).map_err(Error::io("write", &path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::InUse(directory.to_path_buf())),
            Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path)(error)),
        }
        let saved = Saved::in_directory(directory)?;
        if let Some(saved) = &saved {
            sweep(directory, saved.manifest());
        }
        Ok(Folder { directory: directory.to_path_buf(), saved, lock })
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The checkpoint that it holds.
    pub fn saved(&self) -> Result<Saved, Error> {
        self.saved.clone().ok_or_else(|| Error::Nothing(self.directory.clone()))
    }

    /// Begins the next checkpoint.
    pub fn draft(&mut self, identity: &Identity) -> Result<Draft<'_>, Error> {
        Ok(Draft::new(&self.directory, &mut self.saved, identity))
    }

    /// The run is over: nothing is left to go on with.
    pub fn clear(self) -> Result<(), Error> {
        // The manifest first: without it nothing else means anything.
        for name in [files::MANIFEST, files::NEXT_MANIFEST] {
            let path = self.directory.join(name);
            files::remove(&path).map_err(Error::io("remove", &path))?;
        }
        sweep(&self.directory, &Manifest::default());
        let path = self.directory.join(files::LOCK);
        files::remove(&path).map_err(Error::io("remove", &path))?;
        // It stays if there is something else in it, or if it was there before: an empty directory is no harm.
        Ok(())
    }
}

/// Removes what no checkpoint needs: sections that the manifest does not name. What cannot be removed now can be later.
pub(crate) fn sweep(directory: &Path, manifest: &Manifest) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let is_unknown = files::is_section_file(name) && manifest.entries.iter().all(|entry| entry.file != name);
        if is_unknown || name == files::NEXT_MANIFEST {
            let _ = files::remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_free_when_it_is_dropped_though_a_process_being_started_has_a_copy_of_its_lock() {
        let place = std::env::temp_dir().join(format!("bughound-folder-{}", std::process::id()));
        let folder = Folder::create(&place).unwrap();
        assert!(matches!(Folder::create(&place), Err(Error::InUse(_))));
        let copy = folder.lock.try_clone().unwrap();
        drop(folder);
        Folder::create(&place).unwrap().clear().unwrap();
        drop(copy);
        std::fs::remove_dir_all(&place).unwrap();
    }
}
