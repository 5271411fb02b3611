//! `bughound check` and `bughound explore` from outside: verdicts, exit codes, text and JSON.

use crate::support::{ASSERTION, DEADLOCK, HOLDS, HUGE, Workspace, check};
use serde_json::Value;

fn property<'a>(document: &'a Value, name: &str) -> &'a Value {
    let all = document["properties"].as_array().unwrap();
    all.iter().find(|p| p["name"] == name).unwrap_or_else(|| panic!("{name} is missing in {document}"))
}

#[test]
fn a_deadlock_is_explained() {
    check(DEADLOCK, &[])
        .exits(1)
        .says("m.pml: violated")
        .says("deadlock   violated after 1 step, shortest (proven)")
        .says("assertion  holds")
        .says("   1   P(0)  line 2  q!1   q: empty → [1]")
        .says("P(0)  line 2  q!2       channel q is full (1 of 1)")
        .says("Q(1)  line 3  (false)   it is never executable")
        .says("auto: ");
}

#[test]
fn a_failed_assertion_counts_as_a_step() {
    let document = check(ASSERTION, &["--json"]).exits(1).json();
    let found = property(&document, "assertion");
    assert_eq!(found["trace"]["length"], 5);
    assert_eq!(found["trace"]["steps"].as_array().unwrap().len(), 5);
    assert_eq!(found["trace"]["steps"][4]["text"], "assert(x<2)");
    assert_eq!(found["trace"]["reason"], "assertion violated: x<2 (x = 2) in P(1)");
}

#[test]
fn json_has_the_documented_fields() {
    let document = check(ASSERTION, &["--json", "--keep-going"]).exits(1).json();
    for (field, value) in
        [("schema", "bughound/1"), ("file", "m.pml"), ("language", "promela"), ("verdict", "violated")]
    {
        assert_eq!(document[field], value);
    }
    assert_eq!(document["exit_code"], 1);
    assert_eq!(property(&document, "deadlock")["verdict"], "holds");
    let found = property(&document, "assertion");
    for (field, value) in [("kind", "assertion"), ("verdict", "violated"), ("search", "auto"), ("heuristic", "auto")] {
        assert_eq!(found[field], value);
    }
    assert_eq!(found["proven_shortest"], true);
    for field in ["expanded", "generated", "stored", "depth", "peak_memory_bytes"] {
        assert!(found["stats"][field].as_u64().unwrap() > 0, "{field}");
    }
    assert!(found["stats"]["seconds"].is_f64() && found["stats"]["complete"].is_boolean());
    let trace = &found["trace"];
    assert!(trace["length"].is_u64() && trace["loop_start"].is_null() && trace["reason"].is_string());
    let step = &trace["steps"][1];
    assert_eq!(step["process"], "P(0)");
    assert_eq!(step["source"]["file"], "m.pml");
    assert_eq!(step["source"]["line"], 2);
    assert_eq!(step["text"], "x = t+1");
    assert_eq!(step["changes"][0], serde_json::json!({ "name": "x", "old": 0, "new": 1 }));
    assert!(step["delay"].is_null());
}

#[test]
fn a_correct_model_holds_and_lists_what_was_unreached() {
    check(HOLDS, &[]).exits(0).says("holds, no error in ").says("(complete)");
    let text = "byte x; active proctype P() {\n if\n :: x == 1 ->\n    x = 3\n :: else -> skip\n fi }";
    check(text, &[]).exits(0).says("unreached in proctype P").says("line 4     `x = 3`");
    let document = check(text, &["--json"]).exits(0).json();
    assert_eq!(document["verdict"], "holds");
    assert_eq!(document["unreached"][0]["statements"][1]["source"]["line"], 4);
}

#[test]
fn results_always_tell_of_deadlocks_and_unreached_statements() {
    let fields = |document: &serde_json::Value| -> (serde_json::Value, serde_json::Value) {
        let field = |name: &str| document.get(name).unwrap_or_else(|| panic!("no `{name}` in {document:#}")).clone();
        (field("deadlocks"), field("unreached"))
    };
    let (deadlocks, unreached) = fields(&check(HOLDS, &["--json"]).exits(0).json());
    assert_eq!((deadlocks, unreached), (0.into(), serde_json::json!([])));
    let (deadlocks, unreached) = fields(&check(DEADLOCK, &["--json"]).exits(1).json());
    assert_eq!((deadlocks, unreached), (1.into(), serde_json::Value::Null));
    fields(&check(ASSERTION, &["--json", "--first-error"]).exits(1).json());
    fields(&check(HUGE, &["--json", "--max-states", "9"]).exits(4).json());
    let workspace = Workspace::with("m.xta", "process P() { state a; init a; } system P;");
    let nothing = workspace.run(&["check", "m.xta", "--json"]).exits(3).json();
    assert_eq!(fields(&nothing), (serde_json::Value::Null, serde_json::Value::Null));
}

