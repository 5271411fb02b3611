//! Broken and nasty UPPAAL models through the binary.
//!
//! Whatever the input: an exit code that says what it was, a message that names the problem and its place in the file,
//! an end within bounded time and memory, no panic, no death by a signal.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Address space of a run, in kB.
const MEMORY: u64 = 4_000_000;
/// Far more than any of these runs needs on a busy machine.
const TIME: Duration = Duration::from_secs(120);

#[track_caller]
fn run(folder: &Path, arguments: &[&str], about: &str) -> (i32, String) {
    let script = format!("ulimit -v {MEMORY} && exec timeout {} \"$0\" \"$@\"", TIME.as_secs());
    let start = Instant::now();
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_bughound")])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let shown: String = text.chars().take(2_000).collect();
    assert!(start.elapsed() < TIME, "{about}: no end within {TIME:?}");
    assert!(!text.contains("panicked"), "{about}\n{shown}");
    let code = output.status.code().unwrap_or_else(|| panic!("{about}: ended by a signal\n{shown}"));
    (code, text)
}

/// Checks a model with one more query.
#[track_caller]
fn check(name: &str, bytes: &[u8], query: &str, code: i32, words: &[&str]) {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(name), bytes).unwrap();
    let about: String = String::from_utf8_lossy(bytes).chars().take(300).collect();
    let (found, text) = run(folder.path(), &["check", "--no-progress", "--query", query, name], &about);
    let shown: String = text.chars().take(2_000).collect();
    assert_eq!(found, code, "{about}\n{shown}");
    for word in words {
        assert!(text.contains(word), "{about}: `{word}` is missing in\n{shown}");
    }
}

#[track_caller]
fn rejected_xml(text: &str, words: &[&str]) {
    check("m.xml", text.as_bytes(), "E<> true", 2, words);
}

/// In the textual syntax.
#[track_caller]
fn rejected(text: &str, words: &[&str]) {
    check("m.xta", text.as_bytes(), "E<> true", 2, words);
}

/// A template with one edge: these declarations and labels.
fn xml(declarations: &str, labels: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<nta>\n<declaration>{declarations}</declaration>\n\
         <template><name>Lamp</name>\n<location id=\"id0\"><name>off</name></location>\n\
         <location id=\"id1\"><name>on</name></location>\n<init ref=\"id0\"/>\n\
         <transition><source ref=\"id0\"/><target ref=\"id1\"/>\n{labels}\n</transition></template>\n\
         <system>system Lamp;</system>\n</nta>\n"
    )
}

/// The same as text.
fn xta(declarations: &str, labels: &str) -> String {
    format!("{declarations}\nprocess P() {{ state a, b; init a; trans a -> b {{\n{labels} }}; }}\nsystem P;")
}

/// An error of the model while it runs: not decided, with a trace that ends in it.
#[track_caller]
fn fails(declarations: &str, labels: &str, words: &[&str]) {
    let words = [&["inconclusive", "not decided: ", "Error of the model"], words].concat();
    check("m.xta", xta(declarations, labels).as_bytes(), "E<> P.b", 3, &words);
}

#[test]
fn xml_that_is_none() {
    rejected_xml("<nta><declaration>int x;</nta>", &["not well-formed XML", "m.xml:1:"]);
    rejected_xml("<nta>\n<declaration>int x;</declaration>", &["not well-formed XML"]);
    rejected_xml("<nta><a b=\"1\" b=\"2\"/></nta>", &["not well-formed XML"]);
    rejected_xml("<nta>&unknown;</nta>", &["not well-formed XML", "unknown"]);
    rejected_xml("<!DOCTYPE nta <nta/>", &["not well-formed XML"]);
    rejected_xml("<", &["not well-formed XML"]);
    rejected_xml("<!--", &["m.xml"]);
    rejected_xml("<html></html>", &["is not an UPPAAL model", "`<nta>`"]);
    rejected_xml("", &["no system line"]);
    rejected_xml("\u{feff}", &["no system line"]);
    rejected_xml("<nta></nta>", &["no system line"]);
    check("m.xml", b"\xff\xfe\x00<\x00n\x00", "E<> true", 2, &["m.xml"]);
    check("m.xml", &[0; 1000], "E<> true", 2, &["m.xml"]);
    let deep = format!("{}{}", "<nta>".repeat(50_000), "</nta>".repeat(50_000));
    rejected_xml(&deep, &["nested more than"]);
}

