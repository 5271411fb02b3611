//! Files for other programs, read back by readers that are not ours.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use serde_sarif::sarif::{ResultKind, ResultLevel, Sarif};

use crate::support::Workspace;

/// Two processes count to two; nobody is stuck.
const RACE: &str = "byte x;
active [2] proctype P() {
  byte y;
  y = x;
  x = y + 1;
  assert(x < 2)
}
";
const LOOP: &str = "byte x, a[2]; chan q = [2] of { byte, bool };
active proctype P() { q!7,true; do :: x = 1; a[1] = 3 :: x = 2; a[1] = 0 od }
ltl p { <> (x == 5) }
";
const TIMED: &str = "clock x; int n;
process P() { state A { x <= 5 }, B; init A; trans A -> B { guard x >= 2; assign n = 1; }; }
system P;";

fn read(workspace: &Workspace, file: &str) -> String {
    std::fs::read_to_string(workspace.path(file)).unwrap()
}

fn read_json(workspace: &Workspace, file: &str) -> Value {
    serde_json::from_str(&read(workspace, file)).unwrap()
}

#[test]
fn junit_has_a_case_for_each_property() {
    let workspace = Workspace::with("race.pml", RACE);
    workspace.run(&["check", "race.pml", "--junit", "out.xml", "--reach", "x == 2"]).exits(1);
    let text = read(&workspace, "out.xml");
    let document = roxmltree::Document::parse(&text).unwrap();
    let suite = document.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
    assert_eq!(document.root_element().tag_name().name(), "testsuites");
    let count = |name: &str| suite.attribute(name).unwrap().parse::<u32>().unwrap();
    assert_eq!(
        (suite.attribute("name"), count("tests"), count("failures"), count("errors")),
        (Some("race.pml"), 3, 1, 0)
    );
    let cases: BTreeMap<&str, roxmltree::Node> =
        suite.children().filter(|n| n.has_tag_name("testcase")).map(|n| (n.attribute("name").unwrap(), n)).collect();
    assert_eq!(cases.keys().copied().collect::<Vec<_>>(), ["assertion", "deadlock", "reach-1"]);
    let case = cases["assertion"];
    assert_eq!(case.attribute("classname"), Some("race.pml"));
    assert!(case.attribute("time").unwrap().parse::<f64>().is_ok());
    let failure = case.children().find(|n| n.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("assertion"));
    assert!(failure.attribute("message").unwrap().starts_with("assertion violated: x<2"), "{text}");
    assert!(failure.text().unwrap().contains("P(0)  line 4"), "{text}");
    for passed in ["deadlock", "reach-1"] {
        assert!(!cases[passed].children().any(|n| n.is_element()), "{text}");
    }
}

#[test]
fn what_was_not_decided_has_not_passed() {
    let workspace =
        Workspace::with("race.pml", "byte x; active [3] proctype P() { do :: x < 99 -> x++ :: x > 0 -> x-- od }");
    let ran = workspace.run(&["check", "race.pml", "--junit", "out.xml", "--sarif", "out.sarif", "--max-states", "5"]);
    ran.exits(4);
    let text = read(&workspace, "out.xml");
    let document = roxmltree::Document::parse(&text).unwrap();
    let errors: Vec<_> = document.descendants().filter(|n| n.has_tag_name("error")).collect();
    assert_eq!(errors.len(), 2, "{text}");
    assert_eq!(errors[0].attribute("type"), Some("limit"));
    assert!(errors[0].attribute("message").is_some_and(|m| m.contains("limit")), "{text}");
    let suite = document.descendants().find(|n| n.has_tag_name("testsuite")).unwrap();
    assert_eq!((suite.attribute("failures"), suite.attribute("errors")), (Some("0"), Some("2")));
    let sarif: Sarif = serde_json::from_str(&read(&workspace, "out.sarif")).unwrap();
    let results = sarif.runs[0].results.as_ref().unwrap();
    assert_eq!(results.len(), 2);
    assert!(results.iter().all(|r| r.kind == Some(ResultKind::Open) && r.level == Some(ResultLevel::None)));
}

