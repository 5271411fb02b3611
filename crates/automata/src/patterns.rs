//! Property patterns: how to say in temporal logic what people want to say.
//!
//! Paper: Dwyer, Avrunin, Corbett 1999, "Patterns in property specifications for finite-state verification". The formulas
//! are those that the patterns project has published, with atoms `p`, `s`, `t`, `z` for what is said and `q`, `r` for
//! the borders of the scope.

use std::fmt;

/// The part of a run that a pattern speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    Globally,
    /// Up to the first r, if there is one.
    Before,
    /// From the first q on.
    After,
    /// Every part from a q to an r that follows.
    Between,
    /// The same, also where no r follows.
    AfterUntil,
}

impl Scope {
    pub const ALL: [Scope; 5] = [Scope::Globally, Scope::Before, Scope::After, Scope::Between, Scope::AfterUntil];
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Scope::Globally => "globally",
            Scope::Before => "before r",
            Scope::After => "after q",
            Scope::Between => "between q and r",
            Scope::AfterUntil => "after q until r",
        })
    }
}

/// A pattern in one scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub name: &'static str,
    /// What it says within its scope.
    pub meaning: &'static str,
    pub scope: Scope,
    /// The formula in the syntax of SPIN.
    pub formula: &'static str,
}

/// All patterns in all scopes.
pub fn all() -> Vec<Pattern> {
    let in_scopes = |entry: &Entry| {
        let Entry { name, meaning, formulas } = *entry;
        Scope::ALL.into_iter().zip(formulas).map(move |(scope, formula)| Pattern { name, meaning, scope, formula })
    };
    TABLE.iter().flat_map(in_scopes).collect()
}

struct Entry {
    name: &'static str,
    meaning: &'static str,
    /// In the order of [`Scope::ALL`].
    formulas: [&'static str; 5],
}

const TABLE: &[Entry] = &[
    Entry {
        name: "absence",
        meaning: "p is never true",
        formulas: [
            "[]!p",
            "<>r -> (!p U r)",
            "[](q -> []!p)",
            "[]((q && !r && <>r) -> (!p U r))",
            "[]((q && !r) -> (!p W r))",
        ],
    },
    Entry {
        name: "universality",
        meaning: "p is always true",
        formulas: [
            "[]p",
            "<>r -> (p U r)",
            "[](q -> []p)",
            "[]((q && !r && <>r) -> (p U r))",
            "[]((q && !r) -> (p W r))",
        ],
    },
    Entry {
        name: "existence",
        meaning: "p becomes true",
        formulas: [
            "<>p",
            "!r W (p && !r)",
            "[]!q || <>(q && <>p)",
            "[]((q && !r) -> (!r W (p && !r)))",
            "[]((q && !r) -> (!r U (p && !r)))",
        ],
    },
    Entry {
        name: "bounded existence",
        meaning: "p becomes true at most twice",
        formulas: [
            "!p W (p W (!p W (p W []!p)))",
            "<>r -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r)))))))))",
            "<>q -> (!q U (q && (!p W (p W (!p W (p W []!p))))))",
            "[]((q && <>r) -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p U r))))))))))",
            "[](q -> ((!p && !r) U (r || ((p && !r) U (r || ((!p && !r) U (r || ((p && !r) U (r || (!p W r) || []p)))))))))",
        ],
    },
    Entry {
        name: "precedence",
        meaning: "s comes before p",
        formulas: [
            "!p W s",
            "<>r -> (!p U (s || r))",
            "[]!q || <>(q && (!p W s))",
            "[]((q && !r && <>r) -> (!p U (s || r)))",
            "[]((q && !r) -> (!p W (s || r)))",
        ],
    },
    Entry {
        name: "response",
        meaning: "s comes after each p",
        formulas: [
            "[](p -> <>s)",
            "<>r -> ((p -> (!r U (s && !r))) U r)",
            "[](q -> [](p -> <>s))",
            "[]((q && !r && <>r) -> ((p -> (!r U (s && !r))) U r))",
            "[]((q && !r) -> ((p -> (!r U (s && !r))) W r))",
        ],
    },
    Entry {
        name: "precedence chain 2-1",
        meaning: "s and then t come before p",
        formulas: [
            "<>p -> (!p U (s && !p && X (!p U t)))",
            "<>r -> (!p U (r || (s && !p && X (!p U t))))",
            "[]!q || (!q U ((q && <>p) -> (!p U (s && !p && X (!p U t)))))",
            "[]((q && <>r) -> (!p U (r || (s && !p && X (!p U t)))))",
            "[](q -> (<>p -> (!p U (r || (s && !p && X (!p U t))))))",
        ],
    },
    Entry {
        name: "precedence chain 1-2",
        meaning: "p comes before s and then t",
        formulas: [
            "<>(s && X <>t) -> (!s U p)",
            "<>r -> (!(s && !r && X (!r U (t && !r))) U (r || p))",
            "[]!q || (!q U (q && (<>(s && X <>t) -> (!s U p))))",
            "[]((q && <>r) -> (!(s && !r && X (!r U (t && !r))) U (r || p)))",
            "[](q -> ((!(s && !r && X (!r U (t && !r))) U (r || p)) || []!(s && X <>t)))",
        ],
    },
    Entry {
        name: "response chain 2-1",
        meaning: "p comes after each s that t follows",
        formulas: [
            "[]((s && X <>t) -> X <>(t && <>p))",
            "<>r -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U r)",
            "[](q -> []((s && X <>t) -> X (!t U (t && <>p))))",
            "[]((q && <>r) -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U r))",
            "[](q -> (((s && X (!r U t)) -> X (!r U (t && <>p))) U (r || []((s && X (!r U t)) -> X (!r U (t && <>p))))))",
        ],
    },
    Entry {
        name: "response chain 1-2",
        meaning: "s and then t come after each p",
        formulas: [
            "[](p -> <>(s && X <>t))",
            "<>r -> ((p -> (!r U (s && !r && X (!r U t)))) U r)",
            "[](q -> [](p -> (s && X <>t)))",
            "[]((q && <>r) -> ((p -> (!r U (s && !r && X (!r U t)))) U r))",
            "[](q -> ((p -> (!r U (s && !r && X (!r U t)))) U (r || [](p -> (s && X <>t)))))",
        ],
    },
    Entry {
        name: "constrained chain",
        meaning: "s and then t, with no z from s to t, come after each p",
        formulas: [
            "[](p -> <>(s && !z && X (!z U t)))",
            "<>r -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r)",
            "[](q -> [](p -> (s && !z && X (!z U t))))",
            "[]((q && <>r) -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U r))",
            "[](q -> ((p -> (!r U (s && !r && !z && X ((!r && !z) U t)))) U (r || [](p -> (s && !z && X (!z U t))))))",
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    #[test]
    fn all_patterns_are_formulas() {
        let patterns = all();
        assert_eq!(patterns.len(), 55);
        for pattern in patterns {
            let (_, names) = parse(pattern.formula).unwrap_or_else(|e| panic!("{}: {e}", pattern.formula));
            assert!(names.iter().all(|name| "pqrstz".contains(name.as_str())), "{}", pattern.formula);
            let expected = match pattern.scope {
                Scope::Globally => [false, false],
                Scope::Before => [false, true],
                Scope::After => [true, false],
                Scope::Between | Scope::AfterUntil => [true, true],
            };
            let found = ["q", "r"].map(|border| names.iter().any(|name| name == border));
            assert_eq!(found, expected, "{} {}", pattern.name, pattern.scope);
        }
    }
}