#[test]
fn entities_are_neither_expanded_nor_fetched() {
    let mut bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE nta [<!ENTITY a0 \"lol\">".to_string();
    for i in 1..12 {
        bomb += &format!("<!ENTITY a{i} \"{}\">", format!("&a{};", i - 1).repeat(10));
    }
    bomb += "]>\n<nta><declaration>&a11;</declaration></nta>";
    rejected_xml(&bomb, &["entities of its own", "m.xml:2:"]);
    let external =
        "<!DOCTYPE nta [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><nta><declaration>&x;</declaration></nta>";
    rejected_xml(external, &["entities of its own"]);
    let quoted = "<!DOCTYPE nta SYSTEM \"a>b\" [<!ENTITY x \"y\">]><nta><declaration>&x;</declaration></nta>";
    rejected_xml(quoted, &["m.xml:1:"]);
    // The usual document type is not looked at: no network, no file.
    let usual = xml("", "").replace(
        "<nta>",
        "<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://localhost:1/flat-1_2.dtd'>\n<nta>",
    );
    check("m.xml", usual.as_bytes(), "E<> Lamp.on", 0, &["satisfied"]);
}

#[test]
fn templates_that_lack_something() {
    let model = xml("", "");
    rejected_xml(&model.replace("<init ref=\"id0\"/>", ""), &["no initial location", "m.xml:4:17"]);
    rejected_xml(&model.replace("<init ref=\"id0\"/>", "<init ref=\"id9\"/>"), &["no location `id9`", "m.xml:7:12"]);
    rejected_xml(&model.replace("<target ref=\"id1\"/>", ""), &["a transition without `<target>`", "m.xml:8:"]);
    rejected_xml(&model.replace("<target ref=\"id1\"/>", "<target/>"), &["needs the attribute `ref`", "m.xml:8:"]);
    rejected_xml(&model.replace("<name>Lamp</name>", ""), &["a template without a name", "m.xml:4:"]);
    rejected_xml(&model.replace("system Lamp;", ""), &["no system line"]);
    rejected_xml(&model.replace("system Lamp;", "system Lump;"), &["no template `Lump`", "`Lamp`", "m.xml:11:16"]);
    rejected_xml(&model.replace("system Lamp;", "L = Lump(); system L;"), &["no template `Lump`", "m.xml:11:"]);
    rejected_xml(&model.replace("id=\"id1\"", "id=\"id0\""), &["`id0`", "twice", "m.xml:6:"]);
    rejected_xml(&model.replace("<name>on</name>", "<name>off</name>"), &["`off`", "twice", "m.xml:6:"]);
    let twice = model
        .replace("<system>", "<template><name>Lamp</name><location id=\"a\"/><init ref=\"a\"/></template><system>");
    rejected_xml(&twice, &["`Lamp`", "twice", "m.xml:11:"]);
    rejected_xml(&model.replace("system Lamp;", "system Lamp, Lamp;"), &["twice in the system", "m.xml:11:"]);
}

#[test]
fn places_in_labels() {
    let guard = |text: &str| xml("clock x; int v; chan c; int a[2];", &format!("<label kind=\"guard\">{text}</label>"));
    rejected_xml(&guard("x &lt;= 5 &amp;&amp;\n w == 2"), &["`w` is not declared", "m.xml:10:2", "off → on of Lamp"]);
    rejected_xml(&guard("v &gt; &gt; 2"), &["expected an expression", "m.xml:9:28", "the guard of edge off → on"]);
    rejected_xml(&guard("v &gt; \u{e4}"), &["m.xml:9:"]);
    rejected_xml(&guard("c == 1"), &["a number is wanted here, not a channel", "m.xml:9:21"]);
    rejected_xml(&guard("a == 1"), &["m.xml:9:"]);
    rejected_xml(&guard("a[x] == 1"), &["a clock", "m.xml:9:23"]);
    rejected_xml(&guard("v[1] == 1"), &["an index on", "m.xml:9:23"]);
    rejected_xml(&guard("v.f == 1"), &["no fields", "m.xml:9:23"]);
    check("m.xml", guard("a[2] == 1").as_bytes(), "E<> true", 0, &["always outside of the array", "m.xml:9:23"]);
    let sync = |text: &str| xml("chan c[2]; int v;", &format!("<label kind=\"synchronisation\">{text}</label>"));
    rejected_xml(&sync("v!"), &["a channel is wanted here, not an integer", "m.xml:9:31"]);
    rejected_xml(&sync("c!"), &["a channel is wanted here, not an array", "m.xml:9:31"]);
    rejected_xml(&sync("3!"), &["this is no channel", "m.xml:9:31"]);
    rejected_xml(&sync("c[0]"), &["expected `!` or `?`", "m.xml:9:35"]);
    let select = |text: &str| xml("", &format!("<label kind=\"select\">{text}</label>"));
    rejected_xml(&select("i : int"), &["too many values", "m.xml:9:26"]);
    rejected_xml(&select("i : int[0,9999999]"), &["too many to go through", "m.xml:9:26"]);
    rejected_xml(&select("i : int[0,9999], j : int[0,9999]"), &["more than 100000 values", "m.xml:9:"]);
    rejected_xml(&select("i : clock"), &["no values", "m.xml:9:26"]);
    let update = |text: &str| {
        xml("clock x; int[0,3] v; const int k = 1;", &format!("<label kind=\"assignment\">{text}</label>"))
    };
    rejected_xml(&update("v = 7"), &["7 is outside of the range from 0 to 3", "m.xml:9:30"]);
    rejected_xml(&update("k = 7"), &["constant", "m.xml:9:26"]);
    rejected_xml(&update("3 = v"), &["constant", "m.xml:9:26"]);
}

#[test]
fn clocks_in_wrong_places() {
    let guard = |guard: &str, words: &[&str]| {
        rejected(&xta("clock x, y; int v, w; int a[3];", &format!("guard {guard};")), &[words, &["m.xta:3:"]].concat());
    };
    guard("x * v < 3", &["clocks cannot be part of such an expression"]);
    guard("x < v * y", &["clocks cannot be part of such an expression"]);
    guard("x + y < 3", &["this sum of clocks cannot be compared"]);
    guard("a[x] < 3", &["a clock"]);
    guard("x", &["a clock is no condition"]);
    guard("!x", &["a clock is no condition"]);
    guard("v + x", &["clocks cannot be part of such an expression"]);
    guard("x != 3", &["`!=`"]);
    guard("x' == 0", &["rates of clocks"]);
    guard("x % 2 == 0", &["clocks cannot be part of such an expression"]);
    guard("(x > 1 ? v : w) == 1", &["clock"]);
    rejected(&xta("clock x; int v;", "assign v = x;"), &["the value of a clock cannot be assigned", "m.xta:3:"]);
    rejected(&xta("clock x, y;", "assign x = y;"), &["cannot be computed from clocks", "m.xta:3:"]);
    rejected(&xta("clock x;", "assign x++;"), &["a clock", "m.xta:3:"]);
    rejected(&xta("clock x; int f(int i) { return i; } int v;", "assign v = f(x);"), &["clock", "m.xta:3:"]);
    rejected(&xta("clock x = 3;", ""), &["clocks start at 0", "m.xta:1:"]);
    // A bound may be any integer expression over variables.
    check("m.xta", xta("clock x; int v = 2, w = 3;", "guard x < v * w;").as_bytes(), "E<> P.b", 0, &["satisfied"]);
}

#[test]
fn errors_of_the_run_are_verdicts_with_a_trace() {
    fails(
        "int[0,3] v = 3;",
        "assign v = v + 1;",
        &["out of range: v = 4, allowed is 0 to 3", "line 2", "1 step, shortest (proven)"],
    );
    fails("int v = 32767;", "assign v++;", &["out of range"]);
    fails("clock x; int[0,3] v = 3;", "guard x >= 2; assign v++;", &["out of range", "@ 2"]);
    fails("int v;", "assign v = 1 / v;", &["division by zero"]);
    fails("int v;", "guard 1 % v == 0;", &["division by zero"]);
    fails("int a[3], v = 3;", "assign a[v] = 1;", &["index out of range"]);
    fails("int a[3], v = -1;", "guard a[v] == 0;", &["index out of range"]);
    fails("const int a[3] = { 1, 2, 3 }; int v = 5;", "guard a[v] == 0;", &["index out of range"]);
    fails("int[0,3] v; int f(int[0,3] x) { v = x; return x; } int w = 9;", "assign f(w);", &["out of range"]);
    fails("int n = 5, v; int[0,3] f() { return n; }", "assign v = f();", &["out of range"]);
    fails("int n = 5, v; int f() { int[0,3] i = n; return i; }", "assign v = f();", &["out of range"]);
    fails(
        "int n = 5, v; int f(int[0,3] i) { return i; } int g() { return f(n); }",
        "assign v = g();",
        &["out of range"],
    );
    fails("clock x; int v = -1;", "assign x = v;", &["out of range: clock x = -1"]);
    fails("int v; void f() { while (true) v = 1 - v; }", "assign f();", &["1 step, shortest (proven)"]);
    fails("int v; void f() { while (v < 5) { } }", "assign f();", &["1 step, shortest (proven)"]);
    fails("int v; void f() { assert(v == 1); }", "assign f();", &["v == 1"]);
}

/// The largest number that a clock can be compared with, and one more.
#[test]
fn numbers_that_are_too_large_for_clocks() {
    const LIMIT: i32 = 1 << 26;
    let invariant = |bound: &str| {
        format!("clock x; process P() {{ state a {{ x <= {bound} }}, b; init a; trans a -> b {{ }}; }} system P;")
    };
    for small in [LIMIT - 1, LIMIT] {
        let reached = |model: &str| check("m.xta", model.as_bytes(), "E<> P.b", 0, &["satisfied"]);
        reached(&xta("clock x;", &format!("guard x >= {small}; assign x = {small};")));
        reached(&xta("clock x;", &format!("guard x - {small} >= 0 && x <= {LIMIT};")));
        reached(&invariant(&small.to_string()));
        check("m.xta", xta("clock x;", "").as_bytes(), &format!("E<> x == {small}"), 0, &["satisfied"]);
    }
    let large = LIMIT + 1;
    let words = ["67108865 is too large for a clock", "up to 67108864", "m.xta:"];
    for labels in [format!("guard x >= {large};"), format!("guard {large} < x;"), format!("assign x = {large};")] {
        rejected(&xta("clock x;", &labels), &words);
    }
    rejected(&invariant(&large.to_string()), &words);
    rejected(&invariant("N + N").replace("clock", "const int N = 2000000000; clock"), &["4000000000 is too large"]);
    rejected(&invariant("N * N").replace("clock", "const int N = 100000; clock"), &["10000000000 is too large"]);
    rejected(&xta("clock x;", "guard x > 300000000 && x < 400000000;"), &["300000000 is too large", "m.xta:3:"]);
    check("m.xta", xta("clock x;", "").as_bytes(), "E<> x > 67108865", 2, &["too large for a clock", "--query:1:"]);
    let wide = xta("clock x; int[0,1000000000] v;", "guard x > v;");
    check("m.xta", wide.as_bytes(), "E<> x > v", 2, &["may be too large for a clock", "--query:1:"]);
    // What variables hold is looked at during the run.
    check("m.xta", wide.as_bytes(), "E<> P.b", 0, &["satisfied"]);
    let words = ["67108864", "too large for a clock"];
    fails("clock x; int[0,1000000000] v = 67108865;", "guard x > v;", &words);
    fails("clock x; int[0,1000000000] v = 67108865;", "assign x = v;", &words);
    fails("clock x; int[0,2147483647] v = 2147483647;", "guard x <= v;", &words);
    fails("clock x; int v;", "guard x <= 10 / v;", &["division by zero"]);
    let state = "clock x; int[0,100000000] v = 1;
        process P() { state a, b { x <= v }; init a; trans a -> b { assign v = v * 67108864; }; } system P;";
    check("m.xta", state.as_bytes(), "E<> P.b", 0, &["satisfied"]);
    let beyond = state.replace("67108864", "67108865");
    check("m.xta", beyond.as_bytes(), "E<> P.b", 3, &["too large for a clock: the invariant of P.b", "1 step"]);
}

/// In UPPAAL a run-time error ends everything. Here a state that was found is an answer, and nothing else is.
#[test]
fn errors_of_the_model_are_no_answers() {
    let model = "clock x; int[0,3] n;
        process P() { state a { x <= 2 }, b, c; init a;
            trans a -> a { guard x > 1; assign n = n + 1, x = 0; }, a -> b { guard n == 2; }, a -> c { guard n == 3 && x > 5; }; } system P;";
    let untimed = "int[0,3] n;
        process P() { state a, b, c; init a;
            trans a -> a { assign n = n + 1; }, a -> b { guard n == 2; }, a -> c { guard n == 3 && n + n == 4; }; }
        system P;";
    for model in [model, untimed] {
        check("m.xta", model.as_bytes(), "E<> P.b", 0, &["satisfied"]);
        check("m.xta", model.as_bytes(), "A[] not P.b", 1, &["violated after 3 steps"]);
        // A run can leave a, and can stay at b: both are known before any error.
        check("m.xta", model.as_bytes(), "E[] not P.a", 1, &["violated"]);
        check("m.xta", model.as_bytes(), "A<> P.c", 1, &["violated"]);
        for query in ["E<> P.c", "A[] not P.c", "sup: n"] {
            let words = ["out of range: n = 4, allowed is 0 to 3", "Error of the model, in the way of", "4 steps"];
            check("m.xta", model.as_bytes(), query, 3, &words);
        }
    }
    let only = "clock x; int[0,1] n; process P() { state a { x <= 2 }, b; init a;
        trans a -> a { guard x > 1; assign n = n + 1, x = 0; }, a -> b { guard n == 1; assign n = n + 1; }; } system P;";
    for query in ["A<> P.b", "E[] P.a", "P.a --> P.b"] {
        check("m.xta", only.as_bytes(), query, 3, &["not decided: evaluation error", "out of range: n = 2"]);
    }
}