/// Reports are written whatever ends the program, with all that was known by then.
#[test]
fn reports_are_written_when_the_program_has_to_end() {
    let updates = (0..200).map(|i| format!("v := v + i * {i}")).collect::<Vec<_>>().join(", ");
    let head = "int v; process P() { state a; init a; trans a -> a { select i : int[0, 20000]; assign ";
    let workspace = Workspace::with("large.xta", &format!("{head}{updates}; }}; }} Q = P(); system Q;"));
    workspace.write("race.pml", RACE);
    workspace.write("later.pml", RACE);
    let reports = ["--junit", "out.xml", "--sarif", "out.sarif", "--max-memory", "64M"];
    let run = |files: &[&str], code| {
        for old in ["out.xml", "out.sarif"] {
            workspace.write(old, "old");
        }
        let ran = workspace.run(&[&["check"], files, &reports].concat()).exits(code);
        ran.complains("stopped: the memory limit was reached while the input was read");
        let sarif: Sarif = serde_json::from_str(&read(&workspace, "out.sarif")).unwrap();
        (read(&workspace, "out.xml"), sarif)
    };
    let (junit, sarif) = run(&["large.xta"], 4);
    let document = roxmltree::Document::parse(&junit).unwrap();
    let error = document.descendants().find(|n| n.has_tag_name("error")).unwrap();
    assert_eq!(error.attribute("message"), Some("the memory limit was reached while the input was read"));
    let invocation = &sarif.runs[0].invocations.as_ref().unwrap()[0];
    assert_eq!((invocation.execution_successful, invocation.exit_code), (false, Some(4)));
    let (junit, sarif) = run(&["race.pml", "large.xta", "later.pml"], 1);
    let document = roxmltree::Document::parse(&junit).unwrap();
    let suites: Vec<_> = document.descendants().filter(|n| n.has_tag_name("testsuite")).collect();
    let names: Vec<_> = suites.iter().map(|suite| suite.attribute("name").unwrap()).collect();
    assert_eq!(names, ["race.pml", "large.xta", "later.pml"]);
    let failure = suites[0].descendants().find(|n| n.has_tag_name("failure")).unwrap();
    assert!(failure.text().unwrap().contains("P(0)  line 4"), "{junit}");
    assert!(suites[1..].iter().all(|suite| suite.attribute("errors") == Some("1")), "{junit}");
    assert!(sarif.runs[0].results.as_ref().unwrap()[0].code_flows.is_some());
}

/// The same where a trace is known, and the next one takes too long to be confirmed.
#[test]
fn known_errors_are_reported_when_the_program_has_to_end() {
    let long = "int n; active proctype Q() { assert(n == 1) }
        active proctype P() { n = 1; do :: n < 900000 -> n++ :: else -> break od; false }\n";
    let workspace = Workspace::with("long.pml", long);
    let options = ["--search", "dfs", "--all", "2", "--max-time", "4s", "--no-progress", "--json"];
    let files = ["--junit", "out.xml", "--sarif", "out.sarif", "--save-trace", "t.json", "--itf", "i.json"];
    let ran = workspace.run(&[&["check", "long.pml"], &options[..], &files].concat()).exits(1);
    assert_eq!(ran.json()["properties"][1]["verdict"], "violated", "{}", ran.out);
    let junit = read(&workspace, "out.xml");
    assert!(junit.contains("failures=\"1\" errors=\"1\"") && junit.contains("assertion violated"), "{junit}");
    assert!(read(&workspace, "out.sarif").contains("codeFlows"));
    workspace.run(&["trace", "t.json"]).exits(0).says("assertion violated");
    check_itf(&read_json(&workspace, "i.json"));
}

/// Even what cannot be told any more is kept: a trace is written when it is known.
#[cfg(unix)]
#[test]
fn traces_are_kept_when_the_program_is_killed() {
    use crate::support::hard::start;
    use std::time::{Duration, Instant};
    let sum = (0..8).map(|i| format!("x[{i}]")).collect::<Vec<_>>().join(" + ");
    let model = format!(
        "byte x[8]; active [8] proctype P() {{ do :: x[_pid]++ od }} active proctype R() {{ assert({sum} != 3) }}"
    );
    let workspace = Workspace::with("m.pml", &model);
    let files = ["--save-trace", "t.json", "--trail", "t.trail", "--itf", "i.json"];
    let mut child = start(
        &workspace,
        &[
            &[
                "check",
                "m.pml",
                "--no-progress",
                "--search",
                "auto",
                "--all",
                "2",
                "--max-time",
                "60s",
                "--max-memory",
                "1G",
            ],
            &files[..],
        ]
        .concat(),
    );
    let begin = Instant::now();
    let written = || ["t.json", "t.trail", "i.json"].iter().all(|file| workspace.path(file).exists());
    while !written() && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    let was_running = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(was_running && written());
    workspace.run(&["trace", "t.json"]).exits(0).says("assertion violated");
    workspace.run(&["trace", "--trail", "t.trail", "m.pml"]).exits(0).says("assertion violated");
    check_itf(&read_json(&workspace, "i.json"));
}

