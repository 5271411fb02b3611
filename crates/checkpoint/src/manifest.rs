//! The list of what a checkpoint is made of: lines of text with a checksum at the end.
//!
//! ```text
//! bughound-checkpoint <tab> 1
//! generation <tab> 12
//! identity <tab> --search <tab> bfs
//! section <tab> states <tab> states.12.section <tab> 45678 <tab> 0f3c…
//! end <tab> 9b41…            the checksum of all lines above
//! ```

use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::files::{is_section_file, is_section_name};
use crate::{Error, FORMAT, Identity};

/// A manifest is never longer.
pub(crate) const LONGEST: u64 = 64 << 20;
const FIRST: &str = "bughound-checkpoint";

/// A section: its name, its file, how long that is and its checksum (XXH3, 64 bits).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub file: String,
    pub length: u64,
    pub checksum: u64,
}

impl Entry {
    /// As a line of text without its end, to be sent to another process.
    pub fn to_line(&self) -> String {
        format!("{}\t{}\t{}\t{:016x}", self.name, self.file, self.length, self.checksum)
    }

    pub fn from_line(line: &str) -> Option<Entry> {
        let [name, file, length, checksum] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let checksum = (checksum.len() == 16).then(|| u64::from_str_radix(checksum, 16).ok())??;
        let known = is_section_name(name) && is_section_file(file);
        let entry = Entry { name: name.into(), file: file.into(), length: length.parse().ok()?, checksum };
        known.then_some(entry)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub generation: u64,
    pub identity: Identity,
    pub entries: Vec<Entry>,
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r")
}

fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        out.push(match c {
            '\\' => match rest.next()? {
                '\\' => '\\',
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                _ => return None,
            },
            other => other,
        });
    }
    Some(out)
}

impl Manifest {
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{FIRST}\t{FORMAT}\ngeneration\t{}\n", self.generation);
        for (name, value) in self.identity.iter() {
            text += &format!("identity\t{}\t{}\n", escape(name), escape(value));
        }
        for entry in &self.entries {
            text += &format!("section\t{}\n", entry.to_line());
        }
        text += &format!("end\t{:016x}\n", xxh3_64(text.as_bytes()));
        text
    }

    pub(crate) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Manifest, Error> {
        let damaged = |why: &str| Error::damaged(path, why);
        let text = std::str::from_utf8(bytes).map_err(|_| damaged("it is no text"))?;
        let body = text.strip_suffix('\n').ok_or_else(|| damaged("its end is missing"))?;
        let (body, end) = body.rsplit_once('\n').ok_or_else(|| damaged("its end is missing"))?;
        let sum = end.strip_prefix("end\t").ok_or_else(|| damaged("its end is missing"))?;
        if sum != format!("{:016x}", xxh3_64(&bytes[..body.len() + 1])) {
            return Err(damaged("its checksum is wrong"));
        }
        let mut lines = body.split('\n');
        let first = lines.next().and_then(|line| line.split_once('\t')).filter(|(word, _)| *word == FIRST);
        let (_, version) = first.ok_or_else(|| damaged("it is no manifest of a checkpoint"))?;
        if version != FORMAT.to_string() {
            return Err(Error::Version { found: version.to_string() });
        }
        let mut manifest = Manifest::default();
        for line in lines {
            manifest.add(line).ok_or_else(|| damaged(&format!("what is `{line}`?")))?;
        }
        Ok(manifest)
    }

    /// Takes over what a line says.
    fn add(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once('\t')?;
        match word {
            "generation" => self.generation = rest.parse().ok()?,
            "identity" => {
                let (name, value) = rest.split_once('\t')?;
                self.identity.set(&unescape(name)?, unescape(value)?);
            }
            "section" => {
                let entry = Entry::from_line(rest)?;
                if self.entry(&entry.name).is_some() {
                    return None;
                }
                self.entries.push(entry);
            }
            _ => return None,
        }
        Some(())
    }

    pub(crate) fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Manifest {
        let entry = |name: &str| Entry { name: name.into(), file: format!("{name}.3.section"), length: 7, checksum: 9 };
        let identity = Identity::new().with("--search", "bfs").with("a\tb", "c\nd\\n\r");
        Manifest { generation: 3, identity, entries: vec![entry("states"), entry("nodes")] }
    }

    #[test]
    fn what_is_written_is_read() {
        let (path, manifest) = (Path::new("m"), example());
        assert_eq!(Manifest::from_bytes(manifest.to_text().as_bytes(), path).unwrap(), manifest);
    }

    /// Every flipped bit and every cut is seen.
    #[test]
    fn damage_is_seen() {
        let text = example().to_text().into_bytes();
        for at in 0..text.len() {
            assert!(Manifest::from_bytes(&text[..at], Path::new("m")).is_err(), "cut at {at}");
            for bit in 0..8 {
                let mut flipped = text.clone();
                flipped[at] ^= 1 << bit;
                assert!(Manifest::from_bytes(&flipped, Path::new("m")).is_err(), "bit {bit} of {at}");
            }
        }
    }

    #[test]
    fn other_versions_are_refused() {
        let text = "bughound-checkpoint\t99\n";
        let text = format!("{text}end\t{:016x}\n", xxh3_64(text.as_bytes()));
        let refused = Manifest::from_bytes(text.as_bytes(), Path::new("m")).unwrap_err();
        assert_eq!(refused.to_string(), "the checkpoint has format 99; this program reads 1");
    }
}