/// A heuristic that proves that there is no error spares the search, which then knows nothing about statements.
#[test]
fn where_states_were_not_expanded_nothing_is_called_unreached() {
    let text = "byte x; active proctype P() { do :: x < 3 -> x++ :: else -> x = 0 od }";
    for search in ["astar(h=pdb)", "idastar(h=hmax)"] {
        let options = ["--property", "deadlock", "--search", search];
        check(text, &options).exits(0).says("0 expanded").says("1 dead end");
        let document = check(text, &[&options[..], &["--json"]].concat()).exits(0).json();
        assert_eq!(document["properties"][0]["stats"]["dead_ends"], 1);
        assert!(document["unreached"].is_null(), "{search}: {}", document["unreached"]);
    }
    let document = check(text, &["--property", "deadlock", "--json"]).exits(0).json();
    assert!(document["unreached"].is_array());
}

#[test]
fn invariants_of_the_model_and_of_the_command_line() {
    let model = format!("{ASSERTION}ltl small {{ [] (x <= 1) }}\n");
    check(&model, &["small"])
        .exits(1)
        .says("Counterexample to `small`: 4 steps, shortest (proven)")
        .says("`x <= 1` is false: x = 2");
    let options = ["--property", "invariant", "--invariant", "x <= 1 && P[0]:t == 0", "--keep-going"];
    check(ASSERTION, &options)
        .exits(1)
        .says("invariant-1  violated after 3 steps")
        .says("`P[0]:t == 0` is false: P[0]:t = 1");
    check(HOLDS, &["--invariant", "x <= 1 -> x >= 0", "invariant"]).exits(0).says("invariant-1  holds");
    check(HOLDS, &["--invariant", "[] x"]).exits(2).complains("must not have temporal operators");
    check(HOLDS, &["--invariant", "y == 1"]).exits(2).complains("--invariant:1:1").complains("`y` is not declared");
}

#[test]
fn reachability_is_a_question_after_existence() {
    check(ASSERTION, &["reach", "--reach", "x == 2"]).exits(0).says("satisfied after 4 steps, shortest (proven)");
    let document = check(ASSERTION, &["reach", "--reach", "x == 3", "--json"]).exits(1).json();
    let found = property(&document, "reach-1");
    assert_eq!((&found["kind"], &found["verdict"]), (&"reachability".into(), &"violated".into()));
    assert!(found.get("trace").is_none());
}

#[test]
fn a_rendezvous_is_one_step_of_two_processes() {
    let model = "chan r = [0] of { byte }; byte z;
        active proctype P() { r!5; assert(z != 5) }
        active proctype Q() { r?z }";
    let document = check(model, &["assertion", "--json"]).exits(1).json();
    let trace = &property(&document, "assertion")["trace"];
    assert_eq!(trace["length"], 2);
    assert_eq!(trace["steps"][0]["text"], "r!5");
    assert_eq!(trace["steps"][0]["partners"][0]["process"], "Q(1)");
    assert_eq!(trace["steps"][0]["partners"][0]["text"], "r?z");
}

#[test]
fn atomic_chains_are_marked() {
    let model = "byte x, y;\nactive proctype P() {\n atomic { x = 1; y = x; x = 0 };\n assert(y == 0)\n}";
    check(model, &["--merge", "off"]).exits(1).says("   1 ┌ P(0)").says("   2 │ P(0)").says("   3 └ P(0)");
}

#[test]
fn evaluation_errors_violate_the_assertion_property() {
    check("int x; active proctype P() { x = 1 / x }", &[]).exits(1).says("division by zero");
    check("int x = 1 / 0; active proctype P() { skip }", &[]).says("division by zero");
}

/// A chain that waits for `timeout` shows where it waits, though nobody else moves in between.
#[test]
fn claims_see_where_a_chain_is_blocked() {
    let model = "byte x; active proctype P() { atomic { x = 1; timeout -> x = 2 }; x = 3 }
        never { do :: x == 1 -> break :: else od; (x == 2) }";
    check(model, &["never"]).exits(1).says("the claim `never` has got to its end");
}