/// Nobody takes the trace of an earlier run for one of this run.
#[test]
fn files_of_earlier_runs_do_not_stay() {
    let workspace = Workspace::with("race.pml", RACE);
    workspace.write("fine.pml", "active proctype P() { skip }");
    workspace.write("broken.pml", "active proctype P() {");
    let files = [
        ("--save-trace", "t.json"),
        ("--trail", "t.trail"),
        ("--itf", "i.json"),
        ("--chart-svg", "c.svg"),
        ("--junit", "r.xml"),
        ("--sarif", "r.sarif"),
    ];
    let options: Vec<&str> = files.iter().flat_map(|(option, file)| [*option, *file]).collect();
    let exist =
        || files.iter().filter(|(_, file)| workspace.path(file).exists()).map(|(_, file)| *file).collect::<Vec<_>>();
    workspace.run(&[&["check", "race.pml"], &options[..]].concat()).exits(1);
    assert_eq!(exist().len(), 6);
    workspace.run(&[&["check", "fine.pml"], &options[..]].concat()).exits(0).complains("no counterexample to save");
    assert_eq!(exist(), ["r.xml", "r.sarif"]);
    assert!(read(&workspace, "r.xml").contains("fine.pml"));
    // A model that cannot be read has a report, too.
    workspace.run(&[&["check", "race.pml"], &options[..]].concat()).exits(1);
    workspace.run(&[&["check", "broken.pml"], &options[..]].concat()).exits(2);
    assert_eq!(exist(), ["r.xml", "r.sarif"]);
    assert!(read(&workspace, "r.xml").contains("broken.pml") && read(&workspace, "r.xml").contains("errors=\"1\""));
    // What is wrong in the arguments has not begun anything.
    workspace.write("t.json", "old");
    workspace.run(&["check", "race.pml", "--save-trace", "t.json", "--itf", "race.pml"]).exits(2);
    assert_eq!(read(&workspace, "t.json"), "old");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("t.json", workspace.path("link.json")).unwrap();
        workspace.run(&["check", "fine.pml", "--save-trace", "link.json"]).exits(0);
        assert!(!workspace.path("t.json").exists() && workspace.path("link.json").is_symlink());
        workspace.run(&["check", "race.pml", "--save-trace", "link.json"]).exits(1);
        workspace.run(&["trace", "t.json"]).exits(0);
    }
}

