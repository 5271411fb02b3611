//! `bughound explain` from outside: tables, warnings, DOT, SVG, JSON, and the automata compared with SPIN's.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::Workspace;
use bughound::explain::explain;
use bughound::explain::warnings::{Lint, warnings};
use bughound::language::Language;
use bughound::model::{ModelOptions, load_text};
use bughound_testkit::spin_oracle::{OracleOptions, SpinOracle};
use serde_json::Value;

/// The names of the warnings about a model.
fn names(text: &str) -> Vec<&'static str> {
    let options = ModelOptions::default();
    let model =
        load_text("m.pml", text.as_bytes(), Language::Promela, &options).unwrap_or_else(|e| panic!("{e}: {text}"));
    warnings(&model, &options).iter().map(|w| w.lint.name()).collect()
}

fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bughound"));
    command.current_dir(directory).arg("explain").args(arguments).output().unwrap()
}

/// A directory with the model `m.pml`.
fn with_model(text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("m.pml"), text).unwrap();
    directory
}

fn stdout(output: &Output) -> String {
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

const SMALL: &str = "byte x = 2;\nchan q = [1] of { byte };\nactive proctype P() {\n\tbyte y;\n\tq?y;\n\
    \tassert(y < 2 && x > 0)\n}\nactive proctype Q() { q!1; x-- }\n";

/// For every warning a model that provokes nothing else, and a similar one that is clean.
const EXAMPLES: [(Lint, &str, &str); 15] = [
    (Lint::UnusedVariable, "byte x; init { skip }", "byte x; init { x = 1; assert(x == 1) }"),
    (Lint::UnreadVariable, "byte x; init { x++ }", "hidden byte x; init { x = 1 }"),
    (Lint::UnwrittenVariable, "byte x; init { x < 1 }", "byte x = 1; init { x < 1 }"),
    (
        Lint::UnusedParameter,
        "proctype P(byte n) { skip } init { run P(1) }",
        "proctype P(byte n) { n > 0 } init { run P(1) }",
    ),
    (Lint::UnreachableStatement, "init { goto end1; assert(1 == 1 || false); end1: skip }", "init { do :: skip od }"),
    (Lint::UnusedLabel, "init { L: skip }", "init { L: if :: true -> goto L :: true fi; end2: skip }"),
    (
        Lint::ChannelNeverReceived,
        "chan q = [1] of { byte }; init { q!1 }",
        "chan q = [1] of { byte }; init { q!1; q?_ }",
    ),
    (Lint::ChannelNeverSent, "chan q = [1] of { byte }; init { q?_ }", "chan q = [1] of { byte }; init { q?_; q!1 }"),
    (Lint::UnusedChannel, "chan q = [1] of { byte }; init { skip }", "chan q = [1] of { byte }; init { empty(q) }"),
    (
        Lint::Truncation,
        "int i; byte b; init { do :: i = i * 2 + 1; b = i; assert(b < 9) od }",
        "int i; byte b; init { do :: i = i * 2 + 1; b = i % 4; b = b + 1; assert(b < 9) od }",
    ),
    (
        Lint::NarrowReceive,
        "chan q = [1] of { int }; byte b; init { q!1000; q?b; assert(b < 2) }",
        "chan q = [1] of { int }; byte b; init { q!10; q?b; assert(b < 2) }",
    ),
    (Lint::ConstantCondition, "byte x; init { x++; x >= 0 }", "byte x; init { x++; x > 0; true; 1 }"),
    (
        Lint::ElseWithChannel,
        "chan q = [1] of { byte }; init { q!1; if :: q?_ :: else fi }",
        "chan q = [1] of { byte }; init { q!1; if :: nempty(q) -> q?_ :: else fi }",
    ),
    (Lint::UnstartedProcess, "proctype P() { skip } init { skip }", "proctype P() { skip } init { run P() }"),
    (Lint::UnusedInline, "inline f() { skip } init { skip }", "inline f() { skip } init { f() }"),
];

#[test]
fn each_warning_fires_on_its_example_alone() {
    assert_eq!(EXAMPLES.len(), Lint::ALL.len());
    for (lint, bad, good) in EXAMPLES {
        assert_eq!(names(bad), [lint.name()], "{bad}");
        assert_eq!(names(good), [""; 0], "{good}");
    }
}

#[test]
fn names_are_used_in_many_ways() {
    for clean in [
        "byte x; ltl p { [] (x < 3) } init { x = 1 }",
        "proctype P() { byte n; L: n = 1; n = 2 } init { run P(); assert(P[1]@L || P[1]:n == 2 || true) }",
        "inline f(a) { byte t; t = a; assert(t == a) } init { f(1); f(2) }",
        "typedef T { byte a; byte b }; T t; init { t.a = 1; assert(t.b == 0) }",
        "bit b; init { b = 1 - b; assert(b == 1) }",
    ] {
        assert_eq!(names(clean), [""; 0], "{clean}");
    }
    assert_eq!(names("byte x = 300; init { assert(x == 44) }"), ["truncation"]);
}

/// Warnings about bundled models that are right.
const EXPECTED: [(&str, &str, &str); 2] = [
    ("bounded_buffer_lost_item.pml", "unread-variable", "`items` is for an invariant of the command line"),
    ("leader_election.pml", "unused-variable", "`done` is not used"),
];

#[test]
fn bundled_models_are_clean() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/promela");
    for entry in std::fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut found = names(&text);
        found.retain(|name| !EXPECTED.iter().any(|(file, lint, _)| path.ends_with(file) && lint == name));
        assert_eq!(found, [""; 0], "{}", path.display());
    }
}

