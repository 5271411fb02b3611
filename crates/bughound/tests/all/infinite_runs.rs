//! Properties of infinite runs in corners where searches, claims and replay must agree.

use crate::support::Workspace;

/// Searches for cycles, and searches for states, which record.
const SEARCHES: [&str; 9] =
    ["auto", "scc", "nested-dfs", "improved-nested-dfs", "astar-dfs", "shortest-lasso", "bfs", "dfs", "astar"];

/// Asks every search about a formula, with and without fairness.
fn check(model: &str, formula: &str, exit: i32) {
    check_with(model, formula, &[], exit);
    check_with(model, formula, &["--fair", "weak"], exit);
}

fn check_with(model: &str, formula: &str, options: &[&str], exit: i32) {
    let workspace = Workspace::with("m.pml", model);
    for search in SEARCHES {
        let asked = ["check", "m.pml", "--ltl", formula, "--property", "ltl-1", "--search", search];
        workspace.run(&[&asked[..], options].concat()).exits(exit);
    }
}

#[test]
fn claims_with_many_locations_are_recorded() {
    // The location of the claim does not fit where the marks of a recorded run stand.
    let model = "byte x; active proctype P() { do :: x = 1; x = 2; x = 0 od }";
    check(model, "[] (x == 1 -> <> (x == 2))", 0);
    check(model, "<> [] (x < 2)", 1);
}

#[test]
fn formulas_that_no_run_satisfies() {
    // The claim of such a formula is at its end before it has seen a state.
    let model = "byte x; active proctype P() { do :: x = 1; x = 0 od }";
    for formula in ["false", "X false", "<> (x == 1) && !<> (x == 1)", "X (x == 1 && <> (x == 0) && !(<> (x == 0)))"] {
        check(model, formula, 1);
    }
    check(model, "true || <> (x == 7)", 0);
}

#[test]
fn a_run_rests_where_only_failure_is_left() {
    let step = "byte x; byte y; active proctype P() { x = 1; y = 1 / (x - 1) }";
    check(step, "<> (x == 2)", 1);
    check(step, "<> [] (x == 1)", 0);
    // The chain begins well, but does not lead anywhere.
    let chain = "byte x; byte y; active proctype P() { x = 1; atomic { y = 1; y = 1 / (x - 1) } }";
    check(chain, "<> (y == 1)", 1);
    check(chain, "<> [] (x == 1 && y == 0)", 0);
}

#[test]
fn conditions_without_value_are_errors_in_every_formula() {
    let model = "byte x; active proctype P() { do :: x = 1; x = 0 od }";
    // Alone, where they are conditions on states, and as parts of something longer.
    for formula in ["!<> (1 / x == 2)", "[] (1 / x == 2 -> x == 5)", "[] ((1 / x == 2) <-> (2 / x == 1))"] {
        check(model, formula, 1);
        check(model, &format!("X ({formula})"), 1);
    }
    check(model, "[] (!(1 / x == 2))", 1);
    check(model, "X ([] (!(1 / x == 2)))", 1);
}

#[test]
fn long_chains_that_differ_only_in_who_moves() {
    // P gets to the same state with and without Q. With Q it is fair to Q, which could set z all the time.
    let model = |rounds: usize| {
        format!(
            "chan r = [0] of {{ bit }}; chan s = [0] of {{ bit }}; bit z; byte i;
            active proctype P() {{
              do
              :: atomic {{
                   i = 0; do :: i < {rounds} -> i++ :: else -> break od; i = 0;
                   if :: skip; skip :: r!1; s?_ fi; i = 1; i = 0
                 }}
              od
            }}
            active proctype Q() {{ do :: atomic {{ r?_; s!1 }} :: z = 1 od }}"
        )
    };
    for rounds in [2, 40] {
        check_with(&model(rounds), "<> (z == 1)", &["--fair", "weak", "--merge", "off"], 1);
    }
}

