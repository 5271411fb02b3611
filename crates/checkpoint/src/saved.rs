//! A complete checkpoint.

use std::fs::File;
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::manifest::Manifest;
use crate::{Entry, Error, Identity, Reader, files};

#[derive(Clone, Debug)]
pub struct Saved {
    directory: PathBuf,
    manifest: Manifest,
}

impl Saved {
    /// The checkpoint in a directory that belongs to another process, which does not write the next one in the meantime.
    pub fn of_another(directory: &Path) -> Result<Saved, Error> {
        Saved::in_directory(directory)?.ok_or_else(|| Error::Nothing(directory.to_path_buf()))
    }

    /// The checkpoint in a directory, if there is one.
    pub(crate) fn in_directory(directory: &Path) -> Result<Option<Saved>, Error> {
        let path = directory.join(files::MANIFEST);
        let file = match File::open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(Error::io("read", &path))?,
        };
        let mut bytes = Vec::new();
        let most = crate::manifest::LONGEST;
        file.take(most + 1).read_to_end(&mut bytes).map_err(Error::io("read", &path))?;
        if bytes.len() as u64 > most {
            return Err(Error::damaged(&path, "it is too long"));
        }
        let manifest = Manifest::from_bytes(&bytes, &path)?;
        Ok(Some(Saved { directory: directory.to_path_buf(), manifest }))
    }

    pub fn identity(&self) -> &Identity {
        &self.manifest.identity
    }

    /// Checkpoints of a folder are numbered.
    pub fn generation(&self) -> u64 {
        self.manifest.generation
    }

    pub fn entries(&self) -> &[Entry] {
        &self.manifest.entries
    }

    pub fn has(&self, name: &str) -> bool {
        self.manifest.entry(name).is_some()
    }

    pub(crate) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The path of a section, after its length and checksum were compared: the file is open, at its beginning.
    fn verified(&self, name: &str) -> Result<(File, PathBuf, u64), Error> {
        let missing = || Error::damaged(&self.directory.join(files::MANIFEST), format!("there is no section `{name}`"));
        let entry = self.manifest.entry(name).ok_or_else(missing)?;
        let path = self.directory.join(&entry.file);
        let mut file = File::open(&path).map_err(Error::io("read", &path))?;
        let length = file.metadata().map_err(Error::io("read", &path))?.len();
        if length != entry.length {
            return Err(Error::damaged(&path, format!("it has {length} bytes in place of {}", entry.length)));
        }
        if checksum(&mut file).map_err(Error::io("read", &path))? != entry.checksum {
            return Err(Error::damaged(&path, "its checksum is wrong"));
        }
        file.rewind().map_err(Error::io("read", &path))?;
        Ok((file, path, length))
    }

    /// Opens a section, once all of it was compared with its checksum.
    pub fn section(&self, name: &str) -> Result<Reader, Error> {
        let (file, path, length) = self.verified(name)?;
        Ok(Reader::new(file, path, length))
    }

    /// Puts a section where a search wants it, once all of it was compared with its checksum: by a hard link if that is possible, else a
    /// copy. Whoever gets it must not write to it: a file with another content is another file.
    pub fn place(&self, name: &str, path: &Path) -> Result<(), Error> {
        let (_, from, _) = self.verified(name)?;
        link_or_copy(&from, path)
    }

    /// Compares all sections with their checksums.
    pub fn verify(&self) -> Result<(), Error> {
        self.manifest.entries.iter().try_for_each(|entry| self.verified(&entry.name).map(|_| ()))
    }
}

/// The checksum of the rest of a file.
pub(crate) fn checksum(file: &mut impl Read) -> std::io::Result<u64> {
    let (mut hash, mut block) = (Xxh3::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(hash.digest()),
            Ok(count) => hash.update(&block[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Another name for a file, or another file of the same content where names cannot be shared.
pub(crate) fn link_or_copy(from: &Path, to: &Path) -> Result<(), Error> {
    if std::fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    std::fs::copy(from, to).map_err(Error::io("write", to))?;
    File::open(to).and_then(|file| file.sync_all()).map_err(Error::io("write", to))
}