/// An index that is always outside is an error only where the run comes to it.
#[test]
fn indices_in_code_that_never_runs() {
    let warned = |declarations: &str, labels: &str| {
        check("m.xta", xta(declarations, labels).as_bytes(), "E<> P.b", 0, &["satisfied"]);
    };
    warned("int a[3], n; int f(int i) { if (n > 5) return a[7]; return i; }", "guard f(1) == 1;");
    warned("const int N = 3; int a[N]; int f(int i) { return i < N ? a[i] : 0; }", "guard f(5) == 0;");
    warned("int a[3]; bool b;", "guard b imply a[4] == 1;");
    warned("const int a[2] = { 1, 2 }; bool b;", "guard !b || a[4] == 1;");
    warned("clock x[2]; bool b;", "guard b imply x[4] <= 1;");
    fails("int a[3]; bool b = true;", "guard b imply a[4] == 1;", &["array index out of range", "always outside"]);
    fails("const int a[2] = { 1, 2 }; int v;", "assign v = a[4];", &["array index out of range"]);
}

#[test]
fn models_without_an_initial_state() {
    let model = |invariant: &str| {
        format!(
            "clock x; int v = 1; process P() {{ state a {{ {invariant} }}; init a; trans a -> a {{ }}; }} system P;"
        )
    };
    let words = ["there is no initial state", "the invariant of location a of P is false"];
    for invariant in ["v == 0", "x <= 3 && v == 0", "x < 0", "v == 1 imply x < 0"] {
        check("m.xta", model(invariant).as_bytes(), "A[] true", 3, &words);
        check("m.xta", model(invariant).as_bytes(), "E<> P.a", 3, &words);
    }
    let words = ["there is no initial state", "the invariant of location a of P has no value: division by zero"];
    check("m.xta", model("1 / (v - 1) == 1").as_bytes(), "E<> P.a", 3, &words);
    check("m.xta", model("x <= 1 / (v - 1)").as_bytes(), "E<> P.a", 3, &words);
    check("m.xta", model("v == 1 && x <= 0").as_bytes(), "A[] x == 0", 0, &["holds"]);
}