/// A run that stays inside an atomic sequence for ever shows nothing more: nobody can tell what it satisfies.
#[test]
fn runs_that_stay_inside_an_atomic_sequence() {
    for body in [
        "atomic { do :: i++ od }",
        "atomic { do :: i = 1; i = 2 od }",
        "atomic { do :: i = 1 - i :: b -> break od }",
        "if :: atomic { do :: i < 3 -> i++ :: i > 1 -> i = 0 od } :: b fi",
    ] {
        let model = format!("bool b; byte i; active proctype P() {{ {body} }} active proctype Q() {{ b = true }}");
        check(&model, "<> b", 3);
        let workspace = Workspace::with("m.pml", &model);
        let said = workspace.run(&["check", "m.pml", "--ltl", "<> b", "--property", "ltl-1"]).exits(3);
        said.says("an atomic sequence can go on for ever");
        // A beginning that violates something is found; states are seen, all of them.
        check(&model, "(!b) W (i == 300)", 1);
        workspace.run(&["check", "m.pml", "assertion", "deadlock", "--search", "bfs"]).exits(0);
    }
    // Alone, such a process is not at rest.
    let alone = "bool b; byte i; active proctype P() { atomic { do :: i++ od } }";
    check(alone, "<> b", 3);
    Workspace::with("m.pml", alone).run(&["check", "m.pml", "non-progress"]).exits(3);
    // Loops that end, and loops that others can interrupt, are seen to their end.
    for body in
        ["atomic { do :: i < 60 -> i++ :: else -> break od }", "do :: atomic { i++; i == 200 -> i = 0 } :: b od"]
    {
        let model = format!("bool b; byte i; active proctype P() {{ {body} }} active proctype Q() {{ b = true }}");
        check_with(&model, "<> b", &["--fair", "weak"], 0);
    }
}

#[test]
fn a_claim_goes_through_an_atomic_sequence_in_one_move() {
    // As `spin -f` writes claims: the assertion looks at the state that the condition has seen.
    let claim = |body: &str| {
        format!(
            "byte x; active proctype P() {{ x = 1; x = 2; x = 3; x = 4 }} never {{ T0: do :: {body} :: (1) -> goto T0 od }}"
        )
    };
    let violated = [
        "atomic { (x == 2) -> assert(!(x == 2)) }",
        "d_step { (x == 2) -> assert(!(x == 2)) }",
        "atomic { (x == 2) -> if :: x == 1 -> skip :: x == 2 -> skip fi }; break",
    ];
    for body in violated {
        let workspace = Workspace::with("m.pml", &claim(body));
        for search in ["auto", "bfs", "dfs", "nested-dfs", "scc"] {
            workspace.run(&["check", "m.pml", "never", "--search", search]).exits(1);
        }
    }
    let workspace = Workspace::with("m.pml", &claim("atomic { (x == 2) -> (x == 3) }; break"));
    workspace.run(&["check", "m.pml", "never"]).exits(0);
    let workspace = Workspace::with("m.pml", &claim("atomic { (x == 2) -> if :: x == 1 :: else fi }; break"));
    workspace.run(&["check", "m.pml"]).exits(2).complains("`else` cannot stand inside `atomic` in a claim");
}

#[test]
fn a_run_inside_an_atomic_sequence_is_overlooked_by_no_search() {
    // P may go round for ever. That Q never gets to L does not decide the formula for such a run.
    let model = "int g;
        active proctype P() { atomic { do :: g == 0 od } }
        active proctype Q() { do :: L: g = 0; false od }";
    for formula in ["[] (Q[1]@L -> <> (g == 2))", "[] (g == 5 -> <> (g == 2))", "<> [] (g == 0)"] {
        check(model, formula, 3);
        for options in [["--reduction", "off"], ["--dead-variables", "off"], ["--max-states", "1000"]] {
            check_with(model, formula, &options, 3);
        }
    }
    // Two processes hand control to each other for ever.
    let handing_over = "chan r = [0] of { bit }; chan s = [0] of { bit }; bit x;
        active proctype P() { atomic { do :: r!1; s?_ od } }
        active proctype Q() { atomic { do :: r?_; s!1 od } }";
    check(handing_over, "[] (x == 1 -> <> (x == 0))", 3);
    // A loop that ends is none.
    let ends = "byte i; active proctype P() { atomic { do :: i < 40 -> i++ :: else -> break od } }";
    check(ends, "[] (i == 7 -> <> (i == 8))", 0);
    check(ends, "<> [] (i == 40)", 0);
}

#[test]
fn a_formula_that_no_run_satisfies_needs_no_run_that_goes_on() {
    // There is no other run than the one that stays inside; but whatever happens, the formula is false.
    let model = "int g; active proctype P() { atomic { do :: g = 0 od } }";
    check(model, "!([] (g == 0 -> <> (g == 0)))", 1);
    check(model, "false", 1);
    let counts = "int g; active proctype P() { atomic { do :: g = g + 1 od } }";
    check_with(counts, "!([] (g == 0 -> <> (g == 0)))", &["--reduction", "off"], 1);
    check(model, "!([] (g == 0))", 3);
}

/// Who can begin an atomic sequence that never ends can move, so a loop without them is not fair; and what such a run does
/// nobody knows.
#[test]
fn an_endless_atomic_sequence_is_no_fair_rest() {
    let model = "byte g; active proctype P0() { atomic { do :: skip od } } active proctype P1() { do :: skip od }\n";
    for search in ["auto", "scc", "nested-dfs"] {
        let options = ["--only", "--fair", "weak", "--ltl", "[]<> (g == 7)", "--search", search];
        crate::support::check(model, &options).exits(3);
    }
}
