//! Programs in which one condition or one step looks at several messages of a channel, or at variables of processes that
//! come and go: a relaxation or an abstraction that takes two looks for one, or none for an impossible one, loses errors
//! there. All heuristics are held to their claims in every state, and searches with them to breadth-first search.

use bughound::guide::{Guide, targets};
use bughound_ir::expr::Expr;
use bughound_kernel::registry::expression;
use bughound_kernel::{AtomId, Limits};
use bughound_promela::lower::LowerOptions;
use bughound_search::{BuildCx, Controls, Goals, InvariantGoal, SearchResult, StopPolicy, Task, algorithms};
use bughound_semantics::DiscreteSystem;
use bughound_store::Stores;
use bughound_testkit::heuristic_claims::{Program, check_program, expressions, invariants, kinds};
use bughound_testkit::random_promela::Rng;

/// With a counter that gives others something to do.
const COUNTER: &str = "byte x; active proctype Counter() { do :: x < 9 -> x++ od }";
/// Sends two different messages, one after the other.
const SENDER: &str = "chan c = [2] of { byte }; active proctype P() { c!1; c!2 }";

/// Something goes wrong in every one of them, after that many steps at least.
fn models() -> Vec<(String, u64)> {
    let pair = "chan c = [2] of { byte, byte }; active proctype P() { c!1,3; c!2,4 }";
    let with = |parts: &[&str]| parts.join("\n");
    let q = |body: &str| format!("active proctype Q() {{ byte a, b; {body} }}");
    let comes_and_goes = "byte x; proctype A() { byte v = 1; v = 2 }";
    vec![
        // Two looks into one channel in one condition.
        (with(&[SENDER, &q("c??[1] && c??[2]; wrong = 1; assert(false)")]), 4),
        (with(&[COUNTER, SENDER, &q("if :: c??[1] && c??[2] :: x == 5 fi; wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("!(!c??[1] || !c??[2]); wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("c?[1] && !c?[2] && c??[2]; wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("(c??[1] -> c??[2] : false); wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("a = (c??[1] -> 1 : 0) + (c??[2] -> 1 : 0); a == 2; wrong = 1; assert(false)")]), 5),
        (with(&[pair, &q("c??[1,3] && c??[2,4]; wrong = 1; assert(false)")]), 4),
        (with(&[pair, &q("c??[1,_] && c??[_,4]; wrong = 1; assert(false)")]), 4),
        // Several receives, or polls and receives, in one step.
        (with(&["byte x;", SENDER, &q("d_step { c?1; c?2; x = 5 }; x == 5; wrong = 1; assert(false)")]), 5),
        (with(&[COUNTER, SENDER, &q("if :: d_step { c?1; c?2 } :: x == 5 fi; wrong = 1; assert(false)")]), 4),
        (with(&["byte x;", pair, &q("d_step { c?1,a; c?2,b; x = a + b }; x == 7; wrong = 1; assert(false)")]), 5),
        (with(&["byte x;", pair, &q("atomic { c?1,a; c?2,b; x = a + b }; x == 7; wrong = 1; assert(false)")]), 7),
        (with(&[SENDER, &q("d_step { c?a; c?b; a != b }; wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("d_step { c?<a>; c?b; c??[2]; a == b }; wrong = 1; assert(false)")]), 4),
        (with(&[SENDER, &q("d_step { c??2; c?1; c!3; c?a }; a == 3; wrong = 1; assert(false)")]), 5),
        (with(&[SENDER, &q("d_step { c?a; c!a; c?b; c?a }; a == 1 && b == 2; wrong = 1; assert(false)")]), 5),
        // Loops in a step, which are not followed path by path.
        (
            with(&[
                "chan c = [2] of { byte };",
                "active proctype P() { byte i = 1; d_step { do :: i < 3 -> c!i; i++ :: else -> break od } }",
                &q("c??2; c?1; wrong = 1; assert(false)"),
            ]),
            4,
        ),
        (
            with(&[
                SENDER,
                "active proctype Q() { byte a, b; full(c); d_step { do :: a < 2 -> c?b; a++ :: else -> break od };",
                "empty(c) && b == 2; wrong = 1; assert(false) }",
            ]),
            6,
        ),
        // Variables of a process before it begins and after its end.
        (with(&[comes_and_goes, "init { run A(); x = 1; A[1]:v == 0; wrong = 1; assert(false) }"]), 6),
        (with(&[comes_and_goes, "init { A[1]:v == 0; run A(); A[1]:v == 1; wrong = 1; assert(false) }"]), 4),
        (
            with(&[
                comes_and_goes,
                "init { run A(); A[1]:v == 2; A:v == 0; run A(); A:v == 1; wrong = 1; assert(false) }",
            ]),
            8,
        ),
        (
            with(&[
                "proctype A() { byte v[2]; v[1] = 2 } init { byte i = 7; A[1]:v[i] == 0; run A(); wrong = 1; assert(false) }",
            ]),
            3,
        ),
        (
            with(&[
                "proctype A() { short v = -3; v = 2 } init { run A(); A[1]:v == 2; A[1]:v == 0; wrong = 1; assert(false) }",
            ]),
            6,
        ),
        // Too many variables in one condition to tell their values apart, with no value that all of them could have.
        (
            with(&[
                "byte i, j, k;",
                "active proctype P() { do :: i < 100 -> i = i + 50 :: j < 100 -> j = j + 50 :: i > 0 -> k = 18 od }",
                &q("j + i + k == 118; wrong = 1; assert(false)"),
            ]),
            8,
        ),
        // Where one process keeps messages, the next has a variable.
        (
            with(&[
                "proctype A() { chan c = [1] of { byte }; c!5 }",
                "proctype B() { byte u, v, w; w = 1; w == 1; w = 5; w == 5; wrong = 1; assert(false) }",
                "init { run A(); _nr_pr == 1; run B() }",
            ]),
            10,
        ),
    ]
}

fn program(text: &str) -> Program {
    let text = format!("bit wrong;\n{text}\nltl p {{ [] !wrong }}");
    Program::new(text, LowerOptions { merge: false, ..LowerOptions::default() }).unwrap()
}

#[test]
fn no_look_is_taken_for_another() {
    for (text, _) in models() {
        let report = check_program(&program(&text), kinds, 5000, &expressions(), &mut Rng::new(7));
        assert!(report.violations.is_empty(), "{}\n{text}", report.violations.join("\n"));
        assert!(
            report.counted("failure: with an error") > 0 && report.counted("invariant: with an error") > 0,
            "{text}"
        );
    }
}

fn run(search: &str, system: &DiscreteSystem, atoms: &[Expr]) -> SearchResult {
    let invariant = InvariantGoal { property: 0, atom: AtomId(0), expected: true };
    let goals = Goals { invariants: vec![invariant], ..Goals::none() };
    let read_expression = |_: &str| Err("none here".to_string());
    let guide = Guide { searched: system, system, targets: targets(&goals, atoms), read_expression: &read_expression };
    let search = expression::parse(search).and_then(|e| algorithms::build(&e, &BuildCx::default())).unwrap();
    let stores = Stores::new(system);
    let task = Task { system, goals: &goals, stop: StopPolicy::FirstError, stores: &stores, heuristics: &guide };
    search.start(task, Controls { limits: Limits::default(), ..Controls::default() }).unwrap()
}

#[test]
fn searches_find_what_breadth_first_search_finds() {
    let safe = ["hu", "hadd", "hff", "causal-graph", "formula"];
    let admissible = ["hl", "hmax", "pdb", "pdbs", "merge-and-shrink", "cartesian"];
    for (text, length) in models() {
        let network = program(&text).network;
        let (_, errors) = invariants(&network).next().expect("an invariant");
        let atoms = [errors.conditions[0].condition.clone()];
        let system = DiscreteSystem::new(network, &atoms);
        let found = |search: &str| {
            let result = run(search, &system, &atoms);
            let [witness] = &result.witnesses[..] else { panic!("{search} finds nothing:\n{text}") };
            (witness.length, witness.proven_shortest)
        };
        assert_eq!(found("bfs"), (length, true), "{text}");
        let directed = ["guided", "ut", "auto"].map(String::from).into_iter();
        let with = |search: &'static str| {
            safe.iter().chain(&admissible).map(move |heuristic| format!("{search}(h={heuristic})"))
        };
        for search in directed.chain(with("guided")).chain(with("ut")).chain(with("greedy")).chain(with("astar")) {
            let (found, proven) = found(&search);
            assert!(found >= length && !(proven && found > length), "{search}: {found}, not {length}\n{text}");
        }
        for heuristic in admissible {
            assert_eq!(found(&format!("astar(h={heuristic})")), (length, true), "{heuristic}\n{text}");
        }
    }
}
