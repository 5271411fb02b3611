//! Where states go that memory has no room for.

use std::fs;
use std::path::PathBuf;

use bughound_search::Disk;
use clap::Args;

use super::quantities::parse_bytes;

#[derive(Debug, Args)]
pub struct DiskArguments {
    /// Keep states in files below this directory where memory is not enough; they are gone when the search is over [default of
    /// searches that need one: the directory for temporary files]
    #[arg(long, value_name = "DIR", value_parser = usable, help_heading = "Limits")]
    disk: Option<PathBuf>,
    /// Use at most this much of the disk: 20G, 1T [default: all there is]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    max_disk: Option<u64>,
}

/// The directory may be needed after hours, and by then it is too late to learn that nothing can be written there.
fn usable(path: &str) -> Result<PathBuf, String> {
    let directory = PathBuf::from(path);
    if path.is_empty() {
        return Err("no directory is named".to_string());
    }
    let trial = directory.join(format!("bughound-trial-{}", std::process::id()));
    let tried =
        fs::create_dir_all(&directory).and_then(|()| fs::create_dir_all(&trial)).and_then(|()| fs::remove_dir(&trial));
    tried.map(|()| directory).map_err(|error| format!("nothing can be kept there: {error}"))
}

impl DiskArguments {
    pub fn disk(&self) -> Option<Disk> {
        let directory = self.disk.clone().or_else(|| self.max_disk.map(|_| std::env::temp_dir()))?;
        Some(Disk { directory, most: self.max_disk })
    }
}