#[test]
fn the_overview_names_everything() {
    let directory = with_model(SMALL);
    let text = stdout(&run(directory.path(), &["m.pml", "--automata", "--dependencies"]));
    for line in [
        "  at the start     P(0), Q(1)",
        "  process numbers  0: P; 1: Q",
        "  x     byte  1     2          P, Q     Q",
        "  q     1         byte      2     Q        P",
        "  1  deadlock   deadlock",
        "  one search (auto) for deadlock, assertion; it stops at the first error; steps are left out that lead to no other errors",
        "  1     2    5            q?y",
        "  3     end  7     e      -end-",
    ] {
        assert!(text.lines().any(|l| l == line), "{line:?} is missing in\n{text}");
    }
    assert!(text.contains("      writes    x, Q(1):_p\n"), "{text}");
}

#[test]
fn claims_have_a_size_and_classes() {
    let directory = with_model(
        "byte x; init { do :: x = 1 - x od } ltl p { [] (x == 1 -> <> (x == 2)) } ltl q { x == 0 U x == 1 }",
    );
    let text = stdout(&run(directory.path(), &["m.pml"]));
    assert!(text.contains("the claim p (2 states, N+F)"), "{text}");
    assert!(text.contains("the claim q (2 states, S+"), "{text}");
}

#[test]
fn allow_and_deny() {
    let directory = with_model("byte x; init { skip }");
    let output = run(directory.path(), &["m.pml"]);
    let shown = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && shown.contains("warning: the variable `x` is never used [unused-variable]"));
    assert!(shown.contains("m.pml:1:6") && shown.contains("byte x; init"), "{shown}");
    let output = run(directory.path(), &["m.pml", "--allow", "unused-variable"]);
    assert!(output.status.success() && output.stderr.is_empty());
    let output = run(directory.path(), &["m.pml", "--deny", "all", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["warnings"][0]["name"], &document["exit_code"]), (&"unused-variable".into(), &1.into()));
    assert_eq!(document["warnings"][0]["denied"], true);
    assert_eq!(run(directory.path(), &["m.pml", "--deny", "nonsense"]).status.code(), Some(2));
}

