//! Questions about whole runs and about extreme values of timed models.

use crate::support::Workspace;
use serde_json::Value;

/// A lamp: off as long as one likes, lit for 2 to 3 time units, then dim, then lit again or off.
const LAMP: &str = "clock x, y; int n;
process P() {
  state off, lit { x <= 3 }, dim { x < 7 }, broken, unreached;
  init off;
  trans off -> lit { assign x := 0; },
        lit -> dim { guard x >= 2; assign x := 0; },
        dim -> lit { guard x > 1; assign x := 0; },
        lit -> off { guard x == 3 && n == 0; },
        dim -> broken { guard y > 20; assign n := 4; };
}
system P;";

fn ask(model: &str, query: &str, options: &[&str]) -> Value {
    let workspace = Workspace::with("m.xta", model);
    let ran = workspace.run(&[&["check", "m.xta", "--query", query, "--json", "--no-progress"], options].concat());
    assert!(ran.code == 0 || ran.code == 1, "{query}: {}{}", ran.out, ran.err);
    let property = ran.json()["properties"][0].clone();
    if !property["trace"].is_null() {
        // What was found can be saved and is found true again.
        workspace.run(&["check", "m.xta", "--query", query, "--save-trace", "t.json"]);
        workspace.run(&["trace", "t.json"]).exits(0);
    }
    property
}

#[test]
fn runs_are_found_by_every_search() {
    let expected = [
        ("A<> P.lit", "violated"),
        ("A<> P.off", "holds"),
        ("E[] P.off", "satisfied"),
        ("E[] not P.off", "violated"),
        ("E[] not P.dim", "satisfied"),
        ("E[] not P.broken", "satisfied"),
        ("P.lit --> P.off", "violated"),
        ("P.lit --> (P.dim or P.off)", "holds"),
        ("P.dim --> (P.lit or P.broken)", "holds"),
        ("P.dim --> P.broken", "violated"),
        ("P.broken --> P.off", "violated"),
        ("P.unreached --> P.off", "holds"),
    ];
    for (query, verdict) in expected {
        for search in ["auto", "scc", "nested-dfs", "improved-nested-dfs", "astar-dfs", "shortest-lasso", "bfs"] {
            let found = ask(LAMP, query, &["--search", search]);
            assert_eq!(found["verdict"], verdict, "{query} by {search}");
            let is_run = (verdict == "violated") != query.starts_with("E[]");
            assert_eq!(found["trace"].is_null(), !is_run, "{query} by {search}");
        }
    }
}

/// From lit to dim and back for ever: the clock that counts all time does not matter any more.
#[test]
fn loops_have_times() {
    let model = LAMP.replace("state off", "state off { x <= 9 }").replace("lit -> off", "lit -> dim");
    let property = ask(&model, "E[] not P.broken", &[]);
    let trace = &property["trace"];
    assert_eq!(property["verdict"], "satisfied");
    assert_eq!(trace["loop"], serde_json::json!({ "start": 1, "length": 2, "fair": false }), "{trace}");
    let times: Vec<_> = (0..3).map(|step| trace["steps"][step]["time_exact"].as_str().unwrap()).collect();
    assert_eq!(times, ["0", "2", "7/2"], "{trace}");
}

/// Time stops at 3, and nothing is possible then: the run is over.
#[test]
fn runs_end_where_time_stops() {
    let model = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x >= 5; }; } system P;";
    assert_eq!(ask(model, "A<> P.b", &[])["verdict"], "violated");
    let possible = model.replace("x >= 5", "x >= 3");
    assert_eq!(ask(&possible, "A<> P.b", &[])["verdict"], "holds");
    // Below 3 there is always a later time before 3.
    let open = model.replace("x <= 3", "x < 3").replace("x >= 5", "x >= 3");
    assert_eq!(ask(&open, "A<> P.b", &[])["verdict"], "violated");
}

