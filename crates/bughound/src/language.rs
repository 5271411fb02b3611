//! The input languages and how a file tells which one it is written in.

use std::fmt;
use std::path::Path;

/// A language that Bughound knows by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Promela,
    Uppaal,
    Prism,
    Jani,
}

impl Language {
    pub const ALL: [Language; 4] = [Language::Promela, Language::Uppaal, Language::Prism, Language::Jani];

    /// As in `--language` and in results.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Uppaal => "uppaal",
            Language::Prism => "prism",
            Language::Jani => "jani",
        }
    }

    pub fn from_name(name: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.name().eq_ignore_ascii_case(name))
    }

    /// File endings, without the dot.
    pub fn endings(self) -> &'static [&'static str] {
        match self {
            Language::Promela => &["pml", "prom", "promela", "prm", "p", "spin"],
            Language::Uppaal => &["xml", "xta", "ta"],
            Language::Prism => &["prism", "pm", "nm", "sm"],
            Language::Jani => &["jani"],
        }
    }

    pub fn of_file(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Language::ALL.into_iter().find(|language| language.endings().contains(&ending.as_str()))
    }

    /// Can this version read it?
    pub fn is_supported(self) -> bool {
        matches!(self, Language::Promela | Language::Uppaal)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_decide_whatever_their_case() {
        assert_eq!(Language::of_file(Path::new("a/b.PML")), Some(Language::Promela));
        assert_eq!(Language::of_file(Path::new("fischer.xml")), Some(Language::Uppaal));
        assert_eq!(Language::of_file(Path::new("a.txt")), None);
        assert_eq!(Language::of_file(Path::new("pml")), None);
    }
}
