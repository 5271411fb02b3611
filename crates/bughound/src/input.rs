//! Files that are read: regular ones, and none that is larger than what it can be.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};

/// Larger files are no models, queries, claims or automata.
pub const MAX_FILE_BYTES: u64 = 16 << 20;
/// Larger files are no traces.
pub const MAX_TRACE_BYTES: u64 = 1 << 30;

/// Reads a file; `-` is the standard input. The error is for the user, and names the file.
pub fn read(file: &str, most: u64) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = if file == "-" {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        let opened = open(file)?;
        opened.take(most + 1).read_to_end(&mut bytes)
    };
    read.map_err(|error| cannot_read(file, &error))?;
    if bytes.len() as u64 > most {
        return Err(format!("{file}: the file is larger than {} MiB", most >> 20));
    }
    Ok(bytes)
}

/// The same for a file that must be text.
pub fn read_text(file: &str, most: u64) -> Result<String, String> {
    String::from_utf8(read(file, most)?).map_err(|_| format!("{file}: the file is not text in UTF-8"))
}

fn open(file: &str) -> Result<File, String> {
    // Opening a pipe would wait for somebody to write to it, so it is looked at before.
    std::fs::metadata(file).map_err(|error| cannot_read(file, &error)).and_then(|found| is_regular(file, &found))?;
    let opened = File::open(file).map_err(|error| cannot_read(file, &error))?;
    let found = opened.metadata().map_err(|error| cannot_read(file, &error))?;
    is_regular(file, &found)?;
    Ok(opened)
}

fn is_regular(file: &str, found: &Metadata) -> Result<(), String> {
    match () {
        () if found.is_dir() => Err(format!("{file}: this is a directory")),
        () if !found.is_file() => Err(format!("{file}: this is not a regular file but a device, a pipe or the like")),
        () => Ok(()),
    }
}

fn cannot_read(file: &str, error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => format!("{file}: there is no such file"),
        ErrorKind::PermissionDenied => format!("{file}: no permission to read the file"),
        _ => format!("{file}: the file cannot be read: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_of_some_size_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("a").display().to_string();
        std::fs::write(&file, "0123456789").unwrap();
        assert_eq!(read(&file, 10).unwrap(), b"0123456789");
        assert!(read(&file, 9).unwrap_err().contains("larger than"));
        assert!(read(&directory.path().display().to_string(), 10).unwrap_err().contains("directory"));
        assert!(read(&format!("{file}b"), 10).unwrap_err().contains("no such file"));
        std::fs::write(&file, b"\xff").unwrap();
        assert!(read_text(&file, 10).unwrap_err().contains("UTF-8"));
        if cfg!(unix) {
            assert!(read("/dev/zero", 10).unwrap_err().contains("not a regular file"));
        }
    }
}
