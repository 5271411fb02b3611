//! The translation and the simplification against the semantics, on words that repeat.

use crate::support::{cases, conditions, formulas, many_words};
use bughound_automata::{Buchi, DEFAULT_LIMIT, Formula, Word, parse, translate};
use proptest::prelude::*;

fn automaton(formula: &Formula) -> Buchi {
    translate(formula, DEFAULT_LIMIT).unwrap_or_else(|error| panic!("{formula}: {error}"))
}

/// Compares a formula and its negation with their automata. Exactly one of both accepts each word.
fn check(formula: &Formula, words: &[Word]) {
    let positive = automaton(formula);
    let negative = automaton(&formula.clone().negated());
    for word in words {
        let expected = word.satisfies(formula);
        assert_eq!(positive.accepts(word), expected, "{formula} on {word:?}: {positive:#?}");
        assert_eq!(negative.accepts(word), !expected, "!({formula}) on {word:?}: {negative:#?}");
    }
    check_shape(&positive);
    check_shape(&negative);
}

/// What users of the automaton rely on.
fn check_shape(buchi: &Buchi) {
    for (number, state) in buchi.states.iter().enumerate() {
        let mut targets: Vec<usize> = state.edges.iter().map(|edge| edge.to).collect();
        targets.sort_unstable();
        targets.dedup();
        assert_eq!(targets.len(), state.edges.len(), "two edges of state {number} have the same target");
        assert!(state.edges.iter().all(|edge| !edge.label.is_false() && edge.to < buchi.states.len()));
    }
    for end in buchi.end_states() {
        let from_there = Buchi { initial: end, ..buchi.clone() };
        assert!(many_words(20, 5).iter().all(|word| from_there.accepts(word)));
    }
}

proptest! {
    #![proptest_config(cases(3000))]

    #[test]
    fn automata_accept_what_formulas_mean(formula in formulas(), seed in any::<u64>()) {
        check(&formula, &many_words(40, seed));
    }

    #[test]
    fn simplification_keeps_the_meaning(formula in formulas(), seed in any::<u64>()) {
        let simple = formula.simplified();
        let normal = formula.negation_normal_form().unwrap();
        for word in many_words(60, seed) {
            prop_assert_eq!(word.satisfies(&simple), word.satisfies(&formula), "{} became {}", formula, simple);
            prop_assert_eq!(word.satisfies(&normal), word.satisfies(&formula), "{} became {}", formula, normal);
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    /// Conditions that recur take a way of their own through the translation.
    #[test]
    fn automata_count_recurring_conditions(
        formula in formulas(),
        fair in prop::collection::vec(conditions(), 1..4),
        seed in any::<u64>(),
    ) {
        let fair = fair.into_iter().map(|c| c.eventually().always()).collect();
        check(&Formula::And(fair).and(formula), &many_words(40, seed));
    }
}

/// Formulas where a hasty construction goes wrong.
#[test]
fn promises_are_kept() {
    for text in [
        "[](a U (b && <>c))",
        "[](a U (b && X <>c))",
        "[]<>(a && X <>(b && X <>c))",
        "[]<>a && []<>b && []<>c",
        "<>[]a || []<>b",
        "[](a -> (b U (c && X <>a)))",
        "(a U b) U (b U c)",
        "[]((a U b) || (b U c))",
        "[]<>a -> []<>b",
        "!([]<>a -> []<>b) || <>[]c",
    ] {
        let formula = parse(text).unwrap().0;
        check(&formula, &many_words(2000, 11));
    }
}

#[test]
fn small_properties_have_the_smallest_automata() {
    for (text, states, edges) in [
        ("!([](p -> <>q))", 2, 3),
        ("!([]<>a -> []<>b)", 3, 6),
        ("<>[]p", 2, 3),
        ("[]<>p", 2, 4),
        ("[]p", 1, 1),
        ("<>p", 2, 3),
        ("p U q", 2, 3),
        ("p W q", 2, 3),
        ("true", 1, 1),
        ("false", 1, 0),
        ("p", 2, 2),
        ("X p", 3, 3),
        ("[](p -> X q)", 2, 4),
        ("[]<>p && []<>q", 3, 8),
    ] {
        let found = automaton(&parse(text).unwrap().0);
        let size = (found.states.len(), found.edge_count());
        assert!(size <= (states, edges), "{text}: {size:?} instead of {:?}", (states, edges));
    }
}

/// A dozen fairness assumptions are nothing unusual.
#[test]
fn many_fairness_assumptions_are_cheap() {
    let fair = (0..12).map(|i| format!("[]<>run{i}")).collect::<Vec<_>>().join(" && ");
    let found = automaton(&parse(&format!("!(({fair}) -> [](p -> <>q))")).unwrap().0);
    assert!(found.states.len() <= 14, "{} states", found.states.len());
}

#[test]
fn bad_prefixes_end_in_an_end_state() {
    for (text, ends) in
        [("!([]p)", 1), ("!([](p -> <>q))", 0), ("!(p W q)", 1), ("!(<>p)", 0), ("!([](p -> X X q))", 1)]
    {
        let found = automaton(&parse(text).unwrap().0);
        assert_eq!(found.end_states().len(), ends, "{text}: {found:#?}");
    }
}

#[test]
fn large_formulas_end_with_an_error() {
    let many = |n: usize| (0..n).map(|i| format!("[]<>p{i}")).collect::<Vec<_>>().join(" && ");
    let hard = (0..12).map(|i| format!("[](p{i} -> <>q{i})")).collect::<Vec<_>>().join(" && ");
    let untils = (0..12).map(|i| format!("(p{i} U q{i})")).collect::<Vec<_>>().join(" && ");
    for text in [many(30), hard.clone(), format!("!({hard})"), untils, many(200)] {
        let formula = parse(&text).unwrap().0;
        if let Err(error) = translate(&formula, 1000) {
            assert!(error.to_string().contains("too"), "{error}");
        }
    }
    assert!(translate(&Formula::Atom(5000), 1000).is_err());
}

/// Front ends let formulas nest about a thousand levels deep; a thread of a test has 2 MB of stack.
#[test]
fn deep_formulas_do_not_exhaust_the_stack() {
    let (p, q) = (Formula::Atom(0), Formula::Atom(1));
    let shapes: [&dyn Fn(Formula, usize) -> Formula; 6] = [
        &|f, i| if i % 2 == 0 { f.always() } else { p.clone().or(f.next()) },
        &|f, _| f.until(q.clone()).next(),
        &|f, i| if i % 2 == 0 { p.clone().until(f) } else { f.release(q.clone()) },
        &|f, i| if i % 2 == 0 { p.clone().and(f.next()) } else { q.clone().or(f) },
        &|f, _| f.equivalent(p.clone()).negated(),
        &|f, i| if i % 2 == 0 { f.eventually().and(p.clone()) } else { f.always().implies(q.clone()) },
    ];
    for shape in shapes {
        let deep = (0..1000).fold(p.clone(), shape);
        let _ = translate(&deep, 1000);
        let _ = deep.simplified().to_string();
    }
}
