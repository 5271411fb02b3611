//! Pieces of text that lie in a file, possibly written with XML's escapes.
//!
//! A label such as `x&lt;=5` is parsed as `x<=5`; what is found in it must still point to the right column of the file.
//! A [`Fragment`] therefore keeps, beside the decoded text, where each run of characters came from.

use bughound_ir::source::{FileId, Span};

/// A piece of a file, decoded.
#[derive(Clone, Debug)]
pub struct Fragment {
    pub file: FileId,
    pub text: String,
    /// Where it stands, in words: "the guard of edge A → B of template T". Empty for a whole file.
    pub place: String,
    /// (offset in `text`, offset in the file), ascending: from there on both go on in step.
    runs: Vec<(u32, u32)>,
    /// Offset in the file after the last character.
    end: u32,
}

impl Fragment {
    /// A whole file, taken as it is.
    pub fn whole(file: FileId, text: &str) -> Fragment {
        Fragment { file, text: text.to_string(), place: String::new(), runs: vec![(0, 0)], end: text.len() as u32 }
    }

    /// The content of an XML element: `raw` begins at `offset` of the file. References and `CDATA` sections are
    /// decoded, comments left out. Unknown references were refused by the XML parser before.
    pub fn from_xml(file: FileId, raw: &str, offset: usize, place: impl Into<String>) -> Fragment {
        let mut text = String::with_capacity(raw.len());
        let mut runs = vec![(0, offset as u32)];
        let mut at = 0;
        let mut jump = |text: &String, to: usize| runs.push((text.len() as u32, (offset + to) as u32));
        while let Some(found) = raw[at..].find(['&', '<']) {
            text.push_str(&raw[at..at + found]);
            at += found;
            let rest = &raw[at..];
            let (decoded, length) = if let Some(body) = rest.strip_prefix("<![CDATA[") {
                let inner = body.find("]]>").unwrap_or(body.len());
                jump(&text, at + 9);
                (body[..inner].to_string(), (9 + inner + 3).min(rest.len()))
            } else if rest.starts_with('<') {
                // A comment or an element, which has no business here: left out.
                let (close, extra) = if rest.starts_with("<!--") { ("-->", 3) } else { (">", 1) };
                (String::new(), rest.find(close).map_or(rest.len(), |end| end + extra))
            } else {
                let length = rest.find(';').map_or(rest.len(), |end| end + 1);
                jump(&text, at);
                (reference(&rest[..length]), length)
            };
            text.push_str(&decoded);
            at += length;
            jump(&text, at);
        }
        text.push_str(&raw[at..]);
        Fragment { file, text, place: place.into(), runs, end: (offset + raw.len()) as u32 }
    }

    /// Where a range of the decoded text lies in the file.
    pub fn span(&self, start: usize, end: usize) -> Span {
        let from = self.offset(start as u32);
        // The last character may be an escape: its end is where the next one begins.
        let to = if end > start { self.offset_behind(end as u32) } else { from };
        Span { file: self.file, start: from, end: to.max(from) }
    }

    fn offset(&self, at: u32) -> u32 {
        let run = self.runs.partition_point(|(decoded, _)| *decoded <= at).max(1) - 1;
        let (decoded, file) = self.runs[run];
        (file + (at - decoded)).min(self.end)
    }

    /// Offset in the file after the character that ends at `at`.
    fn offset_behind(&self, at: u32) -> u32 {
        // A run that starts exactly here starts after the escape, if there is one.
        match self.runs.get(self.runs.partition_point(|(decoded, _)| *decoded < at)) {
            Some((decoded, file)) if *decoded == at => (*file).min(self.end),
            _ => self.offset(at),
        }
    }
}

/// The text of `&name;` or `&#number;`.
fn reference(written: &str) -> String {
    let name = written.trim_start_matches('&').trim_end_matches(';');
    match name {
        "lt" => "<".into(),
        "gt" => ">".into(),
        "amp" => "&".into(),
        "quot" => "\"".into(),
        "apos" => "'".into(),
        _ => {
            let number = match name.strip_prefix("#x") {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => name.strip_prefix('#').and_then(|decimal| decimal.parse().ok()),
            };
            number.and_then(char::from_u32).map_or(String::new(), String::from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_through_escapes() {
        let raw = "x&lt;=5 &amp;&amp; y";
        let fragment = Fragment::from_xml(FileId(0), raw, 100, "");
        assert_eq!(fragment.text, "x<=5 && y");
        let shown = |start, end| {
            let span = fragment.span(start, end);
            &raw[span.start as usize - 100..span.end as usize - 100]
        };
        assert_eq!(shown(0, 1), "x");
        assert_eq!(shown(1, 3), "&lt;=");
        assert_eq!(shown(3, 4), "5");
        assert_eq!(shown(5, 7), "&amp;&amp;");
        assert_eq!(shown(8, 9), "y");
    }

    #[test]
    fn sections_and_comments() {
        let raw = "a<!-- no --> <![CDATA[x < 3]]> b &#65;&#x42;";
        let fragment = Fragment::from_xml(FileId(0), raw, 0, "");
        assert_eq!(fragment.text, "a x < 3 b AB");
        let at = fragment.text.find('3').unwrap();
        assert_eq!(fragment.span(at, at + 1).start as usize, raw.find('3').unwrap());
        let at = fragment.text.find('b').unwrap();
        assert_eq!(fragment.span(at, at + 1).start as usize, raw.find(" b ").unwrap() + 1);
    }
}