#[test]
fn declarations_that_make_no_sense() {
    let declared = |text: &str, words: &[&str]| rejected(&xta(text, ""), &[words, &["m.xta:1:"]].concat());
    declared("int[5,3] x;", &["the range from 5 to 3 is empty"]);
    declared("int[0,3] x = 7;", &["7 is outside of the range"]);
    declared("int x = 1 / 0;", &["division by zero"]);
    declared("int x = 40000;", &["40000 is outside"]);
    declared("int a[0];", &["an array of 0 elements"]);
    declared("int a[-1];", &["an array of -1 elements"]);
    declared("int a[1000000000];", &["more than 100000 elements"]);
    declared("int a[int[0,2000000000]];", &["more than 100000 elements"]);
    declared("int a[1000][1000][1000];", &["more than 100000 elements"]);
    declared("typedef struct { int a[1000][1000]; } S; S s[1000];", &["more than 100000 elements"]);
    declared("clock c[100000];", &["clocks"]);
    declared("chan c[1000][1000];", &["more than 100000 elements"]);
    declared("const int n;", &["has no value"]);
    declared("int x; bool x;", &["declared twice"]);
    declared("int f() { return 1; } int f;", &["declared twice"]);
    declared("struct { int a; bool a; } s;", &["`a`", "twice"]);
    declared("int x = 99999999999999999999;", &["does not fit into 32 bits"]);
    declared("int x = 2147483648;", &["does not fit into 32 bits"]);
    declared("int[0,99999999999] x;", &["does not fit into 32 bits"]);
    declared("unknown x;", &["`unknown` is not declared"]);
    declared("scalar[0] s;", &["a scalar set of 0 members"]);
    declared("typedef T T;", &["`T` is not declared"]);
    declared("void v;", &["void"]);
    declared("int a[2] = { 1, 2, 3 };", &["3 values for an array of 2 elements"]);
    declared("struct { int a; } s = { 1, 2 };", &["2 values for a structure of 1 field"]);
    declared("int x = y; int y;", &["`y` is not declared"]);
    declared("int x = {1};", &["a list of values for an integer"]);
    declared("int x /* no end", &["this comment does not end"]);
    declared("int @x;", &["`@`"]);
}