/// Nobody may wait while an urgent channel is ready, or at an urgent location.
#[test]
fn urgency_keeps_runs_moving() {
    let model = "urgent chan go; process P() { state a, b; init a; trans a -> b { sync go!; }; }
process Q() { state c; init c; trans c -> c { sync go?; }; } system P, Q;";
    assert_eq!(ask(model, "A<> P.b", &[])["verdict"], "holds");
    assert_eq!(ask(&model.replace("urgent chan", "chan"), "A<> P.b", &[])["verdict"], "violated");
    let location = "process P() { state a, b; init a; urgent a; trans a -> b { }; } system P;";
    assert_eq!(ask(location, "A<> P.b", &[])["verdict"], "holds");
    assert_eq!(ask(&location.replace("urgent a;", ""), "A<> P.b", &[])["verdict"], "violated");
}

fn extremes(query: &str) -> Value {
    let found = ask(LAMP, query, &[]);
    assert_eq!(found["verdict"], "satisfied", "{query}");
    found["extremes"].clone()
}

#[test]
fn extreme_values_are_exact() {
    let sup = |query: &str| {
        let all = extremes(query);
        let sup = &all[0]["sup"];
        (sup["value"].as_i64(), sup["reached"].as_bool().unwrap())
    };
    assert_eq!(sup("sup: n"), (Some(4), true));
    assert_eq!(sup("sup{P.lit}: x"), (Some(3), true));
    assert_eq!(sup("sup{P.dim}: x"), (Some(7), false));
    assert_eq!(sup("sup{P.dim and x < 5}: x"), (Some(5), false));
    assert_eq!(sup("sup: x"), (None, false));
    let both = extremes("bounds{P.broken}: y, x, n + 1");
    assert_eq!(both[0]["inf"], serde_json::json!({ "value": 20, "reached": false }));
    assert_eq!(both[0]["sup"]["value"], Value::Null);
    assert_eq!(both[1]["of"], "x");
    assert_eq!(both[2]["inf"], serde_json::json!({ "value": 5, "reached": true }));
    assert_eq!(extremes("inf{P.unreached}: x")[0]["exists"], false);
    let workspace = Workspace::with("m.xta", LAMP);
    workspace.run(&["check", "m.xta", "--query", "sup{P.dim}: x"]).exits(0).says("sup x = 7, not reached");
    workspace.run(&["check", "m.xta", "--query", "bounds{P.lit}: x"]).exits(0).says("x in [0, 3]");
}