/// The standard output is for one thing.
#[cfg(unix)]
#[test]
fn reports_go_to_streams_devices_and_pipes() {
    let workspace = Workspace::with("race.pml", RACE);
    let ran = workspace.run(&["check", "race.pml", "--junit", "/dev/stdout"]).exits(1).complains("race.pml: violated");
    assert!(roxmltree::Document::parse(&ran.out).is_ok(), "{}", ran.out);
    let ran = workspace.run(&["check", "race.pml", "race.pml", "--sarif", "/dev/stdout"]).exits(1);
    assert!(serde_json::from_str::<Sarif>(&ran.out).is_ok(), "{}", ran.out);
    let ran = workspace.run(&["check", "race.pml", "--junit", "/dev/stderr", "--quiet"]).exits(1);
    assert!(roxmltree::Document::parse(&ran.err).is_ok() && ran.out.contains("race.pml: violated"), "{}", ran.err);
    let ran = workspace.run(&["check", "race.pml", "--itf", "/dev/stdout", "--quiet"]).exits(1);
    check_itf(&serde_json::from_str(&ran.out).unwrap());
    let ran = workspace.run(&["check", "race.pml", "--junit", "/dev/stdout", "--json"]).exits(2);
    ran.complains("both write to the standard output");
    workspace.run(&["check", "race.pml", "--junit", "/dev/null", "--sarif", "/dev/null", "--json"]).exits(1).json();
    // To a file that the standard output leads to, nothing is written twice.
    let shell = |script: &str| {
        let bughound = env!("CARGO_BIN_EXE_bughound");
        let mut command = Command::new("bash");
        command.args(["-c", script]).env("BUGHOUND", bughound).current_dir(workspace.directory.path());
        command.stderr(std::process::Stdio::null()).output().unwrap().status.code()
    };
    assert_eq!(shell("$BUGHOUND check race.pml --junit /dev/stdout > file.xml"), Some(1));
    assert!(roxmltree::Document::parse(&read(&workspace, "file.xml")).is_ok(), "{}", read(&workspace, "file.xml"));
    assert_eq!(
        shell("mkfifo p; cat p > pipe.xml & $BUGHOUND check race.pml --junit p; code=$?; wait; exit $code"),
        Some(1)
    );
    assert!(roxmltree::Document::parse(&read(&workspace, "pipe.xml")).is_ok());
    assert_eq!(shell("$BUGHOUND check race.pml --save-trace >(cat > t.json); code=$?; sleep 0.5; exit $code"), Some(1));
    workspace.run(&["trace", "t.json"]).exits(0);
}

#[test]
fn sarif_has_the_failing_place_and_the_trace() {
    let workspace = Workspace::with("a race.pml", RACE);
    workspace.run(&["check", "a race.pml", "--sarif", "out.sarif", "--save-trace", "t.json", "--shortest"]).exits(1);
    let sarif: Sarif = serde_json::from_str(&read(&workspace, "out.sarif")).unwrap();
    assert_eq!(sarif.version, "2.1.0");
    let run = &sarif.runs[0];
    assert_eq!(run.tool.driver.name, "Bughound");
    let rules = run.tool.driver.rules.as_ref().unwrap();
    let invocation = &run.invocations.as_ref().unwrap()[0];
    assert_eq!((invocation.execution_successful, invocation.exit_code), (true, Some(1)));
    let results = run.results.as_ref().unwrap();
    assert_eq!(results.len(), 1);
    let result = &results[0];
    assert_eq!(rules[result.rule_index.unwrap() as usize].id, "assertion");
    assert_eq!((result.rule_id.as_deref(), result.level), (Some("assertion"), Some(ResultLevel::Error)));
    assert!(result.message.text.as_ref().unwrap().contains("assertion violated"));
    let line = |location: &serde_sarif::sarif::Location| {
        let physical = location.physical_location.as_ref().unwrap();
        let uri = physical.artifact_location.as_ref().unwrap().uri.as_deref().unwrap();
        assert_eq!(uri, "a%20race.pml");
        physical.region.as_ref().unwrap().start_line.unwrap()
    };
    assert_eq!(line(&result.locations.as_ref().unwrap()[0]), 6);
    let flow = &result.code_flows.as_ref().unwrap()[0].thread_flows[0].locations;
    // The same steps as in the trace that was saved.
    let shown = workspace.run(&["trace", "t.json", "--json"]).json();
    let steps = shown["trace"]["steps"].as_array().unwrap();
    assert_eq!(flow.len(), steps.len());
    for (entry, step) in flow.iter().zip(steps) {
        let location = entry.location.as_ref().unwrap();
        assert_eq!(Some(line(location)), step["source"]["line"].as_i64());
        let text = location.message.as_ref().unwrap().text.as_ref().unwrap();
        assert_eq!(text, &format!("{}: {}", step["process"].as_str().unwrap(), step["text"].as_str().unwrap()));
    }
}

#[test]
fn sarif_without_errors_has_no_results() {
    let workspace = Workspace::with("fine.pml", "active proctype P() { skip }");
    workspace.run(&["check", "fine.pml", "--sarif", "out.sarif"]).exits(0);
    let sarif: Sarif = serde_json::from_str(&read(&workspace, "out.sarif")).unwrap();
    assert_eq!(sarif.runs[0].results.as_ref().map(Vec::len), Some(0));
}

