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
    /// A Markov model state by state.
    Explicit,
}

impl Language {
    pub const ALL: [Language; 5] =
        [Language::Promela, Language::Uppaal, Language::Prism, Language::Jani, Language::Explicit];

    /// As in `--language` and in results.
    pub fn name(self) -> &'static str {
        match self {
            Language::Promela => "promela",
            Language::Uppaal => "uppaal",
            Language::Prism => "prism",
            Language::Jani => "jani",
            Language::Explicit => "explicit",
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
            Language::Explicit => &["drn", "tra"],
        }
    }

    pub fn of_file(path: &Path) -> Option<Language> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Language::ALL.into_iter().find(|language| language.endings().contains(&ending.as_str()))
    }

    /// What the text itself says, for files whose endings say nothing. `None` where it says nothing, or too much: a wrong
    /// guess would end in errors that mislead.
    pub fn of_text(text: &[u8]) -> Option<Language> {
        let text = String::from_utf8_lossy(text);
        let text = text.trim_start_matches('\u{feff}').trim_start();
        if text.starts_with('<') {
            return text.contains("<nta").then_some(Language::Uppaal);
        }
        if text.starts_with('{') {
            return text.contains("\"jani-version\"").then_some(Language::Jani);
        }
        let words = Words::of(text);
        match (words.are_promela(), words.are_uppaal(), words.are_prism()) {
            (true, false, false) => Some(Language::Promela),
            (false, true, false) => Some(Language::Uppaal),
            // `system a || b endsystem` looks like UPPAAL's.
            (false, _, true) => Some(Language::Prism),
            _ => None,
        }
    }

    /// As its users write it.
    pub fn title(self) -> &'static str {
        match self {
            Language::Promela => "Promela",
            Language::Uppaal => "a UPPAAL model",
            Language::Prism => "a PRISM model",
            Language::Jani => "a JANI model",
            Language::Explicit => "an explicit Markov model",
        }
    }

    /// Can this version read it?
    pub fn is_supported(self) -> bool {
        crate::front_end::of(self).is_some()
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Names, numbers and single signs of a text, without comments, strings and lines of a preprocessor.
struct Words<'t> {
    list: Vec<&'t str>,
    has_directives: bool,
}

impl<'t> Words<'t> {
    fn of(text: &'t str) -> Words<'t> {
        let mut words = Words { list: Vec::new(), has_directives: false };
        let mut rest = text;
        let mut line_begins = true;
        while let Some(first) = rest.chars().next() {
            let behind = |end: &str, from: usize| rest[from..].find(end).map_or(rest.len(), |at| from + at + end.len());
            let in_word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match first {
                '/' if rest.starts_with("/*") => behind("*/", 2),
                '/' if rest.starts_with("//") => behind("\n", 2),
                '"' => behind("\"", 1),
                '#' if line_begins => {
                    words.has_directives = true;
                    behind("\n", 1)
                }
                c if in_word(c) => rest.find(|c| !in_word(c)).unwrap_or(rest.len()),
                c => c.len_utf8(),
            };
            let word = &rest[..length];
            line_begins = word.ends_with('\n') || line_begins && first.is_whitespace();
            if in_word(first) || (length == first.len_utf8() && !first.is_whitespace()) {
                words.list.push(word);
            }
            rest = &rest[length..];
        }
        words
    }

    /// Is there such a word, followed by what passes the test?
    fn any(&self, word: &str, next: impl Fn(&str) -> bool) -> bool {
        self.list.windows(2).any(|pair| pair[0] == word && next(pair[1]))
    }

    fn are_promela(&self) -> bool {
        let braces = ["init", "never", "ltl", "trace", "notrace"];
        let blocks = braces.iter().any(|word| self.any(word, |next| next == "{"));
        blocks || self.has_directives || self.any("proctype", is_name) || self.any("mtype", |next| "={:".contains(next))
    }

    /// A type of model and something of a model, or a module.
    fn are_prism(&self) -> bool {
        let types = ["dtmc", "ctmc", "mdp", "probabilistic", "stochastic", "nondeterministic"];
        let others = ["pta", "popta", "smg", "pomdp", "idtmc", "imdp"];
        let parts = ["const", "formula", "global", "init", "label", "module", "rewards", "system"];
        let is_type = |word: &&str| types.contains(word) || others.contains(word);
        let begins = self.list.first().is_some_and(is_type);
        let follows = self.list.get(1).is_none_or(|word| parts.contains(word));
        begins && follows || self.any("module", is_name) && self.list.contains(&"endmodule")
    }

    fn are_uppaal(&self) -> bool {
        self.any("process", is_name) || self.any("system", is_name) || self.any("clock", is_name)
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_decide_whatever_their_case() {
        assert_eq!(Language::of_file(Path::new("a/b.PML")), Some(Language::Promela));
        assert_eq!(Language::of_file(Path::new("fischer.xml")), Some(Language::Uppaal));
        assert_eq!(Language::of_file(Path::new("die.pm")), Some(Language::Prism));
        assert_eq!(Language::of_file(Path::new("die.jani")), Some(Language::Jani));
        assert_eq!(Language::of_file(Path::new("a.txt")), None);
        assert_eq!(Language::of_file(Path::new("pml")), None);
    }

    #[test]
    fn texts_tell_their_language() {
        let is = |text: &str, language| assert_eq!(Language::of_text(text.as_bytes()), language, "{text}");
        is("/* a process P() */ byte x; active proctype P() { x = 1 }", Some(Language::Promela));
        is("\u{feff}// system P;\n  init\n{ skip }", Some(Language::Promela));
        is("#include \"rest\"\n", Some(Language::Promela));
        is("byte process, system; init { printf(\"clock x; system P;\") }", Some(Language::Promela));
        is("  <?xml version='1.0'?>\n<nta><declaration/></nta>", Some(Language::Uppaal));
        is("<html></html>", None);
        is("int v; process P() { state a; init a; } system P;", Some(Language::Uppaal));
        is("// proctype P() {}\nclock x;", Some(Language::Uppaal));
        is("\u{feff}// a model\nctmc\nconst double r = 2;\n", Some(Language::Prism));
        is("dtmc", Some(Language::Prism));
        is("const int N; module a x : [0..N]; [] x<N -> (x'=x+1); endmodule init true endinit", Some(Language::Prism));
        is("module a endmodule module b endmodule system a || b endsystem", Some(Language::Prism));
        is("stochastic processes are a wide field", None);
        is("// dtmc module a endmodule\nint x;", None);
        is("dtmc module a endmodule active proctype P() { skip }", None);
        is(" {\n \"jani-version\" : 1, \"name\": \"clock x; system P;\" }", Some(Language::Jani));
        is("{ \"name\": \"jani\" }", None);
        is("", None);
        is("int x; /* never { ends", None);
        is("hello, world\"", None);
        is("proctype P() {} process Q() {} system Q;", None);
    }
}
