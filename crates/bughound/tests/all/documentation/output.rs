//! Shown output against what was printed.

/// Lines left out.
pub const LEFT_OUT: &str = "…";

const TIMES: [&str; 3] = ["s", "ms", "µs"];
const SIZES: [&str; 4] = ["B", "KB", "MB", "GB"];

/// Is what was printed what is shown? Times and sizes may differ, and the space between columns with them.
pub fn is_as_shown(shown: &[String], printed: &[String]) -> bool {
    let comparable = |lines: &[String]| lines.iter().map(|line| comparable(line)).collect::<Vec<String>>();
    let (shown, printed) = (comparable(shown), comparable(printed));
    let mut parts = shown.split(|line| line.trim() == LEFT_OUT);
    let (first, rest) = (parts.next().unwrap_or_default(), parts.collect::<Vec<_>>());
    let Some((last, between)) = rest.split_last() else { return first == printed };
    let Some(mut printed) = printed.strip_prefix(first) else { return false };
    for part in between {
        let Some(at) = (0..printed.len()).find(|at| printed[*at..].starts_with(part)) else { return false };
        printed = &printed[at + part.len()..];
    }
    printed.ends_with(last)
}

/// The line with figures that vary from run to run taken out.
fn comparable(line: &str) -> String {
    let indentation = line.len() - line.trim_start().len();
    let words: Vec<&str> = line.split_whitespace().collect();
    let mut out: Vec<String> = Vec::new();
    // What follows the memory in a table of `compare` are rates.
    let mut rates = false;
    let mut at = 0;
    while at < words.len() {
        let unit = words.get(at + 1).map_or("", |word| word.trim_end_matches([',', ')', ';', ':']));
        let is_number = words[at].starts_with(|c: char| c.is_ascii_digit());
        if is_number && (TIMES.contains(&unit) || SIZES.contains(&unit)) {
            rates |= SIZES.contains(&unit);
            out.push("#".into());
            at += 2;
            continue;
        }
        out.push(if is_number && rates { "#".into() } else { words[at].to_string() });
        at += 1;
    }
    format!("{}{}", " ".repeat(indentation), out.join(" "))
}

#[test]
fn times_and_sizes_may_differ_and_nothing_else() {
    let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<String>>();
    let same = |a: &str, b: &str| is_as_shown(&lines(a), &lines(b));
    assert!(same("7 expanded, 0.000 s, 16.1 MB", "7 expanded, 1.200 s, 900.0 KB"));
    assert!(!same("7 expanded, 0.000 s", "8 expanded, 0.000 s"));
    assert!(same("bfs  8  5.00 ms  263.8 KB  –  645,995", "bfs  8  51.0 ms   1.0 MB  –  7"));
    assert!(!same("bfs  8  5.00 ms  263.8 KB  –  645,995", "bfs  8  5.00 ms  263.8 KB  1.2  645,995"));
    assert!(!same("  a", "    a"));
    assert!(!same("a", "a\nb"));
    assert!(same("a\n…\nd", "a\nb\nc\nd"));
    assert!(same("…\nc\n…", "a\nb\nc\nd"));
    assert!(!same("a\n…\nc", "a\nb\nc\nd"));
    assert!(!same("a\n…\nc\n…\nb\n…", "a\nb\nc\nd"));
}