/// Each turn takes a unit of time, and nothing sets the clock that counts them: no constant is large enough.
#[test]
fn clocks_that_grow_step_by_step_are_given_up() {
    let model = "clock x, y; process P() { state a { x <= 100000 }; init a;
trans a -> a { guard x == 100000; assign x := 0; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    workspace.run(&["check", "m.xta", "--query", "sup: y"]).exits(3).says("a clock gets beyond");
    workspace.run(&["check", "m.xta", "--query", "sup: x"]).exits(0).says("sup x = 100000");
}

#[test]
fn clocks_in_conditions_on_runs_are_refused() {
    let workspace = Workspace::with("m.xta", LAMP);
    for query in ["A<> x > 5", "P.lit --> y < 9", "E[] not deadlock"] {
        workspace.run(&["check", "m.xta", "--query", query]).exits(3).says("let a location say it");
    }
}

#[test]
fn constants_are_set_from_outside() {
    let model = LAMP.replace("clock x, y;", "const int MOST = 3; clock x, y;").replace("x <= 3", "x <= MOST");
    let workspace = Workspace::with("m.xta", &model);
    let sup = ["check", "m.xta", "--query", "sup{P.lit}: x"];
    workspace.run(&sup).exits(0).says("sup x = 3");
    workspace.run(&[&sup[..], &["-D", "MOST=2*4"]].concat()).exits(0).says("sup x = 8");
    workspace.run(&[&sup[..], &["-D", "LEAST=1"]].concat()).exits(2).complains("it has MOST");
    workspace.run(&[&sup[..], &["-D", "MOST"]].concat()).exits(2).complains("needs a value");
    workspace.run(&[&sup[..], &["-D", "MOST=1,2"]].concat()).exits(2).complains("expected one value");
    workspace.run(&[&sup[..], &["-D", "MOST=+"]].concat()).exits(2).complains("-D MOST:1");
}

#[test]
fn queries_come_from_a_file() {
    let workspace = Workspace::with("m.xta", LAMP);
    workspace.write("questions.q", "// two\nE<> P.dim\n\nA[] not P.broken\n");
    let ran = workspace.run(&["check", "m.xta", "--queries", "questions.q", "--json"]).exits(1).json();
    let names: Vec<_> = ran["properties"].as_array().unwrap().iter().map(|p| p["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["E<> P.dim", "A[] not P.broken"]);
    workspace.run(&["check", "m.xta", "--queries", "none.q"]).exits(2).complains("none.q");
}

#[test]
fn models_without_questions_say_so() {
    let workspace = Workspace::with("m.xta", LAMP);
    workspace.run(&["check", "m.xta"]).exits(3).says("there is nothing to check");
    workspace.run(&["explore", "m.xta"]).exits(0).says("deadlocks          not counted");
}

/// A short way that takes 12, and a long one whose three waits take more than 3, more than 2, and 1.
const TWO_SPEEDS: &str = "clock x; process P() { state a { x <= 20 }, b { x <= 10 }, c, d, e; init a; trans
  a -> e { guard x >= 12; }, a -> b { assign x := 0; }, b -> c { guard x > 3; assign x := 0; },
  c -> d { guard x > 2; assign x := 0; }, d -> e { guard x >= 1; }; } system P;";

#[test]
fn fastest_runs_are_proven() {
    let fastest = |model: &str, query: &str| {
        let found = ask(model, query, &["--fastest"]);
        let fastest = &found["fastest"];
        assert_eq!(fastest["proven"], true, "{query}");
        (found["trace"]["length"].as_u64().unwrap(), fastest["time"].as_i64().unwrap(), fastest["reached"] == true)
    };
    assert_eq!(fastest(TWO_SPEEDS, "E<> P.e"), (4, 6, false));
    let closed = TWO_SPEEDS.replace("x > ", "x >= ");
    assert_eq!(fastest(&closed, "E<> P.e"), (4, 6, true));
    assert_eq!(fastest(&closed.replace("12", "5"), "A[] not P.e"), (1, 5, true));
    assert_eq!(fastest(TWO_SPEEDS, "E<> P.b"), (1, 0, true));
    let workspace = Workspace::with("m.xta", TWO_SPEEDS);
    let options = ["check", "m.xta", "--query", "E<> P.e", "--fastest"];
    workspace.run(&options).exits(0).says("fastest (proven): time anything more than 6");
    workspace.run(&[&options[..], &["--shortest"]].concat()).exits(2);
}

#[test]
fn traces_are_symbolic_too() {
    let found = ask(TWO_SPEEDS, "E<> P.d", &[]);
    let zones = ["x <= 20", "x <= 10", "true", "true"];
    assert_eq!(found["zones"], serde_json::json!(zones), "{found}");
    let workspace = Workspace::with("m.xta", TWO_SPEEDS);
    let ran = workspace.run(&["check", "m.xta", "--query", "E<> P.d", "--symbolic"]).exits(0);
    assert!(ran.out.contains("  initially  x <= 20\n  after 1    x <= 10\n"), "{}", ran.out);
}

/// A loop for which there is less and less time: y never gets to 1.
const ZENO: &str = "clock x, y; process P() { state a { y < 1 }, b; init a;
    trans a -> a { guard x > 0; assign x = 0; }, a -> b { guard x >= 5; }; } system P;";

#[test]
fn loops_in_finite_time_are_called_so() {
    let zeno = |model: &str, query: &str| ask(model, query, &[])["zeno"].clone();
    assert_eq!(zeno(ZENO, "A<> P.b"), true);
    assert_eq!(zeno(&ZENO.replace("y < 1", "y < 5"), "E[] P.a"), true);
    // Turns without time, and turns that may take time, though less than 1 each.
    assert_eq!(zeno("process P() { state a, b; commit a; init a; trans a -> a { }; } system P;", "A<> P.b"), true);
    assert_eq!(zeno(&ZENO.replace("x = 0;", "x = 0, y = 0;"), "A<> P.b"), false);
    let workspace = Workspace::with("m.xta", ZENO);
    let said = workspace.run(&["check", "m.xta", "--query", "A<> P.b", "--no-progress"]);
    assert!(said.out.contains("The loop is Zeno") && said.out.contains("--non-zeno"), "{}", said.out);
}

#[test]
fn runs_in_finite_time_can_be_left_out() {
    let divergent = |model: &str, query: &str| {
        let found = ask(model, query, &["--non-zeno"]);
        assert_ne!(found["zeno"], true, "{query}: {found}");
        found["verdict"].as_str().unwrap().to_string()
    };
    assert_eq!(divergent(ZENO, "A<> P.b"), "holds");
    assert_eq!(divergent(ZENO, "E[] P.a"), "violated");
    assert_eq!(divergent(ZENO, "P.a --> P.b"), "holds");
    let back = ZENO.replace("x = 0;", "x = 0, y = 0;");
    assert_eq!(divergent(&back, "A<> P.b"), "violated");
    assert_eq!(divergent(&back, "E[] P.a"), "satisfied");
    // Where time stops no run goes on; where it does not, a run may stay.
    let stops = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> b { guard x > 3; }; } system P;";
    assert_eq!(divergent(stops, "A<> P.b"), "holds");
    assert_eq!(divergent(&stops.replace("x <= 3", "x <= 3 || true"), "A<> P.b"), "violated");
    // No time passes at a committed location, so what goes around there does not count.
    let around = "clock x; process P() { state a, b; commit a; init a; trans a -> a { }, a -> b { }; } system P;";
    assert_eq!(divergent(around, "A<> P.b"), "holds");
    assert_eq!(divergent(&around.replace("commit a;", ""), "A<> P.b"), "violated");
    let refused = Workspace::with("m.pml", "init { skip }").run(&["check", "m.pml", "--non-zeno"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert!(refused.err.contains("Promela model has none"), "{}", refused.err);
}

/// What was typed just now can be typed again: it is an error. In a file, the other queries can still be answered.
#[test]
fn a_mistyped_query_is_an_error_a_mistake_in_a_file_is_not() {
    let model = "int v; process P(const int[0,1] i) { state a, b; init a; trans a -> b { guard v == 0; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    for (query, message, column) in [
        ("E<> P(0).c", "`P(0)` has no location or variable `c`", 10),
        ("E<> P(0).b and", "expected an expression", 15),
        ("A[] w < 3", "`w` is not declared", 5),
        ("E<> Q.b", "there is no process `Q`", 5),
        ("E<> P(7).b", "there is no process `P(7)`", 5),
        ("nonsense", "expected `-->`", 9),
        ("E<> v = 3", "a query must not change anything", 5),
        ("Pr[<=3](<> v == 1)", "statistical queries (`Pr[…]`) are not supported", 1),
    ] {
        let ran = workspace.run(&["check", "m.xta", "--query", query]).exits(2).complains(message);
        let ran = ran.complains(&format!("--query:1:{column}")).complains("error: the model has 1 error");
        assert_eq!(ran.out, "", "{query}");
        let document = workspace.run(&["check", "m.xta", "--json", "--query", query]).exits(2).json();
        assert_eq!(
            (&document["verdict"], &document["errors"][0]["column"]),
            (&"error".into(), &column.into()),
            "{query}"
        );
    }
    workspace.run(&["check", "m.xta", "--query", "  "]).exits(2).complains("--query is empty");
    workspace.run(&["check", "m.xta", "--invariant", "w < 3"]).exits(2).complains("--invariant:1:");
    workspace.run(&["check", "m.xta", "--reach", "P(0)."]).exits(2).complains("--reach:1:");
    workspace.write("more.q", "E<> P(0).c\nE<> P(0).b\n");
    let ran = workspace.run(&["check", "m.xta", "--queries", "more.q"]).exits(3).complains("--queries:1:10");
    ran.says("E<> P(0).c  not checked").says("E<> P(0).b  satisfied after 1 step");
}

/// What lies beyond the largest constant that is told apart is no value of a clock.
#[test]
fn the_least_value_of_a_clock_that_grows_far() {
    let model = |turn: i32| {
        format!(
            "clock x, y; int[0,200] n; process P() {{ state a {{ x <= {turn} }}; init a;
trans a -> a {{ guard x >= {turn} && n < 100; assign x = 0, n = n + 1; }}; }} system P;"
        )
    };
    for (turn, three) in [(10, "30"), (1_000_000, "3000000"), (20_000_000, "60000000")] {
        let workspace = Workspace::with("m.xta", &model(turn));
        let inf = format!("inf y = {three}");
        workspace.run(&["check", "m.xta", "--query", "inf{n == 3}: y"]).exits(0).says(&inf).does_not_say("not reached");
    }
    let workspace = Workspace::with("m.xta", &model(1_000_000));
    workspace.run(&["check", "m.xta", "--query", "sup{n == 3}: y"]).exits(0).says("sup y = 4000000");
    // 1,980,000,000 is more than clocks can have.
    let workspace = Workspace::with("m.xta", &model(20_000_000));
    workspace.run(&["check", "m.xta", "--query", "inf{n == 99}: y"]).exits(3).says("not decided: a clock gets beyond");
}

