//! A list of search expressions. Expressions have commas themselves.

/// The parts between the commas that stand in no parentheses and no quotes.
pub fn split(list: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    let mut quote = None;
    for c in list.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            (None, _) => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.iter().map(|part| part.trim().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_commas_outside_count() {
        assert_eq!(split("astar(h=formula, ties=lifo),greedy"), ["astar(h=formula, ties=lifo)", "greedy"]);
        assert_eq!(split(" bfs , dfs"), ["bfs", "dfs"]);
        let nested = "greedy(h=max(d-l, weighted(d-u, 2)))";
        assert_eq!(split(&format!("{nested},bfs")), [nested, "bfs"]);
        let quoted = "greedy(h=expression('a, (b'))";
        assert_eq!(split(&format!("bfs,{quoted},dfs")), ["bfs", quoted, "dfs"]);
    }

    #[test]
    fn broken_lists_are_left_to_the_parser() {
        assert_eq!(split("bfs,,dfs"), ["bfs", "", "dfs"]);
        assert_eq!(split("astar(h=a,b"), ["astar(h=a,b"]);
        assert_eq!(split("bfs),dfs"), ["bfs)", "dfs"]);
    }
}
