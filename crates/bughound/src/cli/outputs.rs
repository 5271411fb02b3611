//! Files that are written: never over what is read, and each to a file of its own.

use std::fs;
use std::path::{Path, PathBuf};

/// An option that names a file to be written, and the file.
pub type Output<'a> = (&'static str, Option<&'a PathBuf>);

/// To be asked before anything is done. The error is for the user.
pub fn check(inputs: &[&str], outputs: &[Output<'_>]) -> Result<(), String> {
    let outputs: Vec<(&str, &PathBuf)> =
        outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?))).collect();
    for (at, (option, path)) in outputs.iter().enumerate() {
        let shown = path.display();
        if is_pipe(path) {
            return Err(format!("{option} {shown} is a pipe, and nobody may be at its other end; name a file"));
        }
        if let Some(input) = inputs.iter().find(|input| **input != "-" && is_same(Path::new(input), path)) {
            return Err(format!("{option} {shown} would overwrite {input}, which is read; name another file"));
        }
        if let Some((other, _)) = outputs[..at].iter().find(|(_, other)| is_same(other, path)) {
            return Err(format!("{other} and {option} both write to {shown}; name two files"));
        }
    }
    Ok(())
}

/// Writing to a pipe without a reader would wait for ever.
fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo() || found.file_type().is_socket())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// Do two names mean one file, or would they if it existed? What is no regular file, such as `/dev/null`, takes everything.
pub fn is_same(a: &Path, b: &Path) -> bool {
    if [a, b].iter().any(|path| fs::metadata(path).is_ok_and(|found| !found.is_file())) {
        return false;
    }
    identity(a) == identity(b)
}

#[derive(PartialEq, Eq)]
enum Identity {
    /// By device and number: links are the file that they lead to.
    #[cfg(unix)]
    Existing(u64, u64),
    Named(PathBuf),
}

fn identity(path: &Path) -> Identity {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(path) {
        use std::os::unix::fs::MetadataExt;
        return Identity::Existing(found.dev(), found.ino());
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let directory = fs::canonicalize(directory).unwrap_or_else(|_| directory.to_path_buf());
    Identity::Named(directory.join(path.file_name().unwrap_or_default()))
}