#[test]
fn json_has_the_documented_fields() {
    let directory = with_model(SMALL);
    let document: Value =
        serde_json::from_str(&stdout(&run(directory.path(), &["m.pml", "--json", "--dependencies"]))).unwrap();
    let has = |value: &Value, fields: &[&str]| {
        for field in fields {
            assert!(value.get(field).is_some(), "{field} is missing in {value}");
        }
    };
    has(&document, &["schema", "command", "file", "language", "exit_code", "summary", "strategy", "diagnostics"]);
    has(&document["summary"], &["files", "start", "processes", "locations", "edges", "state_bits", "state_bytes"]);
    has(&document["process_types"][0], &["name", "claim", "line", "started", "parameters", "locals", "initial"]);
    has(&document["process_types"][0]["edges"][0], &["from", "to", "file", "line", "text", "flags"]);
    has(&document["variables"][0], &["name", "type", "size", "line", "initial", "readers", "writers", "in_property"]);
    has(&document["channels"][0], &["name", "owner", "capacity", "fields", "senders", "receivers", "observers"]);
    has(&document["properties"][0], &["name", "kind"]);
    has(&document["dependencies"][0], &["process", "from", "to", "reads", "may_write", "must_write"]);
    assert_eq!(document["warnings"], serde_json::json!([]));
}

/// Every quote is closed on its line, every brace is closed, every statement ends in `;`.
pub fn assert_dot(text: &str) {
    let mut depth = 0;
    for line in text.lines() {
        let mut outside = String::new();
        let (mut quoted, mut escaped) = (false, false);
        for c in line.chars() {
            match c {
                '"' if !escaped => quoted = !quoted,
                c if !quoted => outside.push(c),
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        assert!(!quoted, "{line}");
        depth += outside.matches('{').count() as i32 - outside.matches('}').count() as i32;
        assert!(depth >= 0 && outside.trim_end().ends_with([';', '{', '}']), "{line}");
    }
    assert_eq!(depth, 0, "{text}");
}

const QUOTES: &str = "byte x; init { printf(\"a \\\"<b>\\\" & c\\n\"); if :: x < 1 && x > 2 -> x++ :: else fi }";

#[test]
fn dot_and_svg_are_well_formed_and_escaped() {
    for text in [SMALL, QUOTES] {
        let directory = with_model(text);
        let output = run(directory.path(), &["m.pml", "--dot", "--svg", "m.svg"]);
        let dot = stdout(&output);
        assert!(dot.starts_with("digraph \""));
        assert_dot(&dot);
        let svg = std::fs::read_to_string(directory.path().join("m.svg")).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap_or_else(|e| panic!("{e}\n{svg}"));
        let texts = document.descendants().filter(|n| n.has_tag_name("title")).filter_map(|n| n.text());
        if text == QUOTES {
            assert!(texts.collect::<String>().contains("\"<b>"), "{svg}");
        }
        assert!(run(directory.path(), &["m.pml", "--dot=graphs"]).status.success());
        assert!(directory.path().join("graphs").read_dir().unwrap().count() > 0);
    }
}

/// (model, options) of the table of SPIN's answers beside the repository; the first row of every model.
fn table() -> Vec<(PathBuf, Vec<String>)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let table = std::fs::read_to_string(shared.join("expected/spin-6.5.2.csv")).unwrap_or_default();
    let mut rows: Vec<(PathBuf, Vec<String>)> = Vec::new();
    for line in table.lines().skip(1).filter(|l| !l.trim().is_empty()) {
        let mut cells = line.split(',');
        let path = shared.join("models").join(cells.next().unwrap());
        let defines = cells.next().unwrap_or("").split_whitespace().map(str::to_string).collect();
        if !rows.iter().any(|(known, _)| *known == path) {
            rows.push((path, defines));
        }
    }
    rows
}

#[test]
fn other_peoples_models_are_explained() {
    for (path, defines) in table() {
        let mut arguments: Vec<&str> = vec![path.to_str().unwrap(), "--json", "--quiet"];
        arguments.extend(defines.iter().map(String::as_str));
        let output = run(Path::new("."), &arguments);
        let document: Result<Value, _> = serde_json::from_slice(&output.stdout);
        let code = output.status.code();
        assert!(document.is_ok() && code.is_some_and(|c| c < 3), "{}: {code:?}", path.display());
    }
}

/// Models whose automata are compared with `pan -d`.
const AUTOMATA: [&str; 4] = [
    SMALL,
    "byte x; init { do :: x < 3 -> atomic { x++; x++ } :: else -> break od; x = 0; d_step { x = 1; x = 2 } }",
    "chan q = [1] of { byte }; active proctype P() { byte i; L: if :: q?i -> goto L :: timeout fi; accept: i = 1 } \
     active proctype Q() { byte i; for (i : 1 .. 3) { q!i } }",
    "byte x; active proctype P() { { x = 1; x = 2 } unless { x == 2 -> x = 3 }; progress: skip }",
];

#[test]
fn automata_agree_with_spin() {
    let Some(spin) = SpinOracle::find() else {
        println!("skipped: SPIN is not installed");
        return;
    };
    for text in AUTOMATA {
        for merging in [true, false] {
            let theirs = spin.automaton(text, &OracleOptions::default(), merging).unwrap();
            let options = ModelOptions { merge: merging, ..ModelOptions::default() };
            let model = load_text("m.pml", text.as_bytes(), Language::Promela, &options).unwrap();
            for process in explain(&model).processes {
                let reachable: Vec<u32> = process.locations.iter().map(|l| l.number).collect();
                let mut ours: Vec<(u32, u32)> = process.edges.iter().map(|e| (e.from, e.to)).collect();
                let all = theirs.of(&process.name).map(|t| (t.from as u32, t.to as u32));
                let mut spins: Vec<(u32, u32)> = all.filter(|(from, _)| reachable.contains(from)).collect();
                ours.sort_unstable();
                spins.sort_unstable();
                assert_eq!(ours, spins, "{} of {text} (merging: {merging})", process.name);
            }
        }
    }
}

/// A model of the repository, explained with `--abstraction`.
fn with_abstraction(model: &str, arguments: &[&str]) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/timed");
    stdout(&run(&models, &[&[model, "--quiet"], arguments].concat()))
}

