//! Do the searches agree? Each of them says what is proven; two proofs of different things are a bug.

use super::row::{Answer, Row};

/// Pairs of results that cannot both be true, in words.
pub fn contradictions(rows: &[Row]) -> Vec<String> {
    let mut out = Vec::new();
    let of = |answer| rows.iter().filter(move |row| row.answer == answer);
    if let (Some(found), Some(none)) = (of(Answer::Found).next(), of(Answer::None).next()) {
        out.push(format!("`{}` has found an error, but `{}` has proven that there is none", found.search, none.search));
    }
    for proven in of(Answer::Found).filter(|row| row.proven_shortest) {
        let shorter = of(Answer::Found).find(|row| row.property == proven.property && size(row) < size(proven));
        if let Some(shorter) = shorter {
            let (claimed, real) = (size(proven).unwrap_or(0), size(shorter).unwrap_or(0));
            out.push(format!(
                "`{}` has proven that no error is shorter than {claimed}, but `{}` has found one of {real}",
                proven.search, shorter.search
            ));
        }
    }
    out
}

/// What searches minimise.
fn size(row: &Row) -> Option<u64> {
    row.cost.or(row.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(search: &str, length: u64, proven_shortest: bool) -> Row {
        let (property, length) = (Some("deadlock".to_string()), Some(length));
        Row { answer: Answer::Found, property, length, proven_shortest, ..Row::skipped(search) }
    }

    fn ended(search: &str, answer: Answer) -> Row {
        Row { answer, ..Row::skipped(search) }
    }

    #[test]
    fn what_is_not_proven_does_not_contradict() {
        let rows = [found("dfs", 90, false), found("bfs", 5, true), found("auto", 5, true), ended("x", Answer::Limit)];
        assert!(contradictions(&rows).is_empty());
        let rows = [found("bfs", 5, true), ended("beam", Answer::Inconclusive), ended("x", Answer::Skipped)];
        assert!(contradictions(&rows).is_empty());
        assert!(contradictions(&[ended("bfs", Answer::None), ended("dfs", Answer::None)]).is_empty());
    }

    #[test]
    fn an_error_and_a_proof_of_absence_contradict() {
        let rows = [ended("bfs", Answer::None), found("greedy", 7, false)];
        assert_eq!(contradictions(&rows), ["`greedy` has found an error, but `bfs` has proven that there is none"]);
    }

    #[test]
    fn nothing_is_shorter_than_the_shortest() {
        let rows = [found("astar", 8, true), found("bfs", 7, true), found("dfs", 9, false)];
        let expected = "`astar` has proven that no error is shorter than 8, but `bfs` has found one of 7";
        assert_eq!(contradictions(&rows), [expected]);
        // Another property is another matter.
        let other = Row { property: Some("assertion".into()), ..found("bfs", 7, true) };
        assert!(contradictions(&[found("auto", 8, true), other]).is_empty());
        // Costs count where there are any.
        let cheap = Row { cost: Some(3), ..found("astar", 9, true) };
        let short = Row { cost: Some(4), ..found("dfs", 2, false) };
        assert!(contradictions(&[cheap, short]).is_empty());
    }
}
