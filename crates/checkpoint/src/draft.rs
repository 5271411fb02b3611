//! The next checkpoint, while it is being written.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::manifest::Manifest;
use crate::saved::{Saved, checksum, link_or_copy};
use crate::{Entry, Error, Identity, Writer, files};

/// A draft that is dropped leaves nothing behind, and the checkpoint before as it was.
pub struct Draft<'f> {
    directory: PathBuf,
    before: Option<Saved>,
    manifest: Manifest,
    /// Files that belong to nothing as long as there is no manifest that names them.
    written: Vec<PathBuf>,
    is_committed: bool,
    /// The folder is used by one at a time.
    slot: &'f mut Option<Saved>,
}

/// Begins a section of the checkpoint with this [number](Draft::generation), for a process that shares the folder with the one that
/// writes the manifest. Names must not be used twice.
pub fn section_of(directory: &Path, name: &str, generation: u64) -> Result<Writer, Error> {
    let file_name = files::section_file(name, generation);
    let path = directory.join(&file_name);
    if !files::is_section_name(name) {
        return Err(Error::damaged(&path, format!("`{name}` is no name for a section")));
    }
    let file = File::create(&path).map_err(Error::io("write", &path))?;
    Ok(Writer::new(name, file_name, file))
}

impl Writer {
    /// Ends a section: everything has reached the disk. The entry is for the manifest ([`Draft::include`]).
    pub fn close(self, directory: &Path) -> Result<Entry, Error> {
        let (name, file) = (self.name().to_string(), self.file_name.clone());
        let (length, checksum) = self.end().map_err(Error::io("write", &directory.join(&file)))?;
        Ok(Entry { name, file, length, checksum })
    }
}

impl<'f> Draft<'f> {
    pub(crate) fn new(directory: &Path, slot: &'f mut Option<Saved>, identity: &Identity) -> Self {
        let before = slot.clone();
        let generation = before.as_ref().map_or(0, |saved| saved.generation()).saturating_add(1);
        Draft {
            directory: directory.to_path_buf(),
            before,
            manifest: Manifest { generation, identity: identity.clone(), entries: Vec::new() },
            written: Vec::new(),
            is_committed: false,
            slot,
        }
    }

    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The number of this checkpoint.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    /// Begins a section; names consist of small letters, digits, `-` and `_`. Several may be written at the same time.
    pub fn section(&mut self, name: &str) -> Result<Writer, Error> {
        let writer = section_of(&self.directory, name, self.manifest.generation)?;
        self.written.push(self.directory.join(&writer.file_name));
        Ok(writer)
    }

    /// Ends a section.
    pub fn finish(&mut self, section: Writer) -> Result<(), Error> {
        let entry = section.close(&self.directory)?;
        self.add(entry)
    }

    /// Takes a section that another process has [written](section_of).
    pub fn include(&mut self, entry: Entry) -> Result<(), Error> {
        let path = self.directory.join(&entry.file);
        let length = path.metadata().map_err(Error::io("read", &path))?.len();
        if length != entry.length || !files::is_section_file(&entry.file) {
            return Err(Error::damaged(&path, "it is not what its writer has told"));
        }
        self.add(entry)
    }

    /// Takes a section of the checkpoint before as it is. `Ok(false)`: there is none with that name.
    pub fn keep(&mut self, name: &str) -> Result<bool, Error> {
        match self.before.as_ref().and_then(|saved| saved.manifest().entry(name)).cloned() {
            Some(entry) => self.include(entry).map(|()| true),
            None => Ok(false),
        }
    }

    /// Takes a file of the search as a section: by a hard link if that is possible, else a copy. The search may remove its file, but
    /// must not change it afterwards. A section of that name in the checkpoint before is the same file, and kept.
    pub fn add_file(&mut self, name: &str, path: &Path) -> Result<(), Error> {
        if self.keep(name)? {
            return Ok(());
        }
        let mut file = File::open(path).map_err(Error::io("read", path))?;
        let length = file.metadata().map_err(Error::io("read", path))?.len();
        let checksum = checksum(&mut file).map_err(Error::io("read", path))?;
        file.sync_all().map_err(Error::io("write", path))?;
        let file = files::section_file(name, self.manifest.generation);
        let to = self.directory.join(&file);
        if !files::is_section_name(name) {
            return Err(Error::damaged(&to, format!("`{name}` is no name for a section")));
        }
        files::remove(&to).map_err(Error::io("write", &to))?;
        self.written.push(to.clone());
        link_or_copy(path, &to)?;
        self.add(Entry { name: name.into(), file, length, checksum })
    }

    fn add(&mut self, entry: Entry) -> Result<(), Error> {
        if self.manifest.entry(&entry.name).is_some() {
            return Err(Error::damaged(&self.directory.join(&entry.file), "there are two sections of that name"));
        }
        self.manifest.entries.push(entry);
        Ok(())
    }

    /// Makes it the checkpoint of the folder, in place of the one before.
    pub fn commit(mut self) -> Result<(), Error> {
        let next = self.directory.join(files::NEXT_MANIFEST);
        let place = self.directory.join(files::MANIFEST);
        self.written.push(next.clone());
        let text = self.manifest.to_text();
        if text.len() as u64 > crate::manifest::LONGEST {
            return Err(Error::damaged(&next, "there are too many sections"));
        }
        let write = || {
            let mut file = File::create(&next)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        write().map_err(Error::io("write", &next))?;
        // Names of sections first: a manifest never names what may be gone after a power cut.
        files::sync_directory(&self.directory)?;
        std::fs::rename(&next, &place).map_err(Error::io("write", &place))?;
        self.is_committed = true;
        let saved = Saved::in_directory(&self.directory)?;
        let synced = files::sync_directory(&self.directory);
        if synced.is_ok() {
            crate::folder::sweep(&self.directory, &self.manifest);
        }
        *self.slot = saved;
        synced
    }
}

impl Drop for Draft<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            for path in &self.written {
                // What cannot be removed now is removed when the folder is used next.
                let _ = files::remove(path);
            }
        }
    }
}