#[test]
fn functions_that_make_no_sense() {
    let function = |text: &str, call: &str, words: &[&str]| rejected(&xta(text, call), words);
    function("int f(int x) { return f(x - 1); } int y;", "assign y = f(3);", &["calls itself", "m.xta:1:"]);
    function("int y; void g() { y++; g(); }", "assign g();", &["calls itself", "m.xta:1:"]);
    function("int f(int x) { return x; } int y;", "assign y = f();", &["1 parameters", "m.xta:3:"]);
    function("int f(int x) { return x; } int y;", "assign y = f(1, 2);", &["1 parameters", "m.xta:3:"]);
    function("int f() { } int y;", "assign y = f();", &["does not return a value", "m.xta:3:"]);
    function("void f() { } int y;", "assign y = f();", &["no value", "m.xta:3:"]);
    function("int y;", "assign y();", &["not a function", "m.xta:3:"]);
    function("int y;", "assign g();", &["`g` is not declared", "m.xta:3:"]);
    function("int y; int f() { while (true) { } return 1; }", "guard f() == 1;", &["no end of this loop", "m.xta:1:"]);
    function(
        "int y; int f() { while (y < 10) { } return 1; }",
        "guard f() == 1;",
        &["no end of this loop", "m.xta:1:"],
    );
    function("int y; void f() { y = 1; break; }", "assign f();", &["`break`", "m.xta:1:"]);
    function(
        "int y; int f() { int i; for (i = 0; i < 100000000; i++) y = 1; return 1; }",
        "guard f() == 1;",
        &["must not change"],
    );
}

