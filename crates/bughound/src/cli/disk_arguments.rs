//! Where states go that memory has no room for.

use std::path::PathBuf;

use bughound_search::Disk;
use clap::Args;

use super::quantities::parse_bytes;

#[derive(Debug, Args)]
pub struct DiskArguments {
    /// Keep states in files below this directory where memory is not enough; they are gone when the search is over [default of
    /// searches that need one: the directory for temporary files]
    #[arg(long, value_name = "DIR", help_heading = "Limits")]
    disk: Option<PathBuf>,
    /// Use at most this much of the disk: 20G, 1T [default: all there is]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, help_heading = "Limits")]
    max_disk: Option<u64>,
}

impl DiskArguments {
    pub fn disk(&self) -> Option<Disk> {
        let directory = self.disk.clone().or_else(|| self.max_disk.map(|_| std::env::temp_dir()))?;
        Some(Disk { directory, most: self.max_disk })
    }
}
