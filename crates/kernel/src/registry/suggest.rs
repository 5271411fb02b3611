//! Guesses at misspelt names.

/// " (did you mean `…`?)" for a known name that is close to `wrong`, or nothing.
pub fn suggest<'n>(wrong: &str, known: impl Iterator<Item = &'n str>) -> String {
    let closest = known.map(|name| (edit_distance(wrong, name), name)).min();
    match closest {
        // A name of one letter is as close to any other.
        Some((distance, name)) if distance <= 1 + name.len() / 4 && distance < name.chars().count() => {
            format!(" (did you mean `{name}`?)")
        }
        _ => String::new(),
    }
}

/// What is said about a name that is not in a list.
pub fn no_such<'n>(kind: &str, wrong: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let hint = suggest(wrong, known.clone());
    format!("there is no {kind} `{wrong}`{hint}; known: {}", known.collect::<Vec<_>>().join(", "))
}

/// Insertions, deletions, substitutions and swaps of neighbours between two words (Damerau 1964; Levenshtein 1966).
pub fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("bsf", "bfs"), 1);
    }

    #[test]
    fn close_names_are_guessed() {
        let known = ["bfs", "dfs", "astar"];
        let say = |wrong| no_such("search", wrong, known.iter().copied());
        assert_eq!(say("asatr"), "there is no search `asatr` (did you mean `astar`?); known: bfs, dfs, astar");
        assert_eq!(say("bsf"), "there is no search `bsf` (did you mean `bfs`?); known: bfs, dfs, astar");
        assert_eq!(say("zzzz"), "there is no search `zzzz`; known: bfs, dfs, astar");
    }
}