#[test]
fn properties_that_cannot_be_checked_are_not_passed_over() {
    let model = format!("{HOLDS}ltl live {{ <> (x == 7) }}\n");
    let ran = check(&model, &[]);
    if ran.code != 1 {
        ran.exits(3).says("not checked");
    }
    check(&model, &["safety"]).exits(0);
    check(&model, &["--property", "deadlock"]).exits(0);
    check(HOLDS, &["liev"]).exits(2).complains("the model has no property `liev`");
    check(HOLDS, &["never"]).exits(2).complains("no property of the kind `never`");
}

#[test]
fn limits_are_verdicts() {
    check(HUGE, &["--max-states", "1000"]).exits(4).says("the limit on the number of states was reached");
    check(HUGE, &["--max-time", "50ms"]).exits(4).says("the time limit was reached");
    check(HUGE, &["--max-memory", "3M"]).exits(4).says("the memory limit was reached");
    check(HUGE, &["--max-depth", "10"]).exits(3).says("paths longer than 10 were cut off");
    let document = check(HUGE, &["--max-states", "1000", "--json"]).exits(4).json();
    assert_eq!((&document["verdict"], &document["exit_code"]), (&"limit".into(), &4.into()));
    assert_eq!(document["properties"][0]["stats"]["complete"], false);
}

#[test]
fn searches_by_name_and_expression() {
    check(ASSERTION, &["--search", "dfs"]).exits(1).says("short (not proven shortest)");
    check(ASSERTION, &["--search", "random-dfs(seed=3)"]).exits(1);
    check(HOLDS, &["--search", "dfs"]).exits(0);
    check(HOLDS, &["--search", "depth-bounded-dfs(depth=1)"]).exits(3);
    check(HOLDS, &["--search", "bsf(x=1)"]).exits(2).complains("there is no search `bsf`").complains("^^^");
    check(HOLDS, &["--search", "bfs("]).exits(2).complains("--search");
}

#[test]
fn exploring_counts_and_goes_on() {
    let workspace = Workspace::with("m.pml", ASSERTION);
    workspace.run(&["explore", "m.pml"]).exits(0).says("m.pml: complete").says("failed assertions");
    let document = workspace.run(&["explore", "m.pml", "--json"]).exits(0).json();
    let stats = &document["stats"];
    assert!(stats["failed_assertions"].as_u64().unwrap() > 0 && stats["transitions"].as_u64().unwrap() > 0);
    assert_eq!((&stats["deadlocks"], &stats["complete"]), (&0.into(), &true.into()));
    let workspace = Workspace::with("m.pml", "int x; active proctype P() { x = 1 / x }");
    workspace.run(&["explore", "m.pml"]).exits(0).complains("1 step ends in an evaluation error, for example");
    let workspace = Workspace::with("m.pml", HUGE);
    workspace.run(&["explore", "m.pml", "--max-states", "500"]).exits(4).says("incomplete");
}

#[test]
fn never_claims() {
    let claim = |body: &str| {
        let model = "byte x; active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }";
        format!("{model}\nnever {{\n{body}\n}}\n")
    };
    let text = claim("T: if\n:: x == 2 -> skip\n:: else -> goto T\nfi");
    let document = check(&text, &["--json"]).exits(1).json();
    let found = property(&document, "never");
    assert_eq!((&found["kind"], &found["verdict"]), (&"never".into(), &"violated".into()));
    assert!(found["trace"]["reason"].as_str().unwrap().contains("has got to its end"));
    check(&claim("T: if\n:: x == 9 -> skip\n:: else -> goto T\nfi"), &[]).exits(0).says("never      holds");
    check(&claim("accept: do\n:: x < 9\nod"), &[]).exits(1).says("comes through `accept` again and again");
    check(&claim("accept: do\n:: x < 3\nod"), &[]).exits(0);
    check(ASSERTION, &[]).exits(1);
}