#[test]
fn nesting_and_size_are_bounded() {
    let deep = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
    rejected(&format!("int x = {};\nsystem P;", deep("(", ")")), &["nested more than", "m.xta:1:"]);
    rejected(&xta("int v;", &format!("guard {};", deep("-", ""))), &["nested more than", "m.xta:3:"]);
    rejected(&xta("int v, a[2];", &format!("guard {};", deep("a[", "]"))), &["nested more than", "m.xta:3:"]);
    rejected(&xta("int v;", &format!("guard {}1;", "v + ".repeat(100_000))), &["operators high", "m.xta:3:"]);
    rejected(&xta("int v;", &format!("guard {}1{};", "v ? ".repeat(50_000), ": 1".repeat(50_000))), &["m.xta:3:"]);
    rejected(&xta("int v;", &format!("guard {}1;", "v = ".repeat(100_000))), &["m.xta:3:"]);
    rejected(&xta("int v;", &format!("guard {}v == 1;", "forall (i : int[0,1]) ".repeat(100_000))), &["m.xta:3:"]);
    rejected(&xta(&format!("void f() {{ {} }}", "if (true) ".repeat(100_000)), "assign f();"), &["m.xta:1:"]);
    rejected(
        &xta(&format!("typedef struct {{ {} int x; {} }} S;", "struct { ".repeat(10_000), "} s;".repeat(10_000)), ""),
        &["m.xta:1:"],
    );
    rejected(&xta(&format!("int a{};", "[2]".repeat(100_000)), ""), &["m.xta:1:"]);
    rejected(&xta(&format!("int a[1] = {}1{};", "{".repeat(100_000), "}".repeat(100_000)), ""), &["m.xta:1:"]);
    let quantifiers = "guard forall (i : int[0,9999]) forall (j : int[0,9999]) v != i + j;";
    rejected(&xta("int v;", quantifiers), &["too large when it is written out", "m.xta:3:"]);
    rejected("process P(int[0,1000000] i) { state a; init a; } system P;", &["more than 4096 processes", "m.xta:1:"]);
    let many = "process P(int[0,4000] i) { int a[100000]; state s; init s; } system P;";
    rejected(many, &["more than 1000000 variables", "m.xta:1:"]);
    let many = "process P(int[0,4000] i) { chan a[100000]; state s; init s; } system P;";
    rejected(many, &["more than 1000000 channels", "m.xta:1:"]);
    let many = vec!["a -> a { select i : int[0,99999]; assign v = i; }"; 20].join(", ");
    let many = format!("int[0,99999] v; process P() {{ state a; init a; trans {many}; }} system P;");
    rejected(&many, &["more than 500000 edges", "m.xta:1:"]);
    let guard = (0..12).map(|i| format!("(x[{i}] < 1 or x[{i}] > 2)")).collect::<Vec<_>>().join(" && ");
    rejected(&xta("clock x[12];", &format!("guard {guard};")), &["too many alternatives", "m.xta:"]);
}