/// A query without end must not keep the others waiting.
#[test]
fn cheap_answers_do_not_wait_for_endless_ones() {
    let model = "clock x, y; int[0,1] b; process P() { state a { x <= 1 }, c; init a;
trans a -> a { guard x == 1; assign x = 0; }, a -> c { guard b == 1; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    let arguments = ["check", "m.xta", "--query", "sup: y", "--query", "A[] not P.c", "--query", "A[] not deadlock"];
    workspace
        .run(&[&arguments[..], &["--max-states", "200000"]].concat())
        .exits(3)
        .says("A[] not P.c       holds")
        .says("A[] not deadlock  holds");
}

/// An error of the model is reported whatever the search: heuristics would not run at it.
#[test]
fn errors_of_a_model_are_seen_by_every_search() {
    let model = "clock x; int[0,5] v; process P() { state s, t; init s;
trans s -> s { guard x >= 1; assign v = v + 1, x = 0; }, s -> t { guard v == 7; }; } system P;";
    for text in [model.to_string(), model.replace("clock x;", "int x = 1;").replace(", x = 0", "")] {
        let workspace = Workspace::with("m.xta", &text);
        for query in ["A[] not P.t", "E<> P.t"] {
            for search in ["auto", "bfs", "guided", "astar(h=pdb)"] {
                let run = workspace.run(&["check", "m.xta", "--query", query, "--search", search]);
                run.exits(3).says("not decided").says("v = 6");
            }
        }
    }
    // Where no error is possible, there is an answer.
    let workspace = Workspace::with("m.xta", &model.replace("guard x >= 1", "guard x >= 1 && v < 5"));
    workspace.run(&["check", "m.xta", "--query", "A[] not P.t"]).exits(0).says("holds").does_not_say("not decided");
}

