//! Names of files in a folder, and what makes them reach the disk.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::Error;

pub(crate) const MANIFEST: &str = "manifest";
/// The manifest under way.
pub(crate) const NEXT_MANIFEST: &str = "manifest.next";
pub(crate) const LOCK: &str = "lock";
/// Sections end with this.
const SECTION: &str = ".section";

/// The file of a section of the checkpoint with this number.
pub(crate) fn section_file(name: &str, generation: u64) -> String {
    format!("{name}.{generation}{SECTION}")
}

/// Is it a name of a section? Names make names of files: nothing that could lead out of the folder, or be too long for it.
pub(crate) fn is_section_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= 100 && name.chars().all(allowed)
}

/// Is it the name of a file that [`section_file`] makes?
pub(crate) fn is_section_file(file: &str) -> bool {
    let parts = file.strip_suffix(SECTION).and_then(|rest| rest.rsplit_once('.'));
    parts.is_some_and(|(name, generation)| is_section_name(name) && generation.parse::<u64>().is_ok())
}

/// Names of files have reached the disk, too.
pub(crate) fn sync_directory(directory: &Path) -> Result<(), Error> {
    // Not every system lets directories be opened; those have no need of it.
    match File::open(directory) {
        Ok(opened) if cfg!(unix) => opened.sync_all().map_err(Error::io("write", directory)),
        _ => Ok(()),
    }
}

/// Removes a file, if it is there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_sections_stay_in_the_folder() {
        for name in ["states", "run-12", "a_b"] {
            assert!(is_section_name(name) && is_section_file(&section_file(name, 12)), "{name}");
        }
        for name in ["", "..", "a/b", "A", "a b", &"x".repeat(101)] {
            assert!(!is_section_name(name), "{name}");
        }
        for file in ["manifest", "lock", "states.section", "states.x.section", "../a.1.section", ".1.section"] {
            assert!(!is_section_file(file), "{file}");
        }
    }
}
