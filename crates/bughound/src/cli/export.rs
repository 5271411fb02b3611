//! The option for explicit models in the formats of other tools, and writing them.

use std::path::{Path, PathBuf};

use bughound_markov::formats::{Explicit, write_drn, write_lab, write_srew, write_tra, write_trew};
use clap::Args;

use super::eprint_line;
use super::outputs::{self, Output};

#[derive(Debug, Args)]
#[command(next_help_heading = "Files for other programs")]
pub struct ExportArguments {
    /// Of a model with probabilities, write all states and the chances between them: FILE.drn as Storm reads it; FILE.tra as PRISM
    /// does, with FILE.lab for the labels and FILE.NAME.srew, FILE.NAME.trew for the rewards
    #[arg(long, value_name = "FILE.drn|FILE.tra", value_parser = ending)]
    pub export: Option<PathBuf>,
}

fn ending(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("drn" | "tra") => Ok(path),
        _ => Err("the ending of the file says how it is written: .drn or .tra".into()),
    }
}

impl ExportArguments {
    pub fn output(&self) -> Output<'_> {
        ("--export", self.export.as_ref())
    }

    /// The option and the file, if it was given.
    pub fn output_if_any(&self) -> Option<(&'static str, &Path)> {
        self.export.as_deref().map(|path| ("--export", path))
    }

    /// What cannot be written is said.
    pub fn write(&self, explicit: &Explicit) {
        let Some(path) = &self.export else { return };
        let write = |path: &Path, text: &str| {
            if let Err(error) = outputs::write(path, text) {
                eprint_line(&format!("error: --export {}: {error}", path.display()));
            }
        };
        if path.extension().is_some_and(|ending| ending == "drn") {
            return write(path, &write_drn(explicit));
        }
        write(path, &write_tra(&explicit.model));
        write(&path.with_extension("lab"), &write_lab(explicit));
        for (number, rewards) in explicit.model.rewards().iter().enumerate() {
            let name = match rewards.name() {
                "" => (number + 1).to_string(),
                name => name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '-' }).collect(),
            };
            let id = bughound_markov::RewardId(number as u32);
            for (ending, text) in [("srew", write_srew(&explicit.model, id)), ("trew", write_trew(&explicit.model, id))]
            {
                if let Some(text) = text {
                    write(&path.with_extension(format!("{name}.{ending}")), &text);
                }
            }
        }
    }
}