/// Hidden variables with initial values, of every kind. SPIN keeps them outside of its states; what is read from one is
/// then a matter of the order of its search. Here a value that decides something is kept.
#[test]
fn hidden_variables_of_every_kind() {
    for declaration in [
        "hidden byte g = 2;",
        "hidden int g[3] = -7;",
        "hidden bool g = true;",
        "mtype = { a, b }; hidden mtype g = b;",
        "hidden chan g = [2] of { byte };",
        "hidden chan g[2] = [1] of { byte };",
        "typedef T { byte x = 3; int y[2] = 5 }; hidden T g;",
        "typedef T { byte x = 3; chan c = [1] of { byte } }; hidden T g[2];",
        "hidden unsigned g : 3 = 5;",
        "hidden pid g = 4; byte h = g;",
    ] {
        let model =
            format!("{declaration} byte x; active proctype P() {{ hidden byte own = 3; x = own; assert(x == 3) }}");
        for search in ["auto", "bfs", "dfs", "guided", "astar(h=pdb)"] {
            check(&model, &["--search", search]).exits(0);
        }
    }
    let reads = |body: &str, code| {
        check(&format!("hidden byte g = 2, h; byte x; active proctype P() {{ {body} }}"), &[]).exits(code)
    };
    reads("x = g; assert(x == 2)", 0);
    reads("g = 1; assert(g == 1)", 0);
    reads("g = 1; assert(g == 0)", 1).says("g = 1");
    reads("h = g; x = 1; assert(h == 2)", 0);
    reads("do :: x < 3 -> x++; h = h + g :: else -> break od", 0);
    // A counter that nobody looks at makes no states.
    let counts = "hidden int n; bit x; active proctype P() { do :: x = 1 - x; n++ od }";
    check(counts, &["--dead-variables", "off"]).exits(0).says("4 states");
    check(counts, &["reach", "--reach", "n == 2"]).exits(0);
    check(counts, &["invariant", "--invariant", "n < 3"]).exits(1);
}

/// What belongs to a process has no meaning in a property, which nobody in particular evaluates.
#[test]
fn properties_have_no_process() {
    let model = "byte x; active proctype P() { x = 1 } active proctype Q() { x = 2 }";
    for (option, text) in [
        ("--reach", "_pid"),
        ("--invariant", "!_pid"),
        ("--ltl", "<> (_pid == 1)"),
        ("--reach", "_priority == 1"),
        ("--reach", "timeout"),
        ("--invariant", "!timeout"),
    ] {
        let ran = check(model, &[option, text]).exits(2);
        assert!(ran.err.contains("property"), "{text}: {}", ran.err);
    }
    let claim = format!("{model} never {{ do :: _pid == 1 -> break :: else od }}");
    check(&claim, &[]).exits(2).complains("`_pid` belongs to a process");
    check(model, &["reach", "--reach", "_last == 1"]).exits(0);
    check(model, &["reach", "--reach", "_last == 2"]).exits(1);
    check(model, &["reach", "--reach", "_nr_pr == 2 && np_"]).exits(0);
    // A label at the start of a d_step is as good as one before it.
    check("byte x; active proctype P() { d_step { L: x++; x = x % 3 } goto L }", &["--dead-variables", "off"])
        .exits(0)
        .says("3 states");
    check("active proctype P() { done: goto doen }", &[]).exits(2).complains("did you mean `done`?");
}

/// A counter up to 300, an array in one step, and an assertion that is longer than any line.
fn long_trace() -> String {
    let sum = "x + ".repeat(120);
    format!(
        "int x; byte a[60];
active proctype P() {{ byte i;
  do :: x < 300 -> x++ :: x == 300 -> break od;
  d_step {{ i = 0; do :: i < 60 -> a[i] = 1; i++ :: else -> break od }};
  assert({sum} 0 == 1) }}
"
    )
}

#[test]
fn long_traces_are_shown_by_their_ends() {
    let text = long_trace();
    let shown = check(&text, &["assertion"]).exits(1);
    let left_out = "523 steps are left out here; --full-trace shows them, --save-trace keeps them";
    let shown = shown.says("violated after 603 steps").says("   40   P(0)").says("  564   P(0)").says(left_out);
    assert!(!shown.out.contains("\n   41   P(0)") && !shown.out.contains("\n  563   P(0)"));
    assert!(shown.out.contains("… and 37 more"), "{}", shown.out);
    // The reason stands there only once and may be longer than a step.
    let widest = |line: &str| if line.starts_with("  ") { 200 } else { 400 };
    assert!(shown.out.lines().all(|line| line.chars().count() <= widest(line)), "{}", shown.out);
    let full = check(&text, &["assertion", "--full-trace"]).exits(1).says("   41   P(0)").says("a[59]: 0 → 1");
    assert!(!full.out.contains("left out") && full.out.lines().any(|line| line.starts_with("  ") && line.len() > 250));
    let document = check(&text, &["assertion", "--json"]).exits(1).json();
    assert_eq!(property(&document, "assertion")["trace"]["steps"].as_array().unwrap().len(), 603);
    let workspace = Workspace::with("m.pml", &text);
    workspace.run(&["check", "m.pml", "assertion", "--save-trace", "t.json"]).exits(1);
    workspace.run(&["trace", "t.json"]).exits(0).says("523 steps are left out here; --full-trace shows them");
    let full = workspace.run(&["trace", "t.json", "--full-trace"]).exits(0);
    assert!(full.out.lines().count() > 603);
}

