//! What all pictures share: text that is safe in XML, and not too long.

/// Text inside an element or an attribute; characters that XML has no place for are replaced.
pub fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(' '),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// At most so many characters, with a mark if there were more. For labels; the whole text belongs into a tool tip.
pub fn shortened(text: &str, longest: usize) -> String {
    if text.chars().count() <= longest {
        return text.to_string();
    }
    text.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b && \"c\" 'd'>\u{1}\n"), "a&lt;b &amp;&amp; &quot;c&quot; &#39;d&#39;&gt;\u{fffd} ");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!((shortened("äbc", 3), shortened("äbcd", 3)), ("äbc".into(), "äb…".into()));
    }
}
