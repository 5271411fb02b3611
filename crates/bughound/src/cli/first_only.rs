//! `--first`, where the default search is asked for by its name.

use bughound::run::DEFAULT_SEARCH;
use bughound_kernel::registry::{Expression, expression};

/// The default search under its own name does not look for shorter traces either, if nothing is said about that.
pub fn without_shortening(search: &str) -> String {
    let Ok(Expression { name, arguments, .. }) = expression::parse(search) else { return search.to_string() };
    let is_said = |key: &str| arguments.iter().any(|argument| argument.key.as_deref() == Some(key));
    if name != DEFAULT_SEARCH || is_said("effort") || is_said("shortest") {
        return search.to_string();
    }
    match arguments.is_empty() {
        true => format!("{name}(effort=0)"),
        false => format!("{}, effort=0)", search.trim_end().strip_suffix(')').unwrap_or(search)),
    }
}

#[cfg(test)]
mod tests {
    use super::without_shortening;

    #[test]
    fn the_first_error_is_not_made_shorter() {
        let pairs = [
            ("auto", "auto(effort=0)"),
            ("auto(h=formula)", "auto(h=formula, effort=0)"),
            ("auto(h=max(d-l, d-u))", "auto(h=max(d-l, d-u), effort=0)"),
            ("auto(effort=7)", "auto(effort=7)"),
            ("auto(shortest=true)", "auto(shortest=true)"),
            ("bfs", "bfs"),
            ("auto(", "auto("),
        ];
        for (asked, meant) in pairs {
            assert_eq!(without_shortening(asked), meant);
        }
    }
}