/// An estimate proves at once that nothing bad can be reached; whether the model has errors is then looked for, and a limit
/// that ends this leaves the question open.
#[test]
fn a_limit_on_the_search_for_errors_of_a_model_leaves_questions_open() {
    let model = "clock x; int[0,3000] v; process P() { state s; init s;
trans s -> s { guard x >= 1; assign v = v + 1, x = 0; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    let arguments = ["check", "m.xta", "--query", "A[] v >= 0"];
    workspace.run(&arguments).exits(3).says("v = 3001");
    let limited = workspace.run(&[&arguments[..], &["--max-states", "100"]].concat());
    limited.exits(4).says("whether the model has errors was not decided").does_not_say("holds");
}

/// A condition without a value is neither true nor false.
#[test]
fn conditions_without_a_value_are_no_answers() {
    let model = "clock x; int[0,5] v; int a[3]; process P() { state s; init s;
trans s -> s { guard x >= 1 && v < 5; assign v = v + 1, x = 0; }; } system P;";
    for text in [model.to_string(), model.replace("clock x;", "int x = 1;").replace(", x = 0", "")] {
        let workspace = Workspace::with("m.xta", &text);
        let queries = [
            "E<> a[v] == 1",
            "A[] a[v] == 0",
            "A[] 10 / v > 0",
            "E<> v / (v - v) == 7",
            "E<> v > 4 && a[v] == 1",
            "A[] v >= 0 && a[v] == 0",
        ];
        for query in queries {
            workspace
                .run(&["check", "m.xta", "--query", query])
                .exits(3)
                .says("has no value here")
                .does_not_say("(proven)");
        }
        for query in ["E<> v < 3 && a[v] == 1", "E<> v >= 3 || a[v] == 1", "A[] v < 3 imply a[v] == 0"] {
            workspace.run(&["check", "m.xta", "--query", query]).does_not_say("not decided");
        }
    }
    let workspace = Workspace::with("m.xta", model);
    for query in ["sup: a[v]", "inf: 10 / v", "sup{a[v] == 0}: v", "E<> x > 3 && a[v] == 1"] {
        workspace.run(&["check", "m.xta", "--query", query]).exits(3).says("has no value here");
    }
    for query in ["sup{v < 3}: a[v]", "sup{v > 0}: 10 / v"] {
        workspace.run(&["check", "m.xta", "--query", query]).exits(0);
    }
}

