//! Timed models in which an error depends on a step that changes nothing but clocks, on who hears a broadcast, or on zones
//! that give way to larger ones: an abstraction that overlooks one of these loses errors there. All heuristics are held to
//! their claims in every zone.

use bughound::verdict::Verdict;
use bughound::zones::ZoneOptions;
use bughound_testkit::heuristic_claims::expressions;
use bughound_testkit::timed::claims::check_text;
use bughound_testkit::timed::facade::{Manner, Reply, Subject};

/// A model, a question, and the number of steps to what it asks for.
const MODELS: &[(&str, &str, u64)] = &[
    // Only the clock is set back, by a step that is a test for all other variables.
    (
        "clock x, y;
         process P() { state A, B; init A; trans A -> A { assign x := 0; }, A -> B { guard y > 5 && x < 2; }; }
         p = P(); system p;",
        "E<> p.B",
        2,
    ),
    // The same where a function does it.
    (
        "clock x, y; void back() { x := 0; }
         process P() { state A, B; init A; trans A -> A { assign back(); }, A -> B { guard y > 5 && x < 2; }; }
         p = P(); system p;",
        "E<> p.B",
        2,
    ),
    // Whoever hears a broadcast moves, and so may those who hear it next.
    (
        "broadcast chan b; clock x; int[0,3] n;
         process S() { state A; init A; trans A -> A { guard x >= 1; sync b!; assign x := 0; }; }
         process L() { state A, B, C; init A; trans A -> B { sync b?; }, B -> C { sync b?; assign n := n + 1; }; }
         s = S(); l1 = L(); l2 = L(); system s, l1, l2;",
        "E<> l1.C and l2.C and n == 2",
        2,
    ),
    // A zone of `B` gives way to a larger one before anybody has looked at it.
    (
        "clock x, y;
         process P() {
             state A, B, C, D, E; init A;
             trans A -> C { }, A -> B { guard y <= 2; assign x := 0; }, C -> B { assign x := 0; },
                 B -> D { guard x <= 1; }, D -> E { guard y > 4 && x <= 1; };
         }
         p = P(); system p;",
        "E<> p.E",
        4,
    ),
];

#[test]
fn nothing_that_clocks_and_broadcasts_do_is_overlooked() {
    // Little room, too: then only the largest zones are kept, and less and less of the model.
    let sizes = (1..16).map(|states| format!("pdb(everything, states={states})"));
    let heuristics: Vec<String> = expressions().into_iter().chain(sizes).collect();
    for (text, query, steps) in MODELS {
        let report = check_text(text, &[query.to_string()], 500, &heuristics).expect("a model");
        assert!(report.violations.is_empty(), "{}\n{text}", report.violations.join("\n"));
        assert_eq!(report.counted("reachability: with an error"), 1, "{text}");
        assert_eq!(report.counted("distances confirmed by regions"), 1, "{text}");
        let subject = Subject::load(text, &[query.to_string()]).expect("a model");
        for search in ["bfs", "astar(h=pdb)", "astar(h=pdb(everything))", "astar(h=cartesian)", "astar(h=hmax)"] {
            let manner =
                Manner { search: search.into(), heuristic: None, zones: ZoneOptions::default(), seed: 1, threads: 1 };
            let Reply::Answer { verdict, cost, proven_shortest, .. } = subject.ask(query, &manner).unwrap() else {
                panic!("{search}\n{text}")
            };
            assert_eq!((verdict, cost, proven_shortest), (Verdict::Satisfied, Some(*steps), true), "{search}\n{text}");
        }
    }
}