/// Every variable is in every state, and nothing else.
fn check_itf(document: &Value) -> &Vec<Value> {
    assert_eq!(document["#meta"]["format"], "ITF");
    let vars: BTreeSet<&str> = document["vars"].as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect();
    let states = document["states"].as_array().unwrap();
    for (at, state) in states.iter().enumerate() {
        assert_eq!(state["#meta"]["index"], at);
        let names = state.as_object().unwrap().keys().map(String::as_str).filter(|name| *name != "#meta");
        assert_eq!(names.collect::<BTreeSet<_>>(), vars);
    }
    states
}

#[test]
fn itf_has_the_states_of_the_trace() {
    let workspace = Workspace::with("race.pml", RACE);
    let ran = workspace.run(&["check", "race.pml", "--itf", "out.json", "--shortest", "--json"]).exits(1);
    let document = read_json(&workspace, "out.json");
    let states = check_itf(&document);
    let found = ran.json();
    let properties = found["properties"].as_array().unwrap();
    let trace = &properties.iter().find(|p| p["name"] == "assertion").unwrap()["trace"];
    // A run goes on after a false assertion.
    let steps = trace["steps"].as_array().unwrap();
    assert_eq!(states.len(), steps.len() + 1);
    for (at, step) in steps.iter().enumerate() {
        let text = format!("{}: {}", step["process"].as_str().unwrap(), step["text"].as_str().unwrap());
        assert_eq!(states[at + 1]["#meta"]["step"], text);
        for change in step["changes"].as_array().unwrap() {
            let name = change["name"].as_str().unwrap();
            assert_eq!((&states[at][name], &states[at + 1][name]), (&change["old"], &change["new"]), "{step}");
        }
    }
    assert!(states[0]["P(0)"].as_str().unwrap().starts_with("line "), "{}", states[0]);
    assert!(document.get("loop").is_none());
}

#[test]
fn itf_has_lists_and_loops() {
    let workspace = Workspace::with("loop.pml", LOOP);
    let ran = workspace.run(&["check", "loop.pml", "p", "--itf", "out.json", "--json"]).exits(1).json();
    let document = read_json(&workspace, "out.json");
    let states = check_itf(&document);
    assert_eq!(states[0]["a"], serde_json::json!([0, 0]));
    assert_eq!(states[0]["q"], serde_json::json!([]));
    assert_eq!(states.last().unwrap()["q"], serde_json::json!([[7, 1]]));
    let trace = &ran["properties"][0]["trace"];
    assert_eq!(document["loop"], trace["loop"]["start"]);
    // Behind the last state comes the one with which the loop begins.
    let steps = trace["steps"].as_array().unwrap();
    assert_eq!(states.len(), steps.len());
    let last = steps.last().unwrap();
    let back = &states[document["loop"].as_u64().unwrap() as usize];
    for change in last["changes"].as_array().unwrap() {
        if let Some(value) = back.get(change["name"].as_str().unwrap()) {
            assert_eq!(value, &change["new"]);
        }
    }
    assert!(document["#meta"]["loop-step"].is_string());
}

#[test]
fn itf_of_runs_at_rest_and_of_timed_models() {
    let workspace = Workspace::with("rest.pml", "byte x; active proctype P() { x = 1 } ltl p { <> (x == 5) }");
    workspace.run(&["check", "rest.pml", "p", "--itf", "out.json"]).exits(1);
    let document = read_json(&workspace, "out.json");
    let states = check_itf(&document);
    assert_eq!(document["loop"], states.len() - 1);
    // A process that is gone leaves no variables of its own, but its place is told.
    assert_eq!(states.last().unwrap()["P(0)"], "absent");
    workspace.write("p.xta", TIMED);
    workspace.run(&["check", "p.xta", "--query", "E<> P.B and x >= 3", "--itf", "out.json"]).exits(0);
    let document = read_json(&workspace, "out.json");
    let states = check_itf(&document);
    // The step as early as possible, then time passes.
    assert_eq!(states.len(), 3);
    let places: Vec<&str> = states.iter().map(|state| state["P"].as_str().unwrap()).collect();
    assert_eq!(places, ["A", "B", "B"]);
    assert_eq!(states[1]["#meta"]["step"], "P: A → B, guard x >= 2; assign n = 1");
    assert_eq!(states[2]["#meta"]["step"], "time passes");
    for (state, time) in states.iter().zip([0, 2, 3]) {
        assert_eq!(state["time"], serde_json::json!({ "numerator": time, "denominator": 1 }));
        assert_eq!(state["x"], state["time"]);
    }
}

