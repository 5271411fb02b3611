//! Verdicts, and the exit codes that tell them to other programs.

use std::fmt;

/// What was found out about a property, or about all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// There is a counterexample; or, for a question after existence, proof that nothing of the kind exists.
    Violated,
    Holds,
    /// A question after existence was answered with a witness.
    Satisfied,
    /// No answer: not asked long enough, not thoroughly enough, or not checkable.
    Inconclusive,
    /// A limit ended the search.
    Limit,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Violated => "violated",
            Verdict::Holds => "holds",
            Verdict::Satisfied => "satisfied",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Limit => "limit",
        }
    }

    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Holds | Verdict::Satisfied => 0,
            Verdict::Violated => 1,
            Verdict::Inconclusive => 3,
            Verdict::Limit => 4,
        }
    }

    /// The verdict on several properties together: the worst news first, and no promise that a single one does not
    /// bear out.
    pub fn together(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
        let all: Vec<Verdict> = verdicts.into_iter().collect();
        let worst = [Verdict::Violated, Verdict::Limit, Verdict::Inconclusive];
        if let Some(found) = worst.into_iter().find(|verdict| all.contains(verdict)) {
            return found;
        }
        match all.split_first() {
            None => Verdict::Inconclusive,
            Some((Verdict::Satisfied, rest)) if rest.iter().all(|v| *v == Verdict::Satisfied) => Verdict::Satisfied,
            Some(_) => Verdict::Holds,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict::*;
    use super::*;

    #[test]
    fn the_worst_news_counts() {
        assert_eq!(Verdict::together([Holds, Limit, Violated]), Violated);
        assert_eq!(Verdict::together([Holds, Limit, Inconclusive]), Limit);
        assert_eq!(Verdict::together([Holds, Inconclusive]), Inconclusive);
        assert_eq!(Verdict::together([Holds, Satisfied]), Holds);
        assert_eq!(Verdict::together([Satisfied]), Satisfied);
        assert_eq!(Verdict::together([]), Inconclusive);
    }
}
