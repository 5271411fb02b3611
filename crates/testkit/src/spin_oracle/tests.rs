//! The oracle on models whose numbers are known by hand.

use super::*;

fn check(source: &str) -> Option<SpinReport> {
    let Some(oracle) = SpinOracle::find() else {
        eprintln!("skipped: SPIN or a C compiler is not installed");
        return None;
    };
    let options = OracleOptions {
        existence: true,
        shortest_bfs: true,
        shortest_dfs: true,
        merged: true,
        ..OracleOptions::default()
    };
    Some(oracle.check(source, &options).expect("SPIN accepts the model"))
}

fn lengths(source: &str) -> Option<(&'static str, u64, u64, u64)> {
    let report = check(source)?;
    let bfs = report.shortest_bfs.and_then(|s| s.length);
    let dfs = report.shortest_dfs.and_then(|s| s.length);
    Some((report.verdict.kind(), report.dfs_length?, bfs?, dfs?))
}

#[test]
fn lengths_of_known_errors() {
    for (source, expected) in [
        ("active proctype P() { byte x; x = 1; x = 2; assert(0) }", ("assertion", 3, 3, 3)),
        ("active proctype P() { byte x; x = 1; x = 2; false }", ("invalid end state", 2, 2, 2)),
        ("active proctype P() { false }", ("invalid end state", 0, 0, 0)),
        ("active proctype P() { byte x; atomic { x = 1; x = 2; assert(0) } }", ("assertion", 3, 3, 3)),
        ("active proctype P() { byte x; d_step { x = 1; x = 2 }; assert(0) }", ("assertion", 2, 2, 2)),
        (
            "chan r = [0] of { byte }; active proctype P() { r!1; false } active proctype Q() { byte y; r?y }",
            ("invalid end state", 3, 3, 3),
        ),
        (
            "active proctype P() { byte x; if :: x = 1; x = 2; assert(0) :: x = 3; assert(0) fi }",
            ("assertion", 3, 2, 2),
        ),
    ] {
        if let Some(found) = lengths(source) {
            assert_eq!(found, expected, "{source}");
        }
    }
}

#[test]
fn priorities_do_not_hide_variables() {
    // Without `-DNOCOMP` SPIN does not tell `b == 1` from `b == 0` here, and finds no error.
    let source = "byte g; active proctype P() { bit b; if :: b = 0 :: b = 1 fi; g = 1; assert(!b) }";
    let with_priority = format!("{source} active proctype Q() priority 1 {{ skip }}");
    let without = format!("{source} active proctype Q() {{ skip }}");
    let (Some(with_priority), Some(without)) = (check(&with_priority), check(&without)) else { return };
    assert_eq!(with_priority.verdict.kind(), "assertion");
    assert_eq!(with_priority.space, without.space);
    assert_eq!(with_priority.shortest_bfs, without.shortest_bfs);
    assert_eq!(with_priority.shortest_dfs, without.shortest_dfs);
    assert_eq!(with_priority.merged, without.merged);
}

#[test]
fn counts_and_existence() {
    let source = "byte x; active [2] proctype P() { x++; x++; assert(x < 4) }";
    let Some(report) = check(source) else { return };
    // 4 * 4 places while both live, 4 when the second one is gone, 1 when both are.
    assert_eq!(report.space.map(|s| s.states), Some(21));
    assert_eq!((report.deadlock, report.assertion), (Some(false), Some(true)));
    assert!(report.merged.is_some());
    assert_eq!(report.verdict.kind(), "assertion");
}

#[test]
fn rejected_models_say_so() {
    let Some(oracle) = SpinOracle::find() else { return };
    let result = oracle.check("active proctype P() { x = 1 }", &OracleOptions::default());
    assert!(matches!(result, Err(OracleFailure::Rejected(_))), "{result:?}");
    assert!(oracle.accepts("#define N 2\nactive proctype P() { byte x = N }", &OracleOptions::default()).is_ok());
}

#[test]
fn automata_are_listed() {
    let Some(oracle) = SpinOracle::find() else { return };
    let source = "byte x;\nactive proctype P() {\n  atomic { x = 1; x = 2 };\n  end: x == 3\n}\ninit { skip }\n";
    let automaton = oracle.automaton(source, &OracleOptions::default(), false).unwrap();
    assert_eq!(automaton.proctypes(), ["P", "init"]);
    assert!(automaton.of("P").any(|t| t.text == "x = 1" && t.atomic && t.line == 3));
    assert!(automaton.of("P").any(|t| t.text == "((x==3))" && t.end && t.line == 4));
}