#[test]
fn long_loops_are_shown_by_their_ends() {
    let text = "byte x; bool b;
active proctype P() { do :: x < 100 -> x++ :: x == 100 -> x = 0 od }
ltl p { <> b }
";
    let shown = check(text, &["p"]).exits(1);
    let lines: Vec<&str> = shown.out.lines().collect();
    let at = |what: &str| lines.iter().position(|line| line.contains(what)).unwrap_or_else(|| panic!("{}", shown.out));
    assert!(at("the loop starts here") < at("steps are left out here"));
    assert!(at("steps are left out here") < at("back to the"));
    assert!(lines.len() < 120, "{}", shown.out);
}

#[test]
fn macros_are_shown_as_written_and_inlines_with_their_calls() {
    let text = "#define N 3
#define INC(v) v = v + N
#define BOTH x = 7; y = 8
byte x, y;
inline up(a) { a = a + N; INC(y) }
active proctype P() {
  up(x);
  INC(x);
  BOTH;
  assert(x < N)
}
";
    let document = check(text, &["assertion", "--json"]).exits(1).json();
    let steps = &property(&document, "assertion")["trace"]["steps"];
    let texts: Vec<&str> = steps.as_array().unwrap().iter().map(|step| step["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["x = x + N", "INC(y)", "INC(x)", "x = 7", "y = 8", "assert(x < N)"]);
    assert_eq!(steps[0]["source"]["line"], 5);
    assert_eq!(steps[0]["called_at"][0]["line"], 7);
    assert!(steps[2]["called_at"].is_null());
    check(text, &["assertion"]).exits(1).says("line 7 › 5  x = x + N").says("assertion violated: x < N (x = 7)");
}

/// A deadlock must not hide the formula that a model is about.
#[test]
fn other_properties_are_tried_after_the_first_error() {
    let text = "bool b; byte x;
active proctype P() { do :: x < 5 -> x++ :: x == 5 -> break od; false }
ltl p { <> b }
ltl q { [] (x < 9) }
";
    let shown = check(text, &[]).exits(1).says("m.pml: `deadlock` violated after").says("p          violated after");
    assert!(shown.out.find("m.pml: `deadlock` violated").unwrap() < shown.out.find("m.pml: violated").unwrap());
    assert_eq!(shown.out.matches("Counterexample to `deadlock`").count(), 1);
    let document = check(text, &["--json"]).exits(1).json();
    for (name, verdict) in [("deadlock", "violated"), ("assertion", "holds"), ("p", "violated"), ("q", "holds")] {
        assert_eq!(property(&document, name)["verdict"], verdict, "{name}");
    }
    // The whole run is what all of its searches took.
    let expanded = |stats: &Value| stats["expanded"].as_u64().unwrap();
    assert!(expanded(&document["stats"]) > expanded(&property(&document, "p")["stats"]));
    let first = check(text, &["--first-error", "--json"]).exits(1).json();
    assert_eq!(property(&first, "p")["verdict"], "inconclusive");
    let reason = property(&first, "p")["reason"].as_str().unwrap();
    assert!(reason.starts_with("not decided: the search stopped at the first error"), "{reason}");
}

/// What is given up says so; with --keep-going nothing is.
#[test]
fn efforts_after_an_error_are_bounded_and_said() {
    let text = "int a, b, c; bool e;
active proctype A() { do :: a < 2000 -> a++ :: a == 2000 -> a = 0 od }
active proctype B() { do :: b < 2000 -> b++ :: b == 2000 -> b = 0 od }
active proctype C() { do :: c < 2000 -> c++ :: c == 2000 -> c = 0 od }
active proctype D() { assert(e) }
";
    let document = check(text, &["--json", "--reduction", "off"]).exits(1).json();
    assert_eq!(property(&document, "assertion")["verdict"], "violated");
    let left = property(&document, "deadlock");
    assert_eq!(left["verdict"], "inconclusive");
    let reason = left["reason"].as_str().unwrap();
    assert!(reason.starts_with("not decided within ") && reason.contains("--keep-going"), "{reason}");
    assert!(document["unreached"].is_null());
}
