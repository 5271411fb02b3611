//! Table 2 of Edelkamp, Lluch Lafuente, Leue 2001: the classes of components in the claims of the basic patterns.
//!
//! The table depends on the translator. Ours is pinned here, with the entry of the paper beside it and a reason for every
//! difference. All differences go one way: components of class P or F that the claims of the paper had are not there. So
//! more properties can be checked without a nested search than the paper says.

use bughound_automata::patterns::{self, Scope};
use bughound_automata::{DEFAULT_LIMIT, parse, translate};

/// A violation is seen after finitely many steps. Then it is enough to reach the end state, and components with accepting
/// cycles are leftovers of the translation. SPIN replaces `p W r` by `([]p) || (p U r)`; its claim follows the negations
/// of both parts. In version 6.5 it still has an accepting loop beside the end state for these patterns, as a look at its
/// claims shows; the claims of version 3, which the paper classifies, are not at hand.
const WEAK_UNTIL: &str = "negated weak until is followed for ever, though a finite prefix decides";

/// The border of the scope has to come for the property to be violated, so a finite prefix decides here too. SPIN 6.5
/// still has the accepting loop for the time after it.
const BORDER_COMES: &str = "the violation ends at r, so that a finite prefix decides";

/// The same formula as for absence, but for the sign of p: one translator gives both the same classes, and
/// SPIN 6.5 does.
const LIKE_ABSENCE: &str = "the formula is that of absence with p negated, where the paper has S+N";

type Entry = (&'static str, &'static str, &'static str);

/// Pattern; for each scope our classes, those of the paper, and why they differ.
const TABLE: &[(&str, [Entry; 5])] = &[
    (
        "absence",
        [("S+N", "S+N", ""), ("S+N", "S+N", ""), ("S+N", "S+N", ""), ("S+N", "S+N", ""), ("S+N", "S+N+P", WEAK_UNTIL)],
    ),
    (
        "universality",
        [
            ("S+N", "S+N", ""),
            ("S+N", "S+N", ""),
            ("S+N", "S+N", ""),
            ("S+N", "S+N+P+F", LIKE_ABSENCE),
            ("S+N", "S+N+P", WEAK_UNTIL),
        ],
    ),
    (
        "existence",
        [
            ("F", "F", ""),
            ("S+N", "S+N+P", WEAK_UNTIL),
            ("N+F", "N+F", ""),
            ("S+N", "S+N+P", WEAK_UNTIL),
            ("S+N+F", "S+N+F", ""),
        ],
    ),
    (
        "response",
        [
            ("N+F", "N+F", ""),
            ("S+N", "S+N+P+F", BORDER_COMES),
            ("N+F", "N+F", ""),
            ("S+N", "S+N+P+F", BORDER_COMES),
            // F stays: without r, the violation is that s never comes. P goes.
            ("S+N+F", "S+N+P+F", WEAK_UNTIL),
        ],
    ),
    (
        "precedence",
        [
            ("S+N", "S+N+P", WEAK_UNTIL),
            ("S+N", "S+N", ""),
            // Every q must be followed by a violation, again and again: no prefix decides, and no cycle is enough.
            ("N+P", "N+P", ""),
            ("S+N", "S+N", ""),
            ("S+N", "S+N+P", WEAK_UNTIL),
        ],
    ),
];

#[test]
fn classes_are_those_of_the_table() {
    let patterns = patterns::all();
    let mut wrong = Vec::new();
    for (name, entries) in TABLE {
        for (scope, (ours, paper, why)) in Scope::ALL.into_iter().zip(entries) {
            let pattern = patterns.iter().find(|p| p.name == *name && p.scope == scope).unwrap();
            let claim = translate(&parse(pattern.formula).unwrap().0.negated(), DEFAULT_LIMIT).unwrap();
            let found = claim.class_set().to_string();
            if found != *ours {
                wrong.push(format!("{name} {scope}: {found} instead of {ours} (paper: {paper})"));
            }
            assert_eq!(ours == paper, why.is_empty(), "{name} {scope}: a difference needs a reason");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The classes of the paper that ours lack are never needed; nothing is there that the paper does not have.
#[test]
fn differences_go_one_way() {
    for (name, entries) in TABLE {
        for (ours, paper, _) in entries {
            assert!(ours.split('+').all(|class| paper.split('+').any(|other| other == class)), "{name}: {ours}");
        }
    }
}