#[test]
fn itf_without_a_trace_says_so() {
    let workspace = Workspace::with("fine.pml", "active proctype P() { skip }");
    workspace
        .run(&["check", "fine.pml", "--itf", "out.json"])
        .exits(0)
        .complains("there is no trace to write to out.json");
    assert!(!workspace.path("out.json").exists());
}

/// The numbers of nodes and edges, and how many of each are marked. Every line of our graphs is one of either.
fn count(dot: &str) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for line in dot.lines().map(str::trim).filter(|l| l.starts_with(|c: char| c.is_ascii_digit())) {
        let (what, marked) = match line.split('[').next().unwrap().contains("->") {
            true => ("edges", "path edges"),
            false if line.contains("octagon") => ("failures", "path nodes"),
            false => ("nodes", "path nodes"),
        };
        *counts.entry(what).or_default() += 1;
        *counts.entry(marked).or_default() += usize::from(line.contains("penwidth=2"));
        *counts.entry("dashed").or_default() += usize::from(line.contains("dashed"));
        *counts.entry("deadlocks").or_default() += usize::from(line.contains("deadlock\\l"));
        *counts.entry("ends").or_default() += usize::from(line.contains("peripheries=2"));
    }
    counts
}

/// Graphviz itself, where it is installed.
fn graphviz_accepts(workspace: &Workspace, file: &str) {
    match Command::new("dot").arg("-Tplain").arg(workspace.path(file)).output() {
        Ok(drawn) => assert!(drawn.status.success(), "{}", String::from_utf8_lossy(&drawn.stderr)),
        Err(_) => eprintln!("skipped: dot is not installed"),
    }
}

#[test]
fn the_graph_has_all_states() {
    let workspace = Workspace::with("race.pml", RACE);
    let ran = workspace.run(&["explore", "race.pml", "--dot", "out.dot", "--json"]).exits(0).json();
    let dot = read(&workspace, "out.dot");
    let counts = count(&dot);
    assert_eq!(Some(counts["nodes"] as u64), ran["stats"]["stored"].as_u64(), "{dot}");
    assert_eq!((counts["dashed"], counts["deadlocks"], counts["path edges"]), (0, 0, 0), "{dot}");
    assert_eq!(Some(counts["failures"] as u64), ran["stats"]["failed_assertions"].as_u64(), "{dot}");
    assert!(counts["ends"] > 0 && dot.contains("P(0): y = x"), "{dot}");
    graphviz_accepts(&workspace, "out.dot");
    workspace.write("stuck.pml", "chan q = [0] of { byte }; active proctype P() { q!1 } active proctype Q() { q!2 }");
    workspace.run(&["explore", "stuck.pml", "--dot", "out.dot"]).exits(0);
    assert_eq!(count(&read(&workspace, "out.dot"))["deadlocks"], 1);
}

#[test]
fn the_graph_says_where_it_is_cut() {
    let workspace = Workspace::with("race.pml", RACE);
    let ran = workspace.run(&["explore", "race.pml", "--dot", "out.dot", "--dot-states", "5"]).exits(0);
    ran.complains("out.dot: cut at 5 states");
    let dot = read(&workspace, "out.dot");
    assert!(dot.contains("cut at 5 states"), "{dot}");
    let counts = count(&dot);
    assert_eq!(counts["nodes"], 5);
    assert!(counts["dashed"] > 0, "{dot}");
    graphviz_accepts(&workspace, "out.dot");
}

