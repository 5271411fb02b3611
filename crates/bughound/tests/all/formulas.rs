//! Formulas of temporal logic: where they come from, and what they see.

use crate::support::{HOLDS, Workspace, check};
use bughound::added::{AddedKind, AddedProperty};
use bughound::language::Language;
use bughound::model::{ModelOptions, load_text};
use bughound_ir::ltl::Formula;
use bughound_ir::question::Question;

/// The last property of a model, with this formula added.
fn added(text: &str, formula: &str) -> Question {
    let property = AddedProperty { kind: AddedKind::Ltl, text: formula.into() };
    let options = ModelOptions { added: vec![property], ..ModelOptions::default() };
    let model = load_text("m.pml", text.as_bytes(), Language::Promela, &options).unwrap();
    model.network.properties.last().unwrap().question.clone()
}

#[test]
fn formulas_are_read_with_the_words_of_the_model() {
    const MODEL: &str =
        "#define p (x > 0)\nbyte x; chan q = [2] of { byte }; active proctype P() { byte y; L: x = 1; y = 2 }";
    let Question::Ltl(formula) = added(MODEL, "[] (p -> <> (P@L && len(q) == 0)) U P:y == 2") else { panic!() };
    let Formula::Until(left, right) = &formula else { panic!("{formula:?}") };
    assert!(matches!(**left, Formula::Always(_)) && matches!(**right, Formula::Atom(_)), "{formula:?}");
    assert_eq!(formula.atoms().len(), 3);
    // What has no temporal operator is one condition, and that alone is about the first state.
    assert!(matches!(added(MODEL, "p && !(x == 2)"), Question::Ltl(Formula::Atom(_))));
    for formula in ["[] p", "!<> !p", "!!([] (p -> x < 2))"] {
        assert!(matches!(added(MODEL, formula), Question::Invariant(_)), "{formula}");
    }
}

#[test]
fn formulas_have_names_and_kinds() {
    let ran = check(HOLDS, &["--ltl", "<> (x == 2)", "--ltl", "[] (x <= 2)", "--json"]).json();
    let kinds: Vec<_> = ran["properties"].as_array().unwrap().iter().map(|p| (&p["name"], &p["kind"])).collect();
    assert!(kinds.contains(&(&"ltl-1".into(), &"ltl".into())), "{kinds:?}");
    assert!(kinds.contains(&(&"ltl-2".into(), &"invariant".into())), "{kinds:?}");
    for group in ["ltl", "liveness"] {
        let ran = check(HOLDS, &["--ltl", "<> (x == 2)", group, "--json"]).json();
        assert_eq!(ran["properties"].as_array().unwrap().len(), 1, "{group}");
        check(HOLDS, &[group]).exits(2).complains(&format!("no property of the kind `{group}`"));
    }
    check(HOLDS, &["--ltl", "[] (nosuch == 1)"]).exits(2).complains("`nosuch` is not declared").complains("--ltl");
    check(HOLDS, &["--ltl", "[] x U"]).exits(2).complains("--ltl");
}

/// Merging joins statements that nobody looks at: a formula looks.
#[test]
fn formulas_see_what_merging_would_skip() {
    let local = "active proctype P() { int x; x = 1; x = 0; x = 2 }\n";
    check(&format!("{local}ltl a {{ [] (P:x != 1) }}"), &["a"]).exits(1).says("P:x = 1");
    check(local, &["invariant", "--invariant", "P:x != 1"]).exits(1).says("P:x = 1");
    let jump = "bool g; active proctype P() { g = 1; goto M; M: goto N; N: g = 0 }\n";
    check(&format!("{jump}ltl a {{ [] !(P@M) }}"), &["a"]).exits(1);
    let promised = "local byte g; active proctype P() { byte x; x = 1; g = 1; g = 2; x = 2 }\n";
    check(&format!("{promised}ltl a {{ [] (g != 1) }}"), &["a"]).exits(1).says("g = 1");
    let channel = "chan q = [2] of { byte }; active proctype P() { xs q; byte x; q!1; x = 1; atomic { q!2; x = 2 } }\n";
    check(&format!("{channel}ltl a {{ [] (len(q) != 1) }}"), &["a"]).exits(1);
}

#[test]
fn formulas_that_are_not_invariants_keep_statements_apart_too() {
    let edges = |formula: &str| {
        let text = format!("active proctype P() {{ int x; x = 1; x = 0; x = 2 }}\nltl a {{ {formula} }}");
        let model = load_text("m.pml", text.as_bytes(), Language::Promela, &ModelOptions::default()).unwrap();
        model.network.edges.len()
    };
    // Three assignments, and the end of the process.
    assert_eq!((edges("<> true"), edges("<> (P:x == 1)"), edges("(P:x == 0) U true")), (2, 4, 4));
}

/// An automaton that was written down says the same as the formula, whatever order its states are in.
#[test]
fn formulas_and_their_automata_agree() {
    let model = "bool a, b; active proctype P() { do :: a = !a :: a && !b -> b = 1 :: a && b -> b = 0 :: break od }";
    let workspace = Workspace::with("m.pml", model);
    let formulas = [
        "[] a",
        "<> a",
        "[] <> a",
        "<> [] b",
        "!(<> [] a && [] b)",
        "<> [] a && [] b",
        "a U b",
        "!(a U b)",
        "[] (a -> <> b)",
        "(<> a) -> (<> b)",
        "!(<> a && [] !b)",
        "[] (a || b)",
        "([] <> a) -> ([] <> b)",
        "<> (a && X b)",
        "a || <> [] !b",
        "!(<> [] !a && [] !b)",
        "(a V b) || [] <> !a",
        "!([] <> a && [] !a)",
        "(<> b) -> (<> a)",
        "(!b U a) || [] !b",
        "<> [] (a || b) && [] !a",
    ];
    let mut violated = 0;
    for formula in formulas {
        let code = workspace.run(&["check", "m.pml", "ltl-1", "--ltl", formula]).code;
        assert!(code <= 1, "{formula}");
        violated += code;
        for format in ["hoa", "never"] {
            let claim = workspace.run(&["translate", &format!("!({formula})"), "--to", format]).exits(0).out;
            let file = format!("claim.{format}");
            workspace.write(&file, &claim);
            let ran = workspace.run(&["check", "m.pml", "claim-1", "--claim", &file]);
            assert_eq!(ran.code, code, "{formula} as {format}:\n{claim}\n{}{}", ran.out, ran.err);
        }
    }
    assert!(violated > 4 && formulas.len() as i32 - violated > 2, "{violated}");
}