#[test]
fn instances_that_do_not_fit() {
    let template = "process P(int[0,3] n, chan &c) { state a; init a; }";
    rejected(&format!("chan d; int i; {template} Q = P(1); system Q;"), &["1 argument", "2 parameters", "m.xta:1:"]);
    rejected(&format!("chan d; int i; {template} Q = P(1, d, 2); system Q;"), &["3 arguments", "2 parameters"]);
    rejected(&format!("chan d; int i; {template} Q = P(1, i); system Q;"), &["`c`", "a channel", "m.xta:1:"]);
    rejected(&format!("chan d; int i; {template} Q = P(d, d); system Q;"), &["`n`", "m.xta:1:"]);
    rejected(&format!("chan d; int i; {template} Q = P(7, d); system Q;"), &["7 is outside of the range"]);
    rejected(&format!("chan d; int i; {template} Q = P(1, e); system Q;"), &["`e` is not declared"]);
    rejected(&format!("chan d; int i; {template} system P;"), &["the parameter `c` of `P` has no value"]);
}

#[test]
fn queries_that_make_no_sense() {
    let model = xta("int v; clock x;", "");
    let query = |text: &str, code: i32, words: &[&str]| check("m.xta", model.as_bytes(), text, code, words);
    query("this is no query", 2, &["expected"]);
    query("E<> P.nowhere", 2, &["no location or variable `nowhere`"]);
    query("E<> Q.a", 2, &["no process `Q`"]);
    query("E<> v = 1", 2, &["must not change"]);
    query("A[] x", 2, &["a clock is no condition"]);
    query("E<> P.a + ", 2, &["expected an expression"]);
    query("Pr[<=10](<> P.b)", 2, &["statistical queries"]);
    // What has no value is not true.
    query("E<> 1 / v == 1", 3, &["not decided", "division by zero"]);
    query("A[] 1 / v == 1", 3, &["not decided", "division by zero"]);
    query("A[] 1 / v == 1 or x > 3", 3, &["not decided", "division by zero"]);
    query("E<> 1 / v == 1 or x > 3", 0, &["satisfied"]);
    query("E<> not (1 / v == 1 and x > 3) and P.b", 0, &["satisfied"]);
    query("E<> 1 / v == 1 and deadlock", 3, &["not decided"]);
    query(&format!("E<> {}", "(".repeat(100_000)), 2, &["nested more than"]);
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("m.xta"), &model).unwrap();
    std::fs::write(folder.path().join("m.q"), b"\x00\xff)(*&^%$ E<>\n/* no end").unwrap();
    let (code, text) = run(folder.path(), &["check", "--no-progress", "m.xta"], "a query file with nonsense");
    assert!(code == 2 || code == 3, "{code}: {text}");
    assert!(text.contains("m.q:"), "{text}");
}

