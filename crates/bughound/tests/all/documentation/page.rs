//! A page of the documentation, taken apart.

use std::path::{Path, PathBuf};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub struct Page {
    /// From the root of the repository.
    pub name: String,
    pub lines: Vec<String>,
}

/// A fenced block.
pub struct Block {
    /// What stands after the opening fence.
    pub kind: String,
    /// The first line inside, counted from 0.
    pub first: usize,
    /// The line of the closing fence.
    pub end: usize,
}

/// A part in `code style` between words.
pub struct Code {
    /// Counted from 1.
    pub line: usize,
    pub text: String,
}

impl Page {
    pub fn read(name: &str) -> Page {
        let text = std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        Page::of(name, &text)
    }

    pub fn of(name: &str, text: &str) -> Page {
        Page { name: name.into(), lines: text.lines().map(str::to_string).collect() }
    }

    /// README.md and what lies in docs/.
    pub fn for_users() -> Vec<Page> {
        let files = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
        let names = files.filter_map(|name| name.into_string().ok()).filter(|name| name.ends_with(".md"));
        let mut names: Vec<String> = names.map(|name| format!("docs/{name}")).collect();
        names.push("README.md".into());
        names.sort();
        names.iter().map(|name| Page::read(name)).collect()
    }

    /// Where something is, for messages. Lines are counted from 0.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{}", self.name, line + 1)
    }

    pub fn blocks(&self) -> Vec<Block> {
        let mut out = Vec::new();
        let mut open: Option<(String, usize)> = None;
        for (at, line) in self.lines.iter().enumerate() {
            let Some(kind) = line.strip_prefix("```") else { continue };
            match open.take() {
                Some((kind, first)) => out.push(Block { kind, first, end: at }),
                None => open = Some((kind.trim().into(), at + 1)),
            }
        }
        assert!(open.is_none(), "{}: a block has no end", self.name);
        out
    }

    /// The lines outside of blocks, those inside empty.
    pub fn prose(&self) -> Vec<&str> {
        let mut lines: Vec<&str> = self.lines.iter().map(String::as_str).collect();
        for block in self.blocks() {
            lines[block.first - 1..=block.end].fill("");
        }
        lines
    }

    /// Words in code style; they may go on in the next line.
    pub fn code(&self) -> Vec<Code> {
        let mut out = Vec::new();
        let mut open: Option<Code> = None;
        for (at, line) in self.prose().into_iter().enumerate() {
            if line.is_empty() {
                open = None;
            }
            for (piece, text) in line.split('`').enumerate() {
                if piece > 0 {
                    match open.take() {
                        Some(code) => out.push(code),
                        None => open = Some(Code { line: at + 1, text: String::new() }),
                    }
                }
                if let Some(code) = &mut open {
                    let space = if piece == 0 { " " } else { "" };
                    code.text.push_str(&format!("{space}{}", text.trim()));
                }
            }
        }
        out
    }

    /// Where links of the page lead, with their lines.
    pub fn links(&self) -> Vec<(usize, String)> {
        let mut out = Vec::new();
        for (at, line) in self.prose().into_iter().enumerate() {
            out.extend(line.split("](").skip(1).filter_map(|rest| Some((at, rest.split_once(')')?.0.to_string()))));
        }
        out
    }

    /// The names that headings can be linked by.
    pub fn anchors(&self) -> Vec<String> {
        let headings = self.prose().into_iter().filter(|line| line.starts_with('#'));
        let slug = |heading: &str| {
            let kept = heading.trim_start_matches('#').trim().to_lowercase();
            kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).collect::<String>().replace(' ', "-")
        };
        headings.map(slug).collect()
    }
}