#[test]
fn abstractions_say_what_they_keep_and_how_accurate_they_are() {
    let text = with_abstraction("fischer.xta", &["--abstraction"]);
    let (_, text) = text.split_once("\nabstractions\n\n").unwrap();
    for line in [
        "  keeps               lock, P(1), P(2), P(3), P(4), P(1).x, P(2).x, P(3).x, P(4).x",
        "  abstract distance   infinite",
        "  safe: the abstraction has no error",
        "  relaxed plan        3: relatively accurate",
        "  no abstraction: it is not about single states",
    ] {
        assert!(text.lines().any(|other| other == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn abstractions_in_json() {
    let document = |arguments: &[&str]| -> Value {
        serde_json::from_str(&with_abstraction("fischer_faulty.xta", arguments)).unwrap()
    };
    assert_eq!(document(&["--json"])["abstractions"], Value::Null);
    let found = document(&["--json", "--abstraction=pdb(pattern='P(1), P(2)')"])["abstractions"][0].take();
    assert_eq!((&found["kind"], &found["safe"], &found["reason"]), (&"invariant".into(), &false.into(), &Value::Null));
    // Each has three steps to go, and nobody keeps them from it.
    assert_eq!((&found["estimate"], &found["sums"]), (&6.into(), &serde_json::json!([[0]])));
    let pattern = &found["patterns"][0];
    assert_eq!(pattern["keeps"], serde_json::json!(["P(1)", "P(2)"]));
    assert_eq!((&pattern["states"], &pattern["distance"]), (&16.into(), &6.into()));
    for (field, expected) in
        [("relatively_accurate", true), ("only_safe_variables_left_out", false), ("only_simple_clocks_left_out", false)]
    {
        assert_eq!(pattern[field], expected, "{field}");
    }
    let several = document(&["--json", "--abstraction=pdbs"])["abstractions"][0].take();
    assert_eq!(several["estimate"], 6);
    assert_eq!(several["sums"][0].as_array().map(Vec::len), several["patterns"].as_array().map(Vec::len));
}

#[test]
fn only_pattern_databases_have_abstractions() {
    let directory = with_model(SMALL);
    let output = run(directory.path(), &["m.pml", "--abstraction=blind"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`blind` has no abstraction"));
}

/// Clocks, channels, locations with their invariants, and all queries; in words of UPPAAL.
#[test]
fn uppaal_models_are_explained_in_their_own_words() {
    let model = "int[0,2] k; clock x; chan go[2]; urgent broadcast chan all;
        int next(int v) { int i; for (i = 0; i < 2; i++) { if (v == k) v++; } return v % 2; }
        process P(const int[0,1] id) {
            clock y; state A { y <= 3 && x < 10 }, B, C, D; commit B; urgent C; init A;
            trans A -> B { sync go[id]!; assign k = next(k); }, B -> C { sync all!; }, C -> A { };
        }
        process Q() { state A, B; init A; trans A -> B { sync go[k % 2]?; }, B -> A { sync all?; }; }
        system P, Q;";
    let workspace = Workspace::with("m.xta", model);
    workspace.write("m.q", "A[] not deadlock\nE<> P(0).C\nP(0).B --> P(0).C\nsup: k\nE<> nonsense\n");
    let ran = workspace.run(&["explain", "m.xta", "--automata", "--dependencies"]).exits(0);
    let squeezed: Vec<String> =
        ran.out.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "processes P(0), P(1), Q",
        "P(0) 3 4 3",
        "P(0).A 4 y <= 3 && x < 10 initial",
        "P(1).B 4 - committed",
        "P(1).C 4 - urgent",
        "P(0).D 4 -",
        "Q.A 7 - initial",
        "x, P(0).y, P(1).y",
        "go[0] one to one P(0) Q",
        "go[1] one to one P(1) Q",
        "all broadcast, urgent P(0), P(1) Q",
        "1 A[] not deadlock deadlock",
        "2 E<> P(0).C reachability",
        "4 sup: k extremes",
        "5 E<> nonsense unsupported",
        "one search (auto) through zones for A[] not deadlock",
        "one search (auto) through zones for E<> P(0).C",
        "a search (auto) through zones for runs that decide P(0).B --> P(0).C",
        "a search (bfs) through zones for the values of sup: k",
        "nothing for E<> nonsense: `nonsense` is not declared",
        "P(0), starts at A",
        "A B 5 sync go[id]!; assign k = next(k)",
        "B -> C line 5 sync all!",
    ] {
        assert!(squeezed.iter().any(|found| found == line), "`{line}` is missing in\n{}", ran.out);
    }
    for word in ["d_step", "proctype", "process types", "P(0)(0)", "_p\n", "_p,", "hidden", "process numbers"] {
        assert!(!ran.out.contains(word), "`{word}` in\n{}", ran.out);
    }
    let document = workspace.run(&["explain", "m.xta", "--json"]).exits(0).json();
    assert_eq!(document["clocks"], serde_json::json!(["x", "P(0).y", "P(1).y"]));
    assert_eq!(document["signals"][2]["broadcast"], true);
    assert_eq!(document["process_types"][0]["places"][0]["invariant"], "y <= 3 && x < 10");
    assert_eq!(document["process_types"][0]["places"][1]["committed"], true);
    assert_eq!(document["properties"].as_array().unwrap().len(), 5);
    assert!(!document.to_string().contains("d_step"));
}

/// Invariants of XML files are shown as the user typed them, not as the file encodes them.
#[test]
fn invariants_of_xml_files_are_decoded() {
    let model = "<nta><declaration>clock x;</declaration><template><name>P</name><location id=\"a\"><name>wait</name>\
        <label kind=\"invariant\">x &lt;= 5 &amp;&amp;\n true</label></location><init ref=\"a\"/></template>\
        <system>system P;</system></nta>";
    let ran = Workspace::with("m.xml", model).run(&["explain", "m.xml"]).exits(0);
    ran.says("x <= 5 && true").says("P.wait");
}