#[test]
fn what_is_not_supported_is_named() {
    let declared = |text: &str, words: &[&str]| rejected(&xta(text, ""), &[words, &["m.xta:1:"]].concat());
    declared("double d;", &["`double`"]);
    declared("hybrid clock h;", &["hybrid clocks"]);
    declared("dynamic P();", &["dynamic templates"]);
    declared("string s;", &["`string`"]);
    rejected(&xta("int v;", "assign v = fint(random(3));"), &["`fint`", "numbers with a fraction", "m.xta:3:"]);
    declared("import \"lib.so\" { int f(); };", &["external functions"]);
    rejected("clock x; process P() { state a { x' == 0 }; init a; } system P;", &["rates of clocks", "m.xta:1:"]);
    rejected("process P() { state a, b; init a; trans a -u-> b { }; } system P;", &["timed games", "m.xta:1:"]);
    let ignored =
        "process P() { state a, b; init a; trans a -> b { }; } system P; progress { 1; } gantt { P: true -> 1; }";
    check("m.xta", ignored.as_bytes(), "E<> P.b", 0, &["satisfied"]);
}

#[test]
fn long_texts_are_read_in_time_or_refused() {
    // Each of these took time in proportion to the square of its length, or worse.
    let attributes: String = (0..150_000).map(|i| format!(" a{i}=\"\"")).collect();
    rejected_xml(&format!("<nta{attributes}></nta>"), &["more than 256 attributes"]);
    let spaces: String = (0..300).map(|i| format!("<a xmlns:n{i}=\"n\"/>")).collect();
    rejected_xml(&format!("<nta>{spaces}</nta>"), &["more than 256 name spaces"]);
    rejected_xml(&format!("<nta>{}", "</".repeat(1_000_000)), &["not well-formed"]);
    let escapes = "if (n &lt; 3 &amp;&amp; n &gt; 1) n = 1; ".repeat(30_000);
    check("m.xml", xml(&format!("int n; void f() {{ {escapes} }}"), "").as_bytes(), "E<> true", 0, &["satisfied"]);
    let quantifiers: String = (0..9).map(|i| format!("forall (i{i} : int[0,9]) ")).collect();
    rejected(&xta("int n;", &format!("guard {quantifiers} n >= 0;")), &["too large when it is written out"]);
    let conjunction = vec!["n != 1"; 20_000].join(" && ");
    check("m.xta", xta("int n;", &format!("guard {conjunction};")).as_bytes(), "E<> true", 0, &["satisfied"]);
    let unknown: String = (0..20_000).map(|i| format!("int a{i} = b{i};\n")).collect();
    rejected(&xta(&unknown, ""), &["more; --json lists all"]);
}