#[test]
fn the_path_to_the_error_is_marked() {
    let workspace = Workspace::with("race.pml", RACE);
    let arguments = ["check", "race.pml", "--dot", "out.dot", "--json", "--shortest", "--dot-states", "12"];
    let ran = workspace.run(&arguments).exits(1);
    let found = ran.json();
    let trace = &found["properties"].as_array().unwrap().iter().find(|p| p["name"] == "assertion").unwrap()["trace"];
    let counts = count(&read(&workspace, "out.dot"));
    assert_eq!(Some(counts["path edges"] as u64), trace["length"].as_u64());
    assert_eq!(counts["path nodes"], counts["path edges"] + 1);
    assert_eq!(counts["nodes"], 12);
    // A path that is longer than the graph may be.
    let ran = workspace.run(&["check", "race.pml", "--dot", "out.dot", "--shortest", "--dot-states", "3"]).exits(1);
    ran.complains("the path to the error goes on");
    workspace.write("p.xta", TIMED);
    workspace.run(&["check", "p.xta", "--query", "E<> P.B and x >= 3", "--dot", "out.dot"]).exits(0);
    let dot = read(&workspace, "out.dot");
    assert_eq!(count(&dot)["path edges"], 1, "{dot}");
    assert!(dot.contains("P at B"), "{dot}");
    graphviz_accepts(&workspace, "out.dot");
    workspace.write("q.xta", "process Q() { state A, B; init A; trans A -> B { }; } system Q;");
    workspace.run(&["explore", "q.xta", "--dot", "out.dot"]).exits(0);
    let dot = read(&workspace, "out.dot");
    assert!(dot.contains("label=\"Q: A → B\""), "{dot}");
}

#[test]
fn files_keep_to_the_rules_for_outputs() {
    let workspace = Workspace::with("race.pml", RACE);
    for option in ["--junit", "--sarif", "--itf", "--dot"] {
        let ran = workspace.run(&["check", "race.pml", option, "race.pml"]).exits(2);
        ran.complains("would overwrite race.pml");
        let ran = workspace.run(&["check", "race.pml", option, "nowhere/file"]).exits(1);
        ran.complains("error: nowhere/file").complains("cannot be written");
        let other = if option == "--sarif" { "--save-trace" } else { "--sarif" };
        workspace.run(&["check", "race.pml", option, "same", other, "same"]).exits(2).complains("name two files");
    }
    assert_eq!(read(&workspace, "race.pml"), RACE);
    workspace.run(&["explore", "race.pml", "--dot", "race.pml"]).exits(2).complains("would overwrite");
    // All at once.
    let arguments = [
        "check",
        "race.pml",
        "--junit",
        "a",
        "--sarif",
        "b",
        "--itf",
        "c",
        "--dot",
        "d",
        "--save-trace",
        "e",
        "--quiet",
    ];
    workspace.run(&arguments).exits(1);
    for file in ["a", "b", "c", "d", "e"] {
        assert!(!read(&workspace, file).is_empty(), "{file}");
    }
}

#[test]
fn the_lines_of_verifyta() {
    let workspace = Workspace::with("p.xta", TIMED);
    workspace.write("p.q", "E<> P.B\n\nA[] x <= 5\nsup: n\nA<> P.B\n");
    let ran = workspace.run(&["check", "p.xta", "--verifyta"]).exits(1);
    let expected = "\nVerifying formula 1 at line 1\n -- Formula is satisfied.\n\n\
        Verifying formula 2 at line 3\n -- Formula is NOT satisfied.\n\n\
        Verifying formula 3 at line 4\n -- Formula is satisfied.\n -- sup: n <= 1\n\n\
        Verifying formula 4 at line 5\n -- Formula is satisfied.\n";
    assert!(ran.out.starts_with("Options for the verification:\n  Generating no trace\n"), "{}", ran.out);
    assert!(ran.out.ends_with(expected), "{}", ran.out);
    let xml = "<nta><declaration>int n;</declaration><template><name>P</name><location id=\"a\"><name>A</name></location>\
        <init ref=\"a\"/></template><system>system P;</system><queries><query><formula>E&lt;&gt; n == 1</formula></query>\
        <query><formula>A[] n == 0</formula></query></queries></nta>";
    workspace.write("q.xml", xml);
    let ran = workspace.run(&["check", "q.xml", "--verifyta"]).exits(1);
    ran.says("Verifying formula 1 at /nta/queries/query[1]/formula\n -- Formula is NOT satisfied.")
        .says("Verifying formula 2 at /nta/queries/query[2]/formula\n -- Formula is satisfied.");
    workspace.write("race.pml", RACE);
    workspace.run(&["check", "race.pml", "--verifyta"]).exits(2).complains("--verifyta is for UPPAAL models");
    workspace.run(&["check", "p.xta", "--verifyta", "--max-states", "1"]).says(" -- Formula MAY be satisfied.");
}