/// Searches that cannot tell steps that tick from others leave the matter to one that can.
#[test]
fn every_search_leaves_zeno_runs_out_when_asked() {
    let zeno = "clock x; process P() { state a { x <= 3 }, b; init a; trans a -> a { }; } system P;";
    let resting = "clock x, y; process P() { state a, b { x < 1 }; init a;
trans a -> b { guard y == 0; }, b -> a { guard y == 0; }; } system P;";
    for search in ["auto", "bfs", "guided", "scc", "nested-dfs", "improved-nested-dfs", "astar-dfs", "shortest-lasso"] {
        let ask = |model: &str, query: &str| {
            Workspace::with("m.xta", model).run(&["check", "m.xta", "--query", query, "--non-zeno", "--search", search])
        };
        ask(zeno, "A<> not P.a").exits(0).says("holds");
        ask(zeno, "P.a --> not P.a").exits(0).says("holds");
        // It goes there and back, and then waits for ever.
        ask(resting, "P.b --> P.a and P.b").exits(1).says("violated");
    }
}

#[test]
fn fast_ways_to_deadlocks_are_not_looked_for_and_that_is_said() {
    let model = "clock x; process P() { state a, b, c { x <= 50 }, d; init a;
trans a -> b { guard x >= 100; }, a -> c { guard x >= 1 && x <= 2; }, c -> d { guard x >= 5; }; } system P;";
    let workspace = Workspace::with("m.xta", model);
    let ask = |query: &str| workspace.run(&["check", "m.xta", "--query", query, "--fastest"]);
    let both = |ran: &crate::support::Ran| format!("{}{}", ran.out, ran.err);
    assert!(both(&ask("E<> deadlock and (P.b or P.d)")).contains("traces to deadlocks are short, not fast"));
    let fast = ask("E<> P.b or P.d").exits(0);
    assert!(both(&fast).contains("fastest (proven)") && !both(&fast).contains("not fast"), "{}", both(&fast));
}

/// Between two ticks lies as much time as the model knows: with one at every unit there would be millions of zones.
#[test]
fn zeno_runs_are_told_apart_whatever_the_unit_of_time() {
    for unit in [1, 10_000_000] {
        let model = format!(
            "clock x, y; process P() {{ state a {{ x <= {} }}, b; init a;
trans a -> a {{ guard y >= {unit}; assign y = 0; }}, a -> b {{ guard x >= {}; }}; }} system P;",
            5 * unit,
            4 * unit
        );
        let workspace = Workspace::with("m.xta", &model);
        let ask =
            |query: &str| workspace.run(&["check", "m.xta", "--query", query, "--non-zeno", "--max-states", "3000"]);
        ask("A<> P.b").exits(0).says("holds");
        ask("E[] not P.b").exits(1).says("no run satisfies the condition all the time");
        ask("P.b --> P.a").exits(1).says("violated");
    }
}
